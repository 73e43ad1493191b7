"""Operations as panels: everything the page needs to draw a card and its controls, from the one declaration."""

from __future__ import annotations

import functools
from typing import Any

from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined

from kinetune.operations import OPERATIONS, Operation
from kinetune.studio.documents.stack import parameter_label, title
from kinetune.studio.protocol.answers import Compound, Knob, OperationPanel, Plain

_LABELS = {
    "none": "Off",
    "auto": "Automatic",
    "nnls": "Push only",
    "rbf": "RBF",
    "exaggerate": "Livelier",
    "nervous": "Nervous",
    "subdued": "Calm",
    "anticipation": "Wind-up",
}
"""What users read for a choice, where that is not the choice itself."""
_UNSET = {
    "angle_deg": "off",
    "band_s": "no limit",
    "cutoff_hz": "off",
    "fps": "unchanged",
    "other": "choose a clip",
    "path": "off",
    "preset": "off",
    "relative_to": "the world",
    "second": "choose a clip",
    "seed": "best match",
    "timing": "as the blend",
    "to": "choose a clip",
    "torque_limit_nm": "no limit",
    "trim.end": "end of the clip",
    "trim.end_s": "end of the clip",
    "trim.start": "start of the clip",
    "trim.start_s": "start of the clip",
}
"""What users read for a control that is not set, by name or by operation and name; "automatic" for any other."""


class _Schema(GenerateJsonSchema):
    """Without warnings for defaults that are objects of ours (a shaping curve)."""

    ignored_warning_kinds: set[Any] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


@functools.cache
def panels() -> list[OperationPanel]:
    """Every operation, by its tag."""
    return [panel(operation) for _, operation in sorted(OPERATIONS.items())]


def panel(operation: type[Operation]) -> OperationPanel:
    """One operation."""
    schema = operation.model_json_schema(schema_generator=_Schema)
    fields = {name: _resolved(schema["properties"][name], schema.get("$defs", {})) for name in operation.parameters()}
    return {
        "op": operation.tag(),
        "title": title(operation.tag()),
        "summary": operation.summary(),
        "description": operation.description(),
        "inputs": list(operation.input_parameters),
        "slow": operation.slow,
        "generator": operation.generator,
        "needs": operation.needs,
        "takes_keys": operation.takes_keys,
        "has_forces": operation.has_forces,
        "takes_region": operation.takes_region and not operation.generator,
        "comes_first": operation.comes_first,
        "keeps_stance": operation.keeps_stance,
        "neutral": operation.neutral().as_step(),
        "example": operation.example().as_step(),
        "knobs": [_knob(name, info, fields[name], operation) for name, info in operation.parameters().items()],
    }


def _knob(name: str, info: FieldInfo, schema: dict[str, Any], operation: type[Operation]) -> Knob:
    options = schema.get("anyOf", [schema])
    solid = [option for option in options if option.get("type") != "null"]
    bounds = {key: value for option in reversed(solid) for key, value in option.items()} | schema
    choices = next((option["enum"] for option in solid if "enum" in option), None)
    if choices is None and solid and all("const" in option for option in solid):
        choices = [option["const"] for option in solid]
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    return {
        "name": name,
        "label": parameter_label(name),
        "description": info.description or "",
        "unit": str(extra.get("unit", "")),
        "default": schema.get("default", info.default if isinstance(info.default, str) else None),
        "required": info.default is PydanticUndefined and info.default_factory is None,
        "optional": len(solid) < len(options),
        "widget": "curve" if bounds.get("format") == "shaping-curve" else _widget(name, solid, choices, operation),
        "min": bounds.get("minimum", bounds.get("exclusiveMinimum")),
        "max": bounds.get("maximum", bounds.get("exclusiveMaximum")),
        "min_open": "exclusiveMinimum" in bounds,
        "max_open": "exclusiveMaximum" in bounds,
        "choices": choices,
        "labels": None if choices is None else [_LABELS.get(choice, _text(choice)) for choice in choices],
        "unset": _UNSET.get(f"{operation.tag()}.{name}", _UNSET.get(name, "automatic")),
        "schema": schema,
    }


def _text(choice: str) -> str:
    text = choice.replace("_", " ")
    return text[:1].upper() + text[1:]


def _widget(name: str, solid: list[dict[str, Any]], choices: Any, operation: type[Operation]) -> Plain | Compound:
    """Which control fits a parameter."""
    kinds = [option.get("type") for option in solid]
    if name in operation.input_parameters:
        return "inputs" if "array" in kinds else "input"
    if name == "joints":
        return "joints"
    if choices is not None:
        return "choice"
    if "array" in kinds:
        return _list_widget(name, next(option for option in solid if option.get("type") == "array"))
    plain: dict[str, Plain] = {"boolean": "switch", "integer": "integer", "number": "number", "string": "text"}
    if len(set(kinds)) == 1 and kinds[0] in plain:
        return plain[str(kinds[0])]
    if kinds == ["object"]:
        return "table" if "additionalProperties" in solid[0] or "properties" not in solid[0] else "object"
    return "text"


def _list_widget(name: str, schema: dict[str, Any]) -> Compound:
    items = schema.get("items", {})
    if items.get("type") == "object":
        return "objects"
    if items.get("type") == "array":
        return "keys"
    if name == "gains" or (name in ("bands", "weights") and items):
        return "gains"
    return "list"


def _resolved(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema without references."""
    if isinstance(schema, list):
        return [_resolved(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        named = definitions[schema["$ref"].rpartition("/")[2]]
        return _resolved({**named, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions)
    return {key: _resolved(value, definitions) for key, value in schema.items()}
