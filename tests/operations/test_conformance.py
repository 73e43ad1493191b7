"""What every operation promises, checked for all in the registry: a new one is tested as soon as it exists."""

import inspect
import json
import pickle
import re
import types
from pathlib import Path
from typing import Annotated, Union, get_args, get_origin

import numpy as np
import pytest
from annotated_types import Ge, Gt, Le, Lt

import kinetune
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError, ParameterError, UnknownNameError
from kinetune.operations import OPERATIONS, find_operation
from kinetune.operations.base import MovesFeet
from tests.operations import making

REPOSITORY = Path(__file__).parents[2]


def each(chosen=lambda operation: True):
    """Run a test for every operation, or for those of which something is true."""
    found = [operation for operation in OPERATIONS.values() if chosen(operation)]
    return pytest.mark.parametrize("operation", found, ids=[operation.tag() for operation in found])


ALL = each()

CLIPS = {
    "walk": lambda: making.walker(91, 60.0),
    "chain": making.pendulums,
    "near pi": making.near_pi,
    "constant": making.constant,
    "two roots": making.two_roots,
    "still root": lambda: making.still_root(91),
}
TINY = {
    f"{name}, {frames} frames": (lambda make=make, frames=frames: make(frames))
    for name, make in {"walk": making.walker, "chain": making.pendulums, "constant": making.constant}.items()
    for frames in (1, 2, 3, 4)
}
MADE = pytest.mark.parametrize("make", CLIPS.values(), ids=CLIPS.keys())


def apply(step, clip):
    """The operation on a clip; every other clip that it asks for is a shorter, slower version of the same one."""
    return step(clip, **{name: other_of(clip) for name in step.inputs_needed()})


def other_of(clip):
    return clip[: max(1, (2 * len(clip)) // 3)] if len(clip) > 1 else clip


def tried(step, clip):
    """What comes out, or None when the operation refuses the clip with one sentence for its user."""
    try:
        return apply(step, clip)
    except KinetuneError as refusal:
        words = str(refusal)
    assert is_sentence(words), f"not one sentence for a user: {words}"
    return None


def is_sentence(text):
    return bool(text.strip()) and "\n" not in text and text.rstrip().endswith((".", "?", '"', ")")) and len(text) < 600


# --- the edit


@ALL
@MADE
def test_neutral_knobs_change_nothing(operation, make):
    clip = make()
    result = tried(operation.neutral(), clip)
    assert result is None or result.same_motion(clip)


@ALL
def test_neutral_knobs_work_on_a_walk(operation):
    assert apply(operation.neutral(), making.walker()).same_motion(making.walker())


@ALL
def test_the_example_changes_a_walk(operation):
    walk = making.jittery(making.walker(drift=0.05))
    assert not apply(operation.example(), walk).same_motion(walk)


@ALL
def test_the_input_is_untouched(operation):
    clip, twin = making.walker(drift=0.05), making.walker(drift=0.05)
    apply(operation.example(), clip)
    assert np.array_equal(clip.rotations, twin.rotations)
    assert np.array_equal(clip.root, twin.root)
    assert clip.skeleton == twin.skeleton
    assert (clip.contacts, clip.markers, clip.history, clip.source) == (
        twin.contacts,
        twin.markers,
        twin.history,
        twin.source,
    )


@ALL
@MADE
def test_the_result_is_a_sound_clip(operation, make):
    result = tried(operation.example(), make())
    if result is None:
        return
    assert np.isfinite(result.positions()).all()
    assert np.allclose(np.linalg.norm(result.rotations, axis=-1), 1.0, atol=1e-9)
    assert result.contacts is None or len(result.contacts) == len(result)
    assert all(0 <= marker.frame < len(result) for marker in result.markers)


@ALL
def test_the_same_edit_gives_the_same_bits(operation):
    first, second = (apply(operation.example(), making.walker(drift=0.05)) for _ in range(2))
    assert np.array_equal(first.rotations, second.rotations)
    assert np.array_equal(first.root, second.root)


@ALL
@pytest.mark.parametrize("make", TINY.values(), ids=TINY.keys())
def test_tiny_clips_work_or_are_refused_in_one_sentence(operation, make):
    result = tried(operation.example(), make())
    assert result is None or np.isfinite(result.positions()).all()


@pytest.mark.slow
@each(lambda operation: operation.commutes_with_turns)
@pytest.mark.parametrize("radians", [0.7, np.pi, -2.5])
def test_turning_the_scene_commutes_with_the_edit(operation, radians):
    clip, step = making.walker(drift=0.05), operation.example()
    others = {name: other_of(clip) for name in step.inputs_needed()}
    before = step(making.turned(clip, radians), **{n: making.turned(c, radians) for n, c in others.items()})
    after = making.turned(step(clip, **others), radians)
    assert before.same_motion(after, 1e-6)


@each(lambda operation: not operation.commutes_with_turns)
def test_only_an_edit_that_names_the_world_may_opt_out(operation):
    """The other half of the law above."""
    clip, step = making.walker(drift=0.05), operation.example()
    others = {name: other_of(clip) for name in step.inputs_needed()}
    before = step(making.turned(clip, 0.7), **{n: making.turned(c, 0.7) for n, c in others.items()})
    assert not before.same_motion(making.turned(step(clip, **others), 0.7), 1e-6)


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("name", ["walk", "chain", "near pi"])
def test_the_sign_of_quaternions_does_not_matter(operation, name):
    clip, step = CLIPS[name](), operation.example()
    plain, signed = tried(step, clip), tried(step, making.with_random_signs(clip))
    assert (plain is None) == (signed is None)
    assert plain is None or plain.same_motion(signed, 1e-6)


@ALL
def test_the_edit_is_noted_in_the_history(operation):
    earlier = {"op": "trim", "start": 3}
    clip = making.jittery(making.walker(drift=0.05)).replace(history=(earlier,))
    step = operation.example()
    history = apply(step, clip).history
    assert history == (earlier, step.as_step())
    assert json.loads(json.dumps(history)) == list(history)


# --- the knobs


@ALL
def test_json_round_trip(operation):
    for step in (operation.example(), operation.neutral()):
        words = json.loads(json.dumps(step.as_step()))
        assert find_operation(words.pop("op"))(**words) == step
        assert operation.model_validate_json(step.model_dump_json()) == step


@ALL
def test_pickle_round_trip_and_hash(operation):
    for step in (operation.example(), operation.neutral()):
        again = pickle.loads(pickle.dumps(step))
        assert again == step
        assert hash(again) == hash(step)


@ALL
def test_knobs_cannot_be_changed_in_place(operation):
    step = operation.example()
    for name in operation.parameters():
        with pytest.raises(ValueError, match="frozen"):
            setattr(step, name, getattr(step, name))


@ALL
def test_every_knob_has_a_sentence_and_a_unit(operation):
    for name, info in operation.parameters().items():
        words = info.description or ""
        assert re.fullmatch(r"[A-Z].*\.", words), f"{name}: a sentence with a capital and a full stop, not {words!r}"
        assert isinstance(info.json_schema_extra, dict), f"{name}: declare it with parameter()"
        assert isinstance(info.json_schema_extra["unit"], str)


@ALL
def test_every_number_has_a_unit_and_bounds(operation):
    for name, info in operation.parameters().items():
        if not {int, float} & set(kinds(info.annotation)):
            continue
        bounds = [m for m in info.metadata if isinstance(m, Ge | Gt | Le | Lt)]
        assert any(isinstance(m, Ge | Gt) for m in bounds), f"{name} has no lower bound"
        assert any(isinstance(m, Le | Lt) for m in bounds), f"{name} has no upper bound"
        assert info.json_schema_extra["unit"], f'{name}: the unit of a pure number is "1"'


def kinds(annotation):
    """The plain types that an annotation allows, bool apart from int."""
    if get_origin(annotation) is Annotated:
        return kinds(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [kind for part in get_args(annotation) for kind in kinds(part)]
    return [annotation]


@ALL
def test_an_unknown_knob_offers_the_nearest(operation):
    name = next(iter(operation.parameters()))
    with pytest.raises(ParameterError, match=f'Did you mean "{name}"'):
        operation(**{name + "x": 1})


@each(lambda operation: "joints" in operation.parameters())
def test_an_unknown_joint_offers_the_nearest(operation):
    step = operation(**{**operation.example().model_dump(exclude={"op"}), "joints": "LeftFoott"})
    with pytest.raises(UnknownNameError, match="LeftFoot"):
        apply(step, making.walker())


@ALL
def test_a_missing_clip_is_named(operation):
    step = operation.example()
    for name in step.inputs_needed():
        with pytest.raises(KinetuneError, match=name):
            step(making.walker(), **{other: making.walker() for other in step.inputs_needed() if other != name})


# --- one word in six places


@ALL
def test_class_file_tag_command_docs_and_test_agree(operation):
    tag = operation.tag()
    words = tag.split("_")
    assert operation.__name__ == "".join(word.capitalize() for word in words)
    assert operation.__module__ == f"kinetune.operations.{tag}"
    assert operation is getattr(kinetune, operation.__name__)
    assert operation.__name__ in kinetune.__all__
    page = REPOSITORY / "docs" / "operations" / f"{tag}.md"
    assert page.read_text(encoding="utf-8").startswith("# ")
    assert f"kinetune {tag.replace('_', '-')} " in page.read_text(encoding="utf-8"), "the page shows the command"
    assert f"op: {tag}" in page.read_text(encoding="utf-8"), "the page shows a recipe"
    assert (Path(__file__).parent / f"test_{tag}.py").is_file()


@ALL
def test_the_docstring_begins_with_a_sentence_for_animators(operation):
    assert re.fullmatch(r"[A-Z].{10,110}\.", operation.summary())
    assert operation.apply.__doc__


@ALL
def test_apply_takes_a_clip_and_inputs(operation):
    assert list(inspect.signature(operation.apply).parameters) == ["self", "clip", "inputs"]


# --- the suite itself


def test_the_suite_sees_every_file():
    folder = Path(inspect.getfile(find_operation)).parent
    files = {path.stem for path in folder.glob("*.py")} - {"base", "wording"}
    assert {stem for stem in files if not stem.startswith("_")} == set(OPERATIONS)


def test_the_made_clips_are_what_they_say():
    assert set(making.humanoid().roles) >= {"hips", "chest", "head", "left foot", "right toes", "left hand"}
    walk = making.walker()
    ball = walk.joint("left toes").positions
    for start, stop in walk.contacts.intervals("left"):
        assert np.ptp(ball[start:stop], axis=0).max() < 1e-9
    assert rot.angle(making.near_pi().rotations[:, 1]).max() > np.pi - 1e-3
    assert isinstance(making.one_frame(), Clip)
    assert len(making.one_frame()) == 1


def test_an_unknown_operation_offers_the_nearest():
    with pytest.raises(UnknownNameError, match='Did you mean "smooth"'):
        find_operation("smoth")


# --- names of parameters (docs/conventions.md)

SUFFIXES = {"s": "_s", "Hz": "_hz", "m": "_m", "mm": "_mm", "deg": "_deg", "kg": "_kg", "N m": "_nm"}
PLAIN = {"at", "line", "look_at", "offset", "x", "y", "z", "keys", "limits"}  # positions, and rows of several numbers
FORBIDDEN = {
    "strength": "amount",
    "degrees": "angle_deg",
    "ground_m": "floor_m",
    "window_s": "blend_s or band_s",
    "spacing": "spacing_m",
}


@ALL
def test_a_parameter_with_a_unit_carries_it_in_its_name(operation):
    for name, info in operation.parameters().items():
        suffix = SUFFIXES.get(info.json_schema_extra["unit"])
        assert suffix is None or name in PLAIN or name.endswith(suffix), name


@ALL
def test_a_parameter_has_the_one_name_of_its_kind(operation):
    for name in operation.parameters():
        assert name not in FORBIDDEN, f"{name}: call it {FORBIDDEN[name]}"


# --- feet that stand


@each(lambda operation: issubclass(operation, MovesFeet))
def test_an_edit_keeps_feet_by_default_says_so_and_can_be_told_not_to(operation):
    step = operation.example()
    assert step.keep_feet is True
    assert step.as_step()["keep_feet"] is True
    assert list(operation.parameters())[-1] == "keep_feet"
    assert operation.former_defaults["keep_feet"] is False


@each(lambda operation: issubclass(operation, MovesFeet))
def test_a_character_without_feet_is_edited_all_the_same(operation):
    clip, step = making.pendulums(), operation.example()
    kept, left = tried(step, clip), tried(step.model_copy(update={"keep_feet": False}), clip)
    assert (kept is None) == (left is None)
    assert kept is None or np.array_equal(kept.rotations, left.rotations)
