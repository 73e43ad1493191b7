"""The verdict of physics on the first seconds of a clip, and what it says about the frame rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from kinetune.body.clip import Clip
from kinetune.diagnosis._pose_faults import first_seconds
from kinetune.diagnosis.reading_faults import find_wrong_size
from kinetune.errors import KinetuneError
from kinetune.findings import Finding

_CLOCK = ("physics-too-fast", "physics-fall", "physics-flight")
_WITH_CLOCK = ("physics-pressure", "physics-jolt", "physics-force", "physics-moment")


class Judged(NamedTuple):
    """The findings of physics, and its verdict; "" where no body can be judged."""

    findings: tuple[Finding, ...]
    verdict: str


_judged: WeakKeyDictionary[Clip, Judged] = WeakKeyDictionary()


def judge(clip: Clip) -> Judged:
    """What physics says about the first seconds; nothing about a clip of another size than people have."""
    known = _judged.get(clip)
    if known is None:
        known = _judged[clip] = _judge(first_seconds(clip))
    return known


def _judge(clip: Clip) -> Judged:
    from kinetune.physics.verdict import judge_motion

    if len(clip) < 3 or any(True for _ in find_wrong_size(clip)):
        return Judged((), "")
    try:
        judged = judge_motion(clip)
    except KinetuneError as error:  # no body can be fitted
        return Judged((Finding("no-physics", str(error), severity="info"),), "")
    return Judged(tuple(judged.reasons), judged.verdict)


def find_wrong_rate(clip: Clip) -> Iterator[Finding]:
    """Gravity is a clock: a motion that plays too fast, and that nothing else is wrong with."""
    findings = judge(clip).findings
    clocks = [finding for finding in findings if finding.kind in _CLOCK]
    if clocks and all(finding.kind in (*_CLOCK, *_WITH_CLOCK) for finding in findings):
        yield Finding(
            "wrong-rate",
            "The motion seems to play at the wrong speed: gravity does not fit it.",
            frame=clocks[0].frame,
            remedy=f"If the file has the wrong frame rate, read it with --fps-in {0.5 * clip.fps:g}.",
        )
