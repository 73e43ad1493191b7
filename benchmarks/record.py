"""A run on paper: a JSON of everything, Markdown tables and two plots, for the documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.growth import Curve
from benchmarks.harness import Claim

_FURTHEST = 1e3  # where a bar of the plot ends
_LEAST_BYTES = 1 << 16  # growth below this is lost in what the process held anyway


@dataclass
class Ran:
    """One benchmark.

    title : the first line of its module.
    claims : what was measured. lines : all that it printed besides.
    failed : what stopped it, or "".
    """

    name: str
    title: str
    claims: list[Claim] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    failed: str = ""

    @property
    def missing(self) -> list[str]:
        """Peers and data that were not there, as the benchmark tells them."""
        return list(dict.fromkeys(line.removeprefix("skip ") for line in self.lines if line.startswith("skip ")))


@dataclass
class Record:
    """A whole run.

    date : year, month and day. machine : what it ran on, name to words. left_out : benchmarks that were not run.
    """

    date: str
    machine: Mapping[str, str]
    ran: Sequence[Ran]
    left_out: Sequence[str]
    growth: Sequence[Curve] = ()

    @property
    def missed(self) -> int:
        return sum(not claim.holds for one in self.ran for claim in one.claims) + sum(bool(r.failed) for r in self.ran)

    def write(self, folder: Path) -> list[Path]:
        """Write what was measured: claims and growth, each as .json, .md and .svg; the other stays as it was."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        if self.ran:
            benchmarks = [
                {
                    "name": one.name,
                    "title": one.title,
                    "claims": [asdict(claim) | {"holds": claim.holds} for claim in one.claims],
                    "missing": one.missing,
                    "lines": one.lines,
                    "failed": one.failed,
                }
                for one in self.ran
            ]
            data = {"benchmarks": benchmarks, "left_out": list(self.left_out)}
            written += self._put(folder / "claims", data, claims_markdown(self), draw_claims(self.ran))
        if self.growth:
            curves = [asdict(curve) | {"exponent": round(curve.exponent, 3)} for curve in self.growth]
            written += self._put(folder / "growth", {"curves": curves}, growth_markdown(self), draw_growth(self.growth))
        return written

    def _put(self, stem: Path, data: dict[str, Any], text: str, figure: Any) -> list[Path]:
        data = {"recorded": self.date, "machine": dict(self.machine), **data}
        paths = [stem.with_suffix(suffix) for suffix in (".json", ".md", ".svg")]
        paths[0].write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        paths[1].write_text(text, encoding="utf-8")
        _save_svg(figure, paths[2])
        return paths


def claims_markdown(record: Record) -> str:
    """The machine and a table for each benchmark."""
    counted = sum(len(one.claims) for one in record.ran)
    held = sum(claim.holds for one in record.ran for claim in one.claims)
    rows = [f"Recorded on {record.date}: {held} of {counted} claims hold.", "", "| machine | |", "|---|---|"]
    rows += [f"| {name} | {words} |" for name, words in record.machine.items()]
    if record.left_out:
        rows += ["", f"Not run this time: {', '.join(record.left_out)}."]
    for one in record.ran:
        rows += ["", f"### {one.name}", "", one.title, ""]
        if one.failed:
            rows += [f"It stopped: {one.failed}", ""]
        if one.claims:
            rows += ["| claim | measured | wanted | |", "|---|---|---|---|"]
            rows += [_row(claim) for claim in one.claims]
        if one.missing:
            rows += ["", "Not there, and therefore not measured:", "", *(f"- {line}" for line in one.missing)]
    return "\n".join(rows) + "\n"


def _row(claim: Claim) -> str:
    sign = "at least" if claim.at_least else "at most"
    text = claim.text.replace("|", "/")
    return f"| {text} | {claim.value:.3g} | {sign} {claim.limit:g} | {'✓' if claim.holds else 'missed'} |"


def growth_markdown(record: Record) -> str:
    """One row for each algorithm."""
    rows = [
        f"Recorded on {record.date}, {record.machine['processor']}.",
        "",
        "| algorithm | size | time, smallest to largest | memory, largest | exponent | expected |",
        "|---|---|---|---|---|---|",
    ]
    for curve in record.growth:
        memory = f"{curve.grown[-1] / 2**20:.1f} MiB" if curve.grown else "not told by this system"
        sizes = f"{curve.sizes[0]:,} to {curve.sizes[-1]:,} {curve.unit}"
        times = f"{1e3 * curve.seconds[0]:.3g} to {1e3 * curve.seconds[-1]:.4g} ms"
        rows.append(f"| {curve.words} | {sizes} | {times} | {memory} | {curve.exponent:.2f} | {curve.order} |")
    rows += ["", "The exponent is the slope of log time over log size in the upper half: 1 is linear, 2 quadratic."]
    return "\n".join(rows) + "\n"


def draw_claims(ran: Sequence[Ran]) -> Any:
    """Bars of how far each claim is on the good side of its bound, on a log scale."""
    from matplotlib.figure import Figure

    from kinetune.figures import palette

    bars = [(f"{one.name}: {claim.text}", claim) for one in ran for claim in one.claims]
    with palette.style():
        figure = Figure(figsize=(9.0, 1.0 + 0.2 * len(bars)), layout="constrained")
        ax = figure.subplots()
        for row, (_, claim) in enumerate(bars):
            length = float(np.clip(claim.margin, 1.0 / _FURTHEST, _FURTHEST))
            colour = palette.GOOD if claim.holds else palette.BAD
            ax.barh(row, length - 1.0, left=1.0, color=colour, height=0.7)
            sign = "≥" if claim.at_least else "≤"
            ax.annotate(
                f" {claim.value:.3g} ({sign} {claim.limit:g}) ",
                (max(length, 1.0), row),
                va="center",
                fontsize=6,
                color=palette.LABEL,
            )
        ax.axvline(1.0, color=palette.INK, linewidth=0.8)
        ax.set_yticks(range(len(bars)), [text for text, _ in bars], fontsize=6)
        ax.set(xscale="log", xlabel="times better than the bound", ylim=(len(bars) - 0.5, -0.5))
        ends = [float(np.clip(claim.margin, 1.0 / _FURTHEST, _FURTHEST)) for _, claim in bars]
        ax.set_xlim(0.8 * min(0.5, *ends), 8.0 * max(2.0, *ends))  # with room for the words at the ends of bars
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter("")
        ax.grid(axis="y", visible=False)
    return figure


def draw_growth(curves: Sequence[Curve]) -> Any:
    """Time and memory over size, a panel for each algorithm."""
    from matplotlib.figure import Figure

    from kinetune.figures import palette

    columns = 3
    rows = -(-len(curves) // columns)
    with palette.style():
        figure = Figure(figsize=(9.0, 2.3 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for ax in axes.flat[len(curves) :]:
            ax.axis("off")
        for ax, curve in zip(axes.flat, curves, strict=False):
            milliseconds = 1e3 * np.array(curve.seconds)
            ax.plot(curve.sizes, milliseconds, "o-", color=palette.EDITED, markersize=3, label="ms")
            if curve.grown:
                ax.plot(
                    curve.sizes, np.array(curve.grown) / 2**20, "s--", color=palette.LEFT, markersize=3, label="MiB"
                )
            linear = milliseconds[-1] * np.array(curve.sizes) / curve.sizes[-1]
            ax.plot(curve.sizes, linear, ":", color=palette.GHOST, label="linear")
            ax.set(xscale="log", yscale="log", xlabel=curve.unit)
            ax.set_xticks(curve.sizes, [_short(size) for size in curve.sizes])
            ax.minorticks_off()
            ax.set_title(f"{curve.words}: n^{curve.exponent:.2f}", fontsize=7)
            ax.legend(fontsize=6)
    return figure


def _short(size: int) -> str:
    """1048576 -> 1M."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit:
            return f"{size / unit:.2g}{sign}" if size < 100 * unit else f"{size / unit:.0f}{sign}"
    return str(size)


def _save_svg(figure: Any, path: Path) -> None:
    """Without a date and with the same names each time, so that a new run changes only what it measured."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure.savefig(path, metadata={"Date": None})
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n", encoding="utf-8")
