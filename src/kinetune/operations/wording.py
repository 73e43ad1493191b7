"""What operations say: lengths as people say them, and what is wrong with parameters, where, and what is allowed.

pydantic names a place by numbers and types, ``gain_keys.0.1.0.0`` or ``size.float``. Here the value that was given is
walked along with it, so that the sentence says ``time of key 1 of "3" in gain_keys``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from kinetune.errors import KinetuneError, did_you_mean, nearest

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from kinetune.operations.base import Operation

_ALLOWED = {
    "greater_than_equal": "at least {ge:g}",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "at most {le:g}",
    "less_than": "less than {lt:g}",
    "literal_error": "{expected}",
    "string_type": "text",
}
"""What a value must be, for kinds of errors whose own message says it in a programmer's terms."""
_SIZES = {"too_short": "it needs at least {min_length}", "too_long": "it can have at most {max_length}"}
_KINDS = {
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
}


def length_text(metres: float) -> str:
    """A length as people say it: "2.05 m", "12.5 cm", "0.3 mm"."""
    if metres >= 1.0:
        return f"{metres:.2f} m"
    return f"{100.0 * metres:.1f} cm" if metres >= 0.01 else f"{1000.0 * metres:.1f} mm"


def explain(error: ValidationError, operation: type[Operation], given: Mapping[str, Any]) -> str:
    """One sentence for the first thing that pydantic found wrong with an operation's parameters.

    given : the parameters as the user gave them.
    """
    errors = error.errors(include_url=False)
    first = errors[0]
    if not first["loc"]:  # parameters that do not go together: the sentence names them itself
        return f"{operation.tag()}: {_lower_first(problem_of(first))}"
    # A parameter that may be of several kinds has an error for each; the one about the innermost place is the nearest.
    same = [e for e in errors if e["loc"][0] == first["loc"][0]]
    walks = [_walk(e["loc"], given, operation) for e in same]
    deepest = max(len(steps) for _, steps in walks)
    chosen = [(e, where, steps) for e, (where, steps) in zip(same, walks, strict=True) if len(steps) == deepest]
    error_shown, place, _ = chosen[0]
    if error_shown["type"] == "extra_forbidden":
        return f"{operation.tag()}: {_unknown(error_shown, operation, given)}"
    if error_shown["type"] == "missing":
        return f"{operation.tag()}: {_missing(error_shown, operation, given)}"
    there = [e for e, where, _ in chosen if where == place]
    # Where the kind is one of those allowed and only the value is not, the other kinds need no mention.
    there = [e for e in there if not e["type"].endswith("_type")] or there
    problems = dict.fromkeys(problem_of(e) for e in there)
    allowed = [p.removeprefix("it must be ") for p in problems if p.startswith("it must be ")]
    problem = f"it must be {' or '.join(allowed)}" if allowed else next(iter(problems))
    ending = "" if problem.endswith(".") else "."
    return f"{operation.tag()}: {place} is {_short(error_shown.get('input'))}, but {_lower_first(problem)}{ending}"


def _unknown(error: ErrorDetails, operation: type[Operation], given: Mapping[str, Any]) -> str:
    name = str(error["loc"][-1])
    known: Sequence[str] = list(operation.parameters())
    if len(error["loc"]) == 1:
        said = f'there is no parameter "{name}".'
    else:
        known = list(_fields(operation.parameters()[str(error["loc"][0])].annotation))
        said = f'{_walk(error["loc"][:-1], given, operation)[0]} has no "{name}".'
    return f"{said}{did_you_mean(nearest(name, known, 1))} It has: {', '.join(known)}."


def _missing(error: ErrorDetails, operation: type[Operation], given: Mapping[str, Any]) -> str:
    *outer, name = error["loc"]
    place = _walk(outer, given, operation)[0] if outer else "it"
    if isinstance(name, int):
        return f"{place} is too short: number {name + 1} is missing."
    return f'{place} needs a value for "{name}".'


def problem_of(error: ErrorDetails) -> str:
    """What is wrong: the sentence of a check of ours, or what is allowed."""
    about = error.get("ctx", {})
    cause = about.get("error")
    if isinstance(cause, KinetuneError | ValueError):
        return str(cause)
    kind = error["type"]
    if kind in _SIZES:
        return _SIZES[kind].format(**about)
    if kind in _ALLOWED:
        return f"it must be {_ALLOWED[kind].format(**about)}"
    family, _, _ = kind.partition("_")
    if family in _KINDS and kind.endswith(("_type", "_parsing", "_from_float")):
        return f"it must be {_KINDS[family]}"
    message = error["msg"]
    return f"it must {message.removeprefix('Input should ')}" if message.startswith("Input should ") else message


def _walk(loc: Sequence[int | str], given: Any, operation: type[Operation]) -> tuple[str, list[int | str]]:
    """A description of a place, and the steps that lead to it in what the user gave."""
    name = str(loc[0])
    where, value = name, given.get(name)
    noun, units = _singular(name), _units(operation, name)
    steps: list[int | str] = [name]
    rest = list(loc[1:])
    while rest:
        part = rest.pop(0)
        if isinstance(part, str):
            if isinstance(value, Mapping) and part in value:
                where, value = f"{part} in {where}", value[part]
                steps.append(part)
            elif not part.isidentifier() or part in ("str", *_KINDS):
                continue  # one of the kinds that a parameter may have
            noun, units = _singular(part), _units(operation, part)
            continue
        steps.append(part)
        if isinstance(value, Mapping):
            pair = bool(rest) and rest[0] in (0, 1) and part < len(value)
            key = list(value)[part] if pair else next((k for k in value if str(k).split()[-1:] == [str(part)]), part)
            if pair and rest.pop(0) == 0:
                where, value = f"a name in {where}", key
            else:
                where, value = f'"{key}" in {where}', value.get(key)
            continue
        where = f"{noun} {part + 1} of {where}"
        value = value[part] if isinstance(value, Sequence) and part < len(value) else None
        noun = "number"
        if rest and units.count("s") == 1 and units[0] == "s" and rest[0] == 0:  # a row that begins with its time
            rest.pop(0)
            where = f"time of {where}"
            steps.append(0)
    return where, steps


def _units(operation: type[Operation], name: str) -> list[str]:
    """The units of a parameter, one for each number of a row."""
    info = operation.model_fields.get(name)
    declared = info.json_schema_extra if info is not None else None
    unit = declared.get("unit") if isinstance(declared, dict) else None
    return [part.strip() for part in str(unit or "").split(",")]


def _singular(name: str) -> str:
    """What one of several is called: ``gain_keys`` are keys."""
    word = name.rpartition("_")[2]
    if word == "axes":
        return "axis"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else "number"


def _fields(annotation: Any) -> Iterator[str]:
    """The names of the fields of all models in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from annotation.model_fields
    for part in get_args(annotation):
        yield from _fields(part)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
