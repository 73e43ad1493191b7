"""Knobs become flags: what is written after a flag, and what the operation gets."""

import inspect
from typing import Any

import pytest

from kinetune.cli.generated.flags import Flag, flags_of
from kinetune.cli.options import READ_OPTIONS, flag_of
from kinetune.errors import RecipeError
from kinetune.formats import read
from kinetune.operations import OPERATIONS, Operation
from tests.made_up import Mingle, Nudge

SHARED = {"--output", "--force", "--measure", "--json", "--help", *(option[1] for option in READ_OPTIONS.values())}


def flag(operation: type[Operation], name: str) -> Flag:
    return next(f for f in flags_of(operation) if f.name == name)


@pytest.mark.parametrize(
    ("operation", "name", "given", "value"),
    [
        (Nudge, "amount", 1.5, 1.5),
        (Nudge, "joints", "left arm", "left arm"),
        (Nudge, "joints", "left arm, head", ["left arm", "head"]),
        (Nudge, "joints", "none", None),
        (Mingle, "gains", "1,2.5, -3", ["1", "2.5", "-3"]),
        (Mingle, "gains", "4", ["4"]),
        (Mingle, "gains", "[1, 2]", [1, 2]),
        (Mingle, "by", "-1,0,1e-3", ["-1", "0", "1e-3"]),
        (Mingle, "keys", "[{frame: 3, by: [0, 1, 0]}]", [{"frame": 3, "by": [0, 1, 0]}]),
        (Mingle, "limit", "none", None),
        (Mingle, "limit", "2.5", "2.5"),
        (Mingle, "size", "auto", "auto"),
        (Mingle, "size", "2", 2),
        (Mingle, "words", "{a: 1}", {"a": 1}),
        (Mingle, "words", "a: 1", {"a": 1}),
    ],
)
def test_what_the_operation_gets(operation: type[Operation], name: str, given: Any, value: Any) -> None:
    found = flag(operation, name).value(given)
    assert found == value
    operation(**{name: found})


@pytest.mark.parametrize(
    ("operation", "name", "words"),
    [
        (Nudge, "amount", "How far. (m; -10 to 10; default 0)"),
        (Nudge, "times", "How often. (at least 1; default 1)"),
        (Nudge, "way", "Which way. (default up)"),
        (Nudge, "softly", "Softly or not. (default on)"),
        (Nudge, "joints", "Which joints."),
        (Mingle, "gains", "Gains. (1 or more, up to 6; default 1,2)"),
        (Mingle, "limit", "A limit, or none. (m; above 0; default 3)"),
    ],
)
def test_the_help_says_unit_bounds_and_default(operation: type[Operation], name: str, words: str) -> None:
    assert flag(operation, name).help == words


@pytest.mark.parametrize(
    ("operation", "name", "shown"),
    [
        (Nudge, "amount", "NUMBER"),
        (Nudge, "times", "INTEGER"),
        (Nudge, "way", None),
        (Nudge, "softly", ""),
        (Nudge, "joints", "A,B,..."),
        (Mingle, "other", "FILE"),
        (Mingle, "by", "A,B,C"),
        (Mingle, "keys", "YAML"),
        (Mingle, "size", "NUMBER|auto"),
    ],
)
def test_the_help_says_what_is_taken(operation: type[Operation], name: str, shown: str | None) -> None:
    assert flag(operation, name).metavar == shown


def test_tags_are_refused_in_values_too() -> None:
    with pytest.raises(RecipeError, match=r"^--words:1: the tag !!python/name:os\.system is not allowed"):
        flag(Mingle, "words").value("{a: !!python/name:os.system }")


@pytest.mark.parametrize("tag", list(OPERATIONS))
def test_no_knob_hides_a_shared_flag(tag: str) -> None:
    assert not {f.option for f in flags_of(OPERATIONS[tag])} & SHARED


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("unit", "--unit UNIT"),
        ('unit="cm"', "--unit cm"),
        ("fps=30", "--fps-in 30"),
        ("partial=True", "--partial"),
        ("up='z'", "--up z"),
    ],
)
def test_a_finding_names_its_flag(override: str, words: str) -> None:
    assert flag_of(override) == words


def test_every_option_of_reading_is_a_flag() -> None:
    assert ["path", *READ_OPTIONS] == list(inspect.signature(read).parameters)


def test_a_finding_that_names_nothing_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="the option 'units', which is no argument"):
        flag_of("units")
