import numpy as np
import shapely

from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.morph import morph
from tests.contours.curves import ring
from tests.contours.faces import line, patch, round_face
from tests.contours.matching.test_part_matching import SHEET, matched
from tests.contours.morphing.test_morph import plate

PERSON = Drawing(
    (
        patch(50 + 79j + 11 * SHEET.real + 19j * SHEET.imag, "#303060"),
        patch(50 + 45j + 18 * SHEET.real + 16j * SHEET.imag, "#cc3333"),
        patch(ring(14, 50 + 16j), "#eebb99"),
    )
)


def covered(drawing: Drawing) -> float:
    return float(shapely.union_all([plate(c.complex) for layer in drawing.layers for c in layer.contours]).area)


def test_a_body_becomes_the_silhouette_of_a_drawing_without_one() -> None:
    there, back = matched(round_face(), PERSON), matched(PERSON, round_face())
    assert there.b[0].silhouette
    assert back.a[0].silhouette
    assert (0, 0) in there.pairs
    assert (0, 0) in back.pairs
    assert not any(part.silhouette for part in there.a)


def test_everything_else_lies_on_the_silhouette() -> None:
    parts = matched(round_face(), PERSON).b
    assert [part.number for part in parts] == list(range(4))
    assert [part.parent for part in parts] == [None, 0, 0, 0]


def test_nothing_shrinks_half_way() -> None:
    """Before, the face became the head, and shirt and trousers came out of it: half way there was little of either."""
    film = morph(round_face(), PERSON, 13)
    least = 0.9 * min(covered(film[0]), covered(film[-1]))
    assert min(covered(frame) for frame in film) > least


def test_parts_stay_near_the_silhouette_that_they_fade_on() -> None:
    film = morph(round_face(), PERSON, 25)
    for frame in film[12:-1]:
        body, *parts = (plate(layer.contours[0].complex) for layer in frame.layers if layer.fill is not None)
        assert all(part.difference(body.buffer(2.0)).area < 0.1 * part.area for part in parts)


def test_the_silhouette_is_covered_when_it_comes() -> None:
    """No step at the ends: it is not seen yet in the first moment, and then hidden by what it stands for."""
    film = morph(PERSON, round_face(), 101)
    assert film[1].layers[0].fill_opacity < 0.2
    region = plate(film[1].layers[0].contours[0].complex)
    assert region.difference(shapely.union_all([plate(z.contours[0].complex) for z in PERSON.layers])).area < 50


def test_drawings_of_lines_and_those_in_many_pieces_have_no_silhouette() -> None:
    lines = Drawing(tuple(line(10 + 20j * k + np.array([0, 80])) for k in range(4)))
    assert not any(part.silhouette for part in matched(round_face(), lines).b)
    balls = Drawing(tuple(patch(ring(8, complex(x, y)), "#c33") for x in (15, 50, 85) for y in (15, 50, 85)))
    assert not any(part.silhouette for part in matched(round_face(), balls).b)


def test_names_come_before_silhouettes() -> None:
    match = matched(round_face(), PERSON, layers={0: 1})
    assert not any(part.silhouette for part in (*match.a, *match.b))
