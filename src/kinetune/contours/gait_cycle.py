r"""Walking drawings: a whole gait cycle from two key drawings.

==============  ===================================================================================
progress        how far a limb has got in a subcycle: :math:`1 - f(\tau)`
fit_gamma       the speed parameter of one subcycle, from tracked numbers or contours
GaitTiming      the speed parameters and shares of the two subcycles
fit_gait        both parameters at once, with equal speed where the subcycles meet
opposite_layers limbs that are named as opposites
swap_sides      a drawing with the poses of left and right (near and far) limbs exchanged
walk_cycle      the cycle, at any number of frames
walk_in_time    the same, driven by the steps of a clip
==============  ===================================================================================

Notes
-----
[chuang] section 4.2. A limb goes from its pose in one key drawing, :math:`A^s`, to that in the next, :math:`A^d`, as
:math:`A(\tau) = A^d + f(\tau) (A^s - A^d)` with :math:`f(\tau) = 1 - (1 + \gamma) \tau + \gamma \tau^2`.
It is monotone exactly for :math:`-1 \le \gamma \le 1`: below 0 it starts slowly, above 0 it ends slowly.
One quadratic cannot be slow, fast and slow again, as the paper wants a limb to be: two subcycles can, the first with
:math:`\gamma_A < 0` and the second with :math:`\gamma_B > 0`, if they meet at the same speed,
:math:`(1 - \gamma_A) D_A / T_A = (1 + \gamma_B) D_B / T_B`, with the distances D and the times T.
Subcycles C and D are A and B with the sides exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.body.clip import Clip
from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.methods import Method
from kinetune.contours.morphing.morph import MOST_FRAMES, LayerReport, Morph, morph_at
from kinetune.contours.moving_drawing import MovingDrawing, join_films
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats

OPPOSITES = {"left": "right", "right": "left", "near": "far", "far": "near"}


def progress(tau: ArrayLike, gamma: float) -> Floats:
    r"""How far a limb has got at the time tau of its subcycle, both from 0 to 1: :math:`1 - f(\tau)`."""
    at = np.asarray(tau, dtype=float)
    share: Floats = (1.0 + gamma) * at - gamma * at * at
    return share


def fit_gamma(tau: ArrayLike, tracked: ArrayLike) -> float:
    r"""The speed parameter of a subcycle that fits tracked positions best, in closed form.

    Parameters
    ----------
    tau : array-like
        (frames,) times of the tracked frames, from 0 to 1.
    tracked : array-like
        (frames,) the share :math:`f` of the path that is left, 1 at the start and 0 at the end; or (frames, ...)
        contours (or their wavelet coefficients), whose first frame is the one key and whose last is the other.

    Notes
    -----
    Least squares: :math:`\gamma = \sum (y - 1 + \tau)(\tau^2 - \tau) / \sum (\tau^2 - \tau)^2`. Of contours, both the
    residual and the basis are vectors along :math:`A^s - A^d`.
    """
    return _fit(*_checked(tau, tracked))[0]


def _checked(tau: ArrayLike, tracked: ArrayLike) -> tuple[Floats, Floats]:
    at, values = np.asarray(tau, dtype=float), np.asarray(tracked, dtype=float)
    if at.ndim != 1 or len(values.shape) == 0 or len(values) != len(at):
        raise ParameterError(f"There must be one tracked frame for each time: got {at.shape} and {values.shape}.")
    if not (np.isfinite(at).all() and np.isfinite(values).all()):
        raise ParameterError("Tracked frames and their times must be finite numbers.")
    if at.min(initial=0.0) < 0.0 or at.max(initial=1.0) > 1.0:
        raise ParameterError("The times of a subcycle run from 0 (its first key drawing) to 1 (its second).")
    if not np.any((at > 0.0) & (at < 1.0)):
        raise ParameterError("At least one tracked frame must lie between the key drawings.")
    if values.ndim > 1 and not (at[0] == 0.0 and at[-1] == 1.0):
        raise ParameterError("Tracked contours must begin and end with the key drawings, at the times 0 and 1.")
    return at, values


def _fit(at: Floats, values: Floats) -> tuple[float, float, float]:
    """gamma, the weight of this fit (the sum of the squared basis), and the distance between the keys."""
    if values.ndim == 1:
        start, end = np.ones(1), np.zeros(1)
        flat = values[:, None]
    else:
        flat = values.reshape(len(values), -1)
        start, end = flat[0], flat[-1]
    distance = start - end
    residual = flat - ((1.0 - at)[:, None] * start + at[:, None] * end)
    basis = (at * at - at)[:, None] * distance
    weight = float(np.sum(basis * basis))
    if weight == 0.0:
        raise ParameterError("The two key drawings of a subcycle are the same: there is no motion to fit.")
    return float(np.sum(residual * basis)) / weight, weight, float(np.sqrt(np.mean(distance * distance)))


@dataclass(frozen=True)
class GaitTiming:
    """How a limb speeds up and slows down.

    Parameters
    ----------
    gamma_a : float
        Of the subcycle from the first key drawing to the second; -1 starts from rest, 0 is even.
    gamma_b : float
        Of the subcycle from there to the first one with sides exchanged; 1 ends at rest.
    share_a : float
        The share of both subcycles' time that the first one takes.
    """

    gamma_a: float = -1.0 / 3.0
    gamma_b: float = 1.0 / 3.0
    share_a: float = 0.5

    def __post_init__(self) -> None:
        for name in ("gamma_a", "gamma_b"):
            if not -1.0 <= getattr(self, name) <= 1.0:
                raise ParameterError(
                    f"{name} must lie between -1 and 1, so that a limb never turns back, not be {getattr(self, name)}."
                )
        if not 0.0 < self.share_a < 1.0:
            raise ParameterError(f"share_a must lie between 0 and 1; got {self.share_a}.")

    def subcycle_at(self, phases: ArrayLike) -> tuple[np.ndarray, Floats]:
        """The subcycle (0 to 3, A to D) at phases of the cycle, and how far it has got, 0 to 1."""
        half = 2.0 * (np.asarray(phases, dtype=float) % 1.0)
        second = half >= 1.0
        part = np.where(second, half - 1.0, half)
        later = part >= self.share_a
        tau = np.where(later, (part - self.share_a) / (1.0 - self.share_a), part / self.share_a)
        done = np.where(later, progress(tau, self.gamma_b), progress(tau, self.gamma_a))
        return 2 * second.astype(int) + later.astype(int), np.clip(done, 0.0, 1.0)


def fit_gait(
    tau_a: ArrayLike,
    tracked_a: ArrayLike,
    tau_b: ArrayLike,
    tracked_b: ArrayLike,
    *,
    share_a: float = 0.5,
    match_speed: bool = True,
) -> GaitTiming:
    r"""Fit both subcycles of tracked limbs, so that they meet at the same speed.

    Parameters
    ----------
    tau_a, tracked_a, tau_b, tracked_b : array-like
        Of the first and of the second subcycle, as in :func:`fit_gamma`.
    share_a : float
        How much of the time of both the first one takes.
    match_speed : bool
        Hold :math:`(1 - \gamma_A) D_A / T_A = (1 + \gamma_B) D_B / T_B` while fitting; otherwise each subcycle is
        fitted alone. Results are limited to -1 ... 1.

    Notes
    -----
    With weights :math:`S` (sums of the squared basis) and the free fits g, the constrained minimum of
    :math:`S_A (\gamma_A - g_A)^2 + S_B (\gamma_B - g_B)^2` is one projection along :math:`S^{-1} c`.
    """
    GaitTiming(share_a=share_a)  # checks it
    gamma_a, weight_a, distance_a = _fit(*_checked(tau_a, tracked_a))
    gamma_b, weight_b, distance_b = _fit(*_checked(tau_b, tracked_b))
    speed_a, speed_b = distance_a / share_a, distance_b / (1.0 - share_a)
    if match_speed:
        off = speed_a * gamma_a + speed_b * gamma_b - (speed_a - speed_b)
        step = off / (speed_a**2 / weight_a + speed_b**2 / weight_b)
        gamma_a, gamma_b = gamma_a - step * speed_a / weight_a, gamma_b - step * speed_b / weight_b
        if not -1.0 <= gamma_a <= 1.0:
            gamma_a = float(np.clip(gamma_a, -1.0, 1.0))
            gamma_b = (speed_a * (1.0 - gamma_a) - speed_b) / speed_b
        if not -1.0 <= gamma_b <= 1.0:
            gamma_b = float(np.clip(gamma_b, -1.0, 1.0))
            gamma_a = (speed_a - speed_b * (1.0 + gamma_b)) / speed_a
    return GaitTiming(float(np.clip(gamma_a, -1.0, 1.0)), float(np.clip(gamma_b, -1.0, 1.0)), share_a)


def swap_sides(drawing: Drawing, pairs: Mapping[str, str] | None = None) -> Drawing:
    """The drawing with the poses of opposite limbs exchanged: near and far, left and right.

    Only the curves are exchanged; colour and order stay, so that a limb behind the body stays behind it.

    Parameters
    ----------
    pairs : mapping or None
        Names of opposite layers; by default those that differ in "left" and "right" or "near" and "far".
    """
    names = [layer.name for layer in drawing.layers]
    if pairs is None:
        partner = opposite_layers(drawing)
    else:
        for name in (*pairs, *pairs.values()):
            if name not in names:
                raise UnknownNameError("layer", name, names)
        partner = dict(pairs) | {other: name for name, other in pairs.items()}
    if not partner:
        raise ParameterError(
            "The drawing has no opposite limbs: name its layers with left and right or near and far, such as "
            '"near hind leg" and "far hind leg", or give the pairs.'
        )
    return drawing.replace_layers(
        tuple(
            layer.replace_contours(drawing.layer(partner.get(layer.name, layer.name)).contours)
            for layer in drawing.layers
        )
    )


def opposite_layers(drawing: Drawing) -> dict[str, str]:
    """The layers that differ in "left" and "right" or "near" and "far", each with its opposite."""
    names = [layer.name for layer in drawing.layers]
    partner = {name: _opposite(name) for name in names}
    return {name: other for name, other in partner.items() if other != name and other in names}


def _opposite(name: str) -> str:
    """A name with its first side exchanged, in the same case."""

    def exchange(match: re.Match[str]) -> str:
        word = match[0]
        other = OPPOSITES[word.lower()]
        return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other

    return re.sub(r"(?<![a-z])(?:left|right|near|far)(?![a-z])", exchange, name, count=1, flags=re.IGNORECASE)


def walk_cycle(
    key_1: Drawing,
    key_2: Drawing,
    frames: int = 24,
    *,
    timing: GaitTiming | None = None,
    pairs: Mapping[str, str] | None = None,
    method: Method = "safe",
    **options: Any,
) -> Morph:
    """A gait cycle from two key drawings: contact, passing, and both with the sides exchanged.

    Parameters
    ----------
    key_1, key_2 : Drawing
        A quarter of the cycle apart, with the same layers: a limb of key_1 is in key_2 where it is a quarter of a cycle
        later.
    frames : int
        Of the whole cycle; the one after the last is the first again.
    timing : GaitTiming or None
        How limbs speed up and slow down; see :func:`fit_gait`.
    pairs : mapping or None
        Opposite layers, see :func:`swap_sides`.
    method, options
        Of the in-betweens, as in :func:`~kinetune.contours.morphing.morph.morph`.

    Returns
    -------
    Morph
        The first drawing is ``key_1`` itself.

    Notes
    -----
    [chuang] Figures 9 and 12: subcycle A goes from key 1 to key 2, B to key 1', C to key 2', D back to key 1.

    Examples
    --------
    >>> from kinetune import sample_drawing
    >>> len(walk_cycle(sample_drawing("dog-1"), sample_drawing("dog-2"), frames=8))
    8
    """
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer) or not 1 <= frames <= MOST_FRAMES:
        raise ParameterError(f"frames must be a whole number from 1 to {MOST_FRAMES}, not {frames}.")
    return _walk(key_1, key_2, np.arange(int(frames)) / int(frames), timing, pairs, method, options)


def walk_in_time(
    key_1: Drawing,
    key_2: Drawing,
    clip: Clip,
    *,
    foot: str = "left",
    fps: float | None = None,
    timing: GaitTiming | None = None,
    pairs: Mapping[str, str] | None = None,
    method: Method = "safe",
    **options: Any,
) -> Morph:
    """A walk of drawings in step with a clip: where a foot lands in the clip, the drawing is at ``key_1``.

    Parameters
    ----------
    foot : str
        Of the clip, "left" or "right" or a joint, that sets the time.
    fps : float or None
        Drawings per second; by default one for every frame of the clip.
    """
    from kinetune.body.feet.contacts import find_contacts

    contacts = clip.contacts if clip.contacts is not None else find_contacts(clip)
    phases = contacts.phases[:, contacts.column(foot)]
    if np.isnan(phases).any():
        raise ParameterError(
            f"The {foot} foot of the clip lands fewer than twice, so it has no step cycle to walk by. "
            "Take a clip of a walk."
        )
    if fps is not None:
        if not 0.0 < fps <= 1000.0:
            raise ParameterError(f"fps must lie between 0 and 1000 drawings a second, not be {fps}.")
        count = max(1, int(np.floor(clip.duration * fps + 1e-9)) + 1)
        whole = np.unwrap(2.0 * np.pi * phases) / (2.0 * np.pi)
        phases = np.interp(np.arange(count) / fps, np.arange(len(clip)) / clip.fps, whole) % 1.0
    return _walk(key_1, key_2, phases, timing, pairs, method, options)


def _walk(
    key_1: Drawing,
    key_2: Drawing,
    phases: Floats,
    timing: GaitTiming | None,
    pairs: Mapping[str, str] | None,
    method: Method,
    options: Mapping[str, Any],
) -> Morph:
    keys: Sequence[Drawing] = (key_1, key_2, swap_sides(key_1, pairs), swap_sides(key_2, pairs), key_1)
    subcycle, done = (timing or GaitTiming()).subcycle_at(phases)
    drawings: list[Drawing] = [key_1] * len(phases)
    notes: dict[str, None] = {}
    reports: list[LayerReport] = []
    films: list[tuple[int, MovingDrawing | None]] = []  # by layers, each from its first frame on
    for number in range(4):
        here = np.flatnonzero(subcycle == number)
        if len(here) == 0:
            continue
        part = morph_at(keys[number], keys[number + 1], done[here], method, **options)
        for index, drawing in zip(here.tolist(), part, strict=True):
            drawings[index] = drawing
        notes |= dict.fromkeys(part.notes)
        reports += part.layers
        for run in np.split(np.arange(len(here)), np.flatnonzero(np.diff(here) > 1) + 1):
            film = None if part.moving is None else part.moving.take(run.tolist())
            films.append((int(here[run[0]]), film))
    parts = [film for _, film in sorted(films, key=lambda film: film[0]) if film is not None]
    moving = join_films(parts) if len(parts) == len(films) > 0 else None
    return Morph(drawings, tuple(notes), reports, moving, joined=True)
