"""A joint that is moved with a gizmo becomes a key of a displace step."""

from __future__ import annotations

from typing import Any

from kinetune.body.skeleton import Skeleton
from kinetune.operations import OPERATIONS
from kinetune.studio.documents.stack import Stack
from kinetune.studio.evaluate.evaluation import EvaluatedStack
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.messages import PoseJoint


def pose_key(stack: Stack, outcome: EvaluatedStack, message: PoseJoint) -> tuple[Stack, str, int, str]:
    """The stack with that key, the id of its step, the number of the key, and the name of the joint."""
    change: dict[str, Any] = {}
    for word in ("to", "move", "rotate"):
        if getattr(message, word) is not None:
            change[word] = list(getattr(message, word))
    if not change or ("to" in change and "move" in change):
        raise MessageError("bad_field", "A pose has one of to and move, or rotate.", where="to")
    if message.axes is not None:
        change["axes"] = message.axes
    skeleton = outcome.clip.skeleton
    joint = skeleton.names[joint_index(skeleton, message.joint)]
    if message.frame >= len(outcome.clip):
        raise MessageError("refused", f"The motion has frames 0 to {len(outcome.clip) - 1}, not {message.frame}.")
    stack, id = _step_for(stack, message)
    step = stack.step(id)
    keys = [key.model_dump(mode="json", exclude_defaults=True) for key in step.operation.keys]  # type: ignore[attr-defined]
    number = next(
        (n for n, key in enumerate(keys) if key.get("frame") == message.frame and key.get("joint") == joint), len(keys)
    )
    base = {"frame": message.frame, "joint": joint}
    if number < len(keys):
        base = {
            key: value
            for key, value in keys[number].items()
            if key not in ("to", "move") or not change.keys() & {"to", "move"}
        }
        base = {key: value for key, value in base.items() if key != "rotate" or "rotate" not in change}
    keys[number : number + 1] = [{**base, **change}]
    # In a drag a position out of reach is approached, not refused.
    changed = step.with_knobs({"keys": keys, "unreachable": "nearest"})
    return stack.with_step(changed), id, number, joint


def joint_index(skeleton: Skeleton, joint: str | int) -> int:
    """The joint that a message names by its name, role or number."""
    if isinstance(joint, str):
        return skeleton.index(joint)
    if joint >= len(skeleton):
        raise MessageError("unknown_name", f"There are joints 0 to {len(skeleton) - 1}; there is no {joint}.")
    return joint


def _step_for(stack: Stack, message: PoseJoint) -> tuple[Stack, str]:
    if message.step is not None:
        if not stack.step(message.step).operation.takes_keys:
            raise MessageError("refused", "That step has no keys for poses.", where="step")
        return stack, message.step
    for step in reversed(stack.steps):
        if step.operation.takes_keys and step.on:
            return stack, step.id
    return stack.add(stack.make(next(tag for tag, kind in OPERATIONS.items() if kind.takes_keys), {}))
