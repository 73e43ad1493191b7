"""A motion on another body, as an operation."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import RecipeError, SkeletonMismatchError
from tests.conftest import data_folder
from tests.operations import making

FIGURE = (data_folder() or Path()) / "gltf2" / "RiggedFigure.glb"


def test_a_clip_a_skeleton_a_name_and_a_sample_name_the_same_character():
    walk, child = kt.sample("walk")[:40], kt.sample("walk-child")
    results = [
        kt.Retarget(to=child)(walk),
        kt.Retarget(to="sample:walk-child")(walk),
        kt.Retarget(to="kid")(walk, kid=child),
    ]
    assert all(result.skeleton == child.skeleton for result in results)
    assert all(np.array_equal(result.rotations, results[0].rotations) for result in results)
    assert kt.Retarget(to=child.skeleton)(walk).skeleton == child.skeleton


def test_its_own_skeleton_is_copied_bit_for_bit():
    walk = kt.sample("walk")
    assert kt.Retarget(to=kt.sample("run"))(walk) is walk


def test_a_file_is_read(tmp_path):
    target = tmp_path / "child.bvh"
    kt.write(kt.sample("walk-child"), target)
    result = kt.Retarget(to=target)(kt.sample("walk")[:30])
    assert result.skeleton.names == kt.sample("walk-child").skeleton.names
    assert kt.read(kt.write(result, tmp_path / "out.bvh")).same_motion(result, 1e-4)


def test_the_history_and_a_pickle_hold_it():
    step = kt.Retarget(to=kt.sample("walk-child"))
    result = pickle.loads(pickle.dumps(step))(kt.sample("walk")[:20])
    assert result.history[-1]["op"] == "retarget"
    assert json.loads(json.dumps(result.history))


def test_a_name_without_a_clip_is_asked_for():
    with pytest.raises(RecipeError, match='needs the clip "hero"'):
        kt.Retarget(to="hero")(kt.sample("walk"))


def test_a_chain_is_refused_with_one_message():
    with pytest.raises(SkeletonMismatchError, match="no joint in the role"):
        kt.Retarget(to="sample:walk-child")(making.pendulums())


@pytest.mark.skipif(not FIGURE.exists(), reason="no glTF characters here: set KINETUNE_DATA")
def test_a_character_file_of_another_skeleton_keeps_its_mesh(tmp_path):
    motion, hero = kt.sample("walk")[:30], kt.read(FIGURE)
    with pytest.warns(UserWarning, match="was retargeted"):
        first = kt.write(motion, tmp_path / "a.glb", character=FIGURE)
    second = kt.run(kt.Retarget(to=FIGURE), motion, target=tmp_path / "b.glb").target
    for file in (first, second):
        again = kt.read(file)
        assert again.skeleton.names == hero.skeleton.names
        assert again.source.layout.contents == hero.source.layout.contents
        assert len(again) == 30
