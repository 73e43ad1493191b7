"""The part of a clip that an operation changes: eased ends, and nothing outside."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.quality.measures import measure
from kinetune.errors import ParameterError
from kinetune.operations import OPERATIONS
from kinetune.operations._region import Region
from tests.operations import making
from tests.operations.test_conformance import tried

REGION = {"start_s": 0.4, "stop_s": 1.1, "ease_s": 0.2}


@pytest.mark.parametrize("tag", [tag for tag, operation in OPERATIONS.items() if not operation.slow])
def test_every_operation_leaves_the_frames_outside_its_region_to_the_bit_or_says_that_it_takes_none(tag):
    walk = making.jittery(making.walker(91, 60.0, drift=0.05))
    edited = tried(OPERATIONS[tag](**{**OPERATIONS[tag].example().model_dump(), "region": REGION}), walk)
    outside = Region(**REGION).shares(91, 60.0) == 0.0
    assert (edited is not None) == OPERATIONS[tag].takes_region
    if edited is not None:
        assert np.array_equal(edited.rotations[outside], walk.rotations[outside])
        assert np.array_equal(edited.root[outside], walk.root[outside])


def test_the_middle_of_a_region_is_the_edit_of_the_whole_clip():
    walk = kt.sample("walk")
    settings = {"gains": [2.0, 2.0], "keep_feet": False, "limit_knees": False}
    part, whole = kt.Equalize(**settings, region=REGION)(walk), kt.Equalize(**settings)(walk)
    middle = Region(**REGION).shares(len(walk), walk.fps) == 1.0
    assert middle.any()
    np.testing.assert_allclose(part.positions()[middle], whole.positions()[middle], atol=1e-12)


@pytest.mark.parametrize("stop_s", [1.1, 0.5])
def test_a_region_eases_in_and_out_without_a_jump(stop_s):
    share = Region(start_s=0.4, stop_s=stop_s).shares(2001, 1000.0)
    assert share.max() == pytest.approx(1.0, abs=1e-6)
    assert np.abs(np.diff(share)).max() < 0.05
    assert not share[:401].any()
    assert not share[round(1000 * stop_s) :].any()


def test_feet_stand_in_and_around_a_region():
    walk = kt.sample("walk")
    edited = kt.Equalize(preset="exaggerate", region={"start_s": 1.0, "stop_s": 3.0})(walk)
    assert measure(edited)["foot_slide_mm"] < 5.0


def test_a_region_is_written_in_the_recipe():
    recipe = kt.Recipe(steps=[kt.Smooth(cutoff_hz=4, region=REGION)])
    again = kt.Recipe.parse(recipe.text())
    assert again.steps == recipe.steps
    assert again.steps[0].region == Region(**REGION)


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        (kt.Resample(fps=20, region=REGION), "timing"),
        (kt.Reinterpret(scale=2.0, region=REGION), "bones"),
        (kt.Smooth(region={"start_s": 1e5, "stop_s": 2e5}), "the clip lasts"),
    ],
)
def test_what_a_region_cannot_do_is_said(operation, says):
    with pytest.raises(ParameterError, match=says):
        operation(making.walker(91, 60.0))


def test_a_region_that_ends_before_it_begins_is_refused():
    with pytest.raises(ParameterError, match="not after its start"):
        kt.Smooth(region={"start_s": 2.0, "stop_s": 1.0})
