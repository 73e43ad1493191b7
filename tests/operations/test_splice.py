import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.operations.splice import Splice
from tests.operations import making


def test_the_public_form():
    first, second = kt.sample("kick-1"), kt.sample("kick-2")
    joined = kt.Splice(second="b", event="kick")(first, b=second)
    assert [m.name for m in joined.markers].count("kick") == 2
    assert joined.history[-1] == {"op": "splice", "second": "b", "event": "kick"}
    assert joined.same_motion(kt.splice(first, second, event="kick"))


def test_a_recipe_keeps_the_path_of_the_standing_foot_for_the_next_step():
    first, second = kt.sample("kick-1")[::2], kt.sample("kick-2")[::2]
    joined = Splice(second="b")(first, b=second)
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
