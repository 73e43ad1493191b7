"""Where a clip came from: what the file said, what was guessed, and what it takes to write it back as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal, Protocol

from kinetune.body.skeleton import Skeleton
from kinetune.findings import Finding

DEFAULT_ORDER = "ZXY"

EulerOrders = tuple[tuple[str, ...], tuple[tuple[float, float, float], ...]]
"""For each joint the order of its Euler angles in our axes, and the sign with which each angle appears in the file."""


class FileLayout(Protocol):
    """What a format keeps of a file in order to write it back faithfully (channel orders, digits, line ends ...)."""

    def sliced(self, frames: slice) -> FileLayout:
        """The same record for a part of the clip."""
        ...

    def euler_orders(self, skeleton: Skeleton) -> EulerOrders | None:
        """The Euler channels of the file, or None where it has none or the skeleton is no longer the file's."""
        ...


@dataclass(frozen=True)
class Source:
    """The origin of a clip.

    Inside Kinetune a clip is in metres with Y up; ``unit`` and ``up`` say what the file used.

    Parameters
    ----------
    format : str
        Such as "bvh"; "made" for a clip that was not read from a file.
    path : str or None
        The path of the file.
    unit : str
        The unit of its lengths.
    metres_per_unit : float
        The same as a number.
    up : {"x", "y", "z"}
        The axis that points up in the file.
    findings : tuple of Finding
        What was unusual, guessed or repaired.
    layout : FileLayout or None
        What the format needs in order to write the file back as it was.

    Examples
    --------
    >>> from kinetune import read
    >>> read("walk.bvh").source.unit
    'cm'
    """

    format: str = "made"
    path: str | None = None
    unit: str = "m"
    metres_per_unit: float = 1.0
    up: Literal["x", "y", "z"] = "y"
    findings: tuple[Finding, ...] = ()
    layout: FileLayout | None = None

    def __repr__(self) -> str:
        return f"Source({self.summary()})"

    @property
    def name(self) -> str:
        """The name of the sample, or of the file without folder and ending; empty for a clip that was made."""
        if self.format.startswith("sample "):
            return self.format.removeprefix("sample ")
        return PurePath(self.path).stem if self.path else ""

    def summary(self) -> str:
        """A short description of the origin."""
        if self.path is None:
            return self.format
        count = len(self.findings)
        warnings = f", {count} warning{'s' * (count != 1)}" if count else ""
        return f"{PurePath(self.path).name}, {self.unit}, {self.up.upper()} up{warnings}"

    def sliced(self, frames: slice) -> Source:
        """The same origin for a part of the clip."""
        if self.layout is None:
            return self
        return replace(self, layout=self.layout.sliced(frames))

    def euler_orders(self, skeleton: Skeleton) -> EulerOrders:
        """The Euler channels of the file where the skeleton still has its joints; else "ZXY" for every joint."""
        orders = None if self.layout is None else self.layout.euler_orders(skeleton)
        return orders or ((DEFAULT_ORDER,) * len(skeleton), ((1.0, 1.0, 1.0),) * len(skeleton))
