import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.curves.pose_shaping import ShapePreview, main_axes
from kinetune.signals.shaping.shaping_curve import ShapingCurve, shape_signal
from tests.operations import making

CAP = ShapingCurve.cap(-0.5, 0.5)


def shape_joints(clip, joints, curve, *, amount=1.0, **options):
    return ShapePreview(clip, joints, **options).mix(curve, amount)


def test_every_number_of_a_joint_goes_through_the_curve():
    clip = making.pendulums()
    result = shape_joints(clip, [1, 2], CAP)
    seen = pose_curves(clip, [1, 2])
    assert np.allclose(seen.express(result), shape_signal(seen.curves, CAP), atol=1e-9)
    assert np.allclose(result.rotations[:, [0, 3]], clip.rotations[:, [0, 3]], atol=1e-12)


def test_only_the_chosen_axes():
    clip = making.pendulums()
    seen = pose_curves(clip, [1])
    result = seen.express(shape_joints(clip, [1], CAP, axes=["y"]))
    assert np.allclose(result[..., [0, 2]], seen.curves[..., [0, 2]], atol=1e-9)
    assert np.abs(result[..., 1] - seen.curves[..., 1]).max() > 0.01


def test_the_main_axis_is_where_the_joint_moves_most():
    clip = making.walker()
    arm = clip.skeleton.index("LeftArm")
    seen = pose_curves(clip, [arm])
    direction = main_axes(seen.curves)[0]
    assert np.allclose(np.abs(direction), [1.0, 0.0, 0.0], atol=1e-6)
    result = seen.express(shape_joints(clip, [arm], CAP, axes=["main"]))
    assert np.ptp(result[:, 0, 0]) < 0.51 * np.ptp(seen.curves[:, 0, 0])


def test_degrees_count_from_the_rest_pose():
    clip = making.walker()
    knee = clip.skeleton.index("LeftLeg")
    capped = shape_joints(clip, [knee], ShapingCurve.cap(-180, 40), normalise="degrees")
    flexed = np.degrees(rot.angle(clip.rotations[:, knee]))
    assert flexed.max() > 50
    assert np.allclose(np.degrees(rot.angle(capped.rotations[:, knee])), np.minimum(flexed, 40), atol=1e-6)


def test_euler_angles_with_their_signs():
    clip = making.walker()
    knee = clip.skeleton.index("LeftLeg")
    count = len(clip.skeleton)
    signs = [(1.0, -1.0, 1.0)] * count
    result = shape_joints(
        clip,
        [knee],
        ShapingCurve.cap(-40, 180),
        axes=["x"],
        normalise="degrees",
        kind="euler",
        orders=["ZXY"] * count,
        signs=signs,
    )
    angles = np.degrees(rot.to_euler(result.rotations[:, knee], "ZXY"))[:, 1]
    assert angles.max() < 40 + 1e-6


def test_the_root_may_go_through_it_too():
    clip = making.walker(301)
    height = shape_joints(clip, range(len(clip.skeleton)), CAP, root="height")
    assert np.array_equal(height.root[:, [0, 2]], clip.root[:, [0, 2]])
    assert np.ptp(height.root[:, 1]) < 0.7 * np.ptp(clip.root[:, 1])
    assert np.array_equal(shape_joints(clip, [3], CAP, root="all").root, clip.root)
    below = shape_joints(making.still_root(), range(len(clip.skeleton) + 1), CAP, root="all")
    assert np.array_equal(below.root, making.still_root().root)


def test_amount_mixes():
    clip = making.pendulums()
    seen = pose_curves(clip, [1])
    half = seen.express(shape_joints(clip, [1], CAP, amount=0.5))
    full = seen.express(shape_joints(clip, [1], CAP))
    assert np.allclose(half, 0.5 * (seen.curves + full), atol=1e-9)


@pytest.mark.parametrize(
    "how",
    [{}, {"root": "all"}, {"axes": ["main"]}, {"normalise": "degrees"}, {"kind": "euler", "axes": ["y"]}],
)
def test_a_part_is_bent_as_in_the_whole(how):
    clip = making.walker(240)
    whole = shape_joints(clip, range(len(clip.skeleton)), CAP, amount=0.7, **how)
    desk = ShapePreview(clip, range(len(clip.skeleton)), span=(90, 130), **how)
    assert desk.exact
    part = desk.mix(CAP, 0.7)
    assert np.allclose(part.positions(), whole.positions()[90:130], atol=1e-12)
    assert rot.angle_between(part.rotations, whole.rotations[90:130]).max() < 1e-7
    assert not ShapePreview(clip, [1], axes=["x", "main"], span=(90, 130)).exact
