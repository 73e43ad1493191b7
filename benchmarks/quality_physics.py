"""How plausible motion becomes: raw, filtered, and corrected as a whole, judged independently on clips not tuned on.

    python -m benchmarks.quality_physics [FOLDER] [--half report|tune] [--groups NAME ...]

The clips of the data folder fall into groups; a seeded draw splits each group into two halves. Scales and limits of the
whole-clip method were set while looking at the half "tune"; the figures are those of the half "report".
The judge (``benchmarks/physics_check.py``) takes central differences of the clip that comes out, MuJoCo's inverse
dynamics and its own contact solver. Clips below 60 frames a second are judged at the rate of the solver. Where the
whole-clip method found that a foot stands on a step, all three motions are judged with that step.
"raw" is the motion as prepared: smooth below 8 Hz, and level. At most six seconds of each clip are used.
Nothing is timed here; ``python -m benchmarks.bench_filter`` is.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
from benchmarks.physics_check import Card, judge
from benchmarks.quality_filter import random_pairs, single_kicks
from kinetune.body.clip import Clip
from kinetune.physics.filter.filtering import FilterResult
from kinetune.physics.filter.preprocessing import FilterInput, centre_clip, prepare_input
from kinetune.physics.filter.references import Feet

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
_SEED, _SECONDS, _DOUBLE_KICKS = 22, 6.0, 14
_AT_60 = ("cmu/74_", "cmu/141_", "cmu/143_")  # captured at 60 frames a second, labelled 120
GROUPS: dict[str, tuple[str, ...]] = {
    "runs": (
        "accad/Male1_C11_RunTurnLeft90.bvh",
        "accad/Male1_C12_RunTurnLeft45.bvh",
        "accad/Male1_A13_Skipping.bvh",
        "cmu_asfamc/02_03.amc",
    ),
    "walks": (
        *(f"cmu/{name}.bvh" for name in ("07_01", "08_01", "16_17", "16_19", "69_20", "69_24", "82_12", "82_13")),
        *(f"cmu/{name}.bvh" for name in ("83_01", "83_19", "83_21", "83_55", "104_11", "104_28", "138_05")),
        *(f"accad/Male1_{name}.bvh" for name in ("B3_Walk", "B6_WalkBackwards", "B22_SideStepLeft")),
    ),
    "kicks": (
        *(f"cmu/74_0{k}.bvh" for k in (3, 4, 5, 6)),
        "cmu/141_14.bvh",
        *(f"hdm05/HDM_bd_kickLFront1Reps_00{k}_120.amc" for k in (1, 2, 3)),
        *(f"hdm05/HDM_bk_kickLFront1Reps_00{k}_120.amc" for k in (7, 8, 9)),
        *(f"hdm05/HDM_dg_kickLFront1Reps_0{k}_120.amc" for k in (13, 14, 15)),
    ),
    "stand, reach, wave": (
        *(f"accad/Male1_{name}.bvh" for name in ("A1_Stand", "A2_Sway", "A3_SwingArms")),
        *(f"cmu/{name}.bvh" for name in ("79_31", "79_38", "111_37", "143_25")),
        "hdm05/HDM_bd_grabHighR_001_120.amc",
    ),
    "sit, kneel, stoop, cartwheel": (
        "cmu/143_18.bvh",
        "deepmimic/humanoid3d_cartwheel.txt",
        "odd_bvh/20tab_mocapbank.bvh",
        *(f"hdm05/HDM_bd_depositFloorR_00{k}_120.amc" for k in (1, 2, 3, 4, 5, 6)),
    ),
}
KINDS = ("raw", "filter", "whole")


def main(arguments: list[str]) -> int:
    """Print all figures; 1 where one of them misses its bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(os.environ.get("KINETUNE_DATA", str(_BESIDE))))
    parser.add_argument("--half", choices=("report", "tune"), default="report")
    parser.add_argument("--groups", nargs="*", default=[*GROUPS, "double kicks"])
    asked = parser.parse_args(arguments)
    missed = 0
    print(f'half "{asked.half}"; residuals in body weights; each cell: raw / filter / whole\n')
    for group in asked.groups:
        judged = list(judge_group(group, asked.folder, asked.half))
        show_group(group, [cards for _, cards, _ in judged], [result for _, _, result in judged])
        for claim in claims(group, [cards for _, cards, _ in judged]):
            print(f"  {claim}", flush=True)
            missed += not claim.holds
        print()
    return 1 if missed else 0


def judge_group(group: str, folder: Path, half: str) -> Iterator[tuple[str, dict[str, Card], FilterResult]]:
    """Name, cards of the three motions, and the whole-clip result of every clip in half a group."""
    for name, clip in clips_of(group, folder, half):
        kept = clip[: round(_SECONDS * clip.fps)]
        yield (name, *judge_clip(kept))


def clips_of(group: str, folder: Path, half: str) -> Iterator[tuple[str, Clip]]:
    """The clips of half a group, by a seeded draw."""
    if group == "double kicks":
        takes = single_kicks(folder)
        pairs = list(random_pairs(takes, 2 * _DOUBLE_KICKS))
        for number in _half(len(pairs), half):
            performer, first, second, seed = pairs[number]
            yield f"{performer} {number}", kt.splice(first, second, event="kick", seed=seed)
        return
    names = GROUPS[group]
    for number in _half(len(names), half):
        rate = 60.0 if names[number].startswith(_AT_60) else None
        yield names[number], kt.read(folder / names[number], fps=rate)


def _half(count: int, half: str) -> list[int]:
    order = np.random.default_rng(_SEED).permutation(count)
    chosen = order[: count // 2] if half == "tune" else order[count // 2 :]
    return sorted(chosen.tolist())


def judge_clip(clip: Clip) -> tuple[dict[str, Card], FilterResult]:
    """The cards of a clip as it is, filtered, and corrected as a whole."""
    body = kt.Body.fit(clip.skeleton, clip=clip)
    prepared = prepare_input(centre_clip(clip), body, Feet.of(body), 8.0, None)
    raw = body.coordinates(prepared.simulated(body, prepared.qpos))
    filtered = kt.filter_dynamics(clip, body, method="filter")
    whole = kt.filter_dynamics(clip, body, method="whole")
    heights = _heights(prepared, whole)
    feet = heights[:, : len(body.points)]
    cards = {"raw": judge(body, raw, raw, prepared.rate, feet)}
    shifted = np.concatenate([filtered.step_forces[:1], filtered.step_forces[:-1]])  # when they act
    cards["filter"] = judge(body, filtered.step_q, raw, prepared.rate, feet, shifted)
    forces = None if whole.status == "unchanged" else whole.step_forces
    cards["whole"] = judge(whole.body, whole.step_q, raw, prepared.rate, heights, forces)
    return cards, whole


def _heights(prepared: FilterInput, whole: FilterResult) -> np.ndarray:
    """(frames, points) of the ground, with the steps that the whole-clip method found."""
    from kinetune.physics.ground import FlatGround

    assert isinstance(prepared.outside, FlatGround)
    points = whole.body.point_positions(whole.step_q)
    heights = np.full(points.shape[:2], prepared.outside.level)
    pushed = np.linalg.norm(whole.step_forces, axis=2) > 0.0
    raised = pushed & (points[..., 1] > prepared.outside.level + 0.03) & (whole.status != "unchanged")
    return np.where(raised, points[..., 1], heights)


def show_group(group: str, cards: list[dict[str, Card]], results: list[FilterResult]) -> None:
    """One line for each figure of the table."""
    means = {kind: Card.mean([each[kind] for each in cards]) for kind in KINDS}
    status = [result.status for result in results]
    kept = sum(state == "unchanged" for state in status)
    print(f"{group}: {len(cards)} clips" + (f", {kept} of them returned unchanged" if kept else ""))

    def line(text: str, name: str, form: str = ".3f") -> None:
        cells = (means[kind][name] for kind in KINDS)
        print(f"  {text:46s}" + " / ".join("-" if cell is None else format(cell, form) for cell in cells))

    line("falls", "fell", ".0f")
    line("residual, loose", "loose")
    line("residual, strict", "strict")
    line("centre of pressure outside the feet, %", "cop_out", ".1f")
    line("deepest sole point, mm", "deepest_mm", ".1f")
    line("slide of standing points, mm/s", "slide_mm_s", ".0f")
    line("force in the air", "flight_bw")
    line("off the arc, mm", "arc_mm", ".2f")
    line("claimed forces off by", "claimed", ".4f")
    line("impulse on points faster than 10 cm/s, %", "moving_impulse", ".1f")
    line("work of friction that drives, J/s", "friction_work", ".2f")
    line("upper body changed, degrees RMS", "upper_deg", ".1f")
    line("legs changed, degrees RMS", "legs_deg", ".1f")
    line("hips moved at most, cm", "root_cm", ".1f")


def claims(group: str, cards: list[dict[str, Card]]) -> Iterator[Claim]:
    """The goals of the whole-clip method for a group."""
    whole = Card.mean([each["whole"] for each in cards])
    goals: dict[str, dict[str, float]] = {
        "runs": {"fell": 0, "loose": 0.02, "strict": 0.10, "cop_out": 5.0},
        "walks": {"fell": 0, "loose": 0.005, "strict": 0.03, "cop_out": 3.0, "slide_mm_s": 15.0},
        "kicks": {"fell": 0, "loose": 0.005, "strict": 0.03, "cop_out": 3.0, "slide_mm_s": 40.0},
        "double kicks": {"fell": 0, "loose": 0.01},
        "stand, reach, wave": {"fell": 0, "loose": 0.005, "strict": 0.03},
        "sit, kneel, stoop, cartwheel": {"fell": 0, "loose": 0.01, "strict": 0.03},
    }
    every = {"deepest_mm": 2.0, "flight_bw": 0.001, "arc_mm": 0.1, "claimed": 0.005, "upper_deg": 1.5, "legs_deg": 5.0}
    for name, most in {**goals.get(group, {}), **every}.items():
        value = whole[name]
        if value is not None:
            yield Claim(f"{group}, whole: {name.replace('_', ' ')}", value, most, at_least=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
