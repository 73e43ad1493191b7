from dataclasses import replace

import numpy as np
import pytest

from kinetune.body.feet.leg_kernels import add_leg
from kinetune.body.feet.leg_solver import LegGoals, LegWeights, _Problem, bend_along, solve_legs
from kinetune.body.feet.standing_foot import firmness, lead_over
from kinetune.trajectory.gauss_newton import check_jacobian
from kinetune.trajectory.normal_equations import NormalEquations

FPS = 60.0
BONE = 0.45


def leg(frames=120, length=0.82, wanted=(0.0, 0.0, 0.0), down=True, sideways=0.0):
    """A leg straight below its hip, ``length`` from hip to ankle, whose foot stands and should move by ``wanted``."""
    hip = np.tile([sideways, length, 0.0], (frames, 1))
    ankle = np.tile([sideways, 0.0, 0.0], (frames, 1))
    bone = np.full(frames, BONE)
    bend = np.full(frames, np.arccos(length**2 / (2 * BONE**2) - 1.0))
    stands = np.full(frames, float(down))
    return LegGoals(
        hip, ankle, bone, bone, stands, ankle + wanted, bend, 0.0 * bend, np.deg2rad(2.0), np.full(frames, -1.0)
    )


@pytest.mark.slow
def test_nothing_moves_where_nothing_must():
    assert np.abs(solve_legs([leg(), leg(sideways=0.2)], FPS, 1.0)).max() < 1e-9


def test_a_foot_that_stands_is_where_it_should_be_and_the_pelvis_spares_the_knee():
    shifts = solve_legs([leg(wanted=(0.0, -0.02, 0.0))], FPS, 1.0)[30:90]
    assert np.allclose(shifts[:, 4], -0.02, atol=2e-4)
    assert np.all(shifts[:, 1] < -0.01)


def test_a_slide_becomes_a_stand_at_its_mean():
    slide = np.zeros((120, 3))
    slide[:, 2] = np.linspace(0.03, -0.03, 120)  # takes back a drift of 5 cm
    foot = solve_legs([leg(wanted=slide), leg(sideways=0.2)], FPS, 1.0)[:, 3:6]
    held = (foot - slide)[10:-10, 2]
    assert np.ptp(held) < 1e-3
    assert abs(held.mean()) < 2e-3


@pytest.mark.slow
def test_a_straight_leg_takes_the_pelvis_along_and_a_bent_one_does_not():
    lowered = np.zeros((120, 3))
    lowered[40:80, 1] = -0.01
    straight, bent = (
        np.abs(solve_legs([leg(length=long, wanted=lowered)], FPS, 1.0)[55:65, 1]) for long in (0.895, 0.7)
    )
    assert straight.min() > 0.0095
    assert bent.max() < 0.9 * straight.min()


def test_a_twitch_of_a_leg_that_stands_leaves_both_knees_calm():
    """The foot slips along an arc about its hip and hops; where the slide goes, the hop would bend the knee."""
    twitching, other = leg(length=0.89, sideways=0.3), leg(sideways=0.5)
    hip = twitching.hip - [0.3, 0.0, 0.0]  # a leg that is spread
    arm = twitching.ankle - hip
    twitching = replace(twitching, hip=hip, upper=np.full(120, 0.471), lower=np.full(120, 0.471))
    turn = np.zeros(120)
    turn[58:62] = [0.01, 0.03, 0.03, 0.01]
    ankle = hip + np.stack(
        [
            arm[:, 0] * np.cos(turn) - arm[:, 1] * np.sin(turn),
            arm[:, 1] * np.cos(turn) + arm[:, 0] * np.sin(turn),
            arm[:, 2],
        ],
        axis=1,
    )
    path = np.stack([twitching.ankle[:, 0], ankle[:, 1], ankle[:, 2]], axis=1)
    bend = np.full(120, np.arccos((np.sum(arm[0] ** 2) - 2 * 0.471**2) / (2 * 0.471**2)))
    legs = [replace(twitching, ankle=ankle, path=path, bend=bend), other]
    shifts = solve_legs(legs, 120.0, 1.0)
    for number, each in enumerate(legs):
        reach = np.linalg.norm(
            each.hip + shifts[:, :3] - each.ankle - shifts[:, 3 + 3 * number : 6 + 3 * number], axis=1
        )
        knee, _ = bend_along(reach, each.upper, each.lower, np.deg2rad(5.0))
        assert np.rad2deg(np.abs(np.diff(knee, 2)).max()) * 120.0**2 < 2500.0


def test_the_pelvis_keeps_within_its_bound_and_stays_for_zero():
    asked = leg(length=0.88, wanted=(0.0, -0.1, 0.0))
    assert np.linalg.norm(solve_legs([asked], FPS, 1.0, pelvis_m=0.03)[:, :3], axis=1).max() < 0.03 + 1e-12
    assert not solve_legs([asked], FPS, 1.0, pelvis_m=0.0)[:, :3].any()


def test_size_and_frame_rate_do_not_matter():
    slide = np.zeros((120, 3))
    slide[:, 1] = -0.02 * np.sin(np.linspace(0.0, np.pi, 120))
    one = leg(wanted=slide)
    large = LegGoals(
        *(3.0 * v for v in (one.hip, one.ankle, one.upper, one.lower)),
        one.down,
        3.0 * one.path,
        one.bend,
        one.strain,
        one.least,
        3.0 * one.rise,
    )
    assert np.allclose(solve_legs([large], FPS, 3.0) / 3.0, solve_legs([one], FPS, 1.0), atol=1e-4)
    slow = LegGoals(
        *(v[::2] for v in (one.hip, one.ankle, one.upper, one.lower, one.down, one.path, one.bend, one.strain)),
        one.least,
        one.rise[::2],
    )
    assert np.abs(solve_legs([slow], FPS / 2, 1.0) - solve_legs([one], FPS, 1.0)[::2]).max() < 1e-3


def test_swinging_soles_keep_above_the_floor():
    one = leg(down=False)
    rise = np.full(120, -1.0)
    rise[50:60] = 0.03
    foot = solve_legs(
        [LegGoals(one.hip, one.ankle, one.upper, one.lower, one.down, one.path, one.bend, one.strain, one.least, rise)],
        FPS,
        1.0,
    )[:, 4]
    assert foot[50:60].min() > 0.027
    assert abs(foot[10]) < 2e-3


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_clips_of_few_frames(frames):
    shifts = solve_legs([leg(frames, wanted=(0.0, -0.02, 0.0))], FPS, 1.0)
    assert shifts.shape == (frames, 6)
    assert np.isfinite(shifts).all()


def test_the_bend_goes_on_in_a_line_where_the_leg_is_too_short():
    bone = np.full(4, BONE)
    bend, slope = bend_along(np.array([0.5, 0.89, 0.9, 0.92]), bone, bone, np.deg2rad(5.0))
    assert bend[0] == pytest.approx(2.0 * np.arccos(0.5 / 0.9))
    assert bend[3] - bend[2] == pytest.approx(0.02 * slope[3])
    assert bend[3] < 0.0


def problem(frames=9, free=True):
    rng = np.random.default_rng(1)
    legs = []
    for side in (0.0, 0.2):
        one = leg(frames, length=0.89, wanted=rng.normal(size=(frames, 3)) * 0.02, sideways=side)
        down = (np.arange(frames) < 5).astype(float)
        bend = one.bend + rng.normal(size=frames) * 0.1
        legs.append(
            LegGoals(
                one.hip, one.ankle, one.upper, one.lower, down, one.path, bend, one.strain, 0.3, np.full(frames, 0.5)
            )
        )
    made = _Problem(legs, FPS, np.inf, 0.3, LegWeights())
    made.free = free
    made.rows = [made._rows(number, made.start[:, 3 + 3 * number : 6 + 3 * number]) for number in range(2)]
    return made


@pytest.mark.parametrize("free", [True, False])
def test_the_compiled_rows_have_the_right_slopes(free):
    made = problem(free=free)
    assert check_jacobian(made.linearize, made.start + 0.01, reach=3) < 1e-5


def test_the_compiled_rows_are_those_of_the_plain_ones():
    made = problem(free=False)
    x = made.start + 0.01
    plain = NormalEquations(9, 9, 3)
    for number, rows in enumerate(made.rows):
        at = 3 + 3 * number
        columns = [0, 1, 2, at, at + 1, at + 2]
        arm = rows.arm + x[:, :3] - x[:, at : at + 3]
        length = np.linalg.norm(arm, axis=1)
        bend, slope = bend_along(length, rows.upper, rows.lower, rows.straight)
        along = (slope / length)[:, None] * arm
        slopes = np.concatenate([along, -along], axis=1)[:, None]
        off, room = (bend - rows.goal)[:, None], (bend - rows.least)[:, None]
        firm = rows.firm[:, None]
        plain.add(off, slopes, weight=rows.knee[:, None] * firm, columns=columns)
        second = (slopes[:-2], -2.0 * slopes[1:-1], slopes[2:])
        plain.add(np.diff(off, 2, axis=0), *second, weight=rows.smooth * firm[1:-1], columns=columns)
        plain.add(room, slopes, weight=np.where(room < 0.0, rows.wall, 0.0), columns=columns)
        feet, pelvis = x[:, at : at + 3], x[:, :3]
        apart = np.concatenate([-np.eye(3), np.eye(3)], axis=1)
        plain.add(feet - pelvis, apart, weight=rows.follow, columns=columns)
        plain.add(feet - rows.target, np.eye(3), weight=rows.hold, columns=columns[3:])
        clear = (feet[:, 1] - rows.rise)[:, None]
        clear_by = np.where(np.isfinite(clear), clear, 1.0)
        plain.add(clear_by, np.eye(1), weight=np.where(clear < 0.0, rows.clear, 0.0), columns=columns[4:5])
    fast = NormalEquations(9, 9, 3)
    cost = sum(add_leg(fast.h, fast.gradient, x, rows, 3 + 3 * n) for n, rows in enumerate(made.rows))
    assert cost == pytest.approx(plain.cost)
    assert np.allclose(fast.gradient, plain.gradient)
    assert np.allclose(fast.h, plain.h)


def test_a_foot_lands_and_leaves_softly_but_not_where_the_clip_cuts_it():
    down = np.zeros(60, dtype=bool)
    down[:20] = down[30:50] = True
    grip = firmness(down, FPS)
    assert grip[0] == 1.0
    assert grip[19] < grip[17] < 1.0
    assert grip[30] < 0.1
    assert grip[40] == 1.0
    assert not grip[50:].any()


def test_an_unsure_frame_hardly_changes_how_firmly_a_foot_is_held():
    down = np.zeros(60)
    down[20:40] = 1.0
    longer = down.copy()
    longer[19] = longer[40] = 0.01
    assert np.abs(firmness(longer, FPS) - firmness(down, FPS)).max() < 0.02
    longer[19] = longer[40] = 1.0
    assert np.abs(firmness(longer, FPS) - firmness(down, FPS)).max() > 0.2


def test_a_correction_that_is_hardly_known_is_hardly_followed():
    values = np.full((60, 1), 0.1)
    known = np.zeros(60)
    known[20:40] = 1.0
    seen = lead_over(values, known, FPS, 0.07)
    assert np.abs(seen[20:40] - 0.1).max() < 1e-4
    faint = lead_over(values, 1e-4 * known, FPS, 0.07)
    assert 0.0 < np.abs(faint).max() < 0.001


def test_toes_bend_no_farther_in_the_air_than_where_they_stand():
    down = np.zeros(60)
    down[30:] = 1.0
    rolling = (0.4 * np.exp(-np.arange(-30, 30) / 4.0))[:, None]  # flat soon after the foot has landed
    assert np.abs(lead_over(rolling, down, FPS, 0.07)).max() > 0.45
    assert np.abs(lead_over(rolling, firmness(down, FPS), FPS, 0.07, order=2)).max() <= 0.4


# --- where a stance ends


LEAVES = 60


def _leaving(frames=120):
    return (np.arange(frames) < LEAVES).astype(float)


def _hardest(path):
    """The greatest acceleration of a path (frames, 3), in m/s^2."""
    return np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max() * FPS**2


def test_a_twitch_of_a_foot_that_leaves_is_let_go_as_softly_as_the_foot_is():
    wanted = np.zeros((120, 3))
    wanted[LEAVES - 3 : LEAVES, 1:] = np.array([[-0.004], [0.008], [-0.008]])
    leaving = replace(leg(wanted=wanted), down=_leaving())
    shifts = solve_legs([leaving, leg(sideways=0.2)], FPS, 1.0)
    assert _hardest(shifts[:, 3:6]) < 60.0
    assert _hardest(shifts[:, :3]) < 15.0


def test_a_knee_that_comes_back_from_behind_while_its_foot_leaves_hardly_shakes_the_pelvis():
    asked = np.deg2rad(np.interp(np.arange(120), [50, LEAVES - 1, LEAVES, 70], [3.0, -12.0, -4.0, 60.0]))
    goal, down = np.maximum(asked, np.deg2rad(3.0)), _leaving()
    still = leg(length=0.8995)
    ankle = still.hip - np.sqrt(2.0 * BONE**2 * (1.0 + np.cos(asked)))[:, None] * np.array([0.0, 1.0, 0.0])
    path = np.where(down[:, None] > 0.0, still.ankle, ankle)
    kicking = replace(still, ankle=ankle, path=path, down=down, bend=goal, strain=goal - asked)
    assert _hardest(solve_legs([kicking, leg(sideways=0.2)], FPS, 1.0)[:, :3]) < 10.0
