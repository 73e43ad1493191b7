"""Old recipes stay readable: one function for each step from a version to the next.

A recipe without a version is version 1, the first one there was.
When a parameter is renamed, or a default changes what an old recipe means, :data:`VERSION` rises by one and a function
``old mapping -> new mapping`` goes into :data:`MIGRATIONS` under the version that it leaves behind.
A new word that may be left out, such as ``off`` of a step, leaves the version as it is: every old recipe means what it
meant, and a release that does not know the word refuses it by name and runs nothing else in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kinetune.errors import RecipeError
from kinetune.operations import OPERATIONS

VERSION = 3
"""The version that this release writes."""


def _rename_parameters(document: dict[str, Any]) -> dict[str, Any]:
    """1 to 2: one name for each kind of parameter, with its unit (``Operation.former_names``)."""
    return _with_steps(document, present_names)


def _state_former_defaults(document: dict[str, Any]) -> dict[str, Any]:
    """2 to 3: defaults that have changed are written out as they were (``Operation.former_defaults``); more names."""
    return _with_steps(document, _with_former_defaults)


def _with_former_defaults(step: Any) -> Any:
    if not isinstance(step, Mapping) or str(step.get("op")) not in OPERATIONS:
        return step
    return {**OPERATIONS[str(step["op"])].former_defaults, **present_names(step)}


def _with_steps(document: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    steps = document.get("steps")
    if not isinstance(steps, Sequence) or isinstance(steps, str):
        return document
    return {**document, "steps": [change(step) for step in steps]}


def present_names(step: Any) -> Any:
    """A step of a recipe with the present names of its parameters."""
    if not isinstance(step, Mapping) or str(step.get("op")) not in OPERATIONS:
        return step
    return OPERATIONS[str(step["op"])].renamed(step)


def from_history(step: Any) -> Any:
    """A step of a clip's history by present names; one that does not state whether it kept feet is an old one."""
    named = present_names(step)
    if not isinstance(named, Mapping) or named.get("op") not in OPERATIONS:
        return named
    operation = OPERATIONS[str(named["op"])]
    is_old = "keep_feet" in operation.model_fields and "keep_feet" not in named
    return {**operation.former_defaults, **named} if is_old else named


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: _rename_parameters,
    2: _state_former_defaults,
}
"""From a version (the key) to the next one."""


def migrate(document: dict[str, Any], where: str) -> dict[str, Any]:
    """A document of any known version as one of the newest; the given one is not changed."""
    version = document.get("version", 1)
    if isinstance(version, bool) or not isinstance(version, int):
        raise RecipeError(f"{where}: the version is {version!r:.60}, but it must be a whole number such as {VERSION}.")
    oldest = min(MIGRATIONS, default=VERSION)
    if version > VERSION:
        raise RecipeError(
            f"{where}: this is a recipe of version {version!s:.40}, but this Kinetune reads versions up to {VERSION}. "
            "Update it with: pip install --upgrade kinetune"
        )
    if version < oldest:
        raise RecipeError(
            f"{where}: there is no recipe version {version!s:.40}; versions {oldest} to {VERSION} are known."
        )
    for step in range(version, VERSION):
        document = MIGRATIONS[step](dict(document))
    return {**document, "version": VERSION}
