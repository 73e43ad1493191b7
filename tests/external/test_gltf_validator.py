"""Every file that we write is clean to the Khronos glTF validator: no error, no warning, no remark."""

import json
import os
import subprocess

import pytest

import kinetune as kt
from kinetune.formats import gltf
from tests.conftest import data_folder
from tests.external import clips
from tests.external.tools import HERE, node_modules

pytestmark = pytest.mark.external


def validated(files):
    run = subprocess.run(
        ["node", str(HERE / "validate_gltf.cjs"), *files],
        env={**os.environ, "NODE_PATH": str(node_modules())},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    reports = json.loads(run.stdout)
    assert len(reports) == len(files)
    return reports


def test_the_validator_finds_nothing(tmp_path):
    node_modules()
    files = []
    for number, name in enumerate([*clips.made(), *clips.real()]):
        clip = clips.load(name)
        for suffix in (".glb", ".gltf"):
            for path, data in gltf.write(clip, tmp_path / f"{number}{suffix}").items():
                path.write_bytes(data)
                files.append(str(path))
    for report in validated(files):
        assert report["messages"] == [], report["file"]
        assert report["numErrors"] == report["numWarnings"] == report["numInfos"] == 0


def test_edited_characters_have_no_error(tmp_path):
    node_modules()
    folder = data_folder()
    if folder is None:
        pytest.skip("no glTF files here: set KINETUNE_DATA")
    files = []
    for number, path in enumerate(sorted(folder.glob("gltf*/*.gl*"))):
        clip = kt.read(path)
        clip = clip.replace(root=clip.root + 0.1)
        files.append(str(kt.write(clip, tmp_path / f"{number}{path.suffix}")))
        few = kt.ReduceKeys(tolerance_mm=20)(clip)
        files.append(str(kt.write(few, tmp_path / f"{number}-few{path.suffix}")))
    assert [report["numErrors"] for report in validated(files)] == [0] * len(files)
