"""Previews of generators: a target that is dragged, a footprint that is moved.

Running such a step from scratch means preparing all its examples again. During a drag the examples are the same: they
are cached, a target is followed from where it was, and only the steps from the moved footprint on are made again.
The operation itself runs once the drag rests, and its result counts.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from typing import Any

from kinetune.body.clip import Clip
from kinetune.inverse.blend.inverse_blend import BlendSolution, InverseBlend
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footsteps import Footstep
from kinetune.inverse.walk.walk_values import Walk
from kinetune.inverse.walk.walker import Walker
from kinetune.operations import Operation
from kinetune.operations.aim import Aim, Target
from kinetune.operations.follow_footsteps import FollowFootsteps
from kinetune.rotations import Floats
from kinetune.studio.protocol.answers import AimReport, FootstepReport, FootstepsReport, PlacedFoot, TargetReport

_MOST = 4
"""Sets of examples in the cache: a document seldom has more than one target."""


class GeneratorPreviews:
    """The examples of one document, prepared."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._aims: dict[Any, tuple[list[Clip], InverseBlend]] = {}
        self._walks: dict[Any, _Walks] = {}

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._aims.clear()
            self._walks.clear()

    @staticmethod
    def follows(operation: Operation) -> bool:
        """Whether an operation has a preview of its own while it is dragged."""
        if isinstance(operation, Aim):
            return bool(operation.constraints())
        return isinstance(operation, FollowFootsteps) and bool(operation.footsteps or operation.path)

    def work(
        self, operation: Operation, clip: Clip, inputs: Mapping[str, Clip]
    ) -> tuple[Clip, AimReport | FootstepsReport]:
        """The motion and the report."""
        if isinstance(operation, Aim):
            blend = self._blend(operation, clip, inputs)
            with self._lock:
                found = blend.drag(operation.constraints(operation.moment(blend)), operation.k, operation.combine)
            return found.clip, _aim_report(operation, blend, found)
        assert isinstance(operation, FollowFootsteps)
        walk = self._walk(operation, clip, inputs)
        return walk.clip, walk_report(walk)

    def report(self, operation: Aim, found: BlendSolution, clip: Clip, inputs: Mapping[str, Clip]) -> AimReport:
        """What was found for a target, and where its examples reach."""
        return _aim_report(operation, self._blend(operation, clip, inputs), found)

    def _blend(self, operation: Aim, clip: Clip, inputs: Mapping[str, Clip]) -> InverseBlend:
        examples = [clip, *(inputs[name] for name in operation.others)]
        key = (tuple(map(id, examples)), operation.align, operation.place, operation.rotations)
        with self._lock:
            known = self._aims.get(key)
            if known is None:
                made = InverseBlend(
                    examples, align=operation.align, place=operation.place, rotations=operation.rotations
                )
                _keep(self._aims, key, (examples, made))
                return made
            return known[1]

    def _walk(self, operation: FollowFootsteps, clip: Clip, inputs: Mapping[str, Clip]) -> Walk:
        own = id(clip) if operation.steps == "clip" else 0
        key = (operation.steps, own, tuple(id(inputs[name]) for name in operation.others))
        with self._lock:
            walks = self._walks.get(key)
            if walks is None:
                walks = _Walks(operation.step_set(clip, inputs), (clip, *(inputs[name] for name in operation.others)))
                _keep(self._walks, key, walks)
            return walks.over(operation.targets(walks.steps), operation.strict, operation.stop)


class _Walks:
    """A set of steps, and how far the last walk with it had come after each footstep."""

    def __init__(self, steps: StepSet, clips: tuple[Clip, ...]) -> None:
        self.steps, self._clips = steps, clips
        self._asked: list[Footstep] = []
        self._strict = False
        self._reached: list[Walker] = []

    def over(self, asked: list[Footstep], strict: bool, stop: bool) -> Walk:
        """A walk over footsteps; those that are as before are not taken again."""
        same = 0
        if strict == self._strict:
            # The last footstep of a walk may end it, so what comes after it begins before it.
            most = min(len(asked) - 1, len(self._reached) - 1)
            while same < most and asked[same] == self._asked[same]:
                same += 1
        reached = self._reached[: same + 1] or [Walker(self.steps, strict=strict)]
        for number in range(same, len(asked)):
            walker = _copied(reached[-1])
            walker.step(asked[number], last=stop and number == len(asked) - 1)
            reached.append(walker)
        self._asked, self._strict, self._reached = list(asked), strict, reached[:-1]
        return reached[-1].finished()


def _copied(walker: Walker) -> Walker:
    """A walker that goes on from the same place on its own."""
    other = copy.copy(walker)
    other.made = list(walker.made)
    return other


def _keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    while len(kept) >= _MOST:
        del kept[next(iter(kept))]
    kept[key] = value


def _aim_report(operation: Aim, blend: InverseBlend, found: BlendSolution) -> AimReport:
    names = ["this", *operation.others]
    aimed = operation.all_targets(operation.moment(blend))
    targets: list[TargetReport] = [
        {
            "joint": target.joint,
            "error_mm": error if unit == "mm" else None,
            "error_deg": error if unit == "deg" else None,
            "examples": _example_positions(blend, target).tolist(),
        }
        for target, error, unit in zip(aimed, found.errors, found.units, strict=True)
    ]
    return {
        "targets": targets,
        "reachable": found.reachable,
        "outside_cm": 0.1 * found.distance,
        "weights": {name: float(w) for name, w in zip(names, found.weights, strict=True) if w > 0.0},
    }


def _example_positions(blend: InverseBlend, target: Target) -> Floats:
    """Where the examples have what is aimed, at the last of its frames, in the frame of the target."""
    frame = target.frame if isinstance(target.frame, int) else target.frame[-1]
    return blend.places(target.joint, frame=frame, offset=target.offset, relative_to=target.relative_to)


def walk_report(walk: Walk) -> FootstepsReport:
    """How each footstep came out, and where every foot stands, inserted ones too."""
    placed: list[PlacedFoot] = [
        {
            "side": each.footstep.side,
            "frame": each.frame,
            "place": (each.footstep.x, 0.0, each.footstep.z),
            "heading_deg": each.footstep.heading_deg,
            "inserted": each.inserted,
        }
        for each in walk.placements
    ]
    asked = [each for each in placed if not each["inserted"]]
    rows: list[FootstepReport] = [
        {
            **at,
            "error_mm": row.error_mm,
            "heading_error_deg": row.heading_error_deg,
            "reached": row.reached,
            "notes": list(row.notes),
        }
        for row, at in zip(walk.report.steps, asked, strict=True)
    ]
    return {"steps": rows, "placements": placed, "notes": list(walk.report.notes)}
