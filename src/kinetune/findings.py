"""Findings: what a user should know about a file, a motion or a result, as objects that every surface shows.

Readers collect them in ``clip.source.findings``, the check-up of a motion returns them, operations report them while
they run (``RunResult.findings``), and the command line, ``--json``, batch reports and the studio show these objects.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One thing that a user should know.

    Parameters
    ----------
    kind : str
        A stable name for programs, such as "guessed-unit", "repaired-rows" or "foot-slide".
    message : str
        What was found, one or two sentences.
    override : str, optional
        The option of :func:`kinetune.read` that decides otherwise, such as ``unit="cm"``.
    severity : {"info", "warning", "error"}
        Harmless, worth a look, or wrong.
    frame : int or (int, int), optional
        Where: a frame, or the first and the last one.
    remedy : str, optional
        What to do about it, a sentence; FILE stands for the clip's file.
    joints : tuple of str
        Which joints, where it is about some of them.
    step : mapping, optional
        The operation that mends it, as a step of a recipe: ``{"op": "trim", "drop_t_pose": True}``. Only where that is
        safe: it changes what is wrong and nothing else.
    choices : tuple of str
        What ``override`` can be set to, where the file itself says so: the names of its animations.

    Examples
    --------
    >>> from kinetune.findings import guessed
    >>> finding = guessed("unit", "The file states no unit.")
    >>> finding.kind, finding.severity
    ('guessed-unit', 'info')
    >>> print(Finding("fall", "The character falls.", frame=(12, 40)))
    frames 12-40: The character falls.
    """

    kind: str
    message: str
    override: str | None = None
    severity: Severity = "warning"
    frame: int | tuple[int, int] | None = None
    remedy: str | None = None
    joints: tuple[str, ...] = ()
    step: Mapping[str, Any] | None = field(default=None, hash=False)
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = self.message if self.remedy is None else f"{self.message} {self.remedy}"
        if self.frame is None:
            return text
        first, last = (self.frame, self.frame) if isinstance(self.frame, int) else self.frame
        return f"frame {first}: {text}" if first == last else f"frames {first}-{last}: {text}"

    def as_dict(self) -> dict[str, Any]:
        """The finding as a JSON-ready mapping."""
        frame = list(self.frame) if isinstance(self.frame, tuple) else self.frame
        step = None if self.step is None else dict(self.step)
        fields = {**asdict(replace(self, step=None)), "frame": frame, "joints": list(self.joints), "step": step}
        del fields["choices"]
        return {**fields, "choices": list(self.choices)} if self.choices else fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Finding:
        """The inverse of :meth:`as_dict`."""
        lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        return cls(**{**fields, **lists})

    def moved(self, frames: int) -> Finding:
        """The finding of a part of a clip that begins at a frame, at the frames of the whole."""
        if self.frame is None or frames == 0:
            return self
        first, last = (self.frame, self.frame) if isinstance(self.frame, int) else self.frame
        return replace(self, frame=first + frames if isinstance(self.frame, int) else (first + frames, last + frames))


def guessed(option: str, message: str, choices: tuple[str, ...] = ()) -> Finding:
    """What a file does not say and a reader guessed; ``option`` of :func:`kinetune.read` decides otherwise."""
    return Finding(f"guessed-{option.partition('=')[0]}", message, option, "info", choices=choices)


REFUSED = "physics-refused"
"""The kind of a finding that says that no plausible motion was found and the clip stays as it was."""
FOOTSTEPS_MISSED = "footsteps-missed"
"""The kind of a finding that says that a walk lands far beside a footstep."""
NOT_WRITTEN = (REFUSED, FOOTSTEPS_MISSED)
"""The kinds of findings after which nothing is written, unless forced."""
PARTIAL = "physics-partial"
"""The kind of a finding that says that a motion was corrected in part only, as asked."""


collectors: ContextVar[tuple[list[Any], ...]] = ContextVar("collectors", default=())
"""Lists that hear what is reported while something runs; see :func:`kinetune.operations.base.collecting_results`."""


def report_finding(finding: Finding, *, warn: bool = False) -> None:
    """Hand out something that a user should know about an edit or a file that is written.

    ``warn`` makes it a Python warning where none are collected, as when :func:`kinetune.write` is called itself.
    """
    hearing = collectors.get()
    for results in hearing:
        results.append(finding)
    if warn and not hearing:
        warnings.warn(str(finding), UserWarning, stacklevel=3)
