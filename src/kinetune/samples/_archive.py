"""The data of the samples: ``catalogue.json`` says what each is, ``clips.npz`` holds the numbers.

A clip is an array of bytes, (8, values): byte k of every number, one number after the other, first the root and the
rotations, channel by channel, then the confidence of the contacts. Equal bytes lie side by side that way and compress;
the numbers come back to the bit. Its contacts are bits: 1 a foot stands, 2 on its heel, 4 on its toes.
``python -m tools.samples`` in a checkout writes both files.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.skeleton import EndSite, Skeleton, as_offset
from kinetune.body.source import Source
from kinetune.contours.drawing import Contour, Drawing, Layer

DATA = Path(__file__).parent / "data"


@functools.cache
def catalogue() -> dict[str, Any]:
    """What the samples are: ``clips``, ``steps``, ``skeletons`` and ``drawings``, each by name."""
    return dict(json.loads((DATA / "catalogue.json").read_text(encoding="utf-8")))


def load_clip(name: str, about: dict[str, Any]) -> Clip:
    """A clip by its name and its entry in the catalogue."""
    skeleton = _skeleton(about["skeleton"])
    frames, joints, feet = about["frames"], len(skeleton), len(about["contacts"])
    with np.load(DATA / "clips.npz", allow_pickle=False) as archive:
        planes, bits = archive[name], archive[f"{name}.contacts"]
    values = np.ascontiguousarray(planes.T).view("<f8").reshape(-1, frames).T
    root, rotations, confidence = np.split(values, [3, 3 + 4 * joints], axis=1)
    flags, heels, toes = ((bits & bit).astype(bool) for bit in (1, 2, 4))
    return Clip(
        skeleton=skeleton,
        fps=about["fps"],
        root=np.ascontiguousarray(root),
        rotations=np.ascontiguousarray(rotations).reshape(frames, joints, 4),
        contacts=Contacts(tuple(about["contacts"]), flags, confidence.reshape(frames, feet), heels, toes),
        markers=tuple(Marker(frame, label) for frame, label in about["markers"]),
        source=Source(format=f"sample {name}"),
    )


@functools.cache
def _skeleton(name: str) -> Skeleton:
    about = catalogue()["skeletons"][name]
    return Skeleton(
        tuple(about["names"]),
        np.array(about["parents"]),
        np.array(about["offsets"]),
        tuple(EndSite(parent, as_offset(offset), label) for parent, offset, label in about["end_sites"]),
        np.array(about["rest"]),
    )


def load_drawing(name: str) -> Drawing:
    """A drawing by its name."""
    about = catalogue()["drawings"][name]
    layers = []
    with np.load(DATA / "drawings.npz", allow_pickle=False) as archive:
        for number, style in enumerate(about["layers"]):
            contours = [
                Contour(archive[f"{name}.{number}.{k}"], closed=closed) for k, closed in enumerate(style["closed"])
            ]
            layers.append(Layer(tuple(contours), **{key: value for key, value in style.items() if key != "closed"}))
    return Drawing(tuple(layers), tuple(about["view_box"]), name)
