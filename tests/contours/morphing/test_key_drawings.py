import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.key_drawings import CurveTrack, inbetween
from kinetune.contours.outlines import count_self_crossing
from kinetune.errors import ParameterError
from kinetune.samples.drawings import sample_drawing
from kinetune.signals.splines.tcb import TCB
from kinetune.signals.wavelets import split_scales
from tests.contours.curves import ARROW, LETTER_L, SQUARE, contours, drawing, flower, outline, ring, spiral

KEYS = [drawing(SQUARE), drawing(SQUARE + 20), drawing(SQUARE + 20 + 30j), drawing(SQUARE - 10j)]


def middle(frame: Drawing) -> complex:
    z = contours(frame)[0]
    return complex(0.5 * (z.real.min() + z.real.max()), 0.5 * (z.imag.min() + z.imag.max()))


def test_keys_are_met_exactly() -> None:
    film = inbetween(KEYS, [0, 1, 3, 4], 9)
    assert film[0] is KEYS[0]
    assert film[2] is KEYS[1]
    assert film[6] is KEYS[2]
    assert film[8] is KEYS[3]
    assert len(film) == 9
    assert kt.contours.inbetween(KEYS, frames=4) == KEYS


@pytest.mark.parametrize(
    "knobs", [{}, {"tension": [0, 1, -1, 0]}, {"continuity": -1.0}, {"bias": [0, 1, -0.5, 0]}, {"ends": "zero"}]
)
def test_a_moved_shape_follows_the_spline(knobs: dict[str, object]) -> None:
    """Squares that only move go where one Kochanek-Bartels spline goes."""
    times = np.array([0.0, 1.0, 3.0, 4.0])
    film = inbetween(KEYS, times, 13, **knobs)  # type: ignore[arg-type]
    path = TCB(times, [[50, 50], [70, 50], [70, 80], [50, 40]], **knobs)(np.linspace(0, 4, 13))  # type: ignore[arg-type]
    found = [middle(frame) for frame in film]
    np.testing.assert_allclose(np.stack([np.real(found), np.imag(found)], axis=-1), path, atol=1e-6)


def test_splines_of_points_are_splines_of_coefficients() -> None:
    """TCB through every wavelet coefficient gives the same curves as TCB through every sample."""
    keys = [outline(z).along(np.arange(256) / 256) for z in (ARROW, flower(5), LETTER_L)]
    points = np.stack([np.stack([z.real, z.imag], axis=-1) for z in keys])
    times, at, knobs = [0.0, 1.0, 2.5], np.linspace(0, 2.5, 11), {"tension": 0.3, "bias": [0.1, -0.4, 0]}
    coefficients = np.stack([split_scales(p, "db4").vector() for p in points])
    moved = TCB(times, coefficients, **knobs)(at)  # type: ignore[arg-type]
    direct = TCB(times, points, **knobs)(at)  # type: ignore[arg-type]
    scales = split_scales(points[0], "db4")
    from kinetune.signals.wavelets import join_scales

    for one, other in zip(moved, direct, strict=True):
        np.testing.assert_allclose(join_scales(scales.with_vector(one)), other, atol=1e-10)


def test_corners_of_all_keys_stay_on_the_track() -> None:
    track = CurveTrack.through([outline(z) for z in (SQUARE, ARROW, LETTER_L)])
    for row, corners in zip(track.points, (SQUARE, ARROW, LETTER_L), strict=True):
        assert max(np.abs(row - corner).min() for corner in corners) < 1e-3


def test_layers_come_and_go() -> None:
    head = Layer((Contour(ring(30)),), "head")
    hat = Layer((Contour(SQUARE * 0.3),), "hat", "#ff0000")
    film = inbetween([Drawing((head,)), Drawing((head, hat)), Drawing((head,)), Drawing((head,))], frames=13)
    counts = [sum(len(layer.contours) for layer in frame.layers) for frame in film]
    assert counts == [1, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1]


def test_paint_is_mixed_between_keys() -> None:
    film = inbetween(
        [drawing(SQUARE, fill="#000000"), drawing(SQUARE, fill="#ffffff"), drawing(SQUARE, fill=None)], frames=5
    )
    assert film[1].layers[0].fill not in ("#000000", "#ffffff")
    assert film[3].layers[0].fill_opacity == pytest.approx(0.5)


def test_pages_and_strokes_change_size() -> None:
    small, large = (
        drawing(SQUARE, stroke="#000", stroke_width=1.0),
        drawing(2 * SQUARE, box=(0, 0, 200, 200), stroke="#000", stroke_width=4.0),
    )
    film = inbetween([small, large], frames=3)
    assert film[1].view_box == (0, 0, 150, 150)
    assert np.ptp(contours(film[1])[0].real) == pytest.approx(90.0)
    assert film[1].layers[0].stroke_width == pytest.approx(2.25)


def test_open_lines_are_followed() -> None:
    line = np.array([0, 30 + 10j, 60])
    ink = {"fill": None, "stroke": "#000", "closed": False}
    film = inbetween(
        [drawing(line, **ink), drawing(line[::-1] + 10, **ink), drawing(ring(), fill=None, stroke="#000")], frames=5
    )
    assert contours(film[1])[0][0].real < 20  # the second is turned round: its start would be at 70
    assert not any(c.closed for frame in film[1:4] for c in frame.contours())


@pytest.mark.slow
def test_a_face_in_three_keys_at_few_points() -> None:
    happy, sad = sample_drawing("face-happy"), sample_drawing("face-sad")
    film = inbetween([happy, sad, happy], frames=7, resolution=16)
    assert len(film) == 7
    assert len(film[3].layer("head").contours[0]) == 256


@pytest.mark.slow
def test_inbetweens_do_not_cross() -> None:
    film = inbetween([drawing(spiral(2)), drawing(ARROW)], frames=9)
    assert film.notes == ()
    assert count_self_crossing(film) == 0
    assert inbetween([drawing(SQUARE), drawing(ring())], frames=5).notes == ()


def test_inbetweens_by_layers_show_the_frames() -> None:
    film = inbetween([sample_drawing(name) for name in ("face-happy", "face-sad", "face-happy")], frames=6)
    for frame in (1, 2, 4):
        for one, other in zip(film[frame].contours(), film.moving.drawing(frame).contours(), strict=True):
            assert np.array_equal(one.points, other.points)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drawings": KEYS[:1]}, "two or more"),
        ({"times": [0, 1]}, "4 growing numbers"),
        ({"times": [0, 1, 1, 2]}, "4 growing numbers"),
        ({"frames": 1}, "from 2 to"),
        ({"frames": [0.5, 9.0]}, "one row of times from 0 to 3"),
        ({"tension": [0, 1]}, "tension"),
    ],
)
def test_wrong_use(options: dict[str, object], words: str) -> None:
    given = {"drawings": KEYS, **options}
    with pytest.raises(ParameterError, match=words):
        inbetween(**given)  # type: ignore[arg-type]
