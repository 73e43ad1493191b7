"""Contacts and measures of real captures, against a second way to find when feet land and leave.

Zeni, Richards and Higginson, "Two simple methods for determining gait events during treadmill and overground walking
using kinematic data", Gait & Posture 27 (2008): a foot lands when it is farthest ahead of the hips and leaves when its
toes are farthest behind.
"""

import itertools

import numpy as np
import pytest

from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_floor, find_ground
from kinetune.body.quality.measures import measure
from kinetune.formats import read

# Recordings of level walking with the heel first.
WALKS = [
    *("cmu/104_02.bvh", "cmu/07_01.bvh", "cmu/08_01.bvh", "cmu/16_17.bvh", "cmu/16_19.bvh", "cmu/69_20.bvh"),
    *("cmu/82_10.bvh", "cmu/82_11.bvh", "cmu/82_12.bvh", "cmu/82_13.bvh", "cmu_asfamc/02_01.amc"),
    *("accad/Male1_B3_Walk.bvh", "accad/Male1_B6_WalkBackwards.bvh", "accad/Male1_B20_WalkWithBox.bvh"),
]


def zeni_events(clip, side):
    from scipy.signal import find_peaks  # here: it takes a second to import, which every collection would wait for

    positions, roles = clip.positions(), clip.skeleton.roles
    hips = 0.5 * (positions[:, roles["left upper leg"]] + positions[:, roles["right upper leg"]])
    reach = round(0.5 * clip.fps)
    padded = np.concatenate([np.repeat(hips[:1], reach, 0), hips, np.repeat(hips[-1:], reach, 0)])
    course = (padded[2 * reach :] - padded[: -2 * reach]) * np.array([1.0, 0.0, 1.0])
    course /= np.linalg.norm(course, axis=1, keepdims=True) + 1e-9
    heel = np.sum((positions[:, roles[f"{side} foot"]] - hips) * course, axis=1)
    toe = np.sum((positions[:, roles[f"{side} toes"]] - hips) * course, axis=1)
    settings = {"prominence": 0.25, "distance": 0.4 * clip.fps}
    return find_peaks(heel, **settings)[0], find_peaks(-toe, **settings)[0]


def motion(path):
    clip = read(path)
    return clip[1:] if "cmu/" in path.as_posix() else clip


@pytest.mark.parametrize("name", WALKS)
def test_steps_agree_with_zeni(shared_data, name):
    clip = motion(shared_data / name)
    contacts = find_contacts(clip)
    landings, leavings = [], []
    for side in ("left", "right"):
        runs = contacts.intervals(side)
        land, leave = zeni_events(clip, side)
        starts, stops = np.array([a for a, _ in runs if a > 0]), np.array([b - 1 for _, b in runs if b < len(clip)])
        landings += [starts[np.argmin(np.abs(starts - event))] - event for event in land]
        leavings += [stops[np.argmin(np.abs(stops - event))] - event for event in leave]
    assert len(landings) >= 3
    for late in (np.array(landings) / clip.fps, np.array(leavings) / clip.fps):
        assert np.abs(np.median(late)) < 0.055
        assert np.abs(late).max() < 0.12


@pytest.mark.parametrize("name", WALKS)
def test_walking_feet_stand_for_three_fifths_of_a_cycle_and_alternate(shared_data, name):
    clip = motion(shared_data / name)
    contacts = find_contacts(clip)
    shares, order = [], []
    for side in ("left", "right"):
        runs = [run for run in contacts.intervals(side) if run[0] > 0]
        order += [(start, side) for start, _ in runs]
        shares += [(b - a) / (after - a) for (a, b), (after, _) in itertools.pairwise(runs)]
    sides = [side for _, side in sorted(order)]
    assert all(a != b for a, b in itertools.pairwise(sides))
    # Slow walking, as in 104_02 and 82_11, stands for longer (gait literature: 60 % at 1.3 m/s, 70 % at 0.6 m/s).
    assert 0.55 < np.median(shares) < 0.74
    assert np.mean(contacts.flags.any(axis=1)) > 0.97


def test_running_feet_stand_for_a_third_of_a_cycle(shared_data):
    clip = read(shared_data / "cmu_asfamc/02_03.amc")
    contacts = find_contacts(clip)
    runs = contacts.intervals("left")
    cycle = runs[1][0] - runs[0][0]
    for side in ("left", "right"):
        start, stop = contacts.intervals(side)[-1 if side == "right" else 0]
        assert 0.28 < (stop - start) / cycle < 0.4
    assert measure(clip)["flight_s"] > 0.25


def test_contacts_do_not_depend_on_the_frame_rate(shared_data):
    # 138_05 and 141_14 have ankles that flip, 79_* feet lost by the cameras.
    for path in sorted((shared_data / "cmu").glob("*.bvh")):
        if path.name.startswith(("79_", "138_05", "141_")):
            continue
        clip = motion(path)
        fine, coarse = find_contacts(clip)[::4].flags, find_contacts(clip[::4]).flags
        shifted = [np.roll(fine, d, axis=0) for d in (-1, 0, 1)]
        assert np.mean(np.any([coarse == f for f in shifted], axis=0)) > 0.97, path.name


def test_slides_and_jerk_hardly_depend_on_the_frame_rate(shared_data):
    slides, jerks = [], []
    for name in WALKS[:10]:
        clip = motion(shared_data / name)
        fine, coarse = measure(clip), measure(clip[::4])
        slides.append(coarse["foot_slide_mm"] / fine["foot_slide_mm"])
        jerks.append(coarse["jerk"] / fine["jerk"])
    assert 0.85 < np.median(slides) < 1.1
    assert np.abs(np.array(jerks) - 1.0).max() < 0.1


def test_a_platform_is_stood_on(shared_data):
    contacts = find_contacts(motion(shared_data / "cmu/83_15.bvh"))
    assert contacts.flags.any(axis=1).all()
    assert [len(contacts.intervals(side)) for side in ("left", "right")] == [2, 2]


def test_leaning_and_floating_captures_are_noticed(shared_data):
    assert find_floor(read(shared_data / "cmu/07_01.bvh")).lean_deg > 0.5
    assert find_floor(read(shared_data / "cmu/83_01.bvh")).height > 0.08
    assert find_floor(read(shared_data / "accad/Male1_A1_Stand.bvh")).height == 0.0


def test_the_t_pose_of_cmu_is_left_out(shared_data):
    for name in ("cmu/104_02.bvh", "cmu/82_10.bvh"):
        clip = read(shared_data / name)
        assert measure(clip)["stray_first_frames"] == 1
        assert not find_contacts(clip).flags[0].any()
        assert find_contacts(clip)[1:] == find_contacts(clip[1:])


def test_walking_on_the_spot_has_the_contacts_of_walking(shared_data):
    for name in ("accad/Male1_B3_Walk.bvh", "cmu/08_01.bvh", "cmu_asfamc/02_03.amc"):
        clip = motion(shared_data / name)
        hips = clip.positions()[:, clip.skeleton.roles["hips"]]
        spot = clip.replace(root=clip.root - (hips - hips[0]) * np.array([1.0, 0.0, 1.0]))
        assert np.hypot(*find_ground(spot).drift) > 1.0
        assert np.mean(find_contacts(spot).flags == find_contacts(clip).flags) > 0.95
