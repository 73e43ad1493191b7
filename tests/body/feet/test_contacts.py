import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Floor, find_floor, find_ground
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, UnknownNameError
from tests.body.walkers import (
    ANKLE,
    HIP_HEIGHT,
    RUN,
    SIDEWAYS,
    WALK,
    Gait,
    moved,
    pose_legs,
    scaled,
    skeleton,
    stand,
)


def planned(gait, clip):
    return np.stack([gait.stands(side, clip.times) for side in SIDEWAYS], axis=1)


def agree_within(a, b, frames):
    """Whether each flag of a is found in b at most so many frames away."""
    where = np.arange(len(a))
    near = [np.clip(where + d, 0, len(a) - 1) for d in range(-frames, frames + 1)]
    return bool(np.any([a == b[n] for n in near], axis=0).all())


@pytest.mark.parametrize("fps", [24, 30, 60, 120, 240])
@pytest.mark.parametrize("gait", [WALK, RUN, Gait(cycle=1.5, stance=0.7, stride=0.8)])
def test_feet_stand_when_they_were_planned_to(gait, fps):
    clip = gait.clip(fps=fps)
    contacts = find_contacts(clip)
    assert contacts.joints == ("LeftFoot", "RightFoot")
    assert contacts.sides == ("left", "right")
    assert agree_within(planned(gait, clip), contacts.flags, max(1, round(0.03 * fps)))


def test_a_walk_always_has_a_foot_on_the_floor_and_a_run_flies():
    assert find_contacts(WALK.clip()).flags.any(axis=1).all()
    flight = ~find_contacts(RUN.clip()).flags.any(axis=1)
    assert 0.25 < flight.mean() < 0.38


def test_feet_land_on_the_heel_and_leave_from_the_toes():
    contacts = find_contacts(WALK.clip())
    whole = [run for run in contacts.intervals("left") if run[0] > 0 and run[1] < len(contacts)]
    for start, stop in whole:
        assert contacts.heels[start + 2, 0]
        assert not contacts.toes[start + 2, 0]
        assert contacts.heels[(start + stop) // 2, 0]
        assert contacts.toes[(start + stop) // 2, 0]
        assert not contacts.heels[stop - 2, 0]
        assert contacts.toes[stop - 2, 0]
    assert np.array_equal(contacts.heels | contacts.toes, contacts.flags)


@pytest.mark.parametrize("figure", [skeleton(toes=False), skeleton(toes=False, sites=False), skeleton(sites=False)])
def test_feet_without_toes_or_tips(figure):
    # Without a toe joint nothing stays flat while the heel rises, so that a foot seems to leave earlier.
    gait = Gait(leave=-0.35)
    clip = gait.clip(fps=60, figure=figure)
    assert agree_within(planned(gait, clip), find_contacts(clip).flags, 6)


def test_somebody_who_stands_stands_all_the_time():
    contacts = find_contacts(stand())
    assert contacts.flags.all()
    assert contacts.confidence.min() > 0.99


def test_a_foot_held_up_does_not_stand():
    frames = 240
    lift = 0.25 * np.clip(np.minimum(np.arange(frames) - 60, 180 - np.arange(frames)) / 20, 0, 1)
    hips = np.tile([0.0, HIP_HEIGHT, 0.0], (frames, 1))
    still = dict.fromkeys(SIDEWAYS, np.zeros(frames))
    ankles = {side: np.tile([x, ANKLE, 0.0], (frames, 1)) for side, x in SIDEWAYS.items()}
    ankles["Right"][:, 1] += lift
    contacts = find_contacts(pose_legs(hips, ankles, still, still, 60.0))
    assert contacts.flags[:, 0].all()
    (first, last) = contacts.intervals("right")
    assert first[0] == 0
    assert abs(first[1] - 63) <= 6
    assert abs(last[0] - 177) <= 6
    assert last[1] == frames


def test_a_figure_pushed_along_does_not_stand():
    clip = stand(frames=120, fps=60)
    pushed = clip.replace(root=clip.root + np.arange(120)[:, None] / 60 * np.array([0.0, 0.0, 1.0]))
    assert not find_contacts(pushed).flags.any()


def test_walking_on_the_spot_has_the_contacts_of_walking():
    clip = WALK.clip()
    travel = clip.root - clip.root[0]
    spot = clip.replace(root=clip.root - travel * np.array([1.0, 0.0, 1.0]))
    ground = find_ground(spot)
    assert ground.drift[1] == pytest.approx(-WALK.stride / WALK.cycle, rel=0.02)
    assert agree_within(find_contacts(clip).flags, find_contacts(spot).flags, 1)
    assert find_ground(clip).drift == (0.0, 0.0)


def test_stairs_are_climbed():
    # The same walk, lifted by a stair of 15 cm with every step of either foot.
    frames, fps, rise, run, hold = 600, 60.0, 0.15, 0.25, 60
    time = np.arange(frames)
    stage = np.clip(time // hold, 0, 9)
    share = np.clip((time % hold) / 30.0, 0.0, 1.0)
    step = stage + share**2 * (3 - 2 * share)  # stands still in the second half of each second
    hips = np.stack([0 * step, HIP_HEIGHT - 0.1 + 0.5 * rise * step, 0.5 * run * step], axis=1)
    ankles, bumps = {}, {}
    for number, (side, x) in enumerate(SIDEWAYS.items()):
        moves = (stage % 2) == number
        done = (stage + 1 - number) // 2
        done = done + np.where(moves, step - stage, 0.0)
        bumps[side] = np.where(moves, 0.08 * np.sin(np.pi * (step - stage)), 0.0)
        ankles[side] = np.stack([x + 0 * done, ANKLE + rise * done + bumps[side], run * done - 0.1], axis=1)
    still = dict.fromkeys(SIDEWAYS, np.zeros(frames))
    contacts = find_contacts(pose_legs(hips, ankles, still, still, fps))
    for number in range(2):
        swings = bumps[list(SIDEWAYS)[number]] > 0.03
        rests = (time % hold) > 36
        assert not contacts.flags[swings, number].any()
        assert contacts.flags[rests, number].mean() > 0.95


def test_size_does_not_matter():
    clip = WALK.clip(fps=60)
    small, large = find_contacts(scaled(clip, 0.1)), find_contacts(scaled(clip, 2.0))
    expected = find_contacts(clip)
    for other in (small, large):
        assert np.array_equal(other.flags, expected.flags)
        assert np.array_equal(other.heels, expected.heels)
        assert np.allclose(other.confidence, expected.confidence)


@pytest.mark.parametrize("gait", [WALK, RUN])
def test_frame_rate_does_not_matter(gait):
    clip = gait.clip(fps=120)
    assert agree_within(find_contacts(clip)[::4].flags, find_contacts(clip[::4]).flags, 1)


@pytest.mark.slow
@given(st.floats(-3.1, 3.1), st.floats(-50, 50), st.floats(-50, 50))
@settings(max_examples=15, deadline=None)
def test_place_and_heading_do_not_matter(turn, x, z):
    clip = WALK.clip(seconds=2.2, fps=30)
    expected = find_contacts(clip)
    found = find_contacts(moved(clip, (x, 0.0, z), turn))
    assert np.array_equal(found.flags, expected.flags)
    assert np.allclose(found.confidence, expected.confidence, atol=1e-6)


@pytest.mark.slow
def test_the_sign_of_quaternions_does_not_matter():
    clip = WALK.clip(fps=30)
    signs = np.where(np.random.default_rng(0).random(clip.rotations.shape[:2]) < 0.5, -1.0, 1.0)
    assert find_contacts(clip.replace(rotations=clip.rotations * signs[..., None])) == find_contacts(clip)


def test_measuring_noise_does_not_make_contacts_flicker():
    clip = WALK.clip(fps=120)
    rng = np.random.default_rng(1)
    noise = rot.exp(rng.normal(0.0, np.deg2rad(0.15), (*clip.rotations.shape[:2], 3)))
    noisy = clip.replace(
        root=clip.root + rng.normal(0, 0.0005, clip.root.shape), rotations=rot.multiply(clip.rotations, noise)
    )
    expected, found = find_contacts(clip), find_contacts(noisy)
    for side in ("left", "right"):
        assert len(found.intervals(side)) == len(expected.intervals(side))
    assert agree_within(expected.flags, found.flags, 3)


@pytest.mark.parametrize("height", [0.12, 0.3, -0.08])
def test_a_clip_that_floats_or_sinks_has_the_same_contacts(height):
    clip = WALK.clip(fps=60)
    shifted = moved(clip, (0.0, height, 0.0))
    assert find_floor(shifted).height == pytest.approx(height, abs=0.02)
    assert ("float" if height > 0 else "sink") in find_floor(shifted).description
    assert np.array_equal(find_contacts(shifted).flags, find_contacts(clip).flags)


@pytest.mark.parametrize("height", [0.0, 0.01, -0.02])
def test_the_floor_is_at_zero_when_the_thickness_of_soles_allows_it(height):
    floor = find_floor(moved(WALK.clip(fps=60), (0.0, height, 0.0)))
    assert floor.height == 0.0
    assert floor.description == "The feet stand on Y = 0."


def test_the_soles_are_on_the_floor_and_the_ankles_are_not():
    clip = stand()
    ground = find_ground(clip)
    for foot in ground.feet:
        heights = ground.floor.above(foot.positions(clip))
        assert np.abs(heights).max() < 0.002
        assert [point.name for point in foot.points] == ["heel", "ball", "toe"]
        heel, ball, toe = foot.positions(clip)[0, :, 2]
        assert heel < -0.03 < 0.1 < ball < toe


def test_a_floor_that_leans_is_found():
    clip = WALK.clip(seconds=6.6)
    lean = np.deg2rad(1.0)
    tilted = clip.replace(root=clip.root + np.tan(lean) * clip.root[:, 2:] * np.array([0.0, 1.0, 0.0]))
    floor = find_floor(tilted)
    assert floor.lean_deg == pytest.approx(1.0, abs=0.15)
    assert "leaning" in floor.description
    points = np.array([[3.0, 1.0, 0.0], [3.0, 1.0, 2.0]])
    assert np.diff(floor.under(points))[0] == pytest.approx(2 * np.tan(lean), rel=0.15)
    assert np.allclose(floor.above(points) + floor.under(points), 1.0)
    assert agree_within(find_contacts(clip).flags, find_contacts(tilted).flags, 2)


def with_t_pose(clip):
    pose = rot.identity(1, len(clip.skeleton))
    for joint, name in enumerate(clip.skeleton.names):
        if name != "Hips":
            pose[0, joint] = rot.from_axis_angle((0.0, 0.0, 1.0), np.pi / 2)
    return clip.replace(
        root=np.concatenate([[[0.0, 0.2, 5.0]], clip.root]), rotations=np.concatenate([pose, clip.rotations])
    )


def test_a_t_pose_before_the_motion_confuses_neither_floor_nor_contacts():
    clip = WALK.clip()
    expected, found = find_contacts(clip), find_contacts(with_t_pose(clip))
    assert not found.flags[0].any()
    assert not found.confidence[0].any()
    assert found[1:] == expected
    assert find_floor(with_t_pose(clip)) == find_floor(clip)


def test_a_given_floor_decides():
    clip = stand()
    assert find_contacts(clip, floor=0.0).flags.all()
    assert not find_contacts(clip, floor=-0.2).flags.any()
    assert not find_contacts(clip, ground=find_ground(clip), floor=Floor(-0.2)).flags.any()


def test_figures_without_feet_have_empty_contacts():
    chain = Skeleton(("a", "b"), [-1, 0], np.array([[0.0, 0.0, 0.0], [0.0, 0.2, 0.0]]))
    clip = Clip(chain, 30.0, np.zeros((7, 3)), rot.identity(7, 2))
    contacts = find_contacts(clip)
    assert contacts.joints == ()
    assert contacts.flags.shape == contacts.confidence.shape == (7, 0)
    assert len(contacts[2:5]) == 3
    assert contacts.supports == [(0, 7, ())]
    assert find_floor(clip) is None


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("fps", [24, 120])
def test_a_few_frames_are_enough(frames, fps):
    assert find_contacts(stand(frames=frames, fps=fps)).flags.all()


def test_limits_must_be_positive():
    with pytest.raises(ParameterError, match="speed_limit"):
        find_contacts(stand(frames=2), speed_limit=0.0)
    with pytest.raises(ParameterError, match="height_limit"):
        find_contacts(stand(frames=2), height_limit=-1.0)


def test_higher_limits_find_more():
    clip = WALK.clip(fps=120)
    strict = find_contacts(clip, speed_limit=0.1, height_limit=0.03)
    loose = find_contacts(clip, speed_limit=2.0, height_limit=0.1)
    assert strict.flags.sum() < find_contacts(clip).flags.sum() < loose.flags.sum()


# The value


def flags_of(text):
    return np.array([[c == "1"] for c in text])


def test_intervals_are_half_open():
    contacts = Contacts(("LeftFoot",), flags_of("1100111011"))
    assert contacts.intervals("left") == [(0, 2), (4, 7), (8, 10)]
    assert contacts.intervals("LeftFoot") == contacts.intervals(0) == contacts.intervals(-1)
    assert len(contacts) == 10
    assert repr(contacts) == "Contacts(10 frames, LeftFoot 3 times)"


@pytest.mark.parametrize(
    ("joint", "side"),
    [("LeftFoot", "left"), ("lfoot", "left"), ("mixamorig:RightFoot", "right"), ("foot.R", "right"), ("b_12", "")],
)
def test_sides_are_read_from_names(joint, side):
    assert Contacts((joint,), flags_of("01")).sides == (side,)


def test_unknown_feet_are_named():
    contacts = Contacts(("LeftFoot",), flags_of("01"))
    with pytest.raises(UnknownNameError, match="LeftFoot"):
        contacts.intervals("LeftFeet")
    with pytest.raises(ParameterError, match="no foot 3"):
        contacts.intervals(3)


def test_phases_run_from_landing_to_landing():
    contacts = Contacts(("LeftFoot",), flags_of("1000110001100"))
    assert np.allclose(contacts.phases[:, 0] * 5 % 5, np.arange(1, 14) % 5)
    assert np.isnan(Contacts(("LeftFoot",), flags_of("1110001")).phases).all()


def test_phases_of_a_walk_are_half_a_cycle_apart():
    phases = find_contacts(WALK.clip()).phases
    assert np.abs((phases[:, 0] - phases[:, 1]) % 1.0 - 0.5).max() < 0.03


def test_supports_cut_the_clip_where_feet_land_or_leave():
    flags = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0]], dtype=bool)
    contacts = Contacts(("L", "R"), flags, sides=("left", "right"))
    assert contacts.supports == [(0, 1, ("L",)), (1, 2, ("L", "R")), (2, 4, ("R",)), (4, 5, ())]


def test_slices_follow_the_clip():
    clip = WALK.clip(fps=60)
    contacts = find_contacts(clip)
    carried = clip.replace(contacts=contacts)[10:200:2].contacts
    assert np.array_equal(carried.flags, contacts.flags[10:200:2])
    assert np.array_equal(carried.heels, contacts.heels[10:200:2])
    with pytest.raises(ParameterError, match="range of frames"):
        contacts[3]


def test_resampling_at_the_same_frames_changes_nothing():
    contacts = find_contacts(WALK.clip(fps=60))
    assert contacts.resample(np.arange(len(contacts))) == contacts


def test_resampling_to_twice_the_rate_doubles_intervals():
    contacts = Contacts(("LeftFoot",), flags_of("0011100"), np.array([[0, 0.2, 0.8, 1, 0.9, 0.1, 0]]).T)
    twice = contacts.resample(np.arange(0, 6.5, 0.5))
    assert twice.intervals(0) == [(3, 9)]
    assert twice.confidence[3, 0] == pytest.approx(0.5)
    assert contacts.resample([-5.0, 100.0]).flags.tolist() == [[False], [False]]
    with pytest.raises(ParameterError, match="finite"):
        contacts.resample([np.nan])


def test_json_round_trip():
    contacts = find_contacts(WALK.clip(fps=30))
    back = Contacts.from_dict(json.loads(json.dumps(contacts.as_dict())))
    assert (back.joints, back.sides) == (contacts.joints, contacts.sides)
    assert np.array_equal(back.flags, contacts.flags)
    assert np.array_equal(back.heels, contacts.heels)
    assert np.array_equal(back.toes, contacts.toes)
    assert np.abs(back.confidence - contacts.confidence).max() <= 0.0005
    assert Contacts.from_dict(Contacts.none(4).as_dict()) == Contacts.none(4)


def test_pickle_round_trip():
    contacts = find_contacts(WALK.clip(fps=30))
    assert pickle.loads(pickle.dumps(contacts)) == contacts


def test_contacts_never_change():
    contacts = find_contacts(stand(frames=3))
    with pytest.raises(ValueError):
        contacts.flags[0, 0] = False


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"flags": np.zeros((3, 2), dtype=bool)}, "flags"),
        ({"confidence": np.zeros((2, 1))}, "confidence"),
        ({"confidence": np.full((3, 1), 1.5)}, "between 0 and 1"),
        ({"heels": np.zeros((3, 2), dtype=bool)}, "heels"),
        ({"sides": ("left", "right")}, "sides"),
    ],
)
def test_shapes_are_checked(changes, words):
    values = {"joints": ("LeftFoot",), "flags": flags_of("010")} | changes
    with pytest.raises(ParameterError, match=words):
        Contacts(**values)
