"""Every exception that Kinetune raises on purpose.

::

    KinetuneError                     catch this one to catch them all
    ├── FileError                     a file could not be read or written: path, place, what, what to do
    │   ├── MalformedFileError        its content breaks the format
    │   └── UnknownFormatError        no reader or writer for its suffix
    ├── UnknownNameError              a joint, sample, operation ... that does not exist; offers the nearest
    ├── ParameterError                a parameter or argument outside its range
    ├── SkeletonMismatchError         two clips whose skeletons cannot be combined
    ├── RecipeError                   a recipe that cannot be read or run
    └── MissingDependencyError        an optional package that is not installed

Each class composes one sentence from its fields, so that the command line, the studio and a log say the same:
where it happened, what was found, what is allowed, what to do next.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable

MOST_QUOTED = 80
"""Characters of a file that a message shows at most."""

_LONGEST_PATH = 400
_LONGEST_PROBLEM = 400  # a longer one quotes the file, with quotation marks inside
_QUOTED = re.compile(rf"\"[^\"]{{{MOST_QUOTED},}}\"|'[^']{{{MOST_QUOTED},}}'")


def excerpt(text: object, most: int = MOST_QUOTED) -> str:
    """The start of something that a file says, short enough for a message."""
    shown = str(text)
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


def quoted(name: object) -> str:
    """A name from a file in quotation marks and short enough for a message."""
    shown = str(name).replace('"', "'")
    return f'"{excerpt(shown, 60)}"'


def printable(text: str) -> str:
    """A text that any terminal shows as it is: control characters and halves of characters are spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _shorter(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else f"{path[:100]} ... {path[-100:]}"


class KinetuneError(Exception):
    """The root of the tree: its text is one sentence for the user, without a traceback.

    Any terminal can print it, and of a long text in quotation marks it shows the start.
    """

    def __str__(self) -> str:
        return printable(
            _QUOTED.sub(lambda match: f"{match[0][: MOST_QUOTED - 20]}...{match[0][0]}", super().__str__())
        )


class FileError(KinetuneError):
    """A file that cannot be read or written.

    Parameters
    ----------
    path : the file as the user named it.
    problem : what was found, a sentence with its full stop.
    line : the line on which it was found, counted from 1.
    advice : what to do next, a sentence.
    """

    def __init__(
        self, path: str | os.PathLike[str], problem: str, *, line: int | None = None, advice: str | None = None
    ) -> None:
        self.path = str(path)
        self.problem = problem
        self.line = line
        self.advice = advice
        where = _shorter(self.path) if line is None else f"{_shorter(self.path)}:{line}"
        super().__init__(f"{where}: {problem}" + (f" {advice}" if advice else ""))

    def __str__(self) -> str:
        text, head = super().__str__(), len(_shorter(self.path))
        if len(text) <= head + _LONGEST_PROBLEM:
            return text
        return f"{text[: head + MOST_QUOTED]} ... {text[-MOST_QUOTED:]}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_file_error, (type(self), self.path, self.problem, self.line, self.advice)


def _rebuild_file_error(
    kind: type[FileError], path: str, problem: str, line: int | None, advice: str | None
) -> FileError:
    return kind(path, problem, line=line, advice=advice)


class MalformedFileError(FileError):
    """The content of a file breaks its format."""


class UnknownFormatError(FileError):
    """No reader or writer knows the suffix of a file."""


class UnknownNameError(KinetuneError):
    """A name that does not exist, with the three nearest ones that do.

    Parameters
    ----------
    kind : what was looked for, such as "joint" or "operation".
    name : the name that was asked for.
    known : the names that exist.
    advice : how to list them all.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, advice: str | None = None) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.advice = advice
        text = f'there is no {kind} "{name}".{did_you_mean(nearest(name, self.known))}'
        super().__init__(text + (f" {advice}" if advice else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_unknown_name, (self.kind, self.name, self.known, self.advice)


def _rebuild_unknown_name(kind: str, name: str, known: tuple[str, ...], advice: str | None) -> UnknownNameError:
    return UnknownNameError(kind, name, known, advice=advice)


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The names most like ``name``, best first; empty when none is close."""
    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), candidate)
    close = difflib.get_close_matches(name.casefold(), list(by_folded), n=count, cutoff=0.5)
    return [by_folded[c] for c in close]


def did_you_mean(near: Iterable[str], mark: str = '"') -> str:
    """The question that offers some names, after a space; empty when there are none. mark : what goes round a name."""
    names = [f"{mark}{name}{mark}" for name in near]
    offered = " or ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    return f" Did you mean {offered}?" if offered else ""


class ParameterError(KinetuneError, ValueError):
    """A parameter or an argument outside what it may be; the text says what is allowed."""


class SkeletonMismatchError(KinetuneError):
    """Two clips whose skeletons cannot be combined."""


class RecipeError(KinetuneError):
    """A recipe that cannot be read or run; the text names the file and the step."""


class MissingDependencyError(KinetuneError):
    """An optional package is needed and absent; the text says how to install it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        self.purpose = purpose
        super().__init__(f'{purpose} needs the package "{package}". Install it with: pip install "kinetune[{extra}]"')

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.package, self.extra, self.purpose)
