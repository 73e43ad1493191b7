"""Run experiments one after the other; one that fails is shown as failed and stops nothing."""

from __future__ import annotations

import importlib
import json
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetune.errors import KinetuneError, UnknownNameError
from kinetune.progress import Cancelled, report, stage
from kinetune.reproduce.experiments import Context, Experiment, Paper, Result, Value
from kinetune.reproduce.own_files import LABEL, OwnFile, read_own

PAPERS: Mapping[str, str] = {
    "bruderlin": "kinetune.reproduce.bruderlin.paper",
    "kochanek-bartels": "kinetune.reproduce.kochanek_bartels.paper",
    "inverse-blending": "kinetune.reproduce.inverse_blending.paper",
    "wavelets": "kinetune.reproduce.wavelets.paper",
    "dynamic-filter": "kinetune.reproduce.dynamic_filter.paper",
}
"""Name of a paper on the command line -> the module that holds it as PAPER; each is loaded when it is run."""


@dataclass(frozen=True)
class Ran:
    """An experiment that was run."""

    paper: Paper
    experiment: Experiment
    result: Result
    seconds: float


@dataclass(frozen=True)
class Reproduction:
    """All that was run, and where it is reported: report.html, summary.json and the pictures."""

    ran: tuple[Ran, ...]
    folder: Path
    report: Path
    summary: Path

    @property
    def failed(self) -> tuple[Ran, ...]:
        return tuple(ran for ran in self.ran if ran.result.verdict == "failed")


def reproduce(
    papers: Sequence[str] = (),
    folder: str | Path = "reproduction",
    *,
    clips: str | Path | None = None,
    only: str | None = None,
    quick: bool = False,
) -> Reproduction:
    """Run the papers' experiments and write one report.

    Parameters
    ----------
    papers : names out of :data:`PAPERS`; none means all.
    folder : where the report and the pictures go; made when it is not there.
    clips : a folder with the user's clips and drawings. Each paper is then also run on them, as far as they allow,
        and the report says which file was used where and which could not be, and why.
    only : run only the experiments with this label, such as "Figure 6".
    quick : fewer repetitions.
    """
    from kinetune.reproduce._html_report import write_report

    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    chosen = _papers(papers)
    if clips is not None:
        report(0.0, "reading your files")
    files = () if clips is None else read_own(clips)
    selected = [(paper, experiment) for paper in chosen for experiment in _experiments(paper, bool(files))]
    if only is not None:
        labels = list(dict.fromkeys(experiment.label for _, experiment in selected))
        selected = [(paper, experiment) for paper, experiment in selected if experiment.label.lower() == only.lower()]
        if not selected:
            raise UnknownNameError("experiment", only, labels)
    ran = []
    for number, (paper, experiment) in enumerate(selected):
        with stage(number, len(selected), f"{paper.name}: {experiment.label}"):
            ran.append(run_one(paper, experiment, out, files, quick))
    report(1.0, "report")
    page, summary = out / "report.html", out / "summary.json"
    write_report(page, ran)
    summary.write_text(json.dumps(summarize(ran), indent=1) + "\n", encoding="utf-8")
    return Reproduction(tuple(ran), out, page, summary)


def run_one(
    paper: Paper, experiment: Experiment, folder: Path, files: Sequence[OwnFile] = (), quick: bool = False
) -> Ran:
    """Run one experiment; any exception becomes a failed value."""
    place = folder / paper.name / experiment.label.lower().replace(" ", "-").replace(",", "")
    place.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    try:
        result = experiment.run(Context(place, tuple(files), quick))
    except Cancelled:
        raise
    except Exception as error:  # the others must still be run and shown
        reason = (
            str(error) if isinstance(error, KinetuneError) else "".join(traceback.format_exception(error, limit=-4))
        )
        result = Result((Value("the experiment itself", "runs", "stopped", "failed", reason),))
    return Ran(paper, experiment, result, time.perf_counter() - begun)


def summarize(ran: Sequence[Ran]) -> dict[str, Any]:
    """Every verdict for a program to read."""
    from kinetune import __version__

    return {
        "kinetune": __version__,
        "failed": sum(one.result.verdict == "failed" for one in ran),
        "files": files_used(ran),
        "experiments": [
            {
                "paper": one.paper.name,
                "label": one.experiment.label,
                "title": one.experiment.title,
                "verdict": one.result.verdict,
                "seconds": round(one.seconds, 3),
                "values": [vars(value) for value in one.result.values],
                "pictures": [picture.path.name for picture in one.result.pictures],
            }
            for one in ran
        ],
    }


def files_used(ran: Sequence[Ran]) -> dict[str, dict[str, Any]]:
    """Of each of the user's files, for each paper: whether it was used, and what came out or why not."""
    uses: dict[str, dict[str, Any]] = {}
    for one in ran:
        for value in one.result.values:
            used = value.verdict != "left out"
            for name in value.files:
                use = {"used": used, "verdict": value.verdict, "text": value.ours if used else value.note}
                uses.setdefault(name, {})[one.paper.name] = use
    return uses


def _experiments(paper: Paper, with_own: bool) -> tuple[Experiment, ...]:
    """The experiments of a paper, with that on the user's files if there are any."""
    if not with_own or paper.run_files is None:
        return paper.experiments
    return (*paper.experiments, Experiment(LABEL, "what can be run of it on your files", paper.run_files))


def _papers(names: Sequence[str]) -> list[Paper]:
    for name in names:
        if name not in PAPERS:
            raise UnknownNameError("paper", name, PAPERS)
    modules = [module for name, module in PAPERS.items() if not names or name in names]
    return [importlib.import_module(module).PAPER for module in modules]
