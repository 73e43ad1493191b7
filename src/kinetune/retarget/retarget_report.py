"""How well a motion came out on another body: what was matched, how feet stand, how smooth it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.anatomy import human_limits
from kinetune.body.kinematics.joint_limits import find_excess
from kinetune.errors import ParameterError
from kinetune.retarget.bone_map import BoneMap
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats

_KEY_POINTS = (
    "hips",
    "head",
    "left hand",
    "right hand",
    "left lower leg",
    "right lower leg",
    "left foot",
    "right foot",
)
_BEYOND_DEG = 1.0


def report_on(source: Clip, clip: Clip, transfer: Transfer | None, bones: BoneMap) -> dict[str, Any]:
    """What is shown beside a retargeted motion, JSON-ready.

    Parameters
    ----------
    source, clip : Clip
        Before and after.
    transfer : Transfer or None
        What stage one said; None for a motion that was copied.
    bones : BoneMap
        Which joints stand for each other.

    Returns
    -------
    dict
        ``matched`` (role to both joints), ``bones`` (the same for all roles, None for a joint that is missing),
        ``dropped`` (joints of the source without a counterpart), ``unmatched`` (joints of the target at rest),
        ``copied``, ``scale``, ``contact_speed_mps``, ``contact_speed_worst_mps``, ``penetration_mm``,
        ``limit_violations``, ``smoothness_ratio`` and ``key_point_error_mm``.
    """
    matched = bones.matched
    used = {a for a, _ in matched.values()}, {b for _, b in matched.values()}
    report: dict[str, Any] = {
        "matched": {role: list(pair) for role, pair in matched.items()},
        "bones": {role: list(pair) for role, pair in bones.bones.items()},
        "dropped": [name for name in source.skeleton.names if name not in used[0]],
        "unmatched": [name for name in clip.skeleton.names if name not in used[1]],
        "copied": transfer is None,
    }
    if transfer is None:
        return report
    speeds, depth = _soles(clip, transfer)
    return {
        **report,
        "scale": transfer.scale,
        "contact_speed_mps": float(speeds.mean()) if len(speeds) else None,
        "contact_speed_worst_mps": float(speeds.max()) if len(speeds) else None,
        "penetration_mm": depth,
        "limit_violations": _violations(clip),
        "smoothness_ratio": _smoothness(source, clip, transfer),
        "key_point_error_mm": _key_point_error(clip, transfer),
    }


def describe_report(report: Mapping[str, Any]) -> list[str]:
    """The report in sentences."""
    matched, dropped = len(report["matched"]), report["dropped"]
    if report["copied"]:
        return ["Both skeletons are the same: the motion was copied."]
    left_out = f", {len(dropped)} of the source left out" if dropped else ""
    lines = [f"{matched} joints matched{left_out}; lengths scaled by {report['scale']:.2f}."]
    if report["contact_speed_mps"] is not None:
        lines.append(
            f"Standing soles move at {1e3 * report['contact_speed_mps']:.1f} mm/s "
            f"({1e3 * report['contact_speed_worst_mps']:.0f} at worst) and are at most "
            f"{report['penetration_mm']:.1f} mm below the floor."
        )
    lines.append(
        f"Joints and head are {report['key_point_error_mm']:.0f} mm from where the pose alone would have them; "
        f"accelerations are {report['smoothness_ratio']:.2f} times the source's."
    )
    if report["limit_violations"]:
        worst = report["limit_violations"][0]
        others = len(report["limit_violations"]) - 1
        more = f", and {others} more" if others else ""
        lines.append(
            f"{worst['joint']} goes {worst['degrees']:.0f} degrees beyond a human's {worst['rotation']}{more}."
        )
    return lines


def _soles(clip: Clip, transfer: Transfer) -> tuple[Floats, float]:
    """Speeds of the points of the soles while they stand, m/s, and the deepest point in mm."""
    speeds, depth = [np.zeros(0)], 0.0
    positions, world = clip.positions(), clip.world_rotations()
    drift = (
        transfer.scale / clip.fps * np.array([transfer.source.ground.drift[0], 0.0, transfer.source.ground.drift[1]])
    )
    for course in transfer.feet:
        for number, point in enumerate(course.points):
            at = positions[:, point.joint] + rot.rotate(world[:, point.joint], np.array(point.offset))
            depth = max(depth, 1e3 * float(np.max(np.minimum(course.heights, 0.0) - at[:, 1])))
            on = course.standing[1:, number] & course.standing[:-1, number]
            if point.joint == course.joint:
                speeds.append((np.linalg.norm(np.diff(at, axis=0) - drift, axis=1) * clip.fps)[on])
    return np.concatenate(speeds), depth


def _violations(clip: Clip) -> list[dict[str, Any]]:
    try:
        excesses = find_excess(clip, human_limits(clip))
    except ParameterError:
        return []
    return [
        {"joint": each.joint, "rotation": each.turn, "share": each.share, "degrees": each.worst_deg}
        for each in excesses
        if each.worst_deg > _BEYOND_DEG
    ]


def _smoothness(source: Clip, clip: Clip, transfer: Transfer) -> float:
    """The root mean square of accelerations of the key points, in leg lengths, over that of the source."""
    if len(clip) < 3:
        return 1.0
    roles = [role for role in _KEY_POINTS if role in transfer.source.roles and role in transfer.target.roles]
    sizes = [
        float(
            np.sqrt(np.mean(np.diff(each.positions()[:, [body.roles[role] for role in roles]], 2, axis=0) ** 2))
            / body.leg
        )
        for each, body in ((source, transfer.source), (clip, transfer.target))
    ]
    return sizes[1] / max(sizes[0], 1e-12)


def _key_point_error(clip: Clip, transfer: Transfer) -> float:
    """How far key points are from those of stage one, mm."""
    roles = [role for role in _KEY_POINTS if role in transfer.points and role in transfer.target.roles]
    positions, world = clip.positions(), clip.world_rotations()
    away = [transfer.target.centre_positions(role, positions, world) - transfer.points[role] for role in roles]
    return 1e3 * float(np.mean(np.linalg.norm(np.stack(away), axis=-1)))
