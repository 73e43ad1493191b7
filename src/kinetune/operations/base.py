"""What an operation is: a value that holds the parameters, and turns a clip into another clip."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, RecipeError
from kinetune.findings import Finding, collectors
from kinetune.operations._region import Region, ease_in, nearly_all, only_inside
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


def parameter(default: Any, text: str, *, unit: str, **bounds: Any) -> Any:
    """Declare a parameter of an operation: its default, a sentence, its unit ("1": a pure number, "": a choice).

    ``off`` names a flag that switches it off (``go-on`` for ``stop``), beside ``--no-stop``; ``flag`` another name of
    its flag (``speed`` for ``speed_mps``). Further arguments go to
    pydantic's ``Field`` (``ge``, ``le``, ``gt``, ``lt``, ``min_length`` ...).
    Everything that shows the parameter (command line, studio, documents) reads this one declaration.
    """
    facts: dict[str, Any] = {"unit": unit, **{name: bounds.pop(name) for name in ("off", "flag") if name in bounds}}
    return Field(default, description=text, json_schema_extra=facts, **bounds)


def report_result(value: Any) -> None:
    """Hand out what an operation knows besides its clip: forces, weights, where feet landed."""
    for results in collectors.get():
        results.append(value)


def report_finding(finding: Finding) -> None:
    """Hand out something that a user should know about the edit, such as where a target is out of reach."""
    report_result(finding)


@contextmanager
def collecting_results() -> Iterator[list[Any]]:
    """Collect what the operations applied inside know besides their clips (:func:`report_result`)."""
    results: list[Any] = []
    token = collectors.set((*collectors.get(), results))
    try:
        yield results
    finally:
        collectors.reset(token)


STANCE = "stance"
"""The name under which an operation that asks for it gets the clip that says when feet stand."""

Needs = Literal["nothing", "pair", "examples"]


class Embedded(NamedTuple):
    """What a generator uses where no clip is given: samples as a pattern, and the parameters that go with them."""

    clips: str
    parameters: Mapping[str, Any] = {}


class Preview(NamedTuple):
    """Some frames of a clip, prepared so that an operation that is being dragged can be applied to them at once.

    mix : the frames after an operation with the same :meth:`Operation.preview_key`.
    exact : whether they are those of the whole clip.
    """

    mix: Callable[[Any], Clip]
    exact: bool


View = Callable[[int], tuple[int, int]]
"""The first frame in view and the one after the last, for a result of some frames."""


class LiveFrames(NamedTuple):
    """Some frames of a result.

    first, frames : where they begin, and how long the whole is.
    results : what :meth:`Operation.apply` would hand to :func:`report_result`.
    """

    clip: Clip
    first: int
    frames: int
    results: tuple[Any, ...] = ()


class LivePreview(Protocol):
    """Several clips, prepared so that an operation that combines them can be applied again and again."""

    def frames(self, operation: Any, view: View) -> LiveFrames:
        """The frames in view, for an operation with the same :meth:`Operation.live_key`."""


class _OperationClass(ModelMetaclass):
    """Lets ``help()`` and completion list what an operation adds, without the machinery of pydantic."""

    def __dir__(cls) -> list[str]:
        hidden = {*type.__dir__(BaseModel), "op"}
        names = type.__dir__(cls)
        return [name for name in names if name == "__call__" or not (name in hidden or name.startswith("_"))]


class Operation(BaseModel, metaclass=_OperationClass):
    """One edit, as a value: ``Smooth(cutoff_hz=6)(clip)`` returns the edited clip.

    A subclass lives in its own file ``operations/<op>.py``, has a literal tag ``op`` and parameters made by
    :func:`parameter`, and implements :meth:`apply`. It is pure: the same parameters, clip and inputs give the same
    result, to the bit; chance enters through a ``seed``. The registry, the command line, the studio and the documents
    find it by themselves. Every operation passes ``tests/operations/test_conformance.py``.

    Attributes
    ----------
    region : Region or None
        The part of the clip that it changes, with eased ends; all of it by default. A field of every operation, beside
        its parameters; see ``takes_region``.
    input_parameters : tuple of str
        The parameters that name other clips (``other="sad"``).
    combines_bodies : bool
        Whether those clips are combined with this one joint by joint: of another skeleton, they are retargeted first.
    commutes_with_turns : bool
        Whether rotating the whole scene about the vertical before the edit or after it comes to the same; False for
        edits that name a direction or a position in the world.
    moves_floor : bool
        Whether the floor goes along with the character, because the whole scene is moved, scaled or rotated.
    keeps_stance : bool
        Whether feet stand in the same frames and on the same floor after the edit as before it. Then feet that are
        planted afterwards stand as they did before; False for edits of time and position.
    asks_for_stance : bool
        Whether it can use the clip that says when feet stand (see :func:`kinetune.recipes.take_step`), given to
        :meth:`apply` under the name "stance" where a recipe knows it.
    slow : bool
        Whether it takes seconds or minutes: an editor computes it on request only, and keeps its results.
    local_in_time : bool
        Whether a frame of the result depends on nearby frames only, so that a part of the clip with a margin on both
        sides serves as a preview; see :meth:`is_local`.
    generator : bool
        Whether it makes a new motion out of examples and targets instead of editing the clip.
    takes_keys : bool
        Whether a joint that is moved by hand in an editor becomes one of its ``keys``.
    has_forces : bool
        Whether it reports forces between the feet and the floor.
    goals : tuple of str
        Of a generator, the parameters that say what to meet; without any of them it has nothing to do.
    embedded : Embedded or None
        Of a generator, the examples that serve where none are given.
    readers : mapping from str to callable
        Parameters whose value may stand in a file, with the function that reads it.
    takes_region : bool
        Whether its edit can be eased in for a :attr:`region`; False for edits that change the frames or the bones.
    comes_first : bool
        Whether it belongs before all other steps, since it lays out the clips that they edit.
    needs : {"nothing", "pair", "examples"}
        Which other clips an editor should offer when it is added: one that follows, or all others as examples.
    editor_values : mapping from str to value
        What an editor sets when it adds the operation, where a person who tries things out wants another value than the
        default.
    former_names : mapping from str to str
        Parameters by the names that they had in recipes of version 1; they still work, with a warning.
    former_defaults : mapping from str to value
        What a parameter that is left out meant in recipes up to version 2, where its default has changed since or it
        did not exist.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, ser_json_inf_nan="strings")

    op: str
    region: Region | None = Field(None, description="The part of the clip that is changed, with eased ends.")
    input_parameters: ClassVar[tuple[str, ...]] = ()
    combines_bodies: ClassVar[bool] = True
    commutes_with_turns: ClassVar[bool] = True
    moves_floor: ClassVar[bool] = False
    keeps_stance: ClassVar[bool] = False
    asks_for_stance: ClassVar[bool] = False
    slow: ClassVar[bool] = False
    local_in_time: ClassVar[bool] = False
    generator: ClassVar[bool] = False
    takes_keys: ClassVar[bool] = False
    has_forces: ClassVar[bool] = False
    goals: ClassVar[tuple[str, ...]] = ()
    embedded: ClassVar[Embedded | None] = None
    readers: ClassVar[Mapping[str, Callable[[str], Any]]] = {}
    takes_region: ClassVar[bool] = True
    comes_first: ClassVar[bool] = False
    needs: ClassVar[Needs] = "nothing"
    editor_values: ClassVar[Mapping[str, Any]] = {}
    former_names: ClassVar[Mapping[str, str]] = {}
    former_defaults: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        if "op" in inspect.get_annotations(cls):
            from kinetune.operations._parameters import document

            cls.__doc__, signature = document(cls)
            cls.__signature__ = signature

    def __init__(self, *values: Any, **parameters: Any) -> None:
        if values:
            from kinetune.operations._parameters import likely_parameter

            name, meant = type(self).__name__, likely_parameter(type(self), values[0])
            raise ParameterError(f"{name} takes its parameters by name: {name}({meant}={values[0]!r}).")
        for old in [name for name in parameters if name in self.former_names]:
            new = self.former_names[old]
            warnings.warn(f"{self.tag()}: {old} is called {new} now.", DeprecationWarning, stacklevel=2)
            parameters[new] = parameters.pop(old)
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            from kinetune.operations.wording import explain

            raise ParameterError(explain(error, type(self), parameters)) from None

    @classmethod
    def tag(cls) -> str:
        """The name of the operation in recipes and on the command line."""
        return str(cls.model_fields["op"].default)

    @classmethod
    def summary(cls) -> str:
        """The first line of the class docstring."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def description(cls) -> str:
        """The class docstring up to its first section, lines joined within a paragraph."""
        text = re.split(r"\n[A-Z][A-Za-z ]+\n-{3,}", inspect.getdoc(cls) or "", maxsplit=1)[0]
        return re.sub(r"(?<!\n)\n(?!\n)", " ", text).strip()

    @classmethod
    def parameters(cls) -> dict[str, FieldInfo]:
        """The fields that a user sets, without the tag and the region, which all operations have."""
        return {name: info for name, info in cls.model_fields.items() if name not in ("op", "region")}

    @classmethod
    def renamed(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The same parameters by their present names."""
        return {cls.former_names.get(name, name): value for name, value in parameters.items()}

    @classmethod
    def neutral(cls) -> Self:
        """The operation with parameters at which it changes nothing: with an amount, none of it."""
        return cls(amount=0.0) if "amount" in cls.model_fields else cls()

    @classmethod
    def example(cls) -> Self:
        """The operation as one would use it on a walk: it changes something."""
        return cls()

    def inputs_needed(self) -> tuple[str, ...]:
        """The names of the other clips that :meth:`apply` asks for."""
        values = [getattr(self, name) for name in self.input_parameters]
        clips = [clip for value in values for clip in ([value] if isinstance(value, str) else value or ())]
        return tuple(dict.fromkeys(clip for clip in clips if clip))

    def check(self, skeleton: Skeleton) -> None:
        """Raise before the work begins if the parameters cannot fit this skeleton (an unknown joint, say)."""
        joints = getattr(self, "joints", None)
        if joints is not None:
            skeleton.select(joints)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The edited clip. Implemented by each operation."""
        raise TypeError(f"{type(self).__name__} does not implement apply().")

    def part(self, clip: Clip, inputs: Mapping[str, Clip], start: int, stop: int) -> Clip | None:
        """Frames ``start`` to ``stop - 1`` of the edited clip, where they can be had without the rest; else None.

        They are those of the whole to rounding. An editor shows them first while a control is moved.
        """
        return None

    def part_before(self, clip: Clip, first: int, last: int) -> Clip:
        """Some frames of a clip as they come to this step, for :meth:`finished`: made once while its knobs move."""
        return clip[first:last]

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The edited clip, or a part of it, after what follows every edit of this kind; see :class:`MovesFeet`.

        Parameters
        ----------
        before : Clip
            The same frames before the edit.
        edited : Clip
            What :meth:`apply`, :meth:`part` or a preview gave.
        share : array, shape (frames,), optional
            How much of the edit each frame takes; where it is 0, nothing changes any more.
        """
        return edited

    def completed(self, before: Clip, edited: Clip, share: Floats | None) -> Clip:
        """The :meth:`finished` edit, eased in and out at the ends of its region.

        share : how much of the edit each frame takes (:meth:`Region.shares`); None for all of it.
        """
        if share is None:
            return self.finished(before, edited)
        try:
            eased = ease_in(before, edited, share)
        except ParameterError as problem:
            raise ParameterError(f"{self.tag()}: {problem}") from None
        return only_inside(before, self.finished(before, eased, share), share)

    def is_local(self) -> bool:
        """Whether a part of the clip will do with these parameters."""
        return self.local_in_time

    def preview_key(self) -> tuple[Any, ...] | None:
        """The parameters that a preview depends on, so that the others may change; None where there is no preview."""
        return None

    def preview(self, clip: Clip, first: int, last: int) -> Preview | None:
        """Frames ``first`` to ``last - 1`` of the clip, prepared for operations with the same :meth:`preview_key`."""
        return None

    def live_key(self) -> tuple[Any, ...] | None:
        """The parameters that a live preview depends on; None where there is none, or nothing to show."""
        return None

    def live_preview(self, clip: Clip, inputs: Mapping[str, Clip]) -> LivePreview:
        """The clips, prepared for operations with the same :meth:`live_key`."""
        raise TypeError(f"{type(self).__name__} has no live preview.")

    @property
    def partner(self) -> str | None:
        """The name of the clip that this one is aligned with, if it is aligned with one."""
        return None

    def matched_times(self, clip: Clip, inputs: Mapping[str, Clip]) -> Floats:
        """Corresponding moments of the clip and its :attr:`partner`, (n, 2) seconds."""
        raise TypeError(f"{type(self).__name__} aligns no clips.")

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """Where the moments of a clip went: parts in order, each (n, 2) seconds in the clip and in the result.

        None where no moment of the result is one of the clip, or where that is not known.

        Parameters
        ----------
        result, report : what :meth:`apply` and :meth:`report` made of the clip and its inputs.
        """
        same = len(result) == len(clip) and result.fps == clip.fps and not self.generator
        return [np.repeat([[0.0], [clip.duration]], 2, axis=1)] if same else None

    def band_gains(self, clip: Clip) -> list[float] | None:
        """The gain of each frequency band, fastest first; None for an operation without bands."""
        return None

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """What is shown beside the motion, JSON-ready: how near a target was reached, where feet landed.

        Parameters
        ----------
        results : sequence
            What :meth:`apply` handed to :func:`report_result`.
        """
        return None

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """The sentences that a command prints about a :meth:`report`; what a user should mind is a finding."""
        return ()

    def editor_report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """The report as an editor needs it beside its handles, JSON-ready; by default :meth:`report`."""
        return self.report(before, after, results)

    def __call__(self, clip: Clip, **inputs: Clip) -> Clip:
        """Apply to a clip; other clips go by the names that the parameters use: ``Blend(other="sad")(clip, sad=c)``."""
        missing = [name for name in self.inputs_needed() if name not in inputs]
        if missing:
            raise RecipeError(
                f'{self.tag()} needs the clip "{missing[0]}". '
                f"Give it as {type(self).__name__}(...)(clip, {missing[0]}=other)."
            )
        self.check(clip.skeleton)
        if self.region is not None and not self.takes_region:
            raise ParameterError(
                f"{self.tag()} changes the timing or the bones of a clip, which cannot be eased in for a region. "
                "Apply it to the whole clip."
            )
        if self.combines_bodies and self.input_parameters:
            from kinetune.operations._one_body import on_one_body

            inputs = on_one_body(clip, inputs, self.inputs_needed())
        share = None if self.region is None else self.region.shares(len(clip), clip.fps)
        edited = self.apply(clip, inputs)
        if edited is clip:
            return clip
        edited = self.completed(clip, edited, share)
        return edited.replace(contacts=edited.contacts, history=(*clip.history, self.as_step()))

    def as_step(self) -> dict[str, Any]:
        """The operation as a JSON-ready mapping, parameters at their defaults left out."""
        return {"op": self.tag(), **self.model_dump(mode="json", exclude={"op"}, exclude_defaults=True)}

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """Only what differs from the defaults: ``Smooth(cutoff_hz=4.0)``."""
        fields = type(self).parameters()
        return [(name, getattr(self, name)) for name in fields if name in self.model_fields_set]

    def __str__(self) -> str:
        return repr(self)


class MovesFeet(Operation):
    """An edit that can move feet that stand; it keeps them standing unless that is switched off.

    Characters without legs are edited as they are. Where the edit leaves the legs alone, so does this.

    Attributes
    ----------
    stands_as_before : bool
        Whether feet stand after the edit as they did before it, in rotation and height too. False for edits that make
        another motion, or that are meant to change how a foot stands (to smooth it, say).
    keeps_hands_out : bool
        Whether hands go no deeper into the floor than before; False for edits that are told where a hand goes.
    moves_pelvis : bool
        Whether the pelvis may give way so that legs reach; False where something above it must stay where it is.
    leaves_feet_to : tuple of str
        The operations that take care of the feet when they come next in a recipe.
    """

    stands_as_before: ClassVar[bool] = True
    keeps_hands_out: ClassVar[bool] = False
    moves_pelvis: ClassVar[bool] = True
    leaves_feet_to: ClassVar[tuple[str, ...]] = ("plant_feet",)

    keep_feet: bool = parameter(
        True,
        "Keep standing feet in place and knees from bending backward; off leaves both to the edit.",
        unit="",
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls.former_defaults = {"keep_feet": False, **cls.former_defaults}
        super().__pydantic_init_subclass__(**options)

    @classmethod
    def parameters(cls) -> dict[str, FieldInfo]:
        """The fields that a user sets, those of the edit itself first."""
        fields = super().parameters()
        return {
            **{name: info for name, info in fields.items() if name != "keep_feet"},
            "keep_feet": fields["keep_feet"],
        }

    def keeps_feet_of(self, skeleton: Skeleton) -> bool:
        """Whether feet are kept with these parameters."""
        return self.keep_feet

    def feet_amount(self, edited: Clip) -> float | Floats:
        """How much of the correction to take, in [0, 1]: one number, or one for each frame."""
        return 1.0

    def part_before(self, clip: Clip, first: int, last: int) -> Clip:
        """Some frames as they come to this step, with the contacts and the ground of the whole clip."""
        if not (self.keep_feet and self.keeps_stance):
            return super().part_before(clip, first, last)
        from kinetune.body.feet.planting import standing_part

        return standing_part(clip, first, last)

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The edited clip with its feet standing."""
        if not self.keeps_feet_of(edited.skeleton):
            return edited
        from kinetune.body.feet.planting import PELVIS_M, keep_feet

        amount, before_edit = self.feet_amount(edited), before if self.keeps_stance else None
        if share is not None:
            amount = amount * nearly_all(share)
        pelvis_m = PELVIS_M if self.moves_pelvis else 0.0
        return keep_feet(
            edited,
            before_edit,
            as_before=self.stands_as_before,
            hands=self.keeps_hands_out,
            amount=amount,
            pelvis_m=pelvis_m,
        )

    def as_step(self) -> dict[str, Any]:
        """The operation as a JSON-ready mapping; whether it keeps feet is always stated."""
        return {**super().as_step(), "keep_feet": self.keep_feet}
