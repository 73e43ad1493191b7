import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Floor, find_ground
from kinetune.body.quality.glitches import find_jumps, stray_frames
from kinetune.body.quality.measures import find_slides, mean_jerk, measure, measure_seam, path_extent
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.errors import ParameterError
from tests.body.walkers import LEG, RUN, WALK, moved, scaled, stand

RATES = (24, 30, 60, 120)


def push(clip, millimetres, start_s, end_s, direction=(1.0, 0.0, 0.0)):
    """The whole figure pushed along the floor, smoothly, between two times."""
    share = np.clip((clip.times - start_s) / (end_s - start_s), 0.0, 1.0)
    ease = share**2 * (3 - 2 * share)
    return clip.replace(root=clip.root + 1e-3 * millimetres * ease[:, None] * np.array(direction))


def chain(frames=60, fps=60.0, turns=None):
    """A figure without feet: two bones in the air."""
    figure = Skeleton(("a", "b"), [-1, 0], np.array([[0, 0, 0], [0, 0.3, 0]]), (EndSite(1, (0.0, 0.2, 0.0)),))
    rotations = rot.identity(frames, 2)
    if turns is not None:
        rotations[:, 1] = rot.from_axis_angle((1.0, 0.0, 0.0), turns)
    return Clip(figure, fps, np.zeros((frames, 3)), rotations)


# Foot slide


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("gait", [WALK, RUN])
def test_a_foot_that_rolls_does_not_slide(gait, fps):
    clip = gait.clip(fps=fps)
    result = measure(clip)
    assert result["foot_slide_worst_mm"] < 0.2
    # ... although its ankle travels while it stands.
    contacts = find_contacts(clip)
    ankle = clip.positions()[:, clip.joint("LeftFoot")]
    travel = [np.ptp(ankle[a:b, 2]) for a, b in contacts.intervals("left")]
    assert max(travel) > 0.05


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("millimetres", [5.0, 40.0])
def test_a_known_slide_is_measured(fps, millimetres):
    clip = push(stand(frames=3 * fps, fps=fps), millimetres, 1.0, 2.0, (0.6, 0.0, 0.8))
    result = measure(clip)
    assert result["contacts"] == {"left": 1, "right": 1}
    assert result["foot_slide_mm"] == pytest.approx(millimetres, rel=0.01)
    assert result["foot_slide_worst_mm"] == pytest.approx(millimetres, rel=0.01)
    assert result["foot_slide_mm_per_s"] == pytest.approx(millimetres / clip.duration, rel=0.02)


def test_the_worst_contact_is_named():
    clip = WALK.clip()
    contacts = find_contacts(clip)
    start, stop = contacts.intervals("right")[2]
    middle = [(start + 0.4 * (stop - start)) / clip.fps, (start + 0.6 * (stop - start)) / clip.fps]
    result = measure(push(clip, 15.0, *middle))
    assert result["foot_slide_worst_mm"] == pytest.approx(15.0, rel=0.05)
    worst = result["foot_slide_worst_at"]
    assert worst["foot"] == "right"
    assert abs(worst["start"] - start) <= 2
    assert abs(worst["stop"] - stop) <= 2


def test_a_slide_there_and_back_counts_once():
    clip = stand(frames=240, fps=60)
    there_and_back = push(push(clip, 30.0, 0.5, 1.5), -30.0, 2.0, 3.0)
    assert measure(there_and_back)["foot_slide_mm"] == pytest.approx(30.0, rel=0.01)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_foot_that_has_left_the_floor_does_not_slide(reverse):
    """Contacts that begin too early or end too late, as those found around a softened step."""
    clip = push(stand(frames=120, fps=60), 40.0, 1.0, 1.2)
    lifted = clip.root + np.clip(clip.times - 0.95, 0.0, 0.5)[:, None] * np.array([0.0, 0.3, 0.0])
    flags = np.zeros((120, 2), dtype=bool)
    flags[5:76] = True
    frames = slice(None, None, -1 if reverse else 1)
    touching = Contacts(("LeftFoot", "RightFoot"), flags[frames])
    in_the_air = clip.replace(root=lifted[frames])
    ground = find_ground(stand(frames=120, fps=60))
    assert measure(in_the_air, contacts=touching, ground=ground)["foot_slide_worst_mm"] < 5.0
    on_the_floor = clip.replace(root=clip.root[frames])
    assert measure(on_the_floor, contacts=touching, ground=ground)["foot_slide_mm"] > 35.0


def test_turning_on_the_spot_is_no_slide_for_the_foot_in_the_middle():
    clip = stand(frames=180, fps=60)
    ground = find_ground(clip)
    pivot = ground.feet[0].positions(clip)[0, 1]
    turn = rot.about_y(np.deg2rad(30) * np.clip(clip.times - 0.5, 0.0, 1.0))
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    turned = clip.replace(root=rot.rotate(turn, clip.root - pivot) + pivot, rotations=rotations)
    slides = {s.foot: s.metres for s in find_slides(turned, find_contacts(turned, ground=ground), ground)}
    assert slides["left"] < 1e-3
    assert slides["right"] > 0.05


def test_noise_adds_its_own_width_at_any_rate():
    for fps in RATES:
        clip = stand(frames=4 * fps, fps=fps)
        noise = np.random.default_rng(0).uniform(-0.001, 0.001, (len(clip), 1)) * np.array([1.0, 0.0, 0.0])
        assert measure(clip.replace(root=clip.root + noise))["foot_slide_mm"] == pytest.approx(2.0, rel=0.1)


def test_slides_grow_with_the_figure():
    clip = push(stand(frames=180, fps=60), 20.0, 1.0, 2.0)
    assert measure(scaled(clip, 2.0))["foot_slide_mm"] == pytest.approx(40.0, rel=0.01)


def test_known_contacts_are_used_unless_told_otherwise():
    clip = push(stand(frames=120, fps=60), 20.0, 0.2, 0.4)
    late = np.zeros((120, 2), dtype=bool)
    late[60:] = True
    carried = clip.replace(contacts=Contacts(("LeftFoot", "RightFoot"), late))
    known = measure(carried)
    assert known["contacts_from"] == "clip"
    assert known["stance"] == {"left": 0.5, "right": 0.5}
    assert known["foot_slide_mm"] < 1e-6
    found = measure(carried, contacts="find")
    assert found["contacts_from"] == "found"
    assert found["foot_slide_mm"] == pytest.approx(20.0, rel=0.01)
    given_ = measure(clip, contacts=carried.contacts)
    assert given_["contacts_from"] == "given"
    assert given_["foot_slide_mm"] < 1e-6


def test_contacts_of_another_length_are_refused():
    with pytest.raises(ParameterError, match="5 frames"):
        measure(stand(frames=8), contacts=Contacts.none(5))
    with pytest.raises(ParameterError, match="known"):
        measure(stand(frames=8), contacts="guess")


def test_contacts_of_a_joint_that_is_no_foot():
    clip = chain().replace(root=np.linspace(0, 0.03, 60)[:, None] * np.array([1.0, 0.0, 0.0]))
    touching = Contacts(("b",), np.ones((60, 1), dtype=bool))
    assert measure(clip, contacts=touching)["foot_slide_mm"] == pytest.approx(30.0, rel=0.01)


def test_extent_is_the_largest_distance():
    rng = np.random.default_rng(2)
    for _ in range(20):
        path = rng.normal(size=(30, 2)) * rng.uniform(0.1, 3, 2)
        farthest = np.linalg.norm(path[:, None] - path[None], axis=-1).max()
        assert 0.995 * farthest <= path_extent(path) <= farthest * (1 + 1e-12)


# Floor penetration


@pytest.mark.parametrize("height", [0.01, 0.05])
def test_a_raised_floor_is_penetrated(height):
    result = measure(stand(), floor=height)
    assert result["penetration_mm"] == pytest.approx(1e3 * height, abs=1.0)
    assert result["penetration_mean_mm"] == pytest.approx(1e3 * height, abs=1.0)
    assert result["floor_mm"] == 1e3 * height
    assert measure(stand(), floor=Floor(-height))["penetration_mm"] == 0.0


def test_an_edited_clip_is_judged_by_the_soles_of_the_original():
    clip = WALK.clip(fps=60)
    ground = find_ground(clip)
    before = measure(clip, ground=ground)["penetration_mm"]
    sunk = measure(moved(clip, (0.0, -0.02, 0.0)), ground=ground)
    assert sunk["penetration_mm"] == pytest.approx(before + 20.0, abs=0.01)


def test_penetration_does_not_depend_on_the_frame_rate():
    mean = [measure(WALK.clip(fps=fps), floor=0.03)["penetration_mean_mm"] for fps in RATES]
    assert np.ptp(mean) < 0.03 * max(mean)


def test_a_figure_without_feet_has_penetration_only_with_a_given_floor():
    clip = chain()
    assert measure(clip)["penetration_mm"] is None
    assert measure(clip, floor=0.1)["penetration_mm"] == pytest.approx(100.0)


# Jerk


def test_jerk_of_a_sine_wave():
    fps, hertz, size = 120, 1.5, 0.1
    clip = stand(frames=480, fps=fps)
    wave = size * np.sin(2 * np.pi * hertz * clip.times)
    shaken = clip.replace(root=clip.root + wave[:, None] * np.array([0.0, 0.0, 1.0]))
    # Third differences over h scale a sine wave by (2 sin(w h / 2) / h)^3; the mean of |cos| is 2 / pi.
    h, w = 1 / 30, 2 * np.pi * hertz
    assert mean_jerk(shaken) == pytest.approx(size * (2 * np.sin(w * h / 2) / h) ** 3 * 2 / np.pi, rel=0.02)


def test_noise_raises_jerk():
    clip = WALK.clip(fps=60)
    noise = np.random.default_rng(1).normal(0.0, 0.001, clip.root.shape)
    assert mean_jerk(clip.replace(root=clip.root + noise)) > mean_jerk(clip) + 50


def test_jerk_does_not_depend_on_the_frame_rate():
    jerks = [mean_jerk(WALK.clip(fps=fps)) for fps in (30, 60, 120)]
    assert np.ptp(jerks) < 0.1 * max(jerks)


def test_relative_jerk_does_not_depend_on_size():
    clip = WALK.clip(fps=60)
    small, large = measure(clip), measure(scaled(clip, 2.0))
    assert large["jerk"] == pytest.approx(2.0 * small["jerk"])
    assert large["jerk_relative"] == pytest.approx(small["jerk_relative"])
    assert small["jerk_relative"] == pytest.approx(small["jerk"] / LEG)


# Flips


@pytest.mark.parametrize("fps", RATES)
def test_a_flip_is_counted(fps):
    clip = WALK.clip(fps=fps)
    rotations = clip.rotations.copy()
    half = len(clip) // 2
    rotations[half:, 4] = rot.multiply(rotations[half:, 4], rot.from_axis_angle((0.0, 1.0, 0.0), np.pi))
    result = measure(clip.replace(rotations=rotations))
    assert result["flips"] == 1
    (flip,) = result["flips_at"]
    assert (flip["frame"], flip["joint"]) == (half - 1, "LeftLeg")
    assert flip["degrees"] > 150


def test_one_wrong_frame_counts_twice():
    clip = WALK.clip(fps=60)
    rotations = clip.rotations.copy()
    rotations[100, 4] = rot.from_axis_angle((0.0, 0.0, 1.0), 2.5)
    assert [jump.frame for jump in find_jumps(clip.replace(rotations=rotations))] == [99, 100]


def test_signs_and_fast_motion_are_no_flips():
    clip = WALK.clip(fps=60)
    rotations = clip.rotations.copy()
    rotations[50:] *= -1.0
    assert measure(clip.replace(rotations=rotations))["flips"] == 0
    # A strike at 1,400 degrees a second, and a hand-keyed clip that jumps with every frame.
    strike = np.deg2rad(1400) * np.clip(np.arange(60) / 60 - 0.4, 0.0, 0.1)
    assert measure(chain(turns=strike))["flips"] == 0
    assert measure(chain(fps=12, turns=np.arange(60) * 1.0))["flips"] == 0


def test_a_t_pose_first_is_told_apart_and_left_out():
    clip = WALK.clip(fps=60)
    pose = rot.multiply(clip.rotations[:1], rot.from_axis_angle((0.0, 0.0, 1.0), 1.2))
    posed = clip.replace(root=np.concatenate([clip.root[:1] + 3.0, clip.root]), rotations=np.r_[pose, clip.rotations])
    assert stray_frames(posed) == 1
    assert stray_frames(clip) == 0
    with_pose, without = measure(posed), measure(clip)
    assert with_pose["stray_first_frames"] == 1
    assert with_pose["flips"] == 0
    assert with_pose["frames"] == without["frames"] + 1
    for name in ("foot_slide_mm", "penetration_mm", "jerk", "seam", "contacts"):
        assert with_pose[name] == without[name]
    assert with_pose["foot_slide_worst_at"]["start"] == without["foot_slide_worst_at"]["start"] + 1


# Seam


def swinging(frames, fps, closed, hertz=1.0):
    """A pendulum on a figure that walks in a circle: one exact cycle, with or without its first frame repeated."""
    figure = chain().skeleton
    times = np.arange(frames + closed) / fps
    heading = 0.7 * times
    rotations = rot.identity(len(times), 2)
    rotations[:, 0] = rot.about_y(heading)
    rotations[:, 1] = rot.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.sin(2 * np.pi * hertz * times + 0.4))
    root = np.stack([-np.cos(heading), 1 + 0.05 * np.sin(2 * np.pi * hertz * times), np.sin(heading)], axis=1)
    return Clip(figure, fps, root, rotations)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("fps", [30, 60, 120])
def test_a_cycle_has_no_seam(fps, closed):
    result = measure_seam(swinging(fps, fps, closed))
    assert result["repeats_first_frame"] is closed
    assert result["pose_mm"] < 0.5
    assert result["velocity_mm_s"] < 25
    assert result["angle_deg"] < 1.0


def test_a_pose_gap_is_measured():
    clip = swinging(60, 60, True)
    rotations = clip.rotations.copy()
    late = np.clip(clip.times - 0.5, 0.0, 0.1) / 0.1
    rotations[:, 1] = rot.multiply(rotations[:, 1], rot.from_axis_angle((0.0, 0.0, 1.0), np.deg2rad(20) * late))
    result = measure_seam(clip.replace(rotations=rotations))
    assert result["angle_deg"] == pytest.approx(20.0, abs=0.5)
    assert result["angle_joint"] == "b"


def test_a_velocity_gap_is_measured():
    clip = stand(frames=61, fps=60)
    drop = -0.5 * 9.81 * clip.times**2  # falls, so that it ends at 9.81 m/s and begins at rest
    result = measure_seam(clip.replace(root=clip.root + drop[:, None] * np.array([0.0, 1.0, 0.0])))
    assert result["velocity_mm_s"] == pytest.approx(9810, rel=0.03)
    assert result["pose_mm"] > 4500


# The whole


def test_the_result_is_json_and_complete():
    result = measure(WALK.clip(fps=30))
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    expected = [
        *("frames", "fps", "duration_s", "stray_first_frames"),
        *("floor_mm", "floor_lean_deg", "floor", "floor_speed_mm_s"),
        *("contacts", "contacts_from", "stance", "flight_s"),
        *("foot_slide_mm", "foot_slide_mm_per_s", "foot_slide_worst_mm", "foot_slide_worst_at"),
        *("penetration_mm", "penetration_mean_mm", "jerk", "jerk_relative"),
        *("flips", "flips_at", "seam", "reasons"),
    ]
    assert list(result) == expected
    assert set(result["seam"]) == {"pose_mm", "velocity_mm_s", "angle_deg", "angle_joint", "repeats_first_frame"}
    assert result["reasons"] == {}
    assert result["frames"] == 132
    assert result["duration_s"] == pytest.approx(131 / 30)


def test_what_cannot_be_measured_is_none_with_a_reason():
    result = measure(chain())
    for name in ("floor_mm", "contacts", "foot_slide_mm", "penetration_mm"):
        assert result[name] is None
        assert "left foot" in result["reasons"][name]
    assert result["jerk"] == 0.0
    assert result["flips"] == 0
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 8])
def test_a_few_frames_are_measured(frames):
    result = measure(stand(frames=frames, fps=120))
    json.dumps(result, allow_nan=False)
    assert result["contacts"] == {"left": 1, "right": 1}
    assert (result["seam"] is None) == (frames < 2)
    assert (result["jerk"] is None) == (frames < 4)
    assert set(result["reasons"]) == {n for n in ("foot_slide_mm", "jerk", "seam") if result[n] is None}


@pytest.mark.slow
@given(st.floats(-3.1, 3.1), st.floats(-20, 20), st.floats(-20, 20))
@settings(max_examples=10, deadline=None)
def test_place_and_heading_do_not_matter(turn, x, z):
    clip = push(WALK.clip(seconds=2.2, fps=30), 20.0, 0.6, 0.9)
    before, after = measure(clip), measure(moved(clip, (x, 0.0, z), turn))
    for name in ("foot_slide_mm", "foot_slide_worst_mm", "penetration_mm", "jerk"):
        assert after[name] == pytest.approx(before[name], rel=0.01, abs=0.01)
    for name in ("pose_mm", "velocity_mm_s", "angle_deg"):
        assert after["seam"][name] == pytest.approx(before["seam"][name], rel=1e-6, abs=1e-6)
    assert after["contacts"] == before["contacts"]
