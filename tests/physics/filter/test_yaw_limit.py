import numpy as np

from kinetune import rotations as rot
from kinetune.physics.filter.com_plan import Support
from kinetune.physics.filter.yaw_limit import pivoted, plan_pivot

RATE, MASS = 60.0, 70.0


def support(frames, spread=0.05):
    return Support([np.zeros((0, 2))] * frames, np.zeros(frames), np.full(frames, spread))


def test_what_friction_can_do_is_left_alone():
    still = np.zeros(60)
    turn = plan_pivot(still + 5.0, still + 2.0, still, support(60), rate=RATE, mass=MASS, mu=1.0)
    assert not turn.any()


def test_a_spin_beyond_friction_is_brought_within_it():
    frames = 90
    need = np.zeros(frames)
    need[40:46], need[46:52] = 300.0, -300.0
    inertia = np.full(frames, 2.0)
    turn = plan_pivot(need, inertia, np.zeros(frames), support(frames), rate=RATE, mass=MASS, mu=1.0)
    left = need[:-2] + inertia[:-2] * np.diff(turn, 2) * RATE**2
    most = 0.6 * MASS * 9.81 * 0.05
    assert np.abs(left).max() < most + 10.0
    assert 0.05 < np.abs(turn).max() < 1.0


def test_the_pivot_stays_where_it_is():
    dice = np.random.default_rng(0)
    qpos = np.zeros((40, 11))
    qpos[:, :3] = dice.normal(size=(40, 3))
    qpos[:, 3] = 1.0
    pivot = np.tile([0.3, 0.0, -0.2], (40, 1))
    turn = np.linspace(0.0, 1.0, 40)
    moved, turns = pivoted(qpos, turn, pivot)
    assert np.allclose(
        np.linalg.norm((moved[:, :3] - pivot)[:, [0, 2]], axis=1),
        np.linalg.norm((qpos[:, :3] - pivot)[:, [0, 2]], axis=1),
    )
    assert np.allclose(moved[:, 1], qpos[:, 1])
    assert np.allclose(rot.angle(turns), turn)
