import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.layer_shapes import split_layer
from kinetune.contours.matching.drawing_parts import find_parts
from kinetune.contours.matching.layer_matching import layer_rules
from kinetune.contours.matching.part_matching import DrawingMatch, match_drawings, match_parts
from tests.contours.curves import ARROW, SQUARE, ring
from tests.contours.faces import oval, patch, round_face, tall_face

SHEET = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])


def matched(a: Drawing, b: Drawing, **options: object) -> DrawingMatch:
    shapes = [[split_layer(layer) for layer in drawing.layers] for drawing in (a, b)]
    return match_drawings(a, b, *shapes, **options)  # type: ignore[arg-type]


def matched_by_parts(a: Drawing, b: Drawing) -> DrawingMatch:
    """The match of parts alone, as where a drawing has no silhouette."""
    sides = [find_parts(each, [split_layer(layer) for layer in each.layers], 100.0) for each in (a, b)]
    rules = layer_rules(a, b)
    return DrawingMatch(sides[0], sides[1], match_parts(sides[0], sides[1], rules), rules)


def layers(match: DrawingMatch) -> set[tuple[int | None, int | None]]:
    return {(None if i is None else match.a[i].layer, None if j is None else match.b[j].layer) for i, j in match.pairs}


def test_faces_are_matched_feature_by_feature() -> None:
    match = matched(round_face(), tall_face())
    assert layers(match) == {(0, 0), (1, 2), (1, 3), (2, 1), (None, 4), (None, 5)}
    left, right = (match.b[j].side for i, j in match.pairs if i is not None and j is not None and match.a[i].layer == 1)
    assert (left, right) == (-1, 1)


def test_matching_backwards_finds_the_same_pairs() -> None:
    there = {(i, j) for i, j in matched(round_face(), tall_face()).pairs}
    assert {(j, i) for i, j in matched(tall_face(), round_face()).pairs} == there


def test_a_face_becomes_the_head_of_a_person() -> None:
    """Though the shirt lies in the middle, as the face does, and the trousers are larger."""
    head, eyes = patch(ring(9, 50 + 14j), "#ffdd33"), patch(ring(1, 53 + 12j), "#202020")
    shirt = patch(50 + 42j + 14 * SHEET.real + 15j * SHEET.imag, "#cc3333")
    trousers = patch(50 + 78j + 13 * SHEET.real + 19j * SHEET.imag, "#555566")
    person = Drawing((trousers, shirt, head, eyes))
    assert (0, 2) in layers(matched_by_parts(round_face(), person))
    assert (2, 0) in layers(matched_by_parts(person, round_face()))


def test_what_lies_on_a_face_does_not_become_what_lies_beside_the_head() -> None:
    """A red shirt as wide as the mouth and at its height stays alone."""
    head, eyes = patch(ring(16, 50 + 28j), "#ffdd33"), (patch(ring(2, x + 24j), "#202020") for x in (44, 56))
    shirt, trousers = (
        patch(50 + 1j * y + 12 * SHEET.real + 10j * SHEET.imag, fill) for y, fill in ((66, "#cc3333"), (87, "#224466"))
    )
    match = layers(matched_by_parts(round_face(), Drawing((trousers, shirt, head, *eyes))))
    assert (0, 2) in match
    assert (None, 1) in match


def test_the_user_comes_before_the_shapes() -> None:
    match = matched(round_face(), tall_face(), layers={2: 5, 0: None})
    assert (2, 5) in layers(match)
    assert (0, None) in layers(match)


def test_the_largest_part_always_finds_a_partner() -> None:
    a = Drawing((patch(ring(40), "#000000"), patch(ring(4), "#ffffff")))
    b = Drawing((patch(0.3 * ARROW + 70, "#ffffff"), patch(0.02 * SQUARE + 75 + 20j, "#00ff00")))
    assert (0, 0) in layers(matched(a, b))


def test_a_face_becomes_a_head_rather_than_trousers() -> None:
    """The largest part of a drawing of several equal ones may stay alone."""
    face = Drawing(
        (patch(ring(40), "#ffdd00"), patch(ring(4, 38 + 42j), "#000000"), patch(ring(4, 62 + 42j), "#000000"))
    )
    trousers, shirt = 50 + 80j + 15 * SHEET, 50 + 48j + 14 * SHEET
    person = Drawing((patch(trousers, "#303030"), patch(shirt, "#cc3333"), patch(ring(12, 50 + 20j), "#ffdd00")))
    assert (0, 2) in layers(matched_by_parts(face, person))
    assert (2, 0) in layers(matched_by_parts(person, face))


def test_one_part_may_become_twins() -> None:
    nose = Drawing((patch(ring(40), "#ffdd33"), patch(ring(5, 60 + 40j), "#202020")))
    face = round_face()
    match = matched(nose, face.replace_layers(face.layers[:2]))
    assert layers(match) == {(0, 0), (1, 1)}
    assert len(match.pairs) == 3


def test_layers_that_have_nothing_to_do_with_each_other_all_become_each_other() -> None:
    a = Drawing((patch(ring(5, 10 + 10j), "#f00"), patch(ring(6, 90 + 50j), "#0f0")))
    b = Drawing((patch(0.1 * SQUARE, "#00f"), patch(0.1 * ARROW + 80j, "#ff0")))
    assert not {None} & {k for pair in matched(a, b).pairs for k in pair}


@pytest.mark.parametrize("name", ["path12", "Layer_1", "XMLID_3_", "rect4136-7", "g10"])
def test_names_that_programs_give_do_not_pair_layers(name: str) -> None:
    a = Drawing((Layer((Contour(ring(40)),), name), Layer((Contour(ring(3)),), "x")))
    b = Drawing((Layer((Contour(ring(3)),), name), Layer((Contour(ring(40)),), "y")))
    assert layer_rules(a, b).pairs == {}
    assert layer_rules(a, b, "name").pairs == {0: 0}


def test_layers_without_a_name_find_each_other_beside_named_ones() -> None:
    eye = [Layer((Contour(ring(3, 40 + 40j)),), "", fill) for fill in ("#000", "#111")]
    a = Drawing((Layer((Contour(ring(40)),), "head"), eye[0], Layer((Contour(ring(9, 9 + 9j)),), "hat")))
    b = Drawing((Layer((Contour(ring(38)),), "head"), Layer((Contour(ring(9, 9 + 9j)),), "cap"), eye[1]))
    assert layers(matched(a, b)) == {(0, 0), (1, 2), (2, None), (None, 1)}


@pytest.mark.slow
def test_very_many_layers_are_matched_layer_by_layer() -> None:
    spots = [patch(ring(1, complex(3 * (k % 30), 3 * (k // 30)), count=6), "#000") for k in range(260)]
    page = patch(np.array([-9 - 9j, 200 - 9j, 200 + 200j, -9 + 200j]), "#fff")
    a = Drawing((page, *spots), (0, 0, 100, 100))
    assert layers(matched(a, a)) == {(k, k) for k in range(261)}


def test_a_face_becomes_what_is_seen_of_an_animal_not_the_shadow_behind_it() -> None:
    """The largest part of the second drawing is almost hidden behind a head and a body."""
    shadow = patch(50 + 50j + 36 * SHEET.real + 32j * SHEET.imag, "#888888")
    head = patch(ring(27, 30 + 36j), "#bbbbbb")
    body = patch(68 + 66j + 27 * SHEET.real + 24j * SHEET.imag, "#bbbbbb")
    cover = patch(66 + 24j + 26 * SHEET.real + 13j * SHEET.imag, "#bbbbbb")
    animal = Drawing((shadow, body, cover, head, patch(ring(2, 30 + 32j), "#202020")))
    assert (0, 3) in layers(matched_by_parts(round_face(), animal))


def test_a_part_below_the_head_that_a_face_became_is_no_ear() -> None:
    """Position counts from the face and from the head, not from the drawings around them."""
    head, shirt = patch(ring(16, 50 + 20j), "#ffdd33"), patch(34 + 46j + 8 * ring(1, 0j, count=24), "#cc3333")
    rest = [patch(50 + 1j * y + 12 * SHEET.real + 10j * SHEET.imag, "#224466") for y in (62, 84)]
    eyes = [patch(ring(2, x + 18j), "#202020") for x in (44, 56)]
    ear = patch(12 + 45j + 8 * ring(1, 0j, count=24), "#cc3333")
    face = Drawing((ear, *round_face().layers))
    match = layers(matched_by_parts(face, Drawing((*rest, shirt, head, *eyes))))
    assert (1, 3) in match
    assert (0, 2) not in match


def test_a_detail_far_away_stays_alone() -> None:
    """Brows do not become ears at the other end of the head, nor eyes paws."""
    far, near = (
        Drawing((*round_face().layers[:1], patch(oval(7, 4, x + 1j * y), "#2244aa"))) for x, y in ((30, 25), (60, 75))
    )
    assert (1, None) in layers(matched(far, near))


def test_drawings_of_nothing_alike_still_have_one_pair() -> None:
    """What is seen most of both becomes each other; without any pair, all of both would merely fade."""
    a = Drawing(tuple(patch(ring(9, x + 12j), fill) for x, fill in ((12, "#ff0000"), (32, "#ff8800"), (54, "#ffee00"))))
    bars = [patch(z + 9 * SHEET.real + 1.5j * SHEET.imag, "#0000ff") for z in (30 + 90j, 50 + 84j, 70 + 78j)]
    spots = [patch(ring(1, z), "#000000") for z in (30 + 90j, 50 + 84j)]
    match = matched(a, Drawing((*bars, *spots)))
    assert any(i is not None and j is not None for i, j in match.pairs)


def test_an_eye_does_not_change_beside_one_that_fades_but_may_stay_beside_one_that_winks() -> None:
    """The other eye has no partner: a tear drop is none, and neither is a mouth."""
    face = round_face()
    head = patch(ring(40), "#ffdd33")
    eye, wedge = face.layers[1].contours, 50 + 46j - 12 + np.array([-5 + 0j, 6 - 6j, 3 + 0j, 6 + 6j])
    unlike = matched(face, Drawing((head, patch(wedge, "#703010"))))
    assert not any(j == 1 for i, j in unlike.pairs if i is not None)
    winking = matched(face, Drawing((head, patch(eye[0].complex, face.layers[1].fill))))
    assert (1, 1) in {(winking.a[i].layer, winking.b[j].layer) for i, j in winking.pairs if None not in (i, j)}
