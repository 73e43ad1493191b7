import numpy as np

from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.canvas import on_first_canvas
from kinetune.contours.morphing.morph import morph
from kinetune.contours.moving_drawing import join_films, link_frames
from kinetune.samples.drawings import sample_drawing
from tests.contours.moving import CIRCLE, SQUARE, drawings, film, layer, swelling


def same(one: Drawing, other: Drawing) -> bool:
    curves = list(zip(one.contours(), other.contours(), strict=True))
    return one.view_box == other.view_box and all(np.allclose(a.points, b.points) for a, b in curves)


def test_a_morph_by_layers_shows_its_frames():
    frames = morph(sample_drawing("face-happy"), sample_drawing("face-sad"), 6)
    assert all(same(frames.moving.drawing(k), frames[k]) for k in range(1, 5))


def test_the_ends_of_a_morph_by_layers_look_like_the_given_drawings():
    a, b = sample_drawing("face-happy"), sample_drawing("face-sad")
    moving = morph(a, b, 6).moving
    for key, frame in ((a, 0), (b, -1)):
        areas = [sum(abs(c.area) for c in drawing.contours()) for drawing in (key, moving.drawing(frame))]
        assert np.isclose(*areas, rtol=1e-3)


def test_frames_are_taken_in_any_order():
    frames = morph(sample_drawing("face-happy"), sample_drawing("face-sad"), 6)
    back = frames.take([1, 2, 3, 2, 1])
    assert [drawing is frames[k] for drawing, k in zip(back, [1, 2, 3, 2, 1], strict=True)] == [True] * 5
    assert same(back.moving.drawing(3), frames[2])


def test_joined_films_follow_each_other():
    one = swelling(4)
    both = join_films([one, one.take([3, 2])])
    assert [same(both.drawing(k), one.drawing(n)) for k, n in enumerate([0, 1, 2, 3, 3, 2])] == [True] * 6


def test_one_canvas_shows_what_each_canvas_showed():
    a, b = sample_drawing("face-happy"), sample_drawing("face-sad")
    wide = Drawing(b.layers, (-10.0, -10.0, 300.0, 200.0))
    frames = morph(a, wide, 5)
    flat = on_first_canvas(frames)
    moving = frames.moving.on_canvas(a.view_box)
    assert all(same(moving.drawing(k), flat[k]) for k in range(1, 4))


def test_linked_frames_are_one_layer_as_long_as_its_curve_is_the_same():
    square, circle = 50 + 20j + 10 * SQUARE, 50 + 60j + 10 * CIRCLE
    frames = drawings([square, square + 1, square + 2]) + drawings([circle, circle + 1])
    linked = link_frames(frames)
    assert linked.orders == ((0,), (0,), (0,), (1,), (1,))
    assert all(same(linked.drawing(k), frames[k]) for k in range(5))


def test_linked_layers_that_look_alike_are_told_apart_by_position():
    left, right = 20 + 50j + 5 * SQUARE, 70 + 50j + 5 * SQUARE
    moving = film(*(layer([z + np.arange(3)[:, None]], 3) for z in (left, right)), orders=[(0, 1), (0, 1), (1, 0)])
    linked = link_frames([moving.drawing(k) for k in range(3)])
    assert linked.orders == ((0, 1), (0, 1), (1, 0))
