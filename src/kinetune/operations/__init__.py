"""The registry: every operation, by its tag.

Each module in this folder but ``base`` holds one operation and is found by itself.
"""

from __future__ import annotations

import importlib
import pkgutil

from kinetune.errors import UnknownNameError
from kinetune.operations.base import Operation, knob

__all__ = ["OPERATIONS", "Operation", "find_operation", "knob"]


def _collect() -> dict[str, type[Operation]]:
    found: dict[str, type[Operation]] = {}
    for module_info in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if module_info.name == "base":
            continue
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Operation) and value.__module__ == module.__name__:
                found[value.tag()] = value
    return found


OPERATIONS: dict[str, type[Operation]] = _collect()


def find_operation(tag: str) -> type[Operation]:
    """The operation with that tag, or an error that offers the nearest."""
    if tag in OPERATIONS:
        return OPERATIONS[tag]
    raise UnknownNameError("operation", tag, OPERATIONS, advice="List them all with: kinetune operations")
