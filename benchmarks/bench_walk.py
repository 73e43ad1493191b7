"""Walks of 200 steps: placement, heading, height, drift, jumps, and time a step.

Straight, round a circle of 2 m and in a slalom with the embedded steps; with six examples, as in the paper, that lie
anywhere in the world and face any way. The figures are those of the finished motion; the time is that of making the
steps, without the report.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Claim, median_times
from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.inverse.steps.step_pools import step_kernels
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.steps.step_weights import foot_kernels
from kinetune.inverse.walk.footstep_planners import plan_footsteps
from kinetune.inverse.walk.walker import Walker
from kinetune.samples import step_clips
from kinetune.samples.sample_walk import sample_steps

STEPS = 200
LIMITS = {"error_mm": 0.01, "heading_error_deg": 0.01, "height_mm": 2.0, "drift_mm": 0.001, "jump_deg": 0.3}


def claims() -> Iterator[Claim]:
    """The largest of each measure over 200 steps, and milliseconds a step."""
    step_kernels.load()
    foot_kernels.load()
    walks = {
        "straight": (sample_steps(), "straight"),
        "circle": (sample_steps(), "circle:r=2"),
        "slalom": (sample_steps(), "slalom"),
        "unaligned examples": (_unaligned(), "circle:r=3"),
    }
    planned = {name: (steps, plan_footsteps(way, count=STEPS, steps=steps)) for name, (steps, way) in walks.items()}
    for name, (steps, footsteps) in planned.items():
        walker = Walker(steps)
        walker.walk(footsteps)
        report = walker.report
        yield Claim(f"{name}: footsteps met", float(sum(row.reached for row in report.steps)), STEPS, at_least=True)
        for measure, limit in LIMITS.items():
            worst = max(abs(getattr(row, measure)) for row in report.steps)
            yield Claim(f"{name}: largest {measure}", worst, limit, at_least=False)
    spent = median_times(
        {name: (lambda s=steps, f=footsteps: Walker(s).walk(f)) for name, (steps, footsteps) in planned.items()},
        rounds=7,
    )
    for name, seconds in spent.items():
        yield Claim(f"{name}: milliseconds a step", 1e3 * seconds / STEPS, 2.0, at_least=False)


def _unaligned() -> StepSet:
    """The six steps, each moved and turned by chance."""
    rng = np.random.default_rng(7)
    clips = []
    for number in range(1, 7):
        turn, shift = rot.about_y(rng.uniform(-np.pi, np.pi)), rng.uniform(-3, 3, 3) * [1, 0, 1]
        clips.append(place(step_clips()[f"step-{number:02}"], turn, shift))
    return StepSet.from_clips(clips)
