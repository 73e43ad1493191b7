"""Pictures and films of clips, signals and drawings.

==================  ===============================================================
save                a figure to a PNG, SVG or PDF file
draw_strip          a motion as a row of stick figures
film                a clip as a shaded film: MP4, WebM, GIF, or a strip of poses
draw_curves         joints over time, before and after
channel             one number of a joint over time, to draw
draw_bands          frequency bands with their gains as faders
draw_shaping        a shaping curve, and a signal before and after
draw_displacement   a displacement map, step by step
draw_warp           which frames of two motions correspond, over their distances
draw_warped_curves  a joint of both motions before and after the warp
draw_walk           footprints from above, and stick figures
draw_reach          phases of a reach, with its target
draw_reach_map      where a set of examples reaches
draw_reach_errors   how far blends miss targets on spheres
draw_report         the physics report card at a glance
draw_forces         horizontal against vertical force, with the friction line
draw_tracking       tracking errors over time
draw_filtering      forces above, tracking errors below
draw_force_strip    a strip of poses with arrows for the forces on the feet
draw_body           the physical body over its skeleton
write_drawing       a drawing or a film of drawings to SVG, Lottie, PNG, GIF or MP4
paint_drawing       a drawing as pixels
strip_picture       several drawings side by side
draw_scales         a contour from fewer and fewer wavelet coefficients
draw_edits          edited contours over the original
draw_relaxation     a contour springing back, frame by frame
draw_resolutions    the same from several numbers of control points
draw_timing         how materials come to rest
draw_stiffness      the entries of a stiffness matrix
==================  ===============================================================

Names are loaded when they are first used, so that writing an SVG file loads no plotting code. The shelves: ``motion``
(clips and signals), ``drawings``, and ``rendering`` (the renderer of films).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.figures.drawings.contour_figures": (
        "draw_edits",
        "draw_relaxation",
        "draw_resolutions",
        "draw_scales",
        "draw_stiffness",
        "draw_timing",
    ),
    "kinetune.figures.drawings.drawing_files": ("write_drawing",),
    "kinetune.figures.drawings.drawing_paint": ("paint_drawing", "strip_picture"),
    "kinetune.figures.motion.curve_plot": ("Quantity", "channel", "draw_curves"),
    "kinetune.figures.motion.film": ("film",),
    "kinetune.figures.motion.signal_figures": ("draw_bands", "draw_displacement", "draw_shaping"),
    "kinetune.figures.motion.stick_figures": ("View",),
    "kinetune.figures.motion.strip": ("draw_strip",),
    "kinetune.figures.motion.warp_figure": ("draw_warp", "draw_warped_curves"),
    "kinetune.figures.physics_figures": (
        "draw_body",
        "draw_filtering",
        "draw_force_strip",
        "draw_forces",
        "draw_report",
        "draw_tracking",
    ),
    "kinetune.figures.picture_files": ("save",),
    "kinetune.figures.reach_figure": ("draw_reach", "draw_reach_errors", "draw_reach_map"),
    "kinetune.figures.walk_figure": ("draw_walk",),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.figures.drawings.contour_figures import draw_edits as draw_edits
    from kinetune.figures.drawings.contour_figures import draw_relaxation as draw_relaxation
    from kinetune.figures.drawings.contour_figures import draw_resolutions as draw_resolutions
    from kinetune.figures.drawings.contour_figures import draw_scales as draw_scales
    from kinetune.figures.drawings.contour_figures import draw_stiffness as draw_stiffness
    from kinetune.figures.drawings.contour_figures import draw_timing as draw_timing
    from kinetune.figures.drawings.drawing_files import write_drawing as write_drawing
    from kinetune.figures.drawings.drawing_paint import paint_drawing as paint_drawing
    from kinetune.figures.drawings.drawing_paint import strip_picture as strip_picture
    from kinetune.figures.motion.curve_plot import Quantity as Quantity
    from kinetune.figures.motion.curve_plot import channel as channel
    from kinetune.figures.motion.curve_plot import draw_curves as draw_curves
    from kinetune.figures.motion.film import film as film
    from kinetune.figures.motion.signal_figures import draw_bands as draw_bands
    from kinetune.figures.motion.signal_figures import draw_displacement as draw_displacement
    from kinetune.figures.motion.signal_figures import draw_shaping as draw_shaping
    from kinetune.figures.motion.stick_figures import View as View
    from kinetune.figures.motion.strip import draw_strip as draw_strip
    from kinetune.figures.motion.warp_figure import draw_warp as draw_warp
    from kinetune.figures.motion.warp_figure import draw_warped_curves as draw_warped_curves
    from kinetune.figures.physics_figures import draw_body as draw_body
    from kinetune.figures.physics_figures import draw_filtering as draw_filtering
    from kinetune.figures.physics_figures import draw_force_strip as draw_force_strip
    from kinetune.figures.physics_figures import draw_forces as draw_forces
    from kinetune.figures.physics_figures import draw_report as draw_report
    from kinetune.figures.physics_figures import draw_tracking as draw_tracking
    from kinetune.figures.picture_files import save as save
    from kinetune.figures.reach_figure import draw_reach as draw_reach
    from kinetune.figures.reach_figure import draw_reach_errors as draw_reach_errors
    from kinetune.figures.reach_figure import draw_reach_map as draw_reach_map
    from kinetune.figures.walk_figure import draw_walk as draw_walk
