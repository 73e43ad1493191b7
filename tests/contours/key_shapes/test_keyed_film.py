import numpy as np
import pytest

from kinetune.contours.drawing import Layer
from kinetune.contours.key_shapes.keyed_film import LIMIT, Grid, key_film
from kinetune.contours.morphing.morph import morph
from kinetune.contours.moving_drawing import MovingDrawing, MovingLayer
from kinetune.samples.drawings import sample_drawing
from tests.contours.moving import CIRCLE, SQUARE, film, floating, layer, swelling

GRID = Grid(0j, 5.12, 1)


def runs(keyed):
    return [(layer.name, layer.start, layer.stop) for layer in keyed.layers]


def named(name, z, frames=6):
    return layer([np.repeat(np.asarray(z)[None], frames, axis=0)], frames, name=name)


def test_a_ball_that_becomes_wider_takes_two_keys():
    keyed = key_film(swelling(), GRID)
    (ball,) = keyed.layers
    assert ball.paths[0].keys.frames.tolist() == [0, 23]
    assert keyed.error <= LIMIT
    assert keyed.simple


@pytest.mark.parametrize("pair", [("face-happy", "face-sad"), ("dog-1", "dog-2")])
def test_what_is_shown_lies_near_the_film_and_does_not_cross(pair):
    keyed = key_film(morph(*map(sample_drawing, pair), 12).moving, Grid(0j, 2.0, 1))
    assert keyed.error <= LIMIT
    assert keyed.simple
    assert all(len(path.keys) < 12 for layer in keyed.layers for path in layer.paths)


def test_a_layer_that_keeps_its_form_is_one_shape_that_rides():
    """What moves and grows without changing its form has one key shape, and is where the film has it."""
    keyed = key_film(floating(), GRID)
    (square,) = keyed.layers
    assert [len(path.keys) for path in square.paths] == [1]
    frames = np.arange(24.0)
    place, size = (each.keys.weights(frames) @ each.values for each in (square.ride.place, square.ride.size))
    corner = square.paths[0].shapes[0, 0, 0]
    shown = place[:, 0] + 1j * place[:, 1] + size[:, 0] * corner
    wanted = floating().layers[0].curves[0].points
    assert np.abs(shown[:, None] - GRID.scale * wanted).min(axis=1).max() < 100 * GRID.scale * LIMIT
    assert keyed.error <= LIMIT
    widths = square.width.keys.weights(frames) @ square.width.values
    assert widths * size == pytest.approx(GRID.scale, rel=0.02)


def test_neighbours_that_move_as_one_share_their_ride():
    """Two squares that move and grow about one point ride as one; a third beside them has a path of its own."""
    t = np.linspace(0, 1, 24)[:, None]
    path, size = 30 + 40j + 30 * t**2 + 5j * np.sin(5 * t), 1 - 0.5 * t
    near, far = path + size * 5 * SQUARE, path + size * (5 * SQUARE + 12 - 9j)
    other = 70 + 20j - 30 * t + size * 5 * SQUARE
    keyed = key_film(film(layer([near], 24), layer([far], 24), layer([other], 24)), GRID)
    assert [len(body) for body in keyed.bodies()] == [2, 1]
    frames = np.arange(24.0)
    for each, wanted in zip(keyed.layers, (near, far, other), strict=True):
        place, size = (value.keys.weights(frames) @ value.values for value in (each.ride.place, each.ride.size))
        shown = place[:, :1] + 1j * place[:, 1:] + size * each.paths[0].shapes[0, :, 0]
        assert np.abs(np.sort_complex(shown) - np.sort_complex(GRID.scale * wanted)).max() < 512 * LIMIT


def test_paths_that_are_apart_have_keys_of_their_own():
    """A hole that shakes costs the outline around it nothing."""
    shaking = 5 * SQUARE + 2 * (np.arange(12) % 2)[:, None] * SQUARE.real + 50 + 50j
    outer = np.repeat((50 + 50j + 30 * SQUARE)[None], 12, axis=0)
    (ring,) = key_film(film(layer([outer, shaking], 12)), GRID, apart=True).layers
    assert [len(path.keys) for path in ring.paths] == [2, 12]


def test_coordinates_lie_on_the_grid():
    (ball,) = key_film(swelling(), GRID).layers
    shapes = ball.paths[0].shapes
    tenths = 10 * np.concatenate([shapes.real, shapes.imag])
    assert np.abs(tenths - np.round(tenths)).max() < 1e-9


def test_layers_that_change_places_get_two_slots():
    a, b, c = (named(name, 50 + 50j + size * SQUARE) for name, size in (("a", 10), ("b", 20), ("c", 5)))
    keyed = key_film(film(a, b, c, orders=[(0, 1, 2)] * 3 + [(1, 0, 2)] * 3), GRID)
    assert sorted(runs(keyed)) == [("a", 0, 3), ("a", 3, 6), ("b", 0, 6), ("c", 0, 6)]
    names = [layer.name for layer in keyed.layers]
    assert names == ["a", "b", "a", "c"]


def test_a_layer_is_there_while_it_is_shown():
    a, b = named("a", 50 + 50j + 10 * SQUARE), named("b", 50 + 50j + 5 * SQUARE)
    keyed = key_film(film(a, b, orders=[(0,), (0, 1), (0, 1), (0,), (0, 1), (0,)]), GRID)
    assert sorted(runs(keyed)) == [("a", 0, 6), ("b", 1, 3), ("b", 4, 5)]


def test_a_fade_is_keyed_and_begins_in_the_frame_before_it_is_seen():
    still = named("a", 50 + 50j + 10 * SQUARE)
    opacity = [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]
    paints = tuple(Layer((), "a", "#ff0000", fill_opacity=each) for each in opacity)
    (faded,) = key_film(film(MovingLayer(still.curves, paints)), GRID).layers
    assert (faded.start, faded.stop) == (2, 6)
    assert faded.fill.opacity.keys.frames.tolist() == [2, 4]
    assert faded.fill.opacity.values[:, 0].tolist() == [0, 1]


def test_a_hole_that_closes_shrinks_to_a_point():
    hole = 50 + 50j + np.array([8, 6, 4, 2, np.nan, np.nan])[:, None] * CIRCLE
    outer = np.repeat((50 + 50j + 20 * CIRCLE)[None], 6, axis=0)
    (ring,) = key_film(film(layer([outer, hole], 6)), GRID).layers
    shapes = ring.paths[1].shapes
    assert np.abs(shapes[-1] - shapes[-1].mean()).max() < 0.2
    assert np.abs(shapes[0] - shapes[0].mean()).max() > 30


def test_a_stroked_curve_that_is_gone_leaves_no_dot():
    line = 50 + 50j + np.array([8, 6, 4, 2, np.nan, np.nan])[:, None] * CIRCLE
    outer = np.repeat((50 + 50j + 20 * CIRCLE)[None], 6, axis=0)
    keyed = key_film(film(layer([outer, line], 6, fill="#ff0000", stroke="#000000")), GRID)
    assert [(each.fill is None, each.start, each.stop) for each in keyed.layers] == [
        (False, 0, 6),
        (True, 0, 6),
        (True, 0, 4),
    ]


def test_layers_that_share_curves_share_their_keys():
    moving = swelling().layers[0]
    twice = MovingDrawing((moving, MovingLayer(moving.curves, moving.paints)), ((0, 1),) * 24, ((0, 0, 100, 100),) * 24)
    one, other = key_film(twice, GRID).layers
    assert np.array_equal(one.paths[0].shapes, other.paths[0].shapes)


def test_caps_that_change_get_a_slot_each():
    still = named("a", 50 + 50j + 10 * SQUARE)
    paints = tuple(Layer((), "a", None, "#000000", stroke_cap="butt" if k < 2 else "round") for k in range(6))
    keyed = key_film(film(MovingLayer(still.curves, paints)), GRID)
    assert sorted((each.cap, each.start, each.stop) for each in keyed.layers) == [("butt", 0, 2), ("round", 2, 6)]


def test_a_film_that_crosses_itself_is_written_as_it_is():
    bow = np.array([20 + 20j, 80 + 80j, 80 + 20j, 20 + 80j])
    keyed = key_film(film(layer([bow[None]], 1)), GRID)
    assert keyed.error <= LIMIT
    assert len(keyed.layers) == 1
