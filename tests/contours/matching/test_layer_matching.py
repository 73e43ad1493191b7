import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.layer_shapes import split_layer
from kinetune.contours.matching.curve_pairing import Frame, pair_up
from kinetune.contours.matching.layer_matching import layer_index, layer_of_point, match_layers
from kinetune.contours.morphing.draw_order import merged_order
from kinetune.contours.outlines import Outline
from kinetune.errors import ParameterError, UnknownNameError
from tests.contours.curves import SQUARE, outline, ring


def stack(*layers: tuple[str, np.ndarray, str]) -> Drawing:
    return Drawing(tuple(Layer((Contour(points),), name, fill) for name, points, fill in layers))


def matched(a: Drawing, b: Drawing, **options: object) -> list[tuple[int | None, int | None]]:
    pieces = [[split_layer(layer) for layer in drawing.layers] for drawing in (a, b)]
    return match_layers(a, b, *pieces, **options)  # type: ignore[arg-type]


BIG, SMALL, LEFT = ring(40), ring(5, 70 + 70j), ring(8, 20 + 20j)


def test_names_come_first_whatever_the_shapes() -> None:
    a = stack(("head", BIG, "#000"), ("eye", SMALL, "#fff"))
    b = stack(("Eye", BIG, "#000"), ("head", SMALL, "#fff"))
    assert matched(a, b) == [(0, 1), (1, 0)]


def test_layers_without_shared_names_are_paired_by_shape() -> None:
    a = stack(("x1", BIG, "#aa0000"), ("x2", SMALL, "#ffffff"), ("x3", LEFT, "#00aa00"))
    b = stack(("y1", LEFT + 2, "#00bb00"), ("y2", BIG + 1, "#bb0000"), ("y3", SMALL - 1, "#eeeeee"))
    assert matched(a, b) == [(0, 1), (1, 2), (2, 0)]


def test_colour_decides_between_shapes_alike() -> None:
    a = stack(("", SQUARE, "#ff0000"), ("", SQUARE, "#0000ff"))
    b = stack(("", SQUARE, "#1010ee"), ("", SQUARE, "#ee1010"))
    assert matched(a, b, match="shape") == [(0, 1), (1, 0)]


def test_order_is_order() -> None:
    a = stack(("", BIG, "#000"), ("", SMALL, "#000"))
    b = stack(("", SMALL, "#000"), ("", BIG, "#000"), ("", LEFT, "#000"))
    assert matched(a, b, match="order") == [(0, 0), (1, 1), (None, 2)]


def test_what_has_no_partner_is_left_over() -> None:
    a = stack(("head", BIG, "#000"), ("hat", SMALL, "#000"))
    b = stack(("head", BIG, "#000"), ("scarf", LEFT, "#000"))
    assert matched(a, b) == [(0, 0), (1, None), (None, 1)]
    assert matched(a, b, match="name") == [(0, 0), (1, None), (None, 1)]
    assert matched(a, b, nearest=True) == [(0, 0), (1, 0), (0, 1)]
    assert matched(a, b, layers={"hat": "scarf"}) == [(0, 0), (1, 1)]


def test_the_users_map_wins() -> None:
    a = stack(("head", BIG, "#000"), ("eye", SMALL, "#000"))
    b = stack(("head", BIG, "#000"), ("eye", SMALL, "#000"))
    assert matched(a, b, layers={"head": "eye", 1: 0}) == [(0, 1), (1, 0)]
    assert matched(a, b, layers={"eye": None}) == [(0, 0), (1, None), (None, 1)]
    with pytest.raises(ParameterError, match="twice"):
        matched(a, b, layers={"head": "eye", "eye": "eye"})
    with pytest.raises(UnknownNameError, match=r'no layer of the first drawing "heat"\. Did you mean "head"'):
        matched(a, b, layers={"heat": "eye"})
    with pytest.raises(ParameterError, match="match must be one of"):
        matched(a, b, match="nearest")


def test_layers_by_number_and_by_point() -> None:
    a = stack(("head", BIG, "#000"), ("2", SMALL, "#000"))
    assert layer_index(a, "2", "first") == 1  # a name that is a number is still a name
    assert layer_index(a, "0", "first") == 0
    with pytest.raises(ParameterError, match="no layer 7"):
        layer_index(a, 7, "first")
    pieces = [split_layer(layer) for layer in a.layers]
    assert layer_of_point(a, pieces, 75 + 70j, "first") == 1
    with pytest.raises(ParameterError, match="lies on no curve of the second drawing"):
        layer_of_point(a, pieces, 400 + 0j, "second")


def test_layers_are_painted_in_the_order_of_each_side() -> None:
    pairs: list[tuple[int | None, int | None]] = [(0, 1), (1, None), (2, 0), (None, 2)]
    assert merged_order(pairs, 0) == [0, 3, 1, 2]  # the new layer 2 of b lies above its layer 1, which is pair 0
    assert merged_order(pairs, 1) == [2, 0, 1, 3]


def curves(*points: np.ndarray) -> list[Outline]:
    return [outline(p) for p in points]


def test_curves_find_those_in_like_places() -> None:
    a, b = curves(BIG, SMALL, LEFT), curves(LEFT + 3, BIG, SMALL - 3)
    frame = Frame.around(a)
    assert pair_up(a, b, frame, Frame.around(b)) == [(0, 1), (1, 2), (2, 0)]
    assert pair_up(a, b[:1], frame, frame)[2] == (2, 0)
    assert pair_up(a, b, frame, frame, fixed=[(0, 0)])[0] == (0, 0)
    assert pair_up(a[1:2], b[:1], frame, frame, most=0.2) == [(0, None), (None, 0)]


def test_thousands_of_curves_are_paired_by_size() -> None:
    many = curves(*(ring(1 + 0.001 * k, count=6) for k in range(1100)))
    frame = Frame.around(many)
    assert pair_up(many, many[::-1], frame, frame) == [(k, 1099 - k) for k in range(1100)]
