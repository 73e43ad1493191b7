"""What people see: tables, a spreadsheet, and a bar only where somebody watches."""

import io
import sys

import pytest

from kinetune.cli.show import bar, csv_text, print_facts, print_measures, print_table
from kinetune.progress import report

MEASURED = {
    "a.bvh": {"jerk": 12.345678, "flips": 0, "stance": {"left": 0.5}, "flips_at": [1], "reasons": {}},
    "b [1].bvh": {"jerk": None, "flips": 3, "stance": {"left": 0.25}, "reasons": {"jerk": "Too short."}},
}


class Terminal(io.StringIO):
    """A stream that says somebody watches."""

    def isatty(self) -> bool:
        return True


def test_there_is_no_bar_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with bar():
        report(0.5, "smooth")
    assert capsys.readouterr() == ("", "")


def test_there_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    watched = Terminal()
    monkeypatch.setattr(sys, "stderr", watched)
    monkeypatch.setenv("TERM", "xterm")
    with bar():
        report(None, "compiling")
        report(1 / 3, "smooth [walk].bvh")
    assert "smooth [walk].bvh" in watched.getvalue()
    assert capsys.readouterr().out == ""


def test_measures_in_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_measures(MEASURED)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == "measure a.bvh b [1].bvh"
    assert lines[2:] == ["jerk 12.3 -", "flips 0 3", "stance, left 0.50 0.25", "b [1].bvh: Too short."]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("foot_slide_mm", 712.4, "712 mm"),
        ("seam.velocity_mm_s", 12_345.6, "12,346 mm/s"),
        ("flight_s", 0.25, "0.25 s"),
        ("penetration_mm", 0.0004, "under 0.01 mm"),
        ("floor_lean_deg", 0.0, "0 deg"),
        ("seam.repeats_first_frame", True, "yes"),
        ("jerk", None, "-"),
    ],
)
def test_a_measure_has_its_unit_and_no_exponent(
    name: str, value: float | None, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_measures({"a": {name: value}})
    assert capsys.readouterr().out.split("\n")[3].strip().endswith(f"  {shown}")


def test_measures_for_a_spreadsheet() -> None:
    assert csv_text(MEASURED).splitlines() == [
        "file,jerk,flips,stance.left,flips_at,reasons.jerk",
        "a.bvh,12.345678,0,0.5,[1],",
        "b [1].bvh,,3,0.25,,Too short.",
    ]


def test_names_from_files_are_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts({"file": "[red]walk[/red] :smile:.bvh"})
    print_table(["joint"], [["[bold]Hips"]])
    shown = capsys.readouterr().out
    assert "[red]walk[/red] :smile:.bvh" in shown
    assert "[bold]Hips" in shown
