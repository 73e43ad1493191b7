"""A run on paper: a JSON of everything, Markdown tables and two plots, for the documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks.growth import Curve
from benchmarks.harness import Claim
from benchmarks.machine import LOAD

_FURTHEST = 1e3  # where a bar of the plot ends
Named = TypeVar("Named", "Ran", Curve)


@dataclass
class Ran:
    """One benchmark.

    title : the first line of its module.
    claims : what was measured. lines : all that it printed besides.
    failed : what stopped it, or "".
    date, machine : when and on what, where that was not this run.
    """

    name: str
    title: str
    claims: list[Claim] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    failed: str = ""
    date: str = ""
    machine: Mapping[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """Peers and data that were not there, as the benchmark tells them."""
        return list(dict.fromkeys(line.removeprefix("skip ") for line in self.lines if line.startswith("skip ")))

    def as_json(self) -> dict[str, Any]:
        """All of it, for a file."""
        return {
            "name": self.name,
            "title": self.title,
            "recorded": self.date,
            "machine": dict(self.machine),
            "claims": [asdict(claim) | {"holds": claim.holds} for claim in self.claims],
            "missing": self.missing,
            "lines": self.lines,
            "failed": self.failed,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Ran:
        """What :meth:`as_json` made."""
        claims = [Claim(row["text"], row["value"], row["limit"], row["at_least"]) for row in data["claims"]]
        when, where = data.get("recorded", ""), data.get("machine", {})
        return cls(data["name"], data["title"], claims, list(data["lines"]), data["failed"], when, where)


@dataclass
class Record:
    """A run, and what earlier runs measured that this one did not.

    date : year, month and day. machine : what it ran on, name to words.
    ran, growth : what was measured now.
    benchmarks, algorithms : the names of all that there are, in the order in which they are told.
    """

    date: str
    machine: Mapping[str, str]
    ran: Sequence[Ran]
    growth: Sequence[Curve] = ()
    benchmarks: Sequence[str] = ()
    algorithms: Sequence[str] = ()

    def __post_init__(self) -> None:
        for one in self.ran:
            one.date = one.date or self.date
            one.machine = one.machine or self.machine
        self.growth = [curve if curve.date else replace(curve, date=self.date) for curve in self.growth]

    @property
    def missed(self) -> int:
        return sum(not claim.holds for one in self.ran for claim in one.claims) + sum(bool(r.failed) for r in self.ran)

    def write(self, folder: Path) -> list[Path]:
        """Write claims and growth, each as .json, .md and .svg; what was not measured now stays as it was."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        if self.ran:
            before = [Ran.from_json(row) for row in _kept(folder / "claims.json", "benchmarks")]
            ran = _merged(self.ran, before, self.benchmarks)
            left_out = [name for name in self.benchmarks if name not in {one.name for one in ran}]
            data = {"benchmarks": [one.as_json() for one in ran], "never_run": left_out}
            text = claims_markdown(self.date, self.machine, ran, left_out)
            written += self._put(folder / "claims", data, text, draw_claims(ran))
        if self.growth:
            earlier = [Curve.from_json(row) for row in _kept(folder / "growth.json", "curves")]
            curves = _merged(self.growth, earlier, self.algorithms)
            data = {"curves": [curve.as_json() for curve in curves]}
            text = growth_markdown(self.machine, curves)
            written += self._put(folder / "growth", data, text, draw_growth(curves))
        return written

    def _put(self, stem: Path, data: dict[str, Any], text: str, figure: Any) -> list[Path]:
        data = {"recorded": self.date, "machine": dict(self.machine), **data}
        paths = [stem.with_suffix(suffix) for suffix in (".json", ".md", ".svg")]
        paths[0].write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        paths[1].write_text(text, encoding="utf-8")
        _save_svg(figure, paths[2])
        return paths


def _merged(new: Sequence[Named], old: Sequence[Named], order: Sequence[str]) -> list[Named]:
    """What is new, and of the old what is not measured again and still exists, in order."""
    fresh = {one.name for one in new}
    kept = [one for one in old if one.name not in fresh and (not order or one.name in order)]
    rank = {name: number for number, name in enumerate(order)}
    return sorted([*new, *kept], key=lambda one: rank.get(one.name, len(rank)))


def _kept(path: Path, key: str) -> list[dict[str, Any]]:
    """What an earlier run has written; nothing where there was none."""
    return list(json.loads(path.read_text(encoding="utf-8"))[key]) if path.exists() else []


def claims_markdown(date: str, machine: Mapping[str, str], ran: Sequence[Ran], never_run: Sequence[str]) -> str:
    """The machine and a table for each benchmark."""
    counted = sum(len(one.claims) for one in ran)
    held = sum(claim.holds for one in ran for claim in one.claims)
    rows = [f"Recorded on {date}: {held} of {counted} claims hold.", "", "| machine | |", "|---|---|"]
    rows += [f"| {name} | {words} |" for name, words in machine.items()]
    if never_run:
        rows += ["", f"Not recorded yet: {', '.join(never_run)}."]
    for one in ran:
        rows += ["", f"### {one.name}", "", one.title, ""]
        other = _elsewhere(one, date, machine)
        if other:
            rows += [other, ""]
        if one.failed:
            rows += [f"It stopped: {one.failed}", ""]
        if one.claims:
            rows += ["| claim | measured | wanted | |", "|---|---|---|---|"]
            rows += [_row(claim) for claim in one.claims]
        if one.missing:
            rows += ["", "Not there, and therefore not measured:", "", *(f"- {line}" for line in one.missing)]
    return "\n".join(rows) + "\n"


def _elsewhere(one: Ran, date: str, machine: Mapping[str, str]) -> str:
    """A sentence where a benchmark was recorded at another time or with something else; "" otherwise."""
    others = {
        name: words
        for name, words in one.machine.items()
        if words not in (machine.get(name), "not installed") and name != LOAD
    }
    when = f"on {one.date}" if one.date != date else ""
    what = ", ".join(f"{name} {words}" for name, words in others.items())
    words = " ".join(part for part in (when, f"with {what}" if what else "") if part)
    return f"Recorded {words}." if words else ""


def _row(claim: Claim) -> str:
    sign = "at least" if claim.at_least else "at most"
    text = claim.text.replace("|", "/")
    return f"| {text} | {claim.value:.3g} | {sign} {claim.limit:g} | {'✓' if claim.holds else 'missed'} |"


def growth_markdown(machine: Mapping[str, str], curves: Sequence[Curve]) -> str:
    """One row for each algorithm."""
    dates = sorted({curve.date for curve in curves})
    rows = [
        f"Recorded on {' and '.join(dates)}, {machine['processor']}.",
        "",
        "| algorithm | size | time, smallest to largest | memory, largest | exponent | expected |",
        "|---|---|---|---|---|---|",
    ]
    for curve in curves:
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
        ax.set_xlim(0.8 * min([0.5, *ends]), 8.0 * max([2.0, *ends]))  # with room for the words at the ends of bars
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
