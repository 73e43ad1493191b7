"""What operations report beside their motion: how near a target was reached, where feet landed, forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.findings import Finding
from kinetune.inverse.blend.inverse_blend import Aimed
from kinetune.inverse.walk.walk_values import Walk
from kinetune.operations import Operation
from kinetune.operations.aim import Aim
from kinetune.operations.displace import Displace
from kinetune.operations.filter_dynamics import FilterDynamics
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
    if isinstance(operation, Displace):
        return _displaced(operation, before, after)
    for value in values:
        if isinstance(operation, Aim) and isinstance(value, Aimed):
            return generators.report(operation, value, before, inputs)
        if isinstance(value, Walk):
            return walk_report(value)
        if isinstance(operation, FilterDynamics):
            return {"tracking": asdict(value.tracking), "failures": [each.as_dict() for each in value.failures]}
    return None


def _displaced(operation: Displace, before: Clip, after: Clip) -> Mapping[str, Any]:
    """How far each key that names a position stays from it."""
    misses: list[float | None] = []
    for key in operation.keys:
        if key.to is None:
            misses.append(None)
            continue
        frame = round((key.time_s or 0.0) * before.fps) if key.frame is None else key.frame
        joint = 0 if key.joint is None else after.skeleton.index(key.joint)
        misses.append(1e3 * float(np.linalg.norm(after.positions()[frame, joint] - np.array(key.to))))
    return {"misses_mm": misses}
