"""The frame round the experiments: what is run, told and written."""

import json
from pathlib import Path

import pytest

from kinetune.errors import FileError, UnknownNameError
from kinetune.progress import reporting
from kinetune.reproduce import Context, Experiment, Paper, Result, Value, reproduce
from kinetune.reproduce._html_report import write_report
from kinetune.reproduce.experiments import canvas
from kinetune.reproduce.running import run_one, summarize


def _fine(context: Context) -> Result:
    figure = canvas(2.0, 1.0)
    figure.subplots().plot([0, 1], [len(context.files), 1])
    return Result((Value("a <number>", "1", "1", "same"),), (context.save(figure, "line", "A & B"),), ("A note.",))


def _broken(context: Context) -> Result:
    raise ZeroDivisionError("nothing to divide by")


MADE_UP = Paper(
    "made-up",
    "A paper",
    "Nobody",
    "Nowhere 1999",
    (Experiment("Figure 1", "fine", _fine), Experiment("Table 2", "broken", _broken)),
)


def test_an_experiment_that_fails_is_shown_and_stops_nothing(tmp_path: Path) -> None:
    ran = [run_one(MADE_UP, experiment, tmp_path) for experiment in reversed(MADE_UP.experiments)]
    assert [one.result.verdict for one in ran] == ["failed", "same"]
    assert "nothing to divide by" in ran[0].result.values[0].note
    told = summarize(ran)
    assert told["failed"] == 1
    assert told["experiments"][1]["pictures"] == ["line.png"]
    json.dumps(told)


def test_the_report_needs_no_other_file(tmp_path: Path) -> None:
    ran = [run_one(MADE_UP, experiment, tmp_path) for experiment in MADE_UP.experiments]
    write_report(tmp_path / "report.html", ran)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in page
    assert "src='/" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "a &lt;number&gt;" in page
    assert "ZeroDivisionError" in page


@pytest.mark.parametrize("verdict", ["deviates", "erratum", "left out"])
def test_other_than_the_paper_needs_a_reason(verdict: str) -> None:
    with pytest.raises(ValueError, match="needs a note"):
        Value("this", "1", "2", verdict)  # type: ignore[arg-type]


def test_two_pictures_cannot_share_a_name(tmp_path: Path) -> None:
    context = Context(tmp_path)
    context.save(canvas(1.0, 1.0), "one")
    with pytest.raises(ValueError, match="two pictures"):
        context.save(canvas(1.0, 1.0), "one")


def test_slips_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="bruderlin"):
        reproduce(["brudelin"], tmp_path)
    with pytest.raises(UnknownNameError, match="Figure 1"):
        reproduce(["kochanek-bartels"], tmp_path, only="Figure 100")
    with pytest.raises(FileError, match="no such folder"):
        reproduce(["kochanek-bartels"], tmp_path, clips=tmp_path / "none")
    with pytest.raises(FileError, match="no motion file and no drawing"):
        reproduce(["kochanek-bartels"], tmp_path, clips=tmp_path)


def test_the_whole_run_tells_a_failure_and_finishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinetune.reproduce.running._papers", lambda names: [MADE_UP])
    reports: list[tuple[float | None, str]] = []
    with reporting(lambda share, text: reports.append((share, text))):
        done = reproduce([], tmp_path)
    assert [one.result.verdict for one in done.ran] == ["same", "failed"]
    assert json.loads(done.summary.read_text(encoding="utf-8"))["failed"] == 1
    assert "Failed:" in done.report.read_text(encoding="utf-8")
    assert reports[-1] == (1.0, "report")


def test_every_deviation_is_a_line_at_the_top(tmp_path: Path) -> None:
    odd = Experiment("Figure 9", "odd", lambda _: Result((Value("this", "1", "2", "erratum", "Because <of> that."),)))
    paper = Paper("odd", "Odd", "Nobody", "Nowhere", (odd,))
    write_report(tmp_path / "report.html", [run_one(paper, odd, tmp_path)])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.index("Deviations and errata") < page.index("Because &lt;of&gt; that.") < page.index("<h2 id='odd'")
