"""Every experiment of the papers gives the verdict that we claim: nothing fails, and what deviates says why."""

import importlib
import json
from pathlib import Path

import pytest

from kinetune.reproduce import PAPERS, Paper, reproduce

FIGURES = {
    "bruderlin": [f"Figure {n}" for n in range(1, 12)],
    "kochanek-bartels": [f"Figure {n}" for n in range(1, 25)],
    "inverse-blending": [*(f"Figure {n}" for n in range(1, 7)), "Section 6"],
    "wavelets": [*(f"Figure {n}" for n in (2, 3, 5, 6, 7, *range(9, 15))), "Table 1", "Table 2"],
    "dynamic-filter": [f"Figure {n}" for n in range(2, 7)],
}
"""What has to be run again of each paper; more is welcome."""
ERRATA = {
    "bruderlin": {"Figure 1", "Figure 2", "Figure 7"},
    "kochanek-bartels": {"Figure 2"},
    "inverse-blending": {"Figure 2", "Figure 3"},
    "dynamic-filter": {"Figure 4", "Figure 5"},
    "wavelets": {"Figure 2", "Table 2", "Figure 3", "Section 3.3", "Figure 4", "Figure 6"},
}
"""Where a paper is wrong, by our reckoning; the report shows how we know."""


@pytest.mark.parametrize("name", PAPERS)
def test_every_figure_is_an_experiment_of_its_own(name: str) -> None:
    paper: Paper = importlib.import_module(PAPERS[name]).PAPER
    labels = [experiment.label for experiment in paper.experiments]
    assert len(set(labels)) == len(labels)
    assert set(FIGURES[name]) <= set(labels)
    assert paper.run_files is not None


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_no_experiment_fails(paper: str, tmp_path: Path) -> None:
    done = reproduce([paper], tmp_path, quick=True)
    assert done.report.stat().st_size > 10_000
    told = json.loads(done.summary.read_text(encoding="utf-8"))
    verdicts = {(one["label"], value["what"]): value for one in told["experiments"] for value in one["values"]}
    assert {key: value for key, value in verdicts.items() if value["verdict"] == "failed"} == {}
    assert told["failed"] == 0
    for one in told["experiments"]:
        assert one["values"], one["label"]
        assert one["pictures"], one["label"]
    errata = {label for (label, _), value in verdicts.items() if value["verdict"] == "erratum"}
    assert errata == ERRATA[paper]
