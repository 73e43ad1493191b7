"""Eases: where they start and end, what CSS says about them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.contours.timing.eases import EASES, cubic_bezier, ease_curve, eased
from kinetune.errors import ParameterError

TIMES = np.linspace(0.0, 1.0, 201)
SHARES = st.floats(0.0, 1.0)


@pytest.mark.parametrize("ease", [*EASES, "steps(4)", "cubic-bezier(.3, -.5, .7, 1.5)", "curve(0 0, 0.4 1.1, 1 1)"])
def test_an_ease_starts_at_the_first_key_and_ends_at_the_last(ease: str) -> None:
    bent = eased(TIMES, ease)
    assert (bent[0], bent[-1]) == (0.0, 1.0)
    assert ease_curve(ease)(np.array([0.0, 1.0])) == pytest.approx([0.0, 1.0], abs=1e-3)
    assert -0.5 < bent.min() <= bent.max() < 1.5


@given(SHARES, st.floats(-1, 2), SHARES, st.floats(-1, 2), SHARES)
def test_a_cubic_bezier_lies_on_its_curve(x1: float, y1: float, x2: float, y2: float, s: float) -> None:
    def at(one: float, other: float) -> float:
        return 3 * s * (1 - s) ** 2 * one + 3 * s * s * (1 - s) * other + s**3

    slope = 3 * (1 - s) ** 2 * x1 + 6 * s * (1 - s) * (x2 - x1) + 3 * s * s * (1 - x2)
    if slope > 1e-3:  # where x stands still, y may be anything
        assert float(cubic_bezier(x1, y1, x2, y2)(np.array([at(x1, x2)]))[0]) == pytest.approx(at(y1, y2), abs=1e-9)


def test_names_are_what_css_says_they_are() -> None:
    assert eased(TIMES, "ease-in-out") == pytest.approx(eased(TIMES, "cubic-bezier(0.42, 0, 0.58, 1)"))


@pytest.mark.parametrize("name", ["back", "elastic", "bounce"])
def test_an_ease_in_is_the_ease_out_backwards(name: str) -> None:
    assert eased(TIMES, f"{name}-in") == pytest.approx(1 - eased(TIMES, f"{name}-out")[::-1], abs=1e-12)


def test_back_and_elastic_overshoot_and_bounce_does_not() -> None:
    assert eased(TIMES, "back").max() == pytest.approx(1.1, abs=0.001)
    assert eased(TIMES, "elastic").max() > 1.2
    assert eased(TIMES, "bounce").max() == 1.0


def test_a_curve_goes_through_its_points_and_not_beyond() -> None:
    bent = eased(TIMES, "curve(0 0, 0.25 0.9, 0.5 0.9, 1 1)")
    assert bent[[50, 100]] == pytest.approx([0.9, 0.9])
    assert np.all(np.diff(bent) >= 0)


@pytest.mark.parametrize(
    ("ease", "message"),
    [
        ("smoth", "There is no ease"),
        ("cubic-bezier(1, 2, 3)", "takes 4 numbers"),
        ("cubic-bezier(2, 0, 0, 1)", "between 0 and 1"),
        ("cubic-bezier(a, 0, 0, 1)", "not a number"),
        ("steps(0)", "whole number"),
        ("curve(0 0, 0.5 1)", "from 0 to 1"),
        ("curve(0 0, 1)", "two or more points"),
        ("curve(0 0, 1 nan)", "not a number"),
    ],
)
def test_an_ease_that_is_none_gets_one_message(ease: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        eased(TIMES, ease)
    with pytest.raises(ParameterError, match="one finite number"):
        eased(TIMES, lambda t: t[:3])
