"""Pictures of clips: strips of stick figures, curves, films.

==================  ============================================================
draw_strip          a motion as a row of stick figures
draw_curves         channels over time, before and after
draw_bands          frequency bands with their gains as faders
draw_shaping        a shaping curve, and a signal before and after
draw_displacement   a displacement map, step by step
draw_walk           footprints from above, and stick figures
draw_reach          phases of a reach, with its target
draw_reach_map      where a set of examples reaches
draw_reach_errors   how far blends miss targets on spheres
draw_warp           which frames of two motions belong together, over their distances
draw_warped_curves  a joint of both motions before and after the warp
draw_report         the physics report card at a glance
draw_forces         horizontal against vertical force, with the friction line
draw_force_strip    a strip of poses with arrows for the forces on the feet
draw_body           the physical body over its skeleton
channel             one number of a joint over time, to draw
write_film          an animated GIF
save                a figure to a PNG, SVG or PDF file
==================  ============================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kinetune.errors import UnknownFormatError
from kinetune.figures.motion.bands_figure import draw_bands
from kinetune.figures.motion.curve_plot import draw_curves
from kinetune.figures.motion.displacement_figure import draw_displacement
from kinetune.figures.motion.film import write_film
from kinetune.figures.motion.joint_channel import channel
from kinetune.figures.motion.shaping_figure import draw_shaping
from kinetune.figures.motion.strip import draw_strip
from kinetune.figures.motion.warp_figure import draw_warp, draw_warped_curves
from kinetune.figures.physics_figures import draw_body, draw_force_strip, draw_forces, draw_report
from kinetune.figures.reach_figure import draw_reach, draw_reach_errors, draw_reach_map
from kinetune.figures.walk_figure import draw_walk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "channel",
    "draw_bands",
    "draw_body",
    "draw_curves",
    "draw_displacement",
    "draw_force_strip",
    "draw_forces",
    "draw_reach",
    "draw_reach_errors",
    "draw_reach_map",
    "draw_report",
    "draw_shaping",
    "draw_strip",
    "draw_walk",
    "draw_warp",
    "draw_warped_curves",
    "save",
    "write_film",
]


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure to a file; the suffix decides the kind: .png, .svg or .pdf."""
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UnknownFormatError(path, f'pictures are written to .png, .svg or .pdf, not to "{path.suffix}".')
    temporary = path.with_name(f".partial-{path.name}")
    try:
        figure.savefig(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
