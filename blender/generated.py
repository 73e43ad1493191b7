"""One operator for each of Kinetune's operations, made from their declarations.

``catalogue.json`` lists them; it is written when the extension is packed, so that Blender starts without Kinetune.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from .tasks import ArmatureError, Edit, EditOperator

STARTING: Mapping[str, Mapping[str, Any]] = {
    "equalize": {"preset": "exaggerate"},
    "retime": {"speed": 0.8},
    "shape": {"curve": "cap(-0.5, 0.8)"},
}
"""What a button sets where an operation at its defaults does nothing."""
_AUTOMATIC = "AUTOMATIC"
_LARGEST = 2**31 - 1


def catalogue() -> list[dict[str, Any]]:
    """Every operation with its parameters."""
    listed: list[dict[str, Any]] = json.loads((Path(__file__).parent / "catalogue.json").read_text("utf-8"))
    return listed


class OperationOperator(EditOperator):
    """An operator with the parameters of an operation."""

    operation: Mapping[str, Any]

    def edit(self, context: Any) -> Edit:
        """The operation on the active armature."""
        inputs: dict[str, Any] = {}
        step = self.step(inputs)
        return Edit(
            context.object,
            self.operation["label"],
            [step],
            inputs,
            keeps_stance=self.operation["keeps_stance"],
            asks_for_stance=self.operation["asks_for_stance"],
        )

    def step(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The operation as a step of a recipe; actions that it names are put into ``inputs``."""
        step: dict[str, Any] = {"op": self.operation["op"]}
        for parameter in self.operation["parameters"]:
            name, kind = parameter["name"], parameter["kind"]
            if kind == "names":
                step["takes_joints"] = True
            value = self._value(parameter)
            if kind in ("clip", "clips") and value:
                names = [value] if kind == "clip" else [each.strip() for each in value.split(",")]
                for each in names:
                    inputs[each] = _action(each)
                value = value if kind == "clip" else names
            if value is None and "default" in parameter and parameter["optional"]:
                step[name] = None
            elif value is not None and value != parameter.get("default"):
                step[name] = value
        return step

    def _value(self, parameter: Mapping[str, Any]) -> Any:
        """What the user set; None for nothing."""
        name, kind = parameter["name"], parameter["kind"]
        value = getattr(self, name)
        if kind == "float":
            value = float(f"{value:.6g}")  # Blender holds single precision
        if parameter["optional"] and kind in ("int", "float"):
            return value if getattr(self, f"{name}_on") else None
        if parameter["optional"] and kind in ("bool", "choice"):
            return {_AUTOMATIC: None, "ON": True, "OFF": False}.get(value, value)
        if kind in ("text", "names", "data", "clip", "clips"):
            return value or None
        return value

    def draw(self, context: Any) -> None:
        """The parameters, one below the other."""
        layout = self.layout
        layout.use_property_split = True
        for parameter in self.operation["parameters"]:
            name, kind = parameter["name"], parameter["kind"]
            if kind == "clip":
                layout.prop_search(self, name, bpy.data, "actions")
            elif parameter["optional"] and kind in ("int", "float"):
                row = layout.row(heading=parameter["label"])
                row.prop(self, f"{name}_on", text="")
                value = row.row()
                value.active = getattr(self, f"{name}_on")
                value.prop(self, name, text="")
            else:
                layout.prop(self, name)


def _action(name: str) -> Any:
    action = bpy.data.actions.get(name)
    if action is None:
        raise ArmatureError(f"There is no action called {name}.")
    return action


def properties_of(operation: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of an operator: one for each parameter, two where a number may be left open."""
    made: dict[str, Any] = {}
    start = STARTING.get(operation["op"], {})
    for parameter in operation["parameters"]:
        name = parameter["name"]
        default = start.get(name, parameter.get("default"))
        made[name] = _property(parameter, default)
        if parameter["optional"] and parameter["kind"] in ("int", "float"):
            made[f"{name}_on"] = BoolProperty(name=f"Set {parameter['label']}", default=default is not None)
    return made


def _property(parameter: Mapping[str, Any], default: Any) -> Any:
    kind = parameter["kind"]
    common = {"name": parameter["label"], "description": parameter["description"].rstrip(".")}
    if kind == "bool" and not parameter["optional"]:
        return BoolProperty(default=bool(default), **common)
    if kind in ("bool", "choice"):
        words = ["ON", "OFF"] if kind == "bool" else parameter["choices"]
        items = [(word, word.replace("_", " ").capitalize(), "") for word in words]
        if parameter["optional"]:
            items.insert(0, (_AUTOMATIC, "Automatic", ""))
        return EnumProperty(
            items=items, default=default or (_AUTOMATIC if parameter["optional"] else words[0]), **common
        )
    if kind == "int":
        low, high = parameter.get("low", -_LARGEST), parameter.get("high", _LARGEST)
        return IntProperty(default=max(int(default or 0), low), min=low, max=high, **common)
    if kind == "float":
        low, high = float(parameter.get("low", -1e9)), float(parameter.get("high", 1e9))
        return FloatProperty(default=max(float(default or 0.0), low), min=low, max=high, precision=3, **common)
    return StringProperty(default=str(default or ""), **common)


def make_operator(operation: Mapping[str, Any], base: type = OperationOperator) -> type:
    """The operator of an operation."""
    tag = operation["op"]
    name = "KINETUNE_OT_" + tag
    fields = {
        "bl_idname": f"kinetune.{tag}",
        "bl_label": operation["label"],
        "bl_description": operation["summary"].rstrip("."),
        "operation": operation,
        "__annotations__": properties_of(operation),
    }
    return type(name, (base, bpy.types.Operator), fields)
