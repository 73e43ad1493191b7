import numpy as np
import pytest

from kinetune.contours.matching.correspondence import correspondences, even_knots, matched_vertices
from kinetune.errors import ParameterError
from tests.contours.curves import ARROW, LETTER_L, SQUARE, flower, outline, ring


def nearest(points: np.ndarray, target: complex) -> float:
    return float(np.abs(points - target).min())


@pytest.mark.parametrize("elastic", [False, True])
def test_vertices_of_both_curves_are_kept(elastic: bool) -> None:
    """No corner of either is cut off."""
    a, b = outline(ARROW), outline(flower(4, count=60))
    za, zb = matched_vertices(a, b, next(correspondences(a, b, elastic=elastic)))
    assert len(za) == len(zb)
    assert max(nearest(za, corner) for corner in a.points) < 1e-4
    assert max(nearest(zb, corner) for corner in b.points) < 1e-4


@pytest.mark.parametrize("elastic", [False, True])
def test_knots_grow_and_go_round_once(elastic: bool) -> None:
    for found in correspondences(outline(LETTER_L), outline(ARROW), elastic=elastic):
        for knots in (found.a, found.b):
            assert np.all(np.diff(knots) > 0)
            assert knots[-1] - knots[0] == pytest.approx(1.0)


def test_corners_meet_corners() -> None:
    """A square and a rectangle of other shares: without elasticity corners would be apart by up to 1/8 of the way."""
    a = outline(SQUARE)
    b = outline(np.array([20 + 30j, 80 + 30j, 80 + 70j, 20 + 70j]))
    za, zb = matched_vertices(a, b, next(correspondences(a, b, elastic=True)))
    for corner in a.points:
        at = int(np.argmin(np.abs(za - corner)))
        assert min(abs(zb[at] - other) for other in b.points) < 1e-6


def test_pins_are_met_exactly() -> None:
    a, b = outline(ring()), outline(SQUARE)
    pins = ((0.1, 0.6), (0.4, 0.8), (0.7, 0.3))
    for elastic in (False, True):
        found = list(correspondences(a, b, elastic=elastic, pins=pins))
        assert len(found) == 1
        for on_a, on_b in pins:
            there = np.interp(found[0].a[0] + (on_a - found[0].a[0]) % 1, found[0].a, found[0].b)
            assert there % 1 == pytest.approx(on_b, abs=1e-9)


def test_pins_that_jump_over_each_other_are_refused() -> None:
    with pytest.raises(ParameterError, match="order"):
        next(correspondences(outline(ring()), outline(SQUARE), pins=((0.1, 0.1), (0.4, 0.9), (0.7, 0.5))))


def test_open_curves_keep_their_ends() -> None:
    a, b = outline(ARROW, closed=False), outline(LETTER_L, closed=False)
    za, zb = matched_vertices(a, b, next(correspondences(a, b, elastic=True)))
    assert (za[0], za[-1]) == (a.points[0], a.points[-1])
    assert (zb[0], zb[-1]) == (b.points[0], b.points[-1])
    za, zb = matched_vertices(a, b, next(correspondences(a, b, pins=((0.0, 0.0), (0.5, 0.3)))))
    assert (zb[0], zb[-1]) == (b.points[0], b.points[-1])


def test_even_knots_know_nothing_of_bends() -> None:
    found = even_knots(outline(ARROW), outline(SQUARE), 0.3)
    assert found.a.tolist() == [0, 1]
    assert found.b.tolist() == [0.3, 1.3]
