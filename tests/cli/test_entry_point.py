"""The command as people start it: a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kinetune.formats import read
from tests.made_up import SMALL_BVH

RECIPE = """
version: 1
name: a calmer walk
steps:
  - op: resample
    fps: 30
  - op: smooth
    cutoff_hz: 8
    joints: [left arm, right arm]
"""


def kinetune(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kinetune", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@pytest.mark.slow
def test_a_story_from_a_sample_to_a_measured_result(tmp_path: Path) -> None:
    """Take a sample, smooth it, apply a recipe to it, and compare the three."""
    assert kinetune(tmp_path, "samples", "walk", "-o", "walk.bvh").returncode == 0
    smooth = kinetune(tmp_path, "smooth", "walk.bvh", "-o", "smooth.glb", "--cutoff-hz", "6", "--joints", "left arm")
    assert smooth.returncode == 0, smooth.stderr
    assert smooth.stdout.startswith("smooth.glb: ")
    assert smooth.stderr == ""
    (tmp_path / "calm.yaml").write_text(RECIPE)
    applied = kinetune(tmp_path, "apply", "calm.yaml", "smooth.glb", "-o", "calm.npz")
    assert applied.returncode == 0, applied.stderr
    assert [step["op"] for step in read(tmp_path / "calm.npz").history][-2:] == ["resample", "smooth"]
    measured = kinetune(tmp_path, "measure", "walk.bvh", "smooth.glb", "calm.npz", "--json")
    report = json.loads(measured.stdout)
    assert list(report) == ["walk.bvh", "smooth.glb", "calm.npz"]
    assert report["calm.npz"]["fps"] == 30
    assert sorted(p.name for p in tmp_path.iterdir()) == ["calm.npz", "calm.yaml", "smooth.glb", "walk.bvh"]


def test_a_mistake_is_one_sentence_without_a_traceback(tmp_path: Path) -> None:
    result = kinetune(tmp_path, "info", "walk.bvh")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("kinetune: walk.bvh: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_wrong_usage_is_exit_code_2(tmp_path: Path) -> None:
    assert kinetune(tmp_path, "info").returncode == 2
    assert kinetune(tmp_path, "nonsense").returncode == 2


@pytest.mark.slow
def test_help_lists_commands_and_operations(tmp_path: Path) -> None:
    shown = kinetune(tmp_path, "--help")
    assert shown.returncode == 0
    for name in (
        "info",
        "doctor",
        "convert",
        "apply",
        "measure",
        "samples",
        "operations",
        "smooth",
        "trim",
        "in-place",
    ):
        assert f" {name} " in shown.stdout


@pytest.mark.slow
def test_an_old_console_shows_what_it_can(tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").write_text(SMALL_BVH.replace("Spine", "Rücken→"), encoding="utf-8")
    result = kinetune(tmp_path, "info", "walk.bvh", PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr
    assert "R?cken?" in result.stdout
    assert kinetune(tmp_path, "--help", PYTHONIOENCODING="ascii").returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes close differently there")
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kinetune", "operations", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141
