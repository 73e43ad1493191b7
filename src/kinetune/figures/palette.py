"""The colours of every picture: grey is the original, persimmon is what an edit changed, left is blue, right yellow.

They are those of the studio's light theme, so that a plot in the documents and the page look alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
    """Draw in the house style; matplotlib's own settings come back afterwards."""
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield
