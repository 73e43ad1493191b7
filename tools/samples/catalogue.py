"""Every sample by name: what it shows, and the function that makes it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from tools.samples import actions, kicks, reaches, rich_actions, run, seated, standing_steps, steps, walks

from kinetune.body.clip import Clip

Maker = Callable[[], Clip]


@functools.cache
def clip_makers() -> dict[str, tuple[str, Maker]]:
    """The clips that users see, in the order of the list."""
    single: dict[str, Maker] = {
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
    makers = {name: ((maker.__doc__ or "").strip(), maker) for name, maker in single.items()}
    sets = (
        ("reach", "The right hand reaches for a point", reaches.reaches()),
        ("point", "The right hand points in a direction", reaches.pointings()),
        ("grasp", "The right hand grasps an object", reaches.grasps()),
        ("pour", "The right hand carries a bottle and pours", reaches.pourings()),
    )
    for kind, description, examples in sets:
        plans = list(examples)
        for number, plan in enumerate(plans, start=1):
            maker = functools.partial(reaches.perform, plan)
            makers[f"{kind}-{number:02}"] = (f"{description}: example {number} of {len(plans)}.", maker)
    for number, step in enumerate(steps.steps(), start=1):
        makers[f"step-{number:02}"] = (
            f"One step of the right foot: {step.kind}.",
            functools.partial(steps.perform, step),
        )
    return makers


def step_makers() -> dict[str, Maker]:
    """The clips of the embedded step set.

    Fourteen within a walk (the six samples, with hips that sway on into the next step, and eight at the corners of what
    a walker does: long or short, wide or narrow, turning left or right), seven out of standing and seven into standing.
    """
    within = [*steps.steps(), *steps.corner_steps()]
    makers: dict[str, Maker] = {
        f"step-{number:02}": functools.partial(steps.perform, plan, joined=True)
        for number, plan in enumerate(within, start=1)
    }
    for kind, plans in (("start", standing_steps.starts()), ("stop", standing_steps.stops())):
        for number, plan in enumerate(plans, start=1):
            makers[f"{kind}-{number:02}"] = functools.partial(standing_steps.perform, plan)
    return makers
