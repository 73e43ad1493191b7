"""The clips that go to other programs: one of each kind that may make trouble, and real ones where they are."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.formats import gltf
from kinetune.formats.acclaim import amc
from kinetune.formats.format import ReadOptions
from tests.conftest import data_folder
from tests.formats import sample_clips


def made() -> dict[str, Clip]:
    """Clips made here, by name."""
    two = Skeleton(("a", "b", "c"), np.array([-1, 0, -1]), np.array([[0, 0, 0], [0, 0.5, 0], [1, 0, 0.0]]))
    turns = rot.exp(np.random.default_rng(0).uniform(-1, 1, (5, 3, 3)))
    one = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)))
    return {
        "plain": sample_clips.clip(),
        "everything": sample_clips.full_clip(),
        "one frame": sample_clips.clip(frames=1),
        "two roots": Clip(two, 60.0, np.zeros((5, 3)), turns),
        "one joint": Clip(one, 60.0, np.arange(9.0).reshape(3, 3), rot.identity(3, 1)),
    }


def real() -> dict[str, Path]:
    """Real files by name; none where the data is absent."""
    folder = data_folder()
    if folder is None:
        return {}
    recordings = [folder / "cmu_asfamc" / "02_01.amc", folder / "hdm05" / "HDM_bd_kickLFront1Reps_001_120.amc"]
    return {path.name: path for path in [*recordings, *sorted(folder.glob("gltf/*.glb"))]}


def load(name: str) -> Clip:
    """One of these clips, without its character: written from scratch."""
    if name not in real():
        return made()[name]
    path = real()[name]
    clip = (amc if path.suffix == ".amc" else gltf).read(path, ReadOptions())
    return clip.replace(source=replace(clip.source, layout=None))
