r"""Curves that spring back: a contour let go moves towards its rest shape by the Lagrangian equation.

.. math:: M \ddot q + C \dot q + K q = Q, \quad C = s_1 M + s_2 K

==========  ==========================================================================================
method      what it does
==========  ==========================================================================================
exact       every Fourier mode solved in closed form: no step, no error (the default)
rk45        adaptive Runge-Kutta of order 5 for outside forces, the elastic part exact within each step
decoupled   the paper's approximation: only the diagonal of K in wavelet coefficients
massless    rho = 0, Euler's method
midpoint    implicit midpoint steps with a sparse factorization, for stiffness or mass that vary along the curve
==========  ==========================================================================================

Notes
-----
[chuang] sections 3.1 to 3.3 and 4.2. K is circulant in the samples for any wavelet, so its eigenvectors are those
of the Fourier transform. Errata: in Equation 3.15 the factor 1/rho must not multiply I; an undamped hoop is not
"restored completely" but swings for ever. docs/derivations/wavelet_contours.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.drawing import Contour
from kinetune.contours.elastic.materials import SLOWEST, Material, find_material
from kinetune.contours.elastic.single_mode import release, step_modes
from kinetune.contours.elastic.stiffness import stiffness_spectrum
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

RelaxMethod = Literal["exact", "rk45", "decoupled", "massless", "midpoint"]
Force = Callable[[float, Floats, Floats], ArrayLike]
"""(seconds, points (n, 2), velocities (n, 2)) -> accelerations, anything that fits (n, 2)."""

METHODS = ("exact", "rk45", "decoupled", "massless", "midpoint")


def relax(
    shape: Contour | ArrayLike,
    rest: Contour | ArrayLike,
    times: ArrayLike,
    *,
    preset: str | Material = "jelly",
    velocity: ArrayLike | None = None,
    centroid: str | ArrayLike = "free",
    force: Force | None = None,
    method: RelaxMethod | None = None,
    wavelet: str = "db4",
    local_stiffness: ArrayLike | None = None,
    local_mass: ArrayLike | None = None,
) -> list[Contour]:
    """Let a deformed contour go, and see it spring towards its rest shape.

    Parameters
    ----------
    shape : Contour or array-like
        The contour as it is let go; bare points (n, 2) are a closed one.
    rest : Contour or array-like
        Where it wants to be; sample i of one belongs to sample i of the other.
    times : array-like
        Seconds after it was let go, 0 or more, in any order; for every method but "exact", growing.
    preset : str or Material
        "dead-beat", "jelly", "wobbly", or a :class:`~kinetune.contours.elastic.materials.Material`
        (``Material.feel(bounciness=0.3, settle_s=1)`` takes an animator's terms).
    velocity : array-like or None
        (n, 2) of the samples as they are let go, per second; none by default.
    centroid : str or array-like
        The elastic force moves the middle of the curve nowhere. "free" leaves it to velocity and forces; "settle"
        brings it to that of ``rest`` like the slowest wobble; "rest" puts it there at once; an array (times, 2) puts it
        where you say.
    force : function or None
        Accelerations from outside; see :mod:`kinetune.contours.elastic.outside_forces`.
    method : str or None
        By default "exact"; "rk45" with a force; "midpoint" with local_stiffness or local_mass.
    wavelet : str
        Whose stiffness is used.
    local_stiffness, local_mass : array-like or None
        (n,) factors on e0 and rho along the curve.

    Returns
    -------
    list of Contour
        One for each time, with the samples of ``shape``: sample i stays sample i.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    >>> ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> squeezed = ring * [1.3, 0.7]
    >>> after = relax(squeezed, ring, times=[2.0], preset="jelly")[0]
    >>> bool(abs(after.points - ring).max() < 0.02)
    True
    """
    material = find_material(preset)
    moments = _check_times(times)
    shape = shape if isinstance(shape, Contour) else Contour(np.asarray(shape))
    rest = rest if isinstance(rest, Contour) else Contour(np.asarray(rest), shape.closed)
    _check_pair(shape, rest)
    start = _check_field(velocity, shape, "velocity")
    varying = local_stiffness is not None or local_mass is not None
    chosen = method or ("midpoint" if varying else "rk45" if force is not None else "exact")
    if chosen not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, not {chosen!r}.")
    if varying and chosen != "midpoint":
        raise ParameterError(f'local_stiffness and local_mass need method="midpoint", not {chosen!r}.')
    if force is not None and chosen not in ("rk45", "midpoint", "massless"):
        raise ParameterError(f'A force needs method="rk45", "midpoint" or "massless", not {chosen!r}.')
    if chosen != "exact" and np.any(np.diff(moments) < 0):
        raise ParameterError(f'The times must grow for method="{chosen}".')
    curve = Elastic(len(shape), shape.closed, wavelet)
    offset = shape.points - rest.points
    if chosen == "exact":
        moved = curve.release(offset, start, moments, material)
    elif chosen == "rk45":
        from kinetune.contours.elastic.outside_forces import integrate

        moved = integrate(curve, offset, start, moments, material, rest.points, force)
    elif chosen == "decoupled":
        from kinetune.contours.elastic.paper_approximations import decoupled

        moved = decoupled(offset, start, moments, material, wavelet, closed=shape.closed)
    elif chosen == "massless":
        from kinetune.contours.elastic.paper_approximations import massless

        moved = massless(curve, offset, moments, material, rest.points, force)
    else:
        from kinetune.contours.elastic._local_stiffness import midpoint

        local = (_check_factors(local_stiffness, shape, "stiffness"), _check_factors(local_mass, shape, "mass"))
        moved = midpoint(curve, offset, start, moments, material, rest.points, force, *local)
    placed = _place_middle(moved, offset, start, moments, material, centroid, rest)
    return [rest.moved(rest.points + field) for field in placed]


class Elastic:
    """A uniform curve of some samples as Fourier modes: closed, or open with free ends.

    An open curve is doubled by its mirror image, which is how free ends swing; it has length 1 too.
    """

    def __init__(self, count: int, closed: bool, wavelet: str = "db4") -> None:
        self.count, self.closed, self.wavelet = count, closed, wavelet
        self.period = count if closed else 2 * count
        self.spectrum = _spectrum(self.period, count, wavelet)

    def modes(self, field: Floats) -> np.ndarray:
        """Samples (n, 2) to Fourier coefficients (period,), x + iy."""
        from scipy.fft import fft

        z = np.ascontiguousarray(field).view(complex)[:, 0]
        return fft(z if self.closed else np.concatenate([z, z[::-1]]))

    def samples(self, modes: np.ndarray) -> Floats:
        """Fourier coefficients to samples (n, 2); the coefficients are used up."""
        from scipy.fft import ifft

        z = ifft(modes, overwrite_x=True)[: self.count]
        return z.view(float).reshape(-1, 2)

    def mirrored(self, half: Floats) -> Floats:
        """A factor for modes 0 to period / 2 as one for all modes: k and period - k share theirs."""
        return np.concatenate([half, half[1 : (self.period + 1) // 2][::-1]])

    def scale(self, modes: np.ndarray, half: Floats) -> np.ndarray:
        """Modes times a factor given for modes 0 to period / 2."""
        result = np.empty_like(modes)
        middle = len(half)
        np.multiply(modes[:middle], half, out=result[:middle])
        np.multiply(modes[middle:], half[1 : self.period - middle + 1][::-1], out=result[middle:])
        return result

    def release(self, offset: Floats, velocity: Floats | None, times: Floats, material: Material) -> list[Floats]:
        """The exact displacements (n, 2) at some times."""
        first = self.modes(offset)
        pushed = None if velocity is None else self.modes(velocity)
        stiffness = material.e0 * self.spectrum
        fields = []
        for time in times:
            if pushed is None:
                now = self.scale(first, release(stiffness, material, float(time)))
            else:
                after = step_modes(stiffness, material, float(time))
                now = self.scale(first, after.stay)
                now += self.scale(pushed, after.push)
            fields.append(self.samples(now))
        return fields


@lru_cache(maxsize=16)
def _spectrum(period: int, count: int, wavelet: str) -> Floats:
    values = stiffness_spectrum(period, wavelet, per_unit=count)
    values.setflags(write=False)
    return values


def _place_middle(
    fields: list[Floats],
    offset: Floats,
    velocity: Floats | None,
    times: Floats,
    material: Material,
    centroid: str | ArrayLike,
    rest: Contour,
) -> list[Floats]:
    """Move the middle of every displacement to its target."""
    if isinstance(centroid, str):
        if centroid == "free":
            return fields
        if centroid == "rest":
            targets = np.zeros((len(times), 2))
        elif centroid == "settle":
            stiffness = np.full(1, material.e0 * SLOWEST)
            steps = [step_modes(stiffness, material, float(time)) for time in times]
            drift = np.zeros(2) if velocity is None else velocity.mean(axis=0)
            targets = np.array([s.stay * offset.mean(axis=0) + s.push * drift for s in steps]).reshape(-1, 2)
        else:
            raise ParameterError(
                f'centroid must be "free", "settle", "rest" or positions (times, 2), not {centroid!r}.'
            )
    else:
        positions = np.asarray(centroid, dtype=float)
        if positions.shape != (len(times), 2) or not np.isfinite(positions).all():
            raise ParameterError(
                f"centroid needs one position (x, y) for each of {len(times)} times; got {positions.shape}."
            )
        targets = positions - rest.centroid
    return [field + (middle - field.mean(axis=0)) for field, middle in zip(fields, targets, strict=True)]


def _check_times(times: ArrayLike) -> Floats:
    moments = np.atleast_1d(np.asarray(times, dtype=float))
    if moments.ndim != 1 or not np.isfinite(moments).all() or np.any(moments < 0):
        raise ParameterError("times must be a list of seconds, each 0 or more.")
    return moments


def _check_pair(shape: Contour, rest: Contour) -> None:
    if len(shape) != len(rest):
        raise ParameterError(
            f"The shape has {len(shape)} samples and the rest shape {len(rest)}: sample both alike, with sample_evenly."
        )
    if shape.closed != rest.closed:
        raise ParameterError("One of shape and rest is closed and the other open: both must be alike.")


def _check_field(values: ArrayLike | None, shape: Contour, name: str) -> Floats | None:
    if values is None:
        return None
    field = np.asarray(values, dtype=float)
    if field.shape not in ((2,), shape.points.shape) or not np.isfinite(field).all():
        raise ParameterError(
            f"{name} must be (x, y), or one for each of {len(shape)} samples; got shape {field.shape}."
        )
    return np.array(np.broadcast_to(field, shape.points.shape))


def _check_factors(values: ArrayLike | None, shape: Contour, name: str) -> Floats:
    if values is None:
        return np.ones(len(shape))
    factors = np.asarray(values, dtype=float)
    least = "above 0" if name == "mass" else "0 or more"
    sound = factors.shape == (len(shape),) and np.isfinite(factors).all()
    if not sound or np.any(factors < 0) or (name == "mass" and np.any(factors == 0)):
        raise ParameterError(f"local_{name} needs one factor for each of {len(shape)} samples, each {least}.")
    return factors
