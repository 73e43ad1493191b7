"""The Euler channels of a clip's file: in which order each joint turns, seen in our axes."""

from __future__ import annotations

from kinetune.body.clip import Clip
from kinetune.formats.bvh_channels import full_order, is_plain
from kinetune.formats.bvh_layout import BvhLayout

DEFAULT_ORDER = "ZXY"

# A file's axis in ours, as turn_vectors_to_y exchanges them; a turn about a reversed axis changes its sign.
_RENAMED: dict[str, dict[str, tuple[str, float]]] = {
    "y": {"X": ("X", 1.0), "Y": ("Y", 1.0), "Z": ("Z", 1.0)},
    "z": {"X": ("X", 1.0), "Y": ("Z", -1.0), "Z": ("Y", 1.0)},
    "x": {"X": ("Y", 1.0), "Y": ("X", -1.0), "Z": ("Z", 1.0)},
}


def channel_orders(clip: Clip) -> tuple[tuple[str, ...], tuple[tuple[float, float, float], ...]]:
    """The Euler order of every joint in our axes, and the sign with which each angle stands in the file.

    A clip that comes from a BVH file and still has its joints turns in the file's orders; a joint with fewer than three
    channels gets the missing ones at the end. All others turn in "ZXY".
    """
    layout = clip.source.layout
    count = len(clip.skeleton)
    if not isinstance(layout, BvhLayout) or not layout.fits(clip.skeleton):
        return (DEFAULT_ORDER,) * count, ((1.0, 1.0, 1.0),) * count
    orders, signs = [], []
    for order in layout.channels.orders:
        proper = len(order) == 3 and order[0] == order[2] != order[1]
        known = order if proper else full_order(order) if is_plain(order) else DEFAULT_ORDER
        renamed = [_RENAMED[layout.up][axis] for axis in known]
        orders.append("".join(letter for letter, _ in renamed))
        signs.append((renamed[0][1], renamed[1][1], renamed[2][1]))
    return tuple(orders), tuple(signs)
