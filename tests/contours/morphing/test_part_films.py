from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.morphing.morph import morph, morph_at
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.reading.drawing_reader import read_drawing
from tests.contours.curves import ARROW, comb, drawing, flower, ring
from tests.contours.faces import line, oval, patch, round_face, tall_face


def region(layer: Layer) -> shapely.Geometry:
    return shapely.make_valid(shapely.Polygon(layer.contours[0].points))


def edge_gap(fill: Layer, stroke: Layer) -> float:
    """How far a line is from the edge of a fill at most."""
    edge = shapely.LinearRing(fill.contours[0].points)
    return float(shapely.distance(edge, shapely.points(stroke.contours[0].points)).max())


def test_a_line_never_leaves_the_fill_that_it_outlines() -> None:
    film = morph(round_face(), tall_face(), 24)
    for frame in film[1:-1]:
        stroke = next(layer for layer in frame.layers if layer.fill is None)
        assert edge_gap(frame.layers[0], stroke) < 0.02  # 0.02% of the canvas


def test_an_outline_that_is_the_edge_of_its_fill_has_the_same_curve() -> None:
    disc, star = ring(40), flower(5, 0.4)
    film = morph(*(Drawing((patch(z, "#ff0"), line(z + 0.02, True))) for z in (disc, star)), 9)
    assert film.moving is not None
    fill, stroke = (layer.curves[0].points[1:-1] for layer in film.moving.layers)
    assert np.array_equal(fill, stroke)


@pytest.mark.slow
def test_an_outline_of_pieces_stays_on_its_fill() -> None:
    """Where one drawing has one outline and the other several lines, all lie on the edge of the fill all the time."""
    star, disc = flower(5, 0.4), ring(40)
    pieces = [line(np.append(star, star[0])[k : k + 20]) for k in range(0, len(star) - 10, 20)]
    film = morph(Drawing((patch(disc, "#ff0"), line(disc, True))), Drawing((patch(star, "#ff0"), *pieces)), 13)
    for frame in film[1:-1]:
        strokes = [layer for layer in frame.layers if layer.fill is None]
        assert max(edge_gap(frame.layers[0], stroke) for stroke in strokes) < 0.02
        assert max(stroke.stroke_opacity for stroke in strokes) == 1.0


def test_a_line_that_leaves_its_edge_begins_where_the_drawing_has_it() -> None:
    """An outline with a hook into its fill, which no path along the edge can follow, still moves without a jump."""
    disc = ring(40)
    hook = np.array([62 + 45j, 62 + 35j, 38 + 35j, 38 + 60j, 45 + 60j, 45 + 42j, 55 + 42j, 55 + 55j, 75 + 55j])
    outlined = np.concatenate([disc[4:], hook])
    a = Drawing((patch(disc, "#ff0"), line(outlined, True), patch(ring(2, 30 + 30j), "#000")))
    b = Drawing((patch(ARROW, "#ff0"), patch(ring(2, 40 + 40j), "#000")))
    times = np.array([1e-4, *np.arange(1, 8) / 8])
    films = morph_at(a, b, times), morph_at(b, a, 1 - times)
    for frame in (film[0] for film in films):
        drawn = next(layer for layer in frame.layers if layer.fill is None).contours[0].points
        path = shapely.LinearRing(np.stack([outlined.real, outlined.imag], axis=-1))
        assert shapely.hausdorff_distance(shapely.LinearRing(drawn), path) < 0.5
    assert sum(count_self_crossing(film) for film in films) == 0


def test_an_outline_that_crosses_itself_stays_on_its_fill() -> None:
    """The line of a hand runs back over itself between the fingers, and still emerges from the edge of the fill."""
    star = flower(5, 0.4)
    outline = np.append(np.append(star, star[0]), [star[1] * 0.99 + 0.5 + 0.5j, star[0] + 1 + 2j, star[-1]])
    a = Drawing((patch(ring(40), "#ff0"), patch(ring(4), "#000")))
    b = Drawing((patch(star, "#ff0"), line(outline), patch(ring(4), "#000")))
    assert count_self_crossing([b]) == 1
    for frame in morph(a, b, 13)[1:-1]:
        for stroke in (layer for layer in frame.layers if layer.fill is None):
            assert edge_gap(frame.layers[0], stroke) < 2.5


def test_the_outline_of_a_fill_that_becomes_a_line_is_drawn() -> None:
    disc = ring(40)
    a = Drawing((patch(disc, "#ff0"), line(disc, True, 3.0), patch(ring(5, 50 + 50j), "#000")))
    b = Drawing((line(np.array([20 + 50j, 50 + 60j, 80 + 50j])), patch(ring(5, 50 + 20j), "#000")))
    for one, other, side in ((a, b, 0), (b, a, -1)):
        film = morph(one, other, 9, layers={0: 0, 2: 1} if side == 0 else {0: 0, 1: 2})
        early = film[1:-1][side]
        widths = [layer.stroke_width for layer in early.layers if layer.stroke is not None and layer.fill is None]
        assert max(widths) > 2.5


def test_a_part_without_a_partner_never_appears_as_a_speck() -> None:
    film = morph(round_face(), tall_face(), 40)
    hat = shapely.Polygon(tall_face().layers[5].contours[0].points).area
    for frame in film[1:-1]:
        for layer in frame.layers:
            if layer.fill == "#3355aa":
                assert region(layer).area > 0.02 * hat
    first = next(frame for frame in film[1:] if any(layer.fill == "#3355aa" for layer in frame.layers))
    hat_layer, head = next(layer for layer in first.layers if layer.fill == "#3355aa"), first.layers[0]
    assert region(hat_layer).distance(region(head)) < 3.0  # it splits off from the head


def test_a_detail_that_vanishes_rides_on_its_parent() -> None:
    spot = patch(ring(3, 75 + 50j), "#885522")
    a = Drawing((patch(ring(40), "#ffdd33"), spot, patch(ring(2, 40 + 40j), "#000")))
    b = Drawing((patch(ring(20, 25 + 50j), "#ffdd33"), patch(ring(1, 20 + 45j), "#000")))
    for frame in morph(a, b, 13)[1:-1]:
        for layer in frame.layers:
            if layer.fill == "#885522":
                assert region(frame.layers[0]).contains(region(layer))


def lean(points: np.ndarray) -> float:
    """How far a shape is from its mirror image about a vertical line, 0 to 1."""
    shape = shapely.make_valid(shapely.Polygon(points))
    middle = shape.centroid.x
    mirrored = shapely.transform(shape, lambda c: c * [-1, 1] + [2 * middle, 0])
    return 1.0 - float(shape.intersection(mirrored).area / shape.union(mirrored).area)


def test_a_door_that_becomes_a_nose_stays_upright() -> None:
    door, nose = 46 + 55j + np.array([0, 9, 9 + 25j, 25j]), oval(11, 6, 50 + 62j)
    house = Drawing((patch(20 + 20j + 60 * np.array([0, 1, 1 + 1j, 1j]), "#fed"), patch(door, "#555")))
    face = Drawing((patch(ring(38), "#fed"), patch(nose, "#333")))
    for film in (morph(house, face, 9), morph(face, house, 9)):
        for frame in film[1:-1]:
            assert lean(frame.layers[1].contours[0].points) < 0.12


def test_twins_rotate_against_each_other() -> None:
    """Ears that become brows are mirror images of each other in every frame."""
    ear, brow = np.array([24 + 40j, 26 + 15j, 40 + 28j]), np.array([25 + 35j, 43 + 43j, 42 + 46j, 24 + 38j])

    def both(z: np.ndarray) -> Layer:
        return Layer((Contour(z), Contour(100 - z.conj()[::-1])), fill="#553300")

    a, b = (Drawing((patch(ring(40), "#fc3"), both(z), patch(oval(9, 3, 50 + 70j), "#a22"))) for z in (ear, brow))
    for frame in morph(a, b, 9)[1:-1]:
        left, right = (
            shapely.make_valid(shapely.Polygon(contour.points))
            for layer in frame.layers
            if layer.fill == "#553300"
            for contour in layer.contours
        )
        mirrored = shapely.transform(right, lambda c: c * [-1, 1] + [100, 0])
        assert left.intersection(mirrored).area > 0.8 * left.union(mirrored).area


def test_limbs_that_hang_together_come_as_one() -> None:
    """A body and its legs, which a face does not have, keep their places beside each other while they grow."""
    head, eye = patch(ring(14, 50 + 16j), "#ffdd33"), patch(ring(2, 53 + 14j), "#000")
    body = patch(40 + 31j + np.array([0, 20, 20 + 30j, 30j]), "#cc3333")
    legs = [patch(x + 61j + np.array([0, 6, 6 + 35j, 35j]), "#333366") for x in (41, 53)]
    film = morph(round_face(), Drawing((head, eye, body, *legs)), 13)
    for frame in film[3:-1]:
        shown = {layer.fill: region(layer) for layer in frame.layers if layer.fill in ("#cc3333", "#333366")}
        if len(shown) == 2:
            assert shown["#cc3333"].distance(shown["#333366"]) < 0.01


def test_a_gradient_rides_with_its_part() -> None:
    sky = Gradient("linear", ((0.0, "#ff0000", 1.0), (1.0, "#0000ff", 1.0)), (10, 0, 0, 10, 70, 50))
    spot = replace(patch(ring(5, 75 + 50j), "#885522"), fill_gradient=sky)
    a = Drawing((patch(ring(40), "#ffdd33"), spot, patch(ring(2, 40 + 40j), "#000")))
    b = Drawing((patch(ring(20, 25 + 50j), "#ffdd33"), patch(ring(1, 20 + 45j), "#000")))
    for frame in morph(a, b, 9)[1:-1]:
        for layer in frame.layers:
            if layer.fill_gradient is not None:
                left, right = layer.contours[0].points[:, 0].min(), layer.contours[0].points[:, 0].max()
                ends = layer.fill_gradient.matrix[4], layer.fill_gradient.matrix[4] + layer.fill_gradient.matrix[0]
                assert ends == pytest.approx((left, right), abs=0.01)


def test_every_part_has_a_fate_and_the_film_says_so() -> None:
    film = morph(round_face(), tall_face(), 3)
    fates = [(report.a, report.b, report.fate, report.beside) for report in film.layers]
    assert (None, "layer 5", "splits off", "layer 0") in fates
    assert (None, "layer 4", "appears", "layer 0") in fates
    assert ("layer 3", "layer 6", "becomes", None) in fates
    assert film.matching == (
        "5 of 7 parts become each other.",
        "Layer 5 splits off from layer 0, layer 4 fades in.",
    )


def test_parts_do_not_cross() -> None:
    a = Drawing((patch(ring(45), "#fff"), patch(0.5 * comb() + 25 + 25j, "#f00"), line(0.5 * comb() + 25 + 25j, True)))
    b = Drawing((patch(flower(7), "#fff"), patch(oval(20, 4, 40 + 70j), "#f00"), line(oval(20, 4, 40 + 70j), True)))
    assert count_self_crossing(morph(a, b, 24)[1:-1]) == 0
    assert count_self_crossing(morph(b, a, 24)[1:-1]) == 0


@pytest.mark.parametrize("extras", ["auto", "point", "partner"])
def test_the_film_begins_and_ends_at_the_drawings(extras: str) -> None:
    a, b = round_face(), tall_face()
    early, late = morph_at(a, b, [1e-6, 1 - 1e-6], extras=extras)  # type: ignore[arg-type]

    def seen(frame: Drawing) -> list[tuple[float, str]]:
        shown = [layer for layer in frame.layers if layer.fill_opacity * layer.stroke_opacity > 1e-3]
        return sorted(
            (round(float(np.ptp(contour.points[:, 0])), 2), str(layer.fill))
            for layer in shown
            for contour in layer.contours
        )

    def large(frame: Drawing) -> list[tuple[float, str]]:
        return [row for row in seen(frame) if row[0] > 0.1]

    if extras != "partner":
        assert large(early) == seen(a)
        assert large(late) == seen(b)
    assert {fill for _, fill in large(early)} == {str(layer.fill) for layer in a.layers}


def test_one_layer_each_is_filmed_as_ever() -> None:
    film = morph(drawing(ring(40), ring(10)), drawing(comb()), 5)
    assert [len(frame.layers) for frame in film] == [1] * 5
    assert film.matching == ()


def test_real_emoji_keep_lines_on_their_fills(shared_data: Path) -> None:
    """Between two frames nothing jumps, and nothing crosses itself."""
    folder = shared_data / "svg" / "own_emoji"
    a, b = read_drawing(folder / "tw_cat.svg"), read_drawing(folder / "tw_dog.svg")
    film = morph(a, b, 12)
    assert count_self_crossing(film[1:-1]) == 0
    eyes = [r for r in film.layers if r.fate == "becomes"]
    assert len(eyes) >= 5


def test_a_wide_box_becomes_a_tall_one_without_lying_on_its_side() -> None:
    """Though it is nearly the same box rotated by 90 degrees."""

    def boxes(width: float, height: float) -> Drawing:
        corners = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
        box = 50 + 40j + width * corners.real + 1j * height * corners.imag
        return Drawing(
            (patch(box, "#3366cc"), patch(ring(4, 44 + 38j), "#ffffff"), patch(ring(4, 56 + 38j), "#ffffff"))
        )

    halfway = morph(boxes(26, 20), boxes(20, 27), 9)[4].layers[0].contours[0].points
    assert np.ptp(halfway, axis=0) == pytest.approx([46, 47], abs=1.5)


def test_a_frame_round_what_changes_fades_where_it_is() -> None:
    """The frame of a flag, tied to the lowest stripe, followed it out of the flag."""
    box = np.array([-30 - 20j, 30 - 20j, 30 + 20j, -30 + 20j])
    lowest, stripe = 50 + 50j + box, 50 + 47j + (box.real + 0.85j * box.imag)
    flag = Drawing(
        (patch(lowest, "#9b9b9a"), patch(stripe, "#d0cfce"), line(lowest, True), patch(ring(2, 30 + 40j), "#fff"))
    )
    shirt = Drawing(
        (patch(50 + 55j + 0.9 * (box.real + 0.9j * box.imag), "#ff8101"), patch(ring(3, 60 + 40j), "#b87a66"))
    )
    film = morph(flag, shirt, 25)
    frames = [
        layer for frame in film[1:-1] for layer in frame.layers if layer.fill is None and layer.stroke_opacity > 0.05
    ]
    assert frames
    for layer in frames:
        assert abs(layer.contours[0].complex.mean() - (50 + 51j)) < 3
