"""Materials: how stiff, how damped, and how that feels.

A curve's slowest wobble is one wave round it. An animator says how far it swings past its rest shape (bounciness) and
after how many seconds it has come to rest (settle time); the constants of the equation follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune.errors import ParameterError, UnknownNameError

SLOWEST = (2.0 * np.pi) ** 2  # the stiffness of one wave round a curve of length 1, for e0 = 1
STILL = 0.02  # of the first displacement: what counts as rest


@dataclass(frozen=True)
class Material:
    """The constants of M q'' + C q' + K q = Q with C = s1 M + s2 K ([chuang] Equations 3.3 to 3.5).

    Parameters
    ----------
    e0 : float
        Elasticity, for a curve of length 1.
    s1 : float
        Damping by mass, 1/s: all motion slows down alike.
    s2 : float
        Damping by stiffness, s: fast wobbles die first.
    rho : float
        Mass per length.

    Notes
    -----
    s1 and s2 together are Rayleigh damping; with s2 = 0 it is mass damping, with s1 = 0 stiffness damping.
    """

    e0: float = 2.5
    s1: float = 2.0
    s2: float = 0.05
    rho: float = 1.0

    def __post_init__(self) -> None:
        for name in ("e0", "s1", "s2", "rho"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ParameterError(f"{name} of a material must be 0 or more, not {value}.")
        if self.rho == 0:
            raise ParameterError(
                'A material needs a mass: rho must be above 0. For a curve without mass use method="massless".'
            )

    @staticmethod
    def feel(bounciness: float = 0.3, settle_s: float = 1.0, *, crispness: float = 0.5) -> Material:
        """The material that feels like this.

        Parameters
        ----------
        bounciness : float
            How far the slowest wobble swings past rest, as a share of where it started; 0 (comes to rest without
            passing it, as quickly as that can be) to below 1.
        settle_s : float
            Seconds after which the slowest wobble stays within 2% of where it started.
        crispness : float
            The share of the damping that goes by stiffness, 0 to 1. At 1 the small wobbles vanish at once and the sweep
            moves on smoothly; at 0 the whole curve shivers on.
        """
        if not 0 <= bounciness < 1:
            raise ParameterError(f"bounciness must be 0 or more and below 1, not {bounciness}.")
        if not (np.isfinite(settle_s) and settle_s > 0):
            raise ParameterError(f"settle_s must be above 0 seconds, not {settle_s}.")
        if not 0 <= crispness <= 1:
            raise ParameterError(f"crispness must lie between 0 and 1; got {crispness}.")
        log = -np.log(bounciness) if bounciness > 0 else np.inf
        ratio = 1.0 if np.isinf(log) else log / np.hypot(np.pi, log)  # damping against critical damping
        frequency = _settling(ratio) / settle_s
        damping = 2.0 * ratio * frequency
        return Material(
            e0=frequency**2 / SLOWEST,
            s1=damping * (1.0 - crispness),
            s2=damping * crispness / frequency**2,
        )

    @property
    def frequency(self) -> float:
        """Of the slowest wobble without damping, radians a second."""
        return float(np.sqrt(SLOWEST * self.e0 / self.rho))

    @property
    def damping_ratio(self) -> float:
        """Damping of the slowest wobble against critical damping: below 1 it swings past rest."""
        if self.e0 == 0:
            return np.inf
        return (self.s1 + self.s2 * self.frequency**2) / (2.0 * self.frequency)

    @property
    def bounciness(self) -> float:
        """How far the slowest wobble swings past rest, as a share of where it started."""
        ratio = self.damping_ratio
        return float(np.exp(-np.pi * ratio / np.sqrt(1.0 - ratio**2))) if ratio < 1 else 0.0

    @property
    def settle_s(self) -> float:
        """Seconds until the slowest wobble stays within 2% of where it started; infinite without damping."""
        ratio = self.damping_ratio
        return _settling(ratio) / self.frequency if 0 < ratio < np.inf else float(np.inf)


def _settling(ratio: float) -> float:
    """The time, times the frequency, after which a damped wobble from 1 at rest stays within STILL of 0."""
    from scipy.optimize import brentq

    if ratio >= 1:
        root = np.sqrt(ratio**2 - 1.0)
        slow, fast = 1.0 / (ratio + root), ratio + root

        def overdamped(t: float) -> float:
            if root == 0:
                return float((1.0 + t) * np.exp(-t) - STILL)
            return float((fast * np.exp(-slow * t) - slow * np.exp(-fast * t)) / (fast - slow) - STILL)

        return float(brentq(overdamped, 0.0, 10.0 / slow, xtol=1e-13))
    wave = np.sqrt(1.0 - ratio**2)
    # It reverses at multiples of pi / wave; the last reversal outside the band is followed by the last entry.
    last = int(np.floor(-np.log(STILL) * wave / (np.pi * ratio)))

    def beyond(t: float) -> float:
        return float(abs(np.exp(-ratio * t) * (np.cos(wave * t) + ratio / wave * np.sin(wave * t))) - STILL)

    start = last * np.pi / wave
    zero = start + (np.pi - np.arctan2(wave, ratio)) / wave  # where it passes rest after that reversal
    return float(brentq(beyond, start, zero, xtol=1e-13))


PRESETS: dict[str, Material] = {
    "dead-beat": Material(2.533, 10.0, 0.1),
    "jelly": Material(2.5, 2.0, 0.05),
    "wobbly": Material(2.5, 1.0, 0.01),
}


def find_material(preset: str | Material) -> Material:
    """A material as it is, or a preset by name."""
    if isinstance(preset, Material):
        return preset
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, PRESETS, advice=f"There are {', '.join(PRESETS)}.")
    return PRESETS[preset]
