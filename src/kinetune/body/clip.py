"""The clip: a skeleton in motion, with its frame rate, contacts, markers, origin and history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.html_tables import html_table
from kinetune.body.skeleton import FARTHEST, Skeleton
from kinetune.body.source import Source
from kinetune.errors import ParameterError, quoted
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.body.feet.contacts import Contacts

UNIT_TOLERANCE = 1e-6
_BLOCK = 16_384  # quaternions that are checked at a time
SLOWEST_FPS, FASTEST_FPS = 1e-3, 1e5
"""The frame rates that can be meant, from one picture in a quarter of an hour to the fastest cameras."""


def check_fps(fps: float) -> None:
    """Raise when a number cannot be meant as frames per second."""
    if not SLOWEST_FPS <= fps <= FASTEST_FPS:
        raise ParameterError(f"fps must be a number from {SLOWEST_FPS:g} to {FASTEST_FPS:,.0f}, not {fps:g}.")


@dataclass(frozen=True)
class Marker:
    """A named frame, such as "left heel strike".

    Parameters
    ----------
    frame : int
        Counted from 0.
    name : str
        Any text.

    Examples
    --------
    >>> from kinetune import sample
    >>> sample("walk").markers[0].name
    'right heel strike'
    """

    frame: int
    name: str


@dataclass(frozen=True)
class KeyFrames:
    """The frames at which a motion of few keys has them, for formats that can hold it so.

    Parameters
    ----------
    rotations : tuple of tuple of int
        For each joint, the frames of its rotation keys.
    translations : mapping
        The same for joints that move, the first one included, by joint.
    tolerance : float
        Metres: how far the keys were allowed to lead a joint from where it was.
    """

    rotations: tuple[tuple[int, ...], ...]
    translations: Mapping[int, tuple[int, ...]]
    tolerance: float

    def fits(self, joints: int, frames: int) -> bool:
        """Whether a clip of this size can have these keys."""
        listed = [*self.rotations, *self.translations.values()]
        return len(self.rotations) == joints and all(0 <= f < frames for keys in listed for f in keys)


class Joint(int):
    """The index of a joint in a clip, which also knows its name, positions and rotations.

    It is an ``int``: ``clip.positions()[:, clip.joint("LeftHand")]`` works as expected.
    """

    clip: Clip

    def __new__(cls, index: int, clip: Clip) -> Joint:
        self = super().__new__(cls, index)
        self.clip = clip
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Joint, (int(self), self.clip)

    @property
    def name(self) -> str:
        """The joint's name in the skeleton."""
        return self.clip.skeleton.names[int(self)]

    @property
    def positions(self) -> Floats:
        """World positions (frames, 3)."""
        return self.clip.positions()[:, int(self)]

    @property
    def rotations(self) -> Floats:
        """Local rotations (frames, 4) wxyz."""
        return self.clip.rotations[:, int(self)]


@dataclass(frozen=True, eq=False)
class Clip:
    """Motion of one skeleton at a fixed rate: metres, Y up, right-handed, seconds, radians.

    Parameters
    ----------
    skeleton : Skeleton
        The joints.
    fps : float
        Frames per second.
    root : array, shape (frames, 3)
        World position of the first joint.
    rotations : array, shape (frames, joints, 4)
        Local rotations wxyz, unit length.
    translations : array, shape (frames, joints, 3) or None
        Positions in the parents' frames, for files that animate them; None means that every joint but the first sits at
        its skeleton offset. Its first column repeats ``root``.
    contacts : Contacts or None
        Which feet stand when, if known (see :func:`kinetune.body.feet.contacts.find_contacts`).
    markers : tuple of Marker
        Named frames.
    source : Source
        The file it came from, for writing back faithfully.
    history : tuple of mapping
        The steps that made it, each a JSON-ready mapping with the operation's tag under "op".
    keys : KeyFrames or None
        Where its keys are, if :class:`kinetune.ReduceKeys` has just made it: FBX and glTF files then hold these keys
        only. Any change of the motion drops them.

    Notes
    -----
    A clip never changes; :meth:`replace` makes another one.

    Examples
    --------
    >>> from kinetune import sample
    >>> walk = sample("walk")
    >>> walk.positions().shape
    (402, 22, 3)
    >>> walk[60:180].duration
    1.9833333333333334
    """

    skeleton: Skeleton
    fps: float
    root: Floats
    rotations: Floats
    translations: Floats | None = None
    contacts: Contacts | None = None
    markers: tuple[Marker, ...] = ()
    source: Source = field(default_factory=Source)
    history: tuple[Mapping[str, Any], ...] = ()
    keys: KeyFrames | None = None

    def __post_init__(self) -> None:
        joints = len(self.skeleton)
        root = _frozen(self.root)
        rotations = _frozen(self.rotations)
        frames = rotations.shape[0] if rotations.ndim else 0
        if rotations.shape != (frames, joints, 4) or root.shape != (frames, 3) or frames == 0:
            raise ParameterError(
                f"A clip of {joints} joints takes rotations (frames, {joints}, 4) and root (frames, 3) with at least "
                f"one frame; got {rotations.shape} and {root.shape}."
            )
        check_fps(self.fps)
        _check_numbers(self.skeleton, root, rotations)
        if self.contacts is not None and len(self.contacts.flags) != frames:
            raise ParameterError(f"A clip of {frames} frames was given contacts of {len(self.contacts.flags)}.")
        object.__setattr__(self, "fps", float(self.fps))
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "rotations", rotations)
        if self.translations is not None:
            translations = np.array(self.translations, dtype=float)
            if translations.shape != (frames, joints, 3) or not np.all(np.abs(translations) < FARTHEST):
                raise ParameterError(
                    f"translations must be numbers of sensible size and shape ({frames}, {joints}, 3)."
                )
            translations[:, 0] = root
            object.__setattr__(self, "translations", _frozen(translations))
        if self.keys is not None and not self.keys.fits(joints, frames):
            object.__setattr__(self, "keys", None)
        object.__setattr__(self, "markers", tuple(self.markers))
        object.__setattr__(self, "history", tuple(self.history))

    def __len__(self) -> int:
        return len(self.rotations)

    def __repr__(self) -> str:
        name = f'"{self.source.name}", ' if self.source.name else ""
        return f"{type(self).__name__}({name}{self._length_text()}, {len(self.skeleton)} joints)"

    def _repr_html_(self) -> str:
        title = f"{type(self).__name__} {self.source.name}".rstrip()
        contacts = "unknown" if self.contacts is None else self.contacts.summary()
        rows = {"length": self._length_text(), "skeleton": self.skeleton.summary(), "contacts": contacts}
        if self.markers:
            rows["markers"] = str(len(self.markers))
        if self.history:
            rows["edits"] = ", ".join(str(step.get("op", "?")) for step in self.history)
        table = html_table(title, {**rows, "source": self.source.summary()})
        player = import_module("kinetune.notebooks.player")  # upstairs, and loaded by notebooks alone
        return str(player.clip_page(self, table))

    def _length_text(self) -> str:
        return f"{len(self)} frame{'s' * (len(self) != 1)} at {self.fps:g} fps, {self.duration:.1f} s"

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) / self.fps

    @property
    def times(self) -> Floats:
        """The time of each frame in seconds, (frames,)."""
        return np.arange(len(self)) / self.fps

    def joint(self, name: str) -> Joint:
        """A joint by name or role: its index, which also carries ``.positions`` and ``.rotations``."""
        return Joint(self.skeleton.index(name), self)

    def positions(self) -> Floats:
        """World positions of all joints, (frames, joints, 3) in metres.

        A method, because they are computed (once, by forward kinematics) and not stored as ``rotations`` are.
        """
        return self._world[0]

    def world_rotations(self) -> Floats:
        """World rotations of all joints, (frames, joints, 4) wxyz."""
        return self._world[1]

    @property
    def _world(self) -> tuple[Floats, Floats]:
        cached = self.__dict__.get("_world_cache")
        if cached is None:
            from kinetune.body.kinematics.forward import forward

            cached = forward(self.skeleton, self.root, self.rotations, self.translations)
            for array in cached:
                array.setflags(write=False)
            object.__setattr__(self, "_world_cache", cached)
        return cached

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_world_cache"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)  # a pickle forgets that
            object.__setattr__(self, name, value)

    def __getitem__(self, frames: slice) -> Clip:
        """A part of the clip: ``clip[10:200]``, ``clip[::2]`` (every second frame, at half the rate)."""
        if not isinstance(frames, slice):
            raise ParameterError("A clip is sliced by a range of frames, such as clip[10:20] or clip[5:6].")
        start, stop, step = frames.indices(len(self))
        if step <= 0:
            raise ParameterError(f"The step of a slice must be positive, not {step}.")
        if stop <= start:
            raise ParameterError(f"clip[{start}:{stop}] would be empty; the clip has frames 0 to {len(self) - 1}.")
        selected = range(start, stop, step)
        markers = tuple(Marker((m.frame - start) // step, m.name) for m in self.markers if m.frame in selected)
        part = replace(
            self,
            fps=self.fps / step,
            root=self.root[frames],
            rotations=self.rotations[frames],
            translations=None if self.translations is None else self.translations[frames],
            contacts=None if self.contacts is None else self.contacts[frames],
            markers=markers,
            source=self.source.sliced(frames),
            keys=None,
        )
        known = self.__dict__.get("_world_cache")
        if known is not None:
            object.__setattr__(part, "_world_cache", tuple(array[frames] for array in known))
        return part

    def replace(self, **changes: Any) -> Clip:
        """A clip with some fields changed; contacts and keys go when the motion changes, unless new ones are given."""
        if {"root", "rotations", "translations", "skeleton"} & changes.keys():
            changes = {"contacts": None, "keys": None, **changes}
        return replace(self, **changes)

    def same_motion(self, other: Clip, tolerance: float = 1e-9) -> bool:
        """Whether both clips have the same positions, rotations (q and -q are the same) and frame rate."""
        if len(self) != len(other) or not self.skeleton.same_joints(other.skeleton):
            return False
        moved = np.abs(self.positions() - other.positions()).max()
        turned = rot.angle_between(self.rotations, other.rotations).max()
        return bool(moved <= tolerance and turned <= max(tolerance, 1e-7) and np.isclose(self.fps, other.fps))


def _check_numbers(skeleton: Skeleton, root: Floats, rotations: Floats) -> None:
    """Raise where a number is none, is far too large, or a quaternion is not of unit length.

    It looks at a few frames at a time, whose lengths stay in the cache of the processor.
    """
    rows = max(1, _BLOCK // max(1, rotations.shape[1]))
    for start in range(0, len(rotations), rows):
        block = rotations[start : start + rows]
        length = np.einsum("fjk,fjk->fj", block, block)
        near = np.abs(root[start : start + rows]) < FARTHEST
        if near.all() and (np.abs(length - 1.0) <= UNIT_TOLERANCE).all():
            continue
        bad = ~(near.all(axis=1) & np.isfinite(length).all(axis=1))
        if bad.any():
            problem = "that is not a number or is far too large"
            raise ParameterError(f"Frame {start + int(np.argmax(bad))} of the clip has a value {problem}.")
        frame, joint = np.argwhere(np.abs(length - 1.0) > UNIT_TOLERANCE)[0]
        raise ParameterError(
            f"Frame {start + frame}, joint {quoted(skeleton.names[joint])}: the quaternion has length "
            f"{np.sqrt(length[frame, joint]):.4g}, not 1. Normalize it first (kinetune.rotations.normalize)."
        )


def _frozen(values: ArrayLike) -> Floats:
    """A read-only float64 array, C-ordered; copied only if someone else could write to it."""
    array = np.ascontiguousarray(values, dtype=float)
    if array is values or array.base is not None:
        shared = array.flags.writeable or (isinstance(array.base, np.ndarray) and array.base.flags.writeable)
        if shared:
            array = array.copy()
    array.setflags(write=False)
    return array
