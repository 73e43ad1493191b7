"""Forces before and after a physics step, for arrows, cones and the friction plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.rotations import Floats
from kinetune.studio.documents.stack import Stack
from kinetune.studio.protocol.answers import FarthestMove
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.messages import AskForces
from kinetune.studio.protocol.wire import pack

if TYPE_CHECKING:
    from kinetune.physics.filter.filtering import FilterResult
    from kinetune.physics.model.body_model import Body
    from kinetune.physics.report_card import PhysicsReport
    from kinetune.studio.rooms.motion_room import MotionRoom

_FAR = 0.1
"""The share of the body's height beyond which a result is far from what came in."""


def forces_answer(room: MotionRoom, stack: Stack, message: AskForces, header: dict[str, Any]) -> bytes:
    """Forces frame by frame: those that the motion before the step would need, and those that the filter gave."""
    from kinetune.physics.report_card import physics_report
    from kinetune.physics.verdict import judge_motion

    operation = stack.step(message.step).operation
    if not operation.has_forces:
        raise MessageError("refused", "Only a step that filters the dynamics has forces.", where="step")
    cached = room.evaluator.result_of(stack, message.step)
    if cached is None or not cached.values:
        raise MessageError("refused", "This step has no result yet. Run it first.", where="step")
    result: FilterResult = cached.values[0]
    entering = room.evaluator.whole(stack).entering[stack.position(message.step)]
    was = physics_report(entering, result.body, mu=result.report.mu)
    card = result.report
    judged_frames = np.isfinite(_at_frames(card.forces, len(result.clip))[:, :1])
    arrays = {
        "was_loads": _loads(was.body, was.contact_forces, was.forces),
        "is_loads": _loads(result.body, result.forces, np.where(judged_frames, result.forces.sum(axis=1), np.nan)),
        "was_forces": was.forces,
        "was_friction": was.friction,
        "was_residual": was.residual,
        "was_contact_forces": was.contact_forces,
        "was_points": _points(was, entering),
        "is_forces": result.forces.sum(axis=1),
        "is_friction": _at_frames(card.friction, len(result.clip)),
        "is_residual": _at_frames(card.residual, len(result.clip)),
        "is_contact_forces": result.forces,
        "is_points": _points(card, result.clip),
    }
    judged = judge_motion(result.clip, result.body, ground=result.ground)  # at the frames of the clip
    cards = {"was": was.as_dict(), "is": {**card.as_dict(), **judged.as_dict()}}
    more = {"mu": card.mu, "weight_n": result.body.weight, "fps": result.clip.fps, "cards": cards}
    move, arrays["moved_mm"] = _move(entering, cached.reached.clip)
    return pack({**header, **more, "move": move}, arrays)


def loads_of(clip: Clip) -> Floats:
    """What the floor would have to give a motion: see :func:`_loads`."""
    from kinetune.physics.report_card import physics_report

    card = physics_report(clip)
    return _loads(card.body, card.contact_forces, card.forces)


def _loads(body: Body, contact_forces: Floats, forces: Floats) -> Floats:
    """The floor's upward force on the left foot, on the right foot, and on all of the body, (frames, 3) body weights.

    NaN in frames that cannot be judged. Feet and the whole differ where hands or knees bear weight, and where nothing
    that touches could give what the motion needs.
    """
    upward = np.where(np.isfinite(forces[:, 1:2]), contact_forces[..., 1], np.nan)
    sides = np.array([point.side if point.part != "other" else "" for point in body.points])
    feet = [upward[:, sides == side].sum(axis=1) for side in ("left", "right")]
    return np.stack([*feet, forces[:, 1]], axis=1) / body.weight


def _move(before: Clip, after: Clip) -> tuple[FarthestMove, Floats]:
    """The joint that moves farthest, and how far any joint moves in each frame, in millimetres."""
    moved = 1e3 * np.linalg.norm(after.positions() - before.positions(), axis=-1)
    frame, joint = np.unravel_index(int(np.argmax(moved)), moved.shape)
    farthest, hips = float(moved[frame, joint]), moved[:, before.skeleton.roles.get("hips", 0)]
    move: FarthestMove = {
        "joint": before.skeleton.names[joint],
        "frame": int(frame),
        "mm": farthest,
        "hips_mm": float(hips.max()),
        "far": farthest > 1e3 * _FAR * before.skeleton.height,
    }
    return move, moved.max(axis=1)


def _points(card: PhysicsReport, clip: Clip) -> Floats:
    """Where the contact points of the body are, (frames, points, 3)."""
    if not card.body.points:
        return np.zeros((len(clip), 0, 3))
    return card.body.point_positions(card.body.coordinates(clip))


def _at_frames(values: Floats, frames: int) -> Floats:
    """Values of the filter, which runs at a multiple of a slow clip's rate, at the frames of the clip."""
    at = np.linspace(0, len(values) - 1, frames).round().astype(int)
    sampled: Floats = values[at]
    return sampled
