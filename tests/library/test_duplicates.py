import shutil

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.errors import ParameterError
from kinetune.library import MotionIndex, build_index, find_duplicates
from kinetune.library.duplicates import group_copies
from tests.library.conftest import NAMES, make_library


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies")
    clips = {f"{name}.bvh": kt.sample(name) for name in NAMES}
    clips["wave-exported.glb"] = place(kt.sample("wave"), rot.about_y(1.0), (1.0, 0.0, 2.0))
    clips["kick-slow.bvh"] = kt.Retime(speed=0.8)(kt.sample("kick-1"))
    clips["walk-mirror.bvh"] = kt.Mirror()(kt.sample("walk"))
    clips["run-cut.bvh"] = kt.sample("run")[60:300]
    clips["sit-all.bvh"] = kt.Mirror()(kt.Retime(speed=1.25)(kt.sample("sit-and-drink")[60:350]))
    make_library(folder, clips)
    shutil.copy(folder / "reach-01.bvh", folder / "reach-01-copy.bvh")
    build_index(folder, jobs=1)
    return {(d.original, d.copy): d for d in find_duplicates(MotionIndex.open(folder))}


@pytest.mark.parametrize(
    ("original", "copy", "kinds"),
    [
        ("reach-01.bvh", "reach-01-copy.bvh", ("exact",)),
        ("wave.bvh", "wave-exported.glb", ("re-exported",)),
        ("kick-1.bvh", "kick-slow.bvh", ("retimed",)),
        ("walk.bvh", "walk-mirror.bvh", ("mirrored",)),
        ("run.bvh", "run-cut.bvh", ("trimmed",)),
        ("sit-and-drink.bvh", "sit-all.bvh", ("mirrored", "retimed", "trimmed")),
    ],
)
def test_each_kind_of_copy_is_found_and_named(copies, original, copy, kinds):
    found = copies.get((original, copy)) or copies[copy, original]
    assert found.kinds == kinds
    assert found.distance_cm < 0.5


def test_nothing_else_is_a_copy(copies):
    assert len(copies) == 6


def test_a_trimmed_copy_is_found_where_it_was(copies):
    cut = copies["sit-and-drink.bvh", "sit-all.bvh"]
    assert (cut.start_s, cut.stop_s) == (pytest.approx(1.0, abs=0.05), pytest.approx(349 / 60, abs=0.05))


@pytest.mark.slow
def test_two_performances_of_one_movement_are_no_copies(library):
    assert find_duplicates(library) == []


def test_copies_on_another_skeleton_are_found(tmp_path):
    index = make_library(tmp_path, {"wave.bvh": kt.sample("wave"), "rig.bvh": kt.sample("wave-rig")})
    assert [each.kinds for each in find_duplicates(index)] == [("re-exported",)]


def test_a_small_edit_is_no_copy(tmp_path):
    walk = kt.sample("walk")
    louder = kt.Equalize(gains=[1.0, 1.0, 1.0, 1.3, 1.3, 1.3], keep_feet=False)(walk)
    assert find_duplicates(make_library(tmp_path, {"walk.bvh": walk, "louder.bvh": louder})) == []


def test_two_poses_that_stand_still_are_no_copies(tmp_path):
    def still(frame, count):
        walk = kt.sample("walk")
        shape = walk.rotations[frame : frame + 1]
        return walk.replace(root=np.tile(walk.root[:1], (count, 1)), rotations=np.tile(shape, (count, 1, 1)))

    index = make_library(tmp_path, {"a.bvh": still(0, 60), "b.bvh": still(12, 60)})
    assert find_duplicates(index) == []


def test_copies_of_copies_are_one_group():
    from kinetune.library import Duplicate

    pairs = [("a", "b"), ("c", "d"), ("b", "e")]
    duplicates = [Duplicate(x, y, ("exact",), 0.0, 0.0, 1.0, 1.0) for x, y in pairs]
    assert group_copies(duplicates) == [["a", "b", "e"], ["c", "d"]]


@pytest.mark.slow
def test_the_limit_is_above_nothing(library):
    with pytest.raises(ParameterError, match="above 0"):
        find_duplicates(library, limit_cm=0.0)


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_processes_find_the_same(tmp_path, monkeypatch):
    walk = kt.sample("walk")
    index = make_library(tmp_path, {"walk.bvh": walk, "cut.bvh": walk[60:300], "run.bvh": kt.sample("run")})
    monkeypatch.setattr("kinetune.library.duplicates._ONE_JOB", 2)
    assert find_duplicates(index, jobs=2) == find_duplicates(index, jobs=1)
