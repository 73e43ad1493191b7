"""The clips and drawings that ship with Kinetune.

::

    list_samples()       every name
    sample("walk")       the clip
    describe("walk")     what it shows
    sample_drawing(...)  an embedded drawing; sample_drawings() lists them

They play on a skeleton of 22 joints, 1.75 m tall, at 60 frames per second, the kicks at 120. A few play on others: with
fingers, a child, a studio rig of 31 joints. Walks travel along +Z; everything else starts at the origin and faces +Z.
Contacts are known, and markers name events such as "left heel strike" or "kick".

===========  ============================================================================
sample_walk  ``kt.walk``: walking on footsteps with the embedded steps
drawings     the embedded drawings
_archive     reads ``data/``; the code that authors it is ``tools/samples`` in a checkout
===========  ============================================================================
"""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from kinetune.body.clip import Clip
from kinetune.errors import UnknownNameError
from kinetune.lazy_names import lazy_names
from kinetune.samples._archive import catalogue, load_clip

if TYPE_CHECKING:
    from kinetune.samples.drawings import sample_drawing as sample_drawing
    from kinetune.samples.drawings import sample_drawings as sample_drawings

__all__ = ["describe", "list_samples", "sample", "sample_drawing", "sample_drawings", "samples", "step_clips"]
__getattr__ = lazy_names(__name__, {"kinetune.samples.drawings": ("sample_drawing", "sample_drawings")})[0]


def list_samples() -> list[str]:
    """The names of all embedded clips: walks first, then actions, other skeletons, and sets of examples.

    Returns
    -------
    list of str

    Examples
    --------
    >>> list_samples()[:3]
    ['walk', 'walk-happy', 'walk-sad']
    """
    return list(catalogue()["clips"])


samples = list_samples


def describe(name: str) -> str:
    """What an embedded clip shows, in one sentence."""
    return str(_about(name)["description"])


@functools.cache
def sample(name: str) -> Clip:
    """An embedded clip by its name, such as ``"walk"`` or ``"reach-07"``.

    Parameters
    ----------
    name : str
        One of :func:`list_samples`.

    Returns
    -------
    Clip
        Read at the first call and cached; it cannot be changed.

    Examples
    --------
    >>> len(sample("walk"))
    402
    """
    return load_clip(name, _about(name))


@functools.cache
def step_clips() -> dict[str, Clip]:
    """The clips of the embedded step set by name: steps within a walk, out of standing and into standing.

    ``step-01`` to ``step-06`` are those of :func:`sample` with hips that sway on into the next step.
    """
    return {name: load_clip(f"joined.{name}", about) for name, about in catalogue()["steps"].items()}


def _about(name: str) -> dict[str, object]:
    clips = catalogue()["clips"]
    if name not in clips:
        raise UnknownNameError("sample", name, clips, advice="List them all with: kinetune samples")
    return dict(clips[name])


class _CallableSamples(ModuleType):
    """Importing this package puts it at ``kinetune.samples``, where ``kt.samples()`` must go on listing the names."""

    def __call__(self) -> list[str]:
        return list_samples()


sys.modules[__name__].__class__ = _CallableSamples
