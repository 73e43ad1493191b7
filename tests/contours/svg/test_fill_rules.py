"""The nonzero rule as even-odd curves, checked against winding numbers on a grid of points."""

import numpy as np
import pytest

from kinetune.contours.drawing import Contour
from kinetune.contours.svg._fill_rules import nesting_depths, orient, to_even_odd, winding


def square(low, high, clockwise=True):
    contour = Contour([[low, low], [high, low], [high, high], [low, high]])
    return contour if clockwise else contour.reversed()


GRID = np.stack(np.meshgrid(np.linspace(-1, 11, 37) + 0.013, np.linspace(-1, 11, 37) + 0.017), axis=-1).reshape(-1, 2)
STAR = Contour([[5 + 5 * np.sin(a), 5 - 5 * np.cos(a)] for a in 0.8 * np.pi * np.arange(5)])
EIGHT = Contour([[0, 0], [10, 10], [10, 0], [0, 10]])
CASES = {
    "one": [square(0, 10)],
    "same way inside": [square(0, 10), square(2, 8)],
    "hole": [square(0, 10), square(2, 8, False)],
    "island": [square(0, 10), square(2, 8, False), square(4, 6)],
    "hole in a double": [square(0, 10), square(1, 9), square(2, 8, False), square(3, 7, False)],
    "overlapping": [square(0, 6), square(4, 10)],
    "overlapping the other way": [square(0, 6), square(4, 10, False)],
    "star": [STAR],
    "eight": [EIGHT],
    "apart": [square(0, 3), square(6, 9, False)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_same_paper_is_filled(name):
    contours = CASES[name]
    wanted = sum(winding(contour.points, GRID) for contour in contours) != 0
    kept, problem = to_even_odd(contours)
    assert problem is None
    found = sum(winding(contour.points, GRID) for contour in kept) % 2 == 1
    crossings = sum(np.abs(winding(contour.points, GRID)) for contour in kept) % 2 == 1
    assert np.array_equal(found, wanted)
    assert np.array_equal(crossings, wanted)


@pytest.mark.parametrize("name", ["one", "hole", "island", "eight", "apart"])
def test_curves_that_mean_the_same_by_both_rules_are_untouched(name):
    kept, _ = to_even_odd(CASES[name])
    assert all(one is other for one, other in zip(kept, CASES[name], strict=True))


def test_depths_count_what_lies_around():
    assert nesting_depths(CASES["hole in a double"]) == [0, 1, 2, 3]
    assert nesting_depths([square(6, 9), square(0, 3)]) == [0, 0]


def test_oriented_curves_fill_alike_by_both_rules():
    turned = orient([square(2, 8), square(0, 10, False), square(4, 6, False)])
    assert [contour.area > 0 for contour in turned] == [False, True, True]
    total = sum(winding(contour.points, GRID) for contour in turned)
    assert np.array_equal(total != 0, total % 2 == 1)


def test_winding_counts_turns():
    twice = Contour(np.exp(2j * np.pi * np.arange(40) / 20))
    assert winding(twice.points, np.zeros(2))[0] == 2
    assert winding(twice.reversed().points, np.array([[0, 0], [5, 0]])).tolist() == [-2, 0]


def naive_depths(contours):
    """Each curve against each other, one by one."""
    import shapely

    from kinetune.contours.svg._fill_rules import _inner_point

    shapes = [shapely.polygons(contour.points) for contour in contours]
    areas = [abs(contour.area) for contour in contours]
    return [
        sum(
            bool(areas[j] > areas[i] and shapely.contains_xy(shapes[j], *_inner_point(contour)))
            for j in range(len(contours))
        )
        for i, contour in enumerate(contours)
    ]


def naive_cross(contours):
    import shapely

    lines = [shapely.linestrings(np.concatenate([c.points, c.points[:1]])) for c in contours]
    pairs = ((a, b) for k, a in enumerate(lines) for b in lines[:k])
    return not all(shapely.is_simple(lines)) or any(shapely.intersects(a, b) for a, b in pairs)


@pytest.mark.parametrize("seed", range(40))
def test_depths_and_crossings_are_those_of_every_pair(seed):
    from kinetune.contours.svg._fill_rules import _cross

    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(7) / 7
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    spread = 0.02 if seed % 2 else 1.0
    contours = [
        Contour((spread * rng.normal(size=2) + rng.uniform(0.1, 3) * ring)[:: rng.choice([1, -1])])
        for _ in range(rng.integers(2, 30))
    ]
    assert nesting_depths(contours) == naive_depths(contours)
    assert _cross(contours) == naive_cross(contours)


@pytest.mark.parametrize("seed", range(20))
def test_copies_of_a_curve_wind_as_often_as_they_are_there(seed):
    """What the nonzero rule fills is what its definition says, also where curves lie on each other."""
    rng = np.random.default_rng(seed)
    curves = [Contour(rng.uniform(-1, 1, size=(6, 2))) for _ in range(3)]
    curves = [curves[k] for k in rng.integers(0, 3, size=7)]
    curves += [Contour(curve.points[::-1]) for curve in curves[: rng.integers(0, 5)]]
    filled, problem = to_even_odd(curves)
    assert problem is None
    points = rng.uniform(-1, 1, size=(300, 2))
    nonzero = sum(winding(curve.points, points) for curve in curves) != 0
    odd = sum((winding(curve.points, points) for curve in filled), np.zeros(len(points), dtype=int)) % 2 != 0
    np.testing.assert_array_equal(odd, nonzero)


def test_a_curve_that_is_painted_fifty_times_is_cut_once(monkeypatch):
    import shapely

    cut = []
    union = shapely.unary_union
    monkeypatch.setattr(shapely, "unary_union", lambda parts: cut.append(len(parts)) or union(parts))
    to_even_odd([Contour(np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]))] * 50)
    assert cut[0] == 1
