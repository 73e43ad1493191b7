r"""Time warps: which frames of two motions correspond, and reading one motion at the pace of the other.

=========  ====================================================================================
time_warp  the best correspondence of two signals
Warp       its path and cost; brings one signal to the other's time, or both to one in between
Timing     where to read both signals, frame by frame
=========  ====================================================================================

[bruderlin] sections 3.1 and 3.2. The search for the best path is in :mod:`kinetune.signals.warping.table`, what a path
does to a signal in :mod:`kinetune.signals.warping._warp_path`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.resampling import interpolate
from kinetune.signals.warping._pose_corridor import pose_path
from kinetune.signals.warping._warp_path import apply_path, intermediate_timing, sakoe_chiba
from kinetune.signals.warping.pose_cost import PoseCost
from kinetune.signals.warping.table import best_path
from kinetune.signals.warping.work_cost import WorkCost, work_path

CostName = Literal["pose", "sederberg"]


@dataclass(frozen=True, eq=False)
class Timing:
    """One clock for two motions: where to read each of them at every frame.

    Parameters
    ----------
    a, b : array, shape (frames,)
        Fractional frames of either signal, strictly increasing.
    """

    a: Floats
    b: Floats

    def __len__(self) -> int:
        return len(self.a)

    def apply(self, x: ArrayLike) -> Floats:
        """A signal that runs with b, read on this clock: a smooth curve through its samples."""
        return interpolate(x, self.b)

    def apply_to_a(self, x: ArrayLike) -> Floats:
        """A signal that runs with a, read on this clock."""
        return interpolate(x, self.a)


@dataclass(frozen=True, eq=False)
class Warp:
    """Which frames of two signals correspond.

    Parameters
    ----------
    path : array, shape (steps, 2)
        Pairs (frame of a, frame of b). Each step advances a, b or both by one frame.
    cost : float
        The cost of the path, in the unit of the signals.
    frames_a, frames_b : int
        The lengths of both signals.

    Examples
    --------
    >>> from kinetune import time_warp
    >>> time_warp([0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0]).path.tolist()
    [[0, 0], [0, 1], [1, 2], [2, 3]]
    """

    path: np.ndarray
    cost: float
    frames_a: int
    frames_b: int

    @property
    def start(self) -> int:
        """The first frame of b that is matched: 0, unless a was searched for inside b."""
        return int(self.path[0, 1])

    @property
    def stop(self) -> int:
        """One after the last frame of b that is matched: ``b[warp.start:warp.stop]`` is the part that matches a."""
        return int(self.path[-1, 1]) + 1

    def apply(self, x: ArrayLike) -> Floats:
        r"""Bring b to the time of a, sample by sample, as the paper does: (frames of b, ...) to (frames of a, ...).

        A sample that is matched with one sample stays as it is (substitution). Several samples of b that are matched
        with one of a give their mean (deletion). One sample of b that is matched with several of a is drawn out
        (insertion): a cubic B-spline, with the samples of b as its control points, is read around it, over the half
        frame before to the half frame after.

        For a smooth result, and for rotations, read the signal at :meth:`mapping`.

        Notes
        -----
        [bruderlin] section 3.2. Laws: a signal warped onto itself is itself; constants stay constant, and where
        samples are only drawn out, lines stay lines.
        """
        signal = np.asarray(x)
        if signal.ndim == 0 or len(signal) != self.frames_b:
            raise ParameterError(
                f"This warp brings signals of {self.frames_b} frames to {self.frames_a}; got shape {signal.shape}. "
                "For the other way round use warp.inverse().apply(x)."
            )
        return apply_path(self.path, signal)

    def mapping(self, smoothing: float = 0.0) -> Floats:
        """The time of b at each frame of a, as fractional frames (frames of a,), strictly increasing.

        Parameters
        ----------
        smoothing : float
            Frames over which the speed is evened out to either side. A path goes in steps; without smoothing so does
            the speed.

        Notes
        -----
        Several frames of b at one frame of a count as their mean. The first and last matched frames stay matched.
        Where only one frame of b is matched, its time stands still.
        """
        return self.partial(0.0, smoothing).b

    def partial(self, s: float, smoothing: float = 0.0) -> Timing:
        """A clock between the two: 0 is the timing of a, 1 that of b, 0.5 halfway.

        Parameters
        ----------
        s : float
            From 0 to 1. The number of frames goes from that of a to that of b as well.
        smoothing : float
            As in :meth:`mapping`.
        """
        if not 0.0 <= s <= 1.0:
            raise ParameterError(f"s must be between 0 (the timing of a) and 1 (the timing of b), not {s}.")
        if not (math.isfinite(smoothing) and smoothing >= 0.0):
            raise ParameterError(f"smoothing must be a number of frames of 0 or more, not {smoothing}.")
        return Timing(*intermediate_timing(self.path, s, smoothing))

    def inverse(self) -> Warp:
        """The same correspondence with a and b exchanged."""
        return Warp(self.path[:, ::-1].copy(), self.cost, self.frames_b, self.frames_a)


def time_warp(
    a: ArrayLike,
    b: ArrayLike,
    cost: CostName = "pose",
    *,
    window: float | None = None,
    window_s: float | None = None,
    fps: float | None = None,
    find: bool = False,
    stretch: float = 1.0,
    bend: float = 1.0,
) -> Warp:
    r"""Find which frames of two motions correspond, so that one can be played at the other's pace.

    Parameters
    ----------
    a, b : array, shapes (frames of a, ...) and (frames of b, ...)
        Time on axis 0, the same channels. All channels are compared together, so bring them to comparable units.
    cost : {"pose", "sederberg"}
        "pose" sums the distance of the two poses over the path. "sederberg" sums the work that it takes to stretch and
        bend one motion into the other, which looks at speeds and changes of direction instead of poses.
    window : float or None
        How many frames apart two matched frames may be, after the shorter signal is stretched evenly to the longer
        one (Sakoe-Chiba). None: any distance.
    window_s : float or None
        The same in seconds; needs ``fps``.
    fps : float or None
        Frames per second of both signals, for ``window_s``.
    find : bool
        Search for a inside b: the path may begin and end at any frame of b; see :attr:`Warp.start`.
    stretch, bend : float
        How much the two kinds of work count ("sederberg" only).

    Returns
    -------
    Warp
        ``warp.apply(x)`` brings b to the time of a, ``warp.inverse().apply(x)`` a to the time of b.

    Notes
    -----
    The path is the best of all (dynamic programming over all pairs of frames, after [sederberg]); among equal ones,
    steps of both signals are preferred, then of a, then of b. Memory grows with the number of frames, not of pairs.
    Laws (``tests/signals/warping/test_time_warp.py``): the path is monotone from first to last frames, costs what it
    says and no more than any other; a signal onto itself is the identity; exchanging the signals costs the same.

    Examples
    --------
    >>> import numpy as np
    >>> slow = np.sin(np.linspace(0.0, 6.0, 40))
    >>> fast = np.sin(np.linspace(0.0, 6.0, 25))
    >>> warp = time_warp(slow, fast)
    >>> warp.apply(fast).shape
    (40,)
    """
    x, y = _signal("a", a), _signal("b", b)
    if x.shape[1] != y.shape[1]:
        raise ParameterError(
            f"Both signals must have the same channels; a has {x.shape[1]} per frame and b has {y.shape[1]}."
        )
    limits = None
    reach = _window_frames(window, window_s, fps)
    if reach is not None:
        if find:
            raise ParameterError("A window cannot be combined with find=True: it is not known yet where in b to look.")
        limits = sakoe_chiba(len(x), len(y), reach)
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        measure = _cost(cost, x, y, stretch, bend)
    if not measure.finite:
        raise _not_finite(x, y)
    if find or limits is not None:
        path = best_path(measure, free_ends=find, window=limits)
    else:
        path = pose_path(measure) if isinstance(measure, PoseCost) else work_path(measure)
    return Warp(path, measure.along(path), len(x), len(y))


def _cost(name: str, a: Floats, b: Floats, stretch: float, bend: float) -> PoseCost | WorkCost:
    if name == "pose":
        return PoseCost(a, b)
    if name != "sederberg":
        raise ParameterError(f'There is no cost "{name}": a warp is found by "pose" or by "sederberg".')
    for parameter, value in (("stretch", stretch), ("bend", bend)):
        if not (math.isfinite(value) and value >= 0.0):
            raise ParameterError(f"{parameter} must be a number of 0 or more, not {value}.")
    return WorkCost(a, b, stretch, bend)


def _signal(name: str, signal: ArrayLike) -> Floats:
    """A signal as contiguous (frames, channels) in float64."""
    x = np.asarray(signal, dtype=float)
    if x.ndim == 0 or len(x) == 0:
        raise ParameterError(f"{name} needs at least one frame on axis 0; got shape {x.shape}.")
    x = np.ascontiguousarray(x).reshape(len(x), math.prod(x.shape[1:]))
    if not x.shape[1]:
        raise ParameterError(f"{name} has no channels to compare; got shape {np.shape(signal)}.")
    return x


def _not_finite(a: Floats, b: Floats) -> ParameterError:
    for name, x in (("a", a), ("b", b)):
        bad = np.flatnonzero(~np.isfinite(x).all(axis=1))
        if len(bad):
            return ParameterError(f"{name} contains a value that is not a finite number in frame {bad[0]}.")
    name = "a" if np.abs(a).max() >= np.abs(b).max() else "b"
    return ParameterError(f"{name} contains values so large that their squares overflow.")


def _window_frames(window: float | None, window_s: float | None, fps: float | None) -> float | None:
    if window is not None and window_s is not None:
        raise ParameterError("Give the window in frames (window) or in seconds (window_s), not both.")
    if window_s is not None:
        if fps is None or not (math.isfinite(fps) and fps > 0.0):
            raise ParameterError(f"A window in seconds needs the frame rate: fps must be a positive number, not {fps}.")
        window = window_s * fps
    if window is not None and not (math.isfinite(window) and window >= 0.0):
        raise ParameterError(f"The window must be 0 or more, not {window}.")
    return window
