"""The types of the page, written from the Python models of what the server sends and of the operations.

`python tools/page.py types` writes `src/kinetune/studio/web/core/answers.d.ts`; `check` fails when it is out of date.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from kinetune.operations import OPERATIONS
from kinetune.studio.protocol.answers import ANSWERS, DONES, ROUTES

PATH = Path(__file__).resolve().parent.parent / "src" / "kinetune" / "studio" / "web" / "core" / "answers.d.ts"
_HEAD = """// Written by `python tools/page.py types` from studio/protocol/answers.py and the operations: do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
/** The arrays of a binary answer, by name. */
export type Arrays = { data: Record<string, Float32Array> };
"""
_TAIL = """/** A step of one operation. */
export type StepOf<Op extends keyof Knobs> = Omit<StepLine, "knobs"> & { knobs: Knobs[Op] };
/** The answer to a message: its `done`, or the answer of the type that was asked for. */
export type AnswerTo<Type, Kind extends keyof Answers> = Kind extends "done"
  ? Type extends keyof Dones
    ? Dones[Type]
    : DoneAnswer
  : Answers[Kind];
"""
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


class _Schema(GenerateJsonSchema):
    ignored_warning_kinds: set[Any] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


def page_types() -> str:
    """The text of the declaration file."""
    kinds = {**{f"{name} done": kind for name, kind in DONES.items()}, **ANSWERS, **ROUTES}
    schemas, shared = TypeAdapter.json_schemas(
        [(name, "serialization", TypeAdapter(kind)) for name, kind in kinds.items()]
    )
    types = {name: _type(schemas[name, "serialization"]) for name in kinds}
    answers = {name: types[name] for name in ANSWERS}
    dones = {name: types[f"{name} done"] for name in DONES}
    knobs = {tag: _knobs(operation) for tag, operation in sorted(OPERATIONS.items())}
    return "\n".join(
        [
            _HEAD,
            *(_declaration(name, schema) for name, schema in sorted(shared["$defs"].items()) if name != "JsonValue"),
            _table("Answers", "The answers on the socket, by their type.", answers),
            _table("Dones", "The `done` of a message, where it carries more than an edit number.", dones),
            _table("Knobs", "The controls of each operation.", knobs),
            _TAIL,
        ]
    )


def _table(name: str, comment: str, rows: dict[str, str]) -> str:
    lines = "\n".join(f"  {_key(key)}: {kind};" for key, kind in rows.items())
    return f"/** {comment} */\nexport interface {name} {{\n{lines}\n}}\n"


def _declaration(name: str, schema: dict[str, Any]) -> str:
    comment = f"/** {_first_line(schema['description'])} */\n" if "description" in schema else ""
    if schema.get("type") == "object" and "properties" in schema:
        base = " extends Arrays" if "arrays" in schema["properties"] else ""
        return f"{comment}export interface {name}{base} {_type(schema)}\n"
    return f"{comment}export type {name} = {_type(schema)};\n"


def _first_line(text: str) -> str:
    return text.split("\n\n")[0].replace("\n", " ").replace("``", "`")


def _knobs(operation: Any) -> str:
    schema = operation.model_json_schema(schema_generator=_Schema)
    definitions = schema.get("$defs", {})
    names = [*operation.parameters(), "region"]
    fields = [f"{_key(name)}: {_type(schema['properties'][name], definitions)}" for name in names]
    return "{ " + "; ".join(fields) + " }" if fields else "Record<string, never>"


def _type(schema: Any, definitions: dict[str, Any] | None = None) -> str:
    """A JSON schema as a TypeScript type; references go by name, or are written out where ``definitions`` has them."""
    if not isinstance(schema, dict):
        return "Json"
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name == "JsonValue":
            return "Json"
        return _type(definitions[name], definitions) if definitions is not None else str(name)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(_grouped(_type(each, definitions)) for each in schema[word]))
    kind = schema.get("type")
    if kind == "array":
        return _list(schema, definitions)
    if kind == "object":
        return _object(schema, definitions)
    return _PLAIN.get(str(kind), "Json")


def _list(schema: dict[str, Any], definitions: dict[str, Any] | None) -> str:
    if "prefixItems" in schema:
        return "[" + ", ".join(_type(each, definitions) for each in schema["prefixItems"]) + "]"
    return f"{_grouped(_type(schema.get('items'), definitions))}[]"


def _object(schema: dict[str, Any], definitions: dict[str, Any] | None) -> str:
    if "properties" not in schema:
        values = schema.get("additionalProperties")
        return f"Record<string, {_type(values, definitions) if isinstance(values, dict) else 'Json'}>"
    required = schema.get("required", [])
    fields = [
        f"{_key(name)}{'' if name in required else '?'}: {_type(each, definitions)}"
        for name, each in schema["properties"].items()
    ]
    if definitions is not None:
        return "{ " + "; ".join(fields) + " }"
    return "{\n" + "".join(f"  {field};\n" for field in fields) + "}"


def _grouped(text: str) -> str:
    return f"({text})" if " | " in text and not text.startswith(("{", "[")) else text


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
