"""Legs as a written BVH file has them, and what an eye would find wrong with them: nothing of Kinetune takes part.

=================  ==============================================================================
WrittenLegs        positions of pelvis, hips, knees, ankles and balls, by forward kinematics of a file
judge              slide, pops, bumps, backward knees, jerk of a result beside its source
knee_changes       how much of an edit of the knees a result still has
=================  ==============================================================================

Contacts, the hinge of the knee and the usual accelerations are those of the source.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.floating]
_PARTS = {
    "hip": (("upleg", "thigh"), ()),
    "knee": (("leg",), ("up",)),
    "ankle": (("foot",), ("end",)),
    "ball": (("toe",), ("end",)),
}
_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class WrittenLegs:
    """The legs in a file: seconds a frame, and for each side hip, knee, ankle and ball (frames, 4, 3) in metres.

    thighs : for each side, how the thigh is turned, (frames, 3, 3). root : (frames, 3).
    """

    dt: float
    root: Floats
    sides: dict[str, Floats]
    thighs: dict[str, Floats]

    @classmethod
    def read(cls, path: Path, metres: float, first: int) -> WrittenLegs:
        """Read a file whose unit is so many metres, from some frame on."""
        words = path.read_text(encoding="utf-8", errors="replace").split()
        cut = words.index("MOTION")
        joints = _hierarchy(words[1:cut])
        frames = int(words[cut + 2])
        dt = float(words[cut + 5])
        values = np.array(words[cut + 6 :], dtype=float).reshape(frames, -1)[first:]
        places, turns = _forward(joints, values)
        names = [joint.name.lower() for joint in joints]
        found = {side: [_find(names, side, *_PARTS[part]) for part in _PARTS] for side in ("left", "right")}
        return cls(
            dt,
            metres * places[0],
            {side: metres * np.stack([places[j] for j in chain], axis=1) for side, chain in found.items()},
            {side: turns[chain[0]] for side, chain in found.items()},
        )

    def flexion(self, side: str) -> tuple[Floats, Floats]:
        """The bend of a knee in degrees, (frames,), and its axis times the sine of it in the thigh's frame."""
        hip, knee, ankle, _ = np.moveaxis(self.sides[side], 1, 0)
        thigh, shin = knee - hip, ankle - knee
        cross = np.cross(thigh, shin)
        size = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shin, axis=1)
        bend = np.degrees(np.arctan2(np.linalg.norm(cross, axis=1), np.sum(thigh * shin, axis=1)))
        return bend, np.einsum("tji,tj->ti", self.thighs[side], cross / size[:, None])


@dataclass
class _Joint:
    name: str
    parent: int
    offset: Floats
    channels: list[str]


def _hierarchy(words: list[str]) -> list[_Joint]:
    joints: list[_Joint] = []
    above: list[int] = []
    at = 0
    while at < len(words):
        word = words[at].upper()
        if word in ("ROOT", "JOINT", "END"):
            name = words[at + 1] if word != "END" else f"{joints[above[-1]].name}_end"
            joints.append(_Joint(name, above[-1] if above else -1, np.zeros(3), []))
            at += 2
        elif word == "{":
            above.append(len(joints) - 1)
            at += 1
        elif word == "}":
            above.pop()
            at += 1
        elif word == "OFFSET":
            joints[above[-1]].offset = np.array(words[at + 1 : at + 4], dtype=float)
            at += 4
        else:  # CHANNELS
            count = int(words[at + 1])
            joints[above[-1]].channels = [channel.lower() for channel in words[at + 2 : at + 2 + count]]
            at += 2 + count
    return joints


def _forward(joints: list[_Joint], values: Floats) -> tuple[list[Floats], list[Floats]]:
    places: list[Floats] = []
    turns: list[Floats] = []
    column = 0
    for joint in joints:
        place = np.tile(joint.offset, (len(values), 1))
        turn = np.tile(np.eye(3), (len(values), 1, 1))
        for channel in joint.channels:
            axis, numbers = _AXES[channel[0]], values[:, column]
            column += 1
            if channel.endswith("position"):
                place[:, axis] = numbers
            else:
                turn = turn @ _about(axis, np.radians(numbers))
        if joint.parent >= 0:
            place = places[joint.parent] + np.einsum("tij,tj->ti", turns[joint.parent], place)
            turn = turns[joint.parent] @ turn
        places.append(place)
        turns.append(turn)
    return places, turns


def _about(axis: int, radians: Floats) -> Floats:
    one, two = (axis + 1) % 3, (axis + 2) % 3
    turn = np.zeros((len(radians), 3, 3))
    turn[:, axis, axis] = 1.0
    turn[:, one, one] = turn[:, two, two] = np.cos(radians)
    turn[:, two, one] = np.sin(radians)
    turn[:, one, two] = -turn[:, two, one]
    return turn


def _find(names: list[str], side: str, words: tuple[str, ...], without: tuple[str, ...]) -> int:
    for number, name in enumerate(names):
        if side in name and any(word in name for word in words) and not any(word in name for word in without):
            return number
    raise ValueError(f"there is no {side} {words[0]} among {names}")


# --- what is wrong with them


def judge(result: WrittenLegs, source: WrittenLegs) -> dict[str, float]:
    """Slide in mm (mean over the source's contacts, and the worst), pops, bumps, backward degrees, relative jerk.

    anew : the slide in contacts that the result shows by itself, the mean and the worst.
    """
    slides, anew = (
        [
            _stray(result.sides[side][start:stop, 3], result.dt)
            for side in result.sides
            for start, stop in contacts(shown, side)
        ]
        or [float("nan")]
        for shown in (source, result)
    )
    joints = lambda legs: np.concatenate([legs.root[:, None], *legs.sides.values()], axis=1)  # noqa: E731
    mine, usual = joints(result), joints(source)
    pops = sum(
        _events(_change(mine[:, j], 2, result.dt), _change(usual[:, j], 2, source.dt), 0.12 / source.dt, 15.0)
        for j in range(mine.shape[1])
    )
    bumps, back = 0, 0.0
    for side in result.sides:
        (bend, axis), (bend_before, _) = result.flexion(side), source.flexion(side)
        pair = [np.abs(np.diff(b, 2)) / result.dt**2 for b in (bend, bend_before)]
        bumps += _events(*pair, 0.15 / source.dt, 2500.0)
        wrong = -(axis @ _hinge(source, side))
        back = max(back, float(np.degrees(np.arcsin(np.clip(wrong, 0.0, 1.0))).max()))
    jerk = _change(mine, 3, result.dt).mean() / _change(usual, 3, source.dt).mean()
    return {
        "slide": float(np.mean(slides)),
        "worst": float(np.max(slides)),
        "anew": float(np.mean(anew)),
        "worst_anew": float(np.max(anew)),
        "pops": float(pops),
        "bumps": float(bumps),
        "back": back,
        "jerk": float(jerk),
    }


def knee_changes(
    result: WrittenLegs, edited: WrittenLegs, source: WrittenLegs, most: float = np.inf
) -> tuple[float, float]:
    """What a result does to the knees of swinging legs, along what an edit does to them, and what the edit does.

    A knee that is bent backward counts as straight: no result should follow it there. Nor should it follow one that is
    folded by more degrees than ``most``, if it was not in the source: that counts as folded so far.
    """
    left = wanted = 0.0
    for side in source.sides:
        hinge = _hinge(source, side)
        before, after, now = (
            np.where(axis @ hinge < 0.0, 0.0, bend)
            for bend, axis in (legs.flexion(side) for legs in (source, edited, result))
        )
        after = np.minimum(after, max(most, float(before.max())))
        swings = np.ones(len(before), dtype=bool)
        for start, stop in contacts(source, side):
            swings[start:stop] = False
        change = (after - before)[swings]
        left += float(np.sum(change * (now - before)[swings]))
        wanted += float(np.sum(change**2))
    return left, wanted


def _hinge(source: WrittenLegs, side: str) -> Floats:
    """The axis (3,) about which a knee usually flexes, in the thigh's frame."""
    bend, axis = source.flexion(side)
    hinge = (axis * bend[:, None]).sum(axis=0)
    return np.asarray(hinge / np.linalg.norm(hinge))


def contacts(legs: WrittenLegs, side: str) -> list[tuple[int, int]]:
    """When the ball of a foot is at its standing height and slow."""
    ball, frames = legs.sides[side][:, 3], lambda seconds: seconds / legs.dt
    step = np.linalg.norm(np.diff(ball, axis=0), axis=1) / legs.dt
    speed = np.minimum(np.append(step, step[-1]), np.insert(step, 0, step[0]))
    limit, height = max(0.35, 0.12 * np.percentile(speed, 95)), ball[:, 1]
    low = np.percentile(height, 5)
    slow = (height < low + 0.06) & (speed < 0.6 * limit)
    level = np.median(height[slow]) if np.count_nonzero(slow) > 3 else low
    on = (speed < limit) & (np.abs(height - level) < 0.035)
    for start, stop in _runs(~on):
        if stop - start <= round(frames(0.05)) and start > 0 and stop < len(on):
            on[start:stop] = True
    least = max(3, int(frames(0.1))) if limit < 0.5 else 3
    return [(start, stop) for start, stop in _runs(on) if stop - start >= least]


def _stray(ball: Floats, dt: float) -> float:
    edge = round(0.05 / dt)
    flat = ball[edge : len(ball) - edge, ::2] if len(ball) - 2 * edge >= 3 else ball[:, ::2]
    return float(1e3 * np.linalg.norm(flat - np.median(flat, axis=0), axis=1).max())


def _change(points: Floats, order: int, dt: float) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(points, order, axis=0), axis=-1) / dt**order)


def _events(mine: Floats, usual: Floats, reach: float, least: float) -> int:
    """How often a value is beyond 2.5 times the usual one nearby, and beyond it by ``least``."""
    wide = int(reach)
    nearby = sliding_window_view(np.pad(usual, wide, mode="edge"), 2 * wide + 1).max(axis=1)
    nearby = np.maximum(nearby, np.median(usual))
    return len(_runs((mine > 2.5 * nearby) & (mine > nearby + least)))


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
