"""Kinetune edits motion the way a studio edits sound.

::

    import kinetune as kt
    clip = kt.read("walk.bvh")
    kt.write(kt.Smooth(cutoff_hz=6)(clip), "smooth.glb")

Names are loaded when they are first used, so that ``import kinetune`` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "kinetune.body.clip": ("Clip", "Marker"),
    "kinetune.body.skeleton": ("EndSite", "Skeleton"),
    "kinetune.errors": ("KinetuneError",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(["__version__", *_HOME_OF])

if TYPE_CHECKING:
    from kinetune.body.clip import Clip as Clip
    from kinetune.body.clip import Marker as Marker
    from kinetune.body.skeleton import EndSite as EndSite
    from kinetune.body.skeleton import Skeleton as Skeleton
    from kinetune.errors import KinetuneError as KinetuneError


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'kinetune' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
