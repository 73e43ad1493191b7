import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.errors import ParameterError
from tests.operations import making

CLIPS = {
    "walk": making.walker,
    "chain": making.pendulums,
    "near pi": making.near_pi,
    "two roots": making.two_roots,
    "still root": making.still_root,
    "one frame": making.one_frame,
}


@pytest.mark.parametrize("make", CLIPS.values(), ids=CLIPS.keys())
@pytest.mark.parametrize("kind", ["log", "euler"])
@pytest.mark.parametrize("center", ["mean", "rest"])
def test_the_round_trip_is_exact(make, kind, center):
    clip = make()
    seen = pose_curves(clip, range(len(clip.skeleton)), kind=kind, center=center)
    assert seen.to_clip(seen.curves).same_motion(clip, 1e-9)


def test_no_joints_are_no_curves():
    clip = making.walker()
    seen = pose_curves(clip, [])
    assert seen.curves.shape == (len(clip), 0, 3)
    assert seen.to_clip(seen.curves).same_motion(clip)


def test_the_curves_of_a_turned_scene_are_the_same():
    clip = making.walker(drift=0.05)
    one, other = (pose_curves(c, range(len(clip.skeleton))).curves for c in (clip, making.turned(clip, 1.1)))
    assert np.allclose(one, other, atol=1e-9)


def test_an_edit_of_the_sway_does_not_turn_the_walk_elsewhere():
    clip = making.walker(301)
    turn = rot.about_y(0.5 * clip.times)
    circling = clip.replace(
        rotations=np.concatenate([rot.multiply(turn, clip.rotations[:, 0])[:, None], clip.rotations[:, 1:]], axis=1)
    )
    seen = pose_curves(circling, [0])
    assert np.abs(seen.curves).max() < 0.05
    none = seen.to_clip(0 * seen.curves)
    assert rot.angle_between(none.rotations[:, 0], circling.rotations[:, 0]).max() < 0.05


def test_around_the_rest_pose_a_joint_at_rest_is_zero():
    clip = making.walker()
    elbow = clip.skeleton.index("LeftForeArm")
    curves = pose_curves(clip, [elbow], center="rest").curves[:, 0]
    assert np.allclose(curves, [0.0, -0.4, 0.0])


def test_euler_curves_are_the_angles_in_the_order_of_each_joint():
    clip = making.walker()
    orders = ["ZXY"] * len(clip.skeleton)
    knee = clip.skeleton.index("LeftLeg")
    orders[knee] = "YXZ"
    seen = pose_curves(clip, [knee, 1], kind="euler", orders=orders)
    assert np.array_equal(seen.axes, [[1, 0, 2], [2, 0, 1]])
    assert np.allclose(rot.from_euler(seen.curves[:, 0], "YXZ"), clip.rotations[:, knee])


def test_another_clip_is_expressed_about_the_same_centre():
    clip = making.walker()
    seen = pose_curves(clip, [0, 1, 6])
    assert np.allclose(seen.express(clip), seen.curves, atol=1e-9)
    with pytest.raises(ParameterError, match="Euler"):
        pose_curves(clip, [1], kind="euler").express(clip)


def test_what_does_not_fit_is_told():
    clip = making.walker()
    with pytest.raises(ParameterError, match="shape"):
        pose_curves(clip, [1, 2]).rotations(np.zeros((3, 2, 3)))
    with pytest.raises(ParameterError, match="log"):
        pose_curves(clip, [1], kind="matrix")
