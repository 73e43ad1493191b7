import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.correction_fade import bridge_gaps

FPS = 60.0


def known_at(frames, *stretches):
    known = np.zeros(frames, dtype=bool)
    for start, stop in stretches:
        known[start:stop] = True
    return known


def wave(frames):
    t = np.arange(frames) / FPS
    return np.stack([0.03 * np.sin(3 * t), 0.01 + 0.02 * t], axis=-1)


def test_known_frames_keep_their_bits_and_far_ones_are_zero():
    values, known = wave(200), known_at(200, (60, 90), (140, 160))
    bridged = bridge_gaps(values, known, FPS, 0.25)
    assert np.array_equal(bridged[known], values[known])
    far = np.ones(200, dtype=bool)
    for start, stop in ((60, 90), (140, 160)):
        far[start - 15 : stop + 15] = False
    assert not bridged[far].any()
    assert bridged[[50, 95, 130, 165]].any(axis=1).all()


@pytest.mark.parametrize("gap", [2, 5, 20, 40])
def test_nothing_jumps_in_value_or_velocity(gap):
    fps = 600.0
    frames = 400 + 10 * gap
    t = np.arange(frames) / fps
    values = np.stack([np.sin(9 * t), np.cos(7 * t)], axis=-1)
    known = known_at(frames, (100, 200), (200 + 10 * gap, 300 + 10 * gap))
    bridged = bridge_gaps(values, known, fps, 0.1)
    speed = np.diff(bridged, axis=0) * fps
    assert np.abs(np.diff(bridged, axis=0)).max() < 0.1
    assert np.abs(np.diff(speed, axis=0)).max() < 6.0  # a jump of velocity would be the full speed, 9


def test_a_short_gap_is_crossed_without_coming_to_rest():
    values = np.full((60, 1), 0.02)
    bridged = bridge_gaps(values, known_at(60, (0, 20), (26, 60)), FPS, 0.25)
    assert np.allclose(bridged, 0.02)


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_it_is_linear(a, b):
    known = known_at(90, (20, 40), (55, 70))
    x, y = wave(90), wave(90)[::-1].copy()
    together = bridge_gaps(a * x + b * y, known, FPS, 0.2)
    assert np.allclose(together, a * bridge_gaps(x, known, FPS, 0.2) + b * bridge_gaps(y, known, FPS, 0.2))


def test_turning_time_round_turns_the_answer_round():
    known = known_at(120, (30, 50), (80, 85))
    forwards = bridge_gaps(wave(120), known, FPS, 0.2)
    backwards = bridge_gaps(wave(120)[::-1].copy(), known[::-1].copy(), FPS, 0.2)
    assert np.allclose(forwards, backwards[::-1])


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_few_frames_work(frames):
    for known in (np.ones(frames, dtype=bool), np.arange(frames) == 0, np.zeros(frames, dtype=bool)):
        bridged = bridge_gaps(np.ones((frames, 2)), known, 30.0, 0.1)
        assert np.isfinite(bridged).all()
        assert np.array_equal(bridged[known], np.ones((known.sum(), 2)))


def test_no_blend_is_a_cut():
    known = known_at(30, (10, 20))
    assert np.array_equal(bridge_gaps(wave(30), known, FPS, 0.0), np.where(known[:, None], wave(30), 0.0))


def test_a_negative_time_is_refused():
    with pytest.raises(ParameterError, match="blend_s"):
        bridge_gaps(wave(10), known_at(10, (2, 5)), FPS, -1.0)
