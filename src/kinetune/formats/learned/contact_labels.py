"""Contacts from the labels that generated motion carries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.body.feet.contacts import Contacts
from kinetune.body.skeleton import Skeleton


def contacts_from_labels(skeleton: Skeleton, labels: NDArray[Any]) -> Contacts | None:
    """Contacts from labels (frames, 4): left ankle, left toes, right ankle, right toes."""
    feet = [skeleton.roles.get(f"{side} foot") for side in ("left", "right")]
    if None in feet:
        return None
    stands = np.asarray(labels) > 0.5
    heels, toes = stands[:, [0, 2]], stands[:, [1, 3]]
    joints = tuple(skeleton.names[foot] for foot in feet if foot is not None)
    return Contacts(joints, heels | toes, heels=heels, toes=toes, sides=("left", "right"))
