"""Every experiment of the papers gives the verdict that we claim: nothing fails, and what deviates says why."""

from pathlib import Path

import pytest

from kinetune.reproduce import PAPERS, reproduce

ERRATA = {
    "bruderlin": {"Figure 2"},
    "kochanek-bartels": {"Figure 2"},
    "inverse-blending": {"Figure 2", "Figure 3"},
    "dynamic-filter": {"Figure 4", "Figure 5"},
    "wavelets": {"Figure 2", "Table 2", "Figure 3", "Section 3.3", "Figure 4", "Figure 6"},
}
"""Where a paper is wrong, by our reckoning; the report shows how we know."""


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_no_experiment_fails(paper: str, tmp_path: Path) -> None:
    done = reproduce([paper], tmp_path, quick=True)
    failed = {one.experiment.label: one.result.values for one in done.failed}
    assert failed == {}
    assert done.report.stat().st_size > 10_000
    errata = {
        one.experiment.label for one in done.ran if any(value.verdict == "erratum" for value in one.result.values)
    }
    assert errata == ERRATA.get(paper, set())
