"""The paper's morphs: linear in the coefficients, and details out, coarse, details in."""

import numpy as np
import pytest

from kinetune.contours.elastic.materials import PRESETS
from kinetune.contours.interpolation.intrinsic_interpolation import rigid_rotation
from kinetune.contours.morphing.methods import _even_samples, linear_film, physical_film, schedule_film, swing_clock
from kinetune.contours.outlines import all_simple, ring_area
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.wavelets import split_scales, synthesis_matrix
from tests.contours.curves import ARROW, LETTER_L, SQUARE, comb, flower, outline, ring, spiral

TIMES = np.array([0.0, 0.3, 0.5, 1.0])


def same(frames: np.ndarray) -> np.ndarray:
    return frames


@pytest.mark.parametrize("wavelet", ["db4", "coif2", "spline"])
def test_all_coefficients_are_all_points(wavelet: str) -> None:
    """[chuang] Equation 4.1 with every coefficient is the linear morph of the samples, to rounding."""
    film = linear_film(outline(ARROW), outline(flower(5)), TIMES, same, wavelet=wavelet)
    t = TIMES[:, None]
    np.testing.assert_allclose(film.frames, (1 - t) * film.a + t * film.b, atol=1e-11)


@pytest.mark.parametrize("coefficients", [4, 16, 64])
def test_coarse_frames_have_that_many_coefficients(coefficients: int) -> None:
    film = linear_film(outline(ARROW), outline(flower(5)), TIMES, same, coefficients=coefficients)
    for frame in film.frames:
        scales = split_scales(np.stack([frame.real, frame.imag], axis=-1), "db4")
        vector = scales.vector()
        assert np.abs(vector[coefficients:]).max() < 1e-9
        assert np.abs(vector[:coefficients]).max() > 1


def test_a_number_of_coefficients_must_be_a_power_of_two() -> None:
    with pytest.raises(ParameterError, match="power of two from 4"):
        linear_film(outline(ARROW), outline(SQUARE), TIMES, same, coefficients=12)
    with pytest.raises(UnknownNameError, match="db44"):
        linear_film(outline(ARROW), outline(SQUARE), TIMES, same, wavelet="db44")


def test_the_schedule_begins_and_ends_with_the_shapes() -> None:
    film = schedule_film(outline(LETTER_L), outline(flower(5)), TIMES, same)
    np.testing.assert_allclose(film.frames[0], film.a, atol=1e-9)
    np.testing.assert_allclose(film.frames[-1], film.b, atol=1e-9)


def test_the_schedule_is_smooth_in_the_middle() -> None:
    """Half way all details are out."""
    film = schedule_film(outline(LETTER_L), outline(flower(9, 0.2)), np.array([0.5]), same)
    scales = split_scales(np.stack([film.frames[0].real, film.frames[0].imag], axis=-1), "db4", 4)
    assert max(np.abs(detail).max() for detail in scales.details) < 1e-9


def smoothstep(x: float) -> float:
    return float(np.polynomial.Polynomial([0, 0, 3, -2])(np.clip(x, 0, 1)))


@pytest.mark.parametrize("coefficients", [8, 32])
def test_the_linear_morph_is_a_projection_on_the_coarse_columns(coefficients: int) -> None:
    """A second algorithm: the columns of the whole orthogonal matrix instead of filters level by level."""
    film = linear_film(outline(LETTER_L), outline(flower(5)), TIMES, same, coefficients=coefficients)
    count = len(film.a)
    coarse = synthesis_matrix(count, "db4", int(np.log2(count // coefficients))).toarray()[:, :coefficients]
    for t, frame in zip(TIMES, film.frames, strict=True):
        between = (1 - t) * film.a + t * film.b
        np.testing.assert_allclose(frame, coarse @ (coarse.T @ between), atol=1e-9)


def test_the_schedule_weighs_the_columns_of_each_level() -> None:
    """Likewise: each level of detail is gone at its own time, between a quarter and a half; the rest turns rigidly."""
    film = schedule_film(outline(LETTER_L), outline(flower(5)), TIMES, same)
    count = len(film.a)
    levels = int(np.log2(count // 16))
    matrix = synthesis_matrix(count, "db4", levels).toarray()
    rotation = rigid_rotation(film.a, film.b, True)
    one, other = matrix.T @ film.a, matrix.T @ (film.b * np.exp(-1j * rotation))
    level = np.concatenate([np.full(16, -1), *(np.full(16 * 2**k, k) for k in range(levels))])
    gone = np.linspace(0.5, 0.25, levels)
    for t, frame in zip(TIMES, film.frames, strict=True):
        share = smoothstep((t - 0.2) / 0.6)
        keep, come = (np.array([1 - smoothstep(x / end) for end in gone]) for x in (t, 1 - t))
        mixed = np.where(level < 0, (1 - share) * one + share * other, keep[level] * one + come[level] * other)
        np.testing.assert_allclose(frame, np.exp(1j * rotation * share) * (matrix @ mixed), atol=1e-9)


def test_samples_of_open_curves_keep_their_ends() -> None:
    line = np.array([0, 30 + 10j, 60])
    za, zb = _even_samples(outline(line, False), outline(line[::-1] + 5j, False))
    assert (za[0], za[-1]) == (0, 60)
    assert zb[0] == 5j  # turned round
    assert len(za) == 256


def test_pins_hold_in_the_linear_morph() -> None:
    film = linear_film(outline(ring()), outline(SQUARE), TIMES, same, pins=((0.2, 0.7),))
    at = int(np.argmin(np.abs(film.a - outline(ring()).along(np.array([0.2]))[0])))
    assert abs(film.b[at] - outline(SQUARE).along(np.array([0.7]))[0]) < 0.6


@pytest.mark.parametrize("preset", list(PRESETS))
def test_the_physical_film_springs_from_one_shape_into_the_other(preset: str) -> None:
    film = physical_film(outline(ARROW), outline(ring()), np.linspace(0, 1, 40), same, preset=preset)
    np.testing.assert_allclose(film.frames[0], film.a, atol=1e-9)
    np.testing.assert_allclose(film.frames[-1], film.b, atol=1e-9)
    left = np.abs(film.frames - film.b).max(axis=1)
    assert left[-4] < 0.1 * left[0]


def test_a_bouncy_material_swings_past_and_a_dead_one_does_not() -> None:
    def beyond(preset: str) -> float:
        film = physical_film(outline(ring(30)), outline(ring(10)), np.linspace(0, 1, 60), same, preset=preset)
        return float(np.abs(film.frames - 50 - 50j).min())

    assert beyond("wobbly") < 7.0
    assert beyond("dead-beat") > 9.0
    with pytest.raises(ParameterError, match="seconds must be above 0"):
        physical_film(outline(ARROW), outline(SQUARE), TIMES, same, seconds=0.0)


@pytest.mark.parametrize("preset", list(PRESETS))
def test_physical_films_keep_their_area(preset: str) -> None:
    """A bar that ends up across where it began: on straight lines its points would shrink it to nothing."""
    bar = 50 + 50j + np.array([-40 - 8j, 40 - 8j, 44, 40 + 8j, -40 + 8j])
    film = physical_film(
        outline(bar), outline((bar - 50 - 50j) * 1j + 50 + 50j), np.linspace(0, 1, 30), same, preset=preset
    )
    areas = ring_area(film.frames) / ring_area(film.a)
    assert areas.min() > 0.85
    assert areas.max() < 1.16


@pytest.mark.slow
def test_physical_films_do_not_cross() -> None:
    film = physical_film(outline(comb()), outline(flower(7, 0.85)), TIMES, same, preset="wobbly")
    assert all_simple(film.frames, closed=True).all()


def test_physical_films_do_not_swing_past_to_where_a_file_would_make_them_cross() -> None:
    """A shape that becomes small swings past to almost nothing, and the grid of a file cannot hold that."""
    big, small = outline(50 + 50j + 4 * (flower(5) - 50 - 50j)), outline(flower(5))
    least = 0.8 * float(ring_area(small.points))

    def written(frames: np.ndarray) -> np.ndarray:
        crossed, tiny = frames.copy(), ring_area(frames) < least
        crossed[tiny, 0] = crossed[tiny, frames.shape[1] // 2]
        return crossed

    film = physical_film(big, small, np.linspace(0, 1, 24), written)
    assert all_simple(written(film.frames), closed=True).all()


def test_everything_in_a_physical_film_keeps_one_clock() -> None:
    """A line, a ring and what lies on it get where they go at the same time, and swing past it together."""
    times = np.linspace(0, 1, 40)
    clock = swing_clock(times, "wobbly")
    wave = np.array([10 + 50j, 50 + 30j, 90 + 50j])
    for a, b, closed in ((ring(30), ring(20), True), (wave, wave + 20j, False)):
        film = physical_film(outline(a, closed), outline(b, closed), times, same, preset="wobbly")
        step = film.b - film.a
        far = np.abs(step) > 0.9 * np.abs(step).max()
        done = ((film.frames - film.a)[:, far] / step[far]).real.mean(axis=1)
        assert np.abs(done - clock).max() < 0.12


def test_the_linear_morph_does_cross() -> None:
    """What the safe method is for: the paper's morph of a spiral crosses itself."""
    film = linear_film(outline(spiral(2)), outline(ARROW), np.linspace(0, 1, 24), same)
    assert not all_simple(film.frames, closed=True).all()
