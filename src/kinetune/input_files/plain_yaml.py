"""YAML as people write recipes in it: mappings, lists, words and numbers, and nothing that runs code.

Read from the event stream, so that size, depth, tags and aliases are checked before any value is built:

- a tag (``!!python/object``, ``!thing``) is refused: a recipe is data;
- an alias counts as all that it stands for, so that a "billion laughs" stops at :data:`MOST_VALUES`;
- a key may not come twice, and keys are words.

Plain words follow YAML 1.2: only ``true`` and ``false`` are switches (a joint may be called ``on`` or ``y``), ``1e3``
is a number, and ``1:30`` or ``2024-01-01`` are text. Written text is quoted wherever a YAML 1.1 reader would read
something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from kinetune.errors import RecipeError

MOST_CHARACTERS = 1_000_000
MOST_VALUES = 200_000
MOST_LEVELS = 50

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


def parse_yaml(text: str, where: str) -> Any:
    """The plain value of a YAML text: dict, list, str, int, float, bool or None.

    Parameters
    ----------
    where : the file or option, for the error's sentence.
    """
    if len(text) > MOST_CHARACTERS:
        raise RecipeError(f"{where}: the text has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read.")
    try:
        return _build(text, where)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise RecipeError(f"{where}:{line}: half of a character stands there, which no text file can hold.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = where if mark is None else f"{where}:{mark.line + 1}"
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        raise RecipeError(
            f"{place}: this is not valid YAML ({problem}). Look at the indentation, the colons and the quotes there."
        ) from None


@dataclass
class _Open:
    """A mapping or list that is being read."""

    value: dict[str, Any] | list[Any]
    anchor: str | None
    began: int
    key: str | None = None
    names: set[str] = field(default_factory=set)

    def add(self, value: Any, place: str) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is None:
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9:
                value = f"{value:g}"  # a band or a frequency, such as {2: 1.4}
            if not isinstance(value, str):
                raise RecipeError(f"{place}: a key must be a word, not {value!r:.60}. Put quotes round it.")
            if value in self.names:
                raise RecipeError(f'{place}: the key "{value}" comes twice. Keep one of them.')
            self.names.add(value)
            self.key = value
        else:
            self.value[self.key] = value
            self.key = None


def _build(text: str, where: str) -> Any:
    open_values: list[_Open] = []
    anchors: dict[str, tuple[Any, int]] = {}
    result: list[Any] = []
    count = 0

    def finish(value: Any, anchor: str | None, began: int, place: str) -> None:
        if anchor is not None:
            anchors[anchor] = (value, count - began)
        if open_values:
            open_values[-1].add(value, place)
        else:
            result.append(value)

    for event in yaml.parse(text, Loader=_Loader):
        place = f"{where}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.DocumentStartEvent) and result:
            raise RecipeError(f"{place}: a second document begins here, but only one is read. Remove the line ---.")
        if getattr(event, "tag", None) is not None:
            raise RecipeError(
                f"{place}: the tag {_short_tag(event.tag)} is not allowed; a recipe holds plain values only."
            )
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise RecipeError(
                    f"{place}: *{event.anchor!s:.60} stands for nothing that is complete before this line."
                )
            value, size = anchors[event.anchor]
            count += size
            finish(value, None, count, place)
        elif isinstance(event, yaml.ScalarEvent):
            count += 1
            finish(event.value if event.style else _plain(event.value), event.anchor, count - 1, place)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if len(open_values) == MOST_LEVELS:
                raise RecipeError(f"{place}: values are nested more than {MOST_LEVELS} levels deep.")
            fresh: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
            open_values.append(_Open(fresh, event.anchor, count))
            count += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            done = open_values.pop()
            finish(done.value, done.anchor, done.began, place)
        if count > MOST_VALUES:
            raise RecipeError(f"{place}: the text expands to more than {MOST_VALUES:,} values; that is too many.")
    return result[0] if result else None


def _plain(text: str) -> Any:
    """What an unquoted word means."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return float(text.replace(".", "", 1))
    return text


def _short_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")[:60]


class _Dumper(yaml.SafeDumper):
    """Block style for structure, one line for a short list of numbers or words."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_list(dumper: _Dumper, values: list[Any]) -> yaml.Node:
    scalars = all(not isinstance(v, list | dict) for v in values)
    return dumper.represent_sequence(
        "tag:yaml.org,2002:seq", values, flow_style=not values or (scalars and len(repr(values)) <= 100)
    )


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    style = None
    if _FOLDED_BY_READERS.search(text):
        style = '"'
    elif "\n" in text and text.isascii() and not re.search(r"[ \t]\n|^\s|[^\n\x20-\x7e]", text):
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_FOLDED_BY_READERS = re.compile("[\x85\u2028\u2029\ufeff]")  # line ends of other scripts: only an escape keeps them
_Dumper.add_representer(list, _represent_list)
_Dumper.add_representer(str, _represent_text)
# Both readings at once: a word that either YAML 1.1 or our reader takes for something else is quoted.
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(f"^(?:{_FLOAT.pattern})$"), list("-+.0123456789"))


def to_yaml(value: Any) -> str:
    """A plain value as YAML that a person can edit; :func:`parse_yaml` gives it back."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
