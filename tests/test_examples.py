"""Every example runs, writes something and stays short."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kinetune.operations import OPERATIONS

    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path / "out")])
    known = dict(OPERATIONS)
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        for tag in set(OPERATIONS) - set(known):
            del OPERATIONS[tag]
    assert capsys.readouterr().out
    assert all(file.stat().st_size > 0 for file in (tmp_path / "out").iterdir())
    assert list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60
