import numpy as np
import pytest

from kinetune.body.clip import Marker
from kinetune.errors import ParameterError
from kinetune.operations.retime import Retime
from tests.operations import making


def test_half_speed_takes_twice_as_long():
    clip = making.pendulums()
    result = Retime(speed=0.5)(clip)
    assert len(result) == 2 * len(clip) - 1
    assert result.fps == clip.fps
    assert np.allclose(result.positions()[::2], clip.positions(), atol=1e-9)


def test_double_speed_shows_every_other_frame_of_slow_motion():
    clip = Retime(speed=0.25)(making.pendulums(61))
    result = Retime(speed=2.0)(clip)
    assert len(result) == 121
    assert np.abs(result.positions() - clip.positions()[::2])[5:-5].max() < 0.002


def test_speed_there_and_back():
    clip = making.pendulums()
    assert Retime(speed=2.0)(Retime(speed=0.5)(clip)).same_motion(clip, 0.02)


@pytest.mark.parametrize("seconds", [0.5, 1.0, 7.3])
def test_the_duration_is_met_to_half_a_frame_and_the_ends_exactly(seconds):
    clip = making.pendulums()
    result = Retime(duration_s=seconds)(clip)
    assert abs(result.duration - seconds) <= 0.5 / clip.fps
    assert np.allclose(result.root[[0, -1]], clip.root[[0, -1]], atol=0.02)


def test_keys_are_met():
    clip = making.pendulums()
    result = Retime(keys=[[0, 0], [1, 0.5], [2, 2.5]])(clip)
    assert len(result) == 61
    assert np.allclose(result.positions()[0], clip.positions()[0], atol=1e-6)
    assert np.allclose(result.positions()[30], clip.positions()[15], atol=0.01)
    assert np.allclose(result.positions()[60], clip.positions()[75], atol=0.02)


def test_equal_keys_hold_the_pose():
    clip = making.pendulums()
    result = Retime(keys=[[0, 0], [1, 1], [2, 1], [3, 2]], tension=1.0)(clip)
    held = result.positions()[35:56]
    assert np.ptp(held, axis=0).max() < 1e-6


def test_time_never_runs_backwards():
    clip = making.pendulums()
    result = Retime(keys=[[0, 0], [0.1, 2.0], [3, 2.0], [3.1, 2.9]])(clip)
    assert np.diff(result.root[:, 2]).min() > -1e-3


def test_first_key_may_start_later_in_the_clip():
    clip = making.pendulums()
    result = Retime(keys=[[1, 1], [2, 2]])(clip)
    assert np.allclose(result.positions(), clip.positions()[30:61], atol=1e-6)


def test_markers_and_contacts_follow():
    clip = making.walker(121, 60.0)
    clip = clip.replace(markers=(Marker(30, "here"),), contacts=clip.contacts)
    result = Retime(speed=0.5)(clip)
    assert result.markers == (Marker(60, "here"),)
    assert np.array_equal(result.contacts.flags[::2], clip.contacts.flags)


def test_one_frame_lasts_no_time_at_any_speed():
    clip = making.one_frame()
    assert Retime(speed=0.1)(clip) is clip


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"speed": 2.0, "duration_s": 1.0}, "give speed or duration_s, not both"),
        ({"duration_s": 1.0, "keys": [[0, 0], [1, 1]]}, "give duration_s or keys, not both"),
        ({"keys": [[0, 0]]}, "at least two keys"),
        ({"keys": [[0, 0], [0, 1]]}, r"the key \(0, 1\) does not follow \(0, 0\)"),
        ({"keys": [[0, 1], [1, 0.5]]}, "may not go back"),
        ({"speed": 0.0}, "speed is 0.0"),
    ],
)
def test_knobs_that_do_not_go_together_are_told(knobs, words):
    with pytest.raises(ParameterError, match=f"^retime: .*{words}"):
        Retime(**knobs)


def test_a_key_beyond_the_clip_is_told():
    with pytest.raises(ParameterError, match=r"asks for 5 s, but the clip ends at 2\.967 s"):
        Retime(keys=[[0, 0], [1, 5]])(making.pendulums())
