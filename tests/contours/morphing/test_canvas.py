import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.canvas import CanvasChange, enlarge_canvas, on_first_canvas
from kinetune.contours.morphing.morph import morph
from kinetune.contours.svg.writer import drawing_to_svg
from tests.contours.curves import ARROW, SQUARE, drawing


def test_a_page_becomes_another() -> None:
    change = CanvasChange((0, 0, 24, 24), (0, 0, 512, 512))
    inside = change.bring(Contour([[0, 0], [512, 256]]))
    np.testing.assert_allclose(inside.points, [[0, 0], [24, 12]])
    assert change.bring_point(512 + 512j) == pytest.approx(24 + 24j)
    assert change.box(0.5) == (0, 0, 268, 268)
    back = change.lay(np.array([[0, 24 + 12j]]), np.array([1.0]))
    np.testing.assert_allclose(back, [[0, 512 + 256j]])


def test_pages_of_other_proportions_are_fitted_in() -> None:
    change = CanvasChange((0, 0, 100, 50), (10, 10, 10, 10))
    np.testing.assert_allclose(change.bring(Contour([[10, 10], [20, 20]])).points, [[25, 0], [75, 50]])


@pytest.mark.parametrize("box", [(0, 0, 24, 24), (0, 0, 100, 80), (-5, 2, 512, 300), (0, 0, 0.02, 0.02)])
def test_frames_are_written_as_they_were_checked(box: tuple[float, float, float, float]) -> None:
    """In-betweens lie on the grid of the SVG writer: its rounding changes nothing."""
    scale = max(box[2:]) / 100
    a, b = drawing(scale * SQUARE, box=box), drawing(scale * ARROW, box=box)
    for frame in morph(a, b, 6)[1:-1]:
        text = drawing_to_svg(frame).split(' d="M')[1].split(" Z")[0].replace(" L", " ").replace(",", " ")
        written = np.array(text.split(), dtype=float).reshape(-1, 2)
        np.testing.assert_allclose(written, next(frame.contours()).points, rtol=0, atol=1e-9 * scale)


def test_a_film_on_one_page() -> None:
    film = morph(drawing(SQUARE, stroke="#000", stroke_width=2.0), drawing(5 * SQUARE, box=(0, 0, 500, 500)), 5)
    assert film[2].view_box == (0, 0, 300, 300)
    flat = on_first_canvas(film)
    assert {frame.view_box for frame in flat} == {(0, 0, 100, 100)}
    assert flat[0] is film[0]
    for frame in flat:  # the square is the same on both canvases and so all the way
        assert np.ptp(next(frame.contours()).points, axis=0) == pytest.approx([60, 60], abs=0.01)
    assert flat[2].layers[0].stroke_width == pytest.approx(2.0)


def test_one_page_is_left_alone() -> None:
    canvas = Drawing((Layer(()),))
    assert on_first_canvas([canvas, canvas]) == [canvas, canvas]


def test_a_shape_that_swings_over_the_edge_gets_room() -> None:
    bar = np.array([2, 98, 98 + 10j, 2 + 10j]) + 45j
    film = morph(drawing(bar), drawing(50 + 50j + 1j * (bar - 50 - 50j)), 9)  # half way it lies in the corners
    low = min(frame.contours().__next__().points.min() for frame in film)
    tall = [Drawing(frame.layers, (0, 20, 100, 60)) for frame in film]
    roomy = enlarge_canvas([tall[0], *tall[1:-1], tall[0]])
    left, top, width, height = roomy[0].view_box
    assert {frame.view_box for frame in roomy} == {(left, top, width, height)}
    assert (left, width) == (0, 100)  # nothing passes these edges
    assert top < low < 20
    assert top + height > 80
    assert roomy[3].layers == tall[3].layers


def test_what_was_meant_to_be_cut_off_stays_so() -> None:
    away = drawing(SQUARE + 70)  # half of it is beyond the right edge, in a key
    assert enlarge_canvas(morph(drawing(SQUARE), away, 5))[0].view_box == (0, 0, 100, 100)
    inside = morph(drawing(SQUARE), drawing(ARROW), 5)
    assert enlarge_canvas(inside) == list(inside)
