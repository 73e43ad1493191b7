import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.contours.matching.outline_alignment import align, cut_open, mirror_ends, spin_cost, straight_start
from kinetune.contours.outlines import Outline
from tests.contours.curves import ARROW, LETTER_L, SQUARE, outline, ring


@pytest.mark.slow
@settings(deadline=None)
@given(start=st.integers(0, 5), turn_deg=st.floats(-95, 95), scale=st.floats(0.1, 10))
def test_a_turned_copy_is_recognised(start: int, turn_deg: float, scale: float) -> None:
    """A shape that was turned, scaled, moved and begun elsewhere fits itself with exactly that turn."""
    a = outline(LETTER_L)
    turned = 7 - 3j + scale * np.exp(1j * np.radians(turn_deg)) * np.roll(LETTER_L, -start)
    best = align(a, outline(turned), 1)[0]
    assert np.degrees(best.rotation) == pytest.approx(turn_deg, abs=3.0)  # start points lie on a grid of 128
    assert best.score > 0.9
    there = outline(turned).along(np.array([best.start]))[0]
    expected = 7 - 3j + scale * np.exp(1j * np.radians(turn_deg)) * LETTER_L[0]
    assert abs(there - expected) < 0.03 * outline(turned).length


def test_a_symmetric_shape_does_not_spin() -> None:
    for shape in (SQUARE, ring(count=64)):
        best = align(outline(shape), outline(np.roll(shape, 1)), 1)[0]
        assert best.rotation == pytest.approx(0.0, abs=1e-9)


def test_start_points_differ() -> None:
    found = align(outline(ARROW), outline(LETTER_L), 6)
    starts = sorted(a.start for a in found)
    assert len(found) == 6
    assert min(np.diff([*starts, starts[0] + 1])) > 3 / 128
    assert [a.score for a in found] == sorted((a.score for a in found), reverse=True)


def test_turning_costs_more_the_worse_the_fit() -> None:
    quarter, fits = np.full(3, np.pi / 2), np.array([0.0, 0.05, 0.5])
    assert np.all(np.diff(spin_cost(quarter, fits)) > 0)
    assert spin_cost(np.array(np.pi), np.array(0.0)) > 10 * spin_cost(np.array(np.pi / 2), np.array(0.0))
    assert spin_cost(np.array(0.0), np.array(0.5)) == 0.0


def test_open_curves_are_compared_both_ways() -> None:
    hook = np.array([0, 10 + 0j, 10 + 5j])
    assert align(outline(hook, False), outline(hook[::-1] + 3, False))[0].backwards
    assert not align(outline(hook, False), outline(hook + 3, False))[0].backwards


def test_the_straight_start_needs_no_turn() -> None:
    start = straight_start(outline(SQUARE), outline(np.roll(SQUARE, 1)))
    assert start == pytest.approx(0.25)


def test_a_ring_is_cut_to_fit_a_line() -> None:
    arc = 50 + 50j + 30 * np.exp(1j * np.linspace(0.2, 6.0, 60))
    cut = cut_open(outline(ring()), outline(arc, closed=False))
    assert isinstance(cut, Outline)
    assert not cut.closed
    assert cut.points[0] == pytest.approx(cut.points[-1])
    assert abs(cut.points[0] - 80 - 50j) < 6.0  # where the arc has its gap
    assert cut.length == pytest.approx(outline(ring()).length)


def test_a_part_of_a_drawing_rotates_with_what_it_lies_on() -> None:
    """Without a reason of its shape, any deviation costs, however small; one in step with the parent costs nothing."""
    angles = np.radians([10.0, 20.0, 40.0])
    assert spin_cost(np.array(0.4), np.array(0.5), 0.4) == 0.0
    assert np.all(spin_cost(angles, np.array(0.5), 0.0) > 3 * spin_cost(angles, np.array(0.5)))
    assert spin_cost(np.array(np.pi - 0.1), np.array(0.5), -np.pi + 0.1) < spin_cost(
        np.array(0.5), np.array(0.5), 0.0
    )  # the shorter way round


def test_parts_do_not_rotate_to_fit_somewhat_better() -> None:
    """A tall box fits a wide oval best when rotated by 90 degrees; a part of a drawing stays upright instead."""
    tall, wide = outline(0.4 * SQUARE.real + 1j * SQUARE.imag), outline(ring().real + 0.6j * ring().imag)
    assert abs(align(tall, wide, 1)[0].rotation) > 1.0
    assert abs(align(tall, wide, 1, upright=0.0)[0].rotation) < 0.2


def test_symmetric_shapes_meet_their_axis_where_it_cuts_them() -> None:
    tip, notch = 90 + 50j, 30 + 50j
    arrow, ball = outline(ARROW), outline(np.roll(ring(20, 10 + 70j), 5))
    (left, right) = mirror_ends(arrow, ball)
    assert arrow.along(np.array([left[0], right[0]])) == pytest.approx([notch, tip])
    assert ball.along(np.array([left[1], right[1]])) == pytest.approx([-10 + 70j, 30 + 70j], abs=0.2)


def test_shapes_that_are_not_symmetric_alike_have_no_common_axis() -> None:
    upright = outline(50 + 50j + 1j * (ARROW - 50 - 50j))
    assert mirror_ends(outline(ARROW), upright) == ()
    assert mirror_ends(outline(ARROW), outline(LETTER_L)) == ()
