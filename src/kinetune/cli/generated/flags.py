"""How a parameter becomes a flag: read from its declaration, so that every operation is a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from kinetune.cli.generated.operation_list import unmarked
from kinetune.operations import Operation
from kinetune.operations._parameters import NUMBERS, choices, facts_text, is_list, kinds_of


@dataclass(frozen=True)
class Flag:
    """How a parameter is given on the command line.

    name : the parameter.
    info : its declaration.
    kinds : the types of value that it takes, None left out.
    optional : whether None is a value.
    is_clip : whether it names another clip, so that a file is given.
    reader : reads the value from a file, for a parameter that may be given as one.
    """

    name: str
    info: FieldInfo
    kinds: tuple[Any, ...]
    optional: bool
    is_clip: bool
    reader: Callable[[str], Any] | None = None

    @property
    def option(self) -> str:
        """The long flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def names(self) -> tuple[str, ...]:
        """What Typer declares: the flag, its other name, for a switch also what turns it off."""
        extra = self.info.json_schema_extra if isinstance(self.info.json_schema_extra, dict) else {}
        if self.annotation not in (bool, bool | None):
            return (self.option, *([f"--{extra['flag']}"] if "flag" in extra else []))
        off = extra.get("off")
        return (f"{self.option}/--no-{self.option[2:]}", *([f" /--{off}"] if off else []))

    @property
    def is_list(self) -> bool:
        """Whether values separated by commas are taken."""
        return any(is_list(kind) for kind in self.kinds)

    @property
    def repeats(self) -> bool:
        """Whether the flag may be given again, for a list of any length: the values add up."""
        return any(_is_open_list(kind) for kind in self.kinds)

    @property
    def is_plain(self) -> bool:
        """Whether Typer itself can read the value: a switch, a number, or one of a few names."""
        return len(self.kinds) == 1 and (self.kinds[0] in (bool, *NUMBERS) or choices(self.kinds[0]) is not None)

    @property
    def annotation(self) -> Any:
        """The type that Typer gets."""
        kind = self.kinds[0] if self.is_plain and not self.nothing_is_a_value else str
        kind = list[str] if self.repeats else kind
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
        if self.reader is not None:
            return "TEXT|FILE" if str in self.kinds else "FILE|YAML"
        said = [_metavar(kind) for kind in self.kinds if not (self.is_list and kind is str)]
        return "YAML" if "YAML" in said else "|".join(dict.fromkeys(said))

    def value(self, given: Any) -> Any:
        """What the operation gets for what the user wrote."""
        if isinstance(given, list):
            values = [self.value(text) for text in given]
            if len(values) == 1:
                return values[0]
            return [item for value in values for item in (value if isinstance(value, list) else [value])]
        if not isinstance(given, str):
            return given
        text = given.strip()
        if self.optional and text.casefold() in ("none", "null"):
            return None
        if text[:1] in ("[", "{"):
            return self._parsed(text)
        if self.reader is not None:
            return self.reader(text)
        if self.is_list and ("," in text or not self._takes_one):
            return [item.strip() for item in text.split(",")] if text else []
        if str in self.kinds and not any(kind in self.kinds for kind in NUMBERS):
            return given
        return text if self.is_plain else self._parsed(text)

    def _parsed(self, text: str) -> Any:
        from kinetune.input_files.plain_yaml import parse_yaml

        return parse_yaml(text, self.option)

    @property
    def _takes_one(self) -> bool:
        return any(not is_list(kind) for kind in self.kinds)

    @property
    def takes(self) -> str:
        """What may follow the flag, for a table."""
        kind = self.kinds[0]
        return "|".join(choices(kind) or ()) or ("on or off" if kind is bool else (self.metavar or "TEXT").lower())

    @property
    def help(self) -> str:
        """The help: the parameter's sentence, its unit, what is allowed and its default."""
        facts = facts_text(self.info)
        return unmarked(self.info.description or "") + (f" ({facts})" if facts else "")


def flags_of(operation: type[Operation]) -> list[Flag]:
    """The flags of an operation's command, in the order of its parameters."""
    clips, readers = operation.input_parameters, operation.readers
    return [
        Flag(name, info, *kinds_of(info.annotation), is_clip=name in clips, reader=readers.get(name))
        for name, info in operation.parameters().items()
    ]


def _is_open_list(kind: Any) -> bool:
    """Whether a kind is a list of any length."""
    origin = get_origin(kind)
    return origin in (list, set, frozenset) or (origin is tuple and Ellipsis in get_args(kind))


def _metavar(kind: Any) -> str:
    """What stands for one kind of value in the help."""
    if is_list(kind):
        items = get_args(kind)
        fixed = get_origin(kind) is tuple and Ellipsis not in items
        return ",".join("ABCDEFGH"[: len(items)]) if fixed else "A,B,..."
    plain = {bool: "true|false", int: "INTEGER", float: "NUMBER", str: "TEXT"}.get(kind)
    return plain or "|".join(choices(kind) or ()) or "YAML"
