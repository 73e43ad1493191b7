"""Inverse blending of reaches, pointings, grasps and pourings: reach, speed and steadiness, beside other optimizers.

Figure 6 of the paper. Sixteen embedded reaches; targets are the fingertips' (the wrist ends below 60 cm from the
shoulder, and the paper's spheres have 65 to 90 cm): 12 x 12 on each of six spheres round the middle between the
shoulders, 20 degrees to the left to 60 to the right, 40 down to 30 up. A target counts as reachable when some of sixty
starts with hundreds of iterations reach it, whatever k; those that none reaches are tried by SLSQP from many starts as
well.

5,000 problems in seven rows, as in the paper's three scenarios: targets are effectors of random blends, so that each
can be met. "Compiled" is the time inside the solver, from a batch; "a call" is one Python call of ``solve`` with its
constraints made before it.

Drag. 10,000 steps of 1 mm along a winding way, in and out of reach.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim, median_times
from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.inverse.blend.constraint_layout import SOFT, SearchSettings
from kinetune.inverse.blend.constraints import Constraint
from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.reproduce.inverse_blending.aiming import COUNTS, RADII, TIP, example_blend, sphere_targets
from kinetune.rotations import Floats

HAND, ALONG = 13, (-1.0, 0.0, 0.0)
TIP_OFFSET = np.array([-0.155, 0.0, 0.0])
PROBLEMS = 5_000
PAPER_MS = 1.16


def claims() -> Iterator[Claim]:
    """Everything that the issue asks for."""
    blends = {kind: example_blend(kind) for kind in COUNTS}
    yield from _figure_six(blends["reach"])
    yield from _table(blends)
    yield from _drags(blends["reach"])
    yield from _batch(blends["reach"])


def solve_with(blend: InverseBlend, asked: list[Constraint], iterations: int, restarts: int) -> Floats:
    """What is left in metres with other bounds on the search than ``solve`` has."""
    from kinetune.inverse.blend import weight_kernels

    layout = blend._layout(asked)
    aims = layout.aims(asked)
    count = len(aims)
    left = np.empty(count)
    settings = SearchSettings(8, SOFT, 0.0, iterations=iterations, restarts=restarts)
    weights, errors = np.empty((count, len(blend))), np.empty((count, len(layout.owners)))
    weight_kernels.solve(
        layout.plain_chains, layout.plain_rows, layout.packed.examples, aims, tuple(settings), np.empty(0),
        (weights, errors, left, np.empty(count, dtype=np.int64)),
    )  # fmt: skip
    return left


def _figure_six(blend: InverseBlend) -> Iterator[Claim]:
    targets = np.concatenate([sphere_targets(radius).reshape(-1, 3) for radius in RADII])
    asked = kt.AtPoint(TIP, targets)
    certified = solve_with(blend, [asked], 300, 60) < 1e-5
    missed = np.flatnonzero(~certified)[::7]
    certified[missed] |= _slsqp_reaches(blend, targets[missed])
    found = {mode: blend.solve_batch(asked, k=8, mode=mode) for mode in ("soft", "hard", "rbf")}
    print(f"     {len(targets)} targets on six spheres, {certified.sum()} of them certified reachable")
    for mode, batch in found.items():
        errors = batch.errors[:, 0]
        print(
            f"     {mode:4}: median {np.median(errors):.4f} mm, mean {errors.mean():.1f}, "
            f"99% {np.percentile(errors, 99):.1f}; {(errors < 0.01).sum()} within 0.01 mm"
        )
    solved = found["soft"].errors[certified, 0] < 0.01
    yield Claim("percent of reachable targets within 0.01 mm, k = 8", 100.0 * solved.mean(), 99.9, at_least=True)
    yield Claim(
        "median mm that the kernel's weights alone miss", float(np.median(found["rbf"].errors)), 100.0, at_least=True
    )


def _slsqp_reaches(blend: InverseBlend, points: Floats) -> Any:
    """Whether an independent optimizer reaches points that ours did not, from ten starts each."""
    from benchmarks.reach_peers import SlsqpSearch

    layout = blend._layout([kt.AtPoint(TIP, points[0])])
    search = SlsqpSearch(layout)
    starts = np.random.default_rng(1).dirichlet(np.full(len(blend), 0.5), 10)
    found = [min(search(kt.AtPoint(TIP, p).aims, start)[1] for start in starts) < 1e-5 for p in points]
    print(f"     SLSQP from ten starts reaches {sum(found)} of {len(points)} that ours does not")
    return np.array(found, dtype=bool)


def rows(blends: dict[str, InverseBlend]) -> dict[str, tuple[str, list[Constraint]]]:
    """The seven rows of the table: example set and constraints for all problems."""
    tips, turns = {}, {}
    for kind in ("point", "pour", "grasp"):
        tips[kind], turns[kind] = effectors(blends[kind], PROBLEMS)
    along = {kind: rot.rotate(turn, np.array(ALONG)) for kind, turn in turns.items()}
    up = np.array([0.0, 1.0, 0.0])
    tilt = np.degrees(np.arccos(np.clip(rot.rotate(turns["pour"], up)[:, 1], -1.0, 1.0)))
    ray = kt.OnLine(TIP, tips["point"] + 0.7 * along["point"], along["point"])
    above = kt.OnLine(TIP, tips["pour"], up)
    thing, grip = kt.AtPoint(TIP, tips["grasp"]), kt.Facing(TIP, rotation=turns["grasp"])
    return {
        "point: line": ("point", [ray]),
        "point: line + axis": ("point", [ray, kt.Facing(TIP, toward=along["point"], axis=ALONG)]),
        "pour: line": ("pour", [above]),
        "pour: line + tilt": ("pour", [above, kt.Facing(TIP, toward=up, angle_deg=tilt, axis="y")]),
        "button: point + axis": ("grasp", [thing, kt.Facing(TIP, toward=along["grasp"], axis=ALONG)]),
        "grasp: line + full": ("grasp", [kt.OnLine(TIP, tips["grasp"], along["grasp"]), grip]),
        "grasp: point + full": ("grasp", [thing, grip]),
    }


def effectors(blend: InverseBlend, count: int, seed: int = 5) -> tuple[Floats, Floats]:
    """Fingertips (count, 3) and hand turns (count, 4) at the last frame of random blends."""
    weights = np.random.default_rng(seed).dirichlet(np.full(len(blend), 0.6), count)
    ends = np.stack([clip.rotations[-1] for clip in blend.examples])
    ends *= np.where(np.einsum("njc,jc->nj", ends, ends.mean(axis=0)) < 0, -1.0, 1.0)[..., None]
    turned = rot.normalize(np.einsum("wn,njc->wjc", weights, ends))
    root = weights @ np.stack([clip.root[-1] for clip in blend.examples])
    places, world = forward(blend.examples[0].skeleton, root, turned)
    return places[:, HAND] + rot.rotate(world[:, HAND], TIP_OFFSET), world[:, HAND]


def _table(blends: dict[str, InverseBlend]) -> Iterator[Claim]:
    from benchmarks.reach_peers import SlsqpSearch, nelder_mead

    print(
        "     row                    compiled us  a call us  worst us  solved  hard k  SLSQP / ours  (solved)"
        "  Nelder-Mead / ours  (solved)"
    )
    compiled, called, worst, slsqp, amoeba, solved = [], [], [], [], [], []
    for name, (kind, asked) in rows(blends).items():
        blend = blends[kind]
        layout = blend._layout(asked)
        aims = layout.aims(asked)
        few = [_single(asked, number) for number in range(200)]
        starts = [_paper_start(blend, constraints) for constraints in few[:40]]
        search = SlsqpSearch(layout)
        peers = {
            "batch": partial(blend.solve_batch, asked),
            "calls": partial(_each, blend.solve, few),
            "slsqp": partial(_each, lambda i, s=search, a=aims, w=starts: s(a[i], w[i])[1], range(40)),
            "amoeba": partial(
                _each,
                lambda i, x=layout, a=aims, w=starts: nelder_mead(x.plain_chains, x.plain_rows, a[i], w[i], 1e-6, 4000)[
                    1
                ],
                range(40),
            ),
        }
        spent = median_times(peers, rounds=5, budget_s=8.0)
        batch, hard = blend.solve_batch(asked), blend.solve_batch(asked, mode="hard")
        compiled.append(1e6 * spent["batch"] / PROBLEMS)
        called.append(1e6 * spent["calls"] / len(few))
        worst.append(_worst_us(blend, asked))
        solved.append(100.0 * batch.reachable.mean())
        slsqp.append(spent["slsqp"] / 40 / (spent["batch"] / PROBLEMS))
        amoeba.append(spent["amoeba"] / 40 / (spent["batch"] / PROBLEMS))
        peer_solved = [np.mean(np.array(peers[peer]()) < 1e-5) for peer in ("slsqp", "amoeba")]
        print(
            f"     {name:22} {compiled[-1]:11.1f} {called[-1]:10.1f} {worst[-1]:9.0f} {solved[-1]:6.1f}%"
            f" {100.0 * hard.reachable.mean():6.1f}% {slsqp[-1]:13.0f}  {peer_solved[0]:8.0%}"
            f"  {amoeba[-1]:18.0f}  {peer_solved[1]:8.0%}"
        )
    yield Claim("microseconds compiled, mean, slowest of seven rows", max(compiled), 40.0, at_least=False)
    yield Claim("microseconds with the Python call, mean, slowest row", max(called), 100.0, at_least=False)
    yield Claim("worst problem of 35,000, milliseconds", 1e-3 * max(worst), 0.5, at_least=False)
    yield Claim("percent solved, worst row", min(solved), 98.0, at_least=True)
    yield Claim("times faster than scipy SLSQP, median of rows", float(np.median(slsqp)), 150.0, at_least=True)
    yield Claim("times faster than compiled Nelder-Mead, median of rows", float(np.median(amoeba)), 25.0, at_least=True)
    yield Claim("times faster than the paper's printed mean", 1e3 * PAPER_MS / max(compiled), 25.0, at_least=True)


def _each(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    return [function(item) for item in items]


def _single(asked: list[Constraint], number: int) -> list[Constraint]:
    """One problem of a batch as constraints of its own."""
    return [_part(constraint, 1, number) for constraint in asked]


def _part(constraint: Constraint, count: int, start: int = 0) -> Constraint:
    """A constraint with some rows of its targets."""
    import copy

    part = copy.copy(constraint)
    if len(constraint.aims) > 1:
        object.__setattr__(part, "aims", constraint.aims[start : start + count])
    return part


def _paper_start(blend: InverseBlend, asked: list[Constraint]) -> Floats:
    """The paper's first weights for one problem."""
    return blend.solve([_part(c, 1) for c in asked], k=8, mode="rbf").weights


def _worst_us(blend: InverseBlend, asked: list[Constraint]) -> float:
    """The slowest of all problems, each as the least of three, in chunks of ten to be above the clock's grain.

    A chunk's time counts whole for its slowest member beyond nine mean ones.
    """
    chunks = [[_part(c, 10, start) for c in asked] for start in range(0, PROBLEMS, 10)]
    times = np.empty((3, len(chunks)))
    for again in range(3):
        for number, chunk in enumerate(chunks):
            begun = time.process_time()
            blend.solve_batch(chunk)
            times[again, number] = time.process_time() - begun
    least = times.min(axis=0)
    return float(1e6 * (least.max() - 0.9 * np.median(least)))


def drag_path(steps: int, low: float = 0.62, high: float = 0.9, seed: int = 0) -> Floats:
    """Points 1 mm apart along a winding way before the right shoulder."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 1.0, 200_001)

    def wander(a: float, b: float) -> Floats:
        wave = sum(rng.normal() * np.sin(2 * np.pi * (f * t + rng.random())) for f in (3, 5, 7, 11, 13))
        return np.asarray(a + (b - a) * (wave - np.min(wave)) / np.ptp(wave))

    azimuth, elevation = np.radians(wander(-20, 60)), np.radians(wander(-38, 28))
    level = np.cos(elevation)
    ways = np.stack([-np.sin(azimuth) * level, np.sin(elevation), np.cos(azimuth) * level], axis=-1)
    points = np.array([-0.186, 1.41, 0.005]) + wander(low, high)[:, None] * ways
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = 1e-3 * np.arange(steps)
    if along[-1] < at[-1]:
        raise ValueError(f"the way is only {along[-1]:.1f} m long")
    return np.stack([np.interp(at, along, points[:, axis]) for axis in range(3)], axis=-1)


def jumps_deg(blend: InverseBlend, weights: Floats) -> Floats:
    """The largest turn of any joint from one row of weights to the next, over all frames in steps of six."""
    worst = np.zeros(len(weights) - 1)
    for frame in range(len(blend.examples[0]) - 1, 0, -6):
        ends = blend._set.turns[:, frame]
        turned = rot.normalize(np.einsum("wn,njc->wjc", weights, ends))
        worst = np.maximum(worst, np.degrees(rot.angle_between(turned[1:], turned[:-1])).max(axis=1))
    return worst


def _drags(blend: InverseBlend) -> Iterator[Claim]:
    path = drag_path(10_000)
    dragged = [blend.drag(kt.AtPoint(TIP, point)) for point in path]
    weights = np.array([each.weights for each in dragged])
    jumps = jumps_deg(blend, weights)
    hard = jumps_deg(blend, blend.solve_batch(kt.AtPoint(TIP, path), mode="hard").weights)
    reached = np.mean([each.reachable for each in dragged])
    print(f"     dragged 10,000 steps of 1 mm, {reached:.1%} in reach; hard k = 8 jumps by more than 1 degree", end=" ")
    print(f"{(hard > 1).sum()} times, by up to {hard.max():.1f}")
    yield Claim("largest jump of a joint in degrees while dragging", float(jumps.max()), 1.0, at_least=False)


def _batch(blend: InverseBlend) -> Iterator[Claim]:
    points = effectors(blend, PROBLEMS)[0]
    spent = median_times(
        {
            "batch": lambda: blend.solve_batch(kt.AtPoint(TIP, points)),
            "calls": lambda: [blend.solve(kt.AtPoint(TIP, point), exact=False) for point in points],
        },
        rounds=7,
        budget_s=8.0,
    )
    print(", ".join(f"     {name} {1e6 * t / PROBLEMS:.1f} us a problem" for name, t in spent.items()))
    yield Claim("5,000 calls / one batch", spent["calls"] / spent["batch"], 3.0, at_least=True)
