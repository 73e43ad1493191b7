import numpy as np
import pytest

from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.measures import measure
from kinetune.errors import ParameterError, RecipeError
from kinetune.operations.base import collecting_results
from kinetune.operations.plant_feet import PlantFeet
from kinetune.recipes import Recipe
from tests.body.feet.test_planting import exaggerated, skating
from tests.operations import making


def slide(clip, like):
    return measure(clip, ground=find_ground(like))["foot_slide_mm"]


def test_a_skating_walk_stands():
    walk = making.walker()
    edited = skating(walk).replace(contacts=walk.contacts)
    assert slide(edited, walk) > 20.0
    assert slide(PlantFeet()(edited), walk) < 1.0


def test_the_clip_before_the_edit_tells_when_feet_stand():
    walk = making.walker()
    edited = exaggerated(walk)
    assert edited.contacts is None
    planted = PlantFeet(like="before")(edited, before=walk)
    assert planted.contacts == walk.contacts
    assert slide(planted, walk) < 1.0
    with pytest.raises(RecipeError, match="before"):
        PlantFeet(like="before")(edited)


def test_knobs_reach_the_mathematics():
    walk = making.walker()
    edited = skating(walk).replace(contacts=walk.contacts)
    whole = PlantFeet()(edited)
    assert slide(PlantFeet(amount=0.5)(edited), walk) > 10.0
    assert np.array_equal(PlantFeet(pelvis_m=0.0)(edited).root, edited.root)
    assert not PlantFeet(blend_s=0.02)(edited).same_motion(whole)
    assert not PlantFeet(floor_m=0.01)(edited).same_motion(whole)
    assert PlantFeet(travel=1.0)(edited).root[-1, 2] < whole.root[-1, 2] - 0.05
    left = PlantFeet(feet="left", pelvis_m=0.0)(edited)
    right = list(walk.skeleton.select("right leg"))
    assert np.array_equal(left.rotations[:, right], edited.rotations[:, right])


def test_a_figure_without_feet_is_refused_in_one_sentence():
    with pytest.raises(ParameterError, match="No feet can be planted"):
        PlantFeet()(making.pendulums())


def test_in_a_recipe_source_is_the_clip_that_it_is_run_on():
    text = "steps:\n  - op: smooth\n    cutoff_hz: 2\n  - op: plant_feet\n    like: source\n"
    recipe = Recipe.parse(text)
    assert recipe.inputs_needed() == ()
    walk = making.walker()
    smooth, planted = recipe.stepwise(walk, {})
    assert planted.same_motion(PlantFeet(like="source")(smooth, source=walk))
    assert recipe(walk).same_motion(planted)
    again = Recipe.from_history(planted)
    assert not again.inputs
    assert again(walk).same_motion(planted)


def test_source_cannot_be_declared():
    with pytest.raises(RecipeError, match='"source" is always the clip'):
        Recipe.parse("inputs:\n  source: walk.bvh\nsteps: []\n")


def test_contacts_that_do_not_fit_the_motion_are_reported():
    walk = making.walker()
    always = Contacts(walk.contacts.joints, np.ones_like(walk.contacts.flags), sides=walk.contacts.sides)
    with collecting_results() as results:
        PlantFeet()(walk.replace(contacts=always))
    assert [finding.kind for finding in results] == ["contacts-misfit"]
    with collecting_results() as results:
        PlantFeet()(walk)
    assert results == []
