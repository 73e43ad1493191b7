"""Judging a motion frame by frame: what it needs, what the contacts give, and what is left."""

from __future__ import annotations

from typing import Literal

import mujoco
import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Ground as Standing
from kinetune.body.feet.soles import still_speed
from kinetune.physics.equations_of_motion import centres, differences
from kinetune.physics.ground import TOUCH_SPEED, Bools, Ground, touching
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.physics.support import Supporter, centre_of_pressure, contact_torques, support_margin
from kinetune.progress import report
from kinetune.rotations import Floats

LOADED = 0.2
"""Body weights below which a frame is not judged: so much is noise where a runner takes off or lands."""
_FALL_S = 0.05
_LEAST_FLIGHT = 3

Scheme = Literal["central", "euler"]


class Judge:
    """Goes through the frames of a motion and fills in what is found."""

    def __init__(
        self,
        body: Body,
        mu: float,
        sides: int,
        ground: Ground,
        frames: int,
        first: int,
        motion: Clip,
        standing: Standing | None,
    ) -> None:
        self.body, self.mu, self.ground, self.first = body, mu, ground, first
        self.motion, self.standing = motion, standing
        self.supporter = Supporter(body, mu, sides)
        points = len(body.points)
        self.forces, self.com, self.pressure = (np.full((frames, 3), np.nan) for _ in range(3))
        self.friction, self.residual, self.moment, self.margin = (np.full(frames, np.nan) for _ in range(4))
        self.touch = np.zeros((frames, points), dtype=bool)
        self.contact = np.zeros((frames, points, 3))
        self.torques = np.full((frames, len(body.segments), 3), np.nan)

    def run(self, qpos: Floats, scheme: Scheme, given: Floats | None) -> None:
        body, first = self.body, self.first
        velocity, acceleration = differences(body, qpos, 1.0 / self.motion.fps)
        start = 0
        if scheme == "central":
            start, velocity = 1, 0.5 * (velocity[:-1] + velocity[1:])
        points = body.point_positions(qpos)
        down = touching(points, self.ground)
        if given is None:  # a treadmill carries its feet along
            seen = points if self.standing is None else self.standing.still_positions(self.motion, points)
            down = down & (still_speed(seen, self.motion.fps) < TOUCH_SPEED)
        normals = self.ground.normal(points)
        self.com[first:] = centres(body, qpos)
        self.touch[first:] = down
        data = mujoco.MjData(body.model)
        need = np.zeros(body.nv)
        for row in range(len(acceleration)):
            frame = start + row
            data.qpos[:], data.qvel[:], data.qacc[:] = qpos[frame], velocity[row], acceleration[row]
            mujoco.mj_kinematics(body.model, data)
            mujoco.mj_comPos(body.model, data)
            mujoco.mj_comVel(body.model, data)
            mujoco.mj_rne(body.model, data, 1, need)
            self._frame(first + frame, data, need, points[frame], normals[frame], down[frame], given, frame)
            if row % 50 == 0:
                report(row / len(acceleration), "judging")

    def _frame(
        self,
        frame: int,
        data: mujoco.MjData,
        need: Floats,
        points: Floats,
        normals: Floats,
        down: Bools,
        given: Floats | None,
        local: int,
    ) -> None:
        body = self.body
        root, axes = np.asarray(data.xpos[1]), np.asarray(data.xmat[1]).reshape(3, 3)
        com = np.asarray(data.subtree_com[1])
        which = np.flatnonzero(down) if given is None else np.flatnonzero(np.any(given[local] != 0.0, axis=1))
        if given is None:
            forces, left = self.supporter.solve(need[:6], points[which], normals[which], root, axes, com)
        else:
            forces = given[local][which]
        torques = need - contact_torques(body, data, forces, points[which], which)
        if given is not None:
            left = np.concatenate([torques[:3], axes @ torques[3:6] - np.cross(com - root, torques[:3])])
            self.touch[frame] = False
            self.touch[frame, which] = True
        self.forces[frame] = need[:3]
        self.contact[frame, which] = forces
        self.residual[frame] = np.linalg.norm(left[:3]) / body.weight
        self.moment[frame] = np.linalg.norm(left[3:]) / (body.weight * body.height)
        self.torques[frame, 0] = 0.0
        self.torques[frame, 1:] = torques[6:].reshape(-1, 3)
        total = need[:3]
        if len(which) == 0 or np.linalg.norm(total) <= LOADED * body.weight:
            return
        up = normals[which].mean(axis=0)
        up = up / np.linalg.norm(up)
        push = float(total @ up)
        slip = float(np.linalg.norm(total - push * up))
        self.friction[frame] = slip / push if push > 0.0 else np.inf
        if total[1] > LOADED * body.weight:
            torque = axes @ need[3:6] - np.cross(com - root, total)
            level = float(points[which, 1].mean())
            self.pressure[frame] = centre_of_pressure(total, torque, com, level)
            self.margin[frame] = support_margin(self.pressure[frame], points[which])

    def flights(self, fps: float) -> tuple[tuple[int, int, float], ...]:
        if not self.body.points or not self.touch.any():
            return ()
        aloft: Bools = np.logical_not(self.touch.any(axis=1))
        aloft[: self.first] = False
        found = []
        for start, stop in runs(aloft):
            if stop - start < _LEAST_FLIGHT:
                continue
            time = np.arange(stop - start) / fps
            arc = self.com[start:stop] - 0.5 * np.array([0.0, -GRAVITY, 0.0]) * time[:, None] ** 2
            line = np.column_stack([np.ones_like(time), time])
            fit = line @ np.linalg.lstsq(line, arc, rcond=None)[0]
            found.append((start, stop - 1, float(np.linalg.norm(arc - fit, axis=1).max())))
        return tuple(found)


def fastest_fall(heights: Floats, fps: float) -> float:
    """How fast a centre of mass (frames,) falls, at its fastest: the mean downward acceleration over 0.05 s, m/s^2.

    Nothing that only the ground pushes falls faster than gravity. Smoothed captures reach 15; CMU's 74_04, which was
    captured at 60 frames a second and is labelled 120, reaches 39, four times gravity.
    """
    width = max(1, round(_FALL_S * fps))
    if len(heights) < width + 3:
        return 0.0
    speed = np.gradient(heights) * fps
    return max(0.0, -float(np.min(speed[width:] - speed[:-width])) * fps / width)


def runs(flags: Bools) -> list[tuple[int, int]]:
    """Stretches of True as (start, stop), in order."""
    edges = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))
