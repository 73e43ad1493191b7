"""A figure that stands and is alive: it sways a little, breathes, and lets its arms hang."""

from __future__ import annotations

import numpy as np
from tools.samples.acting import Acting, Arm, Foot, Turn
from tools.samples.curves import breath, drift
from tools.samples.feet import roll_foot
from tools.samples.figure import ANKLE_HEIGHT, HIP_HALF_WIDTH, SHANK, SIDES, THIGH, side_sign

from kinetune import rotations as rot
from kinetune.rotations import Floats

_KNEE = np.radians(6.0)


def standing_height(apart: float) -> float:
    """How high the hips are when both knees are bent a little and the feet are ``apart`` metres from the midline."""
    leg = (THIGH + SHANK) * np.cos(0.5 * _KNEE)
    return float(ANKLE_HEIGHT + np.sqrt(leg**2 - (apart - HIP_HALF_WIDTH) ** 2))


def flat_foot(frames: int, x: float, z: float, yaw: float, pitch: Floats | None = None) -> Foot:
    """A foot that stays where it is; it may tap with its heel or toes."""
    rolled = np.zeros(frames) if pitch is None else pitch
    ankle, toes = roll_foot(np.array([x, 0.0, z]), yaw, rolled)
    return Foot(ankle, yaw, rolled, toes=toes, planted=np.ones(frames, dtype=bool))


def stand(times: Floats, fps: float, seed: int, apart: float = 0.105, toe_out: float = 9.0) -> Acting:
    """A figure that stands at the origin and looks along +Z.

    Parameters
    ----------
    apart : metres from the midline to each foot.
    """
    frames = len(times)
    air = breath(times, 0.24, 0.1 * seed)
    sway_x, sway_z = 0.004 * drift(times, seed), 0.004 * drift(times, seed + 1)
    hips = np.stack([sway_x, standing_height(apart) - 0.0008 * drift(times, seed + 2) - 0.002, 0.026 + sway_z], axis=-1)
    arms = [_hanging(times, air, seed + k) for k in (3, 4)]
    feet = [flat_foot(frames, side_sign(side) * apart, 0.0, side_sign(side) * toe_out) for side in SIDES]
    return Acting(
        fps,
        hips,
        left_foot=feet[0],
        right_foot=feet[1],
        pelvis=Turn(yaw=0.5 * drift(times, seed + 5), pitch=4.0, roll=60.0 * sway_x),
        chest=Turn(
            yaw=0.8 * drift(times - 0.1, seed + 5),
            pitch=1.0 - 1.4 * air + 0.4 * drift(times, seed + 6),
            roll=-40.0 * sway_x,
        ),
        head=Turn(
            yaw=1.4 * drift(times, seed + 7, 0.1, 0.35),
            pitch=4.0 + 1.0 * drift(times, seed + 8, 0.1, 0.3) - 0.4 * air,
            roll=0.7 * drift(times, seed + 9, 0.1, 0.3),
        ),
        left_arm=arms[0],
        right_arm=arms[1],
    )


def _hanging(times: Floats, air: Floats, seed: int) -> Arm:
    return Arm(
        flexion=3.0 + 0.8 * drift(times, seed, 0.15, 0.4),
        abduction=7.0 + 0.8 * air,
        rotation=12.0,
        elbow=17.0 + 1.0 * drift(times - 0.1, seed, 0.15, 0.4),
        pronation=22.0,
        wrist=9.0 + 1.0 * drift(times - 0.2, seed, 0.15, 0.4),
        elevation=1.2 * air,
    )


def grip(side: str, fingers: Floats, palm: Floats) -> Floats:
    """The world rotation (..., 4) of a hand whose fingers and palm point in given directions.

    Parameters
    ----------
    fingers, palm : (..., 3), broadcast against each other; the palm's direction is straightened to a right angle.
    """
    f, p = np.broadcast_arrays(np.asarray(fingers, dtype=float), np.asarray(palm, dtype=float))
    f = f / np.linalg.norm(f, axis=-1, keepdims=True)
    p = p - np.sum(p * f, axis=-1, keepdims=True) * f
    p = p / np.linalg.norm(p, axis=-1, keepdims=True)
    along = side_sign(side) * f
    return rot.from_matrix(np.stack([along, -p, np.cross(along, -p)], axis=-1))
