import json

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.curves.key_reduction import LEVER, reduce_keys
from kinetune.body.kinematics.forward import tips
from kinetune.errors import ParameterError
from kinetune.formats import read
from tests.operations import making

CLIPS = {
    "walk": lambda: making.walker(121),
    "chain": making.pendulums,
    "near pi": making.near_pi,
    "constant": making.constant,
    "two roots": making.two_roots,
    "still root": lambda: making.still_root(121),
    "one frame": making.one_frame,
    "two frames": lambda: making.walker(2),
    "three frames": lambda: making.walker(3),
}


def off(keyed, clip):
    played = keyed.to_clip()
    far = np.linalg.norm(played.positions() - clip.positions(), axis=-1).max()
    if clip.skeleton.end_sites:
        far = max(far, np.linalg.norm(tips(played) - tips(clip), axis=-1).max())
    return far, rot.angle_between(played.world_rotations(), clip.world_rotations()).max()


@pytest.mark.slow
@pytest.mark.parametrize("make", CLIPS.values(), ids=CLIPS.keys())
@pytest.mark.parametrize("keys", ["joint", "shared"])
def test_every_joint_and_tip_stays_within_the_tolerance(make, keys):
    clip = make()
    keyed = reduce_keys(clip, 5.0, keys=keys)
    far, turned = off(keyed, clip)
    assert far <= 0.005 + 1e-12
    assert turned <= 0.005 / LEVER + 1e-9
    assert keyed.error == pytest.approx(far, abs=1e-12)
    assert keyed.key_count <= keyed.dense_count


@pytest.mark.slow
def test_a_tighter_tolerance_takes_more_keys():
    clip = making.walker(121)
    counts = [reduce_keys(clip, millimetres).key_count for millimetres in (20.0, 5.0, 1.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


@pytest.mark.slow
def test_a_walk_takes_far_fewer_keys_than_frames():
    clip = making.walker(301)
    keyed = reduce_keys(clip)
    assert keyed.dense_count > 8 * keyed.key_count
    shared = reduce_keys(clip, keys="shared")
    assert len(shared.key_frames()) < len(clip) / 3
    assert shared.key_count > keyed.key_count


def test_a_pose_that_is_held_takes_one_key_a_joint():
    keyed = reduce_keys(making.constant())
    assert all(len(spline) == 1 for spline in keyed.turns)


def test_keys_are_poses_at_frames():
    clip = making.walker(121)
    keyed = reduce_keys(clip)
    frames = keyed.key_frames("LeftArm")
    assert frames[0] == 0
    assert frames[-1] == 120
    assert set(frames) <= set(keyed.key_frames())


def test_the_summary_is_ready_for_json():
    summary = json.loads(json.dumps(reduce_keys(making.walker(61)).summary()))
    assert summary["frames"] == 61
    assert summary["error_mm"] <= 5.0
    assert summary["times_fewer"] == pytest.approx(summary["dense_keys"] / summary["keys"])


def test_the_rest_of_the_clip_stays():
    clip = making.walker(61)
    played = reduce_keys(clip).to_clip()
    assert played.contacts == clip.contacts
    assert played.fps == clip.fps
    assert played.skeleton is clip.skeleton


def test_what_makes_no_sense_is_told():
    for tolerance in (0.0, -1.0, float("nan")):
        with pytest.raises(ParameterError, match="tolerance_mm"):
            reduce_keys(making.walker(5), tolerance)
    with pytest.raises(ParameterError, match="shared"):
        reduce_keys(making.walker(5), keys="all")


@pytest.mark.parametrize(("name", "times"), [("07_01", 11.0), ("82_11", 20.0)])
def test_captured_walks(shared_data, name, times):
    """CMU walks at 5 mm: an eleventh to a twentieth of the keys, errors bounded in the world."""
    clip = read(shared_data / "cmu" / f"{name}.bvh")[1:]
    keyed = reduce_keys(clip)
    assert off(keyed, clip)[0] <= 0.005
    assert keyed.dense_count > times * keyed.key_count
