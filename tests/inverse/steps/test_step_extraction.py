import numpy as np
import pytest
from tools.samples import steps as plans

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.inverse.steps.step_extraction import GRID, PHASES, monotone_curve, prepare
from tests.operations import making


@pytest.fixture(scope="module")
def walk_set():
    return kt.walking.StepSet.from_clips([kt.sample("walk")])


def test_all_steps_of_a_walk_are_found():
    prepared = prepare(kt.sample("walk"))
    landings = sum(len([a for a, _ in prepared.contacts.intervals(side) if a > 0]) for side in ("left", "right"))
    assert landings - 1 <= len(prepared.cuts) <= landings
    ends = {cut.end for cut in prepared.cuts}
    assert sum(cut.start in ends for cut in prepared.cuts) >= len(prepared.cuts) - 2  # one begins where another ends


def test_single_steps_keep_their_ends_and_places():
    clip = kt.sample("step-03")
    (cut,) = prepare(clip).cuts
    assert (cut.side, cut.start, cut.end) == ("right", 0, len(clip) - 1)
    found = kt.walking.StepSet.from_clips([clip], mirrored=True)
    plan = plans.steps()[2]
    right = next(example for example in found.examples if example.side == "right")
    assert np.allclose(right.start, [plan.start[0], plan.start[1], np.radians(plan.start[2])], atol=1e-3)
    assert np.allclose(right.end, [plan.end[0], plan.end[1], np.radians(plan.end[2])], atol=1e-3)


def test_mirror_images_are_mirror_images():
    found = kt.walking.StepSet.from_clips([kt.sample("step-05")])
    left, right = found.examples
    assert (left.side, right.side) == ("left", "right")
    assert np.allclose(left.end * [-1, 1, -1], right.end, atol=1e-6)
    assert np.allclose(left.times, right.times)


def test_where_it_takes_place_does_not_matter():
    clip = kt.sample("step-01")
    moved = making.turned(clip, 2.2, about=(3.0, 0.0, 1.0))
    one, other = (kt.walking.StepSet.from_clips([c]).examples[1] for c in (clip, moved))
    assert np.allclose(one.start, other.start, atol=1e-9)
    assert np.allclose(one.end, other.end, atol=1e-9)
    assert np.allclose(one.carrier, other.carrier, atol=1e-9)


def test_the_standing_toes_are_flat_and_point_ahead(walk_set):
    for side in ("left", "right"):
        pool = walk_set.pool(side)
        assert np.allclose(pool.stands.heading(pool.carrier), 0.0, atol=1e-9)
        ahead = rot.rotate(pool.carrier[:, : GRID // 2], pool.stands.ahead)
        assert np.abs(ahead[..., 1]).max() < np.sin(np.radians(3.0))


def test_times_rise(walk_set):
    pool = walk_set.pool("left")
    assert np.all(np.diff(pool.times, axis=1) > 0)


def test_a_monotone_curve_never_goes_back():
    knots, values = np.array([0.0, 0.15, 0.8, 1.0]), np.array([0.0, 0.5, 30.0, 31.0])
    curve = monotone_curve(knots, values, PHASES)
    assert np.all(np.diff(curve) > 0)
    assert np.allclose(monotone_curve(knots, values, knots), values)


def test_standing_steps_are_told_apart():
    from tools.samples import standing_steps

    clips = [standing_steps.perform(standing_steps.starts()[0]), standing_steps.perform(standing_steps.stops()[0])]
    assert kt.walking.StepSet.from_clips(clips).counts == {"walking": 0, "starting": 2, "stopping": 2, "single": 0}


def test_what_cannot_step_is_refused():
    with pytest.raises(ParameterError, match="no joints in the roles"):
        kt.walking.StepSet.from_clips([making.pendulums()])
    with pytest.raises(ParameterError, match="No step was found"):
        kt.walking.StepSet.from_clips([kt.sample("wave")])
    with pytest.raises(ParameterError, match="No step was found in any of 2 clips"):
        kt.walking.StepSet.from_clips([kt.sample("wave"), kt.sample("knock")])
    with pytest.raises(ParameterError, match="at least one"):
        kt.walking.StepSet.from_clips([])
    with pytest.raises(SkeletonMismatchError, match="joints"):
        kt.walking.StepSet.from_clips([kt.sample("walk"), making.walker()])
    with pytest.raises(SkeletonMismatchError, match="mm"):
        kt.walking.StepSet.from_clips([kt.sample("walk"), kt.sample("walk-child")])


def test_a_table_of_the_steps(walk_set):
    rows = walk_set.as_table()
    assert len(rows) == len(walk_set)
    assert {row["side"] for row in rows} == {"left", "right"}
    assert all(0.3 < row["ahead_m"] < 1.0 for row in rows)


@pytest.mark.parametrize("name", ["cmu/69_20.bvh", "accad/Male1_B9_WalkToTurnLeft90.bvh"])
def test_captures_walk_on_their_own_steps(shared_data, name):
    """Through the same door: steps from a capture, footsteps of its own natural size, met exactly."""
    steps = kt.walking.StepSet.from_clips([kt.read(shared_data / name)])
    walk = kt.walk(kt.plan_footsteps("straight", count=8, steps=steps, close=False), steps)
    within = [row for row in walk.report.steps if row.reached]
    assert len(within) >= 6
    assert max(row.error_mm for row in within) < 0.01
    assert max(row.heading_error_deg for row in within) < 0.01
    assert max(row.drift_mm for row in within) < 0.001
    assert kt.measure(walk.clip)["foot_slide_mm"] < 3.0
