"""The embedded clips: authored by our own code, made when they are asked for, the same every time.

::

    samples()            every name
    sample("walk")       the clip
    describe("walk")     one sentence about it

They play on one 22-joint figure of 1.75 m (:mod:`kinetune.samples.figure`) at 60 frames a second, the kicks at 120.
A few play on richer ones (:mod:`kinetune.samples.rich_figures`): with fingers, a child, a studio's 31 joints.
Walks travel along +Z; everything else starts at the origin and looks along +Z. Contacts come from the plan of the
feet, and markers name events such as "left heel strike" or "kick".
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType

from kinetune.body.clip import Clip
from kinetune.body.source import Source
from kinetune.errors import UnknownNameError

__all__ = ["describe", "sample", "samples"]

_Maker = Callable[[], Clip]


@functools.cache
def _catalogue() -> dict[str, tuple[str, _Maker]]:
    """What each name stands for: one sentence, and the function that makes the clip."""
    from kinetune.samples import actions, kicks, reaches, rich_actions, run, seated, steps, walks

    single: dict[str, _Maker] = {
        "walk": walks.neutral,
        "walk-happy": walks.happy,
        "walk-sad": walks.sad,
        "walk-march": walks.march,
        "walk-stagger": walks.stagger,
        "run": run.run,
        "drumming": seated.drumming,
        "arm-sway": actions.arm_sway,
        "wave": actions.wave,
        "knock": actions.knock,
        "sit-and-drink": seated.sit_and_drink,
        "kick-1": kicks.first_take,
        "kick-2": kicks.second_take,
        "wave-fingers": rich_actions.wave_fingers,
        "count": rich_actions.count,
        "take-glass": rich_actions.take_glass,
        "walk-child": rich_actions.walk_child,
        "wave-rig": rich_actions.wave_rig,
    }
    found = {name: ((maker.__doc__ or "").strip(), maker) for name, maker in single.items()}
    sets = (
        ("reach", "The right hand reaches for a point", reaches.reaches()),
        ("point", "The right hand points in a direction", reaches.pointings()),
        ("grasp", "The right hand grasps for a thing", reaches.grasps()),
        ("pour", "The right hand carries a bottle and pours", reaches.pourings()),
    )
    for kind, words, examples in sets:
        plans = list(examples)
        for number, plan in enumerate(plans, start=1):
            maker = functools.partial(reaches.perform, plan)
            found[f"{kind}-{number:02}"] = (f"{words}: example {number} of {len(plans)}.", maker)
    for number, step in enumerate(steps.steps(), start=1):
        found[f"step-{number:02}"] = (
            f"One step of the right foot: {step.kind}.",
            functools.partial(steps.perform, step),
        )
    return found


def samples() -> list[str]:
    """The names of all embedded clips: walks first, then actions, richer figures, and sets of examples."""
    return list(_catalogue())


def describe(name: str) -> str:
    """One sentence about an embedded clip."""
    return _find(name)[0]


@functools.cache
def sample(name: str) -> Clip:
    """An embedded clip by its name, such as ``"walk"`` or ``"reach-07"``.

    It is made at the first call and kept; every call of every process gives the same numbers.

    Parameters
    ----------
    name : one of ``kinetune.samples()``.

    Returns
    -------
    Clip

    Examples
    --------
    >>> len(sample("walk"))
    402
    """
    clip = _find(name)[1]()
    return clip.replace(source=Source(format=f"sample {name}"))


def _find(name: str) -> tuple[str, _Maker]:
    catalogue = _catalogue()
    if name not in catalogue:
        raise UnknownNameError("sample", name, catalogue, advice="List them all with: kinetune samples")
    return catalogue[name]


class _CallableSamples(ModuleType):
    """This package under the name of its function: importing it puts it at ``kinetune.samples``, and yet
    ``kt.samples()`` lists the names."""

    def __call__(self) -> list[str]:
        return samples()


sys.modules[__name__].__class__ = _CallableSamples
