"""Recipes: named inputs and steps, versioned YAML or JSON, migrations, provenance.

Names are loaded when they are first used: opening a clip needs no operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"kinetune.recipes.recipe": ("Recipe",), "kinetune.recipes.sources": ("open_clip",)}
)

if TYPE_CHECKING:
    from kinetune.recipes.recipe import Recipe as Recipe
    from kinetune.recipes.sources import open_clip as open_clip
