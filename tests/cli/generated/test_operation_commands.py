"""Every operation is a command, generated from its declaration."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from kinetune.cli.generated.flags import flags_of
from kinetune.cli.generated.operation_commands import EXAMPLES, command_of
from kinetune.cli.generated.operation_list import operation_files, summary
from kinetune.formats import read
from kinetune.operations import OPERATIONS
from kinetune.samples import sample
from tests.cli.conftest import Kinetune, told
from tests.made_up import Mingle, Nudge

REAL = [tag for tag in OPERATIONS if tag not in ("nudge_it", "mingle")]


def test_the_list_agrees_with_the_registry() -> None:
    declared = {tag: operation.summary() for tag, operation in OPERATIONS.items()}
    listed = {tag: summary(file) for tag, file in operation_files().items()}
    assert {**listed, "nudge_it": Nudge.summary(), "mingle": Mingle.summary()} == declared


@pytest.mark.parametrize("tag", REAL)
def test_every_operation_has_help_for_every_knob(kinetune: Kinetune, tag: str) -> None:
    result = kinetune(tag.replace("_", "-"), "--help")
    assert result.exit_code == 0
    for flag in flags_of(OPERATIONS[tag]):
        assert flag.option in result.stdout
    assert not re.search(r"<(bool|int|float|str|list\[\w+\])>|\de[+-]\d", result.stdout), (
        "no Python types and no exponents"
    )


@pytest.mark.parametrize("tag", REAL)
def test_the_example_in_the_help_of_an_operation_is_understood(tag: str) -> None:
    operation = OPERATIONS[tag]
    if operation.needs == "pair":
        assert "walk.bvh run.bvh" in EXAMPLES[tag]
    required = [flag.option for flag in flags_of(operation) if flag.info.is_required()]
    assert all(option in EXAMPLES[tag] for option in required)
    command = command_of(operation)
    command.make_context(tag, [*shlex.split(EXAMPLES.get(tag, "walk.bvh")), "-o", "out.bvh"])


@pytest.mark.slow
@pytest.mark.parametrize("tag", REAL)
def test_every_operation_runs_with_its_defaults(kinetune: Kinetune, folder: Path, tag: str) -> None:
    operation = OPERATIONS[tag]
    if operation.input_parameters or any(knob.is_required() for knob in operation.parameters().values()):
        pytest.skip(f"{tag} needs more than a clip")
    given = ["sample:wave", "--end-s", "0.2"] if tag == "hold" else ["sample:walk"]  # a hand cannot stay on a walk
    result = kinetune(tag.replace("_", "-"), *given, "-o", "out.npz")
    assert result.exit_code == 0, result.output
    assert len(read(folder / "out.npz")) >= 1


def test_help_shows_words_units_bounds_and_choices(kinetune: Kinetune) -> None:
    shown = kinetune("nudge-it", "--help").stdout
    for words in (
        "[softly]",
        "The amount is in metres.",
        "(m; -10 to 10; default 0)",
        "<up|down>",
        "--no-softly",
        "--fps-in",
    ):
        assert words in shown
    assert "----" not in shown, "sections of the docstring stay out"


def test_a_knob_is_turned_by_its_flag(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("nudge-it", "walk.bvh", "-o", "up.npz", "--amount", "-1.5", "--way", "down", "--no-softly")
    assert result.exit_code == 0, result.output
    assert result.stdout == "up.npz: 6 frames at 30 fps, 3 joints.\n"
    edited = read(folder / "up.npz")
    np.testing.assert_allclose(edited.root[:, 1], read(folder / "walk.bvh").root[:, 1] + 1.5)
    assert edited.history == ({"op": "nudge_it", "amount": -1.5, "way": "down", "softly": False},)


def test_the_tag_itself_is_a_command_too(kinetune: Kinetune, folder: Path) -> None:
    assert kinetune("nudge_it", "walk.bvh", "-o", "up.npz").exit_code == 0


def test_other_clips_are_read_as_the_first_one_is(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("mingle", "walk.bvh", "-o", "out.npz", "--other", "walk.bvh", "--unit", "m")
    assert result.exit_code == 0, result.output
    np.testing.assert_allclose(read(folder / "out.npz").root[:, 1], 180)
    for rate in (25.0, 100.0):
        blend = ("blend", "walk.bvh", "-o", "half.npz", "--other", "walk.bvh", "--fps-in", rate)
        assert kinetune(*blend).exit_code == 0
        assert (len(read(folder / "half.npz")), read(folder / "half.npz").fps) == (6, rate)


def test_other_clips_are_given_as_files_and_remembered_by_name(kinetune: Kinetune, folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "walk.bvh").write_text((folder / "walk.bvh").read_text())
    arguments = ("--other", "more/walk.bvh", "--more", "sample:walk,walk.bvh")
    result = kinetune("mingle", "walk.bvh", "-o", "out.npz", *arguments)
    assert result.exit_code == 0, result.output
    step = read(folder / "out.npz").history[-1]
    assert step["other"] == "walk"
    assert step["more"] == ["walk_2", "walk_3"]


def test_structured_knobs_are_written_as_yaml(kinetune: Kinetune, folder: Path) -> None:
    keys = "[{frame: 1, by: [0, 0.5, 0]}]"
    result = kinetune("mingle", "walk.bvh", "-o", "o.npz", "--other", "walk.bvh", "--keys", keys, "--gains", "1,2,-3")
    assert result.exit_code == 0, result.output
    step = read(folder / "o.npz").history[-1]
    assert step["keys"] == [{"frame": 1, "by": [0.0, 0.5, 0.0]}]
    assert step["gains"] == [1.0, 2.0, -3.0]


def test_values_of_a_repeated_list_flag_add_up(kinetune: Kinetune, folder: Path) -> None:
    for name in ("b", "c"):
        (folder / f"{name}.bvh").write_text((folder / "walk.bvh").read_text())
    lists = ("--more", "b.bvh", "--more", "c.bvh", "--gains", "1", "--gains", "2,3")
    keys = ("--keys", "{frame: 1}", "--keys", "[{frame: 2}, {frame: 3}]")
    result = kinetune("mingle", "walk.bvh", "-o", "o.npz", "--other", "walk.bvh", *lists, *keys)
    assert result.exit_code == 0, result.output
    step = read(folder / "o.npz").history[-1]
    assert step["more"] == ["b", "c"]
    assert step["gains"] == [1.0, 2.0, 3.0]
    assert [key["frame"] for key in step["keys"]] == [1, 2, 3]


def test_reading_options_reach_the_reader(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("nudge-it", "walk.bvh", "-o", "o.npz", "--unit", "m", "--fps-in", "50", "--amount", "1")
    assert result.exit_code == 0, result.output
    edited = read(folder / "o.npz")
    assert edited.fps == 50
    np.testing.assert_allclose(edited.root[:, 1], 91)


def test_a_program_gets_json(kinetune: Kinetune, folder: Path) -> None:
    report = json.loads(kinetune("nudge-it", "walk.bvh", "-o", "o.npz", "--amount", "1", "--json", "--measure").stdout)
    assert report["target"] == "o.npz"
    assert report["steps"] == [{"op": "nudge_it", "amount": 1.0}]
    assert report["after"]["frames"] == 6


def test_quality_is_shown_side_by_side(kinetune: Kinetune, folder: Path) -> None:
    shown = kinetune("nudge-it", "walk.bvh", "-o", "o.npz", "--amount", "1", "--measure").stdout
    assert "before" in shown
    assert "after" in shown
    assert "jerk" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("nudge-it", "walk.bvh", "-o", "o.npz", "--amount", "99"),
            "nudge_it: --amount is 99.0, but it must be at most 10",
        ),
        (("nudge-it", "walk.bvh", "-o", "o.npz", "--joints", "Spin"), 'there is no joint "Spin". Did you mean "Spine"'),
        (("mingle", "walk.bvh", "-o", "o.npz", "--by", "1,2"), "mingle: --by"),
        (("mingle", "walk.bvh", "-o", "o.npz", "--words", "{a: !x 1}"), "--words:1: the tag !x is not allowed"),
        (("mingle", "walk.bvh", "-o", "o.npz", "--other", "sad.bvh"), "sad.bvh: "),
    ],
)
def test_a_wrong_knob_is_told_in_a_sentence(
    kinetune: Kinetune, folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert told(kinetune(*arguments)).startswith(words)
    assert [p.name for p in folder.iterdir()] == ["walk.bvh"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("nudge-it", "walk.bvh"),
        ("nudge-it", "-o", "o.npz"),
        ("nudge-it", "walk.bvh", "-o", "o.npz", "--amount", "much"),
        ("nudge-it", "walk.bvh", "-o", "o.npz", "--way", "left"),
        ("nudge-it", "walk.bvh", "-o", "o.npz", "--amuont", "1"),
        ("nudge-its", "walk.bvh", "-o", "o.npz"),
        (),
    ],
)
def test_wrong_usage_is_exit_code_2(kinetune: Kinetune, folder: Path, arguments: tuple[str, ...]) -> None:
    result = kinetune(*arguments)
    assert result.exit_code == 2
    assert [p.name for p in folder.iterdir()] == ["walk.bvh"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("nudge-it", "lib/*.bvh"),
            "-o OUT is missing: the file to write; its suffix chooses the format. For many clips,",
        ),
        (("film", "walk.bvh"), "-o OUT is missing: the film: .mp4, .webm, .gif, or .png for a strip."),
        (("nudge-it", "walk.bvh", "-o", "o.npz", "--amuont", "1"), "no option --amuont. Did you mean --amount"),
        (("nudge-it", "walk.bvh", "-o", "o.npz", "--qq"), "List them all with: kinetune nudge-it --help"),
        (("nudge-it", "walk.bvh", "-o", "o.npz", "--amount", "much"), "--amount must be a number, without a unit."),
        (("trim", "walk.bvh", "-o", "o.npz", "--start", "1.5"), "--start must be a whole number, without a unit."),
        (
            ("equalize", "walk.bvh", "-o", "o.npz", "--preset", "exagerate"),
            "Did you mean exaggerate? It takes exaggerate,",
        ),
    ],
)
def test_wrong_usage_says_what_to_do(kinetune: Kinetune, folder: Path, arguments: tuple[str, ...], text: str) -> None:
    result = kinetune(*arguments)
    assert result.exit_code == 2
    assert text in re.sub(r"[\s│]+", " ", result.stderr)


def test_the_usage_names_what_to_give_without_brackets(kinetune: Kinetune) -> None:
    assert "Usage: kinetune smooth [OPTIONS] IN..." in kinetune("smooth", "--help").stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("smoth", "smooth"), ("Retarget", "retarget"), ("render", "film"), ("crop", "trim"), ("concat", "arrange")],
)
def test_a_mistyped_command_is_offered_the_nearest(kinetune: Kinetune, typed: str, offered: str) -> None:
    assert f"Did you mean {offered}" in kinetune(typed, "a", "-o", "b").stderr


def test_help_is_a_command_too(kinetune: Kinetune) -> None:
    assert kinetune("help", "smooth").stdout == kinetune("smooth", "--help").stdout
    assert kinetune("help").exit_code == 0


@pytest.mark.slow
def test_many_files_are_edited_into_a_folder(kinetune: Kinetune, folder: Path) -> None:
    (folder / "lib").mkdir()
    for name in ("a", "b"):
        (folder / "lib" / f"{name}.bvh").write_text((folder / "walk.bvh").read_text())
    for number, sources in enumerate((["lib/*.bvh"], ["lib"], ["lib/a.bvh", "lib/b.bvh"])):
        result = kinetune("turn", *sources, "-o", f"out{number}", "--angle-deg", "30")
        assert result.exit_code == 0, result.output
        edited = read(folder / f"out{number}" / "b.bvh")
        assert not edited.same_motion(read(folder / "walk.bvh"), 1e-3)
    assert "2 done" in result.stdout


@pytest.mark.parametrize("sources", [["lib/*.bvh"], ["walk.bvh", "walk.bvh"]])
def test_many_files_do_not_fit_into_one(kinetune: Kinetune, folder: Path, sources: list[str]) -> None:
    result = kinetune("turn", *sources, "-o", "out.bvh")
    assert result.exit_code == 2
    assert "a folder" in " ".join(result.stderr.split())


def test_files_after_the_first_are_the_other_clips(kinetune: Kinetune, folder: Path) -> None:
    (folder / "b.bvh").write_text((folder / "walk.bvh").read_text())
    assert kinetune("blend", "walk.bvh", "b.bvh", "-o", "out.npz").exit_code == 0
    assert read(folder / "out.npz").history[-1]["other"] == "b"
    assert kinetune("arrange", "walk.bvh", "b.bvh", "b.bvh", "-o", "out.npz").exit_code == 0
    assert read(folder / "out.npz").history[-1]["clips"] == ["b", "b"]


def test_former_names_of_flags_work_and_are_not_shown(kinetune: Kinetune, folder: Path) -> None:
    for flag in ("--angle-deg", "--degrees"):
        assert kinetune("turn", "walk.bvh", "-o", f"out{flag}.npz", flag, "30").exit_code == 0
    new, old = (read(folder / f"out{flag}.npz") for flag in ("--angle-deg", "--degrees"))
    assert new.same_motion(old, 0.0)
    assert new.history == old.history
    assert "--degrees" not in kinetune("turn", "--help").stdout


def test_a_region_is_all_that_changes(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("smooth", "sample:walk", "-o", "part.npz", "--cutoff-hz", "2", "--region", "1,3,0.5", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["steps"][0]["region"] == {"start_s": 1.0, "stop_s": 3.0, "ease_s": 0.5}
    walk, part = sample("walk"), read(folder / "part.npz")
    moved = np.abs(part.rotations - walk.rotations).max(axis=(1, 2)) > 1e-6
    assert np.flatnonzero(moved).min() > 60
    assert np.flatnonzero(moved).max() < 180
    assert kinetune("smooth", "sample:walk", "-o", "b.npz", "--region", "now").exit_code == 2
    assert "--region" not in kinetune("retime", "--help").stdout


@pytest.mark.parametrize("name", ["align", "blend", "splice"])
def test_a_clip_that_is_missing_is_asked_for_as_on_the_command_line(
    kinetune: Kinetune, folder: Path, name: str
) -> None:
    result = kinetune(name, "walk.bvh", "-o", "out.npz")
    assert result.exit_code == 2
    assert f"Name the other clip, as in: kinetune {name} a.bvh b.bvh -o out.bvh" in result.stderr
    assert not (folder / "out.npz").exists()


def test_a_command_without_parameters_says_that_nothing_is_changed(kinetune: Kinetune, folder: Path) -> None:
    unchanged = (
        "Nothing is changed: no parameter was given. For example: kinetune turn walk.bvh --angle-deg 90 -o out.bvh\n"
    )
    assert kinetune("turn", "walk.bvh", "-o", "out.npz").stdout.endswith(unchanged)
    assert "Nothing is changed" not in kinetune("turn", "walk.bvh", "-o", "out.npz", "--angle-deg", 0).stdout
    json.loads(kinetune("turn", "walk.bvh", "-o", "out.npz", "--json").stdout)


def test_the_nearest_command_of_a_group_is_named(kinetune: Kinetune) -> None:
    result = kinetune("draw", "strp", "walk.bvh")
    assert result.exit_code == 2
    assert 'There is no command "strp". Did you mean strip?' in result.stderr
