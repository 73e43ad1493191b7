"""BVH text from a clip: the file that was read wherever the clip still holds it, else a plain one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.formats.bvh.channels import Channels
from kinetune.formats.bvh.columns import ORDER, POSITIONS, Columns, offset_texts, print_vector, rotation_names
from kinetune.formats.bvh.header import SiteText
from kinetune.formats.bvh.layout import BvhLayout, numbers
from kinetune.formats.guess.guessing import Up, turn_vectors_from_y
from kinetune.formats.text.frame_time import frame_time_text, rate_of
from kinetune.formats.text.number_text import print_numbers

DECIMALS = 6
CENTIMETRE = 0.01


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a BVH file.

    A clip that was read from BVH keeps its channels, units, axes, offsets, End Sites, digits and line ends; a number
    whose motion is unchanged is printed as it was. A joint that an edit turns about or moves along more axes than it
    has channels for gets the missing ones. Any other clip is written in centimetres with Y up, six digits, the order
    ZXY, six channels for the root and for joints that move in their parents' frames, three for the others.
    """
    layout = clip.source.layout
    if isinstance(layout, BvhLayout) and layout.fits(clip.skeleton):
        kept = len(layout.values) == len(clip)
        sites = _sites(clip, layout)
    else:
        layout, kept = plain_layout(clip), False
        sites = layout.sites
    columns = Columns(clip, layout, kept)
    channels = columns.channels
    order = file_order(layout.parents)
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


def plain_layout(clip: Clip) -> BvhLayout:
    """How a clip is written that has no file to be faithful to."""
    skeleton = clip.skeleton
    from_bvh = clip.source.format == "bvh"
    metres = clip.source.metres_per_unit if from_bvh else CENTIMETRE
    up: Up = clip.source.up if from_bvh else "y"
    turning = rotation_names(ORDER)
    names = tuple(
        re.sub(r"[\x00-\x1f{}]+", "_", name).strip() or f"joint{joint}" for joint, name in enumerate(skeleton.names)
    )
    return BvhLayout(
        names=names,
        parents=tuple(skeleton.parents.tolist()),
        channels=Channels(((*POSITIONS, *turning), *((turning,) * (len(skeleton) - 1)))),
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


def _plain_sites(skeleton: Skeleton, metres: float, up: Up) -> tuple[SiteText, ...]:
    """The End Sites of a skeleton; a joint that ends without one gets one of no length, since many readers want it."""
    count = len(skeleton)
    sites = [
        SiteText(s.parent, count, "End Site", "", print_vector(np.array(s.offset), metres, up))
        for s in skeleton.end_sites
    ]
    ended = {site.parent for site in sites}
    none = print_vector(np.zeros(3), metres, up)
    open_ends = [j for j, children in enumerate(skeleton.children) if not children and j not in ended]
    return (*sites, *(SiteText(j, count, "End Site", "", none) for j in open_ends))


def _sites(clip: Clip, layout: BvhLayout) -> tuple[SiteText, ...]:
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


def file_order(parents: tuple[int, ...]) -> list[int]:
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


def _hierarchy(clip: Clip, layout: BvhLayout, channels: Channels, sites: tuple[SiteText, ...]) -> Iterator[str]:
    """The lines of the hierarchy, without recursion: some are thousands of joints deep."""
    below: dict[int, list[tuple[int, int, int, int | SiteText]]] = {}  # sort keys and what they stand for
    for joint, parent in enumerate(layout.parents):
        below.setdefault(parent, []).append((joint, 1, 0, joint))
    for number, site in enumerate(sites):
        below.setdefault(site.parent, []).append((site.place, 0, number, site))
    for items in below.values():
        items.sort(key=lambda item: item[:3], reverse=True)
    waiting: list[tuple[int, int | SiteText | None]] = [(0, item) for *_, item in below[-1]]
    while waiting:
        depth, item = waiting.pop()
        outer, inner = layout.indent * depth, layout.indent * (depth + 1)
        if item is None:
            yield f"{outer}}}"
        elif isinstance(item, SiteText):
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
    rate, doubts = rate_of(layout.frame_time)
    return layout.frame_time if not doubts and rate == clip.fps else frame_time_text(clip.fps)
