"""The command line in tests: the real application, with two made-up operations beside the real ones."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kinetune.cli.app import app
from tests.made_up import SMALL_BVH

Kinetune = Callable[..., Result]


@pytest.fixture(autouse=True)
def _with_made_up_operations(made_up_operations: None) -> None:
    """Every test of the command line knows two small operations more."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the commands run, with one small file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.bvh").write_text(SMALL_BVH)
    return tmp_path


@pytest.fixture
def kinetune(monkeypatch: pytest.MonkeyPatch) -> Kinetune:
    """Run a command in this process: ``kinetune("info", "walk.bvh")``."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("KINETUNE_DEBUG", raising=False)

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(a) for a in arguments], prog_name="kinetune", catch_exceptions=False)

    return run


def told(result: Result) -> str:
    """The one sentence that a user's mistake gives, and nothing else."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("kinetune: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip("\n") != "kinetune: "
    return result.stderr.removeprefix("kinetune: ").rstrip("\n")
