"""The stack of a motion document as a value: source, inputs, steps, markers; every edit gives another one."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from kinetune.body.clip import Marker
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.operations import Operation, find_operation
from kinetune.recipes import Recipe
from kinetune.recipes.sources import SOURCE
from kinetune.studio.documents.origins import Origin
from kinetune.studio.protocol.message_parts import MessageError, TrackPart

ARRANGE = "arrange"


def title(tag: str) -> str:
    """An operation as a card is headed: "plant_feet" is "Plant feet"."""
    return tag.replace("_", " ").capitalize()


def parameter_label(name: str) -> str:
    """A parameter as users read it: "cutoff_hz" is "Cutoff"; its unit stands beside the value."""
    text = _LABELS.get(name, _UNIT.sub("", name).replace("_", " "))
    return text[:1].upper() + text[1:]


def edit_label(operation: Operation, names: Iterable[str]) -> str:
    """An edit as the undo list shows it: "Smooth: cutoff 4 Hz", "Displace: keys"."""
    listed = list(names)
    texts = [_LABELS.get(name) or parameter_label(name).lower() for name in listed]
    if len(listed) == 1 and listed[0] in operation.parameters():
        value = getattr(operation, listed[0])
        extra = operation.parameters()[listed[0]].json_schema_extra
        unit = _SIGNS.get(str(extra["unit"]), f" {extra['unit']}") if isinstance(extra, dict) else ""
        if isinstance(value, bool):
            texts[0] += " on" if value else " off"
        elif isinstance(value, int | float):
            texts[0] += f" {value:g}{unit}"
        elif isinstance(value, str):
            texts[0] += f" {value.replace('_', ' ')}"
    return f"{title(operation.tag())}: {', '.join(texts)}"


_LABELS = {
    "drop_t_pose": "drop T-pose",
    "falloff_s": "reach",
    "fps": "frame rate",
    "gains_hz": "gains",
    "k": "neighbours",
    "mu": "friction",
}
"""Parameters whose name says less than the panel does."""
_UNIT = re.compile(r"_(hz|s|m|deg|mm|kg|nm|mps)$")
_SIGNS = {"": "", "1": "", "deg": "°", "1/s": " fps", "1 or deg": ""}


@dataclass(frozen=True)
class StackStep:
    """One card of the stack.

    id : stays with it through every edit.
    operation : with its parameters.
    on : False for a step that is switched off.
    """

    id: str
    operation: Operation
    on: bool = True

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The operation as a recipe has it."""
        return self.operation.as_step()

    @cached_property
    def text(self) -> str:
        """The operation with its knobs, as one text that is the same for equal knobs."""
        return json.dumps(self.plain, sort_keys=True, separators=(",", ":"))

    def as_plain(self) -> dict[str, Any]:
        return {"id": self.id, "on": self.on, "step": self.plain}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> StackStep:
        return cls(str(plain["id"]), make_operation(plain["step"]["op"], _knobs(plain["step"])), bool(plain["on"]))

    def with_knobs(self, changes: Mapping[str, Any]) -> StackStep:
        """The same card with some knobs turned; None returns one to its default."""
        knobs = {**_knobs(self.plain), **changes}
        knobs = {name: value for name, value in knobs.items() if value is not None or name not in changes}
        return replace(self, operation=make_operation(self.operation.tag(), knobs))

    def with_patch(self, path: Sequence[str | int], value: Any, remove: bool) -> StackStep:
        """The same card with one thing inside a knob changed."""
        name = path[0]
        if not isinstance(name, str) or name not in self.operation.parameters():
            raise UnknownNameError("knob", str(name), self.operation.parameters())
        if len(path) == 1:
            return self.with_knobs({name: None if remove else value})
        whole = copy.deepcopy(self.operation.model_dump(mode="json", include={name})[name])
        if whole is None:
            whole = [] if isinstance(path[1], int) else {}
        _put(whole, path[1:], value, remove)
        return self.with_knobs({name: whole})


@dataclass(frozen=True)
class Stack:
    """What a motion document says.

    source : the clip to edit.
    inputs : other clips by name, in the order in which they came.
    steps : from first to last.
    markers : named frames of the user's own.
    next_id : for the next step.
    """

    source: Origin
    inputs: tuple[tuple[str, Origin], ...] = ()
    steps: tuple[StackStep, ...] = ()
    markers: tuple[Marker, ...] = ()
    next_id: int = field(default=1, compare=False)

    # --- steps

    def step(self, id: str) -> StackStep:
        """The step of that id."""
        return self.steps[self.position(id)]

    def position(self, id: str) -> int:
        for number, step in enumerate(self.steps):
            if step.id == id:
                return number
        raise MessageError("unknown_step", f'There is no step "{id[:60]}" in this document any more.')

    def with_step(self, step: StackStep) -> Stack:
        """With a step in place of the one of its id."""
        number = self.position(step.id)
        return replace(self, steps=(*self.steps[:number], step, *self.steps[number + 1 :]))

    def add(self, operation: Operation, at: int | None = None, on: bool = True) -> tuple[Stack, str]:
        """With one more step, and its id."""
        id = f"s{self.next_id}"
        first = self.front
        number = len(self.steps) if at is None else min(max(at, first), len(self.steps))
        if operation.comes_first and at is None:
            number = 0
        steps = (*self.steps[:number], StackStep(id, operation, on), *self.steps[number:])
        return replace(self, steps=steps, next_id=self.next_id + 1), id

    def move(self, id: str, to: int) -> Stack:
        """With a step at another position."""
        step = self.step(id)
        others = [each for each in self.steps if each.id != id]
        number = min(max(to, 0), len(others))
        return replace(self, steps=(*others[:number], step, *others[number:]))

    def remove(self, id: str) -> Stack:
        number = self.position(id)
        return replace(self, steps=(*self.steps[:number], *self.steps[number + 1 :]))

    @property
    def front(self) -> int:
        """Where steps begin after the timeline."""
        return 1 if self.steps and self.steps[0].operation.comes_first else 0

    def make(self, op: str, knobs: Mapping[str, Any]) -> Operation:
        """An operation for this stack: one that needs another clip takes the newest, if none is named."""
        kind = find_operation(op)
        knobs = {**kind.editor_values, **knobs}
        names = [name for name, _ in self.inputs]
        if set(kind.input_parameters) & set(knobs) or not kind.input_parameters:
            return make_operation(op, knobs)
        if kind.needs == "pair" and names:
            return make_operation(op, {**knobs, kind.input_parameters[0]: names[-1]})
        if kind.needs == "examples" and names:
            others = [name for name, origin in self.inputs if origin != self.source]
            return make_operation(op, {**knobs, kind.input_parameters[0]: others})
        try:
            return make_operation(op, knobs)
        except ParameterError as problem:
            try:
                filled = make_operation(op, {**knobs, kind.input_parameters[0]: names[-1] if names else "clip"})
            except ParameterError:
                raise problem from None  # another clip would not help
            if names:
                return filled
        raise MessageError("refused", f"{title(op)} needs another clip. Drop one on the timeline first, then add it.")

    # --- inputs

    def free_name(self, name: str) -> str:
        """A name for an input that none has yet."""
        stem = re.sub(r"[^\w-]+", "_", name).strip("_") or "clip"
        taken = {name for name, _ in self.inputs} | {SOURCE}
        name, number = stem, 2
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        return name

    def add_input(self, name: str, origin: Origin) -> Stack:
        return replace(self, inputs=(*self.inputs, (name, origin)))

    def remove_input(self, name: str) -> Stack:
        if name not in dict(self.inputs):
            raise MessageError("unknown_name", f'This document has no clip "{name}".')
        for step in self.steps:
            if name in step.operation.inputs_needed():
                raise MessageError(
                    "refused", f'{title(step.operation.tag())} uses the clip "{name}". Remove that step first.'
                )
        return replace(self, inputs=tuple(pair for pair in self.inputs if pair[0] != name))

    # --- tracks

    def tracks(self) -> list[dict[str, Any]]:
        """The clips on the timeline; a stack without an arrangement has one, the source."""
        front = self.steps[0] if self.front else None
        rows = front.operation.model_dump(mode="json")["tracks"] if front is not None else []
        if front is not None and not rows:  # one after another: the op itself knows where
            return []
        rows = rows or [{"clip": None, "at": 0, "start": 0, "stop": None, "lane": 0, "mute": False}]
        return [{"id": f"t{number}", **row, "clip": row["clip"] or SOURCE} for number, row in enumerate(rows)]

    def with_tracks(self, tracks: Iterable[TrackPart]) -> Stack:
        """With another arrangement; a single untouched source needs none."""
        rows = [track.model_dump(exclude={"id"}) for track in tracks]
        for row in rows:
            row["clip"] = None if row["clip"] == SOURCE else row["clip"]
            row["at"] = max(row["at"], 0)
            if row["clip"] is not None and row["clip"] not in dict(self.inputs):
                raise MessageError("unknown_name", f'This document has no clip "{row["clip"]}".')
        untouched = {"clip": None, "at": 0, "start": 0, "stop": None, "mute": False}
        front = self.steps[0] if self.front else None
        if len(rows) == 1 and {key: rows[0][key] for key in untouched} == untouched:
            return self if front is None else self.remove(front.id)
        knobs = {"clips": list(dict.fromkeys(row["clip"] for row in rows if row["clip"])), "tracks": rows}
        if front is None:
            return self.add(make_operation(ARRANGE, knobs), 0)[0]
        return self.with_step(front.with_knobs(knobs))

    # --- recipes

    def recipe(self, name: str = "") -> Recipe:
        """The steps, those that are off marked so, as the recipe that the command line runs."""
        steps = tuple(step.operation for step in self.steps)
        needed = {each for step in steps for each in step.inputs_needed()}
        inputs = {each: origin.place for each, origin in self.inputs if each in needed}
        off = [number for number, step in enumerate(self.steps) if not step.on]
        return Recipe(name=name, inputs=inputs, steps=steps, off=off)

    def with_recipe(self, recipe: Recipe, named: Callable[[str], Origin], append: bool = False) -> Stack:
        """With the steps and inputs of a recipe; inputs that it leaves open are taken from this stack by name.

        named : gives the origin that an input of the recipe names, and raises if the recipe may not name it.
        append : whether its steps come after those that are here, or in place of them.
        """
        inputs = dict(self.inputs)
        for name in recipe.inputs_needed():
            if name not in inputs:
                raise MessageError(
                    "refused", f'The recipe needs a clip "{name}". Add one under that name first, then open it again.'
                )
        new = {name: named(place) for name, place in recipe.inputs.items() if place is not None}
        taken = [name for name in new if append and name in inputs and inputs[name] != new[name]]
        if taken:
            raise MessageError(
                "refused",
                f'The recipe has another clip called "{taken[0]}" than this document. Replace the operations instead.',
            )
        if append and any(step.comes_first for step in recipe.steps) and self.steps:
            raise MessageError(
                "refused",
                "The recipe arranges clips, which comes before everything else. Replace the operations instead.",
            )
        result = replace(self, inputs=tuple({**inputs, **new}.items()), steps=self.steps if append else ())
        for number, step in enumerate(recipe.steps):
            result = result.add(step, len(result.steps), number not in recipe.off)[0]
        return result

    # --- plain

    def summary(self) -> str:
        """The source and the number of steps, for a list of documents."""
        count = len(self.steps)
        return f"{self.source.label}, {count} step{'' if count == 1 else 's'}"

    def as_plain(self) -> dict[str, Any]:
        return {
            "source": self.source.as_plain(),
            "inputs": [[name, origin.as_plain()] for name, origin in self.inputs],
            "steps": [step.as_plain() for step in self.steps],
            "markers": [[marker.frame, marker.name] for marker in self.markers],
            "next_id": self.next_id,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Stack:
        return cls(
            Origin.from_plain(plain["source"]),
            tuple((str(name), Origin.from_plain(origin)) for name, origin in plain["inputs"]),
            tuple(StackStep.from_plain(step) for step in plain["steps"]),
            tuple(Marker(int(frame), str(name)) for frame, name in plain["markers"]),
            int(plain["next_id"]),
        )


def make_operation(op: str, knobs: Mapping[str, Any]) -> Operation:
    """An operation from plain values; former names of parameters are understood."""
    operation = find_operation(op)
    return operation(**operation.renamed(knobs))


def _knobs(step: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name != "op"}


def _put(inside: Any, path: Sequence[str | int], value: Any, remove: bool) -> None:
    """Change one thing inside lists and mappings."""
    *parents, last = path
    for part in parents:
        inside = _child(inside, part)
    if isinstance(inside, list) and isinstance(last, int) and last <= len(inside) - (1 if remove else 0):
        if remove:
            del inside[last]
        else:
            inside[last : last + 1] = [value]
    elif isinstance(inside, dict) and isinstance(last, str):
        if remove:
            inside.pop(last, None)
        else:
            inside[last] = value
    else:
        raise MessageError(
            "bad_field", f"There is nothing at {'.'.join(map(str, path))} of that parameter.", where="path"
        )


def _child(inside: Any, part: str | int) -> Any:
    if isinstance(inside, list) and isinstance(part, int) and part < len(inside):
        return inside[part]
    if isinstance(inside, dict) and isinstance(part, str) and part in inside:
        return inside[part]
    raise MessageError("bad_field", f"There is nothing at {part} of that parameter.", where="path")
