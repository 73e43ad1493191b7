import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.errors import ParameterError
from kinetune.operations.resample import Resample
from tests.operations import making


def test_half_the_rate_of_a_walk_is_the_same_walk():
    slow, fast = making.walker(76, 30.0), making.walker(151, 60.0)
    result = Resample(fps=30)(fast)
    assert len(result) == len(slow)
    assert result.fps == 30
    assert np.abs(result.positions() - slow.positions())[3:-3].max() < 0.005


@pytest.mark.parametrize("times", [2, 3])
def test_frames_that_are_stored_several_times_count_once(times):
    walk = making.walker(76, 30.0).replace(markers=(Marker(11, "step"),))
    which = np.arange(len(walk)).repeat(times)[:-1]  # cut in the middle of a repeat
    stored = walk.replace(
        fps=30.0 * times,
        root=walk.root[which],
        rotations=walk.rotations[which],
        markers=(Marker(11 * times + 1, "step"),),
    )
    result = Resample(fps=30)(stored)
    assert result.same_motion(walk, 0.0)
    assert result.markers == walk.markers
    assert Resample(fps=24)(stored).same_motion(Resample(fps=24)(walk), 0.0)


@pytest.mark.parametrize(("fps", "new"), [(119.88, 24.0), (60.0, 25.0), (30.0, 120.0)])
def test_duration_stays_but_for_less_than_a_frame(fps, new):
    clip = making.walker(100, fps)
    result = Resample(fps=new)(clip)
    assert 0 <= clip.duration - result.duration < 1 / new


def test_up_and_every_other_frame_is_the_original():
    clip = making.pendulums()
    assert Resample(fps=60)(clip)[::2].same_motion(clip, 1e-9)


def trembling(hz=50.0, radians=0.05):
    """A chain that swings slowly, each joint with a tremor on top; and the same without."""
    t = np.arange(481) / 120.0
    swing = np.stack([0.7 * np.sin(3 * t), 0.3 * np.cos(4 * t), 0 * t], axis=-1)[:, None] * np.ones((1, 4, 1))
    tremor = radians * np.sin(2 * np.pi * hz * t)[:, None, None] * np.array([0.6, 0.0, 0.8])
    clean, noisy = (rot.exp(swing), rot.exp(swing + tremor))
    root = np.stack([0 * t, 1 + 0 * t, t], axis=-1)
    return Clip(making.chain(), 120.0, root, clean), Clip(making.chain(), 120.0, root, noisy)


def test_a_tremor_of_50_hz_leaves_no_alias_at_30_fps():
    clean, noisy = trembling()
    wanted, result = Resample(fps=30)(clean), Resample(fps=30)(noisy)
    error = rot.angle_between(result.rotations, wanted.rotations)
    assert np.sqrt(np.mean(error**2)) < 0.03 * 0.05
    assert error[3:-3].max() < 0.02 * 0.05
    naive = rot.angle_between(noisy[::4].rotations, clean[::4].rotations)
    assert naive.max() > 0.8 * 0.05


def test_spins_do_not_unwind():
    clip = making.near_pi(120)
    result = Resample(fps=120)(clip)
    assert np.abs(result.positions()[::2] - clip.positions()).max() < 1e-9
    steps = rot.angle_between(result.rotations[1:], result.rotations[:-1])
    assert steps.max() < 0.6 * rot.angle_between(clip.rotations[1:], clip.rotations[:-1]).max()


def test_animated_positions_are_resampled_too():
    clip = making.two_roots()
    result = Resample(fps=60)(clip)
    assert np.allclose(result.translations[::2], clip.translations, atol=1e-9)


def test_contacts_and_markers_move_along():
    clip = making.walker(121, 120.0).replace(markers=(Marker(60, "middle"), Marker(120, "end")))
    clip = clip.replace(contacts=making.walker(121, 120.0).contacts)
    result = Resample(fps=30)(clip)
    assert result.markers == (Marker(15, "middle"), Marker(30, "end"))
    assert np.array_equal(result.contacts.flags, clip.contacts.flags[::4])


def test_the_same_rate_returns_the_clip():
    clip = making.walker()
    assert Resample(fps=60)(clip) is clip
    assert Resample()(clip) is clip


def test_one_frame_stays_one_frame():
    result = Resample(fps=24)(making.one_frame())
    assert len(result) == 1
    assert result.fps == 24


def test_a_rate_that_would_fill_the_memory_is_refused():
    clip = making.pendulums(200_000, 1.0, joints=1)
    with pytest.raises(ParameterError, match="would make 19,999,900,001 frames"):
        Resample(fps=100_000)(clip)


@pytest.mark.parametrize("fps", [0.0, -3.0, float("nan"), float("inf")])
def test_impossible_rates_are_told(fps):
    with pytest.raises(ParameterError, match=r"^resample: fps is "):
        Resample(fps=fps)
