"""Everything that is wrong with a clip, as one list of findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import find_motion
from kinetune.diagnosis._physics_faults import judge
from kinetune.diagnosis.detectors import DETECTORS
from kinetune.diagnosis.pipeline_checks import CHECKS
from kinetune.findings import Finding

_ORDER = {"error": 0, "warning": 1, "info": 2}


def examine_clip(
    clip: Clip, checks: Mapping[str, float] | None = None, *, physics: bool = True
) -> tuple[tuple[Finding, ...], str]:
    """All findings of a clip, the gravest first, and the verdict of physics.

    Parameters
    ----------
    checks : mapping of str to float, optional
        Checks of :data:`kinetune.diagnosis.pipeline_checks.CHECKS` that were asked for, with their limits.
    physics : bool
        Whether physics is judged as well.
    """
    start, stop, _ = find_motion(clip)
    motion = clip if (start, stop) == (0, len(clip)) else clip[start:stop]
    findings = [  # how a file is written is no fault of the motion
        replace(finding, severity="info") if finding.severity == "warning" else finding
        for finding in clip.source.findings
    ]
    for detector in DETECTORS:
        if physics or not detector.physics:
            findings += detector(clip)
    verdict = ""
    if physics:
        judged = judge(motion)
        findings += [finding.moved(start) for finding in judged.findings]
        verdict = judged.verdict
    for name, limit in (checks or {}).items():
        findings += [finding.moved(start) for finding in CHECKS[name](motion, limit)]
    findings.sort(key=lambda finding: _ORDER[finding.severity])
    return tuple(findings), verdict
