"""The kernels of ``kinetune.torch`` on a GPU, as ratios to a copy of their input.

``python -m benchmarks.tensor_kernels`` needs torch, NumPy and a GPU of NVIDIA, and nothing else of Kinetune's
dependencies, so that it runs on a bare machine with a checkout (``PYTHONPATH=src``). ``--page`` puts the table into a
page between its markers.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from kinetune.torch import batch_warps, blend_search
from kinetune.torch.numerics import band_filter, tree_kinematics

_TABLE = re.compile(r"(<!-- gpu -->\n).*?(<!-- end gpu -->\n)", re.DOTALL)
_PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21)  # 24 joints, as in SMPL
_PAIRS, _CLIPS, _FRAMES = 4096, 10_000, 1_000_000
_CHECKED = 2000  # pairs whose paths are compared with those of the processor


def main() -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", type=Path, help="the page whose table is replaced")
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        print("There is no GPU here: nothing was measured.")
        return 1
    torch.manual_seed(0)
    rows = [*_bands(), *_kinematics(), *_warps(), *_blends()]
    name = f"One {torch.cuda.get_device_name()}, torch {torch.__version__}, float32 unless said otherwise."
    table = f"{name}\n\n| work | measured | goal | holds | checked against |\n|---|---|---|---|---|\n"
    table += "".join(f"| {' | '.join(row)} |\n" for row in rows)
    print(table)
    if asked.page is not None:
        text = asked.page.read_text(encoding="utf-8")
        asked.page.write_text(_TABLE.sub(lambda match: match[1] + table + match[2], text), encoding="utf-8")
    return 0


def _bands() -> list[tuple[str, ...]]:
    x = torch.randn(_CLIPS, 300, 70, device="cuda").cumsum(1).mul_(0.05)
    copy = _ms(lambda: torch.empty_like(x).copy_(x))
    rows = []
    for name, gains in (("one set of gains", torch.rand(8) * 2), ("gains for each clip", torch.rand(_CLIPS, 8) * 2)):
        gains = gains.cuda()
        part = gains if gains.ndim == 1 else gains[:50]
        plain = band_filter.equalize(x[:50].double().cpu(), part.double().cpu())
        apart = (band_filter.equalize(x[:50], part).double().cpu() - plain).abs().max() / plain.abs().max()
        took = _ms(lambda gains=gains: band_filter.equalize(x, gains))
        rows.append(_row(f"equalize 10,000 x 300 x 70, {name}", took / copy, "copies", 4.0, f"float64, {apart:.0e}"))
    lengths = torch.randint(64, 301, (_CLIPS,))
    gains = torch.rand(_CLIPS, 8).cuda()
    took = _ms(lambda: band_filter.equalize(x, gains, lengths), 5)
    return [*rows, _row("the same, clips of 64 to 300 frames", took / copy, "copies", None, "")]


def _kinematics() -> list[tuple[str, ...]]:
    turns = torch.nn.functional.normalize(torch.randn(_FRAMES, 24, 4, device="cuda"), dim=-1)
    root, offsets = torch.randn(_FRAMES, 3, device="cuda"), 0.2 * torch.randn(24, 3, device="cuda")
    copy = _ms(lambda: torch.empty_like(turns).copy_(turns))
    some = (offsets.double().cpu(), root[:2000].double().cpu(), turns[:2000].double().cpu())
    plain = tree_kinematics.forward(_PARENTS, *some)[0]
    apart = (tree_kinematics.world_positions(_PARENTS, offsets, root, turns)[:2000].cpu() - plain).abs().max()
    took = _ms(lambda: tree_kinematics.world_positions(_PARENTS, offsets, root, turns))
    return [_row("positions of 24 joints, 1,000,000 frames", took / copy, "copies", 2.5, f"float64, {apart:.0e} m")]


def _warps() -> list[tuple[str, ...]]:
    a, b = (torch.randn(_PAIRS, 300, 70, device="cuda").cumsum(1).mul_(0.1) for _ in range(2))
    costs = batch_warps.warp_costs(a[:40], b[:40]).cpu().double()
    plain = batch_warps.warp_costs(a[:40].double().cpu(), b[:40].double().cpu())
    same = 0
    for few in torch.arange(_CHECKED).split(100):
        paths = batch_warps.warp_paths(a[few], b[few])
        expected = batch_warps.warp_paths(a[few].cpu(), b[few].cpu())
        same += sum(torch.equal(paths[k].cpu(), expected[k]) for k in range(len(few)))
    checked = f"{same:,} of {_CHECKED:,} paths identical"
    cost_us = 1e3 * _ms(lambda: batch_warps.warp_costs(a, b), 5) / _PAIRS
    rate = 1e3 * _PAIRS / _ms(lambda: batch_warps.warp_paths(a, b), 5)
    off = float(((costs - plain) / plain).abs().max())
    return [
        _row("time warp 300 x 300 x 70, cost", cost_us, "us a pair", 1.5, f"float64, {off:.0e}"),
        _row("time warp with path, float64", rate, "pairs a second", 100_000, checked, more=True),
    ]


def _blends() -> list[tuple[str, ...]]:
    chain = made_up_chain("cuda")
    mixes = torch.distributions.Dirichlet(torch.full((16,), 0.5)).sample((1_000_000,)).cuda().double()
    targets = chain.places(mixes)
    found = blend_search.solve_points(chain, targets)
    reached = float((found.distance_m < 1e-5).double().mean())
    rate = 1e3 * len(targets) / _ms(lambda: blend_search.solve_points(chain, targets), 3)
    checked = f"{100 * reached:.2f}% met to 0.01 mm"
    return [_row("inverse blending, 16 examples, points in reach, float64", rate, "a second", 5e6, checked, more=True)]


def made_up_chain(device: str) -> blend_search.BlendChain:
    """Sixteen poses of an arm of seven links, at random about one pose."""
    generator = torch.Generator().manual_seed(3)
    turns = torch.randn(16, 7, 4, generator=generator, dtype=torch.float64) * 0.25
    turns[..., 0] = 1.0
    turns = torch.nn.functional.normalize(turns, dim=-1).permute(1, 2, 0)
    offsets = torch.randn(7, 3, generator=generator, dtype=torch.float64) * 0.15
    base = torch.randn(3, 16, generator=generator, dtype=torch.float64) * 0.02
    return blend_search.BlendChain(*(part.contiguous().to(device) for part in (turns, offsets, base)))


def _row(
    work: str, value: float, unit: str, goal: float | None, checked: str, *, more: bool = False
) -> tuple[str, ...]:
    said = f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"
    wanted = "" if goal is None else f"{goal:,.0f} or more" if more else f"{goal:g} or less"
    holds = "" if goal is None else "yes" if (value >= goal if more else value <= goal) else "no"
    return work, f"{said} {unit}", wanted, holds, checked


def _ms(work: Callable[[], Any], repeats: int = 20) -> float:
    """The median time of a call in milliseconds, by the device's own clock."""
    work()
    work()
    torch.cuda.synchronize()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(repeats + 1)]
    for event in events[:-1]:
        event.record()
        work()
    events[-1].record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in pairwise(events))


if __name__ == "__main__":
    raise SystemExit(main())
