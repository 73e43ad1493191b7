"""What each part of SVG means for a drawing: shapes, transforms, styles, use, units, names."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.svg.reader import parse_drawing
from kinetune.errors import MalformedFileError, ParameterError
from tests.conftest import data_folder


def svg(body, head='viewBox="0 0 100 100"'):
    return parse_drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {head}>{body}</svg>'
    )


def only(body, **more):
    drawing = svg(body, **more)
    assert len(drawing.layers) == 1
    return drawing.layers[0]


def box(layer):
    bounds = np.array([contour.bounds() for contour in layer.contours])
    return pytest.approx([*bounds[:, :2].min(axis=0), *bounds[:, 2:].max(axis=0)], abs=1e-4)


SQUARE = '<rect x="10" y="20" width="30" height="40"/>'


@pytest.mark.parametrize(
    ("shape", "bounds", "closed"),
    [
        (SQUARE, [10, 20, 40, 60], True),
        ('<rect x="10" y="20" width="30" height="40" rx="5"/>', [10, 20, 40, 60], True),
        ('<circle cx="50" cy="40" r="10"/>', [40, 30, 60, 50], True),
        ('<ellipse cx="50" cy="40" rx="20" ry="10"/>', [30, 30, 70, 50], True),
        ('<polygon points="0,0 10,0 10,20"/>', [0, 0, 10, 20], True),
        ('<polyline points="0,0 10,0 10,20" fill="none" stroke="red"/>', [0, 0, 10, 20], False),
        ('<line x1="1" y1="2" x2="30" y2="40" stroke="red"/>', [1, 2, 30, 40], False),
        ('<path d="M0 0h10v20" fill="none" stroke="red"/>', [0, 0, 10, 20], False),
        ('<path d="M0 0h10v20"/>', [0, 0, 10, 20], True),
        ('<path d="M0 0h10v20z" fill="none" stroke="red"/>', [0, 0, 10, 20], True),
        ('<rect width="50%" height="20%"/>', [0, 0, 50, 20], True),
        ('<rect width="1in" height="0.5cm"/>', [0, 0, 96, 96 / 5.08], True),
    ],
)
def test_shapes_have_their_bounds(shape, bounds, closed):
    layer = only(shape)
    assert box(layer) == bounds
    assert layer.contours[0].closed is closed


def test_a_circle_is_round_and_its_area_right():
    circle = only('<circle cx="50" cy="40" r="10"/>').contours[0]
    radius = np.linalg.norm(circle.points - [50, 40], axis=1)
    assert np.allclose(radius, 10, atol=1e-5)
    assert circle.area == pytest.approx(100 * np.pi, rel=2e-3)


def test_curves_are_as_near_as_asked():
    body = '<circle cx="50" cy="50" r="50"/>'
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{body}</svg>'
    coarse, fine = (parse_drawing(text, tolerance=t).layers[0].contours[0] for t in (0.2, 0.001))
    middles = 0.5 * (fine.points + np.roll(fine.points, -1, axis=0))
    assert np.linalg.norm(middles - 50, axis=1).min() > 50 - 0.0011
    assert len(coarse) < 0.5 * len(fine)
    with pytest.raises(ParameterError, match="tolerance"):
        parse_drawing(text, tolerance=0)


@pytest.mark.parametrize(
    ("transform", "bounds"),
    [
        ("translate(5)", [15, 20, 45, 60]),
        ("translate(5 -5)", [15, 15, 45, 55]),
        ("scale(2)", [20, 40, 80, 120]),
        ("scale(2,1)", [20, 20, 80, 60]),
        ("rotate(90)", [-60, 10, -20, 40]),
        ("rotate(180 25 40)", [10, 20, 40, 60]),
        ("matrix(1 0 0 1 7 8)", [17, 28, 47, 68]),
        ("skewX(45)", [30, 20, 100, 60]),
        ("skewY(45)", [10, 30, 40, 100]),
        ("translate(10,0) scale(2)", [30, 40, 90, 120]),
    ],
)
def test_transforms_move_points(transform, bounds):
    assert box(only(f'<g transform="{transform}">{SQUARE}</g>')) == bounds


def test_transforms_nest_and_strokes_grow_with_them():
    layer = only(f'<g transform="translate(10 0)"><g transform="scale(2)" stroke="red">{SQUARE}</g></g>')
    assert box(layer) == [30, 40, 90, 120]
    assert layer.stroke_width == pytest.approx(2)


def test_a_transform_in_a_style_counts():
    assert box(only(f'<g style="transform: translate(5px, 1px)">{SQUARE}</g>')) == [15, 21, 45, 61]


def test_a_transform_that_cannot_be_read_is_said():
    drawing = svg(f'<g transform="wobble(3)">{SQUARE}</g>{SQUARE}')
    assert len(drawing.layers) == 1
    assert any("wobble" in note for note in drawing.notes)


@pytest.mark.parametrize(
    ("body", "fill"),
    [
        (SQUARE, "#000000"),
        (f'<g fill="red">{SQUARE}</g>', "#ff0000"),
        (f'<g fill="red" style="fill:blue">{SQUARE}</g>', "#0000ff"),
        (f'<g color="#0a0"><g fill="currentColor">{SQUARE}</g></g>', "#00aa00"),
        (f'<style>rect{{fill:teal}}</style><g fill="red">{SQUARE}</g>', "#008080"),
        ('<style>.a{fill:red} #x{fill:lime}</style><rect id="x" class="a" width="9" height="9"/>', "#00ff00"),
        ('<style>rect.a, g{fill:red}</style><rect class="b a" width="9" height="9"/>', "#ff0000"),
        ('<rect width="9" height="9" fill="rgb(100%, 0%, 50%)"/>', "#ff0080"),
        ('<rect width="9" height="9" fill="hsl(120, 100%, 25%)"/>', "#008000"),
    ],
)
def test_paint_is_inherited_and_overridden(body, fill):
    assert only(body).fill == fill


def test_opacities_multiply():
    layer = only('<g opacity=".5"><rect width="9" height="9" fill="#ff000080" fill-opacity="50%"/></g>')
    assert layer.fill_opacity == pytest.approx(0.125, rel=0.01)


@pytest.mark.parametrize(
    "how", ['display="none"', 'visibility="hidden"', 'opacity="0"', 'fill="none"', 'style="display:none"']
)
def test_what_cannot_be_seen_is_not_drawn(how):
    drawing = svg(f"<g {how}>{SQUARE}</g>" + '<circle r="5"/>')
    assert len(drawing.layers) == 1


def test_visible_inside_hidden_is_drawn():
    assert only('<g visibility="hidden"><rect visibility="visible" width="9" height="9"/></g>')


def test_a_gradient_is_data_beside_its_mean_colour():
    body = '<linearGradient id="g"><stop stop-color="#000"/><stop offset="1" style="stop-color:#fff"/></linearGradient>'
    drawing = svg(f'{body}<linearGradient id="h" xlink:href="#g"/><rect width="9" height="9" fill="url(#h) red"/>')
    (layer,) = drawing.layers
    assert layer.fill == "#808080"
    assert layer.fill_gradient is not None
    assert layer.fill_gradient.colours_at([[4.5, 2.0]])[0] == pytest.approx([0.5, 0.5, 0.5, 1.0])
    assert drawing.notes == ()
    assert only('<rect width="9" height="9" fill="url(#missing) red"/>').fill == "#ff0000"


def test_stroke_details_are_kept():
    layer = only('<path d="M0 0L5 5" stroke="red" stroke-width="2" stroke-linecap="round" stroke-linejoin="bevel"/>')
    assert (layer.fill, layer.stroke, layer.stroke_width) == (None, "#ff0000", 2)
    assert (layer.stroke_cap, layer.stroke_join) == ("round", "bevel")


def test_a_filled_curve_with_an_open_stroke_is_two_layers():
    fill, stroke = svg('<path id="hat" d="M0 0h10v10" fill="red" stroke="blue"/>').layers
    assert (fill.name, fill.stroke, fill.contours[0].closed) == ("hat", None, True)
    assert (stroke.name, stroke.fill, stroke.contours[0].closed) == ("hat outline", None, False)


def test_use_and_symbol_repeat_shapes():
    body = f'<defs><g id="a">{SQUARE}</g></defs><use href="#a" x="5"/><use xlink:href="#a" transform="scale(.5)"/>'
    assert [box(layer) for layer in svg(body).layers] == [[15, 20, 45, 60], [5, 10, 20, 30]]
    symbol = '<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="5"/></symbol>'
    assert box(only(f'{symbol}<use href="#s" x="10" width="20" height="20"/>')) == [10, 0, 30, 10]


def test_inner_pages_are_fitted():
    assert box(only('<svg x="10" width="20" height="40" viewBox="0 0 10 10"><rect width="10" height="10"/></svg>')) == [
        10,
        10,
        30,
        30,
    ]
    inner = '<rect width="10" height="10"/></svg>'
    stretched = f'<svg width="20" height="40" viewBox="0 0 10 10" preserveAspectRatio="none">{inner}'
    assert box(only(stretched)) == [0, 0, 20, 40]


@pytest.mark.parametrize(
    ("head", "canvas"),
    [
        ('viewBox="-5 -6 20 30"', (-5, -6, 20, 30)),
        ('width="200" height="1in"', (0, 0, 200, 96)),
        ('width="100%"', (10, 20, 30, 40)),
    ],
)
def test_the_page_is_the_view_box_or_the_size_or_the_drawing(head, canvas):
    assert svg(SQUARE, head=head).view_box == pytest.approx(canvas)


def test_names_come_from_labels_ids_titles_and_groups():
    body = (
        '<rect id="one" width="9" height="9"/><rect width="9" height="9"><title>two</title></rect>'
        '<g id="three"><rect width="9" height="9"/></g><rect id="one" width="9" height="9"/>'
        '<rect width="9" height="9"/>'
    )
    assert [layer.name for layer in svg(body).layers] == ["one", "two", "three", "one 2", ""]


def test_holes_run_the_other_way_and_implicit_closure_counts():
    ring = only('<path d="M0 0h30v30h-30 M10 10h10v10h-10"/>', head='viewBox="0 0 30 30"')
    assert len(ring.contours) == 1  # both clockwise, nonzero: no hole
    ring = only('<path d="M0 0h30v30h-30 M10 10v10h10v-10"/>')
    assert [np.sign(contour.area) for contour in ring.contours] == [1, -1]
    ring = only('<path fill-rule="evenodd" d="M0 0h30v30h-30 M10 10h10v10h-10"/>')
    assert [np.sign(contour.area) for contour in ring.contours] == [1, -1]


def test_a_file_without_a_namespace_is_read():
    assert parse_drawing(f"<svg>{SQUARE}</svg>").layers


ICONS = ("fontawesome", "mdi")  # filled outlines of one colour; the other folders hold drawings in many colours


def _drawings(*folders):
    data = data_folder()
    return sorted(file for name in folders for file in (data / "svg" / name).glob("*.svg")) if data is not None else []


def test_there_are_icons(shared_data):
    assert len(_drawings(*ICONS)) > 60


@pytest.mark.parametrize("file", _drawings("noto", "openmoji", "own_emoji"), ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_real_drawings_in_many_colours_are_read(file):
    drawing = kt.read_drawing(file)
    assert drawing.notes == ()
    assert len(drawing.layers) > 1
    assert all(np.isfinite(contour.points).all() for contour in drawing.contours())


@pytest.mark.parametrize("file", _drawings(*ICONS), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_real_icons_read_without_a_note(file):
    drawing = kt.read_drawing(file)
    assert drawing.notes == ()
    assert drawing.name == file.stem
    left, top, width, height = drawing.view_box
    for contour in drawing.contours():
        assert contour.closed
        assert len(contour) >= 3
        assert np.all(contour.points >= np.array([left, top]) - 0.1 * width)
        assert np.all(contour.points <= np.array([left + width, top + height]) + 0.1 * width)


@pytest.mark.parametrize("number", ["1e12", "1e13", "1e99"])
def test_what_reaches_a_billion_times_its_canvas_is_left_out_and_said(number: str) -> None:
    far = f'<path d="M0 0L{number} 0L0 {number}z"/>'
    with pytest.raises(MalformedFileError, match="so far off the canvas that it cannot be drawn"):
        parse_drawing(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{far}</svg>')
    near = '<rect width="1e9" height="9"/>'
    read = parse_drawing(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{far}{near}</svg>')
    assert len(read.layers) == 1
    assert read.notes == ("a curve runs so far off the canvas that it cannot be drawn",)
