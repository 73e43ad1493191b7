"""Kicks, punches and the like: moments at which a hand or foot is thrown and caught again.

===========  =====================================================================
Event        one such moment: when, which limb, how sharp, and while it is aloft
find_events  all of a clip, by the spikes in the acceleration of hands or feet
===========  =====================================================================

[pollard] section 3.2 finds kicks "by looking for acceleration spikes in the data". A step has a spike as well, where
the foot lands; what tells a kick apart is that its foot is high up when it is thrown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth

EventKind = Literal["kick", "punch"]

_LIMBS: dict[str, tuple[str, ...]] = {
    "kick": ("left foot", "right foot"),
    "punch": ("left hand", "right hand"),
}
_CUTOFF_HZ = 12.0
LEAST_SPIKE = 30.0
"""Heights of the character per second squared that a throw has at least; a brisk step has 15."""
GENTLE_SPIKE = 10.0
"""... and a lazy kick, where one is known to be."""
_SHARE_OF_SHARPEST = 0.45
_APART_S = 0.35
_HIGH = 0.17  # of the character's height: where a foot is that does more than step
_ALOFT = 0.08
_DIP_S = 0.06


@dataclass(frozen=True)
class Event:
    """One throw of a limb.

    frame : where the acceleration is largest.
    limb : the role of the hand or foot.
    spike : the acceleration there in m/s^2.
    start, stop : the frames around it during which the limb is aloft, stop excluded.
    """

    frame: int
    limb: str
    spike: float
    start: int
    stop: int


def find_events(clip: Clip, kind: EventKind = "kick", *, least: float = LEAST_SPIKE) -> list[Event]:
    """Every kick or punch of a clip, in order of time.

    Parameters
    ----------
    kind : "kick" looks at feet that are well above the lowest they get, "punch" at hands.
    least : figure heights per second squared that a spike must have. 30 tells kicks from steps; 10 also finds lazy
        ones, and steps with them.

    Notes
    -----
    A spike has at least 0.45 of the sharpest in the clip as well. A foot has one for each time that it is up; hands,
    seen from the hips, one every 0.35 s. Positions are smoothed at 12 Hz first.
    Laws: place, heading and size do not matter (``tests/body/timeline/test_strikes.py``).
    """
    if kind not in _LIMBS:
        raise ParameterError(f'An event is "kick" or "punch", not "{kind}".')
    if len(clip) < 5:
        return []
    size = _size(clip)
    hips = clip.positions()[:, clip.skeleton.roles.get("hips", 0)]
    events: list[Event] = []
    for limb in _LIMBS[kind]:
        joint = clip.skeleton.roles.get(limb)
        if joint is None:
            continue
        track = butterworth(clip.positions()[:, joint], clip.fps, _CUTOFF_HZ)
        seen = track - (hips if kind == "punch" else 0.0)
        spike = np.linalg.norm(_acceleration(np.asarray(seen), clip.fps), axis=1)
        height = track[:, 1] - float(np.percentile(track[:, 1], 5.0))
        if kind == "kick":
            stays = _stays(height >= _ALOFT * size, round(_DIP_S * clip.fps))
            high = [(start, stop) for start, stop in stays if height[start:stop].max() >= _HIGH * size]
            peaks = [(start + int(np.argmax(spike[start:stop])), start, stop) for start, stop in high]
        else:
            peaks = [(frame, 0, len(clip)) for frame in _peaks(spike, round(_APART_S * clip.fps))]
        events += [
            Event(frame, limb, float(spike[frame]), start, stop)
            for frame, start, stop in peaks
            if spike[frame] >= least * size
        ]
    sharpest = max((event.spike for event in events), default=0.0)
    return sorted((e for e in events if e.spike >= _SHARE_OF_SHARPEST * sharpest), key=lambda e: e.frame)


def _size(clip: Clip) -> float:
    """The height of the character in metres."""
    return clip.skeleton.height or 1.0


def _acceleration(track: Floats, fps: float) -> Floats:
    return np.gradient(np.gradient(track, 1.0 / fps, axis=0), 1.0 / fps, axis=0)


def _peaks(values: Floats, apart: int) -> list[int]:
    """Frames whose value is the largest within ``apart`` frames on either side."""
    around = np.lib.stride_tricks.sliding_window_view(np.pad(values, apart, mode="edge"), 2 * apart + 1)
    return np.flatnonzero(values >= around.max(axis=1)).tolist()


def _stays(flags: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """Where flags are set, as (start, stop), gaps of up to ``gap`` frames overlooked."""
    frames = np.flatnonzero(flags)
    if len(frames) == 0:
        return []
    parts = np.split(frames, np.flatnonzero(np.diff(frames) > gap + 1) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts]
