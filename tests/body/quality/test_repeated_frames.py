import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.body.quality.repeated_frames import drop_repeats, find_repeated_frames, times_stored
from tests.operations import making


def stored(clip, times):
    """Frame k of the clip as often in a row as times[k] says."""
    which = np.repeat(np.arange(len(clip)), times)
    return clip.replace(root=clip.root[which], rotations=clip.rotations[which], contacts=None)


@given(st.integers(1, 6), st.integers(0, 5))
def test_every_frame_is_stored_as_often_as_the_next(times, cut):
    """Even if the clip was cut in the middle of a repeat."""
    clip = making.walker(30, 30.0)
    repeated = stored(clip, times)[cut % times :]
    assert times_stored(repeated) == times
    once = drop_repeats(repeated)
    assert np.array_equal(once.rotations, clip.rotations)
    assert once.fps == pytest.approx(repeated.fps / times)


def test_a_rest_hides_nothing():
    clip = making.walker(30, 30.0)
    assert times_stored(stored(clip, [2] * 15 + [8] + [2] * 14)) == 2


@pytest.mark.parametrize("times", [[1] * 30, [1, 2] * 15, [1, 1, 1, 2, 1] * 6, [1] * 10 + [9] + [1] * 19])
def test_frames_that_repeat_now_and_then_are_kept(times):
    """A pulldown from 24 to 30, a frame that hangs."""
    clip = stored(making.walker(30, 30.0), times)
    assert times_stored(clip) == 1
    assert drop_repeats(clip) is clip
    assert find_repeated_frames(clip).sum() == sum(times) - 30


def test_a_few_poses_are_no_rate():
    assert times_stored(stored(making.walker(5, 30.0), 6)) == 1
    assert times_stored(making.walker(1, 30.0)) == 1
    assert times_stored(stored(making.walker(1, 30.0), 20)) == 1
