"""The types of the page are those of the server."""

import pytest
from tools.page_types import PATH, page_types

from kinetune.operations import OPERATIONS
from kinetune.operations.base import collecting_results
from kinetune.studio.evaluate.evaluation import step_report
from kinetune.studio.protocol.answers import StepReport, check_answer
from tests.operations import making
from tests.operations.test_conformance import apply


def test_the_types_of_the_page_are_written_from_the_models():
    assert PATH.read_text(encoding="utf-8") == page_types(), "Run: python tools/page.py types"


@pytest.mark.parametrize("tag", [tag for tag, operation in OPERATIONS.items() if not operation.slow])
def test_the_types_know_what_every_operation_reports(tag):
    walk, step = making.jittery(making.walker(drift=0.05)), OPERATIONS[tag].example()
    with collecting_results() as results:
        after = apply(step, walk)
    report = step_report(step, walk, after, results)
    assert report is None or check_answer(report, StepReport) is None
