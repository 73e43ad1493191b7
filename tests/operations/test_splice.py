import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.operations.splice import Splice
from kinetune.recipes import Recipe
from tests.operations import making


def test_the_public_form():
    first, second = kt.sample("kick-1"), kt.sample("kick-2")
    joined = kt.Splice(second="b", event="kick", keep_feet=False)(first, b=second)
    assert [m.name for m in joined.markers].count("kick") == 2
    assert joined.history[-1] == {"op": "splice", "second": "b", "event": "kick", "keep_feet": False}
    assert joined.same_motion(kt.splice(first, second, event="kick"))


def test_a_recipe_keeps_the_path_of_the_standing_foot_for_the_next_step():
    first, second = kt.sample("kick-1")[::2], kt.sample("kick-2")[::2]
    recipe = Recipe(inputs={"b": None}, steps=(Splice(second="b"), kt.FilterDynamics()))
    joined = recipe.steps[0](first, b=second)
    assert joined.stance_path.shape == (len(joined), 2, 3)


def test_a_kick_that_is_not_there_is_named():
    with pytest.raises(ParameterError, match="no kick is found in the second clip"):
        Splice(second="b", event="kick")(kt.sample("kick-1"), b=kt.sample("walk"))


def test_other_joints_are_refused():
    with pytest.raises(SkeletonMismatchError):
        Splice(second="b")(making.walker(), b=making.pendulums())


def test_the_seed_matters_and_repeats():
    first, second = kt.sample("kick-1")[::2], kt.sample("kick-2")[::2]
    a, b, c = (Splice(second="b", seed=seed)(first, b=second) for seed in (1, 1, 2))
    assert np.array_equal(a.rotations, b.rotations)
    assert len(a) != len(c) or not np.allclose(a.rotations, c.rotations)


def test_feet_that_stand_at_the_seam_do_not_slide(shared_data):
    first, second = (kt.read(shared_data / "cmu" / f"{name}.bvh") for name in ("104_11", "104_12"))
    bare, kept = (Splice(second="b", keep_feet=keep)(first, b=second) for keep in (False, True))
    seam = bare.seam.first_frame
    worst = {}
    for name, clip in (("bare", bare), ("kept", kept)):
        for side in kept.contacts.sides:
            ball = clip.joint(f"{side} toes").positions[:, [0, 2]]
            runs = [run for run in kept.contacts.intervals(side) if run[0] < seam < run[1]]
            worst[name] = max([worst.get(name, 0.0), *(np.ptp(ball[a + 6 : b - 6], axis=0).max() for a, b in runs)])
    assert worst["bare"] > 0.03
    assert worst["kept"] < 0.005


def test_a_recipe_that_filters_next_leaves_the_feet_to_the_filter():
    steps = Recipe(inputs={"b": None}, steps=(Splice(second="b"), kt.FilterDynamics())).steps
    assert steps[0].keep_feet is False
