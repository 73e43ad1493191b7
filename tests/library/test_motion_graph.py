import json

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import KinetuneError, ParameterError
from kinetune.library import Transition, find_transitions, transitions_between
from kinetune.library.motion_graph import _connected, graph_as_dict
from kinetune.recipes import Recipe
from tests.library.conftest import make_library


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    sit, walk = kt.sample("sit-and-drink"), kt.sample("walk")
    clips = {"a.bvh": sit[:340], "b.bvh": sit[200:], "walk.bvh": walk, "rig.bvh": kt.sample("wave-rig")}
    return make_library(tmp_path_factory.mktemp("halves"), clips)


@pytest.fixture(scope="module")
def graph(halves):
    return find_transitions(halves, limit_cm=15.0)


def test_a_clip_cut_in_two_passes_over_where_both_are_the_same(graph):
    passes = next(t for t in graph if (t.first, t.second) == ("a.bvh", "b.bvh"))
    assert passes.distance_cm < 1.0
    assert passes.leave_s - passes.enter_s == pytest.approx(200 / 60, abs=0.05)


def test_a_cycle_passes_into_itself_a_stride_later(graph):
    itself = next(t for t in graph if t.first == t.second == "walk.bvh")
    assert abs(itself.leave_s - itself.enter_s) >= 1.0
    assert itself.distance_cm < 6.0


def test_only_clips_with_the_same_joints_pass_into_each_other(graph):
    assert not [t for t in graph if "rig.bvh" in (t.first, t.second) and t.first != t.second]
    assert not [t for t in graph if {t.first, t.second} == {"a.bvh", "walk.bvh"}]


def test_the_step_of_a_transition_is_performed_by_splice(halves, graph):
    passes = next(t for t in graph if (t.first, t.second) == ("a.bvh", "b.bvh"))
    recipe = Recipe.parse(json.dumps({"inputs": {"b.bvh": None}, "steps": [passes.step()]}))
    first, second = (kt.read(halves.folder / name) for name in ("a.bvh", "b.bvh"))
    joined = kt.run(recipe, first, {"b.bvh": second}).clip
    expected = passes.leave_s + second.duration - passes.enter_s
    assert joined.duration == pytest.approx(expected, abs=0.03)
    fastest = [
        np.linalg.norm(np.diff(clip.positions(), axis=0), axis=2).max() * clip.fps for clip in (joined, first, second)
    ]
    assert fastest[0] < 1.1 * max(fastest[1:]), "no joint jumps where they meet"


def test_two_clips_alone_have_the_transition_that_the_library_finds(halves, graph):
    passes = next(t for t in graph if (t.first, t.second) == ("a.bvh", "b.bvh"))
    first, second = (kt.read(halves.folder / name) for name in ("a.bvh", "b.bvh"))
    best, *others = transitions_between(first, second, names=("a.bvh", "b.bvh"), limit_cm=15.0, count=3)
    assert (best.leave_s, best.enter_s) == pytest.approx((passes.leave_s, passes.enter_s), abs=1e-6)
    assert best.distance_cm == pytest.approx(passes.distance_cm, abs=0.01)
    for other in others:
        assert other.distance_cm >= best.distance_cm
        assert max(abs(other.leave_s - best.leave_s), abs(other.enter_s - best.enter_s)) > 0.8
    with pytest.raises(KinetuneError, match="different joints"):
        transitions_between(first, kt.sample("wave-rig"))


def test_dead_ends_are_marked():
    there_and_back = [Transition("a", "b", 2.0, 1.0, 1.0), Transition("b", "a", 3.0, 0.5, 1.0)]
    lost = Transition("a", "c", 1.5, 0.0, 1.0)
    assert [t.connected for t in _connected([*there_and_back, lost])] == [True, True, False]
    too_late = [Transition("a", "b", 2.0, 1.0, 1.0), Transition("b", "a", 0.5, 0.5, 1.0)]
    assert not any(t.connected for t in _connected(too_late))


def test_no_more_than_asked_for_and_best_first(halves):
    for first in {t.first for t in find_transitions(halves, limit_cm=60.0)}:
        out = [t for t in find_transitions(halves, limit_cm=60.0, per_clip=2) if t.first == first]
        assert 1 <= len(out) <= 2
        assert [t.distance_cm for t in out] == sorted(t.distance_cm for t in out)


def test_the_graph_is_json(halves, graph):
    plain = json.loads(json.dumps(graph_as_dict(halves, graph, 15.0)))
    assert [clip["name"] for clip in plain["clips"]] == ["a.bvh", "b.bvh", "rig.bvh", "walk.bvh"]
    assert plain["transitions"][0]["step"]["op"] == "splice"


def test_bad_limits_are_refused(halves):
    with pytest.raises(ParameterError, match="above 0"):
        find_transitions(halves, limit_cm=0.0)


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_processes_find_the_same(halves, graph, monkeypatch):
    monkeypatch.setattr("kinetune.library.motion_graph._ONE_JOB", 2)
    assert find_transitions(halves, limit_cm=15.0, jobs=2) == graph
