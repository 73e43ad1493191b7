"""ufbx and Blender put every joint of FBX files where we do, before and after an edit, to a tenth of a millimetre."""

import json
import os
import subprocess

import pytest

from tests.conftest import data_folder
from tests.external.tools import CHECKOUT, blender_python

pytestmark = pytest.mark.external

FOLDER = data_folder()
FILES = sorted(path for path in (FOLDER / "fbx").glob("*.fbx") if "fuzz" not in path.name) if FOLDER else []
CLOSE = 0.1  # millimetres
SCALES = ("maya_anim_no_inherit_scale", "maya_scale_no_inherit", "motionbuilder_sausage_rrss")
"""Bones that do not inherit scale as Blender has it; it is as wrong about the files as they come."""
PIVOTS = ("maya_anim_pivot_rotate", "maya_null_pivots", "maya_pivot_offset")
"""Nodes that rotate about another point than their origin: Blender moves the origin there."""


@pytest.fixture(scope="module")
def python():
    python = blender_python()
    if subprocess.run([python, "-c", "import ufbx"], capture_output=True, check=False).returncode:
        pytest.skip(f"no ufbx beside Blender. Install it with: {python} -m pip install ufbx")
    return python


@pytest.mark.skipif(not FILES, reason="no FBX files here: set KINETUNE_DATA")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_three_readers_agree(python, path):
    command = [python, str(CHECKOUT / "benchmarks" / "fbx_readers.py"), "--one", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=environment)
    rows = json.loads(run.stdout.partition("RESULT")[2])
    assert rows, run.stderr[-2000:]
    for row in rows:
        if "refused" in row:
            assert "Is the file cut off" in row["refused"] or "FBX" in row["refused"] or "damaged" in row["refused"]
            continue
        original, back, anew = (row[manner] for manner in ("original", "written back", "written anew"))
        assert original["ufbx"] < CLOSE
        assert back["ufbx"] < CLOSE
        assert anew["ufbx"] < CLOSE
        assert max(anew["Blender"], anew["older Blender"]) < CLOSE
        if path.name.startswith(SCALES):
            assert min(original["Blender"], back["Blender"]) > CLOSE
        elif path.name.startswith(PIVOTS):
            assert back["Blender at pivots"] < CLOSE
        else:
            assert back["Blender"] < CLOSE
        keyed = original.get("Blender at pivots and keys")
        if isinstance(keyed, float) and not path.name.startswith((*SCALES, "own_writer_no", "maya_anim_layer")):
            assert keyed < CLOSE
