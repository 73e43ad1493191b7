"""What a recipe remembers from step to step."""

import pytest

from kinetune import Equalize, PlantFeet, Trim
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.measures import measure
from kinetune.recipes import Recipe
from kinetune.recipes.steps import Reached, take_step
from kinetune.samples import sample


@pytest.mark.slow
def test_feet_are_planted_as_they_stood_before_the_edits() -> None:
    run = sample("run")
    bare = run.replace(contacts=None)
    edited = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(bare)
    named = PlantFeet(like="before")(Equalize(preset="exaggerate", keep_feet=False)(bare), before=bare)
    assert (edited.rotations == named.rotations).all()
    found = measure(edited, ground=find_ground(run), contacts=run.contacts)
    assert found["foot_slide_mm"] < 2.0


def test_a_change_of_time_begins_a_new_stance() -> None:
    walk = sample("walk")
    start = Reached.start(walk)
    equalized = take_step(Equalize(preset="exaggerate"), start, {})
    assert equalized.stance is walk
    cut = take_step(Trim(start=20), equalized, {})
    assert cut.stance is cut.clip


def test_history_names_no_clip_that_nobody_gave() -> None:
    edited = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(sample("walk"))
    assert [dict(step) for step in edited.history] == [
        {"op": "equalize", "preset": "exaggerate", "keep_feet": False},  # the next step does that
        {"op": "plant_feet"},
    ]
    assert Recipe.from_history(edited).inputs == {}


def test_feet_are_planted_once_and_an_explicit_wish_is_kept() -> None:
    planted = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))
    assert planted.steps[0].keep_feet is False
    assert Recipe(steps=(Equalize(preset="exaggerate", keep_feet=True), PlantFeet())).steps[0].keep_feet is True
    assert Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()), off={1}).steps[0].keep_feet is True
    assert Recipe.parse(planted.text()) == planted


def test_a_history_that_says_nothing_of_feet_kept_none() -> None:
    clip = sample("walk").replace(history=({"op": "smooth", "cutoff_hz": 4.0},))
    assert Recipe.from_history(clip).steps[0].keep_feet is False
