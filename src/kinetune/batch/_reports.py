"""Reports of a run over a library: report.json and report.csv beside the results, and a printed summary."""

from __future__ import annotations

import csv
import json
import os
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from kinetune.batch.work import BatchOutcome
from kinetune.body.quality.measures import flatten_measures

SHOWN_MEASURES = ("foot_slide_mm", "penetration_mm", "jerk", "flips")
MOST_SHOWN_FAILURES = 20


@dataclass
class Summary:
    """Counts and sums over a library, filled one outcome at a time.

    motion_s : seconds of motion. work_s : seconds of work by part, over all workers.
    before, after : the values of a few measures, for their medians.
    failures : the first failed clips with their sentences.
    made_with : the libraries and processors that made the results.
    """

    done: int = 0
    kept: int = 0
    failed: int = 0
    frames: int = 0
    motion_s: float = 0.0
    work_s: dict[str, float] = field(default_factory=dict)
    before: dict[str, list[float]] = field(default_factory=dict)
    after: dict[str, list[float]] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)
    made_with: set[str] = field(default_factory=set)

    @property
    def last_bits(self) -> str | None:
        """A sentence about results that may differ in their last bits; None where all were made alike."""
        if len(self.made_with) < 2:
            return None
        return (
            "These results were made with different libraries or processors and may differ in their last bits: "
            f"{'; '.join(sorted(self.made_with))}."
        )

    @property
    def clips(self) -> int:
        return self.done + self.kept + self.failed

    def add(self, outcome: BatchOutcome) -> None:
        if outcome.status == "failed":
            self.failed += 1
            if len(self.failures) < MOST_SHOWN_FAILURES:
                self.failures.append((outcome.name, outcome.error))
            return
        self.made_with |= {outcome.made_with} - {""}
        self.done += outcome.status == "done"
        self.kept += outcome.status == "kept"
        self.frames += outcome.frames or 0
        self.motion_s += outcome.duration_s or 0.0
        if outcome.status == "done":
            for part, seconds in outcome.seconds.items():
                self.work_s[part] = self.work_s.get(part, 0.0) + seconds
        for measured, values in ((outcome.before, self.before), (outcome.after, self.after)):
            for name in SHOWN_MEASURES:
                if measured is not None and measured.get(name) is not None:
                    values.setdefault(name, []).append(float(measured[name]))

    def medians(self) -> dict[str, tuple[float, float | None]]:
        """For each measure, its median over the clips before and after; after is None when nothing was edited."""
        return {
            name: (statistics.median(values), statistics.median(self.after[name]) if name in self.after else None)
            for name, values in self.before.items()
        }

    def as_mapping(self) -> dict[str, Any]:
        return {
            "clips": self.clips,
            "done": self.done,
            "kept": self.kept,
            "failed": self.failed,
            "frames": self.frames,
            "motion_s": self.motion_s,
            "made_with": sorted(self.made_with),
            "last_bits": self.last_bits,
            "work_s": self.work_s,
            "medians": {name: {"before": was, "after": now} for name, (was, now) in self.medians().items()},
        }


def write_reports(
    folder: Path, outcomes: Callable[[], Iterable[BatchOutcome]], summary: Summary, about: Mapping[str, Any]
) -> tuple[Path, Path]:
    """Write report.json and report.csv; outcomes are read one after the other, so that memory stays small.

    Parameters
    ----------
    outcomes : gives the outcomes anew at each call.
    about : what the JSON says of the run: version, recipe, wall time.
    """
    as_json, as_csv = folder / "report.json", folder / "report.csv"
    with _replacing(as_json) as file:
        head = json.dumps({**about, "summary": summary.as_mapping()}, indent=1)
        file.write(head[: head.rindex("}")].rstrip() + ',\n "clips": [')
        separator = "\n  "
        for outcome in outcomes():
            file.write(separator + json.dumps(_fields(outcome)))
            separator = ",\n  "
        file.write("\n ]\n}\n")
    with _replacing(as_csv) as file:
        write_csv(file, outcomes)
    return as_json, as_csv


def write_csv(file: TextIO, outcomes: Callable[[], Iterable[BatchOutcome]]) -> None:
    """A table with a line for each clip; the columns are all that any clip has."""
    names = list(dict.fromkeys(name for outcome in outcomes() for name in _row(outcome)))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for outcome in outcomes():
        writer.writerow(_row(outcome))


def _fields(outcome: BatchOutcome) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(outcome).items() if name not in ("key", "sha")}
    return {name: value for name, value in fields.items() if value not in (None, "", {}, (), [])}


def _row(outcome: BatchOutcome) -> dict[str, Any]:
    fields = _fields(outcome)
    columns = {
        name: fields.get(name)
        for name in ("name", "status", "error", "frames", "fps", "duration_s", "worker", "target")
    }
    measured: dict[str, Any] = {part: fields[part] for part in ("seconds", "before", "after") if part in fields}
    numbers = {name: value for name, value in flatten_measures(measured) if isinstance(value, int | float)}
    return {**columns, **numbers}


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """A text file that is complete or not there."""
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "w", encoding="utf-8", newline="") as file:
            yield file
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
