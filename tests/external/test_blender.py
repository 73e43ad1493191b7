"""Blender opens what we write and puts every joint where we do, to a tenth of a millimetre."""

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.formats import fbx, gltf
from kinetune.formats.format import ReadOptions
from tests.conftest import data_folder
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


def distance(clip, seen):
    """How far Blender's bones are from our joints at most, in metres; bones of end sites are left out."""
    bones = [bone for bone, name in enumerate(seen["names"]) if name in clip.skeleton.names]
    order = [clip.skeleton.names.index(seen["names"][bone]) for bone in bones]
    assert sorted(order) == list(range(len(clip.skeleton)))
    theirs, ours = np.array(seen["positions"])[:, bones], clip.positions()[:, order]
    assert theirs.shape == ours.shape
    return np.linalg.norm(theirs - ours, axis=-1).max()


@pytest.mark.parametrize("name", ["plain", "everything", *clips.real()])
def test_joints_of_fbx_files_are_where_we_put_them(name, tmp_path):
    python = blender_python()
    clip = clips.load(name)
    ((path, data),) = fbx.write(clip, tmp_path / "clip.fbx").items()
    path.write_bytes(data)
    assert distance(clip, blender_sees(python, path, clip.fps)) < TENTH_OF_A_MILLIMETRE


def test_ends_of_fbx_bones_are_where_we_put_them(tmp_path):
    """The bone of an end site begins at it, however rotated the last joints are; where it points is Blender's guess."""
    python = blender_python()
    clip, dice = kt.sample("walk")[:20], np.random.default_rng(3)
    skeleton = clip.skeleton
    rest = rot.multiply(skeleton.rest, rot.exp(dice.uniform(-1.5, 1.5, (len(skeleton), 3))))
    sites = [
        replace(site, offset=tuple((site.offset + dice.uniform(-0.2, 0.2, 3)).tolist())) for site in skeleton.end_sites
    ]
    turned = rot.multiply(clip.rotations, rot.exp(dice.uniform(-1.0, 1.0, (*clip.rotations.shape[:2], 3))))
    clip = clip.replace(skeleton=replace(skeleton, rest=rest, end_sites=tuple(sites)), rotations=turned)
    ((path, data),) = fbx.write(clip, tmp_path / "clip.fbx").items()
    path.write_bytes(data)
    seen = blender_sees(python, path, clip.fps)
    positions, world, theirs = clip.positions(), clip.world_rotations(), np.array(seen["positions"])
    for site in sites:
        bone = seen["names"].index(site.name or f"{skeleton.names[site.parent]}_end")
        end = positions[:, site.parent] + rot.rotate(world[:, site.parent], np.array(site.offset))
        assert np.linalg.norm(theirs[:, bone] - end, axis=1).max() < TENTH_OF_A_MILLIMETRE


def test_the_character_of_an_fbx_file_is_still_there(tmp_path):
    python = blender_python()
    folder = data_folder()
    if folder is None:
        pytest.skip("no FBX files here: set KINETUNE_DATA")
    path = folder / "fbx" / "own_bl52_mixamo_names_default_scale100.fbx"
    clip = fbx.read(path, ReadOptions())
    clip = clip.replace(root=clip.root + np.array([0.0, 0.1, 0.0]))
    ((out, data),) = fbx.write(clip, tmp_path / "clip.fbx").items()
    out.write_bytes(data)
    before, after = (blender_sees(python, file, clip.fps) for file in (path, out))
    assert after["triangles"] == before["triangles"] > 0
    assert distance(clip, after) < TENTH_OF_A_MILLIMETRE


@pytest.mark.parametrize("name", ["plain", "everything", "two roots", *clips.real()])
def test_joints_are_where_we_put_them(name, tmp_path):
    python = blender_python()
    clip = clips.load(name)
    ((path, data),) = gltf.write(clip, tmp_path / "clip.glb").items()
    path.write_bytes(data)
    seen = blender_sees(python, path, clip.fps)
    assert seen["triangles"] > 0
    worst = distance(clip, seen)
    print(f"{name}: Blender is at most {1000 * worst:.6f} mm away")
    assert worst < TENTH_OF_A_MILLIMETRE
