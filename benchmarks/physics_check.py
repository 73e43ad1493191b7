"""An independent judge of motion: could the ground have given the forces that a written clip needs?

It knows nothing of the solvers: joint angles are read from a clip, velocities and accelerations are central
differences, MuJoCo's recursive Newton-Euler gives the force and moment that the root needs, and an own contact solver
(non-negative least squares over a pyramid of eight sides) finds what points near the ground can give. A point may press
if it is low and slow: *loose*, 5 cm and 0.8 m/s; *strict*, 2 cm and 0.3 m/s. What is left is the residual.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import mujoco
import numpy as np
from scipy.optimize import nnls

from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.model.body_model import Body

GRAVITY = 9.81
LOOSE, STRICT = (0.05, 0.8), (0.02, 0.3)
_SIDES, _FRAMES = 8, 240
_ALOFT, _OUT = 0.03, 0.005
_LEGS = ("leg", "foot", "toes")


@dataclass(frozen=True)
class Card:
    """The figures of one clip; forces in body weights. None where there is nothing to measure."""

    loose: float
    strict: float
    cop_out: float
    deepest_mm: float
    slide_mm_s: float | None
    flight_bw: float | None
    arc_mm: float | None
    upper_deg: float
    legs_deg: float
    root_cm: float
    fell: bool
    claimed: float | None = None
    moving_impulse: float | None = None
    friction_work: float | None = None

    @classmethod
    def mean(cls, cards: list[Card]) -> dict[str, float | None]:
        """Means of all figures over clips that have them; sums of falls."""
        means: dict[str, float | None] = {}
        for entry in fields(cls):
            values = [getattr(card, entry.name) for card in cards if getattr(card, entry.name) is not None]
            join = sum if entry.name == "fell" else np.mean
            means[entry.name] = float(join(values)) if values else None
        return means


def judge(
    body: Body,
    q: np.ndarray,
    given: np.ndarray,
    fps: float,
    heights: np.ndarray | float,
    forces: np.ndarray | None = None,
    mu: float = 1.0,
) -> Card:
    """Judge a motion q (frames, nq) against the one it was made from.

    heights : of the ground under each contact point, (frames, points) or a number.
    forces : (frames, points, 3) newtons that come with the motion, to be compared with those that it needs.
    """
    need, com = needed_wrenches(body, q, fps)
    points = body.point_positions(q)
    velocity = np.gradient(points, 1.0 / fps, axis=0)
    speed = np.linalg.norm(velocity, axis=2)
    above = points[..., 1] - heights
    frames = len(q)
    chosen = np.linspace(2, frames - 3, min(frames - 4, _FRAMES)).astype(int)
    left = {}
    for name, (low, slow) in (("loose", LOOSE), ("strict", STRICT)):
        down = (above < low) & (speed < slow)
        left[name] = float(np.mean([residual(body, need[t], com[t], points[t, down[t]], mu) for t in chosen]))
    flights = [(a, b) for a, b in _runs(above.min(axis=1) > _ALOFT) if b - a > 4]
    bend = np.zeros((frames, 3))
    bend[1:-1] = np.diff(com, 2, axis=0) * fps**2
    bend[:, 1] += GRAVITY
    fall = [float(np.linalg.norm(bend[a + 1 : b - 1], axis=1).mean()) for a, b in flights]
    turned = 2.0 * np.degrees(np.arccos(np.clip(np.abs(_dots(q, given)), 0.0, 1.0)))
    roles = {joint: role for role, joint in body.skeleton.roles.items()}
    legs = np.array([any(part in roles.get(s.joint, "") for part in _LEGS) for s in body.segments])
    start = _com(body, given)
    root = np.linalg.norm((q - given)[:, :3], axis=1).max()
    sunk = np.any((com[:, 1] - np.mean(heights)) / np.maximum(start[:, 1] - np.mean(heights), 0.2) < 0.6)
    claims: dict[str, float] = {}
    if forces is not None:
        size = np.linalg.norm(forces, axis=2)
        total = max(float(size.sum()), 1e-9)
        off = np.linalg.norm(need[2:-2, :3] - forces.sum(axis=1)[2:-2], axis=1)
        work = np.einsum("tpk,tpk->tp", forces[..., [0, 2]], velocity[..., [0, 2]])
        claims = {
            "claimed": float(off.mean()) / body.weight,
            "moving_impulse": 100.0 * float(size[speed > 0.1].sum()) / total,
            "friction_work": float(work[work > 0.0].sum()) / frames,
        }
    return Card(
        loose=left["loose"],
        strict=left["strict"],
        cop_out=100.0 * _outside_share(body, need, com, points, above, chosen),
        deepest_mm=1e3 * max(0.0, -float(above.min())),
        slide_mm_s=_slide(body, points, above, speed, fps),
        flight_bw=float(np.mean(fall)) / GRAVITY if fall else None,
        arc_mm=max((_off_arc(com[a:b], fps) for a, b in flights), default=None),
        upper_deg=float(np.sqrt(np.mean(turned[:, ~legs] ** 2))),
        legs_deg=float(np.sqrt(np.mean(turned[:, legs] ** 2))),
        root_cm=100.0 * float(root),
        fell=bool(sunk or turned[:, 0].max() > 45.0 or root > 0.5),
        **claims,
    )


def needed_wrenches(body: Body, q: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about the centre of mass that each frame needs (frames, 6), NaN at the ends, and the centre."""
    model, data = body.model, mujoco.MjData(body.model)
    frames, need = len(q), np.zeros(body.nv)
    steps = np.zeros((frames - 1, body.nv))
    for t in range(frames - 1):
        mujoco.mj_differentiatePos(model, steps[t], 1.0 / fps, q[t], q[t + 1])
    wrench, com = np.full((frames, 6), np.nan), np.zeros((frames, 3))
    for t in range(frames):
        data.qpos[:] = q[t]
        inner = 0 < t < frames - 1
        data.qvel[:] = 0.5 * (steps[t - 1] + steps[t]) if inner else 0.0
        data.qacc[:] = (steps[t] - steps[t - 1]) * fps if inner else 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        com[t] = data.subtree_com[1]
        if inner:
            mujoco.mj_rne(model, data, 1, need)
            axes = data.xmat[1].reshape(3, 3)
            wrench[t] = *need[:3], *(axes @ need[3:6] - np.cross(com[t] - data.xpos[1], need[:3]))
    return wrench, com


def residual(body: Body, need: np.ndarray, com: np.ndarray, points: np.ndarray, mu: float) -> float:
    """The force in body weights that no contact forces within friction give."""
    arm = 0.25 * body.height
    scaled = np.concatenate([need[:3], need[3:] / arm]) / body.weight
    if len(points) == 0:
        return float(np.linalg.norm(scaled[:3]))
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    edges = np.stack([mu * np.cos(angles), np.ones(_SIDES), mu * np.sin(angles)], axis=1)
    moments = np.cross((points - com)[:, None], edges[None]) / arm
    table = np.concatenate([np.broadcast_to(edges, moments.shape), moments], axis=2).reshape(-1, 6).T
    given, _ = nnls(table, scaled, maxiter=2000)
    return float(np.linalg.norm((scaled - table @ given)[:3]))


def _outside_share(body, need, com, points, above, chosen) -> float:
    """The share of loaded frames whose centre of pressure is more than 5 mm outside the points near the ground."""
    outside = []
    for t in chosen:
        if need[t, 1] < 0.3 * body.weight:
            continue
        near = np.flatnonzero(above[t] < LOOSE[0])
        if len(near) == 0:
            outside.append(True)
            continue
        (fx, fy, fz), (tx, _, tz) = need[t, :3], need[t, 3:]
        drop = float((points[t, near, 1] - above[t, near]).mean()) - com[t, 1]
        place = np.array([com[t, 0] + (tz + drop * fx) / fy, com[t, 2] + (drop * fz - tx) / fy])
        outside.append(_distance(place, points[t, near][:, [0, 2]]) > _OUT)
    return float(np.mean(outside)) if outside else 0.0


def _distance(place: np.ndarray, corners: np.ndarray) -> float:
    """From a place to the convex hull of corners, also of one or two; 0 inside."""
    table = np.vstack([corners.T - place[:, None], np.full(len(corners), 100.0)])
    shares, _ = nnls(table, np.array([0.0, 0.0, 100.0]), maxiter=500)
    shares /= max(shares.sum(), 1e-9)
    return float(np.linalg.norm(shares @ corners - place))


def _slide(body, points, above, speed, fps) -> float | None:
    """How fast the lowest point of a standing foot moves along the ground."""
    slides: list[float] = []
    along = np.linalg.norm(np.gradient(points[..., [0, 2]], 1.0 / fps, axis=0), axis=2)
    for side in sorted({point.side for point in body.points}):
        own = [k for k, point in enumerate(body.points) if point.side == side]
        low = above[:, own].argmin(axis=1)
        stands = (above[:, own].min(axis=1) < 0.015) & (speed[:, own].min(axis=1) < 0.5)
        slides += along[:, own][np.arange(len(points)), low][stands].tolist()
    return 1e3 * float(np.mean(slides)) if slides else None


def _off_arc(com: np.ndarray, fps: float) -> float:
    """How far a flight is from a parabola, in millimetres."""
    time = np.arange(len(com)) / fps
    path = com + 0.5 * np.array([0.0, GRAVITY, 0.0]) * time[:, None] ** 2
    line = np.column_stack([np.ones_like(time), time])
    return 1e3 * float(np.linalg.norm(path - line @ np.linalg.lstsq(line, path, rcond=None)[0], axis=1).max())


def _dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    count = (a.shape[1] - 3) // 4
    return np.sum(a[:, 3:].reshape(-1, count, 4) * b[:, 3:].reshape(-1, count, 4), axis=2)


def _com(body: Body, q: np.ndarray) -> np.ndarray:
    places, turns = segment_poses(body, q)
    from kinetune import rotations as rot

    centres = places + rot.rotate(turns, np.array([s.centre for s in body.segments]))
    masses = np.array([s.mass for s in body.segments])
    return np.einsum("s,tsk->tk", masses / masses.sum(), centres)


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    edges = np.diff(np.concatenate([[0], flags.astype(int), [0]]))
    return list(zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True))
