import numpy as np
import pytest
import shapely

from kinetune.contours.drawing import Contour
from kinetune.contours.outlines import (
    MOST_VERTICES,
    Outline,
    all_simple,
    count_self_crossing,
    estimate_crossings,
    ring_area,
    ring_centroid,
)
from tests.contours.curves import ARROW, BOW, SQUARE, drawing, flower, outline, ring


def test_area_and_centroid_agree_with_geos() -> None:
    for z in (ARROW, flower(5), SQUARE + 1e4):
        plate = shapely.Polygon(np.stack([z.real, z.imag], axis=-1))
        assert abs(ring_area(z)) == pytest.approx(plate.area)
        assert complex(ring_centroid(z)) == pytest.approx(complex(plate.centroid.x, plate.centroid.y))


def test_many_rings_at_once() -> None:
    rings = np.stack([SQUARE, 2 * SQUARE, SQUARE[::-1]])
    np.testing.assert_allclose(ring_area(rings), [3600, 14400, -3600])


def test_repeated_points_are_dropped_and_the_way_round_is_one() -> None:
    z = np.repeat(SQUARE[::-1], 3)
    found = outline(np.append(z, z[:1]))
    assert len(found.points) == 4
    assert ring_area(found.points) > 0
    assert set(found.points) == set(SQUARE)


def test_a_dot_is_no_outline() -> None:
    assert Outline.of(Contour([[3.0, 4.0], [3.0, 4.0]])) is None


@pytest.mark.slow
def test_a_million_points_become_few_and_stay_close() -> None:
    angle = np.linspace(0, 2 * np.pi, 1_000_000, endpoint=False)
    z = 50 + 50j + (30 + 3 * np.sin(9 * angle)) * np.exp(1j * angle)
    found = outline(z)
    assert len(found.points) <= MOST_VERTICES
    line = shapely.LinearRing(np.stack([found.points.real, found.points.imag], axis=-1))
    apart = shapely.distance(line, shapely.points(z.real[::997], z.imag[::997]))
    assert apart.max() < 0.05


@pytest.mark.parametrize("closed", [True, False])
def test_a_scribble_keeps_its_course(closed: bool) -> None:
    """No tolerance brings it down to a few vertices without collapsing it."""
    dice = np.random.default_rng(0)
    z = dice.uniform(0, 100, 5000) + 1j * dice.uniform(0, 100, 5000)
    found = outline(z, closed=closed)
    assert 100 < len(found.points) <= MOST_VERTICES
    assert np.ptp(found.points.real) > 80 < np.ptp(found.points.imag)


def test_a_spiral_of_many_turns_keeps_its_course() -> None:
    angle = np.linspace(0, 300 * np.pi, 60_000)
    found = outline(angle * np.exp(1j * angle), closed=False)
    assert 100 < len(found.points) <= MOST_VERTICES


def test_places_and_points_along() -> None:
    found = outline(SQUARE)
    np.testing.assert_allclose(found.shares, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(found.along(np.array([0.125, 1.125, -0.125])), [50 + 20j, 50 + 20j, 20 + 50j])
    line = outline(SQUARE, closed=False)
    np.testing.assert_allclose(line.along(np.array([-1.0, 2.0])), SQUARE[[0, 3]])


def test_corners_are_found_with_their_direction() -> None:
    places, turns = outline(ARROW).corners
    assert len(places) == 4
    assert np.sum(turns < 0) == 1  # the notch
    assert len(outline(ring()).corners[0]) == 0


def test_simplicity_is_told() -> None:
    assert all_simple(np.stack([SQUARE, BOW]), closed=True).tolist() == [True, False]
    assert count_self_crossing([drawing(SQUARE), drawing(BOW), drawing(SQUARE, BOW)]) == 2
    assert count_self_crossing([drawing(SQUARE[:2], closed=False)]) == 0


def test_what_is_not_drawn_has_no_centroid() -> None:
    rings = np.stack([SQUARE, np.full(4, np.nan + 0j)])
    found = ring_centroid(rings)
    assert found[0] == pytest.approx(50 + 50j)
    assert np.isnan(found[1])


def test_the_number_of_crossings_is_estimated() -> None:
    points = np.random.default_rng(1).uniform(0.0, 90.0, (300, 2))
    corners = shapely.get_num_coordinates(
        shapely.unary_union(shapely.linestrings(np.append(points, points[:1], axis=0)))
    )
    crossings = (corners - 300) / 4  # each cuts two edges, and both halves of both end in it
    assert estimate_crossings([Contour(points)]) == pytest.approx(crossings, rel=0.2)
