"""Contact phases of synthetic and sampled motion."""

import itertools

import numpy as np

import kinetune as kt
from kinetune.physics.equations_of_motion import centres_of_mass
from kinetune.physics.whole_clip.contact_phase_kernels import cheapest_path
from kinetune.physics.whole_clip.contact_phases import find_phases, limbs_of


def test_the_path_is_the_cheapest_of_all():
    dice = np.random.default_rng(3)
    costs, change = dice.uniform(0, 3, (6, 3)), dice.uniform(0, 2, (3, 3))

    def price(path):
        return costs[range(6), path].sum() + sum(change[a, b] for a, b in itertools.pairwise(path))

    best = min(itertools.product(range(3), repeat=6), key=price)
    assert tuple(cheapest_path(costs, change)) == best


def phases_of(clip, *, lifted=0.0):
    body = kt.Body.fit(clip.skeleton, clip=clip)
    q = body.coordinates(clip)
    points = body.point_positions(q)
    return body, find_phases(limbs_of(body), points, points[..., 1] + lifted, centres_of_mass(body, q), clip.fps)


def test_a_standing_character_stands_on_both_soles_all_the_time():
    still = kt.sample("walk")[:1]
    clip = still.replace(root=np.repeat(still.root, 40, axis=0), rotations=np.repeat(still.rotations, 40, axis=0))
    _, phases = phases_of(clip)
    assert not phases.aloft.any()
    assert len(np.unique(phases.stand, axis=0)) == 1


def test_a_run_has_flights_and_a_walk_has_none():
    assert 0.1 < phases_of(kt.sample("run"))[1].aloft.mean() < 0.6
    assert not phases_of(kt.sample("walk"))[1].aloft.any()


def test_feet_well_above_the_ground_stand_on_something_raised():
    _, phases = phases_of(kt.sample("walk"), lifted=0.2)
    assert phases.raised[phases.stand.any(axis=1)].any(axis=1).mean() > 0.9


def test_a_foot_on_its_tip_on_the_ground_stands_on_no_step():
    body = kt.Body.fit(kt.sample("walk").skeleton, clip=kt.sample("walk"))
    on_end = {"heel": 0.25, "ball": 0.08, "tip": -0.01}
    parts = [next(part for part in on_end if part in point.name) for point in body.points]
    left = np.array([point.side == "left" for point in body.points])
    heights = np.where(left, 0.0, [on_end[part] for part in parts])
    points = np.tile(np.stack([0.0 * heights, heights, 0.0 * heights], axis=1), (60, 1, 1))
    phases = find_phases(limbs_of(body), points, points[..., 1], np.tile([0.0, 0.6, 0.0], (60, 1)), 60.0)
    assert not phases.raised.any()
    assert np.array_equal(phases.stand[30], left | np.equal(parts, "tip"))
