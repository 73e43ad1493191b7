"""Packages whose public names are loaded when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package needs to load its public names on first use: ``__getattr__``, ``__dir__`` and ``__all__``.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    homes : mapping
        Module to the names that it defines. Type checkers read the same names from an ``if TYPE_CHECKING`` block.
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(home_of), sorted(home_of)
