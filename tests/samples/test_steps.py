import numpy as np
import pytest
from tools.samples import balance, steps

from kinetune import rotations as rot
from kinetune.samples import sample
from tests.samples.soles import slides

NAMES = [f"step-{k:02}" for k in range(1, 7)]
PLANS = steps.steps()


def ball(clip, side, frame):
    """x, z and heading of a ball in degrees."""
    joint = clip.skeleton.index(f"{side}ToeBase")
    place = clip.positions()[frame, joint]
    heading = np.degrees(rot.heading(clip.world_rotations()[frame, joint]))
    return np.array([place[0], place[2], heading])


@pytest.mark.parametrize(("name", "plan"), list(zip(NAMES, PLANS, strict=True)))
def test_the_right_foot_goes_from_start_to_end(name, plan):
    clip = sample(name)
    assert np.allclose(ball(clip, "Right", 0), plan.start, atol=1e-3)
    assert np.allclose(ball(clip, "Right", -1), plan.end, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_the_left_foot_stands_at_the_origin(name):
    clip = sample(name)
    for frame in range(0, len(clip), 5):
        assert np.allclose(ball(clip, "Left", frame), 0, atol=1e-6)
    assert max(slides(clip, "Left") + slides(clip, "Right")) < 0.002


@pytest.mark.parametrize("name", NAMES)
def test_it_begins_and_ends_on_both_feet(name):
    flags = sample(name).contacts.flags
    assert flags[0].all()
    assert flags[-1].all()
    assert flags[:, 0].all()
    assert len(sample(name).contacts.intervals("right")) == 2
    assert 0.55 < 1 - flags[:, 1].mean() < 0.75


def test_length_width_and_turn_vary():
    ends = np.array([plan.end for plan in PLANS])
    assert np.ptp(ends[:, 0]) > 0.15
    assert np.ptp(ends[:, 1]) > 0.3
    assert np.ptp(ends[:, 2]) > 55
    assert len({len(sample(name)) for name in NAMES}) > 3


def test_a_step_can_follow_a_mirrored_step():
    """Where a step starts, seen from the standing foot, is where some mirrored step of the set ends, nearly."""
    ends = np.array([plan.end for plan in PLANS])
    for plan in PLANS:
        mirrored = np.array([steps._seen_from_the_other_foot(end) for end in ends])
        away = np.abs(mirrored - plan.start)
        assert np.min(away[:, 0] + away[:, 1] + np.radians(away[:, 2])) < 0.15


def test_mirroring_a_step_twice_gives_it_back():
    step = np.array([-0.2, 0.4, 25.0])
    assert np.allclose(steps._seen_from_the_other_foot(np.array([-0.2, 0.4, 0.0])), [-0.2, -0.4, 0.0])
    once = steps._seen_from_the_other_foot(step)
    # seen from the other foot and mirrored, twice: a rigid motion and its inverse
    assert np.isclose(np.hypot(*once[:2]), np.hypot(*step[:2]))
    assert np.isclose(once[2], step[2])


@pytest.mark.parametrize("name", NAMES)
def test_the_hips_keep_going(name):
    """Steps are cut out of walking: the body moves on at both ends, and over the standing foot in between."""
    clip = sample(name)
    speed = np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=-1) * clip.fps
    assert speed.min() > 0.15
    assert speed.max() < 1.5
    points, _, _ = balance.pressure_points(clip)
    assert np.linalg.norm(balance.outside_feet(clip, points), axis=-1)[3:-3].mean() < 0.02
