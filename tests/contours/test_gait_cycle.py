import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.gait_cycle import (
    GaitTiming,
    fit_gait,
    fit_gamma,
    progress,
    swap_sides,
    walk_cycle,
    walk_in_time,
)
from kinetune.contours.outlines import count_self_crossing
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.samples import sample
from kinetune.samples.drawings import sample_drawing
from kinetune.signals.wavelets import split_scales
from tests.contours.curves import SQUARE, drawing, flower, ring

TAU = np.array([0, 0.25, 0.5, 0.75, 1])


def tracked(gamma: float, start: np.ndarray, end: np.ndarray, tau: np.ndarray = TAU) -> np.ndarray:
    left = 1 - progress(tau, gamma)
    return end + left.reshape(-1, *(1,) * start.ndim) * (start - end)


def test_golden_of_the_notes() -> None:
    assert fit_gamma(TAU, [1, 0.9, 0.6, 0.2, 0]) == pytest.approx(-28 / 85, abs=1e-15)


@given(st.floats(-2, 2))
def test_what_was_made_with_gamma_is_fitted_by_gamma(gamma: float) -> None:
    key_1, key_2 = Contour(flower(5)).points, Contour(ring(20, count=240)).points
    assert fit_gamma(TAU, tracked(gamma, key_1, key_2)) == pytest.approx(gamma, abs=1e-9)
    assert fit_gamma(TAU, 1 - progress(TAU, gamma)) == pytest.approx(gamma, abs=1e-9)


def test_the_fit_of_coefficients_is_the_fit_of_points() -> None:
    """[chuang] fits control coefficients: an orthogonal transform of the points, which changes no least squares."""
    dice = np.random.default_rng(0)
    points = tracked(-0.4, Contour(flower(5, count=256)).points, Contour(ring(20, count=256)).points)
    points[1:-1] += dice.standard_normal(points[1:-1].shape)
    coefficients = np.stack([split_scales(frame, "db4").vector() for frame in points])
    assert fit_gamma(TAU, coefficients) == pytest.approx(fit_gamma(TAU, points), abs=1e-12)


def test_the_fit_is_the_least_squares_minimum() -> None:
    y = np.array([1, 0.8, 0.45, 0.3, 0])
    best = minimize(lambda g: np.sum((1 - progress(TAU, g[0]) - y) ** 2), [0.0], tol=1e-12).x[0]
    assert fit_gamma(TAU, y) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(("gamma", "monotone"), [(-1.0, True), (0.3, True), (1.0, True), (-1.05, False), (1.05, False)])
def test_monotone_exactly_up_to_one(gamma: float, monotone: bool) -> None:
    assert bool(np.all(np.diff(progress(np.linspace(0, 1, 2001), gamma)) >= 0)) == monotone


def test_two_subcycles_meet_at_the_same_speed() -> None:
    """The constrained fit against a general minimizer, and its constraint."""
    a, b, c = (Contour(z).points for z in (flower(5, count=96), ring(20), ring(28, 60 + 40j)))
    dice = np.random.default_rng(2)
    first, second = tracked(-0.6, a, b), tracked(0.3, b, c)
    for part in (first, second):
        part[1:-1] += 0.3 * dice.standard_normal(part[1:-1].shape)
    found = fit_gait(TAU, first, TAU, second, share_a=0.4)
    speeds = [np.sqrt(np.mean((p[0] - p[-1]) ** 2)) / share for p, share in ((first, 0.4), (second, 0.6))]
    assert (1 - found.gamma_a) * speeds[0] == pytest.approx((1 + found.gamma_b) * speeds[1])

    def misfit(gamma: np.ndarray) -> float:
        return sum(np.sum((tracked(g, p[0], p[-1]) - p) ** 2) for g, p in zip(gamma, (first, second), strict=True))

    rule = {"type": "eq", "fun": lambda g: (1 - g[0]) * speeds[0] - (1 + g[1]) * speeds[1]}
    best = minimize(misfit, [0.0, 0.0], constraints=[rule], tol=1e-12).x
    assert [found.gamma_a, found.gamma_b] == pytest.approx(best, abs=1e-4)
    free = fit_gait(TAU, first, TAU, second, match_speed=False)
    assert misfit(np.array([free.gamma_a, free.gamma_b])) < misfit(np.array([found.gamma_a, found.gamma_b]))


def test_fits_are_limited_to_monotone_ones() -> None:
    found = fit_gait(TAU, 1 - progress(TAU, -1.8), TAU, 1 - progress(TAU, 0.9))
    assert -1 <= found.gamma_a <= 1
    assert -1 <= found.gamma_b <= 1
    assert (1 - found.gamma_a) == pytest.approx(1 + found.gamma_b)


@pytest.mark.parametrize(
    ("tau", "values", "words"),
    [
        ([0, 1], [1, 0], "between the key drawings"),
        ([0, 0.5], [1, 0.5, 0], "one tracked frame for each time"),
        ([0, 0.5, 2], [1, 0.5, 0], "from 0"),
        ([0, 0.5, 1], [1, np.nan, 0], "finite"),
        ([0, 0.5, 1], np.ones((3, 4, 2)), "are the same"),
        ([0.1, 0.5, 1], np.ones((3, 4, 2)), "begin and end with the key drawings"),
    ],
)
def test_tracks_that_cannot_be_fitted(tau: list[float], values: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        fit_gamma(tau, values)  # type: ignore[arg-type]


def test_timing_is_checked() -> None:
    with pytest.raises(ParameterError, match="gamma_b must lie between -1 and 1"):
        GaitTiming(gamma_b=1.5)
    with pytest.raises(ParameterError, match="share_a"):
        GaitTiming(share_a=1.0)


def test_a_subcycle_takes_some_of_the_time() -> None:
    track = 1 - progress(TAU, -0.5)
    for share in (0.0, 1.0, -2.0):
        with pytest.raises(ParameterError, match="share_a must lie between 0 and 1"):
            fit_gait(TAU, track, TAU, track, share_a=share)


def test_slow_fast_slow() -> None:
    """Over the two subcycles together a limb hurries in the middle and lingers at both ends."""
    subcycle, done = GaitTiming(-0.8, 0.8).subcycle_at(np.linspace(0, 0.5, 101)[:-1])
    way = subcycle + done
    speed = np.diff(way)
    assert speed[0] < 0.3 * speed.max()
    assert speed[-1] < 0.3 * speed.max()
    assert np.argmax(speed) in range(45, 55)
    assert abs(speed[48] - speed[51]) < 0.05 * speed[49]  # no jump where they meet


def test_sides_are_swapped_but_not_their_paint() -> None:
    legs = Drawing(
        (
            Layer((Contour(SQUARE),), "far Left leg", "#111111"),
            Layer((Contour(ring()),), "body"),
            Layer((Contour(flower(3)),), "near Left leg", "#222222"),
        )
    )
    swapped = swap_sides(legs)
    assert [layer.name for layer in swapped.layers] == [layer.name for layer in legs.layers]
    assert [layer.fill for layer in swapped.layers] == [layer.fill for layer in legs.layers]
    assert swapped.layer("far Left leg").contours == legs.layer("near Left leg").contours
    assert swapped.layer("body").contours == legs.layer("body").contours
    again = swap_sides(swapped)
    assert all(x.contours == y.contours for x, y in zip(again.layers, legs.layers, strict=True))
    given = swap_sides(legs, {"body": "near Left leg"})
    assert given.layer("body").contours == legs.layer("near Left leg").contours


def test_a_drawing_without_sides_is_refused() -> None:
    with pytest.raises(ParameterError, match="no opposite limbs"):
        swap_sides(drawing(SQUARE, name="leg"))
    with pytest.raises(ParameterError, match="no opposite limbs"):
        swap_sides(drawing(SQUARE, name="left leg"))  # nothing on the other side
    with pytest.raises(UnknownNameError, match='"arm"'):
        swap_sides(drawing(SQUARE, name="leg"), {"leg": "arm"})


DOG = sample_drawing("dog-1"), sample_drawing("dog-2")


def paw(frame: Drawing, leg: str) -> tuple[float, float]:
    """Where the paw of a leg is: ahead, and above the ground."""
    points = frame.layer(leg).contours[0].points
    low = points[points[:, 1] > points[:, 1].max() - 3.0]
    return float(low[:, 0].max()), 88.0 - float(points[:, 1].max())


@pytest.mark.slow
def test_the_dog_walks() -> None:
    """Each paw comes forward in the air and goes back on the ground; near and far do it half a cycle apart."""
    film = walk_cycle(*DOG, 24)
    assert film[0] is DOG[0]
    assert len(film) == 24
    assert count_self_crossing(film) == 0
    for side, other in (("near", "far"), ("far", "near")):
        for limb in ("hind leg", "front leg"):
            ahead, lift = np.transpose([paw(frame, f"{side} {limb}") for frame in film])
            opposite = np.array([paw(frame, f"{other} {limb}")[0] for frame in film])
            step = np.roll(ahead, -1) - ahead
            assert np.ptp(ahead) > 15
            assert lift[step > 1].mean() > lift[step < -1].mean() + 1.0
            np.testing.assert_allclose(ahead, np.roll(opposite, 12), atol=1.5)


@pytest.mark.slow
def test_half_a_cycle_is_the_first_key_with_sides_swapped() -> None:
    film = walk_cycle(*DOG, 8)
    swapped = swap_sides(DOG[0])
    for ours, theirs in zip(film[4].layers, swapped.layers, strict=True):
        assert np.array_equal(ours.contours[0].points, theirs.contours[0].points)


@pytest.mark.slow
def test_any_number_of_frames_and_one() -> None:
    assert [len(walk_cycle(*DOG, n, method="linear")) for n in (1, 7, 50)] == [1, 7, 50]
    with pytest.raises(ParameterError, match="frames must be"):
        walk_cycle(*DOG, 0)


@pytest.mark.slow
def test_a_dog_in_step_with_a_clip() -> None:
    """Where the left foot of the walker lands, the dog is at its first key drawing."""
    clip = sample("walk")[:150]
    film = walk_in_time(*DOG, clip, foot="left", method="linear")
    assert len(film) == len(clip)
    from kinetune.body.feet.contacts import find_contacts

    contacts = clip.contacts or find_contacts(clip)
    landings = [start for start, _ in contacts.intervals("left") if start > 0]
    key = paw(DOG[0], "near hind leg")[0]
    for landing in landings:
        assert paw(film[landing], "near hind leg")[0] == pytest.approx(key, abs=0.5)
    half = [round((a + b) / 2) for a, b in itertools.pairwise(landings)]
    assert half
    for moment in half:
        assert paw(film[moment], "near hind leg")[0] < key - 8
    fewer = walk_in_time(*DOG, clip, fps=10, method="linear")
    assert len(fewer) == int(clip.duration * 10) + 1


def test_a_clip_without_steps_is_refused() -> None:
    with pytest.raises(ParameterError, match="lands fewer than twice"):
        walk_in_time(*DOG, sample("wave"))
    with pytest.raises(UnknownNameError, match="paw"):
        walk_in_time(*DOG, sample("walk"), foot="paw")


@pytest.mark.slow
def test_a_walk_by_layers_shows_its_frames():
    film = walk_cycle(sample_drawing("dog-1"), sample_drawing("dog-2"), 12)
    for frame in (1, 4, 7, 11):
        for one, other in zip(film[frame].contours(), film.moving.drawing(frame).contours(), strict=True):
            assert np.array_equal(one.points, other.points)
