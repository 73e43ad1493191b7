"""Everything that is wrong with a motion, as one list of findings.

==============  ================================================================================
examine_clip    the findings of a clip: reader, check-up, faults of recording, spikes, physics
examine_file    the same for a file, with what it holds; a file that cannot be read is a finding too
Examination     the result for one file
CHECKS          the checks beyond those, which a pipeline asks for: loop, root drift, gait
==============  ================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.checkup import check_up
from kinetune.body.quality.glitches import find_jumps, find_motion
from kinetune.body.quality.measures import measure, measure_seam
from kinetune.body.quality.recording_faults import (
    find_held_frames,
    find_stretching,
    find_swapped_sides,
    find_wrong_size,
    find_wrong_up,
)
from kinetune.body.quality.spikes import find_spikes
from kinetune.body.root_motion import travelling_joint
from kinetune.errors import KinetuneError
from kinetune.findings import Finding
from kinetune.signals.flag_ranges import true_ranges

LONGEST_S = 20.0
"""Physics and spikes are looked for in this much of a clip."""
_ORDER = {"error": 0, "warning": 1, "info": 2}
_MANY_SPIKES = 6
_SEEN_DEG = 35.0
_GRAVE_DEG = 60.0
_GRAVE_MM = 100.0
_CLOCK = ("physics-too-fast", "physics-fall", "physics-flight")
_WITH_CLOCK = ("physics-pressure", "physics-force", "physics-moment", "physics-balance", "physics-joint-speed")


@dataclass(frozen=True)
class Examination:
    """What was found in one file.

    Parameters
    ----------
    file : str
        As it was named.
    findings : tuple of Finding
        The gravest first.
    verdict : str
        Of physics: "plausible", "doubtful", "impossible", or "" where it was not judged.
    frames, fps : int, float
        Of the clip; zero where it could not be read.
    """

    file: str
    findings: tuple[Finding, ...]
    verdict: str = ""
    frames: int = 0
    fps: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "file": self.file,
            "frames": self.frames,
            "fps": self.fps,
            "verdict": self.verdict,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def examine_file(
    file: str,
    checks: Mapping[str, float] | None = None,
    *,
    physics: bool = True,
    reading: Mapping[str, Any] | None = None,
) -> Examination:
    """Examine a file; one that cannot be read gets a finding "unreadable"."""
    from kinetune.recipes import open_clip

    try:
        clip = open_clip(file, **dict(reading or {}))
    except KinetuneError as error:
        return Examination(file, (Finding("unreadable", str(error), severity="error"),))
    findings, verdict = examine_clip(clip, checks, physics=physics)
    return Examination(file, findings, verdict, len(clip), clip.fps)


def examine_clip(
    clip: Clip, checks: Mapping[str, float] | None = None, *, physics: bool = True
) -> tuple[tuple[Finding, ...], str]:
    """All findings of a clip, the gravest first, and the verdict of physics.

    Parameters
    ----------
    checks : mapping of str to float, optional
        Checks of :data:`CHECKS` that were asked for, with their limits.
    physics : bool
        Whether physics is judged as well.
    """
    start, stop, _ = find_motion(clip)
    motion = clip[start:stop]
    part = motion[: round(LONGEST_S * clip.fps)]
    notes = [
        replace(finding, severity="info") if finding.severity == "warning" else finding
        for finding in clip.source.findings
    ]
    findings = [*notes, *_graded(check_up(clip), motion)]  # how a file is written is no fault of the motion
    for find in (find_wrong_up, find_swapped_sides, find_wrong_size, find_held_frames, find_stretching):
        findings += [_moved(finding, start) for finding in find(motion)]
    kinds = {finding.kind for finding in findings if finding.severity != "info"}
    if "flips" not in kinds and len(part) > 8:
        findings += _spikes(part, start)
    verdict = ""
    if physics and len(part) >= 3 and not kinds & {"wrong-unit", "unusual-size"}:
        judged, verdict = _judged(part)
        findings += [_moved(finding, start) for finding in judged]
    for name, limit in (checks or {}).items():
        findings += [_moved(finding, start) for finding in CHECKS[name](motion, limit)]
    findings.sort(key=lambda finding: _ORDER[finding.severity])
    return tuple(findings), verdict


def _moved(finding: Finding, frames: int) -> Finding:
    """A finding of a part of a clip at the frames of the whole."""

    if finding.frame is None or frames == 0:
        return finding
    frame = (
        finding.frame + frames
        if isinstance(finding.frame, int)
        else (finding.frame[0] + frames, finding.frame[1] + frames)
    )
    return replace(finding, frame=frame)


def _graded(findings: Sequence[Finding], motion: Clip) -> Iterator[Finding]:
    """The findings of a check-up; what most captures have a little of is worth knowing, and no warning."""
    kinds = {finding.kind for finding in findings}
    mild = set()
    if "flips" in kinds:
        names = {motion.skeleton.names[joint] for joint in _major_joints(motion)}
        if not any(jump.degrees > _GRAVE_DEG and jump.joint in names for jump in find_jumps(motion)):
            mild.add("flips")
    if kinds & {"foot-slide", "below-floor"}:
        measured = measure(motion)
        for kind, name in (("foot-slide", "foot_slide_mm"), ("below-floor", "penetration_mm")):
            if (measured[name] or 0.0) < _GRAVE_MM:
                mild.add(kind)
    for finding in findings:
        yield replace(finding, severity="info") if finding.kind in mild else finding


def _major_joints(clip: Clip) -> set[int]:
    """The joints of trunk, head and limbs; fingers and toes of captures jump all the time."""
    return {joint for role, joint in clip.skeleton.roles.items() if "toes" not in role}


def _spikes(clip: Clip, first: int) -> list[Finding]:
    """Spikes that are seen; smaller ones are noise that denoising bridges."""
    spikes = find_spikes(clip)
    frames = []
    for joint in sorted(_major_joints(clip) & set(np.flatnonzero(spikes.turned.any(axis=0)).tolist())):
        for start, stop in true_ranges(spikes.turned[:, joint]):
            turns = clip.rotations[:, joint]
            ends = turns[[max(0, start - 1), min(len(clip) - 1, stop)]]
            inside = turns[start:stop, None]
            off = rot.angle_between(np.broadcast_to(inside, (stop - start, 2, 4)), ends[None])
            if float(np.rad2deg(off.min(axis=1).max())) > _SEEN_DEG:
                frames.append(start + first)
    if not frames:
        return []
    listed = ", ".join(str(frame) for frame in sorted(set(frames))[:_MANY_SPIKES])
    more = " and more" if len(set(frames)) > _MANY_SPIKES else ""
    times = "once" if len(frames) == 1 else f"{len(frames)} times"
    text = f"Joints are elsewhere for a few frames and come back, {times}: from frame {listed}{more}."
    return [Finding("spike", text, frame=min(frames), remedy="Take them out with: kinetune denoise FILE -o OUT")]


def _judged(clip: Clip) -> tuple[list[Finding], str]:
    from kinetune.physics.verdict import judge_motion

    try:
        judged = judge_motion(clip)
    except KinetuneError as error:  # no body can be fitted
        return [Finding("no-physics", str(error), severity="info")], ""
    findings = list(judged.reasons)
    clocks = [reason for reason in findings if reason.kind in _CLOCK]
    if clocks and all(
        reason.kind in (*_CLOCK, "physics-pressure", "physics-force", "physics-moment") for reason in findings
    ):
        findings.append(
            Finding(
                "wrong-rate",
                "The motion seems to play at the wrong speed: gravity does not fit it.",
                frame=clocks[0].frame,
                remedy=f"If the file has the wrong frame rate, read it with --fps-in {0.5 * clip.fps:g}.",
            )
        )
    return findings, judged.verdict


# --- checks that a pipeline asks for


def _loop_seam(clip: Clip, limit_mm: float) -> Iterator[Finding]:
    seam = measure_seam(clip)
    if seam is not None and seam["pose_mm"] > limit_mm:
        yield Finding(
            "loop-seam",
            f"The clip does not loop: joints jump by {seam['pose_mm']:.0f} mm from its end to its start.",
            frame=len(clip) - 1,
            remedy="Close it with: kinetune loop FILE -o OUT",
        )


def _root_drift(clip: Clip, limit_m: float) -> Iterator[Finding]:
    path = clip.positions()[:, travelling_joint(clip)][:, [0, 2]]
    drift = float(np.linalg.norm(path[-1] - path[0]))
    if drift > limit_m:
        yield Finding(
            "root-drift",
            f"The root ends {drift:.2f} m from where it started.",
            frame=len(clip) - 1,
            remedy="Keep it on the spot with: kinetune in-place FILE -o OUT",
        )


def _gait_phase(clip: Clip, limit: float) -> Iterator[Finding]:
    """How far the second foot's contacts are from the middle of the first one's cycle, as a share of it."""
    from kinetune.body.feet.contacts import find_contacts

    contacts = find_contacts(clip)
    if len(contacts.joints) < 2:
        return
    starts = [np.array([start for start, _ in contacts.intervals(side) if start > 0]) for side in (0, 1)]
    if any(len(own) < 2 for own in starts):
        return
    cycle = float(np.median(np.diff(starts[0])))
    later = [
        float((starts[1] - start)[starts[1] > start][0]) / cycle for start in starts[0] if (starts[1] > start).any()
    ]
    off = abs(float(np.median(later)) - 0.5)
    if off > limit:
        yield Finding(
            "gait-phase",
            f"The gait limps: the second foot lands {off:.0%} of a cycle off the middle.",
            frame=int(starts[0][0]),
        )


CHECKS = {"loop_seam_mm": _loop_seam, "root_drift_m": _root_drift, "gait_phase": _gait_phase}
"""The checks that a limits file asks for, by the name of their limit."""
