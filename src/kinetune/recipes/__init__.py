"""Recipes: named inputs and steps, versioned YAML or JSON, migrations, provenance.

:class:`Recipe` loads when it is first used: opening a clip needs no operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinetune.recipes.sources import open_clip

if TYPE_CHECKING:
    from kinetune.recipes.recipe import Recipe

__all__ = ["Recipe", "open_clip"]


def __getattr__(name: str) -> Any:
    if name != "Recipe":
        raise AttributeError(f"module 'kinetune.recipes' has no attribute {name!r}")
    from kinetune.recipes.recipe import Recipe

    return Recipe
