import numpy as np
import pytest

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.shaping.curve_library import SHAPE_TEXTS, SHAPES, make
from kinetune.signals.shaping.shaping_curve import ShapingCurve

X = np.linspace(-1.0, 1.0, 2001)


def test_identity_is_one_far_beyond_its_points():
    assert np.allclose(ShapingCurve.identity()(180 * X), 180 * X, atol=1e-12)


def test_scale():
    assert np.allclose(ShapingCurve.scale(1.5, 0.2)(3 * X), 4.5 * X + 0.2)


@pytest.mark.parametrize("limits", [(-0.5, 0.8), (-1.0, 0.1), (-30.0, 120.0), (0.2, 0.3), (-2.0, 2.0)])
def test_cap_is_hard(limits):
    x = 300.0 * X
    assert np.allclose(ShapingCurve.cap(*limits)(x), np.clip(x, *limits), atol=1e-12)


@pytest.mark.parametrize("knobs", [(-0.5, 0.8, 0.3), (-0.5, 0.5, 0.5), (-60, 20, 10), (-0.1, 0.1, 0.02), (-1, 1, 0.98)])
def test_a_soft_limit_is_never_passed_never_turns_back_and_leaves_the_middle_alone(knobs):
    low, high, softness = knobs
    x = 5.0 * max(abs(low), high) * X
    y = ShapingCurve.soft_limit(*knobs)(x)
    assert y.min() > low
    assert y.max() < high
    assert np.diff(y).min() >= -1e-12
    inside = (x > low + softness) & (x < high - softness)
    assert np.allclose(y[inside], x[inside], atol=1e-3 * (high - low))


def test_cosine_is_half_a_cosine():
    """[bruderlin] section 4: "a partial cycle of a cosine function going from minimum to maximum"."""
    assert np.allclose(ShapingCurve.cosine()(X), -np.cos(0.5 * np.pi * (X + 1)), atol=2e-4)


def test_a_step_quantizes_to_two_values():
    x = X[np.abs(X) > 1e-6]
    assert set(ShapingCurve.step()(x)) == {-1.0, 1.0}
    y = ShapingCurve.step(0.2, 0.4)(X)
    assert np.allclose(y[X <= 0.0], -1.0)
    assert np.allclose(y[X >= 0.4], 1.0)
    assert np.diff(y).min() >= -1e-12


@pytest.mark.parametrize("levels", [2, 3, 4, 7])
def test_quantize_has_as_many_values(levels):
    x = X + 1e-4
    stairs = ShapingCurve.quantize(levels)(x)
    assert np.allclose(np.unique(stairs.round(9)), np.linspace(-1, 1, levels))
    for edge in (0.3, 1.0):
        eased = ShapingCurve.quantize(levels, edge)(X)
        assert np.diff(eased).min() >= -1e-9
        assert (eased.min(), eased.max()) == (-1.0, 1.0)


def test_undulate_adds_waves():
    y = ShapingCurve.undulate(4, 0.1)(X)
    assert np.allclose(y, X + 0.1 * np.sin(4 * np.pi * (X + 1)), atol=1e-3)


@pytest.mark.parametrize("ratio", [0.5, 1.6, 3.0])
def test_expander_bends_by_a_power(ratio):
    y = ShapingCurve.expander(ratio)(X)
    assert np.allclose(y, np.sign(X) * np.abs(X) ** ratio, atol=0.01)
    assert np.diff(y).min() >= -1e-12


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("cosine", "cosine"),
        ("cap(-0.5, 0.8)", "cap(-0.5, 0.8)"),
        (" Soft Limit ( -60,20, 10 )", "soft_limit(-60, 20, 10)"),
        ("quantize(5)", "quantize(5)"),
        ("soft-limit", "soft_limit"),
        ("expander()", "expander"),
    ],
)
def test_words_make_curves_and_say_how(words, made):
    curve = make(words)
    assert curve.made == made
    assert make(curve.made) == curve


def test_every_constructor_of_the_class_is_in_the_library():
    for name in SHAPES:
        assert getattr(ShapingCurve, name)().points == SHAPES[name]().points
        assert SHAPE_TEXTS[name]


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        ("cosin", UnknownNameError, 'Did you mean "cosine"'),
        ("os.system(1)", UnknownNameError, "The library has"),
        ("cap(1, 2, 3)", ParameterError, "takes low, high"),
        ("cosine(1)", ParameterError, "takes no numbers"),
        ("cap(a, 2)", ParameterError, '"a" in "cap'),
        ("cap(nan, 2)", ParameterError, "not a finite number"),
        ("cap(2, 1)", ParameterError, "must lie below"),
        ("soft_limit(0, 1, 0.6)", ParameterError, "at most half"),
        ("quantize(2.5)", ParameterError, "whole number"),
        ("quantize(1)", ParameterError, "2 to 1000"),
        ("quantize(3, 2)", ParameterError, "0 to 1"),
        ("step(0, -1)", ParameterError, "0 or more"),
        ("undulate(0)", ParameterError, "above 0"),
        ("expander(0)", ParameterError, "0.1 to 10"),
    ],
)
def test_what_cannot_be_made_is_told(words, error, told):
    with pytest.raises(error, match=told):
        make(words)
