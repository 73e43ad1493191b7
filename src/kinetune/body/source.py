"""Where a clip came from: what the file said, what was guessed, and what it takes to write it back as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    format : such as "bvh"; "made" for a clip that was not read.
    path : of the file.
    unit, metres_per_unit : of its lengths.
    up : the axis that points up in it.
    findings : what was odd, guessed or repaired.
    layout : what its format needs in order to write it back as it was.

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

    def sliced(self, frames: slice) -> Source:
        """The same origin for a part of the clip."""
        if self.layout is None:
            return self
        return replace(self, layout=self.layout.sliced(frames))

    def euler_orders(self, skeleton: Skeleton) -> EulerOrders:
        """The Euler channels of the file where the skeleton still has its joints; else "ZXY" for every joint."""
        orders = None if self.layout is None else self.layout.euler_orders(skeleton)
        return orders or ((DEFAULT_ORDER,) * len(skeleton), ((1.0, 1.0, 1.0),) * len(skeleton))
