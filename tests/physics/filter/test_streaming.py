import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.physics.filter.streaming import DynamicFilter
from tests.operations import making


@pytest.fixture(scope="module")
def walk():
    return kt.sample("walk")[:80]


@pytest.fixture(scope="module")
def body(walk):
    return kt.Body.fit(walk.skeleton, clip=walk)


@pytest.mark.slow
def test_as_many_poses_come_out_as_go_in(walk, body):
    stream = DynamicFilter(body, fps=60)
    out, waiting = [], []
    for k in range(len(walk)):
        out += stream.push(walk[k : k + 1])
        waiting.append(k + 1 - len(out))
    assert max(waiting) <= stream.ahead + stream.chunk
    out += stream.finish()
    assert len(out) == len(walk)
    apart = [np.abs(o.clip.positions() - walk[k : k + 1].positions()).max() for k, o in enumerate(out)]
    assert max(apart) < 0.05
    forces = np.array([o.forces for o in out])
    # The plane that is found leans by a hair.
    assert np.all(np.hypot(forces[..., 0], forces[..., 2]) <= 1.003 * forces[..., 1] + 1e-6)
    assert out[0].torques.shape == (len(body.segments), 3)


@pytest.mark.slow
def test_poses_may_come_in_bunches_and_at_low_rates(walk, body):
    slow = kt.Resample(fps=30)(walk)
    stream = DynamicFilter(body, fps=30, ground=0.0)
    out = stream.push(slow) + stream.finish()
    assert len(out) == len(slow)
    assert np.abs(out[-1].clip.positions() - slow[len(slow) - 1 :].positions()).max() < 0.08


def test_other_joints_are_refused(body):
    with pytest.raises(SkeletonMismatchError):
        DynamicFilter(body).push(making.walker(1))


@pytest.mark.parametrize("knobs", [{"fps": 0.0}, {"lookahead_s": 0.05}, {"mu": -1.0}])
def test_settings_out_of_range_are_refused(body, knobs):
    with pytest.raises(ParameterError):
        DynamicFilter(body, **knobs)


@pytest.mark.slow
def test_a_walk_far_away_and_uphill_stays_on_its_feet(walk, body):
    """The ground is the plane under the feet, wherever they are: a hundred metres off, rising by one in a hundred."""
    up = walk.root[:, 2] * 0.01 + np.array([[3.0]])
    far = walk.replace(root=walk.root + np.stack([np.full(len(walk), 100.0), up[0], np.zeros(len(walk))], axis=1))
    stream = DynamicFilter(body, fps=60)
    out = stream.push(far) + stream.finish()
    apart = [np.abs(o.clip.positions() - far[k : k + 1].positions()).max() for k, o in enumerate(out)]
    assert max(apart) < 0.05


def test_a_pose_that_is_no_number_is_refused(walk, body):
    root = walk.root[:1].copy()
    root[0, 1] = np.nan
    with pytest.raises(kt.KinetuneError, match="not a number"):
        DynamicFilter(body).push(walk[:1].replace(root=root))
