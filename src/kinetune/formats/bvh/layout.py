"""What a clip remembers of the BVH file it came from, so that it can be written back as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.body.source import DEFAULT_ORDER, EulerOrders
from kinetune.formats.bvh.channels import (
    Channels,
    full_order,
    is_plain,
    positions_from_channels,
    rotations_from_channels,
)
from kinetune.formats.bvh.hierarchy import EndSiteText
from kinetune.formats.unit_and_up import Up, turn_rotations_to_y, turn_vectors_to_y
from kinetune.rotations import Floats

# A file's axis in ours, as turn_vectors_to_y exchanges them; a rotation about a reversed axis changes its sign.
_RENAMED: dict[str, dict[str, tuple[str, float]]] = {
    "y": {"X": ("X", 1.0), "Y": ("Y", 1.0), "Z": ("Z", 1.0)},
    "z": {"X": ("X", 1.0), "Y": ("Z", -1.0), "Z": ("Y", 1.0)},
    "x": {"X": ("Y", 1.0), "Y": ("X", -1.0), "Z": ("Z", 1.0)},
}


@dataclass(frozen=True, eq=False)
class BvhLayout:
    """One BVH file in its own spelling and units.

    names, parents : the joints as the file spells them; ``distinct_names`` makes the names differ.
    channels : the columns.
    offsets, sites : the numbers after OFFSET as printed, and the End Sites.
    rest : (joints, 3) where a joint rests in its parent's frame, in file units: its offset, or the constant that its
        position channels hold.
    moving : the joints, other than the first, that move in their parents' frames.
    relative : whether the position channels add to the offset, for each joint.
    values : (frames, channels) the numbers of the file.
    metres_per_unit, up : how the numbers were understood.
    frame_time, fps : the text after "Frame Time:" and the rate that it means.
    decimals, newline, indent, encoding : how the file is printed.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    channels: Channels
    offsets: tuple[tuple[str, str, str], ...]
    sites: tuple[EndSiteText, ...]
    rest: Floats
    moving: tuple[int, ...]
    relative: tuple[bool, ...]
    values: Floats
    metres_per_unit: float
    up: Up
    frame_time: str
    fps: float
    decimals: int
    newline: str = "\n"
    indent: str = "\t"
    encoding: str = "utf-8"

    def sliced(self, frames: slice) -> BvhLayout:
        """The same record for a part of the clip."""
        return replace(self, values=self.values[frames])

    def fits(self, skeleton: Skeleton) -> bool:
        """Whether a skeleton still has the joints of the file."""
        return skeleton.names == distinct_names(self.names) and tuple(skeleton.parents.tolist()) == self.parents

    def euler_orders(self, skeleton: Skeleton) -> EulerOrders | None:
        """The order of every joint in our axes; a joint with fewer than three channels gets the missing ones last."""
        if not self.fits(skeleton):
            return None
        orders, signs = [], []
        for order in self.channels.orders:
            proper = len(order) == 3 and order[0] == order[2] != order[1]
            complete = order if proper else full_order(order) if is_plain(order) else DEFAULT_ORDER
            renamed = [_RENAMED[self.up][axis] for axis in complete]
            orders.append("".join(letter for letter, _ in renamed))
            signs.append((renamed[0][1], renamed[1][1], renamed[2][1]))
        return tuple(orders), tuple(signs)

    def to_metres(self, vectors: Floats) -> Floats:
        """Vectors in file units and axes, in ours."""
        return turn_vectors_to_y(vectors * self.metres_per_unit, self.up)

    def skeleton(self) -> Skeleton:
        """The joints in metres, Y up."""
        sites = tuple(
            EndSite(site.parent, as_offset(self.to_metres(numbers(site.offset))), site.name or None)
            for site in self.sites
        )
        return Skeleton(distinct_names(self.names), np.array(self.parents), self.to_metres(self.rest), sites)

    def positions(self, joint: int) -> Floats:
        """Positions (frames, 3) of a joint in its parent's frame, in file units."""
        columns = self.channels.position_columns[joint]
        return positions_from_channels(self.values, columns, numbers(self.offsets[joint]), self.relative[joint])

    def motion(self) -> tuple[Floats, Floats, Floats | None]:
        """Root (frames, 3), rotations (frames, joints, 4) and translations as a clip has them."""
        root = self.to_metres(self.positions(0))
        rotations = turn_rotations_to_y(rotations_from_channels(self.values, self.channels), self.up)
        if not self.moving:
            return root, rotations, None
        translations = np.tile(self.to_metres(self.rest), (len(root), 1, 1))
        translations[:, 0] = root
        for joint in self.moving:
            translations[:, joint] = self.to_metres(self.positions(joint))
        return root, rotations, translations


def numbers(texts: tuple[str, str, str]) -> Floats:
    """Three printed numbers."""
    return np.array([float(text) for text in texts])
