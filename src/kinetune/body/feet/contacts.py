"""When each foot stands on the floor.

=================  =================================================================================
Contacts           which foot stands when, with how much confidence, and on heel or toe
find_contacts      reads them from a clip
=================  =================================================================================
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, Ground, find_ground
from kinetune.body.feet.soles import Foot, still_speed
from kinetune.body.html_tables import html_table
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.roles.from_names import read_name
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats
from kinetune.signals.envelopes import largest_around
from kinetune.signals.flag_ranges import true_ranges

Bools = NDArray[np.bool_]

# Lengths in leg lengths, speeds in leg lengths a second, times in seconds.
HEIGHT_LIMIT = 0.07
SPEED_LIMIT = 0.6
TOUCHING = 0.03
_LEAST_SPEED_LIMIT = 0.2  # above the noise of a foot that stands
_SHARE_OF_SWING = 0.25  # a foot stands when it is this much slower than in the step around it
_SWING_S = 0.4
_BEGIN = 0.5
_KEEP = 0.2
_SHORTEST_S = 0.05
_SHORTEST_GAP_S = 0.06
_LONGEST_FLIGHT_S = 0.7
_STAND_S = 0.2
_LEGS_BELOW_HIPS = 0.7
_MOST_LEVELS = 40


@dataclass(frozen=True, eq=False)
class Contacts:
    """Which feet stand on the floor, frame by frame.

    Parameters
    ----------
    joints : tuple of str
        The foot joints, as the skeleton names them.
    flags : bool array, shape (frames, feet)
        Whether a foot stands.
    confidence : array, shape (frames, feet)
        In [0, 1]; 1 where contacts are known.
    heels, toes : bool array, shape (frames, feet)
        Whether it stands on its heel, and on ball or toes; both when it is flat. If omitted, a standing foot is flat.
    sides : tuple of str
        "left" or "right" for each joint, or "" for one that has no side. If omitted, it is read from the names.
    soles : tuple of Foot
        The soles that stand, where they are known: those that a retargeted motion was solved for. They are then not
        guessed anew. Files do not keep them.

    Notes
    -----
    Frames without feet, (frames, 0), are the contacts of a character that has none.

    Examples
    --------
    >>> from kinetune import sample
    >>> sample("walk").contacts.joints
    ('LeftFoot', 'RightFoot')
    """

    joints: tuple[str, ...]
    flags: Bools
    confidence: Floats = field(default=None)  # type: ignore[arg-type]
    heels: Bools = field(default=None)  # type: ignore[arg-type]
    toes: Bools = field(default=None)  # type: ignore[arg-type]
    sides: tuple[str, ...] = ()
    soles: tuple[Foot, ...] = ()

    def __post_init__(self) -> None:
        joints = tuple(self.joints)
        flags = np.array(self.flags, dtype=bool)
        if flags.ndim != 2 or flags.shape[1] != len(joints):
            raise ParameterError(
                f"Contacts of {len(joints)} feet take flags (frames, {len(joints)}); got shape {flags.shape}."
            )
        confidence = flags.astype(float) if self.confidence is None else np.array(self.confidence, dtype=float)
        heels = flags.copy() if self.heels is None else np.array(self.heels, dtype=bool)
        toes = flags.copy() if self.toes is None else np.array(self.toes, dtype=bool)
        sides = tuple(self.sides) or tuple(read_name(name).side or "" for name in joints)
        for name, array in (("confidence", confidence), ("heels", heels), ("toes", toes)):
            if array.shape != flags.shape:
                raise ParameterError(f"{name} must have the shape of flags, {flags.shape}, not {array.shape}.")
        if not np.all((confidence >= 0.0) & (confidence <= 1.0)):
            raise ParameterError("Each confidence must lie between 0 and 1.")
        if len(sides) != len(joints):
            raise ParameterError(f"Contacts of {len(joints)} feet take {len(joints)} sides, not {len(sides)}.")
        for array in (flags, confidence, heels, toes):
            array.setflags(write=False)
        values = (joints, flags, confidence, heels, toes, sides)
        for name, value in zip(("joints", "flags", "confidence", "heels", "toes", "sides"), values, strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.flags)

    def __repr__(self) -> str:
        return f"Contacts({len(self)} frames, {self.summary()})"

    def _repr_html_(self) -> str:
        rows = {
            name: ", ".join(f"{start} to {stop - 1}" for start, stop in self.intervals(name)) for name in self.joints
        }
        return html_table(f"Contacts in {len(self)} frames", rows or {"feet": "none"})

    def summary(self) -> str:
        """How often each foot stands, such as "LeftFoot 6 times"."""
        counts = [(name, len(self.intervals(name))) for name in self.joints]
        return ", ".join(f"{name} {n} time{'s' * (n != 1)}" for name, n in counts) or "no feet"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contacts):
            return NotImplemented
        return (
            (self.joints, self.sides) == (other.joints, other.sides)
            and np.array_equal(self.flags, other.flags)
            and np.array_equal(self.confidence, other.confidence)
            and np.array_equal(self.heels, other.heels)
            and np.array_equal(self.toes, other.toes)
        )

    def __hash__(self) -> int:
        return hash((self.joints, self.flags.tobytes()))

    def __getitem__(self, frames: slice) -> Contacts:
        """The contacts of a part of the clip: ``contacts[10:200]``, ``contacts[::2]``."""
        if not isinstance(frames, slice):
            raise ParameterError("Contacts are sliced by a range of frames, such as contacts[10:20].")
        arrays = (self.flags[frames], self.confidence[frames], self.heels[frames], self.toes[frames])
        return Contacts(self.joints, *arrays, self.sides, self.soles)

    def followed_by(self, other: Contacts) -> Contacts:
        """These contacts, then others of the same feet."""
        flags, sure, heels, toes = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("flags", "confidence", "heels", "toes")
        )
        return Contacts(self.joints, flags, sure, heels, toes, self.sides, self.soles)

    def column(self, foot: str | int) -> int:
        """The column of a foot, by its side, its joint name or its number."""
        if isinstance(foot, int):
            if not -len(self.joints) <= foot < len(self.joints):
                raise ParameterError(f"There is no foot {foot}; the contacts have {len(self.joints)}.")
            return foot % len(self.joints)
        for names in (self.joints, self.sides):
            if foot in names:
                return names.index(foot)
        raise UnknownNameError("foot", foot, [*self.joints, *filter(None, self.sides)])

    def intervals(self, foot: str | int) -> list[tuple[int, int]]:
        """The contacts of a foot as (start, stop): frames start to stop - 1, in order. A foot goes by side or joint."""
        return true_ranges(self.flags[:, self.column(foot)])

    @property
    def phases(self) -> Floats:
        """Where each foot is in its step cycle, (frames, feet): 0 when it lands, just under 1 before it lands again.

        The first and last cycles continue past the ends of the clip. A foot that lands fewer than twice has no cycle:
        its column is NaN. A contact that begins with the clip has no landing.
        """
        phase = np.full(self.flags.shape, np.nan)
        frames = np.arange(len(self))
        for foot in range(len(self.joints)):
            landings = np.array([start for start, _ in self.intervals(foot) if start > 0])
            if len(landings) < 2:
                continue
            cycle = np.clip(np.searchsorted(landings, frames, side="right") - 1, 0, len(landings) - 2)
            length = landings[cycle + 1] - landings[cycle]
            phase[:, foot] = ((frames - landings[cycle]) / length) % 1.0
        return phase

    @property
    def supports(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """The clip cut where a foot lands or leaves: (start, stop, joints that stand); no joints: flight."""
        if len(self) == 0:
            return []
        cuts = np.flatnonzero(np.any(self.flags[1:] != self.flags[:-1], axis=1)) + 1
        edges = [0, *cuts.tolist(), len(self)]
        return [
            (start, stop, tuple(n for n, down in zip(self.joints, self.flags[start].tolist(), strict=True) if down))
            for start, stop in itertools.pairwise(edges)
        ]

    def resample(self, frames: ArrayLike) -> Contacts:
        """The contacts at other moments.

        Parameters
        ----------
        frames : array_like
            Where the new frames lie, in (fractional) frames of these contacts: ``np.arange(0, 100, 0.5)`` for twice the
            rate, the path of a time warp, and so on. Moments outside take the first or last frame.
        """
        where = np.clip(np.asarray(frames, dtype=float), 0, max(len(self) - 1, 0))
        if where.ndim != 1 or not np.isfinite(where).all():
            raise ParameterError("frames must be one row of finite frame numbers.")
        if len(self) == 0 and len(where):
            raise ParameterError("Contacts of no frames cannot be resampled.")
        nearest = np.floor(where + 0.5).astype(np.intp)
        before = np.floor(where).astype(np.intp)
        after = np.minimum(before + 1, len(self) - 1)
        share = (where - before)[:, None]
        sure = (1.0 - share) * self.confidence[before] + share * self.confidence[after]
        parts = (self.flags[nearest], sure, self.heels[nearest], self.toes[nearest])
        return Contacts(self.joints, *parts, self.sides, self.soles)

    def as_dict(self) -> dict[str, Any]:
        """The contacts as a JSON-ready mapping, confidence rounded to three digits; see :meth:`from_dict`."""
        feet = range(len(self.joints))
        return {
            "frames": len(self),
            "joints": list(self.joints),
            "sides": list(self.sides),
            "intervals": [[list(run) for run in true_ranges(self.flags[:, f])] for f in feet],
            "heels": [[list(run) for run in true_ranges(self.heels[:, f])] for f in feet],
            "toes": [[list(run) for run in true_ranges(self.toes[:, f])] for f in feet],
            "confidence": [np.round(self.confidence[:, f], 3).tolist() for f in feet],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Contacts:
        """The contacts written by :meth:`as_dict`."""
        frames = int(values["frames"])
        flags, heels, toes = (_from_runs(values[key], frames) for key in ("intervals", "heels", "toes"))
        confidence = np.array(values["confidence"], dtype=float).reshape(len(values["joints"]), frames).T
        return cls(tuple(values["joints"]), flags, confidence, heels, toes, tuple(values["sides"]))

    @classmethod
    def none(cls, frames: int) -> Contacts:
        """The contacts of a character without feet."""
        return cls((), np.zeros((frames, 0), dtype=bool))


def find_contacts(
    clip: Clip,
    *,
    ground: Ground | None = None,
    floor: float | Floor | None = None,
    height_limit: float = HEIGHT_LIMIT,
    speed_limit: float = SPEED_LIMIT,
) -> Contacts:
    """Find when each foot stands on the floor.

    A foot stands while one of its sole points (heel, ball, toe) is near the floor and hardly moves.

    Parameters
    ----------
    clip : Clip
        The motion.
    ground : Ground or None
        The floor and soles to judge by, from :func:`kinetune.body.feet.floor.find_ground`; found if omitted. Give that
        of the original to judge an edited clip.
    floor : float, Floor or None
        The floor alone, a height in metres or a plane; platforms and stairs are then ignored.
    height_limit : float
        How far above the floor a point may be, in leg lengths (0.07 is about 6 cm).
    speed_limit : float
        How fast a point may move, in leg lengths a second. Slow steps lower it by themselves, to a quarter of the speed
        of the step around.

    Returns
    -------
    Contacts
        Left foot first. Without frames of feet, (frames, 0), for a character that has no joints in the role of feet.

    Notes
    -----
    When no foot stands for longer than a person can stay in the air (0.7 s), feet that are still under a stretched leg
    stand on something higher, such as a platform or a stair. These levels are found one after another.
    Confidence is the product of a soft threshold on height and one on speed, for the surest point. A contact begins
    when that passes 0.5 and ends when it falls below 0.2; it takes at least 0.05 s unless the clip cuts it, and is not
    interrupted for less than 0.06 s. Everything is scaled by leg length and seconds.
    Laws: a clip twice as large has the same contacts (``test_contacts.py::test_size_does_not_matter``); a clip at a
    quarter of the rate has them within a frame (``test_frame_rate_does_not_matter``).

    Examples
    --------
    >>> from kinetune import sample
    >>> contacts = find_contacts(sample("walk"))
    >>> contacts.sides, contacts.flags.shape
    (('left', 'right'), (402, 2))
    """
    for name, limit in (("height_limit", height_limit), ("speed_limit", speed_limit)):
        if not limit > 0.0:
            raise ParameterError(f"{name} must be positive, in leg lengths; got {limit}.")
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    ground = find_ground(motion, floor) if ground is None else ground.on(floor)
    if ground is None:
        return Contacts.none(len(clip))
    feet = [_gather(motion, foot, ground, height_limit, speed_limit) for foot in ground.feet]
    if floor is None:
        _climb(feet, clip.fps, height_limit)
    shape = (len(clip), len(ground.feet))
    confidence = np.zeros(shape)
    flags, heels, toes = (np.zeros(shape, dtype=bool) for _ in range(3))
    for column, foot in enumerate(feet):
        sure = foot.sure.max(axis=1)
        down = _standing(sure, clip.fps)
        confidence[first:, column] = sure
        flags[first:, column] = down
        # Of a foot that stands, those parts touch the floor that are hardly higher than the lowest.
        lowest = np.maximum(foot.height.min(axis=1, keepdims=True), 0.0)
        touch = sure[:, None] * _soft_limit(np.maximum(foot.height - lowest, 0.0), TOUCHING)
        heel, toe = touch[:, 0], touch[:, 1:].max(axis=1)
        heels[first:, column] = down & (_standing(heel, clip.fps) | (heel > toe))
        toes[first:, column] = down & (_standing(toe, clip.fps) | (toe >= heel))
    names = tuple(clip.skeleton.names[f.joint] for f in ground.feet)
    return Contacts(names, flags, confidence, heels, toes, tuple(f.side for f in ground.feet))


@dataclass
class _Evidence:
    """The evidence that a foot stands, (frames, points) but ``carries``, (frames,).

    height : above the floor in leg lengths. still : in [0, 1], how little it moves.
    carries : whether the ankle is so far below the hip that the leg can carry.
    sure : confidence in [0, 1], which grows while higher levels are found.
    """

    height: Floats
    still: Floats
    carries: Bools
    sure: Floats


def _gather(clip: Clip, foot: Foot, ground: Ground, height_limit: float, speed_limit: float) -> _Evidence:
    points = foot.positions(clip)
    height = ground.floor.above(points) / ground.leg
    speed = still_speed(ground.still_positions(clip, points), clip.fps) / ground.leg
    swing = largest_around(speed.min(axis=1), round(_SWING_S * clip.fps))
    limit = np.clip(_SHARE_OF_SWING * swing, min(_LEAST_SPEED_LIMIT, speed_limit), speed_limit)[:, None]
    still = _soft_limit(speed, limit)
    positions, roles = clip.positions(), clip.skeleton.roles
    hip = roles.get(f"{foot.side} upper leg", roles.get("hips", 0))
    carries = positions[:, hip, 1] - positions[:, foot.joint, 1] > _LEGS_BELOW_HIPS * ground.leg
    return _Evidence(height, still, carries, still * _soft_limit(np.maximum(height, 0.0), height_limit))


def _climb(feet: list[_Evidence], fps: float, height_limit: float) -> None:
    """Add the confidence of standing on something higher, where no one could stay in the air for so long."""
    for _ in range(_MOST_LEVELS):
        aloft = ~np.any([_standing(foot.sure.max(axis=1), fps) for foot in feet], axis=0)
        risen = False
        for start, stop in true_ranges(aloft):
            level = _level_between(feet, start, stop, fps) if stop - start > _LONGEST_FLIGHT_S * fps else None
            if level is None:
                continue
            for foot in feet:
                near = foot.still * _soft_limit(np.abs(foot.height - level), height_limit)
                # The whole stay on that level counts, also while the other foot stands elsewhere.
                for first, last in true_ranges(near.max(axis=1) > _KEEP):
                    if first < stop and last > start:
                        risen |= bool(np.any(near[first:last] > foot.sure[first:last] + 1e-9))
                        foot.sure[first:last] = np.maximum(foot.sure[first:last], near[first:last])
        if not risen:
            return


def _level_between(feet: list[_Evidence], start: int, stop: int, fps: float) -> float | None:
    """The lowest height at which a foot stays still under a stretched leg for a while, or None."""
    part = slice(start, stop)
    heights = [
        foot.height[part].min(axis=1)[(foot.still[part].max(axis=1) > _BEGIN) & foot.carries[part]] for foot in feet
    ]
    if max(len(h) for h in heights) < max(1.0, _STAND_S * fps):
        return None
    return float(np.percentile(np.concatenate(heights), 10.0))


def _soft_limit(values: Floats, limit: Floats | float) -> Floats:
    """1 far below the limit, a half on it, 0 far above."""
    squared = (values / limit) ** 2
    return np.asarray(1.0 / (1.0 + squared * squared))


def _standing(confidence: Floats, fps: float) -> Bools:
    """Flags with hysteresis, without flicker."""
    frames = len(confidence)
    flags = np.zeros(frames, dtype=bool)
    joined: list[tuple[int, int]] = []
    for first, stop in true_ranges(confidence > _KEEP):
        if not np.any(confidence[first:stop] > _BEGIN):
            continue
        start = first + int(np.argmax(confidence[first:stop] > _BEGIN))
        if joined and start - joined[-1][1] < _SHORTEST_GAP_S * fps:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    for start, stop in joined:
        if stop - start >= _SHORTEST_S * fps or start == 0 or stop == frames:
            flags[start:stop] = True
    return flags


def _from_runs(runs: Sequence[Sequence[Sequence[int]]], frames: int) -> Bools:
    flags = np.zeros((frames, len(runs)), dtype=bool)
    for column, foot in enumerate(runs):
        for start, stop in foot:
            flags[start:stop, column] = True
    return flags
