"""Drawings that walk: each leg of one drawing bends at hip, knee and ankle, and its foot keeps to the ground.

============  =============================================================================
gait_film     a drawing walks, trots, paces or canters
GAITS         when each foot lands, and how long it stays
find_legs    the legs of a drawing, by the names of its layers, by pairs, or cut out by boxes
DrawnLeg          one leg: its layer, side and position
============  =============================================================================

Notes
-----
While a foot stands, its ankle moves backward under the body at one speed, and the paw keeps its angle: with ``travel``
the body moves forward at that speed, and the foot stays put (``test_gaits.py::test_standing_feet_stay_put``).
In the air the foot lifts and comes forward along a curve that meets the ground at the speed of the ground.
A leg is a centre line from hip to ankle. To reach its foot it turns at the hip and bends about the knee and the ankle,
each bend spread over a part of the leg, so that nothing kinks. The drawn leg is the rest pose.
Footfalls: Muybridge's and Hildebrand's lateral sequence for the walk; the lead of the canter is the near side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from kinetune.contours.colours import mix_paint
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.morph import MOST_FRAMES, Morph
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.extras import require
from kinetune.rotations import Floats

require("drawings")

Box = tuple[float, float, float, float]
GaitName = Literal["walk", "trot", "pace", "canter"]


@dataclass(frozen=True)
class Gait:
    """Footfalls of a gait.

    lands : when a foot lands, as a share of the cycle, by (near, hind).
    stance : the share of the cycle that a foot stands.
    stride : how far the body goes while a foot stands, in leg lengths.
    bobs : how often the body rises in a cycle.
    """

    lands: Mapping[tuple[bool, bool], float]
    stance: float
    stride: float
    bobs: int = 2


def _gait(near_hind: float, near_front: float, far_hind: float, far_front: float, *rest: Any) -> Gait:
    lands = {(True, True): near_hind, (True, False): near_front, (False, True): far_hind, (False, False): far_front}
    return Gait(lands, *rest)


GAITS: Mapping[str, Gait] = {
    "walk": _gait(0.0, 0.25, 0.5, 0.75, 0.64, 0.6),
    "trot": _gait(0.0, 0.5, 0.5, 0.0, 0.5, 0.65),
    "pace": _gait(0.0, 0.0, 0.5, 0.5, 0.52, 0.6),
    "canter": _gait(0.3, 0.6, 0.0, 0.3, 0.42, 0.7, 1),
}

_LEVELS = 48  # of a leg, at which its middle is found
_PAW = 0.12  # of the leg's height: below it, the paw stays rigid
_HIP = 0.06  # of the leg's height: how far below the top of its layer a leg turns
_KNEE, _KNEE_WIDTH = 0.5, 0.6  # where the knee bends, and how far the bend spreads, in leg lengths
_ANKLE, _ANKLE_WIDTH = 0.88, 0.24
_REACH = 0.985  # of a leg: it is never stretched quite straight
_FINE = 0.03  # of the leg's height: the longest straight side of a leg that bends
_UNLIKE = 0.12  # of the leg's height: a leg whose foot is drawn so much farther out takes the shape of its opposite
_WORDS = {
    "near": re.compile(r"(?<![a-z])(near|left)(?![a-z])", re.IGNORECASE),
    "far": re.compile(r"(?<![a-z])(far|right)(?![a-z])", re.IGNORECASE),
    "hind": re.compile(r"(?<![a-z])(hind|back|rear)(?![a-z])", re.IGNORECASE),
    "front": re.compile(r"(?<![a-z])(front|fore)", re.IGNORECASE),
}
_LEG = re.compile(r"(leg|limb|foot|paw|hoof)", re.IGNORECASE)
_AHEAD = re.compile(r"(head|nose|eye|face|beak|snout|muzzle)", re.IGNORECASE)


@dataclass(frozen=True)
class DrawnLeg:
    """One leg: the name of its layer, whether it is on the near side, and whether it is a hind leg.

    details : layers that lie on it and move with it, such as a hoof.
    """

    layer: str
    near: bool
    hind: bool
    details: tuple[str, ...] = ()


def find_legs(
    drawing: Drawing,
    *,
    pairs: Mapping[str, str] | None = None,
    limbs: Mapping[str, str | Box] | None = None,
    facing: float = 1.0,
) -> tuple[Drawing, list[DrawnLeg]]:
    """The legs of a drawing, and the drawing with legs that were cut out as layers of their own.

    Parameters
    ----------
    pairs : mapping or None
        Opposite legs by the names of their layers, near to far. The pair further back is the hind one.
    limbs : mapping or None
        Legs by role, such as "near hind": the name of a layer; a box (left, top, right, bottom) whose content becomes
        that leg; or another role given before, of which it is a copy behind everything else.
    facing : float
        1 where the drawing faces right, -1 where it faces left.
    """
    if limbs:
        legs: list[DrawnLeg] = []
        for role, where in limbs.items():
            near, hind = _role(role)
            details: tuple[str, ...] = ()
            if not isinstance(where, str):
                drawing, details = _cut_out(drawing, role, where)
                where = role
            elif where in limbs:
                model = next((leg.details for leg in legs if leg.layer == where), ())
                drawing, details = _copied(drawing, role, where, model)
                where = role
            legs.append(DrawnLeg(drawing.layer(where).name, near, hind, details))
        return drawing, legs
    if pairs:
        middles = {name: drawing.layer(name).contours for name in (*pairs, *pairs.values())}
        back = {name: facing * _middle(contours) for name, contours in middles.items()}
        order = sorted(pairs.items(), key=lambda pair: back[pair[0]] + back[pair[1]])
        rear = max(1, len(order) // 2)
        return drawing, [
            DrawnLeg(name, near, number < rear)
            for number, pair in enumerate(order)
            for name, near in zip(pair, (True, False), strict=True)
        ]
    named = [layer for layer in drawing.layers if _LEG.search(layer.name) and _side(layer.name) is not None]
    if len(named) < 2:
        raise ParameterError(
            "The drawing has no legs that can be recognised: name its layers near and far (or left and right), such as "
            '"near hind leg" and "far hind leg", or say which layers they are.'
        )
    behind = [facing * _middle(layer.contours) for layer in named]
    ahead = float(np.mean(behind))
    two = len(named) <= 2
    return drawing, [
        DrawnLeg(layer.name, bool(_side(layer.name)), two or _is_hind(layer.name, where < ahead))
        for layer, where in zip(named, behind, strict=True)
    ]


def _role(role: str) -> tuple[bool, bool]:
    side = _side(role)
    if side is None:
        raise UnknownNameError("leg", role, ["near hind", "far hind", "near front", "far front"])
    return side, not _WORDS["front"].search(role)


def _side(name: str) -> bool | None:
    return True if _WORDS["near"].search(name) else False if _WORDS["far"].search(name) else None


def _is_hind(name: str, behind: bool) -> bool:
    return True if _WORDS["hind"].search(name) else False if _WORDS["front"].search(name) else behind


def _middle(contours: Sequence[Contour]) -> float:
    points = np.concatenate([contour.points for contour in contours])
    return float(points[:, 0].mean())


def _cut_out(drawing: Drawing, name: str, box: Box) -> tuple[Drawing, tuple[str, ...]]:
    """The drawing with what lies in a box as a layer of its own, above the layer that most of it came from."""
    import shapely

    from kinetune.contours.svg.areas import area_contours, even_odd_area

    left, top, right, bottom = box
    if not (right > left and bottom > top):
        raise ParameterError(f"A box is left, top, right, bottom; {name} has none of a width and height.")
    inside = [
        shapely.intersection(even_odd_area(each.contours), shapely.box(*box)).area if each.fill else 0.0
        for each in drawing.layers
    ]
    if not inside or max(inside) <= 0.0:
        raise ParameterError(f"There is nothing filled in the box of the {name} leg.")
    number = int(np.argmax(inside))
    layer = drawing.layers[number]
    whole = even_odd_area(layer.contours)
    hip = 0.5 * (right - left)  # the leg reaches into the body, so that no gap opens when it turns
    leg = shapely.intersection(whole, shapely.box(left, top - hip, right, bottom))
    leg = shapely.union(
        shapely.intersection(leg, shapely.box(left, top, right, bottom)),
        shapely.intersection(leg, shapely.Point(0.5 * (left + right), top).buffer(hip)),
    )
    body = shapely.difference(whole, shapely.box(*box))
    layers = list(drawing.layers)
    layers[number] = layer.replace_contours(area_contours(body))
    details: list[Layer] = []
    for above in range(number + 1, len(layers)):
        on_leg, rest = _parted(layers[above], leg, box)
        if on_leg:
            details.append(replace(layers[above], contours=on_leg, name=f"{name} {len(details) + 1}"))
            layers[above] = layers[above].replace_contours(rest)
    layers[number + 1 : number + 1] = [replace(layer, contours=area_contours(leg), name=name), *details]
    shown = tuple(each for each in layers if each.contours)
    return drawing.replace_layers(shown), tuple(detail.name for detail in details)


def _parted(layer: Layer, leg: Any, box: Box) -> tuple[tuple[Contour, ...], tuple[Contour, ...]]:
    """The curves of a layer that lie on a leg, and the others: areas as a whole, lines cut at the box."""
    import shapely

    from kinetune.contours.svg.areas import area_contours, even_odd_area

    if layer.fill is not None:
        parts = shapely.get_parts(even_odd_area(layer.contours))
        on_leg = shapely.area(shapely.intersection(parts, leg)) > 0.5 * shapely.area(parts)
        if not on_leg.any():
            return (), layer.contours
        one, other = shapely.multipolygons(parts[on_leg]), shapely.multipolygons(parts[~on_leg])
        return area_contours(one), area_contours(other)
    near = shapely.intersection(shapely.buffer(leg, layer.stroke_width), shapely.box(*box))
    inside: list[Contour] = []
    outside: list[Contour] = []
    for contour in layer.contours:
        line = shapely.linestrings(contour.path)
        if not shapely.intersects(line, near):
            outside.append(contour)
            continue
        for part, found in ((shapely.intersection(line, near), inside), (shapely.difference(line, near), outside)):
            pieces = shapely.get_parts(shapely.line_merge(part) if shapely.get_type_id(part) == 5 else part)
            lines = pieces[shapely.get_type_id(pieces) == 1]
            found += [Contour(shapely.get_coordinates(piece), closed=False) for piece in lines]
    return tuple(inside), tuple(outside)


def _copied(drawing: Drawing, name: str, other: str, details: Sequence[str] = ()) -> tuple[Drawing, tuple[str, ...]]:
    """The drawing with a copy of a leg and its details behind everything, a little darker."""
    leg = next((layer for layer in drawing.layers if layer.name == other), None)
    if leg is None:
        raise UnknownNameError("leg", other, [layer.name for layer in drawing.layers])
    copies = []
    for number, layer in enumerate([leg, *(drawing.layer(each) for each in details)]):
        fill = layer.fill if layer.fill is None else mix_paint((layer.fill, 1.0), ("#000000", 1.0), 0.25)[0]
        copies.append(replace(layer, name=f"{name} {number}" if number else name, fill=fill, fill_gradient=None))
    return drawing.replace_layers((*copies, *drawing.layers)), tuple(copy.name for copy in copies[1:])


class _Leg:
    """A leg at rest: its centre line from hip to ankle, and where each point of its outline lies along it."""

    def __init__(self, layer: Layer, ahead: float, details: Sequence[Layer] = ()) -> None:
        points = np.concatenate([contour.path for contour in layer.contours])
        top, bottom = float(points[:, 1].min()), float(points[:, 1].max())
        height = bottom - top
        if height <= 0.0:
            raise ParameterError(f'The leg "{layer.name}" has no height.')
        levels = np.linspace(top + _HIP * height, bottom - _PAW * height, _LEVELS)
        middles = np.array([_middle_at(layer.contours, level) for level in levels])
        # A cubic through the middles: a leg is a smooth line, even if its outline is not.
        share = np.linspace(-1.0, 1.0, _LEVELS)
        self.line = np.stack([np.polyval(np.polyfit(share, middles, 3), share), levels], axis=-1)
        steps = np.linalg.norm(np.diff(self.line, axis=0), axis=1)
        self.length = float(steps.sum())
        self.along = np.concatenate([[0.0], np.cumsum(steps)]) / self.length
        self.paw = bottom - float(self.line[-1, 1])  # from the ankle down to the sole
        self.hip = self.line[0]
        self.knee_bend, self.ankle_bend = (
            _smooth((self.along - at) / width + 0.5) for at, width in ((_KNEE, _KNEE_WIDTH), (_ANKLE, _ANKLE_WIDTH))
        )
        self.layers = [
            each.replace_contours(tuple(_fine(contour, _FINE * height) for contour in each.contours))
            for each in (layer, *details)
        ]
        self.outlines = [[self._on_line(contour.points) for contour in each.contours] for each in self.layers]
        self._settle(ahead)

    @property
    def foot(self) -> float:
        """How far ahead of the hip the ankle is drawn."""
        return float(self.line[-1, 0] - self.hip[0])

    @property
    def sole(self) -> float:
        return float(self.line[-1, 1]) + self.paw

    def _on_line(self, points: Floats) -> tuple[Floats, Floats]:
        """For points (n, 2), where along the line each belongs (0 to 1), and its offset (n, 2) from there."""
        at = np.interp(points[:, 1], self.line[:, 1], self.along)
        there = np.stack([np.interp(at, self.along, self.line[:, k]) for k in (0, 1)], axis=-1)
        return at, points - there

    def bent(self, hip: float, knee: float, ankle: float) -> tuple[Floats, Floats]:
        """The centre line (levels, 2) from the hip on, and how far it is turned at each level."""
        turns = hip + knee * self.knee_bend + ankle * self.ankle_bend
        steps = np.diff(self.line, axis=0)
        middle = 0.5 * (turns[1:] + turns[:-1])
        c, s = np.cos(middle), np.sin(middle)
        turned = np.stack([c * steps[:, 0] - s * steps[:, 1], s * steps[:, 0] + c * steps[:, 1]], axis=-1)
        return self.hip + np.concatenate([[[0.0, 0.0]], np.cumsum(turned, axis=0)]), turns

    def _settle(self, ahead: float) -> None:
        """How far the leg reaches for every bend of its knee, on the side on which the knee is drawn."""
        bends = np.linspace(-2.0, 2.0, 201)
        chords = np.array([np.linalg.norm(self._ankle(np.array([0.0, bend]), 0.0) - self.hip) for bend in bends])
        straight = int(np.argmax(chords))
        side = ahead if abs(bends[straight]) < 0.08 else -float(np.sign(bends[straight]))
        bent = slice(straight, None) if side > 0 else slice(straight, None, -1)
        self.bends, self.chords = bends[bent], chords[bent]
        shorter = np.concatenate([[True], np.diff(self.chords) < 0.0])
        last = len(shorter) if shorter.all() else int(np.argmin(shorter))
        self.bends, self.chords = self.bends[:last], self.chords[:last]
        near = self.bends[0] + np.linspace(-0.5, 0.5, 21)
        self.longest = min(  # the paw keeps its angle, so that the reach depends a little on the turn of the hip
            max(float(np.linalg.norm(self._ankle(np.array([hip, bend]), 0.0) - self.hip)) for bend in near)
            for hip in np.linspace(-0.7, 0.7, 8)
        )

    def reach(self, target: Floats, paw: float) -> tuple[float, float]:
        """The turns of hip and knee that bring the ankle to a point, the paw turned by an angle: Newton's method."""
        way = target - self.hip
        knee = float(np.interp(np.hypot(*way), self.chords[::-1], self.bends[::-1]))
        now = self._ankle(np.array([0.0, knee]), paw) - self.hip
        at = np.array([np.arctan2(way[1], way[0]) - np.arctan2(now[1], now[0]), knee])
        for _ in range(40):
            off = self._ankle(at, paw) - target
            if np.abs(off).max() < 1e-10 * self.length:
                break
            slope = np.stack(
                [(self._ankle(at + step, paw) - target - off) / 1e-6 for step in 1e-6 * np.eye(2)], axis=-1
            )
            at = at - np.clip(np.linalg.lstsq(slope, off, rcond=None)[0], -0.2, 0.2)
        return float(at[0]), float(at[1])

    def _ankle(self, turns: Floats, paw: float) -> Floats:
        hip, knee = turns.tolist()
        end: Floats = self.bent(hip, knee, paw - hip - knee)[0][-1]
        return end

    def drawn(self, hip: float, knee: float, ankle: float, shift: Floats) -> list[Layer]:
        """The leg in a pose, and what lies on it."""
        line, turns = self.bent(hip, knee, ankle)

        def posed(contour: Contour, at: Floats, offset: Floats) -> Contour:
            there = np.stack([np.interp(at, self.along, line[:, k]) for k in (0, 1)], axis=-1)
            angle = np.interp(at, self.along, turns)
            c, s = np.cos(angle), np.sin(angle)
            turned = np.stack([c * offset[:, 0] - s * offset[:, 1], s * offset[:, 0] + c * offset[:, 1]], axis=-1)
            return contour.moved(there + turned + shift)

        return [
            layer.replace_contours(
                tuple(posed(c, at, offset) for c, (at, offset) in zip(layer.contours, outlines, strict=True))
            )
            for layer, outlines in zip(self.layers, self.outlines, strict=True)
        ]


def _fine(contour: Contour, most: float) -> Contour:
    """The same curve with no side longer than that, so that it can bend."""
    path = contour.path
    counts = np.maximum(np.ceil(np.linalg.norm(np.diff(path, axis=0), axis=1) / most).astype(int), 1)
    at = np.concatenate([k + np.arange(count) / count for k, count in enumerate(counts)])
    at = at if contour.closed else np.append(at, len(path) - 1.0)
    return contour.moved(np.stack([np.interp(at, np.arange(len(path)), path[:, k]) for k in (0, 1)], axis=-1))


def _smooth(u: Floats) -> Floats:
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


def _middle_at(contours: Sequence[Contour], level: float) -> float:
    """The middle of what a horizontal line cuts out of a leg."""
    crossings: list[float] = []
    for contour in contours:
        path = contour.path
        low, high = path[:-1], path[1:]
        cuts = (low[:, 1] <= level) != (high[:, 1] <= level)
        share = (level - low[cuts, 1]) / (high[cuts, 1] - low[cuts, 1])
        crossings += (low[cuts, 0] + share * (high[cuts, 0] - low[cuts, 0])).tolist()
    if not crossings:
        return float(np.mean([contour.centroid[0] for contour in contours]))
    return 0.5 * (min(crossings) + max(crossings))


def foot_path(phase: Floats, stance: float) -> tuple[Floats, Floats]:
    """A foot over its cycle, which begins where it lands: forward of its middle (in strides), and lifted (0 to 1).

    Standing it goes from 1/2 to -1/2 evenly. In the air it comes back along a cubic that leaves and meets the ground at
    the speed of the ground.
    """
    phase = phase % 1.0
    u = np.clip((phase - stance) / (1.0 - stance), 0.0, 1.0)
    pull = (1.0 - stance) / stance  # the speed of the ground, per time in the air
    forward = -0.5 + u * u * (3.0 - 2.0 * u) - pull * (u * (1.0 - u) ** 2 - u * u * (1.0 - u))
    return np.where(phase < stance, 0.5 - phase / stance, forward), 16.0 * u * u * (1.0 - u) ** 2


def gait_film(
    drawing: Drawing,
    frames: int = 24,
    gait: GaitName = "walk",
    *,
    passing: Drawing | None = None,
    pairs: Mapping[str, str] | None = None,
    limbs: Mapping[str, str | Box] | None = None,
    stride: float | None = None,
    lift: float = 0.14,
    bob: float = 0.035,
    travel: bool = False,
    cycles: int = 1,
    facing: Literal["left", "right"] | None = None,
) -> Morph:
    """Make one drawing walk: its feet keep to the ground, its knees bend, its body bobs.

    Parameters
    ----------
    drawing : Drawing
        Seen from the side, its legs as layers; how it stands is the rest pose. Where a pair of legs is drawn in
        stride, both take the shape of the one under its hip.
    frames : int
        Of one cycle; the one after the last is the first again.
    gait : str
        "walk" (four footfalls a cycle), "trot" (legs across from each other together), "pace" (legs of one side
        together) or "canter" (three footfalls). With two legs, they take turns.
    passing : Drawing or None
        A second drawing, a quarter of the cycle later, with the same layers. Of both, the one whose feet are closer
        together gives the shapes, and the other the stride.
    pairs, limbs : mapping or None
        Which layers are legs, see :func:`find_legs`; by default those with near and far, or left and right, and leg
        in their names.
    stride : float or None
        How far the body goes while a foot stands, in leg lengths; by default that of the gait.
    lift : float
        How high a foot is lifted, in leg lengths.
    bob : float
        How far the body rises and sinks, in leg lengths.
    travel : bool
        Move the drawing forward, so that standing feet stay put; otherwise it walks on the spot.
    cycles : int
        How many cycles.
    facing : str or None
        "left" or "right"; by default where the head is.

    Returns
    -------
    Morph
        A list of drawings.

    Examples
    --------
    >>> from kinetune import sample_drawing
    >>> len(gait_film(sample_drawing("dog-1"), frames=12, gait="trot"))
    12
    """
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer) or not 1 <= frames <= MOST_FRAMES:
        raise ParameterError(f"frames must be a whole number from 1 to {MOST_FRAMES}, not {frames}.")
    if gait not in GAITS:
        raise UnknownNameError("gait", gait, list(GAITS))
    how = GAITS[gait]
    if not 1 <= cycles * frames <= MOST_FRAMES:
        raise ParameterError(f"The film would have {cycles * frames} frames; 1 to {MOST_FRAMES} are possible.")
    for name, value, most in (("stride", stride, 1.2), ("lift", lift, 0.5), ("bob", bob, 0.2)):
        if value is not None and not 0.0 <= value <= most:
            raise ParameterError(f"{name} must lie between 0 and {most:g} heights of the leg, not be {value}.")
    ahead = {"left": -1.0, "right": 1.0, None: _facing(drawing)}[facing]
    drawing, legs = find_legs(drawing, pairs=pairs, limbs=limbs, facing=ahead)
    if passing is not None:
        passing, same_legs = find_legs(passing, pairs=pairs, limbs=limbs, facing=ahead)
        if {leg.layer for leg in same_legs} != {leg.layer for leg in legs}:
            raise ParameterError("Both drawings must have the same legs, by the names of their layers.")
        wide, narrow = stride_of(drawing, legs, ahead), stride_of(passing, legs, ahead)
        if narrow < wide:
            drawing, wide, narrow = passing, narrow, wide
        stride = min(1.0, max(wide, narrow)) if stride is None else stride
    body = _Body(drawing, legs, how, how.stride if stride is None else stride, lift, bob, ahead)
    cycle = [body.at(float(phase), travel) for phase in np.arange(int(frames)) / int(frames)]
    drawn = list(cycle)
    for number in range(1, cycles):
        shift = np.array([number * body.ahead * body.stride / how.stance if travel else 0.0, 0.0])
        drawn += [
            frame.replace_layers(tuple(_shifted(layer, shift) for layer in frame.layers)) if travel else frame
            for frame in cycle
        ]
    return Morph(drawn)


def _facing(drawing: Drawing) -> float:
    ahead = [_middle(layer.contours) for layer in drawing.layers if _AHEAD.search(layer.name) and layer.contours]
    everything = [_middle(layer.contours) for layer in drawing.layers if layer.contours]
    return -1.0 if ahead and np.mean(ahead) < np.mean(everything) else 1.0


class _Body:
    """A drawing whose legs walk."""

    def __init__(
        self,
        drawing: Drawing,
        limbs: Sequence[DrawnLeg],
        gait: Gait,
        stride: float,
        lift: float,
        bob: float,
        ahead: float,
    ) -> None:
        self.gait, self.ahead = gait, ahead
        self.drawing, self.legs = _alike_legs(drawing, limbs, ahead)
        self.details = {name for limb in limbs for name in limb.details}
        self.ground = max(leg.sole for leg in self.legs.values())
        length = float(np.mean([self.ground - leg.paw - leg.hip[1] for leg in self.legs.values()]))
        self.stride, self.lift, self.bob = stride * length, lift * length, bob * length
        self.lands = {limb.layer: gait.lands[limb.near, limb.hind] for limb in limbs}
        if len(limbs) == 2 and limbs[0].near != limbs[1].near:
            self.lands = {limb.layer: 0.0 if limb.near else 0.5 for limb in limbs}
        self.drop = self._needed_drop()

    def _needed_drop(self) -> float:
        """How far the hips sink, so that every leg reaches its foot all the time it stands."""
        drops = [0.0]
        for name, leg in self.legs.items():
            at = np.linspace(0.0, self.gait.stance, 33)
            forward, _ = foot_path(at, self.gait.stance)
            reach = (_REACH * leg.longest) ** 2 - (self.stride * forward) ** 2
            if reach.min() <= 0.0:
                raise ParameterError(
                    f'The leg "{name}" is too short for a stride of {self.stride:g}. Give a smaller one.'
                )
            height = self.ground - leg.paw - leg.hip[1] - self._sunk(self.lands[name] + at)
            drops.append(float(np.max(height - np.sqrt(reach))))
        return max(drops)

    def _sunk(self, phase: Floats) -> Floats:
        """How far the body is below its highest at a phase of the cycle: lowest when feet have just landed."""
        wave: Floats = self.bob * 0.5 * (1.0 + np.cos(2.0 * np.pi * self.gait.bobs * (phase - 0.06)))
        return wave

    def at(self, phase: float, travel: bool) -> Drawing:
        """The drawing at a phase of the cycle; whole numbers are cycles that are over."""
        gait = self.gait
        down = self.drop + float(self._sunk(np.array(phase)))
        gone = self.ahead * self.stride / gait.stance * phase if travel else 0.0
        shift = np.array([gone, down])
        layers: list[Layer] = []
        for layer in self.drawing.layers:
            if layer.name in self.details:  # drawn with its leg
                continue
            if layer.name not in self.legs:
                layers.append(_shifted(layer, shift))
                continue
            leg = self.legs[layer.name]
            forward, lifted = (float(v) for v in foot_path(np.array(phase - self.lands[layer.name]), gait.stance))
            ankle = leg.hip + np.array([self.ahead * self.stride * forward, 0.0])
            ankle[1] = self.ground - leg.paw - self.lift * lifted - down
            paw = 0.5 * lifted * self.ahead  # in the air the toes hang down and back
            hip, knee = leg.reach(ankle, paw)
            layers += leg.drawn(hip, knee, paw - hip - knee, shift)
        return replace(self.drawing, layers=tuple(layers))


def _shifted(layer: Layer, shift: Floats) -> Layer:
    """A layer moved as it is, its gradients with it."""
    matrix = np.concatenate([np.eye(2), shift[:, None]], axis=1)
    fill, stroke = (
        None if gradient is None else gradient.transformed(matrix)
        for gradient in (layer.fill_gradient, layer.stroke_gradient)
    )
    contours = tuple(contour.moved(contour.points + shift) for contour in layer.contours)
    return replace(layer, contours=contours, fill_gradient=fill, stroke_gradient=stroke)


def _alike_legs(drawing: Drawing, limbs: Sequence[DrawnLeg], ahead: float) -> tuple[Drawing, dict[str, _Leg]]:
    """The legs at rest: of a pair that is drawn in stride, both take the shape of the one that stands under its hip."""
    details = {limb.layer: [drawing.layer(name) for name in limb.details] for limb in limbs}
    legs = {limb.layer: _Leg(drawing.layer(limb.layer), ahead, details[limb.layer]) for limb in limbs}
    ground = max(leg.sole for leg in legs.values())
    for hind in (True, False):
        names = [limb.layer for limb in limbs if limb.hind == hind]
        height = max((leg.sole - leg.hip[1] for leg in legs.values()), default=1.0)
        strain = {name: abs(legs[name].foot) + 2.0 * (ground - legs[name].sole) for name in names}
        for name in names:
            model = min(names, key=lambda other: strain[other])
            if strain[name] > strain[model] + _UNLIKE * height:
                moved = legs[name].hip - legs[model].hip
                shape = tuple(c.moved(c.points + moved) for c in drawing.layer(model).contours)
                changed = drawing.layer(name).replace_contours(shape)
                drawing = drawing.replace_layers(
                    tuple(changed if layer.name == name else layer for layer in drawing.layers)
                )
                legs[name] = _Leg(changed, ahead, [_shifted(layer, moved) for layer in details[model]])
    return drawing, legs


def stride_of(drawing: Drawing, limbs: Sequence[DrawnLeg], ahead: float = 1.0) -> float:
    """How far apart the feet of opposite legs are drawn, in leg lengths: the mean over all pairs."""
    legs = {limb: _Leg(drawing.layer(limb.layer), ahead) for limb in limbs}
    spreads = []
    for hind in (True, False):
        feet = [leg.foot / (leg.sole - leg.hip[1]) for limb, leg in legs.items() if limb.hind == hind]
        spreads += [max(feet) - min(feet)] if len(feet) > 1 else []
    return float(np.mean(spreads)) if spreads else 0.0
