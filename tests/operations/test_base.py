"""What the base class does for every operation, shown on made-up ones."""

from typing import ClassVar, Literal, Self

import pytest
from pydantic import model_validator

from kinetune.errors import ParameterError, RecipeError
from kinetune.operations.base import Operation, parameter
from tests.operations import making


class Mixing(Operation):
    """Mix some clips."""

    op: Literal["mixing"] = "mixing"
    input_parameters: ClassVar[tuple[str, ...]] = ("other", "more")
    other: str | None = parameter(None, "Another clip.", unit="")
    more: tuple[str, ...] = parameter((), "More clips.", unit="")
    weight: float = parameter(0.5, "How much.", unit="1", ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _not_too_much(self) -> Self:
        if self.weight > 0.9 and not self.more:
            raise ParameterError("Weights above 0.9 need more clips.")
        return self

    def apply(self, clip, inputs):
        return clip if self.weight == 0 else clip.replace(fps=clip.fps + len(inputs))


class Unfinished(Operation):
    """Forgets to implement apply."""

    op: Literal["unfinished"] = "unfinished"


def test_clips_are_asked_for_by_name_once():
    assert Mixing().inputs_needed() == ()
    assert Mixing(other="sad", more=("happy", "sad")).inputs_needed() == ("sad", "happy")


def test_a_missing_clip_is_named_with_what_to_write():
    with pytest.raises(
        RecipeError, match=r'mixing needs the clip "happy". Give it as Mixing\(...\)\(clip, happy=other\)'
    ):
        Mixing(other="sad", more=("happy",))(making.walker(5), sad=making.walker(5))


def test_clips_reach_the_operation():
    clip = making.walker(5)
    assert Mixing(other="sad")(clip, sad=clip).fps == clip.fps + 1


def test_the_step_leaves_defaults_out():
    assert Mixing(other="sad").as_step() == {"op": "mixing", "other": "sad"}
    assert Mixing(more=["a"], weight=1).as_step() == {"op": "mixing", "more": ["a"], "weight": 1.0}


def test_an_edit_that_changes_nothing_leaves_no_trace():
    clip = making.walker(5)
    assert Mixing(weight=0)(clip) is clip


def test_contacts_survive_the_note_in_the_history():
    clip = making.walker(5)
    assert Mixing()(clip).contacts == clip.contacts


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"weight": 2}, "mixing: weight is 2, but it must be at most 1."),
        ({"weight": "much"}, "mixing: weight is 'much', but it must be a number."),
        ({"wieght": 1}, 'mixing: there is no parameter "wieght". Did you mean "weight"? It has: other, more, weight.'),
        ({"zzz": 1}, 'mixing: there is no parameter "zzz". It has: other, more, weight.'),
        ({"more": ("a", 3)}, "mixing: number 2 of more is 3, but it must be text."),
        ({"weight": 0.95}, "mixing: weights above 0.9 need more clips."),
        ({"op": "trim"}, "mixing: op is 'trim', but it must be 'mixing'."),
    ],
)
def test_wrong_knobs_are_told_in_one_sentence(knobs, words):
    with pytest.raises(ParameterError) as told:
        Mixing(**knobs)
    assert str(told.value).startswith(words)


def test_an_operation_without_apply_is_a_mistake_of_its_author():
    with pytest.raises(TypeError, match="Unfinished does not implement apply"):
        Unfinished()(making.walker(5))


def test_help_shows_the_signature_and_each_parameter_with_unit_range_and_sentence():
    import pydoc

    from kinetune.operations import find_operation

    shown = pydoc.plain(pydoc.render_doc(find_operation("smooth")))
    assert "Smooth(*, method='butterworth', cutoff_hz=6.0" in shown
    assert "Frequency at which butterworth has lost 3 dB; faster motion fades. (Hz; 0.05 to 1000; default 6)" in shown
    assert "FieldInfo(" not in shown
    assert "BeforeValidator" not in pydoc.plain(pydoc.render_doc(find_operation("equalize")))


def test_a_value_without_a_name_is_refused_with_the_name():
    from kinetune.operations import find_operation

    with pytest.raises(ParameterError, match=r"Smooth takes its parameters by name: Smooth\(cutoff_hz=6\)\."):
        find_operation("smooth")(6)
    with pytest.raises(ParameterError, match=r"Equalize\(preset='exaggerate'\)"):
        find_operation("equalize")("exaggerate")


def test_a_repr_shows_what_was_set():
    from kinetune.operations import find_operation

    assert repr(find_operation("smooth")(cutoff_hz=4)) == "Smooth(cutoff_hz=4.0)"
