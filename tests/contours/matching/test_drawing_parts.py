from dataclasses import replace

import numpy as np

from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.layer_shapes import split_layer
from kinetune.contours.matching.drawing_parts import DrawingPart, find_parts, polygon
from tests.contours.curves import ring
from tests.contours.faces import line, patch, round_face


def parts_of(drawing: Drawing, whole: tuple[int, ...] = ()) -> list[DrawingPart]:
    return find_parts(drawing, [split_layer(layer) for layer in drawing.layers], 100.0, whole)


def test_every_shape_is_a_part_unless_its_layer_stays_whole() -> None:
    assert [part.layer for part in parts_of(round_face())] == [0, 1, 1, 2, 3]
    assert [part.layer for part in parts_of(round_face(), (1,))] == [0, 1, 2, 3]


def test_a_scribble_covers_its_hull_and_a_bow_its_two_wings() -> None:
    """Cutting a scribble of 30,000 crossings into faces takes minutes."""
    dice = np.random.default_rng(1)
    scribble = dice.uniform(size=500) + 1j * dice.uniform(size=500)
    assert polygon(scribble).equals(polygon(scribble).convex_hull)
    assert polygon(np.array([0, 2 + 2j, 2, 2j])).area == 2.0


def test_a_line_along_the_edge_of_a_fill_belongs_to_it() -> None:
    head = ring(40)
    half = head[:20]  # a quarter of the circle and more
    away = np.array([5 + 5j, 15 + 5j, 15 + 25j])
    drawing = Drawing((patch(head, "#fff"), line(half), line(away), patch(ring(10), "#f00")))
    assert [part.host for part in parts_of(drawing)] == [None, 0, None, None]


def test_the_smallest_fill_with_a_line_on_its_edge_is_its_host() -> None:
    drawing = Drawing((patch(ring(40), "#fff"), patch(ring(39.5), "#f00"), line(ring(39.7), True)))
    assert parts_of(drawing)[2].host == 1


def test_the_parent_is_the_smallest_fill_below_that_holds_a_part() -> None:
    rings = [patch(ring(radius), "#fff") for radius in (40, 20, 5)]
    assert [part.parent for part in parts_of(Drawing(tuple(rings)))] == [None, 0, 1]
    assert [part.depth for part in parts_of(Drawing(tuple(rings)))] == [0, 1, 2]
    assert [part.parent for part in parts_of(Drawing(tuple(rings[::-1])))] == [None, None, None]


def test_a_fill_that_is_hidden_round_a_part_is_not_its_parent() -> None:
    """What is drawn on the front one of two sheets does not lie on the smaller sheet behind."""
    sheets = [patch(ring(30, 45 + 50j), "#66f"), patch(ring(35), "#99f"), patch(ring(5), "#00f")]
    assert parts_of(Drawing(tuple(sheets)))[2].parent == 1
    glass = replace(sheets[1], fill_opacity=0.5)
    assert parts_of(Drawing((sheets[0], glass, sheets[2])))[2].parent == 0


def test_twins_are_mirror_images_of_one_paint() -> None:
    _, left, right, mouth, _ = parts_of(round_face())
    assert (left.twin, right.twin, mouth.twin) == (right.number, left.number, None)
    assert (left.side, right.side) == (-1, 1)
    face = round_face()
    one, two = face.layers[1].contours
    other = face.replace_layers((face.layers[0], Layer((one,), fill="#111"), Layer((two,), fill="#a0f")))
    assert all(part.twin is None for part in parts_of(other))


def test_eyes_beside_the_middle_are_twins_and_lie_on_what_holds_both() -> None:
    body, spot = patch(ring(40), "#fff"), patch(ring(9, 42 + 35j), "#c84")
    eyes = [patch(ring(4, 22 + 34.5j), "#000"), patch(ring(4, 42 + 35j), "#000")]
    left, right = parts_of(Drawing((body, spot, *eyes)))[2:]
    assert (left.twin, right.twin) == (right.number, left.number)
    assert (left.parent, right.parent) == (0, 0)


def test_dots_with_round_ends_are_parts() -> None:
    head, point = patch(ring(40), "#fff"), np.array([30 + 30j, 30 + 30j])
    assert len(parts_of(Drawing((head, replace(line(point), stroke_cap="round"))))) == 2
    assert len(parts_of(Drawing((head, line(point))))) == 1
