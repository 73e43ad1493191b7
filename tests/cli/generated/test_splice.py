"""kinetune splice and kinetune filter-dynamics, as a user types them."""

import json

import pytest

import kinetune as kt
from kinetune.physics.filter.filtering import run_filter


def test_two_kicks_become_one_file(kinetune, tmp_path):
    done = kinetune("splice", "sample:kick-1", "sample:kick-2", "-o", tmp_path / "double.bvh", "--event", "kick")
    assert done.exit_code == 0
    clip = kt.read(tmp_path / "double.bvh")
    assert len(clip) > len(kt.sample("kick-1"))
    assert str(len(clip)) in done.stdout


def test_what_is_not_there_is_told_in_one_sentence(kinetune, tmp_path):
    done = kinetune("splice", "sample:kick-1", "sample:walk", "-o", tmp_path / "x.bvh", "--event", "kick")
    assert done.exit_code == 1
    assert "no kick is found in the second clip" in done.stderr
    assert not (tmp_path / "x.bvh").exists()


def test_a_missing_second_clip_is_wrong_usage(kinetune, tmp_path):
    assert kinetune("splice", "sample:kick-1", "-o", tmp_path / "x.bvh").exit_code == 2


@pytest.mark.slow
def test_a_clip_is_filtered(kinetune, tmp_path):
    kt.write(kt.sample("walk")[:60], tmp_path / "in.bvh")
    done = kinetune(
        "filter-dynamics",
        tmp_path / "in.bvh",
        "-o",
        tmp_path / "out.bvh",
        "--mode",
        "friction",
        "--mu",
        "0.8",
        "--json",
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout)["steps"] == [{"op": "filter_dynamics", "mu": 0.8}]
    assert len(kt.read(tmp_path / "out.bvh")) == 60


def test_two_frames_leave_no_file(kinetune, tmp_path):
    kt.write(kt.sample("walk")[:2], tmp_path / "in.bvh")
    done = kinetune("filter-dynamics", tmp_path / "in.bvh", "-o", tmp_path / "out.bvh")
    assert done.exit_code == 1
    assert "at least 4 frames" in done.stderr
    assert not (tmp_path / "out.bvh").exists()


def test_a_fall_is_told_with_its_frame(kinetune, tmp_path):
    kt.write(kt.sample("walk")[:90], tmp_path / "in.bvh")
    done = kinetune(
        "filter-dynamics", tmp_path / "in.bvh", "-o", tmp_path / "out.bvh", "--mu", "0", "--method", "filter"
    )
    assert done.exit_code == 3
    assert not (tmp_path / "out.bvh").exists()
    assert "The character falls" in done.output
    assert "frame " in done.output


@pytest.mark.slow
def test_both_files_are_read_alike(kinetune, tmp_path):
    for name in ("kick-1", "kick-2"):
        kt.write(kt.sample(name)[::2], tmp_path / f"{name}.bvh")
    files = tmp_path / "kick-1.bvh", tmp_path / "kick-2.bvh"
    frames = [
        kinetune("splice", *files, "-o", tmp_path / "x.bvh", "--event", "kick", "--json", "--force", *more).stdout
        for more in ((), ("--fps-in", "50"))
    ]
    plain, slow = (json.loads(told) for told in frames)
    assert (plain["fps"], slow["fps"]) == (60.0, 50.0)
    assert abs(plain["frames"] - slow["frames"]) < 20  # the second file is not taken to be faster than the first


@pytest.mark.slow
def test_the_settings_of_a_search_are_told(kinetune, tmp_path):
    kt.write(kt.sample("kick-1")[::2], tmp_path / "in.bvh")
    done = kinetune("filter-dynamics", tmp_path / "in.bvh", "-o", tmp_path / "out.bvh", "--search")
    assert done.exit_code == 0
    assert ("The settings" in done.stdout) == (run_filter(kt.sample("kick-1")[::2], search=True).attempt != "usual")


def test_the_command_is_listed_once(kinetune):
    listed = kinetune("--help").stdout
    assert sum(line.strip(" │").startswith("splice ") for line in listed.splitlines()) == 1
