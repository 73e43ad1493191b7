"""How much a file may claim to hold: joints, poses and frames per second, by the bytes that stand behind them.

A few bytes can declare a billion frames, repeat one pose for hours, or unpack to gigabytes. Readers ask here before
they take memory for what a file declares.
"""

from __future__ import annotations

from pathlib import Path

from kinetune.body.clip import FASTEST_FPS, SLOWEST_FPS
from kinetune.errors import MalformedFileError

MOST_JOINTS = 10_000
_POSES = 1_500_000  # 22 joints for 19 minutes at 60 frames per second, however few bytes that takes


def check_joints(path: str | Path, joints: int) -> None:
    """Raise when a file has more joints than anybody's character."""
    if joints > MOST_JOINTS:
        raise MalformedFileError(
            path,
            f"it has {joints:,} joints; at most {MOST_JOINTS:,} are read.",
            advice="Is it really a file of one character? Split it into several files.",
        )


def most_poses(size: int) -> int:
    """Frames times joints that a file of ``size`` bytes may hold.

    In every format a pose that differs from the one before takes a few bytes at least, packed or not.
    """
    return _POSES + size


def check_poses(path: str | Path, frames: float, joints: int, size: int) -> None:
    """Raise when frames times joints are more than a file of ``size`` bytes can hold."""
    if frames * joints > most_poses(size):
        raise MalformedFileError(
            path,
            f"it declares {frames:,.0f} frames of {joints:,} joints, more than {size:,} bytes can hold.",
            advice="Is it damaged? If it is really that long, trim it in the program that wrote it.",
        )


def is_frame_rate(value: float) -> bool:
    """Whether a number can be meant as frames per second; false for NaN."""
    return SLOWEST_FPS <= value <= FASTEST_FPS
