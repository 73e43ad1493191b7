"""What an experiment is: a figure or table of a paper, run again, with the paper's value and ours side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kinetune.body.clip import Clip
    from kinetune.contours.drawing import Drawing

Verdict = Literal["same", "better", "deviates", "erratum", "failed"]
"""same: as the paper says. better: the same thing, quicker or nearer. deviates: other than the paper, and why.
erratum: the paper is wrong, and how we know. failed: not what we claim, or an error."""


@dataclass(frozen=True)
class Value:
    """One line of a comparison.

    what : "mean time of one solve".
    paper : what the paper says, in its own numbers; "shown" for a picture without numbers.
    ours : what came out now.
    note : why it deviates, or how an erratum shows; needed for both.
    """

    what: str
    paper: str
    ours: str
    verdict: Verdict
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict in ("deviates", "erratum") and not self.note:
            raise ValueError(f"{self.what}: a verdict of {self.verdict!r} needs a note that says why")


@dataclass(frozen=True)
class Picture:
    """A picture that was saved, with a line to read below it."""

    path: Path
    caption: str = ""


@dataclass(frozen=True)
class Result:
    """What an experiment gave."""

    values: tuple[Value, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The gravest of its values."""
        gravity: Sequence[Verdict] = ("failed", "deviates", "erratum", "better", "same")
        found = {value.verdict for value in self.values}
        return next((verdict for verdict in gravity if verdict in found), "same")


@dataclass(frozen=True)
class Context:
    """Where an experiment runs.

    folder : where its pictures go.
    clips : the user's own clips, to be used beside ours where an experiment can.
    quick : fewer repetitions, for a test that wants the verdicts and not the precision.
    """

    folder: Path
    clips: tuple[Clip, ...] = ()
    quick: bool = False
    _names: set[str] = field(default_factory=set, compare=False, repr=False)

    def save(self, figure: Figure, name: str, caption: str = "") -> Picture:
        """Write a figure as PNG under a name of its own and close it."""
        from kinetune.figures import save

        path = self._free(name, ".png")
        save(figure, path)
        return Picture(path, caption)

    def film(self, frames: Sequence[Drawing], name: str, caption: str = "", fps: float = 12.0) -> Picture:
        """Write drawings as a GIF."""
        from kinetune.figures.drawing_figures import write_drawing

        path = self._free(name, ".gif")
        write_drawing(frames, path, fps=fps)
        return Picture(path, caption)

    def strip(self, frames: Sequence[Drawing], name: str, caption: str = "", columns: int | None = None) -> Picture:
        """Write drawings as a PNG, side by side in rows."""
        from kinetune.figures.drawing_figures import write_drawing

        path = self._free(name, ".png")
        write_drawing(frames, path, height=110, columns=columns)
        return Picture(path, caption)

    def _free(self, name: str, suffix: str) -> Path:
        if name in self._names:
            raise ValueError(f"two pictures are called {name!r}")
        self._names.add(name)
        return self.folder / f"{name}{suffix}"


@dataclass(frozen=True)
class Experiment:
    """A figure, table or claim of a paper.

    label : "Figure 6", "Table 1", "Section 4.2": as the paper calls it.
    title : what it shows.
    run : does it again.
    """

    label: str
    title: str
    run: Callable[[Context], Result]


@dataclass(frozen=True)
class Paper:
    """A paper and all that is run again of it.

    name : what it is called on the command line.
    """

    name: str
    title: str
    authors: str
    where: str
    experiments: tuple[Experiment, ...]


def same(what: str, paper: str, ours: str, holds: bool) -> Value:
    """A value that is as the paper says, or has failed."""
    return Value(what, paper, ours, "same" if holds else "failed")


def erratum(what: str, paper: str, ours: str, shown: bool, note: str) -> Value:
    """A value where the paper is wrong, if our reckoning shows it."""
    return Value(what, paper, ours, "erratum" if shown else "failed", note)


def deviation(what: str, paper: str, ours: str, shown: bool, note: str) -> Value:
    """A value where ours is another, if it is so as the note says."""
    return Value(what, paper, ours, "deviates" if shown else "failed", note)


def canvas(width_in: float, height_in: float) -> Figure:
    """An empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width_in, height_in), layout="constrained")
