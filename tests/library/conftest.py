"""A small library of motion for all tests of this folder, indexed once."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from kinetune.body.clip import Clip
from kinetune.formats import write
from kinetune.library import MotionIndex, build_index
from kinetune.samples import sample

NAMES = ("walk", "walk-sad", "run", "wave", "sit-and-drink", "kick-1", "reach-01", "reach-09")


def make_library(folder: Path, clips: Mapping[str, Clip]) -> MotionIndex:
    """Write clips into a folder and index it in this process."""
    for name, clip in clips.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(clip, path)
    build_index(folder, jobs=1)
    return MotionIndex.open(folder)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> MotionIndex:
    """Some of the samples, one each."""
    folder = tmp_path_factory.mktemp("library")
    return make_library(folder, {f"{name}.bvh": sample(name) for name in NAMES})
