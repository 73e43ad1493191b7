"""The mathematics of the papers on plain arrays: arrays in, arrays out, time on axis 0.

===============  ====================================================================
bands            Frequency bands and the equalizer
splines          Keyed curves with tension, continuity and bias
warping          Time warps: which frames of two signals correspond
shaping          Waveshaping: curves that map values to values
denoising        Noise taken out of curves, and samples that do not belong to them
filters          Low-pass filters without delay
resampling       Other frame rates and other times, without aliasing
rotation_curves  Rotations as curves of three numbers that linear filters can process
displacement     Smooth changes given at a few frames
mixing           Weighted averages of signals, whole or band by band
wavelets         Curves split into scales by wavelets
bounded_curve    The smoothest curve between two bounds
banded_solve     Symmetric banded systems of equations
flag_ranges      Where flags are set, as ranges
===============  ====================================================================

``kt.signals`` offers the names that scripts need most: split_bands and join_bands, ShapingCurve, TCB and RotationTCB,
time_warp and the Warp that it returns. They are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.signals.bands.pyramid": ("join_bands", "split_bands"),
    "kinetune.signals.shaping.shaping_curve": ("ShapingCurve",),
    "kinetune.signals.splines.rotation_tcb": ("RotationTCB",),
    "kinetune.signals.splines.tcb": ("TCB",),
    "kinetune.signals.warping.time_warp": ("Warp", "time_warp"),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.signals.bands.pyramid import join_bands as join_bands
    from kinetune.signals.bands.pyramid import split_bands as split_bands
    from kinetune.signals.shaping.shaping_curve import ShapingCurve as ShapingCurve
    from kinetune.signals.splines.rotation_tcb import RotationTCB as RotationTCB
    from kinetune.signals.splines.tcb import TCB as TCB
    from kinetune.signals.warping.time_warp import Warp as Warp
    from kinetune.signals.warping.time_warp import time_warp as time_warp
