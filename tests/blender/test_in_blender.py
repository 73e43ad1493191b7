"""The extension in a real Blender: built, validated, installed, and every operator driven on an imported walk."""

import ast
import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from kinetune.blender.extension_files import write_extension
from kinetune.formats import write
from kinetune.samples import sample
from tests.external.tools import CHECKOUT, blender_python

HERE = Path(__file__).resolve().parent
NAMES = [
    node.name
    for node in ast.parse((HERE / "checks.py").read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef)
    and any(isinstance(d, ast.Name) and d.id == "check" for d in node.decorator_list)
]
pytestmark = pytest.mark.xdist_group("blender")


def run(python, *arguments, **environment):
    done = subprocess.run(
        [python, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=2400,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{CHECKOUT / 'src'}", **environment},
    )
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="session")
def packed(tmp_path_factory):
    """The extension, built and validated by Blender's tool, without wheels."""
    python = blender_python()
    folder = tmp_path_factory.mktemp("extension")
    write_extension(folder / "kinetune")
    find = "import bpy, pathlib; print(next(pathlib.Path(bpy.__file__).parents[3].rglob('blender_ext.py')))"
    tool = run(python, "-c", find).strip().splitlines()[-1]
    run(python, tool, "validate", folder / "kinetune")
    run(python, tool, "build", "--source-dir", folder / "kinetune", "--output-filepath", folder / "kinetune.zip")
    run(python, tool, "validate", folder / "kinetune.zip")
    return folder / "kinetune.zip"


@pytest.fixture(scope="session")
def outcome(packed, tmp_path_factory):
    """What every check came to; one Blender for all, since it starts slowly."""
    folder = tmp_path_factory.mktemp("blender")
    walk = sample("walk")[:40]
    for suffix in ("bvh", "glb", "fbx", *(["usda"] if find_spec("pxr") else [])):
        write(walk, folder / f"carrier.{suffix}")
    run(
        blender_python(),
        HERE / "checks.py",
        packed,
        folder / "outcome.json",
        BLENDER_USER_RESOURCES=str(folder / "user"),
    )
    return json.loads((folder / "outcome.json").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_in_blender(name, outcome):
    assert not outcome[name], outcome[name]
