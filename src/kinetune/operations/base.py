"""What an operation is: a value that holds the knobs, and turns a clip into another clip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, RecipeError
from kinetune.findings import Finding


def knob(default: Any, words: str, *, unit: str, **bounds: Any) -> Any:
    """A field of an operation: what it starts at, one sentence, its unit ("1" for a pure number, "" for a choice).

    Further arguments go to pydantic's ``Field`` (``ge``, ``le``, ``gt``, ``lt``, ``min_length`` ...).
    Everything that shows the knob (command line, studio, documents) reads this one declaration.
    """
    return Field(default, description=words, json_schema_extra={"unit": unit}, **bounds)


_collectors: ContextVar[tuple[list[Any], ...]] = ContextVar("collectors", default=())


def report_result(value: Any) -> None:
    """Hand out what an operation knows besides its clip: forces, weights, where feet landed."""
    for results in _collectors.get():
        results.append(value)


def report_finding(finding: Finding) -> None:
    """Hand out something that a user should know about the edit, such as where a target is out of reach."""
    report_result(finding)


@contextmanager
def collecting_results() -> Iterator[list[Any]]:
    """Collect what the operations applied inside know besides their clips (:func:`report_result`)."""
    results: list[Any] = []
    token = _collectors.set((*_collectors.get(), results))
    try:
        yield results
    finally:
        _collectors.reset(token)


STANCE = "stance"
"""The name under which an operation that asks for it gets the clip that tells when feet stand."""


class Operation(BaseModel):
    """One edit, as a value: ``Smooth(cutoff_hz=6)(clip)`` returns the edited clip.

    A subclass lives in its own file ``operations/<op>.py``, has a literal tag ``op`` and knobs made by :func:`knob`,
    and implements :meth:`apply`. It is pure: the same knobs, clip and inputs give the same result, to the bit; chance
    enters through a ``seed`` knob. The registry finds it by itself.

    input_knobs : names of the knobs that name other clips (``other="sad"``).
    commutes_with_turns : whether turning the whole scene about the vertical before the edit or after it comes to the
        same; False for edits that name a direction or a place in the world.
    keeps_stance : whether feet stand in the same frames and on the same floor after the edit as before it. Then feet
        that are planted afterwards stand as they did before; False for edits of time and place.
    asks_for_stance : whether it can use the clip that tells when feet stand (see :func:`kinetune.recipes.take_step`),
        given to :meth:`apply` under the name "stance" where a recipe knows it.

    Every operation passes ``tests/operations/test_conformance.py`` from the moment that its file exists.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, ser_json_inf_nan="strings")

    op: str
    input_knobs: ClassVar[tuple[str, ...]] = ()
    commutes_with_turns: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = False
    asks_for_stance: ClassVar[bool] = False

    def __init__(self, **knobs: Any) -> None:
        try:
            super().__init__(**knobs)
        except ValidationError as error:
            from kinetune.operations.wording import explain

            raise ParameterError(explain(error, type(self), knobs)) from None

    @classmethod
    def tag(cls) -> str:
        """The name of the operation in recipes and on the command line."""
        return str(cls.model_fields["op"].default)

    @classmethod
    def summary(cls) -> str:
        """The first line of the class docstring."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def knobs(cls) -> dict[str, FieldInfo]:
        """The fields that a user turns, without the tag."""
        return {name: info for name, info in cls.model_fields.items() if name != "op"}

    @classmethod
    def neutral(cls) -> Self:
        """The operation with knobs at which it changes nothing."""
        return cls()

    @classmethod
    def example(cls) -> Self:
        """The operation as one would use it on a walk: it changes something. Overridden where knobs are required."""
        return cls()

    def inputs_needed(self) -> tuple[str, ...]:
        """The names of the other clips that :meth:`apply` asks for."""
        found: list[str] = []
        for knob_name in self.input_knobs:
            value = getattr(self, knob_name)
            names = [value] if isinstance(value, str) else list(value or ())
            found += [name for name in names if name and name not in found]
        return tuple(found)

    def check(self, skeleton: Skeleton) -> None:
        """Raise before the work begins if the knobs cannot fit this skeleton (an unknown joint, say)."""
        joints = getattr(self, "joints", None)
        if joints is not None:
            skeleton.select(joints)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The edited clip. Implemented by each operation."""
        raise TypeError(f"{type(self).__name__} does not implement apply().")

    def part(self, clip: Clip, inputs: Mapping[str, Clip], start: int, stop: int) -> Clip | None:
        """Frames ``start`` to ``stop - 1`` of the edited clip, where they can be had without the rest; else None.

        They are those of the whole to rounding. An editor shows them first while a hand moves a knob.
        """
        return None

    def __call__(self, clip: Clip, **inputs: Clip) -> Clip:
        """Apply to a clip; other clips go by the names that the knobs use: ``Blend(other="sad")(clip, sad=c)``."""
        missing = [name for name in self.inputs_needed() if name not in inputs]
        if missing:
            raise RecipeError(
                f'{self.tag()} needs the clip "{missing[0]}". '
                f"Give it as {type(self).__name__}(...)(clip, {missing[0]}=other)."
            )
        self.check(clip.skeleton)
        edited = self.apply(clip, inputs)
        if edited is clip:
            return clip
        return edited.replace(contacts=edited.contacts, history=(*clip.history, self.as_step()))

    def as_step(self) -> dict[str, Any]:
        """The operation as a JSON-ready mapping, knobs at their defaults left out."""
        return {"op": self.tag(), **self.model_dump(mode="json", exclude={"op"}, exclude_defaults=True)}
