import numpy as np
import pytest
import shapely
import shapely.affinity

from kinetune.contours.interpolation.intrinsic_interpolation import interpolate, strain
from kinetune.contours.matching.correspondence import correspondences, matched_vertices
from kinetune.contours.morphing.safe_films import safe_line, safe_ring
from kinetune.contours.outlines import Outline, all_simple
from tests.contours.curves import ARROW, comb, flower, outline, spiral

TIMES = np.linspace(0, 1, 24)[1:-1]


def rounded(frames: np.ndarray) -> np.ndarray:
    return np.round(frames.real, 3) + 1j * np.round(frames.imag, 3)


@pytest.mark.slow
@pytest.mark.parametrize("elastic", [False, True])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ARROW, flower(7, 0.9)),
        (spiral(2), ARROW),
        (spiral(3), spiral(3, backwards=True)),
        (comb(), spiral(4, 1.5)),
    ],
)
def test_no_frame_crosses_itself_as_it_is_written(a: np.ndarray, b: np.ndarray, elastic: bool) -> None:
    film = safe_ring(outline(a), outline(b), TIMES, rounded, elastic=elastic)
    assert all_simple(rounded(film.frames), closed=True).all()
    assert film.how in ("first", "start", "guard")
    assert (film.smoothing > 0) == (film.how == "guard")


@pytest.mark.slow
def test_where_nothing_helps_frames_are_held() -> None:
    """A finish that makes the middle of every film cross leaves the frames before and after it."""

    def spoiled(frames: np.ndarray) -> np.ndarray:
        bad = frames.copy()
        if len(bad) == len(TIMES):
            bad[8:14] = np.resize([0, 1 + 1j, 1, 1j], frames.shape[1])
        return bad

    film = safe_ring(outline(ARROW), outline(flower(3)), TIMES, spoiled)
    assert film.how == "held"
    assert np.array_equal(film.frames[8], film.frames[7])
    assert np.array_equal(film.frames[13], film.frames[14])


def test_open_lines_do_not_cross() -> None:
    hook = np.array([0, 40, 40 + 30j, 10 + 30j, 10 + 10j, 30 + 10j, 30 + 20j])
    film = safe_line(outline(hook, False), outline(-1j * np.conj(hook) + 50j, False), TIMES, rounded)
    assert all_simple(rounded(film.frames), closed=False).all()
    assert not film.closed


def test_a_line_that_runs_the_other_way_is_turned_round() -> None:
    line = np.array([0, 10 + 0j, 10 + 5j])
    film = safe_line(outline(line, False), outline(line[::-1] + 20, False), TIMES, rounded)
    assert np.abs(np.diff(film.frames[:, 0]) - 20 / 23).max() < 1e-9


def test_pins_of_lines_decide_the_direction() -> None:
    line = np.array([0, 10 + 0j, 10 + 5j])
    film = safe_line(outline(line, False), outline(line + 20, False), TIMES, rounded, pins=((0.1, 0.9), (0.9, 0.1)))
    assert abs(film.b[0] - (line[-1] + 20)) < 1e-9


def test_curves_that_cross_are_left_free() -> None:
    bow = np.array([0, 10 + 10j, 10, 10j])
    assert safe_ring(outline(bow), outline(ARROW), TIMES, rounded, guard=False).how == "free"
    loop = np.array([0, 10 + 10j, 10, 10j])
    assert safe_line(outline(loop, False), outline(ARROW, False), TIMES, rounded).how == "free"


def test_of_strained_films_the_least_strained_is_taken() -> None:
    """A 2 becomes a 3: in the first match its foot is swallowed, to grow again as an arm; by arc length it swings."""

    def pen(*points: tuple[float, float]) -> Outline:
        stroke = shapely.LineString(points).buffer(6)
        return outline(np.array([complex(*point) for point in stroke.exterior.coords[:-1]]))

    two = pen((22, 20), (70, 20), (82, 30), (80, 42), (30, 64), (24, 80), (82, 80))
    three = pen((22, 20), (70, 20), (82, 34), (68, 49), (40, 50), (68, 51), (82, 66), (70, 80), (22, 80))
    film = safe_ring(two, three, TIMES, rounded)
    sound = []
    for elastic in (True, False):
        for way in correspondences(two, three, elastic=elastic):
            za, zb = matched_vertices(two, three, way)
            if all_simple(rounded(interpolate(za, zb, TIMES)), closed=True).all():
                sound.append(strain(za, zb))
    taken = strain(film.a, film.b)
    assert taken <= max(0.6, 1.15 * min(sound))
    assert sound[0] > 1.1 * taken  # the first one was not good enough
    assert film.how == "start"


def test_an_open_line_that_must_unroll_does_and_stays_its_size() -> None:
    """A hook becomes a spiral wound the other way: every direct way crosses, and bends open on the way instead."""
    hook = np.array([20 + 20j, 80 + 20j, 80 + 80j, 40 + 80j, 40 + 45j, 60 + 45j])
    at = np.linspace(1, 0, 60)
    wound = 50 + 50j + (5 + 35 * at) * np.exp(4j * np.pi * at)
    film = safe_line(outline(hook, False), outline(wound, False), TIMES, rounded)
    assert film.how == "guard"
    assert 0 < film.smoothing < 1
    assert all_simple(rounded(film.frames), closed=False).all()
    spread = np.abs(film.frames - film.frames.mean(axis=1, keepdims=True)).max(axis=1)
    assert spread.max() < 1.5 * np.abs(hook - hook.mean()).max()
    assert np.abs(np.diff(film.frames, axis=0)).max() < 15  # it goes there step by step


def test_symmetric_shapes_stay_symmetric_between() -> None:
    """A heart becomes a star: the nearest bends are those of one leg of the star, which made the film lopsided."""
    t = 2 * np.pi * np.arange(96) / 96
    heart = 50 + 50j + 2.4 * (16 * np.sin(t) ** 3 - 1j * (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t)))
    corner = 2 * np.pi * np.arange(10) / 10
    star = 50 + 50j + np.where(np.arange(10) % 2, 17, 42) * (np.sin(corner) - 1j * np.cos(corner))
    film = safe_ring(outline(heart), outline(star), TIMES, rounded)
    for frame in film.frames:
        shape = shapely.Polygon(np.stack([frame.real, frame.imag], axis=-1))
        mirrored = shapely.affinity.scale(shape, -1.0, 1.0, origin=(shape.centroid.x, 0.0))
        assert shape.symmetric_difference(mirrored).area < 0.02 * shape.area
