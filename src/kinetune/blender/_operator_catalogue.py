"""Every operation with its parameters as plain data, so that Blender can make its menus without loading Kinetune.

A parameter has a name, a label, a description, a kind, a default, and bounds, choices and a unit where they apply.
The kinds: bool, int, float, choice, text, names (of joints), data (a list or mapping, as in a recipe), clip, clips.
"""

from __future__ import annotations

from typing import Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from kinetune.operations import OPERATIONS, Operation
from kinetune.operations._parameters import NUMBERS, choices, kinds_of, unit_of

_UNITS = {"s": "s", "deg": "deg", "m": "m", "mm": "mm", "kg": "kg", "hz": "Hz", "nm": "Nm", "mps": "m/s"}


def describe_operations() -> list[dict[str, Any]]:
    """All operations, in alphabetical order."""
    return [_describe(OPERATIONS[tag]) for tag in OPERATIONS]


def _describe(operation: type[Operation]) -> dict[str, Any]:
    return {
        "op": operation.tag(),
        "label": operation.tag().replace("_", " ").capitalize(),
        "summary": operation.summary(),
        "keeps_stance": operation.keeps_stance,
        "asks_for_stance": operation.asks_for_stance,
        "parameters": [_parameter(operation, name, info) for name, info in operation.parameters().items()],
    }


def _parameter(operation: type[Operation], name: str, info: FieldInfo) -> dict[str, Any]:
    kinds, optional = kinds_of(info.annotation)
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    options = next((choices(kind) for kind in kinds if choices(kind)), None)
    described: dict[str, Any] = {
        "name": name,
        "label": _label(name),
        "description": info.description or "",
        "unit": unit_of(info),
        "optional": optional,
        "kind": _kind(operation, name, kinds, options),
    }
    if options:
        described["choices"] = list(options)
    for bound, key, kind in (("ge", "low", Ge), ("gt", "low", Gt), ("le", "high", Le), ("lt", "high", Lt)):
        limit = next((getattr(each, bound) for each in info.metadata if isinstance(each, kind)), None)
        if limit is not None:
            described[key] = limit
    if isinstance(default, bool | int | float | str):
        described["default"] = default
    elif described["kind"] == "data" and default is not None:
        described["default"] = ""
    return described


def _kind(operation: type[Operation], name: str, kinds: tuple[Any, ...], options: tuple[str, ...] | None) -> str:
    if name in operation.input_parameters:
        return "clip" if str in kinds else "clips"
    if name == "joints":
        return "names"
    if options:
        return "choice"
    for kind, shown in ((bool, "bool"), (int, "int"), (float, "float"), (str, "text")):
        if kinds == (kind,):
            return shown
    return "float" if set(kinds) <= set(NUMBERS) else "data"


def _label(name: str) -> str:
    """A parameter as a person reads it: "cutoff_hz" is "Cutoff (Hz)"."""
    stem, _, last = name.rpartition("_")
    if stem and last in _UNITS:
        return f"{stem.replace('_', ' ').capitalize()} ({_UNITS[last]})"
    return name.replace("_", " ").capitalize()
