"""What operations report beside their motion: how near a target was reached, where feet landed, forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetune.body.clip import Clip
from kinetune.findings import Finding
from kinetune.inverse.blend.inverse_blend import Aimed
from kinetune.inverse.walk.walk_values import Walk
from kinetune.operations import Operation
from kinetune.operations.aim import Aim
from kinetune.studio.evaluate.generator_previews import GeneratorPreviews, walk_report


def report_of(
    operation: Operation,
    before: Clip,
    after: Clip,
    inputs: Mapping[str, Clip],
    results: list[Any],
    generators: GeneratorPreviews,
) -> Mapping[str, Any] | None:
    """The report of an operation that has one, JSON-ready.

    results : what it has reported besides its clip (:func:`kinetune.operations.base.report_result`).
    """
    values = [value for value in results if not isinstance(value, Finding)]
    report = _own_report(operation, before, after, inputs, values, generators)
    findings = [value.as_dict() for value in results if isinstance(value, Finding)]
    return {**(report or {}), "findings": findings} if findings else report


def _own_report(
    operation: Operation,
    before: Clip,
    after: Clip,
    inputs: Mapping[str, Clip],
    values: list[Any],
    generators: GeneratorPreviews,
) -> Mapping[str, Any] | None:
    for value in values:
        if isinstance(operation, Aim) and isinstance(value, Aimed):
            return generators.report(operation, value, before, inputs)
        if isinstance(value, Walk):
            return walk_report(value)
    return operation.report(before, after, values)
