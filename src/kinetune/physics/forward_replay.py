"""An independent check: MuJoCo alone, given joint torques and contact forces, must move as the clip does.

==============  ===================================================================================
replay          runs a motion's torques and forces through MuJoCo's forward simulation
Replay          how far it drifts, from which frame
==============  ===================================================================================

The dynamic filter computes accelerations, and from them torques and contact forces. The replay knows neither H, C nor
the contact map of the filter: it loads the model from its MJCF text, hands the joint torques and the contact forces to
MuJoCo (``qfrc_applied``, forces by ``mj_applyFT`` at the points where they acted), lets MuJoCo's forward dynamics
(``mj_forward``) find the accelerations, and goes on from the state that it reached, never back to the clip. Nothing
holds it: the root is free, contact forces are all that acts on it, and no feedback acts anywhere. A force of one
hundredth of the body's weight that came from nowhere would show as a drift of 12 mm after half a second.

*The time step.* The filter takes explicit Euler steps of one frame ([pollard] section 5: a sixtieth of a second), so
that a motion and its torques belong together as a difference equation. By default the replay takes the same steps
(``substeps=1``). With more substeps MuJoCo's own fourth-order Runge-Kutta integrates (``mj_step``), torques and forces
held for a frame's time and centred on the steps that they make: that adds the error of steps of one frame against
continuous time.

*Where forces act.* By default a frame's forces and torques enter as the generalized forces that they were in that
frame. With ``follow`` they act at the points and in the axes of the body as it has moved. Then a standing foot is a
light strut under the weight of the body that no ground and no reflex steadies: rounding errors double every few
milliseconds (toes: rates of 130 a second), and no half second survives, however right the forces are.

``feedback`` adds springs towards the clip at the joints, never at the root; such a replay says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.physics.equations_of_motion import euler_velocities, integrate, segment_poses
from kinetune.physics.ground import Bools
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

FAR = 10.0
"""Metres: a replay that flies apart is stopped, and its drift is given as this."""
_WILD = 300.0  # radians or metres a second at which it has flown apart


@dataclass(frozen=True, eq=False)
class Replay:
    """How far a replay drifts from the clip.

    Parameters
    ----------
    starts : tuple of int
        The frames from which it was started.
    seconds : float
        How long each run lasted.
    drift : array, shape (starts, steps + 1)
        Metres between replay and clip, for the joint that is farthest; NaN past the end of the clip.
    final : array, shape (steps + 1, nq)
        Coordinates of the run that drifts most.
    substeps, feedback, follow
        How it was done.
    """

    starts: tuple[int, ...]
    seconds: float
    drift: Floats
    final: Floats
    substeps: int
    feedback: tuple[float, float] | None = None
    follow: bool = False

    @property
    def worst(self) -> float:
        """The largest drift of all runs in metres."""
        return float(np.nanmax(self.drift))

    @property
    def worst_start(self) -> int:
        """The frame from which the run drifts most."""
        return self.starts[int(np.argmax(np.nanmax(self.drift, axis=1)))]

    def as_dict(self) -> dict[str, Any]:
        """The replay as a JSON-ready mapping."""
        last = [float(row[np.isfinite(row)][-1]) for row in self.drift]
        return {
            "seconds": self.seconds,
            "starts": len(self.starts),
            "drift_mm": 1e3 * self.worst,
            "drift_median_mm": 1e3 * float(np.median(last)),
            "worst_start": self.worst_start,
            "substeps": self.substeps,
            "feedback": None if self.feedback is None else list(self.feedback),
            "follow": self.follow,
        }


def replay(
    clip: Clip,
    body: Body,
    forces: Floats,
    torques: Floats,
    *,
    seconds: float = 0.5,
    starts: Iterable[int] | None = None,
    substeps: int = 1,
    feedback: tuple[float, float] | None = None,
    follow: bool = False,
) -> Replay:
    """Replay a motion from its torques and contact forces in MuJoCo's forward simulation.

    Parameters
    ----------
    clip : Clip
        The motion.
    body : Body
        Its model.
    forces : array, shape (frames, points, 3)
        Newtons at the contact points, in world axes.
    torques : array, shape (frames, segments, 3)
        Newton metres at the joints, in the axes of their segments. The root's are not used: it is free. NaN ends a run.
    seconds : float
        How long each run lasts.
    starts : iterable of int, optional
        The frames to start from; by default every tenth of a second, as far as a whole run fits.
    substeps : int
        1 takes the filter's own steps; more integrate each frame finely, see the module.
    feedback : (float, float), optional
        Stiffness (1/s2) and damping (1/s) of springs towards the clip's pose at the joints.
    follow : bool
        Forces act at the points, and torques in the axes, of the body as it has moved.

    Returns
    -------
    Replay
        ``drift``, (starts, frames of a run) in metres, and ``worst``, the largest of it.

    Notes
    -----
    Law: torques and forces of an exact inverse dynamics give the motion back to rounding
    (``test_replay.py::test_exact_torques_give_the_motion_back``).

    Examples
    --------
    >>> from kinetune import filter_dynamics, sample
    >>> walk = filter_dynamics(sample("walk")[:60], method="filter")
    >>> replay(walk.simulated, walk.body, walk.step_forces, walk.step_torques).worst < 1e-5
    True
    """
    frames = len(clip)
    shapes = (np.shape(forces), np.shape(torques))
    expected = ((frames, len(body.points), 3), (frames, len(body.segments), 3))
    if shapes != expected:
        raise ParameterError(f"forces and torques must have the shapes {expected[0]} and {expected[1]}; got {shapes}.")
    if substeps < 1 or not seconds > 0.0:
        raise ParameterError(f"substeps must be at least 1 and seconds positive; got {substeps} and {seconds}.")
    usable: Bools = np.logical_and(np.isfinite(torques).all(axis=(1, 2)), np.isfinite(forces).all(axis=(1, 2)))
    steps = max(1, round(seconds * clip.fps))
    last = frames - 2
    chosen = list(range(0, max(last - steps, 0) + 1, max(1, round(0.1 * clip.fps)))) if starts is None else list(starts)
    chosen = [start for start in chosen if 0 <= start < last and usable[start]]
    if not chosen:
        raise ParameterError("No frame to start the replay from: it takes two frames with torques and forces.")
    run = _Run(clip, body, np.nan_to_num(forces), np.nan_to_num(torques), usable, substeps, feedback, follow)
    drift = np.full((len(chosen), steps + 1), np.nan)
    worst = -1.0
    final: Floats = np.zeros((0, body.nq))
    for row, start in enumerate(chosen):
        drifted, path = run.go(start, min(steps, last - start))
        drift[row, : len(drifted)] = drifted
        if drifted.max() > worst:
            worst, final = float(drifted.max()), path
    return Replay(tuple(chosen), seconds, drift, final, substeps, feedback, follow)


class _Run:
    """One replay after another, of one motion."""

    def __init__(
        self,
        clip: Clip,
        body: Body,
        forces: Floats,
        torques: Floats,
        usable: Bools,
        substeps: int,
        feedback: tuple[float, float] | None,
        follow: bool,
    ) -> None:
        self.follow = follow
        self.body, self.forces, self.torques, self.usable = body, forces, torques, usable
        self.model = mujoco.MjModel.from_xml_string(body.mjcf)
        self.seconds = 1.0 / clip.fps
        self.substeps, self.feedback = substeps, feedback
        self.model.opt.timestep = self.seconds / substeps
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.data = mujoco.MjData(self.model)
        self.qpos = body.coordinates(clip)
        self.velocity, _ = euler_velocities(body, self.qpos, self.seconds)
        self.places, _ = segment_poses(body, self.qpos)
        self.loads = np.zeros((len(clip), self.model.nv))
        for frame, q in enumerate(self.qpos):
            self.data.qpos[:] = q
            mujoco.mj_kinematics(self.model, self.data)
            mujoco.mj_comPos(self.model, self.data)
            self.loads[frame] = self._generalized(frame)

    def go(self, start: int, steps: int) -> tuple[Floats, Floats]:
        data, model = self.data, self.model
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = self.qpos[start], self.velocity[start]
        if self.substeps > 1 and start > 0:
            data.qvel[:] = 0.5 * (self.velocity[start - 1] + self.velocity[start])
        drift, path = [0.0], [np.array(data.qpos)]
        for frame in range(start, start + steps):
            if not self.usable[frame]:
                break
            if not all(self._step(frame, step) for step in range(self.substeps)):
                drift.append(FAR)
                break
            mujoco.mj_kinematics(model, data)
            off = np.linalg.norm(np.asarray(data.xpos[1:]) - self.places[frame + 1], axis=1)
            drift.append(min(float(off.max()), FAR))
            path.append(np.array(data.qpos))
        return np.array(drift), np.array(path)

    def _step(self, frame: int, step: int) -> bool:
        """One step within a frame; False when the body has flown apart.

        In continuous time the forces of frame t carry the velocity from t + 1/2 to t + 3/2.
        """
        data, model = self.data, self.model
        acting = frame if self.substeps == 1 or 2 * step >= self.substeps else max(frame - 1, 0)
        self._load(acting)
        if self.feedback is not None:
            self._hold(frame, step / self.substeps, self.feedback)
        if self.substeps == 1:
            mujoco.mj_forward(model, data)
            acceleration = np.array(data.qacc)
            mujoco.mj_integratePos(model, data.qpos, data.qvel, self.seconds)
            data.qvel[:] += acceleration * self.seconds
        else:
            mujoco.mj_step(model, data)
        return bool(np.abs(data.qvel).max() < _WILD)

    def _load(self, frame: int) -> None:
        """Hand the forces of a frame to MuJoCo: as recorded, or at the points and in the axes of the moving body."""
        data = self.data
        data.qfrc_applied[:] = self.loads[frame]
        if self.follow:
            mujoco.mj_kinematics(self.model, data)
            mujoco.mj_comPos(self.model, data)
            data.qfrc_applied[:] = self._generalized(frame)

    def _generalized(self, frame: int) -> Floats:
        """(nv,) joint torques, and what contact forces do at their points of the body where MuJoCo has placed it."""
        data, none = self.data, np.zeros(3)
        load = np.zeros(self.model.nv)
        load[6:] = self.torques[frame, 1:].reshape(-1)
        for point, force in zip(self.body.points, self.forces[frame], strict=True):
            if force.any():
                place = (
                    np.asarray(data.xpos[point.body]) + np.asarray(data.xmat[point.body]).reshape(3, 3) @ point.position
                )
                mujoco.mj_applyFT(self.model, data, force, none, place, point.body, load)
        return load

    def _hold(self, frame: int, share: float, feedback: tuple[float, float]) -> None:
        """Springs at the joints towards the clip: they change the joints' accelerations and leave the root free."""
        data, model = self.data, self.model
        target = integrate(self.body, self.qpos[frame], self.velocity[frame], share * self.seconds)
        error = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, error, 1.0, data.qpos, target)
        acceleration = feedback[0] * error + feedback[1] * (self.velocity[frame] - data.qvel)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        free = np.linalg.solve(mass[:6, :6], mass[:6, 6:] @ acceleration[6:])
        data.qfrc_applied[6:] += mass[6:, 6:] @ acceleration[6:] - mass[6:, :6] @ free
