"""Small moving pictures of clips: a few poses round the liveliest moment, seen from the front and a little aside."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import forward, tips
from kinetune.body.quality.glitches import motion_span
from kinetune.rotations import Floats
from kinetune.studio.documents.origins import Origin, Origins, stamp
from kinetune.studio.protocol.wire import pack

_LOOKED_AT = 60  # frames that are compared to find the liveliest moment
_SECONDS = 3.0
_FPS = 12.0
_MOST = 4_000  # thumbnails in memory, about 10 kB each


class Thumbnails:
    """Thumbnails of clips, each computed once as long as its file stays the same."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._known: dict[tuple[str, int, int], tuple[dict[str, Any], dict[str, Floats]]] = {}
        self._lock = threading.Lock()

    def packed(self, origin: Origin, id: int) -> bytes:
        """The answer to a question for one; raises if the clip cannot be read."""
        key = (origin.place, *stamp(origin))
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = thumbnail(self._origins.clip(origin))
            with self._lock:
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[key] = known
        return pack({"type": "thumbnail", "id": id, **known[0]}, known[1])


def thumbnail(clip: Clip) -> tuple[dict[str, Any], dict[str, Floats]]:
    """What a thumbnail says, and its arrays ``positions`` (poses, joints, 3) and ``tips`` (poses, tips, 3).

    The poses are turned to face the same way at the liveliest moment, and walk on the spot. A T-pose before the motion
    does not count.
    """
    whole = clip
    clip = clip[slice(*motion_span(clip))]
    looked = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), _LOOKED_AT)).round().astype(int))
    seen = _positions(clip, looked)
    steps = np.diff(seen - seen[:, :1], axis=0)
    speeds = np.linalg.norm(steps, axis=-1).mean(axis=1)
    liveliest = int(looked[int(np.argmax(speeds))]) if len(speeds) else 0
    step = max(1, round(clip.fps / _FPS))
    wide = min(len(clip), round(_SECONDS * clip.fps))
    start = min(max(0, liveliest - wide // 2), len(clip) - wide)
    frames = np.arange(start, start + wide, step)
    rest = int(np.argmin(np.abs(frames - liveliest)))
    part = clip[start : start + wide : step]
    positions, ends = part.positions(), tips(part)
    turn = _towards_the_front(clip, positions[rest])
    middle = positions[:, :1] * [1.0, 0.0, 1.0]
    facts = {
        "parents": [int(parent) for parent in clip.skeleton.parents],
        "tip_parents": [site.parent for site in clip.skeleton.end_sites],
        "rest": rest,
        "frames": len(whole),
        "fps": whole.fps,
        "poses_fps": part.fps,
        "height": float(np.ptp(np.concatenate([positions, ends], axis=1)[rest, :, 1])),
    }
    return facts, {"positions": (positions - middle) @ turn, "tips": (ends - middle) @ turn}


def _positions(clip: Clip, frames: np.ndarray) -> Floats:
    translations = None if clip.translations is None else clip.translations[frames]
    return forward(clip.skeleton, clip.root[frames], clip.rotations[frames], translations)[0]


def _towards_the_front(clip: Clip, pose: Floats) -> Floats:
    """The rotation about the vertical, for rows, after which a pose looks along z; none where its sides are unknown."""
    roles = clip.skeleton.roles
    sides = [roles.get(f"{side} upper leg", roles.get(f"{side} upper arm")) for side in ("left", "right")]
    if sides[0] is None or sides[1] is None:
        return np.eye(3)
    across = (pose[sides[0]] - pose[sides[1]]) * [1.0, 0.0, 1.0]
    length = np.linalg.norm(across)
    if length < 1e-6:
        return np.eye(3)
    x, _, z = across / length
    return np.array([[x, 0.0, -z], [0.0, 1.0, 0.0], [z, 0.0, x]])
