r"""Forces from outside on an elastic curve: gravity, attraction, or any function; solved by adaptive Runge-Kutta.

A force is a function (seconds, points (n, 2), velocities (n, 2)) -> accelerations: what pulls at a unit of mass.

Notes
-----
[chuang] section 3.3 integrates Equation 3.15 by a Runge-Kutta method with adaptive steps. The elastic part is stiff:
its fastest mode grows with the square of the samples and would dictate steps of microseconds. Here the pair of Dormand
and Prince (RK45) is used in Lawson's form: within a step the elastic part is solved exactly and only the force is
integrated, so that steps follow the force. All stages look forward in time, so nothing can blow up.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.elastic.materials import SLOWEST, Material
from kinetune.contours.elastic.relaxation import Elastic, Force
from kinetune.contours.elastic.single_mode import ModeStep, step_modes
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

TOLERANCE = 1e-8  # of the size of the curve, per step
_MOST_STEPS = 100_000
_FINEST = 30  # a gap between two times is halved at most so often

# Dormand and Prince (1980): nodes, stages, weights of order 5, and those minus the ones of order 4.
_NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERRORS = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def gravity(pull: ArrayLike = (0.0, 9.81)) -> Force:
    """The same acceleration everywhere; (0, 9.81) points down the screen."""
    vector = _vector(pull, "pull")
    return lambda time, points, velocities: vector


def attraction(centre: ArrayLike, strength: float = 1.0, *, reach: float = 1.0) -> Force:
    """A pull towards a point (strength above 0) or away from it (below 0), strongest at about ``reach`` from it.

    The acceleration is strength * d / (1 + (d / reach)^2)^(3/2), d being the vector to the point: a spring close by,
    and the inverse square of the distance far away.
    """
    source = _vector(centre, "centre")
    if not (np.isfinite(strength) and np.isfinite(reach) and reach > 0):
        raise ParameterError(
            f"An attraction needs a strength that is a number and a reach above 0; got {strength}, {reach}."
        )

    def pull(time: float, points: Floats, velocities: Floats) -> Floats:
        offset = source - points
        acceleration: Floats = (
            strength * offset / (1.0 + np.sum(offset * offset, axis=1, keepdims=True) / reach**2) ** 1.5
        )
        return acceleration

    return pull


def together(*forces: Force) -> Force:
    """The sum of several forces."""

    def total(time: float, points: Floats, velocities: Floats) -> Floats:
        result = np.zeros_like(points)
        for force in forces:
            result += np.asarray(force(time, points, velocities), dtype=float)
        return result

    return total


def _vector(value: ArrayLike, name: str) -> Floats:
    vector = np.asarray(value, dtype=float)
    if vector.shape != (2,) or not np.isfinite(vector).all():
        raise ParameterError(f"{name} must be two numbers (x, y), not {value!r}.")
    return vector


def accelerations(force: Force, time: float, points: Floats, velocities: Floats) -> Floats:
    """The accelerations of a force as (n, 2), checked."""
    answer = np.asarray(force(time, points, velocities), dtype=float)
    try:
        field = np.broadcast_to(answer, points.shape)
    except ValueError:
        raise ParameterError(
            f"The force answers shape {answer.shape} at {time:.4g} s; it should answer (x, y), or one for each of "
            f"{len(points)} samples."
        ) from None
    if not np.isfinite(field).all():
        raise ParameterError(f"The force is not a number at {time:.4g} s.")
    return np.ascontiguousarray(field)


def integrate(
    curve: Elastic,
    offset: Floats,
    velocity: Floats | None,
    times: Floats,
    material: Material,
    rest: Floats,
    force: Force | None,
    *,
    tolerance: float = TOLERANCE,
) -> list[Floats]:
    """Displacements (n, 2) at growing times under a force; None is no force."""
    return _Lawson(curve, material, rest, force or gravity((0.0, 0.0)), tolerance).run(offset, velocity, times)


class _Lawson:
    """Dormand-Prince steps on Fourier modes, the elastic part exact."""

    def __init__(self, curve: Elastic, material: Material, rest: Floats, force: Force, tolerance: float) -> None:
        self.curve, self.material, self.rest, self.force = curve, material, rest, force
        self.stiffness = material.e0 * curve.mirrored(curve.spectrum)
        size = float(np.ptp(rest, axis=0).max()) or 1.0
        rate = max(1.0, float(np.sqrt(SLOWEST * material.e0 / material.rho)))
        # What may be wrong with positions and velocities, in the norm of modes: by Parseval, n times that of samples.
        self.near = tolerance * size * curve.period * np.array([1.0, rate])
        self._elastic: OrderedDict[float, ModeStep] = OrderedDict()

    def elastic(self, time: float) -> ModeStep:
        """The exact elastic motion over a time; few times differ, because steps are halved and doubled."""
        step = self._elastic.get(time)
        if step is None:
            step = self._elastic[time] = step_modes(self.stiffness, self.material, time)
            if len(self._elastic) > 200:
                self._elastic.popitem(last=False)
        return step

    def push(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The modes of the force."""
        points = self.rest + self.curve.samples(q.copy())
        return self.curve.modes(accelerations(self.force, time, points, self.curve.samples(v.copy())))

    def run(self, offset: Floats, velocity: Floats | None, times: Floats) -> list[Floats]:
        q = self.curve.modes(offset)
        v = np.zeros_like(q) if velocity is None else self.curve.modes(velocity)
        now, steps, halvings = 0.0, 0, 0
        fields = []
        for until in times:
            gap, done = float(until) - now, 0.0
            halvings = min(halvings, _FINEST)
            while gap > 0 and done < 1.0:
                part = 0.5**halvings
                fresh = self.step(now + done * gap, q, v, part * gap)
                steps += 1
                if steps > _MOST_STEPS:
                    raise ParameterError(
                        f"The force changes so quickly that {_MOST_STEPS:,} steps do not reach {until:.4g} s: "
                        "make it smoother, or the time shorter."
                    )
                if fresh.error > 1.0 and halvings < _FINEST:
                    halvings += 1
                    continue
                q, v, done = fresh.q, fresh.v, done + part
                # Doubling a step makes its error 32 times as large; it must also end where a double one may begin.
                if fresh.error < 0.02 and halvings and (done / (2 * part)).is_integer():
                    halvings -= 1
            now = float(until)
            fields.append(self.curve.samples(q.copy()))
        return fields

    def step(self, time: float, q: np.ndarray, v: np.ndarray, size: float) -> _Step:
        pushes: list[np.ndarray] = []
        for node, weights in zip(_NODES, _STAGES, strict=True):
            if node == 0:
                at, speed = q, v
            else:
                whole = self.elastic(node * size)
                at, speed = whole.stay * q + whole.push * v, whole.pull * q + whole.keep * v
                for weight, before, kick in zip(weights, _NODES, pushes, strict=False):
                    if weight:
                        # A kick at an earlier node has swung on since.
                        part = self.elastic((node - before) * size) if node > before else None
                        at = at + (0.0 if part is None else (size * weight) * part.push * kick)
                        speed = speed + (size * weight) * (kick if part is None else part.keep * kick)
            pushes.append(self.push(time + node * size, at, speed))
        wrong_q, wrong_v = np.zeros_like(q), np.zeros_like(v)
        for weight, before, kick in zip(_ERRORS, _NODES, pushes, strict=True):
            if weight:
                part = self.elastic((1.0 - before) * size) if before < 1 else None
                wrong_q += 0.0 if part is None else (size * weight) * part.push * kick
                wrong_v += (size * weight) * (kick if part is None else part.keep * kick)
        error = max(np.linalg.norm(wrong_q) / self.near[0], np.linalg.norm(wrong_v) / self.near[1])
        # The last stage of this pair is the result.
        return _Step(at, speed, float(error))


class _Step:
    def __init__(self, q: np.ndarray, v: np.ndarray, error: float) -> None:
        self.q, self.v, self.error = q, v, error
