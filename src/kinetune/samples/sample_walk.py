"""Walking with the embedded steps: ``kt.walk``.

===============  =======================================================================
walk             a figure that walks over footsteps, with the embedded steps or with others
sample_steps     the embedded set: steps while walking, out of standing and into standing
sample_steps_on  the same on another character
===============  =======================================================================
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footsteps import Footstep
from kinetune.inverse.walk.walk_values import Walk
from kinetune.inverse.walk.walker import walk_on
from kinetune.retarget.retargeting import retarget
from kinetune.samples import sample, step_clips

_SPEEDS = (0.5, 1.7)
_CAREFUL = 0.85


@functools.cache
def sample_steps(speed: float | None = None) -> StepSet:
    """The embedded steps of the sample figure, each also mirrored.

    Parameters
    ----------
    speed : float or None, optional
        How fast to walk, in m/s, from 0.5 to 2. Left out, the careful steps are taken as they are, at about 0.65 m/s:
        fourteen while walking (the samples ``step-01`` to ``step-06``, with hips that sway on into the next step, and
        eight at the corners of what a walker does: long or short, wide or narrow, turning left or right), seven out of
        standing and seven into standing. Above 0.85 m/s the steps while walking are those of the samples ``walk`` and
        ``walk-happy``, with the swing of arms and hips of their speed.

    Returns
    -------
    StepSet

    Examples
    --------
    >>> steps = sample_steps()
    >>> len(steps), len(steps.skeleton.names)
    (56, 22)
    >>> round(sample_steps(1.3).speed, 2)
    1.3
    """
    if speed is None:
        clips = step_clips()
        return StepSet.from_clips(list(clips.values()), names=list(clips))
    if not _SPEEDS[0] <= speed <= _SPEEDS[1]:
        raise ParameterError(f"The embedded steps walk at {_SPEEDS[0]:g} to {_SPEEDS[1]:g} m/s, not at {speed:g}.")
    return (sample_steps() if speed <= _CAREFUL else _natural_steps()).at_speed(speed)


@functools.cache
def _natural_steps() -> StepSet:
    """Steps of the sample walks, and careful ones out of standing and into it."""
    clips = _natural_clips()
    return StepSet.from_clips(list(clips.values()), names=list(clips))


def _natural_clips() -> dict[str, Clip]:
    clips = {name: sample(name) for name in ("walk", "walk-happy")}
    return clips | {name: clip for name, clip in step_clips().items() if name.startswith(("start", "stop"))}


def sample_steps_on(body: Clip) -> StepSet | None:
    """The embedded steps on the character of a clip; None for the sample character, and for one that is no human."""
    clips = _natural_clips()
    if body.skeleton.same_joints(clips["walk"].skeleton):
        return None
    try:
        on_body = [retarget(clip, body).clip for clip in clips.values()]
    except SkeletonMismatchError:
        return None
    return StepSet.from_clips(on_body, names=list(clips))


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
