"""Recipes: they read back as they were written, they do what their steps do, and bad ones are refused in a sentence."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.errors import FileError, ParameterError, RecipeError
from kinetune.input_files.plain_yaml import MOST_LEVELS, parse_yaml, to_yaml
from kinetune.operations import OPERATIONS, find_operation
from kinetune.recipes import Recipe, open_clip
from kinetune.recipes import _migrations as migrations
from tests.made_up import Key, Mingle, Nudge, small_clip

pytestmark = pytest.mark.usefixtures("made_up_operations")


numbers = st.floats(-10, 10, allow_subnormal=False)
nudges = st.builds(Nudge, amount=numbers, times=st.integers(1, 9), way=st.sampled_from(["up", "down"]))
mingles = st.builds(
    Mingle,
    gains=st.lists(numbers, min_size=1, max_size=6).map(tuple),
    keys=st.lists(st.builds(Key, frame=st.integers(0, 99), by=st.tuples(numbers, numbers, numbers))).map(tuple),
    limit=st.none() | st.floats(0.1, 10),
    size=st.just("auto") | numbers,
    words=st.dictionaries(st.text(max_size=9), numbers, max_size=3),
)


def switched(recipe: Recipe, off: set[int]) -> Recipe:
    """The same recipe with some steps off."""
    return Recipe(name=recipe.name, notes=recipe.notes, inputs=recipe.inputs, steps=recipe.steps, off=off)


recipes = st.builds(
    Recipe,
    name=st.text(max_size=20),
    notes=st.text(max_size=60),
    inputs=st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.none() | st.just("clips/sad walk.bvh")),
    steps=st.lists(nudges | mingles, max_size=4).map(tuple),
).flatmap(
    lambda made: (
        st.sets(st.sampled_from(range(len(made)))).map(lambda off: switched(made, off)) if len(made) else st.just(made)
    )
)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


# Laws


@pytest.mark.slow
@given(recipes)
def test_a_recipe_survives_its_text(recipe: Recipe) -> None:
    assert Recipe.parse(recipe.text()) == recipe
    assert Recipe.parse(json.dumps(recipe.as_document())) == recipe
    assert pickle.loads(pickle.dumps(recipe)) == recipe


@pytest.mark.parametrize("name", ["walk.recipe.yaml", "walk.json", "walk.yml"])
def test_a_written_recipe_reads_back(tmp_path: Path, name: str) -> None:
    inputs = {"sad": str(tmp_path / "clips" / "sad.bvh"), "other": None, "calm": "sample:walk"}
    recipe = Recipe(name="calmer", notes="two\nlines\n", inputs=inputs, steps=[Nudge(amount=1), Mingle(other="sad")])
    (tmp_path / "recipes").mkdir()
    path = recipe.write(tmp_path / "recipes" / name)
    assert Recipe.read(path) == recipe
    assert "../clips/sad.bvh" in path.read_text()
    assert str(tmp_path) not in path.read_text()
    assert [p.name for p in path.parent.iterdir()] == [name]


@pytest.mark.slow
@given(plain_values)
def test_plain_values_survive_yaml(value: Any) -> None:
    assert parse_yaml(to_yaml(value), "text") == value


def test_a_written_recipe_is_for_people(tmp_path: Path) -> None:
    recipe = Recipe(name="louder", notes="First line.\nSecond line.\n", inputs={"sad": str(tmp_path / "sad.bvh")})
    recipe = recipe.model_copy(update={"steps": (Mingle(other="sad", gains=(1, 1.5, 1)), Nudge(joints="on"))})
    assert recipe.text(folder=tmp_path) == (
        "# A Kinetune recipe. Run it with: kinetune apply THIS_FILE IN -o OUT\n"
        f"version: {migrations.VERSION}\n"
        "name: louder\n"
        "notes: |\n"
        "  First line.\n"
        "  Second line.\n"
        "inputs:\n"
        "  sad: sad.bvh\n"
        "steps:\n"
        "  - op: mingle\n"
        "    other: sad\n"
        "    gains: [1.0, 1.5, 1.0]\n"
        "  - op: nudge_it\n"
        "    joints: 'on'\n"
    )


# What a recipe does


def test_steps_are_applied_in_order_and_remembered() -> None:
    recipe = Recipe.parse("steps:\n  - {op: nudge_it, amount: 1}\n  - {op: nudge_it, amount: 2, way: down}\n")
    clip = small_clip()
    edited = recipe(clip)
    np.testing.assert_allclose(edited.root[:, 1], clip.root[:, 1] - 1)
    assert edited.history == ({"op": "nudge_it", "amount": 1.0}, {"op": "nudge_it", "amount": 2.0, "way": "down"})
    assert Recipe.from_history(edited) == recipe
    assert Recipe.from_history(edited)(clip).same_motion(edited)


def test_steps_that_are_off_are_kept_and_not_applied() -> None:
    clip = small_clip()
    text = (
        "inputs: {sad: nowhere.bvh}\nsteps:\n  - {op: nudge_it, amount: 1}\n  - {op: mingle, other: sad, off: true}\n"
    )
    recipe = Recipe.parse(text)
    assert [step.tag() for step in recipe.steps] == ["nudge_it", "mingle"]
    assert recipe.off == {1}
    assert recipe == Recipe(inputs=recipe.inputs, steps=recipe.steps, off=[1])
    assert recipe.inputs_needed() == ()
    edited = recipe(clip)  # the file that only the other step wants is not opened
    assert (edited.root == Nudge(amount=1)(clip).root).all()
    assert [step["op"] for step in edited.history] == ["nudge_it"]
    assert recipe.off_words() == "Step 2 (mingle) of 2 is off and not applied."
    assert recipe.as_document()["steps"][1]["off"] is True
    assert Recipe(**recipe.model_dump()) == recipe
    assert Recipe.parse(text.replace("off: true", "off: false")).off == frozenset()


def test_an_error_counts_the_steps_that_are_off_too() -> None:
    recipe = Recipe(name="r", steps=[Nudge(amount=1), Mingle(other="sad")], off=[0])
    with pytest.raises(RecipeError, match='it needs the clip "sad"'):
        recipe(small_clip())
    steps = [{"op": "nudge_it", "amount": 1, "off": True}, {"op": "trim", "start": 10_000}]
    with pytest.raises(RecipeError, match=r"^r, step 2: "):
        Recipe(name="r", steps=steps)(small_clip())


def test_history_declares_the_clips_that_were_used() -> None:
    edited = Mingle(other="sad")(small_clip(), sad=small_clip())
    assert Recipe.from_history(edited).inputs == {"sad": None}


def test_inputs_come_by_name_or_from_the_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip, given_clip, filed = small_clip(), small_clip(height=5), small_clip(height=7)
    monkeypatch.setattr(
        "kinetune.recipes.recipe.open_clip", lambda source, **_: {str(tmp_path / "a.bvh"): filed}.get(source, source)
    )
    recipe = Recipe(inputs={"a": str(tmp_path / "a.bvh"), "b": None}, steps=[Mingle(other="a", more=("b",))])
    assert recipe.inputs_needed() == ("b",)
    np.testing.assert_allclose(recipe(clip, b=given_clip).root[:, 1], 1 + 7 + 5)
    np.testing.assert_allclose(recipe(clip, a=given_clip, b=given_clip).root[:, 1], 1 + 5 + 5)


def test_an_input_that_is_missing_or_unknown_is_named() -> None:
    recipe = Recipe(name="mix", steps=[Mingle(other="sad")])
    with pytest.raises(RecipeError, match=r'^mix: it needs the clip "sad"\. Give it with --input sad=FILE'):
        recipe(small_clip())
    with pytest.raises(RecipeError, match=r'no input "sat"\. Did you mean "sad"\? Its inputs: sad\.$'):
        recipe(small_clip(), sat=small_clip())


def test_an_error_names_the_step() -> None:
    recipe = Recipe(name="walk", steps=[Nudge(amount=1), Nudge(amount=1, joints="Spin")])
    with pytest.raises(RecipeError, match=r'^walk, step 2: there is no joint "Spin"\. Did you mean "Spine"'):
        recipe(small_clip())


def test_paths_are_seen_from_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.yaml").write_text("inputs: {sad: ../clips/sad.bvh}\nsteps: []\n")
    assert Recipe.read(tmp_path / "r" / "a.yaml").inputs == {"sad": str(tmp_path / "clips" / "sad.bvh")}


def test_a_clip_opens_as_itself() -> None:
    clip = small_clip()
    assert open_clip(clip) is clip


# Versions


def test_an_old_recipe_is_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_0(document: dict[str, Any]) -> dict[str, Any]:
        return {"steps": [{"op": name, "amount": 1} for name in document["effects"]]}

    monkeypatch.setitem(migrations.MIGRATIONS, 0, from_0)
    recipe = Recipe.parse("version: 0\neffects: [nudge_it, nudge_it]\n")
    assert recipe == Recipe(steps=[Nudge(amount=1), Nudge(amount=1)])
    assert recipe.version == migrations.VERSION


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("7", r"^r\.yaml: this is a recipe of version 7, but this Kinetune reads versions up to 3\. Update it with"),
        ("0", r"^r\.yaml: there is no recipe version 0; versions 1 to 3 are known\.$"),
        ("one", r"^r\.yaml: the version is 'one', but it must be a whole number such as 3\.$"),
        ("true", r"the version is True"),
    ],
)
def test_a_version_that_nobody_knows_is_refused(version: str, words: str) -> None:
    with pytest.raises(RecipeError, match=words):
        Recipe.parse(f"version: {version}\nsteps: []\n", where="r.yaml")


# Bad recipes: one sentence that says where


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("steps:\n  - op: nudge_it\n  - op: nudge_its", r', step 2: there is no operation "nudge_its"\. Did you mean'),
        ("steps:\n  - {op: nudge_it, amount: 99}", r", step 1: nudge_it: amount is 99, but it must be at most 10"),
        ("steps:\n  - {op: nudge_it, amuont: 9}", r', step 1: nudge_it: there is no parameter "amuont"\. Did you mean'),
        ("steps:\n  - {op: nudge_it, amount: 1, off: maybe}", r", step 1: off is true or false, not text"),
        ("off: [0]\nsteps: [{op: nudge_it}]", r': a recipe has no key "off"\. Write off: true in each step'),
        ("steps: [smooth]", r", step 1: a step is a mapping such as"),
        ("steps: [{amount: 1}]", r", step 1: a step is a mapping such as"),
        ("steps: {op: nudge_it}", r": steps must be a list"),
        ("stesp: []", r': a recipe has no key "stesp"\. Did you mean "steps"'),
        ("- op: nudge_it", r": a recipe is a mapping with the key steps, not a list"),
        ("", r": a recipe is a mapping with the key steps, not nothing\.$"),
        ("{}", r': this is not a recipe: it has no key "steps"'),
        ("name: [1]\nsteps: []", r": name is \[1\], but it must be text\.$"),
        ("inputs: {a: 1}\nsteps: []", r': the input "a" is a value \(1\), but it must be the path of a file\.$'),
        ("inputs: 3\nsteps: []", r": inputs must name clips"),
        ("a: !!python/object/apply:os.system [ls]", r":1: the tag !!python/object/apply:os\.system is not allowed"),
        ("a: !thing 1", r":1: the tag !thing is not allowed"),
        ("steps:\n - a: b: c", r":2: this is not valid YAML \("),
        ("name: a\nname: b", r':2: the key "name" comes twice'),
        ('{"name": "a", "name": "b"}', r': the key "name" comes twice'),
        ("true: 2", r":1: a key must be a word, not True"),
        ("a: &a [*a]", r":1: \*a stands for nothing"),
        ("a: 1\n---\nb: 2", r":2: a second document begins here"),
        ("[" * (MOST_LEVELS + 1), r":1: values are nested more than 50 levels deep\.$"),
        ('{"a":' * 100_000, r": values are nested too deeply"),
        ("x" * 1_000_001, r": the text has 1,000,001 characters; at most 1,000,000 are read\.$"),
        ("\x00", r": this is not valid YAML"),
    ],
)  # fmt: skip
def test_a_bad_recipe_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(RecipeError, match=r"^r\.yaml" + words) as caught:
        Recipe.parse(text, where="r.yaml")
    assert "\n" not in str(caught.value)


def test_a_billion_laughs_stop_early() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(RecipeError, match=r"^r\.yaml:6: the text expands to more than 200,000 values"):
        Recipe.parse("\n".join(lines), where="r.yaml")


def test_an_alias_stands_for_its_value() -> None:
    assert parse_yaml("a: &legs [left leg, right leg]\nb: *legs", "text")["b"] == ["left leg", "right leg"]


@pytest.mark.parametrize(
    ("word", "value"),
    [("on", "on"), ("y", "y"), ("1:30", "1:30"), ("2024-01-01", "2024-01-01"), ("1e3", 1000.0), ("0x10", "0x10"),
     ("true", True), ("~", None), ("-.inf", -np.inf), ("12", 12), (".5", 0.5), ("'12'", "12")],
)  # fmt: skip
def test_plain_words_mean_what_they_say(word: str, value: object) -> None:
    assert parse_yaml(word, "text") == value


def test_files_that_are_no_recipes(tmp_path: Path) -> None:
    (tmp_path / "walk.yaml").write_text("steps: []")
    with pytest.raises(FileError, match=r"walk\.yml: there is no such file\. Did you mean walk\.yaml\?$"):
        Recipe.read(tmp_path / "walk.yml")
    with pytest.raises(FileError, match=r"this is a folder"):
        Recipe.read(tmp_path)
    with pytest.raises(FileError, match=r"There is no folder"):
        Recipe.read(tmp_path / "no" / "walk.yml")
    (tmp_path / "noise.yaml").write_bytes(bytes(range(128, 256)))
    with pytest.raises(FileError, match=r"not text in UTF-8"):
        Recipe.read(tmp_path / "noise.yaml")
    (tmp_path / "huge.yaml").write_bytes(b" " * 4_000_001)
    with pytest.raises(FileError, match=r"a recipe of up to 3.81 MB is read"):
        Recipe.read(tmp_path / "huge.yaml")


def test_python_arguments_are_checked_too() -> None:
    with pytest.raises(RecipeError, match="recipe, step 1: a step is a mapping"):
        Recipe(steps=[3])
    with pytest.raises(ParameterError):
        Recipe(steps=[Nudge(amount=99)])
    for off in ([1], [-1], [True], "0", 3):
        with pytest.raises(RecipeError, match="off names the places of steps"):
            Recipe(steps=[Nudge(amount=1)], off=off)
    assert Recipe(steps=Nudge()).steps == (Nudge(),)


RENAMED = [
    ("turn", {"degrees": 30.0}, {"angle_deg": 30.0}),
    ("plant_feet", {"strength": 0.5}, {"amount": 0.5}),
    ("limit", {"strength": 0.5}, {"amount": 0.5}),
    ("loop", {"strength": 0.5}, {"amount": 0.5}),
    ("keep_above_floor", {"strength": 0.5, "floor_m": 0.05}, {"amount": 0.5, "floor_m": 0.05}),
    ("splice", {"window_s": 0.2}, {"blend_s": 0.2}),
    ("follow_footsteps", {"length": 0.5, "width": 0.2}, {"length_m": 0.5, "width_m": 0.2}),
    (
        "filter_dynamics",
        {"mass": 60.0, "ground_m": 0.0, "torque_limit": 500.0},
        {"mass_kg": 60.0, "floor_m": 0.0, "torque_limit_nm": 500.0},
    ),
]


@pytest.mark.parametrize(("op", "old", "new"), RENAMED, ids=[op for op, _, _ in RENAMED])
def test_a_recipe_of_version_1_keeps_its_meaning(op, old, new) -> None:
    document = {"version": 1, "steps": [{"op": op, **old}]}
    operation = find_operation(op)
    assert Recipe.parse(json.dumps(document)) == Recipe(steps=[{"op": op, **operation.former_defaults, **new}])
    with pytest.warns(DeprecationWarning, match="is called"):
        assert operation(**old) == operation(**new)


@pytest.mark.parametrize("op", [tag for tag in OPERATIONS if OPERATIONS[tag].former_defaults])
def test_a_recipe_of_version_2_keeps_its_meaning_where_a_default_has_changed(op) -> None:
    former = dict(find_operation(op).former_defaults)
    given = {"op": op, **({"other": "other"} if op == "blend" else {})}
    old = Recipe.parse(json.dumps({"version": 2, "steps": [given]}))
    assert old == Recipe(steps=[{**given, **former}])
    assert old != Recipe(steps=[given]), "these defaults have not changed"
    for name, value in former.items():
        other = find_operation(op).model_fields[name].default
        assert other != value
        stated = json.dumps({"version": 2, "steps": [{**given, name: other}]}, default=list)
        assert getattr(Recipe.parse(stated).steps[0], name) == other, "what an old recipe states is kept"


def test_every_renamed_parameter_is_tried() -> None:
    renamed = {(tag, old) for tag in OPERATIONS for old in OPERATIONS[tag].former_names}
    assert renamed == {(op, name) for op, old, new in RENAMED for name in old if name not in new}


def test_numbers_may_be_keys() -> None:
    recipe = Recipe.parse("version: 2\nsteps:\n  - op: equalize\n    gains_hz: {2: 1.4, 0.5: 0.9}\n")
    assert recipe.steps[0].as_step()["gains_hz"] == {"0.5": 0.9, "2": 1.4}


def test_half_a_character_is_refused_with_its_line():
    with pytest.raises(RecipeError, match=r"odd\.yaml:2: half of a character"):
        Recipe.parse("steps: []\nname: \ud800", where="odd.yaml")
