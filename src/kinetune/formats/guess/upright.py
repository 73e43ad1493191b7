"""Setting figures upright: which way they stand, and how a figure turns whose joints have frames of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.body.roles.from_names import read_name
from kinetune.formats.guess.guessing import Up, turn_vectors_to_y
from kinetune.rotations import Floats

_HALF = np.sqrt(0.5)
_TURNS = {"y": (1.0, 0.0, 0.0, 0.0), "z": (_HALF, -_HALF, 0.0, 0.0), "x": (_HALF, 0.0, 0.0, _HALF)}


def world_turn(up: Up) -> Floats:
    """The rotation that brings a world with that axis up into ours, as ``turn_vectors_to_y`` does for vectors."""
    return np.array(_TURNS[up])


def stand(positions: Floats, rotations: Floats, up: Up) -> tuple[Floats, Floats]:
    """World positions (..., 3) and rotations (..., 4) of root joints in our world."""
    if up == "y":
        return positions, rotations
    return turn_vectors_to_y(positions, up), rot.multiply(world_turn(up), rotations)


def head_over_feet(names: Sequence[str], places: Floats) -> Floats | None:
    """From the feet (or else the hips) to the head (or else the neck), by joint names; None when names do not tell.

    Parameters
    ----------
    names : of the joints.
    places : (..., joints, 3); the mean is taken over all but the last two axes.
    """
    mean = places.reshape(-1, len(names), 3).mean(axis=0)
    found: dict[str | None, list[int]] = {}
    for joint, name in enumerate(names):
        found.setdefault(read_name(name).kind, []).append(joint)
    high = found.get("head") or found.get("neck")
    low = found.get("foot") or found.get("ankle") or found.get("hips") or found.get("root")
    return None if not high or not low else np.asarray(mean[high].mean(axis=0) - mean[low].mean(axis=0))
