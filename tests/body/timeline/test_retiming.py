import numpy as np
import pytest

from kinetune.body.clip import Marker
from kinetune.body.timeline.retiming import at_times
from kinetune.errors import ParameterError
from tests.operations import making


@pytest.mark.parametrize("make", [making.walker, making.pendulums, making.near_pi, making.two_roots])
def test_its_own_times_give_the_clip(make):
    clip = make()
    assert at_times(clip, clip.times, clip.fps).same_motion(clip, 1e-9)


def test_beyond_the_ends_poses_are_held():
    clip = making.pendulums()
    result = at_times(clip, np.arange(-15, 105) / 30.0, 30.0)
    assert result[15:105].same_motion(clip, 1e-9)
    assert np.allclose(result.positions()[:15], clip.positions()[0])
    assert np.allclose(result.positions()[105:], clip.positions()[-1])


def test_markers_that_no_frame_shows_are_dropped():
    clip = making.pendulums(90).replace(markers=(Marker(5, "early"), Marker(40, "shown"), Marker(80, "late")))
    result = at_times(clip, np.arange(30, 60) / 30.0, 30.0)
    assert result.markers == (Marker(10, "shown"),)


@pytest.mark.parametrize(
    ("times", "words"),
    [([], "1 to 10,000,000 frames, not 0"), ([0.0, np.nan], "finite"), ([1.0, 0.5], "never go back")],
)
def test_impossible_times_are_told(times, words):
    with pytest.raises(ParameterError, match=words):
        at_times(making.pendulums(), times, 30.0)
