"""Stairs and slopes: footprints keep their heights, scaled, and feet that stand on them do not slide."""

from dataclasses import replace

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.kinematics.knees import find_leg, pose_leg
from kinetune.retarget.retargeting import retarget
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges
from tests.retarget.test_retargeting import sole_speeds

RISE = 0.12
SIDES = ("left", "right")
UP = np.array([0.0, 1.0, 0.0])


def up_stairs(tilt_deg=0.0):
    """The sample walk with each footfall one step higher than the one before, and the steps by side (frames,)."""
    walk = kt.sample("walk")[:240]
    falls = sorted((start, side) for side in SIDES for start, _ in walk.contacts.intervals(side))
    steps = {}
    for side in SIDES:
        spans = walk.contacts.intervals(side)
        known = [frame for start, stop in spans for frame in (start, stop - 1)]
        tops = np.repeat([RISE * falls.index((start, side)) for start, _ in spans], 2)
        steps[side] = np.interp(np.arange(len(walk)), known, tops)
    apart = np.abs(steps["left"] - steps["right"])
    lift = gaussian(np.minimum(*steps.values()) + 0.3 * apart, walk.fps, 0.15, ends="held") - 0.03
    risen = walk.replace(root=walk.root + lift[:, None] * UP)
    rotations = np.array(risen.rotations)
    for side in SIDES:
        leg = find_leg(risen, side, risen.skeleton.roles[f"{side} foot"])
        ankle = walk.positions()[:, leg.ankle] + steps[side][:, None] * UP
        across = walk.positions()[:, walk.skeleton.roles["left upper leg"]] - walk.positions()[:, 0]
        tilt = rot.from_axis_angle(across * [1.0, 0.0, 1.0], np.full(len(walk), np.deg2rad(tilt_deg)))
        foot = rot.multiply(tilt, walk.world_rotations()[:, leg.ankle])
        pose_leg(risen, leg, ankle - risen.positions()[:, leg.hip], foot, rotations)
    return risen.replace(rotations=rotations, contacts=walk.contacts), steps


def ankle_speeds(clip, contacts):
    """How fast ankles move while the whole foot stands, m/s."""
    speeds = []
    for side in SIDES:
        column = contacts.column(side)
        flat = contacts.flags[:, column] & contacts.heels[:, column] & contacts.toes[:, column]
        at = clip.positions()[:, clip.skeleton.roles[f"{side} foot"]]
        speeds.append((np.linalg.norm(np.diff(at, axis=0), axis=1) * clip.fps)[flat[1:] & flat[:-1]])
    return np.concatenate(speeds)


def on_the_floor(contacts):
    """Contacts of the lowest level only, as generated motion may carry them."""
    early = (np.arange(len(contacts.flags)) < 20)[:, None]
    parts = {part: getattr(contacts, part) & early for part in ("flags", "heels", "toes")}
    return replace(contacts, **parts, confidence=contacts.confidence * early)


@pytest.mark.parametrize("known", ["all", "none", "lowest level"])
def test_steps_keep_their_heights(known):
    stairs, steps = up_stairs()
    labels = {"all": stairs.contacts, "none": None, "lowest level": on_the_floor(stairs.contacts)}[known]
    result = retarget(stairs.replace(contacts=labels), kt.sample("walk-child"))
    misses = []
    for course in result.transfer.feet:
        spans = true_ranges(course.down)
        assert len(spans) >= 3
        misses += [
            np.median(course.heights[start:stop]) - result.transfer.scale * np.median(steps[course.side][start:stop])
            for start, stop in spans
            if stop - start > 12
        ]
    assert np.ptp(misses) < 0.004  # the lowest step is the floor of the result


def test_feet_on_stairs_move_no_faster_than_the_source():
    stairs, _ = up_stairs()
    result = retarget(stairs, kt.sample("walk-child"))
    assert ankle_speeds(result.clip, stairs.contacts).mean() <= ankle_speeds(stairs, stairs.contacts).mean()


def test_a_foot_that_lands_on_a_slope_stays_where_it_landed():
    slope, _ = up_stairs(tilt_deg=15.0)
    assert sole_speeds(retarget(slope, kt.sample("walk-child"))).max() < 0.01
