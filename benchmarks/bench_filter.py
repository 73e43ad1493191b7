"""The dynamic filter against real time: 72 degrees of freedom at 60 frames a second, on one core.

"Filter" is the filter of the paper itself: desired accelerations, contact forces, reference points, integration, and
torques, frame by frame. "Whole" is everything: the clip made ready, its ground, derivatives and feet, the plans that
keep it in balance, and the filter. Real time is the duration of the clip over the CPU time.
The NumPy body of the same arithmetic stands beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import kinetune as kt
from benchmarks.harness import Claim, median_times
from kinetune.body.clip import Clip
from kinetune.physics.filtering import Run, simulate
from kinetune.physics.guiding import PathGuide
from kinetune.physics.preparing import prepare, settle
from kinetune.physics.references import Feet, build_reference
from kinetune.physics.tracking import Settings

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def claims() -> Iterator[Claim]:
    """Times real time, compiled and not."""
    clip, words = _clip()
    body = kt.Body.fit(clip.skeleton, clip=clip)
    feet = Feet.of(body)
    ready = prepare(settle(clip), body, feet, 8.0, None)
    reference = build_reference(body, ready.qpos, ready.rate, ready.ground, feet, known=ready.known)
    guide = PathGuide(reference.data_com, reference.rate)
    print(f"     {words}: {len(clip)} frames, {body.nv} degrees of freedom")

    def track() -> Run:
        return simulate(body, feet, ready.ground, Settings(), reference, guide)

    def plain() -> Run:
        before = os.environ.get("KINETUNE_COMPILED", "auto")
        os.environ["KINETUNE_COMPILED"] = "never"
        try:
            return track()
        finally:
            os.environ["KINETUNE_COMPILED"] = before

    times = median_times({"filter": track, "numpy": plain, "whole": lambda: kt.filter_dynamics(clip, body)})
    seconds = len(clip) / clip.fps
    print(f"     NumPy alone: filter {seconds / times['numpy']:.0f} times real time")
    yield Claim("filter, times real time", seconds / times["filter"], 60.0, at_least=True)
    yield Claim("clip + plan + filter, times real time", seconds / times["whole"], 20.0, at_least=True)


def _clip() -> tuple[Clip, str]:
    """A captured walk with a turn where the data are at hand, or else an embedded one."""
    path = Path(os.environ.get("KINETUNE_DATA", str(_BESIDE))) / "cmu" / "16_17.bvh"
    if path.is_file():
        return kt.Resample(fps=60)(kt.read(path)[1:]), "CMU 16_17"
    return kt.sample("walk"), "the sample walk (CMU 16_17 is not at hand)"
