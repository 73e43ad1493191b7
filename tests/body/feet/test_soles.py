"""Skeletons that mark their soles, and clips that carry contacts, leave less to guess about the floor."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.soles import find_foot_joints, leg_length, marked_foot
from kinetune.body.quality.measures import measure
from kinetune.body.skeleton import EndSite, Skeleton
from tests.body.walkers import ANKLE, BALL_HEIGHT, HEEL_BEHIND, SIDEWAYS, TOES, WALK, pose_legs, skeleton, stand


def marked(heel=(0.0, -ANKLE, -HEEL_BEHIND), tip=(0.0, -BALL_HEIGHT, TOES), as_joint=False):
    """The walkers' legs with heels, and tips of the toes on the floor."""
    plain = skeleton(sites=False)
    names, parents, offsets = list(plain.names), list(plain.parents), list(plain.offsets)
    sites = list(plain.end_sites)
    for side in SIDEWAYS:
        sites.append(EndSite(names.index(f"{side}ToeBase"), tip, f"{side}ToeTip"))
        if as_joint:
            parents.append(names.index(f"{side}Foot"))
            names.append(f"{side}Back")
            offsets.append(heel)
        else:
            sites.append(EndSite(names.index(f"{side}Foot"), heel, None))
    return Skeleton(tuple(names), parents, np.array(offsets, dtype=float), tuple(sites))


def soles_of(figure):
    clip = stand(figure=figure)
    return [marked_foot(clip, foot, leg_length(clip)) for foot in find_foot_joints(clip)]


@pytest.mark.parametrize("as_joint", [False, True])
def test_marked_soles_are_taken_as_they_are(as_joint):
    figure = marked(as_joint=as_joint)
    left, right = soles_of(figure)
    assert [p.name for p in left.points] == ["heel", "ball", "toe"]
    assert left.points[0].offset == pytest.approx((0.0, -ANKLE, -HEEL_BEHIND))
    assert right.points[2].offset == pytest.approx((0.0, -BALL_HEIGHT, TOES))
    clip = stand(figure=figure)
    assert find_ground(clip).feet == (left, right)
    assert np.abs(left.positions(clip)[..., 1]).max() < 1e-9


def test_marked_soles_turn_with_a_skeleton_whose_rest_pose_is_turned():
    """Bones of captures have axes of their own: what is below and behind counts, not -Y and -Z."""
    plain = marked()
    quarter = rot.from_axis_angle((0.0, 0.0, 1.0), np.deg2rad(90))
    joints = len(plain)
    rest = rot.identity(joints)
    rest[0] = quarter
    offsets = rot.rotate(rot.inverse(quarter), plain.offsets)
    offsets[0] = plain.offsets[0]
    sites = tuple(
        EndSite(s.parent, tuple(rot.rotate(rot.inverse(quarter), np.array(s.offset)).tolist()), s.name)
        for s in plain.end_sites
    )
    turned = Skeleton(plain.names, plain.parents, offsets, sites, rest=rest)
    clip = Clip(turned, 60.0, np.tile([0.0, 0.93, 0.0], (30, 1)), np.tile(rest, (30, 1, 1)))
    feet = [marked_foot(clip, foot, leg_length(clip)) for foot in find_foot_joints(clip)]
    assert all(feet)
    assert np.abs(feet[0].positions(clip)[..., 1]).max() < 1e-9


@pytest.mark.parametrize(
    ("heel", "tip"),
    [
        ((0.0, -ANKLE, 0.03), (0.0, -BALL_HEIGHT, TOES)),  # ahead of the ankle
        ((0.0, 0.0, -HEEL_BEHIND), (0.0, -BALL_HEIGHT, TOES)),  # at the height of the ankle
        ((0.0, -ANKLE, -HEEL_BEHIND), (0.0, 0.0, TOES)),  # not level with the tip of the toes
        ((0.0, -0.4, -HEEL_BEHIND), (0.0, -0.35, TOES)),  # deeper than any heel
    ],
)
def test_points_that_are_no_soles_leave_it_to_the_guess(heel, tip):
    assert soles_of(marked(heel, tip)) == [None, None]


def test_a_skeleton_without_heels_leaves_it_to_the_guess():
    assert soles_of(skeleton()) == [None, None]


def test_a_figure_of_any_size_has_its_marks():
    figure = marked().scaled(0.01)
    clip = stand(figure=marked())
    small = Clip(figure, clip.fps, 0.01 * clip.root, clip.rotations)
    assert all(marked_foot(small, foot, leg_length(small)) for foot in find_foot_joints(small))


@pytest.mark.parametrize("height", [-0.03, 0.0, 0.02])
def test_marked_soles_find_the_floor_to_the_millimetre(height):
    """A guessed sole takes up to four centimetres for its own thickness; a marked one floats or sinks."""
    clip = stand(figure=marked())
    moved = clip.replace(root=clip.root + np.array([0.0, height, 0.0]))
    result = measure(moved)
    assert result["floor_mm"] == pytest.approx(1e3 * height, abs=0.5)
    assert result["penetration_mm"] < 0.5
    assert measure(moved, floor=0.0)["penetration_mm"] == pytest.approx(max(0.0, -1e3 * height), abs=0.5)


@pytest.mark.parametrize("degrees", [0.0, 1.5])
def test_a_lean_is_read_from_marked_soles(degrees):
    clip = WALK.clip(fps=60, figure=marked())
    lean = rot.from_axis_angle((1.0, 0.0, 0.0), np.deg2rad(-degrees))
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(lean, rotations[:, 0])
    ground = find_ground(clip.replace(root=rot.rotate(lean, clip.root), rotations=rotations))
    assert ground.floor.lean_deg == pytest.approx(degrees, abs=0.1)


@pytest.mark.parametrize("end", [(0.05, 0.03, -0.08), (0.09, 0.0, 0.0), (0.0, -0.1, -0.05)])
def test_the_tail_of_a_bone_that_points_anywhere_is_no_tip_of_the_toes(end):
    """Exporters put an end at the tail of the last bone; the other foot's may point ahead by chance."""
    plain = skeleton(sites=False)
    ends = [EndSite(plain.index("LeftToeBase"), end), EndSite(plain.index("RightToeBase"), (0.0, -0.01, TOES))]
    figure = Skeleton(plain.names, plain.parents, plain.offsets, tuple(ends))
    assert [foot.tip for foot in find_foot_joints(stand(figure=figure))] == [None, None]
    assert find_ground(stand(figure=figure)).feet == find_ground(stand(figure=plain)).feet


def _tapping(frames=240, fps=60.0):
    """A figure whose feet stand on their toes most of the time and are flat only now and then, as planned."""
    phase = np.arange(frames) / fps * 2 * np.pi
    pitch = -0.30 * np.clip(np.sin(phase) + 0.8, 0.0, 1.0)
    ankles = {}
    for side, x in SIDEWAYS.items():
        ball = np.array([0.0, BALL_HEIGHT, 0.13])
        arm = rot.rotate(rot.from_axis_angle((1.0, 0.0, 0.0), -pitch), np.array([0.0, ANKLE - BALL_HEIGHT, -0.13]))
        ankles[side] = arm + ball + [x, 0.0, 0.0]
    hips = np.tile([0.0, 0.80, 0.0], (frames, 1))
    bends = dict.fromkeys(SIDEWAYS, -pitch)
    clip = pose_legs(hips, ankles, dict.fromkeys(SIDEWAYS, pitch), bends, fps, skeleton())
    flat = np.stack([pitch > -0.01] * 2, axis=1)
    standing = np.ones((frames, 2), dtype=bool)
    return clip, Contacts(("LeftFoot", "RightFoot"), standing, heels=flat, toes=standing)


def test_known_contacts_say_when_a_foot_is_flat():
    """Feet that tiptoe have high ankles; the guess without contacts takes that for a thicker sole."""
    clip, contacts = _tapping()
    told, guessed = find_ground(clip.replace(contacts=contacts)), find_ground(clip)

    def thickness(ground):
        return -ground.feet[0].points[0].offset[1]

    assert thickness(told) == pytest.approx(ANKLE, abs=0.002)
    assert abs(thickness(guessed) - ANKLE) > abs(thickness(told) - ANKLE)


def test_contacts_of_joints_that_are_no_feet_change_nothing():
    clip = stand()
    other = Contacts(("Head",), np.ones((len(clip), 1), dtype=bool))
    assert find_ground(clip.replace(contacts=other)) == find_ground(clip)


def posed_feet(pitches, figure=None):
    """Standing still, each foot turned by its pitch, toes up."""
    frames = 60
    hips = np.tile([0.0, 0.8, 0.0], (frames, 1))
    ankles = {side: np.tile([x, ANKLE, 0.0], (frames, 1)) for side, x in SIDEWAYS.items()}
    turned = {side: np.full(frames, np.deg2rad(pitches[side])) for side in SIDEWAYS}
    return pose_legs(hips, ankles, turned, dict.fromkeys(SIDEWAYS, np.zeros(frames)), 60.0, figure)


def heels(clip):
    return [np.array(foot.points[0].offset) for foot in find_ground(clip).feet]


def test_each_foot_that_lies_flat_shows_its_sole_even_where_the_bones_are_mirror_images():
    left, right = heels(posed_feet({"Left": 6.0, "Right": -4.0}))
    assert abs(left[1] - right[1]) > 0.003


def test_feet_that_never_lie_flat_still_stand_on_the_floor():
    clip = posed_feet({"Left": -35.0, "Right": -40.0})
    assert measure(clip)["penetration_mm"] < 1.0


def test_a_foot_on_its_heel_says_nothing_about_its_sole():
    left, right = heels(posed_feet({"Left": 45.0, "Right": 0.0}))
    assert left == pytest.approx(right, abs=1e-12)
    assert left[1] < -0.05
    assert left[2] < -0.04


def test_soles_of_a_body_with_different_feet_differ():
    uneven = skeleton(sites=False)
    offsets = np.array(uneven.offsets)
    offsets[uneven.names.index("LeftToeBase"), 1] += 0.03
    left, right = heels(posed_feet({"Left": 10.0, "Right": 0.0}, Skeleton(uneven.names, uneven.parents, offsets)))
    assert np.linalg.norm(left - right) > 0.01
