import numpy as np
import pytest

from kinetune.contours.interpolation.intrinsic_interpolation import interpolate
from kinetune.contours.morphing._curve_shortening import CurveShortening, interpolate_smoothed
from kinetune.contours.outlines import all_simple, ring_area, ring_centroid
from tests.contours.curves import comb, flower, outline, spiral

TIMES = np.linspace(0, 1, 12)[1:-1]


def even(points: np.ndarray, count: int = 256) -> np.ndarray:
    return outline(points).along(np.arange(count) / count)


@pytest.mark.parametrize("shape", [flower(6, 0.8), comb(), spiral(2.5)])
def test_the_flow_ends_in_a_circle_and_never_crosses(shape: np.ndarray) -> None:
    z = even(shape)
    flow = CurveShortening(z)
    stages = flow(np.linspace(0, flow.end, 60))
    assert all_simple(stages, closed=True).all()
    np.testing.assert_allclose(stages[0], z, atol=1e-9)
    assert np.ptp(ring_area(stages)) < 0.02 * abs(ring_area(z))
    radii = np.abs(stages[-1] - ring_centroid(stages[-1]))
    assert np.ptp(radii) < 0.2 * radii.mean()


def test_smoothing_shortens() -> None:
    flow = CurveShortening(even(flower(6, 0.8)))
    lengths = np.sum(np.abs(np.diff(flow.stages, axis=1)), axis=1)
    assert np.all(np.diff(lengths) <= 1e-9)


@pytest.mark.slow
def test_the_guard_finds_frames_without_a_crossing_where_the_morph_has_some() -> None:
    za, zb = even(spiral(3)), even(spiral(3, backwards=True))

    def sound(frames: np.ndarray) -> bool:
        return bool(all_simple(frames, closed=True).all())

    assert not sound(interpolate(za, zb, TIMES))
    found = interpolate_smoothed(za, zb, TIMES, lambda a, b, t: interpolate(a, b, t, rotation=0.0), sound)
    assert found is not None
    assert sound(found[0])
    assert found[1] > 0


def test_the_guard_says_when_it_fails() -> None:
    za = even(flower(3))
    assert interpolate_smoothed(za, za, TIMES, lambda a, b, t: a, lambda frames: False) is None


def test_the_guard_comes_gently_where_that_is_enough() -> None:
    """Half as much detail goes in the first frames as half way, and the least smoothing that is enough is taken."""
    za, zb = even(spiral(1.5, 6.0)), even(flower(5, 0.3))
    asked: list[np.ndarray] = []

    def between(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
        asked.append(np.abs(a - za).mean(axis=1))
        return a

    found = interpolate_smoothed(za, zb, TIMES, between, lambda frames: len(asked) > 8)
    assert found is not None
    gone = asked[-1]
    assert gone[0] < 0.5 * gone[len(gone) // 2]
    assert np.all(np.diff(gone[: len(gone) // 2]) >= 0)
    assert len(asked) == 9
