"""The columns of motion that a clip is written in."""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.formats.bvh.channels import Channels, channel_meaning, full_order, is_plain
from kinetune.formats.bvh.euler_angles import follow, same_turns
from kinetune.formats.bvh.layout import BvhLayout, numbers
from kinetune.formats.guess.guessing import Up, turn_rotations_from_y, turn_vectors_from_y
from kinetune.rotations import Floats

ORDER = "ZXY"
"""The Euler order of clips that had none: unlike ZYX it does not lock when a figure turns on the spot with Y up."""

POSITIONS = ("Xposition", "Yposition", "Zposition")
_STILL = 1e-6  # metres
_TURNED = 1e-7  # radians


def rotation_names(order: str) -> tuple[str, ...]:
    """The channels of an Euler order."""
    return tuple(f"{axis}rotation" for axis in order)


class Columns:
    """The motion of a clip in the channels of a layout, or in more where those cannot hold it.

    Parameters
    ----------
    clip : what to write.
    layout : channels, unit, axes and offsets to write it in.
    kept : whether the layout's values are the clip's, frame for frame, before it was edited.
    """

    def __init__(self, clip: Clip, layout: BvhLayout, kept: bool) -> None:
        self.clip = clip
        self.layout = layout
        self.kept = kept
        before = layout.motion() if kept else None
        if before is not None and self._is_as_read(*before):
            self.channels, self.values, self.unchanged = layout.channels, layout.values, True
            return
        self.rotations = turn_rotations_from_y(clip.rotations, layout.up)
        self.same = np.zeros(clip.rotations.shape[:2], dtype=bool)
        if before is not None:
            for joint in range(len(clip.skeleton)):
                self.same[:, joint] = same_turns(clip.rotations[:, joint], before[1][:, joint])
        self.unchanged = kept and bool(self.same.all())
        self.channels = Channels(tuple(self._enough(joint) for joint in range(len(clip.skeleton))))
        self.values = self._known_values()
        for joint in range(len(clip.skeleton)):
            self._fill_places(joint)
        self._fill_turns()

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

    def _places(self, joint: int) -> Floats:
        """Where a joint is in its parent's frame, (frames, 3), in file units and axes."""
        clip = self.clip
        if joint == 0:
            places = clip.root
        elif clip.translations is None:
            places = np.tile(clip.skeleton.offsets[joint], (len(clip), 1))
        else:
            places = clip.translations[:, joint]
        return turn_vectors_from_y(places, self.layout.up) / self.layout.metres_per_unit

    def _enough(self, joint: int) -> tuple[str, ...]:
        """The channels of a joint: those of the layout, and more where the motion leaves them."""
        names = list(self.layout.channels.names[joint])
        moves = self.layout.channels.moves[joint]
        if len(moves) < 3 and (joint == 0 or self.clip.translations is not None):
            metres = self.layout.metres_per_unit
            offset = turn_vectors_from_y(self.clip.skeleton.offsets[joint], self.layout.up) / metres
            away = np.abs(self._places(joint) - offset).max(axis=0) * metres
            if any(away[axis] > _STILL for axis in range(3) if axis not in moves):
                names = [*POSITIONS, *(n for n in names if channel_meaning(n)[0] != "move")]
        order = self.layout.channels.orders[joint]
        if len(order) == 3 and (is_plain(order) or order[0] == order[2] != order[1]):
            return tuple(names)
        changed = self.rotations[:, joint][~self.same[:, joint]]
        if is_plain(order):
            if len(changed) and _leaves(changed, order):
                names.extend(rotation_names(full_order(order, ORDER)[len(order) :]))
        elif len(changed):
            self.same[:, joint] = False  # the old angles mean nothing in the new order
            names = [*(n for n in names if channel_meaning(n)[0] != "turn"), *rotation_names(ORDER)]
        return tuple(names)

    def _known_values(self) -> Floats:
        """The file's values in the new columns; 0 where it has none."""
        known = np.zeros((len(self.clip), self.channels.width))
        if not self.kept:
            return known
        new, old = [], []
        for joint, names in enumerate(self.channels.names):
            had = list(enumerate(self.layout.channels.names[joint], start=self.layout.channels.first[joint]))
            for column, name in enumerate(names, start=self.channels.first[joint]):
                found = next(((c, n) for c, n in had if n == name), None)
                if found is not None:
                    had.remove(found)  # a name may come twice
                    new.append(column)
                    old.append(found[0])
        known[:, new] = self.layout.values[:, old]
        return known

    def _fill_turns(self) -> None:
        """Put the angles of the joints that turn otherwise than in the file."""
        by_order: dict[str, list[int]] = {}
        for joint, order in enumerate(self.channels.orders):
            if order and not self.same[:, joint].all():
                by_order.setdefault(order, []).append(joint)
        for order, joints in by_order.items():
            columns = np.array([self.channels.turns[joint] for joint in joints])
            known = self.values[:, columns]
            self.values[:, columns] = follow(self.rotations[:, joints], order, known, self.same[:, joints])

    def _fill_places(self, joint: int) -> None:
        """Put the position of a joint where it is not the file's."""
        moves = self.channels.moves[joint]
        if not moves:
            return
        places = self._places(joint)
        same = np.zeros(len(places), dtype=bool)
        if self.kept and self.layout.channels.moves[joint].keys() == moves.keys():
            before = self.layout.positions(joint)
            same = np.all(np.abs(places - before) <= 1e-12 * (1.0 + np.abs(before)), axis=1)
        if same.all():
            return
        self.unchanged = False
        if self.layout.relative[joint]:
            places = places - numbers(offset_texts(self.clip, self.layout, joint))
        for axis, column in moves.items():
            self.values[~same, column] = places[~same, axis]


def _leaves(q: Floats, order: str) -> bool:
    """Whether rotations turn about other axes than those of a short order."""
    return bool(np.any(rot.angle_between(q, rot.from_euler(rot.to_euler(q, order), order)) > _TURNED))


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
