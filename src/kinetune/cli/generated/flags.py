"""How a knob becomes a flag: read from its declaration, so that every operation is a command without being told."""

from __future__ import annotations

import types
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic.fields import FieldInfo

from kinetune.cli.generated.operation_list import unmarked
from kinetune.operations import Operation

_NUMBERS = (int, float)


@dataclass(frozen=True)
class Flag:
    """How a knob is given on the command line.

    name : the knob.
    info : its declaration.
    kinds : the types of value that it takes, None left out.
    optional : whether None is a value.
    is_clip : whether it names another clip, so that a file is given.
    """

    name: str
    info: FieldInfo
    kinds: tuple[Any, ...]
    optional: bool
    is_clip: bool

    @property
    def option(self) -> str:
        """The long flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def is_list(self) -> bool:
        """Whether values separated by commas are taken."""
        return any(_is_list(kind) for kind in self.kinds)

    @property
    def is_plain(self) -> bool:
        """Whether Typer itself can read the value: a switch, a number, or one of a few words."""
        return len(self.kinds) == 1 and (self.kinds[0] in (bool, *_NUMBERS) or _choices(self.kinds[0]) is not None)

    @property
    def annotation(self) -> Any:
        """What Typer is told."""
        kind = self.kinds[0] if self.is_plain and not self.nothing_is_a_value else str
        return kind if self.info.is_required() else kind | None

    @property
    def nothing_is_a_value(self) -> bool:
        """Whether "none" must be sayable, since leaving the flag out means something else."""
        return self.optional and self.info.default is not None

    @property
    def metavar(self) -> str | None:
        """What stands for the value in the help; None where Typer lists the choices."""
        if self.is_clip:
            return "FILE"
        kind = self.kinds[0]
        if self.is_plain:
            return {bool: "", int: "INTEGER", float: "NUMBER"}.get(kind)
        said = [_metavar(kind) for kind in self.kinds if not (self.is_list and kind is str)]
        return "YAML" if "YAML" in said else "|".join(dict.fromkeys(said))

    def value(self, given: Any) -> Any:
        """What the operation gets for what the user wrote."""
        if not isinstance(given, str):
            return given
        words = given.strip()
        if self.optional and words.casefold() in ("none", "null"):
            return None
        if words[:1] in ("[", "{"):
            return self._parsed(words)
        if self.is_list and ("," in words or not self._takes_one):
            return [item.strip() for item in words.split(",")] if words else []
        if str in self.kinds and not any(kind in self.kinds for kind in _NUMBERS):
            return given
        return words if self.is_plain else self._parsed(words)

    def _parsed(self, words: str) -> Any:
        from kinetune.recipes.plain_yaml import parse_yaml

        return parse_yaml(words, self.option)

    @property
    def _takes_one(self) -> bool:
        return any(not _is_list(kind) for kind in self.kinds)

    @property
    def takes(self) -> str:
        """What may follow the flag, for a table."""
        kind = self.kinds[0]
        return "|".join(_choices(kind) or ()) or ("on or off" if kind is bool else (self.metavar or "TEXT").lower())

    @property
    def words(self) -> str:
        """The help: the knob's sentence, its unit, what is allowed and what it starts at."""
        declared = self.info.json_schema_extra
        unit = declared.get("unit", "") if isinstance(declared, dict) else ""
        facts = [] if unit in ("", "1") else [str(unit)]
        facts += [b for b in (_bounds(self.info.metadata),) if b]
        default = self.info.get_default(call_default_factory=True) if not self.info.is_required() else None
        shown = "" if default is None else _shown(default)
        facts += [f"default {shown}"] if shown else []
        return unmarked(self.info.description or "") + (f" ({'; '.join(facts)})" if facts else "")


def flags_of(operation: type[Operation]) -> list[Flag]:
    """The flags of an operation's command, in the order of its knobs."""
    return [
        Flag(name, info, *_unfolded(info.annotation), is_clip=name in operation.input_knobs)
        for name, info in operation.knobs().items()
    ]


def _unfolded(annotation: Any) -> tuple[tuple[Any, ...], bool]:
    """The kinds of value that an annotation allows, and whether None is one of them."""
    if get_origin(annotation) is Annotated:
        return _unfolded(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [_unfolded(part) for part in get_args(annotation)]
        return tuple(kind for kinds, _ in parts for kind in kinds), any(optional for _, optional in parts)
    return ((), True) if annotation is type(None) else ((annotation,), False)


def _is_list(kind: Any) -> bool:
    """Whether a kind is a list, tuple or set of words and numbers."""
    origin = get_origin(kind) or kind
    if not (isinstance(origin, type) and issubclass(origin, Sequence | AbstractSet)) or origin in (str, bytes):
        return False
    items = [item for item in get_args(kind) if item is not Ellipsis]
    kinds = [k for item in items for k in _unfolded(item)[0]]
    return all(k in (str, bool, *_NUMBERS) or _choices(k) is not None for k in kinds)


def _metavar(kind: Any) -> str:
    """What stands for one kind of value in the help."""
    if _is_list(kind):
        items = get_args(kind)
        fixed = get_origin(kind) is tuple and Ellipsis not in items
        return ",".join("ABCDEFGH"[: len(items)]) if fixed else "A,B,..."
    plain = {bool: "true|false", int: "INTEGER", float: "NUMBER", str: "TEXT"}.get(kind)
    return plain or "|".join(_choices(kind) or ()) or "YAML"


def _choices(kind: Any) -> tuple[str, ...] | None:
    """The words of a Literal; None for anything else."""
    words = get_args(kind) if get_origin(kind) is Literal else ()
    return words if words and all(isinstance(word, str) for word in words) else None


def _bounds(metadata: Sequence[Any]) -> str:
    low = next((m.ge for m in metadata if isinstance(m, Ge)), None)
    high = next((m.le for m in metadata if isinstance(m, Le)), None)
    above = next((m.gt for m in metadata if isinstance(m, Gt)), None)
    below = next((m.lt for m in metadata if isinstance(m, Lt)), None)
    fewest = next((m.min_length for m in metadata if isinstance(m, MinLen)), None)
    most = next((m.max_length for m in metadata if isinstance(m, MaxLen)), None)
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    said = [f"at least {low:g}" if low is not None else "", f"above {above:g}" if above is not None else ""]
    said += [f"at most {high:g}" if high is not None else "", f"below {below:g}" if below is not None else ""]
    said += [f"{fewest} or more" if fewest is not None else "", f"up to {most}" if most is not None else ""]
    return ", ".join(word for word in said if word)


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, list | tuple):
        return ",".join(_shown(item) for item in default)
    return f"{default:g}" if isinstance(default, float) else str(default)
