"""Drawings that walk: standing feet keep to the ground, feet land in the order of the gait, nothing kinks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.gaits import GAITS, find_legs, foot_path, gait_film
from kinetune.contours.outlines import count_self_crossing
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.samples.drawings import sample_drawing

LEGS = ("near hind leg", "near front leg", "far hind leg", "far front leg")
FRAMES = 16


@pytest.fixture(scope="module")
def dogs() -> tuple[Drawing, Drawing]:
    return sample_drawing("dog-1"), sample_drawing("dog-2")


def feet(film: list[Drawing], leg: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the lowest point of a leg is in every frame, and its height above the ground."""
    low = np.array([max(frame.layer(leg).contours[0].points.tolist(), key=lambda point: point[1]) for frame in film])
    return low[:, 0], low[:, 1].max() - low[:, 1]


@pytest.mark.slow
@pytest.mark.parametrize("gait", GAITS)
@pytest.mark.parametrize("keys", [1, 2])
def test_standing_feet_go_back_at_one_speed_and_never_forward(
    dogs: tuple[Drawing, Drawing], gait: str, keys: int
) -> None:
    film = gait_film(dogs[0], FRAMES, gait, passing=dogs[1] if keys == 2 else None, cycles=2)  # type: ignore[arg-type]
    for leg in LEGS:
        where, height = feet(film, leg)
        stands = height < 1e-6
        steps = np.diff(where)[stands[1:] & stands[:-1]]
        assert len(steps) >= 2 * (GAITS[gait].stance * FRAMES - 2)
        assert np.all(steps < 0)
        assert np.ptp(steps) < 0.05 * abs(steps.mean())


@pytest.mark.slow
@pytest.mark.parametrize("gait", GAITS)
def test_standing_feet_stay_put(dogs: tuple[Drawing, Drawing], gait: str) -> None:
    film = gait_film(dogs[0], FRAMES, gait, passing=dogs[1], travel=True)  # type: ignore[arg-type]
    for leg in LEGS:
        where, height = feet(film, leg)
        stands = height < 1e-6
        assert np.abs(np.diff(where)[stands[1:] & stands[:-1]]).max() < 1e-6
    middle = [frame.layer("body").contours[0].centroid[0] for frame in film]
    assert np.all(np.diff(middle) > 0)


@pytest.mark.slow
@pytest.mark.parametrize(("gait", "footfalls"), [("walk", 4), ("trot", 2), ("pace", 2), ("canter", 3)])
def test_feet_land_in_the_order_of_the_gait(dogs: tuple[Drawing, Drawing], gait: str, footfalls: int) -> None:
    film = gait_film(dogs[0], 40, gait, passing=dogs[1], cycles=2)  # type: ignore[arg-type]
    lands = {}
    for leg in LEGS:
        stands = feet(film, leg)[1] < 1e-6
        lands[leg] = next(k % 40 for k in range(1, 80) if stands[k] and not stands[k - 1])
    together = {frozenset(leg for leg in LEGS if (lands[leg] - lands[other] + 2) % 40 <= 4) for other in LEGS}
    assert len(together) == footfalls, lands
    if gait == "trot":
        assert frozenset({"near hind leg", "far front leg"}) in together
    if gait == "pace":
        assert frozenset({"near hind leg", "near front leg"}) in together


@pytest.mark.slow
@pytest.mark.parametrize("gait", GAITS)
def test_nothing_kinks(dogs: tuple[Drawing, Drawing], gait: str) -> None:
    film = gait_film(dogs[0], FRAMES, gait, passing=dogs[1])  # type: ignore[arg-type]
    assert count_self_crossing(film) == 0
    assert _sharpest(film) < _sharpest([dogs[1]]) + 25.0


def _sharpest(film: list[Drawing]) -> float:
    """The sharpest turn of any leg's outline within a fiftieth of its length, in degrees."""
    sharp = 0.0
    for frame in film:
        for leg in LEGS:
            z = frame.layer(leg).contours[0].complex
            along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(np.append(z, z[0]))))])
            even = np.interp(np.linspace(0, along[-1], 101)[:-1], along, np.append(z, z[0]).real) + 1j * np.interp(
                np.linspace(0, along[-1], 101)[:-1], along, np.append(z, z[0]).imag
            )
            way = np.roll(even, -1) - even
            sharp = max(sharp, float(np.abs(np.angle(np.roll(way, -1) / way, deg=True)).max()))
    return sharp


def test_a_cycle_closes_and_the_body_bobs(dogs: tuple[Drawing, Drawing]) -> None:
    film = gait_film(dogs[0], 8, cycles=2)
    for a, b in zip(film[:8], film[8:], strict=True):
        for one, other in zip(a.contours(), b.contours(), strict=True):
            assert np.abs(one.points - other.points).max() < 1e-6
    heights = [frame.layer("body").contours[0].bounds()[1] for frame in film[:8]]
    assert np.ptp(heights) > 0.2


def test_feet_leave_and_meet_the_ground_at_its_speed() -> None:
    phase = np.linspace(0, 1, 20_001)
    forward, lifted = foot_path(phase, 0.6)
    speed = np.diff(forward) / np.diff(phase)
    assert speed[:12_000] == pytest.approx(-1 / 0.6)
    assert np.abs(np.diff(speed)).max() < 0.01
    assert lifted.max() == pytest.approx(1.0)
    assert np.all(lifted[phase <= 0.6] == 0)


def creature(facing: float = 1.0) -> Drawing:
    """A plain body on four straight legs without telling names."""

    def bar(x: float, y: float, w: float, h: float) -> tuple[Contour, ...]:
        return (Contour(np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) * (facing, 1) + (50, 0)),)

    layers = [Layer(bar(x, 45, 6, 40), name) for name, x in (("a", -25), ("b", -22), ("c", 18), ("d", 21))]
    return Drawing(
        (*layers[1::2], Layer(bar(-30, 30, 60, 20), "trunk"), *layers[::2], Layer(bar(28, 15, 12, 12), "head"))
    )


@pytest.mark.parametrize("facing", [1.0, -1.0])
def test_pairs_say_which_layers_are_legs_and_the_head_says_where_ahead_is(facing: float) -> None:
    drawing = creature(facing)
    film = gait_film(drawing, 12, pairs={"a": "b", "c": "d"}, travel=True)
    shift = [frame.layer("trunk").contours[0].centroid[0] for frame in film]
    assert all(facing * (b - a) > 0 for a, b in pairwise(shift))
    _, legs = find_legs(drawing, pairs={"c": "d", "a": "b"}, facing=facing)
    assert {leg.layer: (leg.near, leg.hind) for leg in legs} == {
        "a": (True, True), "b": (False, True), "c": (True, False), "d": (False, False)
    }  # fmt: skip


def test_legs_are_cut_out_of_a_silhouette_by_boxes_and_copied() -> None:
    outline = [(10, 20), (90, 20), (90, 80), (80, 80), (80, 40), (20, 40), (20, 80), (10, 80)]
    drawing = Drawing((Layer((Contour(outline),), "dog"),))
    limbs = {"near hind": (9, 42, 21, 81), "near front": (79, 42, 91, 81), "far hind": "near hind"}
    film = gait_film(drawing, 6, limbs=limbs)  # type: ignore[arg-type]
    assert [layer.name for layer in film[0].layers] == ["far hind", "dog", "near front", "near hind"]
    assert count_self_crossing(film) == 0


def test_what_lies_on_a_leg_that_is_cut_out_moves_with_it() -> None:
    """Hooves as a whole, lines up to the edge of the box; what only reaches into the box stays with the body."""
    outline = [(10, 20), (90, 20), (90, 80), (80, 80), (80, 40), (20, 40), (20, 80), (10, 80)]
    hooves = tuple(Contour([(x, 72), (x + 10, 72), (x + 10, 80), (x, 80)]) for x in (10, 80))
    line = Contour([(50, 40), (20, 40), (20, 80), (10, 80), (10, 20)], closed=False)
    spot = Contour([(10, 22), (20, 22), (20, 46), (10, 46)])
    drawing = Drawing(
        (
            Layer((Contour(outline),), "dog", fill="#a70"),
            Layer(hooves, "hooves", fill="#000"),
            Layer((spot,), "spot", fill="#fff"),
            Layer((line,), "line", fill=None, stroke="#000", stroke_width=1.0),
        )
    )
    limbs = {"near hind": (9, 42, 21, 81), "near front": (79, 42, 91, 81), "far hind": "near hind"}
    film = gait_film(drawing, 8, limbs=limbs)  # type: ignore[arg-type]
    names = [layer.name for layer in film[0].layers]
    assert names == [
        "far hind", "far hind 1", "far hind 2", "dog", "near front", "near front 1",
        "near hind", "near hind 1", "near hind 2", "spot", "line",
    ]  # fmt: skip
    lowest = []
    for frame in film:
        leg, hoof, lines = (frame.layer(f"near hind{suffix}") for suffix in ("", " 1", " 2"))
        soles = [max(float(c.points[:, 1].max()) for c in layer.contours) for layer in (leg, hoof, lines)]
        assert soles == pytest.approx([soles[0]] * 3, abs=1e-6)
        lowest.append(soles[0])
        assert max(float(c.points[:, 1].max()) for c in frame.layer("line").contours) < 50
    assert np.ptp(lowest) > 2


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"gait": "hop"}, UnknownNameError),
        ({"pairs": {"a": "nothing"}}, UnknownNameError),
        ({"limbs": {"middle": "a"}}, UnknownNameError),
        ({"limbs": {"near hind": (0, 0, 1, 1)}}, ParameterError),
        ({"pairs": {"a": "b"}, "stride": 5.0}, ParameterError),
        ({"frames": 0}, ParameterError),
        ({}, ParameterError),
    ],
)
def test_what_cannot_walk_gets_one_message(how: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        gait_film(creature(), **how)  # type: ignore[arg-type]
