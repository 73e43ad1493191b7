"""What an experiment is: a figure or table of a paper, run again, with the paper's value and ours side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kinetune.contours.drawing import Drawing
    from kinetune.reproduce.own_files import OwnFile

Verdict = Literal["failed", "deviates", "erratum", "better", "same", "left out"]
"""same: as the paper says. better: the same thing, quicker or nearer. deviates: other than the paper, and why.
erratum: the paper is wrong, and how we know. failed: not what we claim, or an error. left out: a file of the user's
that an experiment cannot use, and why. The gravest comes first."""
_WITH_REASON = ("deviates", "erratum", "left out")


@dataclass(frozen=True)
class Value:
    """One line of a comparison.

    what : "mean time of one solve".
    paper : what the paper says, in its own numbers; "shown" for a picture without numbers.
    ours : what came out now.
    note : why it deviates, how an erratum shows, or why a file was left out; needed for those.
    files : which of the user's files it is about.
    """

    what: str
    paper: str
    ours: str
    verdict: Verdict
    note: str = ""
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.verdict in _WITH_REASON and not self.note:
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
        verdicts = {value.verdict for value in self.values}
        return next((verdict for verdict in get_args(Verdict) if verdict in verdicts), "same")


@dataclass(frozen=True)
class Context:
    """Where an experiment runs.

    folder : where its pictures go.
    files : the user's files.
    quick : fewer repetitions, for a test that wants the verdicts and not the precision.
    """

    folder: Path
    files: tuple[OwnFile, ...] = ()
    quick: bool = False
    _names: set[str] = field(default_factory=set, compare=False, repr=False)

    def save(self, figure: Figure, name: str, caption: str = "") -> Picture:
        """Write a figure as PNG under a name of its own and close it."""
        from kinetune.figures import save

        path = self._free(name, ".png")
        save(figure, path)
        _lighten(path)
        return Picture(path, caption)

    def film(self, frames: Sequence[Drawing], name: str, caption: str = "", fps: float = 12.0) -> Picture:
        """Write drawings as a GIF."""
        from kinetune.figures.drawings.drawing_files import write_drawing

        path = self._free(name, ".gif")
        write_drawing(frames, path, fps=fps)
        return Picture(path, caption)

    def strip(self, frames: Sequence[Drawing], name: str, caption: str = "", columns: int | None = None) -> Picture:
        """Write drawings as a PNG, side by side in rows."""
        from kinetune.figures.drawings.drawing_files import write_drawing

        path = self._free(name, ".png")
        write_drawing(frames, path, height=110, columns=columns)
        _lighten(path)
        return Picture(path, caption)

    def _free(self, name: str, suffix: str) -> Path:
        if name in self._names:
            raise ValueError(f"two pictures are called {name!r}")
        self._names.add(name)
        return self.folder / f"{name}{suffix}"


def _lighten(path: Path) -> None:
    """Keep 255 colours of a picture, which is a third of its size and looks the same."""
    from PIL import Image

    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(255, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


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
    run_files : runs what can be run of it on the user's files.
    """

    name: str
    title: str
    authors: str
    where: str
    experiments: tuple[Experiment, ...]
    run_files: Callable[[Context], Result] | None = None


def off(error: float, unit: str = "", digits: int = 0) -> str:
    """How far off something is, as text: "off by 2e-16 mm", or "exact"."""
    return f"off by {error:.{digits}e}{unit}" if error else "exact"


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
