"""No joint of the target goes farther than a human's does, or the source's where that is farther."""

from dataclasses import replace

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.kinematics.joint_limits import JointLimit
from kinetune.retarget.joint_ranges import JointRanges, PartRange
from kinetune.retarget.retargeting import retarget

SIDEWAYS = {"left": 1.0, "right": -1.0}


def beyond_deg(source, result):
    """Joint to how far it leaves its range at most, in degrees."""
    ranges = JointRanges(source, result.transfer.source, result.transfer.target)
    world, found = result.clip.world_rotations(), {}
    for joint, name in enumerate(result.clip.skeleton.names):
        outside = ranges.beyond(joint, world)
        if outside is not None:
            part, turns = outside
            found[name] = float(np.rad2deg(np.abs(turns - part.cut(turns)).max()))
    return found


def turned(clip, part, turn):
    """The clip with both joints of a part turned, each by turn(sign), a rotation or rotations of their frames."""
    rotations = np.array(clip.rotations)
    for side, sign in SIDEWAYS.items():
        joint = clip.skeleton.roles[f"{side} {part}"]
        rotations[:, joint] = rot.multiply(rotations[:, joint], turn(sign))
    return clip.replace(rotations=rotations, contacts=clip.contacts)


@pytest.mark.parametrize(
    ("name", "hands"), [("kick-2", "body"), ("reach-11", "together"), ("reach-15", "together"), ("run", "world")]
)
def test_exaggerated_motion_stays_within_human_ranges(name, hands):
    clip = kt.Equalize(preset="exaggerate")(kt.sample(name))
    assert max(beyond_deg(clip, retarget(clip, kt.sample("walk-child"), hands=hands)).values(), default=0.0) < 0.3


def test_ankles_and_toes_of_feet_that_point_up_and_down_are_not_bent_farther():
    clip = turned(kt.sample("walk"), "foot", lambda sign: rot.exp([np.deg2rad(30.0) * sign, 0.0, 0.0]))
    assert max(beyond_deg(clip, retarget(clip, kt.sample("walk-child"))).values(), default=0.0) < 0.5


def test_a_knee_bent_backward_is_not_bent_farther_backward():
    walk = kt.sample("walk")
    rotations = np.array(walk.rotations)
    for side in SIDEWAYS:
        knee = walk.skeleton.roles[f"{side} lower leg"]
        rotations[:, knee] = rot.slerp(rot.identity(len(walk)), rot.inverse(rotations[:, knee]), 0.2)
    clip = walk.replace(rotations=rotations, contacts=walk.contacts)
    assert max(beyond_deg(clip, retarget(clip, kt.sample("walk-child"))).values(), default=0.0) < 0.3


def test_a_foot_on_end_that_is_called_flat_stands_on_its_ball():
    walk = kt.sample("walk")[:40]
    roles = walk.skeleton.roles
    rotations = np.repeat(walk.rotations[:1], len(walk), axis=0)
    turns = {"upper leg": -20.0, "lower leg": 100.0, "foot": 5.0}
    for part, angle in turns.items():
        rotations[:, roles[f"right {part}"]] = rot.exp([np.deg2rad(angle), 0.0, 0.0])
    everywhere = np.ones_like(walk.contacts.flags)
    kneeling = walk.replace(
        root=np.repeat(walk.root[:1], len(walk), axis=0),
        rotations=rotations,
        contacts=replace(walk.contacts, flags=everywhere, heels=everywhere, toes=everywhere),
    )
    result = retarget(kneeling, kt.sample("walk-child"))
    course = result.transfer.feet[1]
    assert not course.standing[:, 0].any()
    assert course.standing[:, 1].all()
    assert beyond_deg(kneeling, result).get("RightToeBase", 0.0) < 0.3


def test_toes_that_are_bent_where_they_lie_flat_extend_from_there(shared_data):
    walk = kt.read(shared_data / "cmu" / "07_01.bvh")[120:260]
    result = retarget(walk, kt.read(shared_data / "accad" / "Male1_A13_Skipping.bvh"))
    for course in result.transfer.feet:
        for point in course.points:
            turned = rot.rotate(result.clip.world_rotations()[:, point.joint], np.array(point.offset))
            assert (result.clip.positions()[:, point.joint] + turned)[:, 1].min() > -2e-3


def test_what_the_source_does_is_not_cut():
    clip = turned(kt.sample("run")[:60], "hand", lambda sign: rot.exp([0.0, 0.0, np.deg2rad(130.0) * sign]))
    result = retarget(clip, kt.sample("walk-child"), feet=False).clip
    for side in SIDEWAYS:
        turns = []
        for each in (clip, result):
            roles, world = each.skeleton.roles, each.world_rotations()
            above, hand = (world[:, roles[f"{side} {part}"]] for part in ("lower arm", "hand"))
            turns.append(rot.angle_between(above, hand))
        assert np.abs(turns[0] - turns[1]).max() < 1e-6


def test_a_range_is_left_without_a_corner():
    limit = JointLimit(1, ("flexion", "rotation", "abduction"), ((-1.0, 1.0), (-1.0, 1.0), (-0.5, 0.5)), 1)
    part = PartRange(1, 0, limit)
    swing = 1.6 * np.sin(np.linspace(0.0, 6.0, 200))[:, None] * [0.8, 0.0, 0.5]
    followed = part.followed(swing, 5.0)
    assert not part.holds(swing)
    assert np.all(limit.cone_share(followed) < 1.0 + 1e-3)
    assert np.abs(np.diff(followed, 2, axis=0)).max() < 0.5 * np.abs(np.diff(part.cut(swing), 2, axis=0)).max()


def test_a_range_that_includes_rotations_holds_them():
    random = np.random.default_rng(3)
    limit = JointLimit(1, ("flexion", "rotation", "abduction"), ((-0.3, 0.2), (-0.5, 0.5), (-0.2, 0.4)), 1)
    rotations = rot.exp(0.4 * random.normal(size=(50, 3)))
    part = PartRange(1, 0, limit)
    assert not part.holds(limit.read(rotations))
    assert part.including(rotations).holds(limit.read(rotations))
