import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Layer
from kinetune.contours.layer_shapes import split_layer
from kinetune.contours.outlines import all_simple, ring_area
from tests.contours.curves import BOW, SQUARE, pentagram, ring


def layer(*curves: np.ndarray, closed: bool = True, **paint: object) -> Layer:
    return Layer(tuple(Contour(curve, closed) for curve in curves), **paint)  # type: ignore[arg-type]


def test_curves_in_curves_are_nested() -> None:
    found = split_layer(layer(ring(8), ring(40), ring(30), ring(5, 90 + 10j), ring(20)))
    assert sorted(len(list(shape.everything())) for shape in found.shapes) == [1, 4]
    depth, shape = 0, max(found.shapes, key=lambda s: s.outline.size)
    while shape.inner:
        (inner,) = shape.inner
        assert inner.outline.size < shape.outline.size
        depth, shape = depth + 1, inner
    assert depth == 3
    assert found.notes == ()


def test_a_filled_curve_that_crosses_becomes_what_it_fills() -> None:
    """By the even-odd rule a pentagram is five tips round a hole."""
    found = split_layer(layer(pentagram()))
    (star,) = found.shapes
    assert len(star.inner) == 1
    assert all(all_simple(s.outline.points[None], True)[0] for s in star.everything())
    assert "crosses itself" in found.notes[0]
    filled = abs(ring_area(star.outline.points)) - abs(ring_area(star.inner[0].outline.points))
    import shapely

    expected = shapely.make_valid(shapely.Polygon(np.stack([pentagram().real, pentagram().imag], axis=-1))).area
    assert filled == pytest.approx(expected, rel=0.05)


def test_a_bow_whose_areas_cancel_is_not_empty() -> None:
    (bow,) = split_layer(layer(BOW)).shapes
    assert ring_area(bow.outline.points) == pytest.approx(1800, rel=0.05)


def test_an_unfilled_curve_that_crosses_is_left_alone() -> None:
    found = split_layer(layer(BOW, fill=None, stroke="#000"))
    assert found.shapes[0].crossing
    assert len(found.shapes[0].outline.points) == 4
    assert "may do so too" in found.notes[0]


def test_filled_curves_that_overlap_are_combined() -> None:
    found = split_layer(layer(ring(20, 40 + 50j), ring(20, 60 + 50j)))
    assert sum(len(shape.inner) for shape in found.shapes) == 1  # the lens between them is empty


def test_open_curves() -> None:
    assert split_layer(layer(SQUARE, closed=False)).shapes[0].outline.closed  # filling closes them
    assert not split_layer(layer(SQUARE, closed=False, stroke="#000")).shapes[0].outline.closed
    assert split_layer(layer(BOW, closed=False, stroke="#000")).shapes[0].crossing


def test_curves_without_area() -> None:
    flat = np.array([0, 10 + 10j, 5 + 5j])
    assert split_layer(layer(flat)).shapes == ()  # paints nothing
    (line,) = split_layer(layer(flat, stroke="#000")).shapes
    assert sorted(line.outline.points, key=abs) == [0, 10 + 10j]
    assert split_layer(layer(np.array([3 + 4j, 3 + 4j]))).dots == (3 + 4j,)
    assert split_layer(layer()).shapes == ()
