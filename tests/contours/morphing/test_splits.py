import numpy as np
import pytest
import shapely

from kinetune.contours.morphing.morph import Morph, morph
from tests.contours.curves import drawing, ring
from tests.contours.morphing.test_morph import plate


def areas(film: Morph, frame: int) -> list[float]:
    return [abs(plate(c.complex).area) for layer in film[frame].layers for c in layer.contours]


ROW = [ring(12, complex(x, 50)) for x in (16, 50, 84)]


@pytest.mark.parametrize("back", [False, True])
def test_one_disc_and_three_become_each_other_in_pieces(back: bool) -> None:
    """Before, two of the three were points near the disc."""
    one, three = drawing(ring(40)), drawing(*ROW)
    film = morph(three, one, 25) if back else morph(one, three, 25)
    for frame in range(1, 24):
        shown = areas(film, frame)
        assert len(shown) == 3
        assert min(shown) > 0.15 * sum(shown)


def test_pieces_lie_as_their_partners_do() -> None:
    film = morph(drawing(ring(40)), drawing(*ROW), 25)
    for frame in film[1:-1]:
        middles = sorted(c.complex.mean().real for layer in frame.layers for c in layer.contours)
        assert np.all(np.diff(middles) > 15)


def test_the_first_pieces_make_the_whole() -> None:
    film = morph(drawing(ring(40)), drawing(*ROW), 1001)
    pieces = shapely.union_all([plate(c.complex) for layer in film[1].layers for c in layer.contours])
    assert pieces.symmetric_difference(plate(ring(40))).area < 0.01 * plate(ring(40)).area


def test_small_shapes_do_not_cut_a_large_one() -> None:
    film = morph(drawing(ring(40)), drawing(ring(35, 55 + 50j), ring(4, 10 + 10j)), 25)
    assert max(areas(film, 1)) == pytest.approx(plate(ring(40)).area, rel=0.1)


def test_a_ring_is_cut_through_its_hole_but_no_eye_is() -> None:
    halves = drawing(ring(18, 50 + 20j), ring(18, 50 + 80j))
    frame = morph(drawing(ring(45), ring(35)), halves, 25)[2]
    assert len([c for layer in frame.layers for c in layer.contours]) == 2
    eyes = drawing(ring(45), ring(6, 30 + 50j), ring(6, 70 + 50j))
    frame = morph(eyes, halves, 25)[2]
    assert max(plate(c.complex).area for layer in frame.layers for c in layer.contours) > 0.8 * plate(ring(45)).area


def test_what_lies_in_a_hole_becomes_what_stands_alone() -> None:
    target = drawing(ring(40), ring(30), ring(15))
    film = morph(target, drawing(ring(16, 25 + 50j), ring(16, 75 + 50j)), 25)
    assert all(len([a for a in areas(film, k) if a > 300]) >= 2 for k in range(1, 24))


def test_a_piece_may_leave_a_little_beyond_the_cut() -> None:
    """The tip of a hook lies beyond the cut, apart from the rest there, beside a piece with an eye."""
    hook = np.array([0, 100, 100 - 30j, 45 - 30j, 45 - 28j, 98 - 28j, 98 - 10j, 98, 98 + 50j, 50j])
    eye = ring(4, 25 + 25j)
    film = morph(drawing(hook + 40j, eye + 40j), drawing(ring(18, 25 + 60j), ring(18, 75 + 60j)), 9)
    assert all(len(areas(film, frame)) >= 2 for frame in range(1, 8))
