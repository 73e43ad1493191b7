import numpy as np
import pytest

from kinetune.contours.interpolation.intrinsic_interpolation import interpolate, rigid_rotation, strain
from kinetune.contours.matching.correspondence import correspondences, matched_vertices
from kinetune.contours.outlines import ring_area, ring_centroid
from tests.contours.curves import ARROW, LETTER_L, flower, outline

TIMES = np.linspace(0, 1, 9)


def matched(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    one, other = outline(a), outline(b)
    return matched_vertices(one, other, next(correspondences(one, other)))


def by_definition(a: np.ndarray, b: np.ndarray, t: float, rotation: float, bent: float | None = None) -> np.ndarray:
    """The shape at one time between two closed curves, or with ``bent`` between two open ones, as the notes say."""
    closed = bent is None
    edges = [np.diff(z, append=z[:1]) for z in (a, b)]
    lengths = (1 - t) * np.abs(edges[0]) + t * np.abs(edges[1])
    bends = [np.angle(edge / np.roll(edge, 1)) for edge in edges]
    steps = lengths * np.exp(1j * (1.0 if bent is None else bent) * np.cumsum((1 - t) * bends[0] + t * bends[1]))
    steps -= closed * lengths / lengths.sum() * steps.sum()
    shape = np.concatenate([[0], np.cumsum(steps)[:-1]])
    shares = [np.abs(edge) * (closed | (np.arange(len(a)) < len(a) - 1)) for edge in edges]
    share = np.mean([each / each.sum() for each in shares], axis=0)
    weights = 0.5 * (share + np.roll(share, 1))
    off_a, off_b, off = (z - weights @ z for z in (a, b, shape))
    target = (1 - t) * np.exp(1j * rotation * t) * off_a + t * np.exp(-1j * rotation * (1 - t)) * off_b
    turned = np.exp(1j * np.angle(np.sum(weights * np.conj(off) * target)))
    if not closed:
        radii = [np.sqrt(weights @ np.abs(z) ** 2) for z in (off_a, off_b, off)]
        size = ((1 - t) * radii[0] + t * radii[1]) / radii[2]
        return (1 - t) * (weights @ a) + t * (weights @ b) + size * turned * off
    sizes = [np.sqrt(ring_area(z)) for z in (a, b, shape)]
    centre = (1 - t) * ring_centroid(a) + t * ring_centroid(b)
    return centre + ((1 - t) * sizes[0] + t * sizes[1]) / sizes[2] * turned * (shape - ring_centroid(shape))


@pytest.mark.parametrize("bent", [None, 0.3])
def test_the_kernel_follows_the_definition(bent: float | None) -> None:
    za, zb = matched(ARROW, flower(5))
    opened = None if bent is None else np.full(len(TIMES), bent)
    frames = interpolate(za, zb, TIMES, closed=bent is None, rotation=0.7, bent=opened)
    for t, frame in zip(TIMES.tolist(), frames, strict=True):
        np.testing.assert_allclose(frame, by_definition(za, zb, t, 0.7, bent), atol=1e-9)


def test_ends_are_the_shapes() -> None:
    za, zb = matched(ARROW, flower(5))
    frames = interpolate(za, zb, TIMES)
    np.testing.assert_allclose(frames[0], za, atol=1e-9)
    np.testing.assert_allclose(frames[-1], zb, atol=1e-9)


def test_a_rigid_motion_stays_rigid() -> None:
    """A shape that is turned by 120 degrees and moved keeps all its lengths on the way, where linear would shrink."""
    za = outline(LETTER_L).along(np.arange(200) / 200)
    zb = 10 + 5j + np.exp(2j * np.pi / 3) * za
    assert rigid_rotation(za, zb) == pytest.approx(2 * np.pi / 3)
    frames = interpolate(za, zb, TIMES)
    assert np.abs(np.abs(np.diff(frames, axis=1)) - np.abs(np.diff(za))).max() < 1e-9
    for t, frame in zip(TIMES, frames, strict=True):
        assert rigid_rotation(za, frame) == pytest.approx(t * 2 * np.pi / 3, abs=1e-9)


def test_size_and_place_change_evenly() -> None:
    za, zb = matched(ARROW, 0.5 * flower(3) + 80)
    frames = interpolate(za, zb, TIMES)
    sizes, centres = np.sqrt(ring_area(frames)), ring_centroid(frames)
    np.testing.assert_allclose(sizes, np.interp(TIMES, [0, 1], sizes[[0, -1]]), rtol=1e-9)
    np.testing.assert_allclose(centres, centres[0] + TIMES * (centres[-1] - centres[0]), atol=1e-9)


def test_straight_stays_straight() -> None:
    """Points on an edge that is straight in both shapes stay on a straight edge, however many there are."""
    za, zb = matched(np.array([0, 10 + 0j, 10 + 10j, 10j]), np.array([0, 20 + 0j, 20 + 10j, 10j]))
    for frame in interpolate(za, zb, TIMES):
        bends = np.angle(np.roll(np.roll(frame, -1) - frame, -1) / (np.roll(frame, -1) - frame))
        assert np.sum(np.abs(bends) > 1e-6) <= 8


def test_one_curve_for_every_time() -> None:
    za, zb = matched(ARROW, flower(5))
    once = interpolate(za, zb, TIMES)
    often = interpolate(np.tile(za, (9, 1)), np.tile(zb, (9, 1)), TIMES, rotation=rigid_rotation(za, zb))
    np.testing.assert_allclose(once, often, atol=1e-12)


def test_open_curves_swing() -> None:
    """A straight stick that turns by a right angle keeps its length."""
    za, zb = np.linspace(0, 10, 20) + 0j, np.linspace(0, 10j, 20)
    frames = interpolate(za, zb, TIMES, closed=False)
    np.testing.assert_allclose(np.abs(frames[:, -1] - frames[:, 0]), 10.0, atol=1e-9)
    np.testing.assert_allclose(frames[0], za, atol=1e-9)
    np.testing.assert_allclose(frames[-1], zb, atol=1e-9)


def test_a_crossing_curve_is_not_sized_by_its_area() -> None:
    za = np.array([0, 10 + 10j, 10, 10j])
    zb = np.array([0, 10, 10 + 10j, 10j])
    assert np.isfinite(interpolate(za, zb, TIMES, sized=False)).all()
    np.testing.assert_allclose(interpolate(za, zb, TIMES, sized=False)[0], za, atol=1e-9)


def test_strain_of_nothing_and_of_a_turn() -> None:
    za = outline(LETTER_L).along(np.arange(200) / 200)
    assert strain(za, za) == pytest.approx(0.0, abs=1e-9)
    assert strain(za, za + 40) == pytest.approx(0.0, abs=1e-9)
    turned, back = (strain(za, za * np.exp(1j * turn)) for turn in (0.3, np.pi))
    assert turned < 0.01
    assert back > 0.5  # standing on its head is much to ask


def test_strain_grows_as_matched_points_drift_apart() -> None:
    za = outline(LETTER_L).along(np.arange(200) / 200)
    strains = [strain(za, np.roll(za, k)) for k in (0, 10, 25, 50)]
    assert strains == sorted(strains)
    assert strains[-1] > 0.6


def test_a_line_without_its_bends_is_straight() -> None:
    za = np.exp(1j * np.linspace(0, 5, 40))
    zb = 3 * za + 7
    (straight,) = interpolate(za, zb, np.array([0.5]), closed=False, bent=np.array([0.0]))
    steps = np.diff(straight)
    np.testing.assert_allclose(np.angle(steps / steps[0]), 0.0, atol=1e-9)
    whole = interpolate(za, zb, TIMES, closed=False, bent=np.ones(len(TIMES)))
    np.testing.assert_allclose(whole, interpolate(za, zb, TIMES, closed=False), atol=1e-9)
