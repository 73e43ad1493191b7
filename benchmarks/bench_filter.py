"""The dynamic filter against real time: 72 degrees of freedom at 60 frames a second, on one core.

"Filter" is the filter of the paper itself: desired accelerations, contact forces, reference points, integration, and
torques, frame by frame. "Whole" is everything: the clip made ready, its ground, derivatives and feet, the plans that
keep it in balance, and the filter. "Clip at once" is the whole-clip method, from the clip to its report.
Real time is the duration of the clip over the CPU time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import kinetune as kt
from benchmarks.harness import Claim, median_times
from kinetune.body.clip import Clip
from kinetune.physics.filter._rollout import Rollout, simulate
from kinetune.physics.filter.com_targets import PathTargets
from kinetune.physics.filter.filter_settings import FilterSettings
from kinetune.physics.filter.preprocessing import centre_clip, prepare_input
from kinetune.physics.filter.references import Feet, build_reference

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def claims() -> Iterator[Claim]:
    """Times real time; claimed for the first clip, shown for the others."""
    for number, (words, clip) in enumerate(_clips()):
        body = kt.Body.fit(clip.skeleton, clip=clip)
        times = median_times(_variants(clip, body), budget_s=20.0 if number == 0 else 5.0)
        speed = {name: len(clip) / clip.fps / seconds for name, seconds in times.items()}
        told = f"filter {speed['filter']:.0f}, clip + plan + filter {speed['whole']:.0f}, "
        told += f"clip at once {speed['at once']:.1f} times real time"
        print(f"     {words}: {len(clip)} frames at {clip.fps:g}, {body.nv} degrees of freedom: {told}")
        if number == 0:
            yield Claim("filter, times real time", speed["filter"], 60.0, at_least=True)
            yield Claim("clip + plan + filter, times real time", speed["whole"], 20.0, at_least=True)
            yield Claim("clip at once, times real time", speed["at once"], 2.0, at_least=True)


def _variants(clip: Clip, body: kt.Body) -> dict[str, Callable[[], object]]:
    feet = Feet.of(body)
    ready = prepare_input(centre_clip(clip), body, feet, 8.0, None)
    reference = build_reference(body, ready.qpos, ready.rate, ready.ground, feet, known=ready.known)
    targets = PathTargets(reference.data_com, reference.rate)

    def track() -> Rollout:
        return simulate(body, feet, ready.ground, FilterSettings(), reference, targets)

    return {
        "filter": track,
        "whole": lambda: kt.filter_dynamics(clip, body, method="filter"),
        "at once": lambda: kt.filter_dynamics(clip, body, method="whole"),
    }


def _clips() -> Iterator[tuple[str, Clip]]:
    """A captured walk with a turn where the data are at hand, then another, and embedded ones."""
    folder = Path(os.environ.get("KINETUNE_DATA", str(_BESIDE))) / "cmu"
    for name in ("16_17", "07_01"):
        path = folder / f"{name}.bvh"
        if path.is_file():
            yield f"CMU {name}", kt.Resample(fps=60)(kt.read(path)[1:])
        else:
            print(f"     CMU {name} is not at hand")
    yield "sample walk", kt.sample("walk")
    yield "sample run", kt.sample("run")
