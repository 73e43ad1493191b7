import itertools
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetune as kt
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.morph import Morph, morph, morph_at
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.reading.drawing_reader import read_drawing
from kinetune.contours.timing.eases import eased
from kinetune.errors import ParameterError
from kinetune.samples.drawings import sample_drawing
from tests.contours.curves import ARROW, LETTER_L, SQUARE, comb, contours, drawing, flower, ring, spiral

SHAPES = {
    "square": SQUARE,
    "arrow": ARROW,
    "letter": LETTER_L,
    "flower": flower(7, 0.85),
    "comb": comb(),
    "spiral": spiral(2.5),
    "wound back": spiral(3, backwards=True),
}


def plate(points: np.ndarray) -> shapely.Polygon:
    return shapely.Polygon(np.stack([points.real, points.imag], axis=-1))


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b"), list(itertools.permutations(SHAPES, 2)))
def test_no_frame_crosses_itself(a: str, b: str) -> None:
    film = morph(drawing(SHAPES[a]), drawing(SHAPES[b]))
    assert len(film) == 24
    assert count_self_crossing(film) == 0
    assert film.layers[0].how[0] in ("first", "start", "guard")


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_frame_of_random_stars_crosses_itself(one: int, other: int) -> None:
    """Any two polygons that a point sees whole, however ragged."""

    def star(seed: int) -> np.ndarray:
        dice = np.random.default_rng(seed)
        count = int(dice.integers(3, 40))
        angles = np.sort(dice.uniform(0, 2 * np.pi, count))
        angles += np.linspace(0, 1e-3, count)  # no two in one direction
        return 50 + 50j + dice.uniform(3, 45, count) * np.exp(1j * angles)

    a, b = star(one), star(other)
    if not (plate(a).is_valid and plate(b).is_valid):
        return  # a gap of more than half a turn can make a star cross itself
    assert count_self_crossing(morph(drawing(a), drawing(b), 12)) == 0


def test_first_and_last_are_the_drawings_themselves() -> None:
    a, b = drawing(ARROW, name="x", fill="#123456"), drawing(flower(5), SQUARE + 1, box=(0, 0, 50, 70))
    for method in ("safe", "linear", "schedule", "physical"):
        film = morph(a, b, 5, method)  # type: ignore[arg-type]
        assert film[0] is a
        assert film[-1] is b
        assert len(film) == 5
        assert isinstance(film, list)
    assert kt.morph(a, b, frames=2) == [a, b]


def test_frames_change_little_from_one_to_the_next() -> None:
    """No jump, not even from a key to the first frame after it: half the way of the film takes half the frames."""
    film = morph(drawing(LETTER_L), drawing(flower(5)), 48)
    plates = [plate(contours(frame)[0]) for frame in film]
    changes = [a.symmetric_difference(b).area / a.area for a, b in itertools.pairwise(plates)]
    assert max(changes) < 4 * np.median(changes) + 0.02


def test_the_same_drawing_stands_still() -> None:
    a = drawing(LETTER_L)
    for frame in morph(a, a, 6):
        assert plate(contours(frame)[0]).symmetric_difference(plate(LETTER_L)).area < 0.01


def test_moving_the_page_moves_the_film() -> None:
    one = morph(drawing(ARROW), drawing(flower(5)), 6)
    other = morph(drawing(ARROW + 10), drawing(flower(5) + 10), 6)
    for a, b in zip(one, other, strict=True):
        assert plate(contours(a)[0] + 10).symmetric_difference(plate(contours(b)[0])).area < 0.5


def test_a_turned_shape_turns_and_keeps_its_size() -> None:
    turned = 50 + 50j + 1j * (ARROW - 50 - 50j)
    for frame in morph(drawing(ARROW), drawing(turned), 8):
        assert plate(contours(frame)[0]).area == pytest.approx(plate(ARROW).area, rel=1e-3)
        assert plate(contours(frame)[0]).length == pytest.approx(plate(ARROW).length, rel=1e-3)


def test_holes_stay_holes_and_inside() -> None:
    a = drawing(ring(40), ring(15, 40 + 50j), ring(6, 65 + 45j))
    b = drawing(SQUARE, 50 + 50j + 0.25 * (LETTER_L - 50 - 50j), ring(5, 70 + 30j))
    film = morph(a, b)
    for frame in film[1:-1]:
        outer, *holes = [plate(z) for z in contours(frame)]
        assert len(holes) == 2
        assert all(outer.contains_properly(hole) for hole in holes)
        assert not holes[0].intersects(holes[1])


def test_holes_that_appear_grow_and_islands_follow() -> None:
    a = drawing(ring(40), ring(30), ring(20), ring(10))  # a target
    b = drawing(SQUARE, ring(25))
    film = morph(a, b, 12)
    for number, frame in enumerate(film[1:-1], start=1):
        plates = sorted((plate(z) for z in contours(frame)), key=lambda p: -p.area)
        assert len(plates) == (4 if number < 6 else 2)  # the ring in the hole has gone by half time
        assert all(big.contains_properly(small) for big, small in itertools.pairwise(plates))
    sizes = [plate(contours(frame)[-1]).area for frame in film[:6]]
    assert sizes == sorted(sizes, reverse=True)


def test_a_hole_without_a_steady_way_closes_and_opens_elsewhere() -> None:
    """The hole of a dumbbell's left end becomes one in its right end: it cannot pass the thin bar between them."""
    left, right = shapely.Point(22, 50).buffer(20), shapely.Point(78, 50).buffer(20)
    shape = shapely.union_all([left, right, shapely.box(20, 48, 80, 52)])
    outer = np.array([complex(*point) for point in shape.exterior.coords[:-1]])
    film = morph(drawing(outer, ring(12, 30 + 50j)), drawing(outer, ring(12, 70 + 50j)), 24)
    assert film.notes == ()
    for frame in film[1:-1]:
        around, *holes = [plate(z) for z in contours(frame)]
        assert all(around.contains_properly(hole) for hole in holes)
    areas = [sum(plate(z).area for z in contours(frame)[1:]) for frame in film]
    assert max(abs(a - b) for a, b in itertools.pairwise(areas)) < 0.25 * areas[0]


def test_layers_can_appear_and_vanish_as_points() -> None:
    head = Layer((Contour(ring(40)),), "head")
    hat = Layer((Contour(SQUARE * 0.2),), "hat", "#ff0000")
    scarf = Layer((Contour(ARROW * 0.3),), "scarf", "#00ff00")
    film = morph(Drawing((head, hat)), Drawing((head, scarf)), 11, extras="point")
    hats = [plate(frame.layer("hat").contours[0].complex).area for frame in film[:-1]]
    assert hats == sorted(hats, reverse=True)
    assert hats[5] == pytest.approx(0.25 * hats[0], rel=0.01)
    assert film[5].layer("hat").fill == "#ff0000"
    scarves = [plate(frame.layer("scarf").contours[0].complex).area for frame in film[1:]]
    assert scarves == sorted(scarves)


def test_a_layer_can_come_out_of_its_nearest_partner() -> None:
    one = Layer((Contour(ring(10, 30 + 50j)),), "drop", "#0000ff")
    two = Layer((Contour(ring(8, 70 + 50j)),), "second drop", "#0000ff")
    film = morph(Drawing((one,)), Drawing((one, two)), 10, extras="partner")
    first = film[1].layer("drop" if len(film[1].layers) == 1 else film[1].layers[1].name)
    assert abs(first.contours[0].complex.mean() - 30 - 50j) < 6  # it starts where its partner is
    assert plate(film[1].layers[1].contours[0].complex).area > 200  # and as large


def test_colours_and_strokes_change() -> None:
    a = drawing(SQUARE, fill="#ff0000", stroke=None, name="x")
    b = drawing(ARROW, fill=None, stroke="#00ff00", stroke_width=4.0, name="x")
    half = morph(a, b, 3)[1].layers[0]
    assert (half.fill, half.fill_opacity) == ("#ff0000", 0.5)
    assert (half.stroke, half.stroke_opacity, half.stroke_width) == ("#00ff00", 0.5, 4.0)
    c = drawing(ARROW, fill="#0000ff", stroke="#00ff00", stroke_width=2.0)
    d = drawing(SQUARE, fill="#ff0000", stroke="#00ff00", stroke_width=4.0)
    half = morph(c, d, 3)[1].layers[0]
    assert half.stroke_width == 3.0
    assert half.fill == "#8c53a2"  # in OKLab, not the muddy #800080


def test_pinned_points_become_each_other() -> None:
    tip, corner = ARROW[1], SQUARE[3]
    pins = [((tip.real, tip.imag), (corner.real, corner.imag))]

    def apart(**options: object) -> float:
        early, late = morph_at(drawing(ARROW), drawing(SQUARE), [1e-3, 1 - 1e-3], **options)  # type: ignore[arg-type]
        return float(abs(contours(late)[0][np.argmin(np.abs(contours(early)[0] - tip))] - corner))

    assert apart(pins=pins) < 0.2
    assert apart() > 10.0  # it would not go there by itself


def test_pins_that_cannot_be_met() -> None:
    a, b = drawing(ring(40), ring(10)), drawing(SQUARE, ring(9))
    with pytest.raises(ParameterError, match="holds an outline to a hole"):
        morph(a, b, pins=[((90, 50), (59, 50))])
    with pytest.raises(ParameterError, match="lies on no curve"):
        morph(a, b, pins=[((500, 50), (59, 50))])
    with pytest.raises(ParameterError, match="pair of points"):
        morph(a, b, pins=[(1, 2)])  # type: ignore[list-item]
    two = Drawing((Layer((Contour(SQUARE),), "x"), Layer((Contour(ring(5)),), "y")))
    with pytest.raises(ParameterError, match="Pair them in the layer map"):
        morph(two, two, pins=[((20, 50), (55, 50))], layers={"x": "x"})


def test_pins_pair_layers() -> None:
    a = Drawing((Layer((Contour(SQUARE),), "x"), Layer((Contour(ring(5)),), "y")))
    film = morph(a, a, 3, pins=[((20, 50), (55, 50))])
    assert [(layer.a, layer.b) for layer in film.layers] == [("x", "y"), ("y", "x")]


def test_open_lines_and_rings() -> None:
    ink = {"fill": None, "stroke": "#000"}
    line = drawing(np.array([10 + 50j, 50 + 20j, 90 + 50j]), closed=False, **ink)
    film = morph(line, drawing(ring(), **ink), 8)
    assert not any(contour.closed for frame in film[:-1] for contour in frame.contours())
    gaps = [abs(contours(frame)[0][0] - contours(frame)[0][-1]) for frame in film[:-1]]
    assert gaps[-1] < 0.35 * gaps[0]
    assert count_self_crossing(film) == 0
    filled = morph(drawing(np.array([10 + 50j, 50 + 20j, 90 + 50j]), closed=False), drawing(ring()), 4)
    assert all(contour.closed for frame in filled[1:] for contour in frame.contours())


def test_parts_that_overlap_are_painted_apart() -> None:
    """Two discs that pass each other would show a hole where they meet, by the even-odd rule."""
    a = drawing(ring(12, 30 + 50j), ring(12, 70 + 50j), name="discs")
    b = drawing(ring(12, 50 + 50j), ring(12, 50 + 75j), name="discs")
    film = morph(a, b, 12)
    counts = {len(frame.layers) for frame in film[1:-1]}
    assert counts in ({1}, {2})
    c = drawing(ring(30), name="discs")
    split = morph(c, drawing(ring(14, 30 + 50j), ring(6, 52 + 50j), name="discs"), 12)
    assert [layer.name for layer in split[5].layers] == ["discs", "discs (2)"]


def test_eases() -> None:
    t = np.linspace(0, 1, 11)
    for name in ("linear", "smooth", "in", "out"):
        bent = eased(t, name)
        assert (bent[0], bent[-1]) == (0, 1)
        assert np.all(np.diff(bent) > 0)
    assert eased(t, "in")[5] < 0.5 < eased(t, "out")[5]
    assert eased(t, lambda x: x**3)[5] == pytest.approx(0.125)
    slow, even = (
        morph(drawing(SQUARE), drawing(SQUARE + 50), 5, ease="in"),
        morph(drawing(SQUARE), drawing(SQUARE + 50), 5),
    )
    assert contours(slow[1])[0].mean().real < contours(even[1])[0].mean().real
    for bad in ("fast", lambda x: 1.0):
        with pytest.raises(ParameterError, match="ease"):
            morph(drawing(SQUARE), drawing(ARROW), ease=bad)  # type: ignore[arg-type]


def test_resolution_draws_everything_coarse() -> None:
    film = morph(drawing(comb()), drawing(flower(9)), 4, resolution=8)
    for frame in film:
        assert len(contours(frame)[0]) == 256
    assert plate(contours(film[0])[0]).length < 0.7 * plate(comb()).length


def test_coarse_coefficients_leave_even_the_keys_coarse() -> None:
    film = morph(drawing(comb()), drawing(flower(9)), 4, "linear", coefficients=8)
    assert plate(contours(film[0])[0]).length < 0.7 * plate(comb()).length
    with pytest.raises(ParameterError, match='option of the method "linear"'):
        morph(drawing(SQUARE), drawing(ARROW), coefficients=8)


@pytest.mark.slow
def test_other_methods_say_that_they_cross() -> None:
    film = morph(drawing(spiral(2)), drawing(ARROW), 12, "linear")
    assert "cross" in film.notes[-1]
    assert "safe" in film.notes[-1]
    assert morph(drawing(spiral(2)), drawing(ARROW), 12).notes == ()


def test_a_smile_becomes_a_frown_by_bending() -> None:
    """It must not spin, though a frown is nearly a smile upside down."""
    film = morph(sample_drawing("face-happy"), sample_drawing("face-sad"), 5)
    names = [layer.name for layer in sample_drawing("face-happy").layers]
    assert [layer.name for layer in film[2].layers] == names
    assert count_self_crossing(film) == 0
    mouth = [frame.layer("mouth").contours[0].points for frame in film]
    dips = [m[np.abs(m[:, 0] - 50) < 1, 1].mean() - m[np.abs(m[:, 0] - 50) > 12, 1].mean() for m in mouth]
    assert dips == sorted(dips, reverse=True)  # the corners of the mouth go from up to down


def test_times_of_ones_own() -> None:
    film = morph_at(drawing(SQUARE), drawing(SQUARE + 40), [0.5, 0.25, 1.0, 0.5])
    assert [round(contours(f)[0].mean().real) for f in film] == [70, 60, 90, 70]
    with pytest.raises(ParameterError, match="from 0"):
        morph_at(drawing(SQUARE), drawing(ARROW), [0.5, 1.5])
    assert Morph().notes == ()


def test_real_drawings_do_not_cross(shared_data: Path) -> None:
    files = [file for folder in ("fontawesome", "mdi") for file in sorted((shared_data / "svg" / folder).glob("*.svg"))]
    dice = np.random.default_rng(5)
    for _ in range(12):
        a, b = (read_drawing(files[k]) for k in dice.choice(len(files), 2, replace=False))
        film = morph(a, b, 12)
        assert count_self_crossing(film[1:-1]) == 0
        for frame in film[1:-1]:
            for layer in frame.layers:
                rings = [shapely.LinearRing(c.points) for c in layer.contours]
                one, other = shapely.STRtree(rings).query(rings, predicate="intersects")
                assert np.all(one == other), "no two curves of a layer meet"
