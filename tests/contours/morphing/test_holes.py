import itertools

import numpy as np
import pytest
import shapely

from kinetune.contours.morphing._holes import carried, is_bent, is_steady, keep_inside, to_middle_line
from kinetune.contours.morphing.morph import morph
from kinetune.contours.outlines import count_self_crossing
from tests.contours.curves import ARROW, LETTER_L, drawing, outline, ring

TIMES = np.linspace(0, 1, 24)[1:-1]


def same(frames: np.ndarray) -> np.ndarray:
    return frames


def plate(points: np.ndarray) -> shapely.Polygon:
    return shapely.Polygon(np.stack([points.real, points.imag], axis=-1))


def test_a_point_is_carried_by_affine_maps() -> None:
    """Mean value coordinates reproduce linear functions, so that a point goes where the plane goes."""
    point = 40 + 55j
    stretched = np.stack([2 * ARROW.real + 1j * ARROW.imag + 3, np.exp(0.5j) * ARROW])
    np.testing.assert_allclose(carried(point, ARROW, stretched), [83 + 55j, np.exp(0.5j) * point], atol=1e-9)


def test_a_point_on_a_vertex_rides_on_it() -> None:
    assert carried(ARROW[2], ARROW, ARROW[None] + 5)[0] == pytest.approx(ARROW[2] + 5)


def test_what_is_inside_is_left_alone() -> None:
    around = np.tile(ring(40), (len(TIMES), 1))
    inner = np.tile(ring(10), (len(TIMES), 1))
    (kept,) = keep_inside(around, [(inner, "stays")], TIMES, same)
    assert np.array_equal(kept, inner)


def test_a_hole_stays_inside_a_shape_that_gets_narrow() -> None:
    """The outline is squeezed to a tenth of its width in the middle of the film."""
    width = 1 - 0.9 * np.sin(np.pi * TIMES)
    around = 50 + 50j + 40 * (width[:, None] * np.cos(np.linspace(0, 6.2, 60)) + 1j * np.sin(np.linspace(0, 6.2, 60)))
    inner = np.tile(ring(15), (len(TIMES), 1))
    (kept,) = keep_inside(around, [(inner, "stays")], TIMES, same)
    assert all(plate(o).contains_properly(plate(i)) for o, i in zip(around, kept, strict=True))
    sizes = np.array([plate(i).area for i in kept])
    assert sizes[0] > 0.8 * plate(ring(15)).area  # at the ends it is what it was
    assert np.abs(np.diff(np.sqrt(sizes))).max() < 0.25 * np.sqrt(sizes.max())  # it does not jump


def test_a_hole_whose_place_is_left_moves_along() -> None:
    shape = outline(LETTER_L).along(np.arange(120) / 120)
    path = TIMES[:, None] * 30 * (1 - 1j)  # into the empty corner of the L
    inner = ring(4, 30 + 80j)[None] + path
    (kept,) = keep_inside(np.tile(shape, (len(TIMES), 1)), [(inner, "stays")], TIMES, same)
    assert not np.isnan(kept).any()
    assert all(plate(shape).contains_properly(plate(i)) for i in kept)


def test_two_holes_that_would_meet_keep_apart() -> None:
    around = np.tile(ring(45), (len(TIMES), 1))
    path = 40 * (TIMES[:, None] - 0.5)
    films = [ring(12)[None] + path, ring(12)[None] - path]
    one, other = keep_inside(around, [(film, "stays") for film in films], TIMES, same)
    shown = ~(np.isnan(one[:, 0]) | np.isnan(other[:, 0]))
    assert shown.sum() > 15
    assert not any(plate(i).intersects(plate(j)) for i, j in zip(one[shown], other[shown], strict=True))


def test_an_island_in_a_hole_that_is_not_always_drawn() -> None:
    around = np.tile(ring(20), (len(TIMES), 1))
    around[5:9] = np.nan
    inner = ring(6)[None] + 30 * TIMES[:, None]  # it leaves its hole
    (kept,) = keep_inside(around, [(inner, "stays")], TIMES, same)
    shown = ~(np.isnan(around[:, 0]) | np.isnan(kept[:, 0]))
    assert shown.sum() > 12
    assert all(plate(o).contains_properly(plate(i)) for o, i in zip(around[shown], kept[shown], strict=True))


def test_each_gives_way_when_it_is_far_from_its_own_drawing() -> None:
    """One hole closes where another opens: the first is whole at first, the second at last, and they never meet."""
    around = np.tile(ring(45), (len(TIMES), 1))
    leaves = 50 + 50j + (1 - TIMES)[:, None] * (ring(15) - 50 - 50j)
    comes = 55 + 50j + TIMES[:, None] * (ring(15) - 50 - 50j)
    one, other = keep_inside(around, [(leaves, "leaves"), (comes, "comes")], TIMES, same)
    np.testing.assert_allclose(one[0], leaves[0])
    np.testing.assert_allclose(other[-1], comes[-1])
    shown = ~(np.isnan(one[:, 0]) | np.isnan(other[:, 0]))
    assert not any(plate(i).intersects(plate(j)) for i, j in zip(one[shown], other[shown], strict=True))


def test_a_leap_is_not_steady() -> None:
    around = np.tile(ring(45), (len(TIMES), 1))
    slow = ring(3)[None] + 20 * TIMES[:, None]
    assert is_steady(slow, around, TIMES)
    leap = slow.copy()
    leap[12:] -= 30j
    assert not is_steady(leap, around, TIMES)
    gone = slow.copy()
    gone[3] = np.nan
    assert not is_steady(gone, around, TIMES)


def arch(inner: float, outer: float) -> np.ndarray:
    """Half a ring, as the letter U."""
    half = np.exp(1j * np.linspace(np.pi, 2 * np.pi, 60))
    return 50 + 60j + np.concatenate([outer * half, inner * half[::-1]])


def test_a_bent_curve_goes_to_its_middle_line_and_stays_inside() -> None:
    bent = outline(arch(20, 30))
    assert is_bent(bent)
    assert not is_bent(outline(ring(12)))
    middle = to_middle_line(bent.points)
    assert np.median(np.abs(np.abs(middle - 50 - 60j) - 25)) < 0.1
    plates = [plate(middle + s * (bent.points - middle)) for s in (0.25, 0.5, 0.75, 1.0)]
    assert all(p.is_valid for p in plates)
    for thin, wide in itertools.pairwise(plates):
        assert thin.difference(wide).area < 1e-3 * wide.area


def test_a_bent_hole_gets_thinner_instead_of_closing_at_once() -> None:
    thin = 50 + 50j + 0.9 * (arch(20, 30) - 50 - 50j) + 1.5j
    film = morph(drawing(arch(16, 34), thin), drawing(ring(30)), 101)
    areas = [sorted(abs(plate(c.complex).area) for c in frame.layers[0].contours) for frame in film]
    holes = np.array([area[0] if len(area) > 1 else 0.0 for area in areas])
    assert holes[1] > 0.9 * holes[0]
    assert np.diff(holes).min() > -0.15 * holes[0]
    assert count_self_crossing(film) == 0
