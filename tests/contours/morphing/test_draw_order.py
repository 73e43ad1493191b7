import itertools

import numpy as np
import pytest

from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.morph import morph
from tests.contours.curves import ring
from tests.contours.faces import patch, round_face, tall_face

CARD = 50 + 50j + np.array([-30 - 20j, 30 - 20j, 30 + 20j, -30 + 20j])


def cards(*fills: str) -> Drawing:
    """Cards on a table, all in one position, the last on top."""
    return Drawing((patch(3 * (CARD - 50 - 50j) + 50 + 50j, "#eeeeee"), *(patch(CARD, fill) for fill in fills)))


def test_frames_are_those_of_the_moving_drawing() -> None:
    film = morph(round_face(), tall_face(), 9)
    assert film.moving is not None
    for k, frame in enumerate(film[1:-1], start=1):
        shown = film.moving.drawing(k)
        assert [layer.fill for layer in shown.layers] == [layer.fill for layer in frame.layers]
        pairs = zip(shown.contours(), frame.contours(), strict=True)
        assert all(np.array_equal(one.points, other.points) for one, other in pairs)


def test_every_curve_has_one_topology_and_starts_and_ends_on_the_drawings() -> None:
    film = morph(round_face(), tall_face(), 9)
    assert film.moving is not None
    frames, closed = film.moving.layers[0].curves[0]
    assert closed
    assert frames.shape[0] == 9
    assert np.abs(np.abs(frames[0] - 50 - 50j) - 40).max() < 0.1
    assert frames[-1].imag.max() == pytest.approx(96, abs=1e-9)


def test_layers_that_overlap_change_places_by_fading() -> None:
    film = morph(cards("#ff0000", "#0000ff"), cards("#0000ff", "#ff0000"), 41)
    opacities = [[(layer.fill, layer.fill_opacity) for layer in frame.layers[1:]] for frame in film]
    assert [fill for fill, _ in opacities[1]] == ["#ff0000", "#0000ff"]
    assert [fill for fill, _ in opacities[-2]] == ["#0000ff", "#ff0000"]
    tops = [row[-1] for row in opacities if len(row) == 3]
    assert len(tops) > 5
    assert max(abs(one - other) for (_, one), (_, other) in itertools.pairwise(tops)) < 0.3
    for row in opacities:
        assert {fill for fill, opacity in row if opacity == 1.0} == {"#ff0000", "#0000ff"}


def test_layers_that_do_not_overlap_change_places_at_once() -> None:
    table = patch(ring(45), "#eeeeee")
    left, right = patch(ring(8, 30 + 50j), "#ff0000"), patch(ring(8, 70 + 50j), "#0000ff")
    film = morph(Drawing((table, left, right)), Drawing((table, right, left)), 24)
    assert all(len(frame.layers) == 3 for frame in film)
    assert all(layer.fill_opacity == 1.0 for frame in film for layer in frame.layers)


def test_a_layer_that_only_one_drawing_has_never_changes_its_position() -> None:
    """Whatever the others do, it is painted once, where its drawing has it."""
    table, red, blue = patch(ring(45), "#eeeeee"), patch(ring(20), "#ff0000"), patch(ring(16, 55 + 50j), "#0000ff")
    spot = patch(ring(2, 62 + 50j), "#00ff00")
    film = morph(Drawing((table, red, blue)), Drawing((table, blue, spot, red)), 24)
    assert film.moving is not None
    assert sum(layer.paints[0].fill == "#00ff00" for layer in film.moving.layers) == 1


def test_a_frame_does_not_depend_on_the_others() -> None:
    from kinetune.contours.morphing.morph import morph_at

    a, b = cards("#ff0000", "#0000ff"), cards("#0000ff", "#ff0000")
    alone = morph_at(a, b, [0.55])[0]
    among = morph_at(a, b, [0.0, 0.3, 0.55, 0.9])[2]
    assert [layer.fill_opacity for layer in alone.layers] == [layer.fill_opacity for layer in among.layers]
