import numpy as np
import pytest

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.splines.tcb import TCB
from kinetune.signals.splines.tcb_presets import PRESET_DESCRIPTIONS, TCB_PRESETS, from_max, preset, to_max


def test_overshoot_is_the_one_that_the_paper_prints():
    """Kochanek and Bartels 1984, section 5: "overshoot": t=-0.3, c=0, b=1."""
    assert TCB_PRESETS["overshoot"] == (-0.3, 0, 1)


def test_every_preset_has_one_sentence_and_knobs_in_range():
    assert list(PRESET_DESCRIPTIONS) == list(TCB_PRESETS)
    for name, knobs in TCB_PRESETS.items():
        assert all(-1 <= k <= 1 for k in knobs)
        assert PRESET_DESCRIPTIONS[name].endswith(".")


def test_presets_do_what_their_words_say():
    t = np.linspace(0, 2, 401)

    def speeds(name):
        into, out = TCB([0, 1, 2], [[0.0, 0], [1, 1], [2, 0]], **preset(name)).velocities()
        return into[1], out[1]

    assert np.array_equal(speeds("smooth"), [(1, 0), (1, 0)])
    assert np.array_equal(speeds("stop"), np.zeros((2, 2)))
    assert np.array_equal(speeds("slack"), [(2, 0), (2, 0)])
    assert np.array_equal(speeds("corner"), [(1, 1), (1, -1)])
    assert np.array_equal(speeds("notch"), [(1, -1), (1, 1)])
    line = TCB([0, 1, 2], [0.0, 3.0, 1.0], **preset("linear"))(t)
    assert np.allclose(line, np.interp(t, [0, 1, 2], [0, 3, 1]))
    uneven = TCB([0, 0.4, 2], [0.0, 3.0, 1.0], **preset("linear"), step="none")(t)
    assert np.allclose(uneven, np.interp(t, [0, 0.4, 2], [0, 3, 1]))
    assert TCB([0, 1, 2], [0.0, 1, 0.9], **preset("overshoot"))(t).max() > 1.05
    late = TCB([0, 1, 2], [0.0, 1, 0], **preset("overshoot"))(t)
    early = TCB([0, 1, 2], [0.0, 1, 0], **preset("undershoot"))(t)
    assert t[late.argmax()] > 1.1
    assert t[early.argmax()] < 0.9


def test_a_bounce_falls_as_a_stone_does():
    keys = ["smooth", "bounce", "smooth", "bounce", "smooth"]
    curve = TCB(np.arange(5), [1.0, 0, 1, 0, 1], **preset(keys), ends="zero")
    s = np.linspace(0, 1, 50)
    assert np.allclose(curve(s), 1 - s**2)
    assert np.allclose(curve(2 + s), 1 - s**2)
    assert np.allclose(curve(3 + s), 1 - (1 - s) ** 2)


def test_max_shows_25_for_0():
    """3ds Max: 0 to 50 for the paper's -1 to 1."""
    assert [from_max(v) for v in (0, 25, 50)] == [-1, 0, 1]
    assert np.array_equal(to_max([-1, 0, 1]), [0, 25, 50])
    assert np.allclose(from_max(to_max(np.linspace(-1, 1, 7))), np.linspace(-1, 1, 7))
    with pytest.raises(ParameterError, match="finite"):
        from_max(np.nan)


def test_an_unknown_preset_offers_the_nearest():
    with pytest.raises(UnknownNameError, match='Did you mean "overshoot"'):
        preset("overshot")
    with pytest.raises(UnknownNameError, match="no preset"):
        preset(["smooth", "wobbly"])
