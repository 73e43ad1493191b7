"""BVH text from a clip: the file that was read where the clip still has its motion, else a plain one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton, as_offset
from kinetune.body.source import DEFAULT_ORDER
from kinetune.findings import Finding, report_finding
from kinetune.formats.bvh.channels import Channels, channel_meaning, full_order, is_plain
from kinetune.formats.bvh.hierarchy import EndSiteText
from kinetune.formats.bvh.layout import BvhLayout, numbers
from kinetune.formats.bvh.motion_rows import parse_frame_time, print_frame_time
from kinetune.formats.text.number_text import print_numbers
from kinetune.formats.unit_and_up import (
    UnscaledMotion,
    Up,
    settle_unit_and_up,
    turn_rotations_from_y,
    turn_vectors_from_y,
)
from kinetune.rotations import Floats

DECIMALS = 6
CENTIMETRE = 0.01
POSITIONS = ("Xposition", "Yposition", "Zposition")
SAME_ROTATION = 1e-9
"""Radians by which a rotation may differ from the file's and still be printed with the file's angles."""

_STILL = 1e-6  # metres
_ROTATED = 1e-7  # radians
_LOCK = 1e-8  # radians from gimbal lock within which first and last axis are one
_CIRCLE = 2.0 * np.pi


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a BVH file.

    A clip that was read from BVH keeps its channels, units, axes, offsets, End Sites, digits and line ends; a number
    whose motion is unchanged is printed as it was. A joint that an edit rotates about or moves along more axes than
    it has channels for gets the missing ones. Any other clip is written in centimetres with Y up, six digits, the order
    ZXY (which, unlike ZYX, does not lock when a character turns around), six channels for the root and for joints that
    move in their parents' frames, three for the others.
    """
    layout = clip.source.layout
    if isinstance(layout, BvhLayout) and layout.fits(clip.skeleton):
        same_frames = len(layout.values) == len(clip)
        sites = _sites(clip, layout)
    else:
        layout, same_frames = plain_layout(clip), False
        sites = layout.sites
        if clip.source.format != "bvh":
            _warn_of_other_guess(clip, path)
    columns = _MotionColumns(clip, layout, same_frames)
    channels = columns.channels
    order = nesting_order(layout.parents)
    values = columns.values
    if order != sorted(order):
        values = values[
            :, [c for j in order for c in range(channels.first[j], channels.first[j] + len(channels.names[j]))]
        ]
    lines = [
        "HIERARCHY",
        *_hierarchy(clip, layout, channels, sites),
        "MOTION",
        f"Frames: {len(clip)}",
        f"Frame Time: {_frame_time(clip, layout)}",
        "",
    ]
    head = layout.newline.join(lines).encode(layout.encoding)
    decimals = layout.decimals if columns.unchanged else max(layout.decimals, DECIMALS)
    return {path: b"".join([head, print_numbers(values, decimals, layout.newline)])}


def _warn_of_other_guess(clip: Clip, path: Path) -> None:
    """Say so where a reader that guesses would take another unit or up axis than a plain file is written in."""
    plain = clip.skeleton
    sites = tuple(replace(site, offset=as_offset(np.array(site.offset) / CENTIMETRE)) for site in plain.end_sites)
    skeleton = Skeleton(plain.names, plain.parents, plain.offsets / CENTIMETRE, sites)
    translations = None if clip.translations is None else clip.translations / CENTIMETRE
    motion = UnscaledMotion(skeleton, clip.root / CENTIMETRE, clip.rotations, translations)
    unit, _, up, _ = settle_unit_and_up(motion, None, None)
    if (unit, up) == ("cm", "y"):
        return
    options = [("unit", "cm", unit != "cm"), ("up", "y", up != "y")]
    python = ", ".join(f'{name}="{value}"' for name, value, differs in options if differs)
    flags = " ".join(f"--{name} {value}" for name, value, differs in options if differs)
    message = (
        f"BVH states neither unit nor axes, and those of {path.name} (cm, Y up) are likely to be taken for {unit} and "
        f"{up.upper()} up. Read it with {python} ({flags})."
    )
    report_finding(Finding("unstated-unit", message), warn=True)


def plain_layout(clip: Clip) -> BvhLayout:
    """How a clip is written that has no file to be faithful to."""
    skeleton = clip.skeleton
    from_bvh = clip.source.format == "bvh"
    metres = clip.source.metres_per_unit if from_bvh else CENTIMETRE
    up: Up = clip.source.up if from_bvh else "y"
    rotating = rotation_names(DEFAULT_ORDER)
    names = tuple(
        re.sub(r"[\x00-\x1f{}]+", "_", name).strip() or f"joint{joint}" for joint, name in enumerate(skeleton.names)
    )
    return BvhLayout(
        names=names,
        parents=tuple(skeleton.parents.tolist()),
        channels=Channels(((*POSITIONS, *rotating), *((rotating,) * (len(skeleton) - 1)))),
        offsets=tuple(print_vector(offset, metres, up) for offset in skeleton.offsets),
        sites=_plain_sites(skeleton, metres, up),
        rest=turn_vectors_from_y(skeleton.offsets, up) / metres,
        moving=(),
        relative=(False,) * len(skeleton),
        values=np.zeros((0, 0)),
        metres_per_unit=metres,
        up=up,
        frame_time="",
        fps=clip.fps,
        decimals=DECIMALS,
    )


def _plain_sites(skeleton: Skeleton, metres: float, up: Up) -> tuple[EndSiteText, ...]:
    """The End Sites of a skeleton; a joint that ends without one gets one of no length, since many readers want it."""
    count = len(skeleton)
    sites = [
        EndSiteText(s.parent, count, "End Site", "", print_vector(np.array(s.offset), metres, up))
        for s in skeleton.end_sites
    ]
    ended = {site.parent for site in sites}
    none = print_vector(np.zeros(3), metres, up)
    open_ends = [j for j, children in enumerate(skeleton.children) if not children and j not in ended]
    return (*sites, *(EndSiteText(j, count, "End Site", "", none) for j in open_ends))


def _sites(clip: Clip, layout: BvhLayout) -> tuple[EndSiteText, ...]:
    """The End Sites to print: the file's text while the skeleton still has them."""
    now = clip.skeleton.end_sites
    if [site.parent for site in now] != [site.parent for site in layout.sites]:
        return _plain_sites(clip.skeleton, layout.metres_per_unit, layout.up)
    texts = []
    for site, text in zip(now, layout.sites, strict=True):
        if not np.array_equal(np.array(site.offset), layout.to_metres(numbers(text.offset))):
            offset = print_vector(np.array(site.offset), layout.metres_per_unit, layout.up, layout.decimals)
            text = replace(text, offset=offset)
        texts.append(text)
    return tuple(texts)


def nesting_order(parents: tuple[int, ...]) -> list[int]:
    """Joints in the order in which braces nest them: a joint, then all that hangs below it."""
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents):
        children.setdefault(parent, []).append(joint)
    order = []
    waiting = children[-1][::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(children.get(joint, [])[::-1])
    return order


def _hierarchy(clip: Clip, layout: BvhLayout, channels: Channels, sites: tuple[EndSiteText, ...]) -> Iterator[str]:
    """The lines of the hierarchy, without recursion: some are thousands of joints deep."""
    below: dict[int, list[tuple[int, int, int, int | EndSiteText]]] = {}  # sort keys and what they stand for
    for joint, parent in enumerate(layout.parents):
        below.setdefault(parent, []).append((joint, 1, 0, joint))
    for number, site in enumerate(sites):
        below.setdefault(site.parent, []).append((site.rank, 0, number, site))
    for items in below.values():
        items.sort(key=lambda item: item[:3], reverse=True)
    waiting: list[tuple[int, int | EndSiteText | None]] = [(0, item) for *_, item in below[-1]]
    while waiting:
        depth, item = waiting.pop()
        outer, inner = layout.indent * depth, layout.indent * (depth + 1)
        if item is None:
            yield f"{outer}}}"
        elif isinstance(item, EndSiteText):
            yield f"{outer}{item.keyword} {item.name}".rstrip()
            yield f"{outer}{{"
            yield f"{inner}OFFSET {' '.join(item.offset)}"
            yield f"{outer}}}"
        else:
            names = channels.names[item]
            yield f"{outer}{'JOINT' if layout.parents[item] >= 0 else 'ROOT'} {layout.names[item]}"
            yield f"{outer}{{"
            yield f"{inner}OFFSET {' '.join(offset_texts(clip, layout, item))}"
            yield f"{inner}CHANNELS {' '.join([str(len(names)), *names])}"
            waiting.append((depth, None))
            waiting.extend((depth + 1, child) for *_, child in below.get(item, []))


def _frame_time(clip: Clip, layout: BvhLayout) -> str:
    """The file's frame time while the clip has its rate, else one that is read as the clip's."""
    rate, doubts = parse_frame_time(layout.frame_time)
    return layout.frame_time if not doubts and rate == clip.fps else print_frame_time(clip.fps)


# --- columns of motion


def rotation_names(order: str) -> tuple[str, ...]:
    """The channels of an Euler order."""
    return tuple(f"{axis}rotation" for axis in order)


class _MotionColumns:
    """The motion of a clip in the channels of a layout, or in more where those cannot hold it.

    ``same_frames`` says that the layout's values are the clip's, frame for frame, before it was edited.
    """

    def __init__(self, clip: Clip, layout: BvhLayout, same_frames: bool) -> None:
        self.clip = clip
        self.layout = layout
        self.same_frames = same_frames
        before = layout.motion() if same_frames else None
        if before is not None and self._is_as_read(*before):
            self.channels, self.values, self.unchanged = layout.channels, layout.values, True
            return
        self.rotations = turn_rotations_from_y(clip.rotations, layout.up)
        self.same = np.zeros(clip.rotations.shape[:2], dtype=bool)
        if before is not None:
            for joint in range(len(clip.skeleton)):
                self.same[:, joint] = same_rotations(clip.rotations[:, joint], before[1][:, joint])
        self.unchanged = same_frames and bool(self.same.all())
        self.channels = Channels(tuple(self._needed_channels(joint) for joint in range(len(clip.skeleton))))
        self.values = self._known_values()
        for joint in range(len(clip.skeleton)):
            self._fill_positions(joint)
        self._fill_rotations()

    def _is_as_read(self, root: Floats, rotations: Floats, translations: Floats | None) -> bool:
        """Whether nothing was edited at all, which most files that are only converted or cut are."""
        clip = self.clip
        moved = clip.translations
        return (
            np.array_equal(clip.rotations, rotations)
            and np.array_equal(clip.root, root)
            and np.array_equal(clip.skeleton.offsets, self.layout.to_metres(self.layout.rest))
            and (
                np.array_equal(moved, translations)
                if moved is not None and translations is not None
                else moved is translations
            )
        )

    def _positions(self, joint: int) -> Floats:
        """Positions (frames, 3) of a joint in its parent's frame, in file units and axes."""
        clip = self.clip
        if joint == 0:
            positions = clip.root
        elif clip.translations is None:
            positions = np.tile(clip.skeleton.offsets[joint], (len(clip), 1))
        else:
            positions = clip.translations[:, joint]
        return turn_vectors_from_y(positions, self.layout.up) / self.layout.metres_per_unit

    def _needed_channels(self, joint: int) -> tuple[str, ...]:
        """The channels of a joint: those of the layout, and more where the motion leaves them."""
        names = list(self.layout.channels.names[joint])
        columns = self.layout.channels.position_columns[joint]
        if len(columns) < 3 and (joint == 0 or self.clip.translations is not None):
            metres = self.layout.metres_per_unit
            offset = turn_vectors_from_y(self.clip.skeleton.offsets[joint], self.layout.up) / metres
            away = np.abs(self._positions(joint) - offset).max(axis=0) * metres
            if any(away[axis] > _STILL for axis in range(3) if axis not in columns):
                names = [*POSITIONS, *(n for n in names if channel_meaning(n)[0] != "position")]
        order = self.layout.channels.orders[joint]
        if len(order) == 3 and (is_plain(order) or order[0] == order[2] != order[1]):
            return tuple(names)
        changed = self.rotations[:, joint][~self.same[:, joint]]
        if is_plain(order):
            if len(changed) and _exceeds_order(changed, order):
                names.extend(rotation_names(full_order(order, DEFAULT_ORDER)[len(order) :]))
        elif len(changed):
            self.same[:, joint] = False  # the old angles mean nothing in the new order
            names = [*(n for n in names if channel_meaning(n)[0] != "rotation"), *rotation_names(DEFAULT_ORDER)]
        return tuple(names)

    def _known_values(self) -> Floats:
        """The file's values in the new columns; 0 where it has none."""
        known = np.zeros((len(self.clip), self.channels.width))
        if not self.same_frames:
            return known
        new, old = [], []
        for joint, names in enumerate(self.channels.names):
            had = list(enumerate(self.layout.channels.names[joint], start=self.layout.channels.first[joint]))
            for column, name in enumerate(names, start=self.channels.first[joint]):
                match = next(((c, n) for c, n in had if n == name), None)
                if match is not None:
                    had.remove(match)  # a name may come twice
                    new.append(column)
                    old.append(match[0])
        known[:, new] = self.layout.values[:, old]
        return known

    def _fill_rotations(self) -> None:
        """Fill in the angles of the joints that do not rotate as in the file."""
        by_order: dict[str, list[int]] = {}
        for joint, order in enumerate(self.channels.orders):
            if order and not self.same[:, joint].all():
                by_order.setdefault(order, []).append(joint)
        for order, joints in by_order.items():
            columns = np.array([self.channels.rotation_columns[joint] for joint in joints])
            known = self.values[:, columns]
            self.values[:, columns] = follow_angles(self.rotations[:, joints], order, known, self.same[:, joints])

    def _fill_positions(self, joint: int) -> None:
        """Fill in the position of a joint where it is not the file's."""
        columns = self.channels.position_columns[joint]
        if not columns:
            return
        positions = self._positions(joint)
        same = np.zeros(len(positions), dtype=bool)
        if self.same_frames and self.layout.channels.position_columns[joint].keys() == columns.keys():
            before = self.layout.positions(joint)
            same = np.all(np.abs(positions - before) <= 1e-12 * (1.0 + np.abs(before)), axis=1)
        if same.all():
            return
        self.unchanged = False
        if self.layout.relative[joint]:
            positions = positions - numbers(offset_texts(self.clip, self.layout, joint))
        for axis, column in columns.items():
            self.values[~same, column] = positions[~same, axis]


def _exceeds_order(q: Floats, order: str) -> bool:
    """Whether rotations need other axes than those of a short order."""
    return bool(np.any(rot.angle_between(q, rot.from_euler(rot.to_euler(q, order), order)) > _ROTATED))


def offset_texts(clip: Clip, layout: BvhLayout, joint: int) -> tuple[str, str, str]:
    """The offset of a joint as it is printed: the file's text while the skeleton still has it."""
    offset = clip.skeleton.offsets[joint]
    if np.array_equal(offset, layout.to_metres(layout.rest[joint])):
        return layout.offsets[joint]
    return print_vector(offset, layout.metres_per_unit, layout.up, layout.decimals)


def print_vector(vector: Floats, metres_per_unit: float, up: Up, decimals: int = 6) -> tuple[str, str, str]:
    """A vector of ours in a file's unit and axes, as text of at least six decimals."""
    decimals = max(decimals, 6)
    x, y, z = (turn_vectors_from_y(vector, up) / metres_per_unit).tolist()
    return f"{x:.{decimals}f}", f"{y:.{decimals}f}", f"{z:.{decimals}f}"


# --- Euler angles: the file's where the motion is unchanged, elsewhere those that follow without a flip


def same_rotations(now: Floats, before: Floats) -> NDArray[np.bool_]:
    """Where two sets of unit quaternions (..., 4) are the same rotation, sign aside."""
    apart = np.sum((now - before) ** 2, axis=-1)
    opposite = np.sum((now + before) ** 2, axis=-1)
    return np.asarray(np.minimum(apart, opposite)) <= (0.5 * SAME_ROTATION) ** 2


def follow_angles(q: Floats, order: str, known: Floats, same: NDArray[np.bool_]) -> Floats:
    """Angles in degrees (frames, joints, axes) of rotations (frames, joints, 4).

    Where a rotation is still the file's (``same``) its angles ``known`` are kept to the last digit, even if they wind
    past 360 degrees or jump from one frame to the next. Changed frames take the triple nearest to the frame before.
    When a changed stretch arrives at the kept angles from another side (full circles away, or in the other triple) the
    kept ones after it follow, so that an edit never makes a flip. ``known`` is (frames, joints, axes), ``same``
    (frames, joints).
    """
    if same.all():
        return known
    fresh = _hold_in_lock(rot.to_euler(q, order), order)
    angles = np.where(same[..., None], np.deg2rad(known), fresh)
    joined = ~(same[1:] & same[:-1])  # steps at which something changed; the others are left as the file has them
    anchor = np.argmax(same, axis=0)
    flipped = np.zeros(same.shape, dtype=bool)
    if len(order) == 3:
        other = rot.other_euler(angles, order)
        stay = np.abs(_wrap(angles[1:] - angles[:-1])).sum(axis=-1)
        switch = np.abs(_wrap(other[1:] - angles[:-1])).sum(axis=-1)
        flipped[1:] = np.cumsum((switch < stay - 1e-9) & joined, axis=0) % 2 == 1
        flipped ^= np.take_along_axis(flipped, anchor[None], axis=0)
        angles = np.where(flipped[..., None], other, angles)
    circles = np.zeros(angles.shape)
    circles[1:] = np.cumsum(np.where(joined[..., None], -np.round(np.diff(angles, axis=0) / _CIRCLE), 0.0), axis=0)
    circles -= np.take_along_axis(circles, anchor[None, :, None], axis=0)
    as_in_file = (same & ~flipped)[..., None]
    return np.where(as_in_file, known + 360.0 * circles, np.rad2deg(angles + _CIRCLE * circles))


def _wrap(radians: Floats) -> Floats:
    return radians - _CIRCLE * np.round(radians / _CIRCLE)


def _hold_in_lock(angles: Floats, order: str) -> Floats:
    """Angles (frames, joints, axes) in which the last axis holds still while it does the same as the first.

    In gimbal lock only the sum or the difference of the first and last angle matters; the split of the nearest frame
    outside is kept, so that the curves do not jump into the lock and out again.
    """
    if len(order) < 3:
        return angles
    first, middle, last = np.moveaxis(angles, -1, 0)
    repeats = order[0] == order[2]
    locked = np.abs(np.sin(middle) if repeats else np.cos(middle)) < _LOCK
    if not locked.any():
        return angles
    even = (("XYZ".index(order[1]) - "XYZ".index(order[0])) % 3 == 1) == (np.sin(middle) > 0)
    alike = np.cos(middle) > 0 if repeats else even  # whether the angles add up, or else subtract
    frames = np.arange(len(angles))[:, None]
    before = np.maximum.accumulate(np.where(locked, -1, frames), axis=0)
    after = np.minimum.accumulate(np.where(locked, len(angles), frames)[::-1], axis=0)[::-1]
    source = np.where(before >= 0, before, np.where(after < len(angles), after, frames))
    held = np.take_along_axis(last, source, axis=0)
    shifted = np.where(alike, first + (last - held), first - (last - held))
    split = np.stack([_wrap(shifted), middle, held], axis=-1)
    return np.where(locked[..., None], split, angles)
