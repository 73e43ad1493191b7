"""Blender opens what we write and puts every joint where we do, to a tenth of a millimetre."""

import json
import subprocess

import numpy as np
import pytest

from kinetune.formats import gltf
from tests.external import clips
from tests.external.tools import HERE, blender_python

pytestmark = pytest.mark.external

TENTH_OF_A_MILLIMETRE = 1e-4


def blender_sees(python, path, fps):
    run = subprocess.run(
        [python, str(HERE / "blender_positions.py"), repr(fps), str(path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    (seen,) = json.loads(run.stdout[run.stdout.index("RESULT") + 6 :])
    return seen


@pytest.mark.parametrize("name", ["plain", "everything", "two roots", *clips.real()])
def test_joints_are_where_we_put_them(name, tmp_path):
    python = blender_python()
    clip = clips.load(name)
    ((path, data),) = gltf.write(clip, tmp_path / "clip.glb").items()
    path.write_bytes(data)
    seen = blender_sees(python, path, clip.fps)
    order = [clip.skeleton.names.index(bone) for bone in seen["names"]]
    assert sorted(order) == list(range(len(clip.skeleton)))
    assert seen["triangles"] > 0
    theirs, ours = np.array(seen["positions"]), clip.positions()[:, order]
    assert theirs.shape == ours.shape
    worst = np.linalg.norm(theirs - ours, axis=-1).max()
    print(f"{name}: Blender is at most {1000 * worst:.6f} mm away")
    assert worst < TENTH_OF_A_MILLIMETRE
