import numpy as np

from kinetune.contours.matching.edge_places import EdgePlaces, between, matched_line
from kinetune.contours.outlines import Outline
from tests.contours.curves import ring

CIRCLE = ring(40, count=200)
SQUASHED = 50 + 50j + 1.3 * (CIRCLE.real - 50) + 0.5j * (CIRCLE.imag - 50)


def gap(points: np.ndarray, edge: np.ndarray) -> float:
    import shapely

    path = shapely.LinearRing(np.stack([edge.real, edge.imag], axis=-1))
    return float(shapely.distance(path, shapely.points(points.real, points.imag)).max())


def test_a_line_comes_back_from_its_places_exactly() -> None:
    line = np.array([20 + 30j, 40 + 9j, 60 + 12j, 95 + 40j])
    assert np.abs(EdgePlaces.of(line, CIRCLE).on(CIRCLE[None])[0] - line).max() < 1e-9


def test_a_line_on_the_edge_stays_on_it() -> None:
    line = CIRCLE[20:90] * 0.5 + CIRCLE[21:91] * 0.5
    assert gap(EdgePlaces.of(line, CIRCLE).on(SQUASHED[None])[0], SQUASHED) < 1e-9


def test_between_two_lines_on_one_edge_lie_lines_on_it() -> None:
    one, other = Outline(CIRCLE[10:60], closed=False), Outline(SQUASHED[80:20:-1], closed=False)
    a, b = matched_line(one, other, CIRCLE, SQUASHED)
    times = np.linspace(0, 1, 7)
    frames = np.array([(1 - t) * CIRCLE + t * SQUASHED for t in times])
    lines = between(a, b, times, len(CIRCLE)).on(frames)
    assert max(gap(line, edge) for line, edge in zip(lines, frames, strict=True)) < 1e-9
    assert abs(lines[-1][0] - SQUASHED[21]) < 1e-9  # run in the direction of the first line
    assert abs(lines[0][-1] - CIRCLE[59]) < 1e-9


def test_rings_go_round_once() -> None:
    one, other = Outline(CIRCLE, closed=True), Outline(np.roll(SQUASHED, 70), closed=True)
    a, b = matched_line(one, other, CIRCLE, SQUASHED)
    halfway = between(a, b, np.array([0.5]), len(CIRCLE)).at[0]
    assert 0.99 * len(CIRCLE) < np.ptp(halfway) < 1.01 * len(CIRCLE)


def test_places_do_not_leap_across_a_thin_shape() -> None:
    """A line beside a strip 1 unit thin follows one of its sides, though the other is as near."""
    x = np.linspace(0, 100, 120)
    strip = np.concatenate([x, (x + 1j)[::-1]])
    line = x[5:-5] + 1j * (0.5 + 0.01 * np.sin(x[5:-5]))
    assert np.abs(np.diff(EdgePlaces.of(line, strip).at)).max() < 4


def test_a_line_that_only_one_drawing_has_retracts_to_the_edge() -> None:
    """A hook into the fill, and a line across it: half way both lie on the edge, or nearly so."""
    hook = np.concatenate([CIRCLE[20:60], [55 + 60j, 50 + 60j], CIRCLE[62:90]])
    chord = np.concatenate([CIRCLE[10:30], CIRCLE[90:100]])
    for line in (hook, chord):
        places = EdgePlaces.of(line, CIRCLE)
        away = np.array([0.0, 0.5, 1.0])
        at_first, half_way, _ = next(places.towards_edge(away, retract=True)).on(np.repeat(CIRCLE[None], 3, axis=0))
        assert np.abs(at_first - line).max() < 1e-9
        assert gap(half_way, CIRCLE) < 0.11 * max(gap(line, CIRCLE), 1e-6)
        middles = 0.5 * (half_way[1:] + half_way[:-1])
        assert gap(middles, CIRCLE) < 4.0
