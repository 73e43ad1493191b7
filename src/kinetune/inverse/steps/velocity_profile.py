"""Speed that varies within a step as it did in an example ([huang], phase 4).

==============  ==================================================================================
match_profile   the phases at which to read a step, so that the hips speed up and slow down as there
arc_length      how far a path has come, as a share of all of it
==============  ==================================================================================

Blends average the timing of their examples and smear what is lively in it. The time of the blend is therefore warped
so that its hips have covered, at each share of the duration, the share of their way that they had covered in the
example that counts most. The poses and the path stay.
"""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats

_EVEN = 0.02  # a share of even progress, so that a figure that stands for a while still has a time


def arc_length(path: Floats, phases: Floats) -> Floats:
    """How far a path (n, 3) has come at each of n increasing phases, from 0 to 1."""
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    total = float(gone[-1])
    even = (phases - phases[0]) / (phases[-1] - phases[0])
    return np.asarray(even if total < 1e-9 else (1.0 - _EVEN) * gone / total + _EVEN * even)


def match_profile(gone: Floats, phases: Floats, wanted: Floats) -> Floats:
    """The phases at which the blend has come as far as is wanted.

    Parameters
    ----------
    gone : (n,) how far the blend has come at ``phases``, increasing from 0 to 1.
    wanted : (m,) how far it shall have come, from 0 to 1.
    """
    return np.interp(wanted, gone, phases)
