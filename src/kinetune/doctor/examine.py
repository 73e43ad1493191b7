"""The examination of a file: what is wrong with its motion, or why it cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinetune.diagnosis.examination import examine_clip
from kinetune.errors import KinetuneError
from kinetune.findings import Finding


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
