"""The notebooks in the documents."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
sys.path.insert(0, str(FOLDER))
PAGES = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_was_saved(path):
    from execute import execute

    saved = json.loads(path.read_text(encoding="utf-8"))
    again = json.loads(path.read_text(encoding="utf-8"))
    execute(again)
    for before, now in zip(saved["cells"], again["cells"], strict=True):
        assert _kinds(before) == _kinds(now)


def _kinds(cell):
    return [sorted(output.get("data", {"stream": 0})) for output in cell.get("outputs", ())]
