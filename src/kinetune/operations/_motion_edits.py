"""Edits of the motion alone: poses that do not belong to it must not leak into the frames around them.

===========  ===================================================================================
edit_motion  the clip with its motion edited; a T-pose or the like at either end stays as it was
edit_joints  the same for an edit of some joints that comes in amounts
take_motion  the motion alone, and how many frames of the clip come before it
mend         the clip with single wrong frames interpolated
===========  ===================================================================================

They report the frames that they mend (:func:`kinetune.operations.base.report_finding`).
"""

from __future__ import annotations

from collections.abc import Callable

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import edit_without_stray, find_motion, interpolate_frames, motion_of
from kinetune.findings import Finding
from kinetune.operations.base import report_finding


def edit_motion(clip: Clip, edit: Callable[[Clip], Clip]) -> Clip:
    """The clip with its motion edited; the edit may change the number of frames but not their rate."""
    edited = edit_without_stray(clip, edit)
    if edited is not clip:
        _report(find_motion(clip).wrong)
    return edited


def edit_joints(
    clip: Clip, joints: str | tuple[str, ...] | None, amount: float, edit: Callable[[Clip, list[int]], Clip]
) -> Clip:
    """The clip with some joints of its motion edited; itself where there are none, or nothing is wanted of it."""
    chosen = list(clip.skeleton.select(joints))
    return clip if amount == 0.0 or not chosen else edit_motion(clip, lambda motion: edit(motion, chosen))


def take_motion(clip: Clip) -> tuple[Clip, int]:
    """The motion alone, and how many frames of the clip come before it."""
    start, _, wrong = find_motion(clip)
    _report(wrong)
    return motion_of(clip), start


def mend(clip: Clip) -> Clip:
    """The clip with single wrong frames interpolated; the clip itself where there are none."""
    wrong = find_motion(clip).wrong
    _report(wrong)
    return interpolate_frames(clip, wrong) if wrong else clip


def _report(frames: tuple[int, ...]) -> None:
    for frame in frames:
        message = "A good part of the body is elsewhere for this one frame; it was interpolated."
        report_finding(Finding("wrong-frame", message, frame=frame, severity="info"))
