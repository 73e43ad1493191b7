"""The recipe: named inputs and steps, as a value that can be run, shared and written as YAML."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationError, field_serializer

from kinetune.body.clip import Clip
from kinetune.errors import FileError, KinetuneError, RecipeError, did_you_mean, nearest
from kinetune.input_files import read_input, reading
from kinetune.operations import Operation, find_operation
from kinetune.operations.base import MovesFeet
from kinetune.recipes import _migrations as migrations
from kinetune.recipes.sources import SOURCE, absolute, open_clip, relative
from kinetune.recipes.steps import Reached, take_step

_HEADER = "# A Kinetune recipe. Run it with: kinetune apply THIS_FILE IN -o OUT\n"


class Recipe(BaseModel):
    """Named inputs and the steps that turn a clip into another: ``recipe(clip)``.

    A recipe is the unit of undo, sharing, batch and provenance. As YAML::

        version: 3
        name: calmer walk
        inputs:
          sad: clips/sad_walk.bvh   # as seen from the recipe's folder; "sample:sad-walk" for a sample
          other:                    # no file: whoever runs the recipe gives one
        steps:
          - op: smooth
            cutoff_hz: 6
            joints: left arm
          - op: mirror
            off: true               # kept, not applied

    Parameters
    ----------
    version : the version of the document; a file without one is version 1.
    name : what it is called in messages.
    notes : anything a person wants to say about it.
    inputs : name of each other clip to its file, or to None where it is given when the recipe runs. Paths are made
        absolute when the recipe is made, so that it means the same wherever it is run. Steps may also name "source",
        the clip that the recipe is run on, which is never declared.
    steps : operations in the order in which they are applied, those that are switched off included.
    off : the places of steps that are switched off, counted from 0. They are kept, with the inputs that they name, and
        take no part when the recipe runs; in a file each says ``off: true`` itself.

    Notes
    -----
    Law: writing and reading gives the same recipe (``test_recipes.py::test_a_written_recipe_reads_back``).

    Examples
    --------
    >>> from kinetune import Mirror, Smooth, sample
    >>> recipe = Recipe(steps=[Smooth(cutoff_hz=6), Mirror()])
    >>> [step["op"] for step in recipe(sample("walk")).history]
    ['smooth', 'mirror']
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = Field(default=migrations.VERSION, ge=migrations.VERSION, le=migrations.VERSION)
    name: str = ""
    notes: str = ""
    inputs: Mapping[str, str | None] = Field(default_factory=dict)
    steps: tuple[SerializeAsAny[Operation], ...] = ()
    off: frozenset[int] = Field(default=frozenset(), exclude=True)  # each step is written with its own word

    def __init__(self, **fields: Any) -> None:
        _make(self, fields, str(fields.get("name") or "recipe"), Path())

    @field_serializer("steps")
    def _steps_without_defaults(self, steps: tuple[Operation, ...]) -> list[dict[str, Any]]:
        return [{**step.as_step(), **({"off": True} if n in self.off else {})} for n, step in enumerate(steps)]

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def active(self) -> tuple[Operation, ...]:
        """The steps that are applied: all but those that are switched off."""
        return tuple(step for number, step in enumerate(self.steps) if number not in self.off)

    def off_words(self) -> str:
        """What is switched off, as one sentence for whoever runs it; empty where nothing is."""
        if not self.off:
            return ""
        named = [f"{number + 1} ({self.steps[number].tag()})" for number in sorted(self.off)]
        steps, are = ("Step", "is") if len(named) == 1 else ("Steps", "are")
        return f"{steps} {', '.join(named)} of {len(self.steps)} {are} off and not applied."

    def inputs_needed(self) -> tuple[str, ...]:
        """The names of the other clips that running it takes and for which it names no file."""
        asked = [name for step in self.active for name in step.inputs_needed() if name != SOURCE]
        declared = [name for name, path in self.inputs.items() if path is None]
        known = {name for name, path in self.inputs.items() if path is not None}
        return tuple(dict.fromkeys(name for name in [*declared, *asked] if name not in known))

    def __call__(self, clip: Clip, **inputs: Clip) -> Clip:
        """Apply every step to a clip; other clips go by name, those with a file in the recipe may be left out."""
        for edited in self.stepwise(clip, self.open_inputs(inputs)):
            clip = edited
        return clip

    def open_inputs(
        self, given: Mapping[str, Clip | str | os.PathLike[str]], *, label: str | None = None, **reading: Any
    ) -> dict[str, Clip]:
        """Every clip that the steps ask for, by name: the given ones first, the rest from the recipe's files.

        reading : options of :func:`kinetune.read` for the given ones; the recipe's own files are read as they are.
        """
        where = label or self.name or "recipe"
        known = {**self.inputs, **dict.fromkeys(self.inputs_needed())}
        for name in given:
            if name not in known:
                hint = did_you_mean(nearest(name, known, 1))
                takes = ", ".join(known) or "none"
                raise RecipeError(f'{where}: it has no input "{name}".{hint} Its inputs: {takes}.')
        missing = [name for name in self.inputs_needed() if name not in given]
        if missing:
            raise RecipeError(
                f'{where}: it needs the clip "{missing[0]}". Give it with --input {missing[0]}=FILE on the command '
                f"line, or as recipe(clip, {missing[0]}=other) in Python."
            )
        needed = dict.fromkeys(name for step in self.active for name in step.inputs_needed() if name != SOURCE)
        opened = {}
        for name in needed:
            source = given.get(name, self.inputs.get(name))
            if source is not None:
                opened[name] = open_clip(source, **(reading if name in given else {}))
        return opened

    def stepwise(self, clip: Clip, inputs: Mapping[str, Clip], *, label: str | None = None) -> Iterator[Clip]:
        """The clip after each step that is on, in turn; an error says at which step it happened."""
        where = label or self.name
        inputs = {**inputs, SOURCE: clip}
        reached = Reached.start(clip)
        for number, step in enumerate(self.steps, 1):
            if number - 1 in self.off:
                continue
            try:
                reached = take_step(step, reached, inputs)
            except KinetuneError as error:
                if not where and len(self.steps) == 1:
                    raise
                named = str(error).startswith(f"{step.tag()}:")
                place = f"{where}, step {number}" if where else f"step {number}" + ("" if named else f" ({step.tag()})")
                raise RecipeError(f"{place}: {error}") from error
            yield reached.clip

    @classmethod
    def from_history(cls, clip: Clip, name: str = "") -> Recipe:
        """The recipe that repeats what was done to a clip; the other clips that it used are declared by name."""
        steps = _read_steps([migrations.from_history(step) for step in clip.history], "the clip's history")
        named = dict.fromkeys(other for step in steps for other in step.inputs_needed() if other != SOURCE)
        return cls(name=name, inputs=named, steps=steps)

    @classmethod
    def parse(cls, text: str, *, where: str = "recipe", folder: str | os.PathLike[str] = ".") -> Recipe:
        """A recipe from its YAML or JSON text.

        Parameters
        ----------
        where : what the text is called in error messages.
        folder : the folder from which the paths of its inputs are seen.
        """
        from kinetune.input_files.plain_yaml import parse_yaml

        document = _parse_json(text, where) if text.lstrip().startswith("{") else parse_yaml(text, where)
        if not isinstance(document, dict):
            raise RecipeError(f"{where}: a recipe is a mapping with the key steps, not {_kind(document)}.")
        if "off" in document:
            raise RecipeError(f'{where}: a recipe has no key "off". Write off: true in each step that is switched off.')
        current = migrations.migrate(document, where)
        recipe = cls.__new__(cls)
        _make(recipe, current, where, Path(folder))
        if "steps" not in current:
            raise RecipeError(f'{where}: this is not a recipe: it has no key "steps". Is it another kind of file?')
        return recipe

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Recipe:
        """A recipe from a YAML or JSON file."""
        from kinetune.input_files.plain_yaml import MOST_CHARACTERS

        path = Path(path)
        with reading(path):
            try:
                text = read_input(path, largest=4 * MOST_CHARACTERS, what="a recipe").decode("utf-8-sig")
            except UnicodeDecodeError:
                advice = "Is it a recipe? Save it as UTF-8."
                raise FileError(path, "this is not text in UTF-8.", advice=advice) from None
            return cls.parse(text, where=str(path), folder=path.parent)

    def text(self, *, folder: str | os.PathLike[str] | None = ".") -> str:
        """The recipe as YAML, the paths of its inputs as seen from ``folder``; :meth:`parse` gives it back.

        folder : None writes absolute paths, for a text that may be put anywhere.
        """
        from kinetune.input_files.plain_yaml import to_yaml

        return _HEADER + to_yaml(self.as_document(folder=folder))

    def as_document(self, *, folder: str | os.PathLike[str] | None = ".") -> dict[str, Any]:
        """The recipe as a JSON-ready mapping, what is empty left out; ``folder`` as in :meth:`text`."""
        seen = {
            name: path if path is None or folder is None else relative(path, Path(folder))
            for name, path in self.inputs.items()
        }
        document: dict[str, Any] = {"version": self.version, "name": self.name, "notes": self.notes, "inputs": seen}
        filled = {key: value for key, value in document.items() if value or key == "version"}
        return {**filled, "steps": self._steps_without_defaults(self.steps)}

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write it as YAML, or as JSON where the name ends in .json; never leaves a half-written file."""
        from kinetune.formats import write_files

        path = Path(path)
        if path.suffix.lower() == ".json":
            text = json.dumps(self.as_document(folder=path.parent), indent=2) + "\n"
        else:
            text = self.text(folder=path.parent)
        write_files({path: text.encode()})
        return path


def _make(recipe: Recipe, fields: Mapping[str, Any], where: str, folder: Path) -> None:
    """Fill a recipe from plain fields; any error becomes one message that names the field."""
    fields = dict(fields)
    if isinstance(fields.get("steps"), Operation):
        fields["steps"] = (fields["steps"],)
    given = fields.get("steps") or ()
    fields["steps"] = _read_steps(given, where)
    fields["off"] = _read_off(given, fields.get("off") or (), where)
    fields["steps"] = _plant_once(fields["steps"], fields["off"])
    fields["inputs"] = _read_inputs(fields.get("inputs") or {}, where, folder)
    for optional in ("name", "notes"):
        if fields.get(optional) is None:
            fields.pop(optional, None)
    try:
        BaseModel.__init__(recipe, **fields)
    except ValidationError as error:
        from kinetune.operations.wording import problem_of

        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            hint = did_you_mean(nearest(key, Recipe.model_fields, 1))
            known = ", ".join(name for name in Recipe.model_fields if name != "off")
            raise RecipeError(f'{where}: a recipe has no key "{key}".{hint} Its keys: {known}.') from None
        raise RecipeError(f"{where}: {key} is {first['input']!r:.60}, but {problem_of(first)}.") from None


def _read_steps(steps: Any, where: str) -> tuple[Operation, ...]:
    if isinstance(steps, str | Mapping) or not isinstance(steps, Sequence):
        raise RecipeError(f"{where}: steps must be a list of operations, each with its name under op.")
    return tuple(_read_step(step, f"{where}, step {number}") for number, step in enumerate(steps, 1))


def _plant_once(steps: tuple[Operation, ...], off: frozenset[int]) -> tuple[Operation, ...]:
    """The steps, where one leaves feet to the next if that takes care of them, unless it says that it keeps them."""
    on = [number for number in range(len(steps)) if number not in off]
    left = {
        number
        for number, after in pairwise(on)
        if isinstance(step := steps[number], MovesFeet)
        and steps[after].tag() in step.leaves_feet_to
        and steps[after].region is None
        and "keep_feet" not in step.model_fields_set
    }
    return tuple(step.model_copy(update={"keep_feet": False}) if n in left else step for n, step in enumerate(steps))


def _read_off(steps: Sequence[Any], given: Any, where: str) -> frozenset[int]:
    """The places of steps that are off: named one by one in Python, by a word of their own in a file."""
    marked = {number for number, step in enumerate(steps) if isinstance(step, Mapping) and step.get("off")}
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise RecipeError(
            f"{where}: off names the places of steps, not {_kind(given)}. In a file, write off: true in a step."
        )
    for number in given:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(steps):
            raise RecipeError(f"{where}: off names the places of steps, 0 to {len(steps) - 1}, not {number!r:.40}.")
    return frozenset(marked | set(given))


def _read_step(step: Any, place: str) -> Operation:
    if isinstance(step, Operation):
        return step
    if not isinstance(step, Mapping) or not isinstance(step.get("op"), str):
        raise RecipeError(f"{place}: a step is a mapping such as {{op: smooth, cutoff_hz: 6}}, not {_kind(step)}.")
    if not isinstance(step.get("off", False), bool):
        raise RecipeError(f"{place}: off is true or false, not {_kind(step['off'])}.")
    try:
        operation = find_operation(step["op"])
        return operation(**{str(name): value for name, value in step.items() if name not in ("op", "off")})
    except KinetuneError as error:
        raise RecipeError(f"{place}: {error}") from None


def _check_input_name(name: Any, where: str) -> None:
    if not isinstance(name, str) or not name:
        raise RecipeError(f"{where}: {name!r:.60} cannot be the name of an input. Use a word.")


def _read_inputs(inputs: Any, where: str, folder: Path) -> dict[str, str | None]:
    if isinstance(inputs, Sequence) and not isinstance(inputs, str):
        for name in inputs:
            _check_input_name(name, where)
        inputs = dict.fromkeys(inputs)
    if not isinstance(inputs, Mapping):
        raise RecipeError(f"{where}: inputs must name clips, each with its file or nothing, not {_kind(inputs)}.")
    sources: dict[str, str | None] = {}
    for name, source in inputs.items():
        _check_input_name(name, where)
        if name == SOURCE:
            raise RecipeError(f'{where}: "{SOURCE}" is always the clip that the recipe is run on. Use another name.')
        if source is not None and not isinstance(source, str | os.PathLike):
            raise RecipeError(f'{where}: the input "{name}" is {_kind(source)}, but it must be the path of a file.')
        sources[name] = None if source is None or source == "" else absolute(os.fspath(source), folder)
    return sources


def _parse_json(text: str, where: str) -> Any:
    from kinetune.input_files.plain_yaml import MOST_CHARACTERS, parse_yaml

    if len(text) > MOST_CHARACTERS:
        raise RecipeError(f"{where}: the text has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read.")
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _distinct(pairs, where))
    except json.JSONDecodeError:
        return parse_yaml(text, where)  # braces are YAML too, and its errors name the line
    except RecursionError:
        raise RecipeError(f"{where}: values are nested too deeply.") from None
    except ValueError:
        raise RecipeError(f"{where}: a whole number in it has too many digits.") from None


def _distinct(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise RecipeError(f'{where}: the key "{twice}" comes twice. Keep one of them.')
    return mapping


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    kinds = ((dict, "a mapping"), (list, "a list"), (str, "text"))
    kind = next((label for kind, label in kinds if isinstance(value, kind)), "a value")
    return f"{kind} ({value!r:.40})"
