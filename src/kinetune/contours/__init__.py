"""Drawings: read, match, morph, bend, and let them spring back.

======================================  ===============================================================
Drawing, Layer, Contour                 a drawing: layers of curves with a fill and a stroke
Gradient                                colours that run along a line or out of a point
read_drawing, parse_drawing             from an SVG, Lottie or picture file, or from SVG text
read_key_drawings                       the key drawings of a Lottie animation and their times
morph, morph_at, Morph                  the frames from one drawing to another, and a report on them
inbetween                               the frames between several key drawings
morph_keys, on_twos                     films through several keys, with eases, holds and drawings on twos
gait_film, find_legs                    a drawing walks, trots, paces or canters
walk_cycle, walk_in_time, swap_sides    a walk from two key drawings, alone or in step with a clip
fit_gait, fit_gamma, GaitTiming         how a limb speeds up and slows down, fitted to tracked drawings
relax, Material, PRESETS                a deformed contour springs back
gravity, attraction, together           forces on it
sample_evenly, sample_layers            curves at equal steps of arc length
find_corners                            the sharp points of a curve
trace_bezier, trace_freehand            control points and pen strokes as contours
describe, Descriptor, approximate       a contour as a sweep and detail at every scale
at_resolution                           a drawing from few control points
drag, bend, pull                        bend the sweep; the detail rides along
exaggerate, take_character              change the detail and keep the sweep
stiffness, mass, off_diagonal_energy    the matrices of an elastic curve in wavelet coefficients
stiffness_spectrum                      their eigenvalues, without a matrix
refinement_integrals, refinement_table  the numbers behind them
count_self_crossing                     how many drawings have a curve that crosses itself
======================================  ===============================================================

Names are loaded when they are first used. The shelves: ``svg`` (files in and out), ``reading`` (files of other kinds),
``matching`` (what becomes what), ``interpolation`` (shapes between shapes), ``morphing`` (films between drawings),
``key_shapes`` (films as players want them), ``timing`` (eases, holds, keys), ``elastic`` (springing curves),
``descriptor`` (curves at several scales).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.contours.descriptor.scale_editing": ("Detail", "bend", "drag", "exaggerate", "pull", "take_character"),
    "kinetune.contours.descriptor.wavelet_descriptor": ("Descriptor", "approximate", "at_resolution", "describe"),
    "kinetune.contours.drawing": ("Cap", "Contour", "Drawing", "Join", "Layer"),
    "kinetune.contours.elastic.materials": ("PRESETS", "Material"),
    "kinetune.contours.elastic.outside_forces": ("attraction", "gravity", "together"),
    "kinetune.contours.elastic.relaxation": ("Force", "RelaxMethod", "relax"),
    "kinetune.contours.elastic.stiffness": (
        "TableRow",
        "mass",
        "off_diagonal_energy",
        "refinement_integrals",
        "refinement_table",
        "stiffness",
        "stiffness_spectrum",
    ),
    "kinetune.contours.gait_cycle": ("GaitTiming", "fit_gait", "fit_gamma", "swap_sides", "walk_cycle", "walk_in_time"),
    "kinetune.contours.timing.eases": ("EASES", "Ease"),
    "kinetune.contours.gaits": ("GAITS", "DrawnLeg", "Gait", "find_legs", "gait_film"),
    "kinetune.contours.gradients": ("Gradient",),
    "kinetune.contours.matching.layer_matching": ("LayerMap", "Match"),
    "kinetune.contours.timing.film_timing": ("morph_keys", "on_twos"),
    "kinetune.contours.morphing.key_drawings": ("inbetween",),
    "kinetune.contours.morphing.methods": ("Method",),
    "kinetune.contours.morphing.morph": ("LayerReport", "Morph", "Pin", "morph", "morph_at"),
    "kinetune.contours.morphing.part_films": ("Extras",),
    "kinetune.contours.morphing.safe_films": ("How",),
    "kinetune.contours.outlines": ("count_self_crossing",),
    "kinetune.contours.reading.drawing_reader": ("read_drawing", "read_key_drawings"),
    "kinetune.contours.sampling": ("find_corners", "sample_evenly", "sample_layers", "trace_bezier", "trace_freehand"),
    "kinetune.contours.svg.reader": ("parse_drawing",),
    "kinetune.signals.wavelets": ("Scales",),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.contours.descriptor.scale_editing import Detail as Detail
    from kinetune.contours.descriptor.scale_editing import bend as bend
    from kinetune.contours.descriptor.scale_editing import drag as drag
    from kinetune.contours.descriptor.scale_editing import exaggerate as exaggerate
    from kinetune.contours.descriptor.scale_editing import pull as pull
    from kinetune.contours.descriptor.scale_editing import take_character as take_character
    from kinetune.contours.descriptor.wavelet_descriptor import Descriptor as Descriptor
    from kinetune.contours.descriptor.wavelet_descriptor import approximate as approximate
    from kinetune.contours.descriptor.wavelet_descriptor import at_resolution as at_resolution
    from kinetune.contours.descriptor.wavelet_descriptor import describe as describe
    from kinetune.contours.drawing import Cap as Cap
    from kinetune.contours.drawing import Contour as Contour
    from kinetune.contours.drawing import Drawing as Drawing
    from kinetune.contours.drawing import Join as Join
    from kinetune.contours.drawing import Layer as Layer
    from kinetune.contours.elastic.materials import PRESETS as PRESETS
    from kinetune.contours.elastic.materials import Material as Material
    from kinetune.contours.elastic.outside_forces import attraction as attraction
    from kinetune.contours.elastic.outside_forces import gravity as gravity
    from kinetune.contours.elastic.outside_forces import together as together
    from kinetune.contours.elastic.relaxation import Force as Force
    from kinetune.contours.elastic.relaxation import RelaxMethod as RelaxMethod
    from kinetune.contours.elastic.relaxation import relax as relax
    from kinetune.contours.elastic.stiffness import TableRow as TableRow
    from kinetune.contours.elastic.stiffness import mass as mass
    from kinetune.contours.elastic.stiffness import off_diagonal_energy as off_diagonal_energy
    from kinetune.contours.elastic.stiffness import refinement_integrals as refinement_integrals
    from kinetune.contours.elastic.stiffness import refinement_table as refinement_table
    from kinetune.contours.elastic.stiffness import stiffness as stiffness
    from kinetune.contours.elastic.stiffness import stiffness_spectrum as stiffness_spectrum
    from kinetune.contours.gait_cycle import GaitTiming as GaitTiming
    from kinetune.contours.gait_cycle import fit_gait as fit_gait
    from kinetune.contours.gait_cycle import fit_gamma as fit_gamma
    from kinetune.contours.gait_cycle import swap_sides as swap_sides
    from kinetune.contours.gait_cycle import walk_cycle as walk_cycle
    from kinetune.contours.gait_cycle import walk_in_time as walk_in_time
    from kinetune.contours.gaits import GAITS as GAITS
    from kinetune.contours.gaits import DrawnLeg as DrawnLeg
    from kinetune.contours.gaits import Gait as Gait
    from kinetune.contours.gaits import find_legs as find_legs
    from kinetune.contours.gaits import gait_film as gait_film
    from kinetune.contours.gradients import Gradient as Gradient
    from kinetune.contours.matching.layer_matching import LayerMap as LayerMap
    from kinetune.contours.matching.layer_matching import Match as Match
    from kinetune.contours.morphing.key_drawings import inbetween as inbetween
    from kinetune.contours.morphing.methods import Method as Method
    from kinetune.contours.morphing.morph import LayerReport as LayerReport
    from kinetune.contours.morphing.morph import Morph as Morph
    from kinetune.contours.morphing.morph import Pin as Pin
    from kinetune.contours.morphing.morph import morph as morph
    from kinetune.contours.morphing.morph import morph_at as morph_at
    from kinetune.contours.morphing.part_films import Extras as Extras
    from kinetune.contours.morphing.safe_films import How as How
    from kinetune.contours.outlines import count_self_crossing as count_self_crossing
    from kinetune.contours.reading.drawing_reader import read_drawing as read_drawing
    from kinetune.contours.reading.drawing_reader import read_key_drawings as read_key_drawings
    from kinetune.contours.sampling import find_corners as find_corners
    from kinetune.contours.sampling import sample_evenly as sample_evenly
    from kinetune.contours.sampling import sample_layers as sample_layers
    from kinetune.contours.sampling import trace_bezier as trace_bezier
    from kinetune.contours.sampling import trace_freehand as trace_freehand
    from kinetune.contours.svg.reader import parse_drawing as parse_drawing
    from kinetune.contours.timing.eases import EASES as EASES
    from kinetune.contours.timing.eases import Ease as Ease
    from kinetune.contours.timing.film_timing import morph_keys as morph_keys
    from kinetune.contours.timing.film_timing import on_twos as on_twos
    from kinetune.signals.wavelets import Scales as Scales
