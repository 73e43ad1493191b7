"""Which joint stands for which: found, written, edited and read."""

import os

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError, KinetuneError, MalformedFileError, ParameterError, UnknownNameError
from kinetune.retarget.bone_map import BoneMap, bone_map_of, find_bone_map, read_bone_map, write_bone_map
from kinetune.retarget.retargeting import retarget


def dog(prefix, size=1.0):
    """A body on four legs: hips, spine, head and four legs of two bones."""
    names, parents, offsets = ["hips", "spine", "head"], [-1, 0, 1], [(0, 0.5, 0), (0, 0, 0.5), (0, 0.1, 0.3)]
    for number, (above, x, z) in enumerate(((0, 0.1, 0), (0, -0.1, 0), (1, 0.1, 0), (1, -0.1, 0))):
        names += [f"leg{number}", f"paw{number}"]
        parents += [above, len(names) - 2]
        offsets += [(x, 0, z), (0, -0.45, 0)]
    return Skeleton(tuple(f"{prefix}_{name}" for name in names), parents, size * np.array(offsets, dtype=float))


def test_a_written_map_is_read_again(tmp_path):
    bones = find_bone_map(kt.sample("walk").skeleton, kt.sample("wave-fingers").skeleton)
    assert read_bone_map(write_bone_map(bones, tmp_path / "map.yaml")) == bones
    assert bones.bones["left index 1"][0] is None


def test_an_edited_map_leaves_a_role_out():
    walk, child = kt.sample("walk")[:30], kt.sample("walk-child")
    plain = retarget(walk, child, feet=False).clip
    without = retarget(walk, child, feet=False, bones=BoneMap({"left collar": (None, "LeftShoulder")})).clip
    collar = child.skeleton.roles["left collar"]
    assert not np.allclose(plain.rotations[:, collar], without.rotations[:, collar])
    others = [j for j in range(len(child.skeleton)) if j not in (collar, child.skeleton.roles["left upper arm"])]
    assert np.allclose(plain.rotations[:, others], without.rotations[:, others])


def test_bodies_on_four_legs_go_by_an_explicit_map_only():
    small, large = dog("a"), dog("b", 2.0)
    random = np.random.default_rng(1)
    turns = kt.rotations.exp(0.2 * random.normal(size=(20, len(small), 3)))
    clip = kt.Clip(small, 30.0, np.tile([0.0, 0.5, 0.0], (20, 1)), turns)
    with pytest.raises(KinetuneError, match="bone map"):
        retarget(clip, large)
    names = [name.removeprefix("a_") for name in small.names]
    bones = BoneMap({name: (f"a_{name}", f"b_{name}") for name in names})
    result = retarget(clip, large, bones=bones).clip
    assert np.allclose(result.positions(), 2.0 * clip.positions(), atol=1e-9)


@pytest.mark.parametrize("values", [3, {"hips": "Hips"}, {"hips": ["a", "b", "c"]}, {1: ["a", "b"]}, ["hips"]])
def test_what_is_no_map_is_refused(values):
    with pytest.raises(ParameterError, match="two joints"):
        bone_map_of(values)


def test_broken_yaml_and_unknown_joints_are_refused(tmp_path):
    file = tmp_path / "map.yaml"
    file.write_text("hips: [", encoding="utf-8")
    with pytest.raises(MalformedFileError, match="not valid YAML"):
        read_bone_map(file)
    with pytest.raises(UnknownNameError, match="Hipps"):
        retarget(kt.sample("walk"), kt.sample("walk-child"), bones=BoneMap({"hips": ("Hipps", "Hips")}))
    with pytest.raises(FileError, match="no such file"):
        read_bone_map(tmp_path / "missing.yaml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "map.yaml")
    with pytest.raises(FileError, match="not a plain file"):
        read_bone_map(tmp_path / "map.yaml")


def test_a_few_lines_that_stand_for_millions_are_refused(tmp_path):
    lines = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" if n else "a0: &a0 [x, y]" for n in range(12)]
    (tmp_path / "map.yaml").write_text("\n".join(lines))
    with pytest.raises(MalformedFileError, match="bone map"):
        read_bone_map(tmp_path / "map.yaml")
