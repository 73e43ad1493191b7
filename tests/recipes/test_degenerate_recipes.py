"""Recipes on what is hardly a motion: few frames, nothing that moves, keys out of range, clips of other figures.

Each gives a sound clip or one sentence that says what is wrong.
"""

import numpy as np
import pytest

from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError, RecipeError
from kinetune.recipes import Recipe
from tests.operations import making

FEW = {f"{n} frames": (lambda n=n: making.walker(n)) for n in (1, 2, 3, 4)}
CLIPS = {**FEW, "nothing moves": lambda: making.constant(40)}
made = pytest.mark.parametrize("make", CLIPS.values(), ids=CLIPS.keys())

SOUND = [
    "{op: equalize, gains: [2, 0, -1]}",
    '{op: equalize, gains: {"9": 3}}',
    "{op: equalize, preset: exaggerate, ends: cycle}",
    "{op: equalize, solo: [9]}",
    '{op: equalize, gain_keys: {"1": [[0, 1], [500, 3]], "30": [[7, 2]]}}',
    "{op: equalize, preset: nervous, amount_keys: [[7, 1], [9, 2]]}",
    "{op: equalize, gains: [2], target: paths}",
    "{op: equalize, gains: [2], representation: euler, root: all}",
    "{op: align, to: other}",
    "{op: align, to: other, find: true}",
    "{op: align, to: other, cost: sederberg, amount: 0.5, form: paper}",
    "{op: align, to: other, band_s: 0.001}",
    "{op: blend, other: other, weight: -2}",
    "{op: blend, other: other, weight_keys: [[0, 0], [99, 1]]}",
    '{op: blend, other: other, bands: {"30": 1}}',
    "{op: blend, other: other, align: scale, timing: 1}",
    "{op: blend, other: other, align: none}",
    "{op: blend, other: source}",
    "{op: shape, curve: cap}",
    "{op: shape, curve: undulate, axes: [x], normalise: degrees}",
    "{op: shape, curve: quantize, representation: euler, root: all}",
    "{op: displace, keys: [{frame: -1, joint: Hips, move: [0, 0.1, 0]}]}",
    "{op: displace, keys: [{frame: 0, joint: left hand, move: [0, 9, 0]}], unreachable: nearest, falloff_s: 0.001}",
    "{op: plant_feet}",
    "{op: plant_feet, like: other}",
    "{op: limit}",
    "{op: keep_above_floor, lift: figure, floor_m: 3}",
    "{op: reduce_keys, tolerance_mm: 0, keys: shared}",
    "{op: smooth, method: gaussian, sigma_s: 10}",
    "{op: retime, speed: 100}",
    "{op: retime, duration_s: 0.0001}",
    "{op: resample, fps: 0.001}",
    "{op: loop, cycle: whole, cycles: 3}",
    "{op: mirror}",
    "{op: in_place}",
    "{op: splice, second: other, window_s: 10, choice: 99}",
    "{op: arrange, clips: [other], fade_s: 1000}",
]
TOLD = {
    "{op: blend, others: [other], weights: [1, -1]}": "step 1: blend: the weights sum to 0, so that nothing would be",
    "{op: blend, other: other, groups: {arms: [0, 0]}}": "step 1: blend: the weights sum to 0",
    '{op: blend, other: other, bands: {"2": [1, -1]}}': "step 1: blend: the weights sum to 0",
    "{op: blend, other: other, weight_keys: [[0, 1, -1], [1, 1, 1]]}": "step 1: blend: the weights sum to 0",
    "{op: blend, other: other, weight_keys: [[1, 0], [0, 1]]}": "step 1: blend: keys follow each other in time",
    "{op: blend, others: [other], weights: [1]}": "step 1: blend: a mix of 2 clips takes 2 weights",
    '{op: equalize, gain_keys: {"3": [[-5, 1]]}}': 'step 1: equalize: time of key 1 of "3" in gain_keys is -5',
    "{op: displace, keys: [{frame: 99, joint: Hips, move: [0, 1, 0]}]}": "displace: key 1 of keys is at frame 99, but",
    "{op: displace, keys: [{time_s: 5, joint: Hips, euler: [9, 0, 0]}]}": "displace: key 1 of keys is at 5 s, but the",
    "{op: displace, keys: [{frame: 0, joint: left hand, move: [0, 9, 0]}]}": 'displace: the position for "LeftHand" at',
    "{op: limit, limits: [{joint: Hips, x: [10, -10]}]}": "step 1: limit: limit 1 of limits is",
    "{op: retime, keys: [[0, 0], [5, 50]]}": "retime: the last key asks for 50 s, but the clip ends at",
    "{op: retime, keys: [[0, 0], [0, 1]]}": "step 1: retime: the key (0, 1) does not follow (0, 0)",
    "{op: trim, start: 50}": "trim: nothing is left between frame 50 and",
    "{op: trim, start_s: 9, end_s: 2}": "trim: nothing is left between",
}  # fmt: skip


def apply(step: str, clip: Clip, other: Clip | None = None) -> Clip:
    inputs = {} if other is None else {"other": other}
    return Recipe.parse(f"inputs: [{', '.join(inputs)}]\nsteps: [{step}]", where="odd.yaml")(clip, **inputs)


@pytest.mark.parametrize("step", SOUND)
@made
def test_the_result_is_sound(step, make):
    clip = make()
    edited = apply(step, clip, making.walker(40) if "other" in step else None)
    assert len(edited) >= 1
    assert np.isfinite(edited.root).all()
    np.testing.assert_allclose(np.linalg.norm(edited.rotations, axis=-1), 1.0, atol=1e-9)


@pytest.mark.parametrize(("step", "words"), TOLD.items(), ids=TOLD.keys())
@made
def test_what_cannot_be_is_told_in_one_sentence(step, words, make):
    with pytest.raises(KinetuneError) as told:
        apply(step, make(), making.walker(40) if "other" in step else None)
    sentence = str(told.value).removeprefix("odd.yaml, ")
    assert sentence.startswith(words)
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize(
    "step", ["equalize, gains: [3, -2]", "smooth", "shape, curve: undulate", "limit", "plant_feet"]
)
def test_a_figure_that_stands_still_goes_on_standing_still(step):
    edited = apply(f"{{op: {step}}}", making.constant(40))
    np.testing.assert_allclose(
        edited.positions(), np.broadcast_to(edited.positions()[:1], edited.positions().shape), atol=1e-9
    )


@pytest.mark.parametrize(
    "step",
    [
        "align, to: other",
        "blend, other: other",
        "plant_feet, like: other",
        "splice, second: other",
        "arrange, clips: [other]",
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_clips_of_another_skeleton_are_refused(step, swapped):
    pair = making.walker(20), making.pendulums(20)
    clip, other = pair[::-1] if swapped else pair
    with pytest.raises(KinetuneError, match=r"skeleton.*\.$") as told:
        apply(f"{{op: {step}}}", clip, other)
    assert not isinstance(told.value, RecipeError)


def test_a_recipe_names_the_step_that_failed():
    steps = "{op: mirror}, {op: trim, start: 50}"
    with pytest.raises(RecipeError, match=r"^step 2: trim: nothing is left between frame 50 and frame 4\."):
        apply(steps, making.walker(4))
