"""Walking with the embedded steps: ``kt.walk``.

===============  =======================================================================
walk             a figure that walks over footsteps, with the embedded steps or with others
sample_steps     the embedded set: steps while walking, out of standing and into standing
===============  =======================================================================
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footsteps import Footstep
from kinetune.inverse.walk.walk_values import Walk
from kinetune.inverse.walk.walker import walk_on
from kinetune.samples import step_clips


@functools.cache
def sample_steps() -> StepSet:
    """The embedded steps of the sample figure, each also mirrored.

    Fourteen while walking (the samples ``step-01`` to ``step-06``, with hips that sway on into the next step, and eight
    at the corners of what a walker does: long or short, wide or narrow, turning left or right), seven out of standing
    and seven into standing.

    Returns
    -------
    StepSet

    Examples
    --------
    >>> steps = sample_steps()
    >>> len(steps), len(steps.skeleton.names)
    (56, 22)
    """
    clips = step_clips()
    return StepSet.from_clips(list(clips.values()), names=list(clips))


def walk(
    footsteps: Iterable[Footstep | Sequence[Any] | dict[str, Any]],
    steps: StepSet | Clip | Iterable[Clip] | None = None,
    *,
    start: Footstep | None = None,
    strict: bool = False,
    stop: bool = True,
) -> Walk:
    """Walk over footsteps: the ball of each foot exactly where it should be, its toes where they should point.

    Parameters
    ----------
    footsteps : in order, as :class:`Footstep`, as (side, x, z, heading_deg) or as mappings. Make them with
        :func:`kinetune.plan_footsteps`, or read them with ``read_footsteps``.
    steps : what to walk with: a :class:`StepSet`, or clips to take steps from. None: the embedded set.
    start : the foot that carries first. Left out, it stands where the first footstep is a natural step.
    strict : refuse footsteps out of reach. Otherwise steps are inserted to walk there, or the foot lands as near as it
        can; the report says so.
    stop : end with a step that comes to a stand, if the set has one and the last footstep allows it: it must lie
        beside the foot before.

    Returns
    -------
    Walk
        ``clip``, and ``report`` with a row for each footstep: ``side``, ``frame``, ``error_mm``,
        ``heading_error_deg``, ``height_mm``, ``drift_mm``, ``jump_deg``, and notes.

    Examples
    --------
    >>> walk = walk([Footstep("left", 0.1, 0.6), Footstep("right", -0.1, 1.1)])
    >>> walk.report.steps[1].error_mm < 0.01
    True
    """
    return walk_on(footsteps, as_steps(steps), start=start, strict=strict, stop=stop)


def as_steps(steps: StepSet | Clip | Iterable[Clip] | None) -> StepSet:
    """The steps to walk with: a set, clips to take them from, or the embedded ones."""
    if steps is None:
        return sample_steps()
    if isinstance(steps, StepSet):
        return steps
    clips = [steps] if isinstance(steps, Clip) else list(steps)
    strange = next((clip for clip in clips if not isinstance(clip, Clip)), None)
    if strange is not None:
        raise ParameterError(f"steps takes a StepSet or clips to take steps from, not {type(strange).__name__}.")
    return StepSet.from_clips(clips)
