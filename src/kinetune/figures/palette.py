"""The look of every picture: grey is the original, persimmon is what an edit changed, left is blue, right yellow.

The colours are those of the studio's light theme, so that plots and studio look alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from kinetune.extras import require

require("figures")


if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#16181b"
LABEL = "#474d56"
HAIRLINE = "#dfe2e6"
PAPER = "#ffffff"
WELL = "#e9ebee"
GHOST = "#737b86"
EDITED = "#b93d0b"
EDITED_FILL = "#ee6a35"
LEFT = "#1f78c8"
RIGHT = "#b98f00"
GOOD = "#0b7060"
BAD = "#bb1c45"
HEAT = ("#f2f3f5", "#d5d9de", "#a4acb7", "#59616d")

_STYLE: Any = {
    "font.size": 8,
    "font.family": "sans-serif",
    "axes.edgecolor": HAIRLINE,
    "axes.labelcolor": LABEL,
    "axes.titlecolor": INK,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": HAIRLINE,
    "grid.linewidth": 0.6,
    "xtick.color": LABEL,
    "ytick.color": LABEL,
    "xtick.labelcolor": LABEL,
    "ytick.labelcolor": LABEL,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "figure.facecolor": PAPER,
    "figure.dpi": 110,
    "savefig.dpi": 160,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in the house style; matplotlib's settings are restored afterwards."""
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield


@contextmanager
def new_figure(width: float, height: float, title: str | None = None, **title_style: Any) -> Iterator[Figure]:
    """A figure in the house style, sizes in inches, to draw on inside; the title stands at its top left."""
    with style():
        figure: Figure = _figure_class()(figsize=(width, height))
        figure.set_layout_engine("constrained")
        if title is not None:
            figure.suptitle(title, x=0.01, ha="left", fontsize=10, **title_style)
        yield figure


@cache
def _figure_class() -> Any:
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        """A figure that shows itself in a notebook, whether or not the notebook has switched plots on."""

        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png", dpi=110)
            return picture.getvalue()

    return NotebookFigure
