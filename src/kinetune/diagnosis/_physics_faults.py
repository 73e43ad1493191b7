"""The verdict of physics on the first seconds of a clip, and what it says about the frame rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from kinetune.body.clip import Clip
from kinetune.diagnosis._pose_faults import first_seconds
from kinetune.diagnosis.reading_faults import find_wrong_size, is_usual_rate
from kinetune.errors import KinetuneError
from kinetune.findings import Finding

_CLOCK = ("physics-too-fast", "physics-fall", "physics-flight")
_BALANCE = ("physics-balance", "physics-balance-at-rest")
_CERTAIN = 6.6  # of "too-fast", twice its threshold; captures reach 3, and at double speed 3 to 40
_WITH_CLOCK = ("physics-pressure", "physics-jolt", "physics-force", "physics-moment")


class Judged(NamedTuple):
    """The findings of physics, its verdict ("" where no body can be judged), and the value of each test."""

    findings: tuple[Finding, ...]
    verdict: str
    values: Mapping[str, float]


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
        return Judged((), "", {})
    try:
        judged = judge_motion(clip)
    except KinetuneError as error:  # no body can be fitted
        return Judged((Finding("no-physics", str(error), severity="info"),), "", {})
    return Judged(tuple(judged.reasons), judged.verdict, judged.values)


def find_wrong_rate(clip: Clip) -> Iterator[Finding]:
    """Gravity is a clock: a motion that plays too fast, and that nothing else is wrong with.

    The step that mends it is given where the feet could carry the motion at half the speed, far better than as it is
    and with nothing left to complain about, and where that rate is a usual one. Everything else may be a lively motion.
    """
    judged = judge(clip)
    clocks = [finding for finding in judged.findings if finding.kind in _CLOCK]
    if not clocks:
        return
    half = 0.5 * clip.fps
    fits = not judge(clip.replace(fps=half)).findings
    of_speed = (*_CLOCK, *_WITH_CLOCK, *(_BALANCE if fits else ()))
    if all(finding.kind in of_speed for finding in judged.findings):
        certain = fits and is_usual_rate(half) and judged.values.get("too-fast", 0.0) > _CERTAIN
        yield Finding(
            "wrong-rate",
            f"The motion {'plays at twice its speed' if certain else 'seems to play at the wrong speed'}: gravity does "
            "not fit it.",
            frame=clocks[0].frame,
            remedy=f"If the file has the wrong frame rate, read it with --fps-in {half:g}.",
            step={"op": "reinterpret", "fps": half} if certain else None,
        )
