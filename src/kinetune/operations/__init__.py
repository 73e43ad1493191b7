"""The registry: every operation, by its tag.

Each module in this folder but ``base``, ``wording`` and those with an underscore holds one operation, has its tag for
a name, and is found by itself. It is imported when its operation is asked for: a command that applies one of them does
not wait for the others.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, MutableMapping

from kinetune.errors import UnknownNameError
from kinetune.operations.base import Operation, parameter

__all__ = ["OPERATIONS", "Operation", "find_operation", "parameter"]


class _Registry(MutableMapping[str, type[Operation]]):
    """Tag to operation, in alphabetical order; one that was not asked for yet is only known by name."""

    def __init__(self) -> None:
        files = {module.name for module in pkgutil.iter_modules(__path__)} - {"base", "wording"}
        names = sorted(name for name in files if not name.startswith("_"))
        self._found: dict[str, type[Operation] | None] = dict.fromkeys(names)

    def __getitem__(self, tag: str) -> type[Operation]:
        operation = self._found[tag]
        if operation is None:
            operation = self._found[tag] = _load(tag)
        return operation

    def __setitem__(self, tag: str, operation: type[Operation]) -> None:
        self._found[tag] = operation

    def __delitem__(self, tag: str) -> None:
        del self._found[tag]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, tag: object) -> bool:
        return tag in self._found


def _load(tag: str) -> type[Operation]:
    module = importlib.import_module(f"{__name__}.{tag}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Operation) and value.__module__ == module.__name__:
            return value
    raise TypeError(f"operations/{tag}.py holds no operation.")


OPERATIONS: MutableMapping[str, type[Operation]] = _Registry()


def find_operation(tag: str) -> type[Operation]:
    """The operation with that tag, or an error that offers the nearest."""
    if tag in OPERATIONS:
        return OPERATIONS[tag]
    raise UnknownNameError("operation", tag, OPERATIONS, advice="List them all with: kinetune operations")
