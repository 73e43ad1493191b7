"""kinetune reach, as a user types it."""

import json

import numpy as np
import pytest

import kinetune as kt
from tests.inverse.sets import clips


@pytest.fixture
def folder(tmp_path):
    for number, clip in enumerate(clips("reach")[::3]):
        kt.write(clip, tmp_path / f"reach_{number}.bvh")
    return tmp_path


@pytest.mark.slow
def test_the_embedded_reaches_meet_a_point(kinetune, tmp_path):
    done = kinetune("reach", "--joint", "RightHand", "--at", "-0.3,1.25,0.42", "-o", str(tmp_path / "out.bvh"))
    assert done.exit_code == 0, done.output
    assert "The target is met within" in done.output
    clip = kt.read(tmp_path / "out.bvh")
    assert np.linalg.norm(clip.joint("RightHand").positions[-1] - (-0.3, 1.25, 0.42)) < 1e-4


@pytest.mark.slow
def test_examples_from_files_as_json(kinetune, folder):
    target = kt.sample("reach-04").joint("RightHand").positions[-1]
    done = kinetune(
        "reach", "--examples", str(folder / "*.bvh"), "--joint", "right hand", "--at", ",".join(map(str, target)),
        "--frame", "-1", "--k", "4", "-o", str(folder / "out.glb"), "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    report = json.loads(done.output)
    assert report["reachable"]
    assert report["errors"][0]["unit"] == "mm"
    assert sum(report["weights"].values()) == pytest.approx(1.0)
    assert len(report["weights"]) == 6


@pytest.mark.slow
def test_line_and_facing(kinetune, tmp_path):
    done = kinetune(
        "reach", "--examples", "sample:pour-*", "--line", "-0.2,0,0.36,0,1,0", "--facing", "0,1,0", "--angle-deg", "40",
        "--axis", "y", "-o", str(tmp_path / "pour.bvh"), "--picture", str(tmp_path / "pour.png"), "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    report = json.loads(done.output)
    assert [e["unit"] for e in report["errors"]] == ["mm", "deg"]
    assert report["reachable"]
    assert (tmp_path / "pour.png").stat().st_size > 5000


@pytest.mark.slow
def test_out_of_reach_is_reported_first_and_refused_when_strict(kinetune, tmp_path):
    arguments = ["reach", "--at", "0,1.3,3", "-o", str(tmp_path / "far.bvh")]
    done = kinetune(*arguments)
    assert done.exit_code == 3
    assert done.stdout.startswith("The target is out of reach of these 16 examples")
    assert (tmp_path / "far.bvh").exists()
    report = json.loads(kinetune(*arguments, "--json").stdout)
    assert not report["reachable"]
    assert [finding["severity"] for finding in report["findings"]] == ["error"]
    (tmp_path / "far.bvh").unlink()
    done = kinetune(*arguments, "--strict")
    assert done.exit_code == 1
    assert "out of reach" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "far.bvh").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--at", "1,2"], 1, "at is too short: number 3 is missing"),
        ([], 2, "Give a target: --at"),
        (["--at", "nan,1,0"], 1, "finite"),
        (["--at", "0,1,0.4", "--joint", "Hnad"], 1, 'no joint or tip "Hnad"'),
        (["--at", "0,1,0.4", "--frame", "500"], 1, "no frame 500"),
        (["--at", "0,1,0.4", "--examples", "nothing/*.bvh"], 1, "there is no such file"),
        (["--at", "0,1,0.4", "--examples", "sample:walk", "--examples", "sample:run", "--no-align"], 1, "align"),
    ],
)
def test_wrong_input_is_one_sentence(kinetune, tmp_path, arguments, code, words):
    done = kinetune("reach", *arguments, "-o", str(tmp_path / "out.bvh"))
    assert done.exit_code == code
    assert words in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_several_targets_each_with_its_priority(kinetune, tmp_path):
    targets = "[{joint: RightHand, at: [-0.3, 1.25, 0.42]}, {joint: head, look_at: [0, 1, 2], priority: 0}]"
    drawn = tmp_path / "reach.png"
    done = kinetune(
        "reach", "--targets", targets, "--picture", str(drawn), "-o", str(tmp_path / "out.bvh"), "--json"
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert report["reachable"]
    assert [error["unit"] for error in report["errors"]] == ["mm", "deg"]
    assert report["errors"][0]["value"] < 0.05
    assert report["errors"][1]["value"] > 1.0
    assert drawn.stat().st_size > 10_000


@pytest.mark.slow
def test_files_are_examples_after_the_clip_itself(kinetune, folder):
    clips = [folder / f"reach_{number}.bvh" for number in range(6)]
    target = ",".join(map(str, kt.sample("reach-04").joint("RightHand").positions[-1]))
    goal = ("--joint", "RightHand", "--at", target, "--json")
    by_flag = [word for clip in clips[1:] for word in ("--others", clip)]
    runs = [
        kinetune("aim", clips[0], "-o", folder / "a.npz", *by_flag, *goal),
        kinetune("reach", clips[0], "-o", folder / "b.npz", "--examples", folder / "reach_[1-5].bvh", *goal),
        kinetune("reach", "-o", folder / "c.npz", "--examples", folder / "reach_*.bvh", *goal),
    ]
    weights = [json.loads(done.stdout)["weights"] for done in runs]
    assert weights[0] == weights[1] == weights[2]
    assert list(weights[0]) == [f"reach_{number}" for number in range(6)]


@pytest.mark.slow
def test_a_map_shows_where_the_examples_reach(kinetune, folder):
    arguments = ("--examples", folder / "*.bvh", "--at", "-0.3,1.25,0.42", "--map", folder / "map.png", "--json")
    report = json.loads(kinetune("reach", *arguments, "-o", folder / "out.npz").stdout)
    assert 0.0 < report["map"]["coverage"] <= 1.0
    assert (folder / "map.png").stat().st_size > 5000


def test_a_wrong_target_is_told(kinetune, tmp_path):
    done = kinetune("reach", "--targets", "[{joint: head}]", "-o", str(tmp_path / "out.bvh"))
    assert done.exit_code == 1
    assert "target 1 of --targets" in done.stderr
    assert "at, line, facing" in done.stderr
