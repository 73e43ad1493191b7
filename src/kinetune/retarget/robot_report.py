"""How well a robot performs a motion: feet, limits, orientations, smoothness, limbs that touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.robots.hinge_problem import BASE, collision_pairs
from kinetune.retarget.fits.robot_fit import RobotFit
from kinetune.retarget.transfer import Transfer

_OFTEN, _OVERLAPS_MM = 0.1, 3.0
_TOUCHES = 1e-3  # radians or metres from a limit at which a joint touches it


def report_robot(fit: RobotFit, transfer: Transfer) -> dict[str, Any]:
    """Figures of a robot's motion, JSON-ready.

    Returns
    -------
    dict
        contact_speed_m_s and its worst, of points of the soles while they stand, against the belt of a walk in place;
        penetration_mm, of the soles; orientation_deg, the mean angle between links with hinges of their own and what
        the source asks of them; acceleration_rad_s2, root mean square over the hinges; range_violations and
        speed_violations, counts of values; at_limit, joint to the share of frames in which it touches its range;
        overlap_mm, how deep capsules of the robot go into each other.
    """
    clip, problem, x = fit.clip, fit.problem, fit.unknowns
    positions, world = clip.positions(), clip.world_rotations()
    speeds, depth = [np.zeros(0)], 0.0
    drift = transfer.scale * np.insert(transfer.source.ground.drift, 1, 0.0)  # of standing feet in a walk in place
    for course in fit.feet:
        for number, point in enumerate(course.points):
            track = positions[:, point.joint] + rot.rotate(world[:, point.joint], np.array(point.offset))
            both = course.standing[1:, number] & course.standing[:-1, number]
            speeds.append(np.linalg.norm(np.diff(track, axis=0) * clip.fps - drift, axis=1)[both])
            depth = max(depth, float(np.max(course.heights - track[:, 1])))
    speed = np.concatenate(speeds)
    roles = transfer.target.roles
    turned = [rot.angle_between(world[:, roles[role]], transfer.orientations[role]).mean() for role in fit.roles]
    values = x[:, BASE:]
    low, high, fastest = problem.low[BASE:], problem.high[BASE:], problem.speed[BASE:]
    touching = ((values < low + _TOUCHES) | (values > high - _TOUCHES)).mean(axis=0)
    watched, problem.pairs = problem.pairs, collision_pairs(problem.robot)
    gaps = problem.gaps(x)
    problem.pairs = watched
    names = [joint.name for joint in problem.moving for _ in range(3 if joint.kind == "ball" else 1)]
    return {
        "contact_speed_m_s": float(speed.mean()) if len(speed) else 0.0,
        "contact_speed_worst_m_s": float(speed.max(initial=0.0)),
        "penetration_mm": 1000.0 * depth,
        "orientation_deg": float(np.rad2deg(np.mean(turned))),
        "acceleration_rad_s2": float(np.sqrt(np.mean(np.diff(values, 2, axis=0) ** 2)) * clip.fps**2)
        if len(values) > 2
        else 0.0,
        "range_violations": int(np.count_nonzero((values < low) | (values > high))),
        "speed_violations": int(np.count_nonzero(np.abs(np.diff(values, axis=0)) * clip.fps > fastest)),
        "at_limit": {name: float(share) for name, share in zip(names, touching, strict=True) if share > 0.0},
        "overlap_mm": 1000.0 * max(0.0, -float(gaps.min(initial=0.0))),
    }


def describe_robot(report: Mapping[str, Any]) -> list[str]:
    """The report in sentences."""
    broken = report["range_violations"] + report["speed_violations"]
    limits = f"{broken} joint values are beyond a limit" if broken else "No joint value is beyond a limit"
    lines = [
        f"{limits}; links are {report['orientation_deg']:.1f} degrees from what the source asks of them, and hinges "
        f"accelerate by {report['acceleration_rad_s2']:.0f} rad/s^2."
    ]
    often = sorted(report["at_limit"].items(), key=lambda each: -each[1])
    if often and often[0][1] > _OFTEN:
        lines.append(f"{often[0][0]} is at its limit in {often[0][1]:.0%} of the frames.")
    if report["overlap_mm"] > _OVERLAPS_MM:
        lines.append(f"Limbs overlap by up to {report['overlap_mm']:.0f} mm.")
    return lines
