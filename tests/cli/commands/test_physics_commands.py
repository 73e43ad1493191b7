"""kinetune physics."""

import json
from pathlib import Path

import mujoco
import pytest

from kinetune.physics.frame.tracking import Tracker
from tests.cli.conftest import Kinetune, told


@pytest.mark.slow
def test_the_report_card_of_a_sample(kinetune: Kinetune) -> None:
    result = kinetune("physics", "sample:kick-1")
    assert result.exit_code == 0
    assert "friction needed" in result.stdout
    assert "68.5 kg" in result.stdout


@pytest.mark.slow
def test_json_for_a_program(kinetune: Kinetune) -> None:
    values = json.loads(kinetune("physics", "sample:kick-1", "--json", "--mu", "0.4", "--mass", "82.5").stdout)
    assert values["mu"] == 0.4
    assert values["mass_kg"] == pytest.approx(82.5)
    assert values["frames_outside_cone"] > 0
    assert set(values["ranges"][0]) == {"first", "last", "why", "worst", "unit"}


@pytest.mark.slow
def test_pictures_and_models_are_written(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("physics", "sample:kick-1", "--picture", "kick.png", "--mjcf", "body.xml")
    assert result.exit_code == 0
    assert (folder / "kick.png").stat().st_size > 10_000
    assert mujoco.MjModel.from_xml_path(str(folder / "body.xml")).nq > 60


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--mu", "-1"), "must be 0 (ice) or more"),
        (("--mass", "0"), "positive number of kilograms"),
        (("--sex", "none"), "male"),
        (("--tables", "Hanavan"), "de Leva"),
        (("--cutoff-hz", "-3"), "cutoff_hz"),
        (("--ground", "nan"), "number of metres"),
    ],
)
def test_mistakes_are_one_sentence(kinetune: Kinetune, flags: tuple[str, str], words: str) -> None:
    assert words in told(kinetune("physics", "sample:kick-1", *flags))


def test_two_frames_are_too_few(kinetune: Kinetune, folder: Path) -> None:
    kinetune("trim", "sample:walk", "-o", "short.bvh", "--start", "0", "--end", "2")
    assert "three frames" in told(kinetune("physics", "short.bvh"))


@pytest.mark.slow
def test_where_to_look_is_listed(kinetune: Kinetune) -> None:
    result = kinetune("physics", "sample:walk", "--mu", "0.05")
    assert "where to look" in result.stdout
    assert "needs more friction than there is" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("filter-dynamics", "sample:kick-1"), ("splice", "sample:kick-1", "sample:kick-2", "--filter-dynamics")]
)
def test_ctrl_c_within_the_filter_leaves_no_file(
    kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    real, frames = Tracker.step, []

    def step(self: Tracker, *given: object) -> object:
        frames.append(1)
        if len(frames) > 20:
            raise KeyboardInterrupt
        return real(self, *given)

    monkeypatch.setattr(Tracker, "step", step)
    before = sorted(folder.iterdir())
    result = kinetune(*command, "-o", "out.bvh")
    assert result.exit_code == 130
    assert result.stderr == "kinetune: stopped.\n"
    assert len(frames) == 21
    assert sorted(folder.iterdir()) == before
