"""What the declaration of a parameter says, for people: the values it takes, its bounds, its default.

=================  =============================================================
kinds_of           the types of value that an annotation allows
choices, is_list   whether it is one of a few words, or values with commas
bounds_text        "0 to 10", "at least 1"
default_text       "off", "0.5", "0,0,1"; shown_value the same of any value
document           the docstring and the signature that ``help()`` shows
likely_parameter   what a value without a name is meant for
=================  =============================================================
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic.fields import FieldInfo

if TYPE_CHECKING:
    from kinetune.operations.base import Operation

NUMBERS = (int, float)
_FAR = 1e5
_NAMES = {bool: "bool", int: "int", float: "float", str: "str"}


def kinds_of(annotation: Any) -> tuple[tuple[Any, ...], bool]:
    """The kinds of value that an annotation allows, and whether None is one of them."""
    if get_origin(annotation) is Annotated:
        return kinds_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [kinds_of(part) for part in get_args(annotation)]
        return tuple(kind for kinds, _ in parts for kind in kinds), any(optional for _, optional in parts)
    return ((), True) if annotation is type(None) else ((annotation,), False)


def choices(kind: Any) -> tuple[str, ...] | None:
    """The words of a Literal; None for anything else."""
    values = get_args(kind) if get_origin(kind) is Literal else ()
    return values if values and all(isinstance(word, str) for word in values) else None


def is_list(kind: Any) -> bool:
    """Whether a kind is a list, tuple or set of words and numbers."""
    origin = get_origin(kind) or kind
    if not (isinstance(origin, type) and issubclass(origin, Sequence | AbstractSet)) or origin in (str, bytes):
        return False
    items = [item for item in get_args(kind) if item is not Ellipsis]
    kinds = [k for item in items for k in kinds_of(item)[0]]
    return all(k in (str, bool, *NUMBERS) or choices(k) is not None for k in kinds)


def unit_of(info: FieldInfo) -> str:
    """The unit of a parameter: "1" for a pure number, "" for a choice."""
    extra = info.json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def bounds_text(info: FieldInfo) -> str:
    """What a value must lie within, or "" for anything; a bound that no motion comes near is left out."""

    def bound(kind: type, name: str) -> Any:
        limit = next((getattr(each, name) for each in info.metadata if isinstance(each, kind)), None)
        return None if limit is not None and (abs(limit) >= _FAR or 0.0 < abs(limit) <= 1.0 / _FAR) else limit

    low, high, above, below = bound(Ge, "ge"), bound(Le, "le"), bound(Gt, "gt"), bound(Lt, "lt")
    fewest, most = bound(MinLen, "min_length"), bound(MaxLen, "max_length")
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    parts = [f"at least {low:g}" if low is not None else "", f"above {above:g}" if above is not None else ""]
    parts += [f"at most {high:g}" if high is not None else "", f"below {below:g}" if below is not None else ""]
    parts += [f"{fewest} or more" if fewest is not None else "", f"up to {most}" if most is not None else ""]
    return ", ".join(part for part in parts if part)


def default_text(info: FieldInfo) -> str:
    """The default as a user would write it; "" where there is none."""
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    return "" if default is None else shown_value(default)


def facts_text(info: FieldInfo) -> str:
    """Unit, bounds and default of a parameter in one line."""
    default, unit = default_text(info), unit_of(info)
    facts = ["" if unit in ("", "1") else unit, bounds_text(info), f"default {default}" if default else ""]
    return "; ".join(fact for fact in facts if fact)


def document(operation: type[Operation]) -> tuple[str, inspect.Signature]:
    """The docstring of an operation with a section on its parameters, and its signature."""
    lines = [inspect.cleandoc(operation.__doc__ or ""), "", "Parameters", "----------"]
    signature = []
    for name, info in operation.parameters().items():
        facts = facts_text(info)
        kinds, optional = kinds_of(info.annotation)
        names = " or ".join(dict.fromkeys(map(_kind_name, kinds))) + (", optional" if optional else "")
        lines += [f"{name} : {names}", f"    {info.description}" + (f" ({facts})" if facts else "")]
        default = inspect.Parameter.empty if info.is_required() else info.get_default(call_default_factory=True)
        signature.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    return "\n".join(lines) + "\n", inspect.Signature(signature)


def likely_parameter(operation: type[Operation], value: Any) -> str:
    """The parameter that a value given without a name is probably meant for: the first that takes it."""
    accepted = {type(value), float} if isinstance(value, int) and not isinstance(value, bool) else {type(value)}
    kinds = {name: kinds_of(info.annotation)[0] for name, info in operation.parameters().items()}
    chosen = [name for name, each in kinds.items() if any(value in (choices(kind) or ()) for kind in each)]
    typed = [name for name, each in kinds.items() if accepted & {*each}]
    return next(iter([*chosen, *typed, *kinds]), "...")


def _kind_name(kind: Any) -> str:
    options = choices(kind)
    if options is not None:
        return "{" + ", ".join(f'"{word}"' for word in options) + "}"
    if get_origin(kind) is not None or kind in (tuple, list, dict):
        items = [item for item in get_args(kind) if item is not Ellipsis]
        names = dict.fromkeys(name for item in items for name in map(_kind_name, kinds_of(item)[0]))
        fixed = get_origin(kind) is tuple and Ellipsis not in get_args(kind)
        return f"{len(items)} of {' or '.join(names)}" if fixed else f"sequence of {' or '.join(names)}"
    return _NAMES.get(kind) or str(getattr(kind, "__name__", kind))


def shown_value(default: Any) -> str:
    """A value as a user would write it."""
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, list | tuple):
        return ",".join(shown_value(item) for item in default)
    return f"{default:g}" if isinstance(default, float) else str(default)
