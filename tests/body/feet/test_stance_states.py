import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.stance_states import (
    FLAT,
    HEEL,
    SWING,
    TOE,
    best_through,
    contacts_of_states,
    find_states,
    likeliest_path,
    noise_of,
    smoothing_for,
    states_of_contacts,
    weigh_states,
)
from kinetune.formats import read
from kinetune.signals.flag_ranges import true_ranges
from tests.body import walkers

WALK = walkers.WALK
SIDEWAYS = walkers.SIDEWAYS.items()


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_a_stance_is_found_whole(fps):
    walk = WALK.clip(fps=fps)
    states = find_states(walk, find_ground(walk))
    for column, side in enumerate(("Left", "Right")):
        planned = WALK.stands(side, walk.times)
        assert np.mean((states[:, column] != SWING) == planned) > 0.94


def test_a_stance_rolls_from_heel_over_the_sole_to_the_toes():
    walk = WALK.clip()
    states = find_states(walk, find_ground(walk))[:, 0]
    edges = np.flatnonzero(np.diff(states))
    course = [int(states[0]), *(int(s) for s in states[edges + 1])]
    inner = course[course.index(SWING) :]
    assert inner[:5] == [SWING, HEEL, FLAT, TOE, SWING]


def test_noise_tears_no_stance_apart():
    walk = WALK.clip()
    rng = np.random.default_rng(0)
    noisy = walk.replace(
        rotations=rot.multiply(walk.rotations, rot.exp(rng.normal(size=(*walk.rotations.shape[:2], 3)) * 0.006))
    )
    clean, rough = (find_states(c, find_ground(walk)) != SWING for c in (walk, noisy))
    assert np.count_nonzero(np.diff(rough.astype(int), axis=0)) == np.count_nonzero(np.diff(clean.astype(int), axis=0))


def test_size_does_not_matter():
    walk = WALK.clip(fps=60.0)
    large = walkers.scaled(walk, 3.0)
    assert np.array_equal(find_states(large, find_ground(large)), find_states(walk, find_ground(walk)))


def test_contacts_and_states_say_the_same():
    walk = WALK.clip()
    ground = find_ground(walk)
    states = find_states(walk, ground)
    contacts = contacts_of_states(walk, ground, states)
    assert contacts.sides == ("left", "right")
    for column in range(2):
        assert np.array_equal(states_of_contacts(contacts, column), states[:, column])
    assert set(np.unique(states)) == {SWING, HEEL, FLAT, TOE}
    assert np.mean(contacts.flags == find_contacts(walk).flags) > 0.95


def test_a_platform_is_stood_on():
    walk = WALK.clip(seconds=3.0, fps=60.0)
    stand = walkers.stand(120, 60.0)
    height = np.concatenate([np.zeros(len(walk)), np.full(120, 0.4)])
    root = np.concatenate([walk.root, stand.root + np.array([0.0, 0.0, walk.root[-1, 2]])]) + height[:, None] * [
        0.0,
        1.0,
        0.0,
    ]
    clip = walk.replace(root=root, rotations=np.concatenate([walk.rotations, stand.rotations]), contacts=None)
    states = find_states(clip, find_ground(walk))
    assert np.all(states[len(walk) + 10 :] != SWING)


def test_noise_is_told_from_quick_motion():
    t = np.arange(300)[:, None] / 30.0
    quick = 0.3 * np.sin(2 * np.pi * 1.4 * t + np.arange(3))
    assert noise_of(quick) < 2e-4
    noisy = quick + np.random.default_rng(0).normal(size=quick.shape) * 0.003
    assert 0.0015 < noise_of(noisy) < 0.005
    assert smoothing_for(0.0, 120.0, 0.04) == 0.01
    assert smoothing_for(0.01, 120.0, 0.04) > 0.02


def test_the_likeliest_path_is_the_best_of_all():
    rng = np.random.default_rng(3)
    score, change = rng.normal(size=(6, 3)), np.abs(rng.normal(size=(3, 3)))
    np.fill_diagonal(change, 0.0)

    def total(path):
        return score[range(6), path].sum() - change[path[:-1], path[1:]].sum()

    everything = [np.array(np.unravel_index(n, (3,) * 6)) for n in range(3**6)]
    assert total(likeliest_path(score, change)) == pytest.approx(max(total(path) for path in everything))
    through = best_through(score, change)
    for frame, state in np.ndindex(6, 3):
        assert through[frame, state] == pytest.approx(max(total(p) for p in everything if p[frame] == state))


def test_a_foot_is_less_sure_to_stand_at_the_edges_of_a_stance():
    walk = WALK.clip(fps=240.0)
    states, sure = weigh_states(walk, find_ground(walk))
    assert np.array_equal(states, find_states(walk, find_ground(walk)))
    assert np.array_equal(sure > 0.0, states != SWING)
    inside = [(a, b) for a, b in true_ranges(states[:, 0] != SWING) if a > 0 and b < len(walk)]
    for start, stop in inside:
        assert sure[start, 0] < 1.0
        assert np.all(sure[start + 12 : stop - 12, 0] == 1.0)


@pytest.mark.parametrize(("lift", "stances"), [(0.0, 1), (0.05, 2)])
def test_a_foot_that_creeps_without_leaving_the_floor_makes_no_step(lift, stances):
    frames, fps = 180, 60.0
    share = np.clip((np.arange(frames) - 80) / 12.0, 0.0, 1.0)
    still, ankles = np.zeros(frames), {side: np.tile([x, walkers.ANKLE, 0.0], (frames, 1)) for side, x in SIDEWAYS}
    ankles["Left"] += (0.08 * share)[:, None] * [0, 0, 1] + (lift * np.sin(np.pi * share) ** 2)[:, None] * [0, 1, 0]
    flat = dict.fromkeys(ankles, still)
    clip = walkers.pose_legs(np.tile([0.0, 0.82, 0.0], (frames, 1)), ankles, flat, flat, fps)
    states = find_states(clip, find_ground(clip))
    assert len(true_ranges(states[:, 0] != SWING)) == stances


def test_a_body_that_does_not_fall_is_carried_by_a_foot(shared_data):
    """In this jog the right foot slides and bounces so much while it stands that two of its stances were missed."""
    clip = read(shared_data / "cmu" / "104_12.bvh")[1:]
    states = find_states(clip, find_ground(clip))
    right = states[:, 1] != SWING
    assert right[268:276].all()
    assert right[355:362].all()
