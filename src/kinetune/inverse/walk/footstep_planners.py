"""Footsteps along a path: straight on, round a circle, in a slalom, or along any points.

================  ===================================================================================
plan_footsteps    footsteps along a path that is named or given by points
read_path         a path from a CSV file
WAYS              the ways that have names, and their parameters
================  ===================================================================================
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import MalformedFileError, ParameterError, UnknownNameError
from kinetune.input_files import reading, table_rows
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.detours import BENDS_M, beside, each_missing, missing_of, natural_gait
from kinetune.inverse.walk.footsteps import OTHER, Footstep, Side
from kinetune.rotations import Floats

WAYS: dict[str, dict[str, float]] = {
    "straight": {"length": 5.0},
    "circle": {"r": 2.0, "turns": 1.0},
    "slalom": {"length": 12.0, "amplitude": 0.35, "wave": 6.0},
}
"""Named ways and their parameters: metres, and for ``turns`` whole circles, negative to the right."""
POINTS = "points:"
"""What a path by points begins with, where it is written as text."""
MOST_STEPS = 20_000
_FINE = 0.01
_MET = 1e-6
_MOST_TURNS = np.deg2rad([22.0, 20.0, 18.0, 16.0, 14.0])
"""How far a step may turn; the later ones are tried for a set that cannot make the steps of the earlier ones."""
_SHORTER = (1.0, 0.85, 0.7, 0.55)
"""Shares of the natural step that are tried in turn, likewise."""
_ROUNDER_M = (0.0, 0.15, 0.3, 0.5, 0.8, 1.2)
"""How far corners of a path are rounded, likewise."""
_LENGTH, _WIDTH = 0.44, 0.16
_LARGEST_FILE = 16 << 20


def plan_footsteps(
    path: str | ArrayLike,
    *,
    count: int | None = None,
    length: float | None = None,
    width: float | None = None,
    toe_out_deg: float | None = None,
    first: Side = "left",
    start: Sequence[float] = (0.0, 0.0, 0.0),
    close: bool | None = None,
    steps: StepSet | None = None,
    **parameters: float,
) -> list[Footstep]:
    """Plan footsteps along a path.

    Parameters
    ----------
    path : str or array
        ``"straight"``, ``"circle"`` or ``"slalom"`` (see :data:`WAYS`; parameters may follow the name, as in
        ``"circle:r=2,turns=0.5"``, or be given by name), or points (n, 2) as x and z in metres, or (n, 3) with the
        heading in degrees at each: then feet point that way instead of along the path. ``"points:0,0;0,2;1,4"`` are
        points, too.
    count : int or None, optional
        How many footsteps; a named path is made as long as that takes. By default as many as the path is long.
    length, width : float or None, optional
        Of a step in metres; those natural for ``steps`` by default. Where the path turns sharply, steps become
        shorter. If ``steps`` cannot make them, all become shorter, and then corners of the path are rounded.
    toe_out_deg : float or None, optional
        How far toes point outwards.
    first : {"left", "right"}, optional
        The foot that steps first.
    start : sequence of float, optional
        x, z in metres and heading in degrees, where a named path begins.
    close : bool or None, optional
        End with a step beside the last one, so that the walk can come to a stand. Left out: if ``steps`` can.
    steps : StepSet or None, optional
        The set that will walk, for its natural steps.
    parameters : float, optional
        Parameters of a named path: ``r=2``, ``turns=0.5`` for a circle.

    Returns
    -------
    list of Footstep
        In the order in which they are stepped on.

    Examples
    --------
    >>> [step.side for step in plan_footsteps("straight", count=3)]
    ['left', 'right', 'left']
    """
    if first not in OTHER:
        raise ParameterError(f'first is the foot that steps first, "left" or "right", not {first!r}.')
    if count is not None and not 1 <= count <= MOST_STEPS:
        raise ParameterError(f"count must be from 1 to {MOST_STEPS:,}, not {count}.")
    usual_width, usual_length, toe_out = (_WIDTH, _LENGTH, np.deg2rad(2.0)) if steps is None else natural_gait(steps)
    stride = _positive("length", usual_length if length is None else length, 0.05, 3.0)
    across = _positive("width", usual_width if width is None else width, 0.0, 1.0)
    out = toe_out if toe_out_deg is None else float(np.deg2rad(toe_out_deg))
    closing = (steps is None or steps.has("left", "stopping")) if close is None else close
    way = _way(path, parameters, start, None if count is None else (count + 1) * stride)
    missing, best = np.inf, list[Footstep]()
    turns = _MOST_TURNS if np.ptp(way[:, 2]) else _MOST_TURNS[:1]
    shares = _SHORTER if length is None and count is None else _SHORTER[:1]
    for sigma in _ROUNDER_M:
        for share, most_turn in itertools.product(shares, turns):
            places = _paces(_rounded(way, sigma), share * stride, float(most_turn), count, closing=closing)
            sides = itertools.cycle((first, OTHER[first]))
            made = [Footstep.at(s, beside(place, s, across, out)) for place, s in zip(places, sides, strict=False)]
            if steps is None:
                return made
            now = missing_of(steps, made[: len(made) - closing], missing)
            if not best or now < missing:
                missing, best = now, made
            if missing <= _MET:
                return best
        # A path is not rounded for what a step can be bent by.
        if steps is None or max(each_missing(steps, best[: len(best) - closing]), default=0.0) < BENDS_M:
            break
    return best


def read_path(path: str | Path) -> list[tuple[float, ...]]:
    """A path from a CSV file: a point a line, x and z in metres, with or without a heading in degrees.

    Returns
    -------
    list of tuple
        What :func:`plan_footsteps` takes.
    """
    with reading(path):
        return _parse_path(path)


def _parse_path(path: str | Path) -> list[tuple[float, ...]]:
    points: list[tuple[float, ...]] = []
    for line, cells in table_rows(path, largest=_LARGEST_FILE, what="a path"):
        if not points and [cell.casefold() for cell in cells] in (["x", "z"], ["x", "z", "heading_deg"]):
            continue
        try:
            point = tuple(float(cell) for cell in cells)
        except ValueError:
            point = ()
        if len(point) not in (2, 3) or (points and len(point) != len(points[0])) or not np.isfinite(point).all():
            shown = ",".join(cells)[:80]
            raise MalformedFileError(
                path, f"{shown!r} is no point of a path.", line=line, advice="Write x and z in metres, say: 0.5,2.0"
            )
        points.append(point)
    if len(points) < 2:
        raise MalformedFileError(path, "a path has at least two points.", advice="Write one a line, say: 0.5,2.0")
    return points


def _points(text: str) -> Floats:
    """ "0,0;0,2;1,4" as points."""
    try:
        rows = [[float(cell) for cell in part.split(",")] for part in filter(None, text.strip().split(";"))]
        return np.asarray(rows, dtype=float)
    except ValueError:
        raise ParameterError(
            f'"{text[:80]}" are no points of a path; write x and z of each, say points:0,0;0,2;1,4.'
        ) from None


def parse_way(text: str) -> tuple[str, dict[str, float]]:
    """``"circle:r=2,turns=0.5"`` as a name and its parameters."""
    name, _, rest = text.strip().partition(":")
    parameters: dict[str, float] = {}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = part.partition("=")
        try:
            parameters[key.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise ParameterError(f'"{part}" is not a parameter of a path; write, for example, circle:r=2,turns=0.5.')
    return name.strip(), parameters


def _positive(name: str, value: float, least: float, most: float) -> float:
    number = float(value)
    if not (np.isfinite(number) and least <= number <= most):
        raise ParameterError(f"{name} of a step must be from {least:g} to {most:g} m, not {value}.")
    return number


def _way(path: str | ArrayLike, given: dict[str, float], start: Sequence[float], needed: float | None) -> Floats:
    """A way as fine points (n, 3): x, z, heading in radians, unrolled."""
    if not isinstance(path, str):
        if given:
            raise ParameterError(f'A path through points has no parameter "{next(iter(given))}".')
        return _through(path)
    if path.strip().startswith(POINTS):
        return _way(_points(path.strip().removeprefix(POINTS)), given, start, needed)
    name, written = parse_way(path)
    if name not in WAYS:
        raise UnknownNameError("path", name, WAYS, advice=f"Paths: {', '.join(WAYS)}, and points:x,z;x,z;...")
    values: dict[str, Any] = {**WAYS[name], **written, **given}
    strange = next((key for key in values if key not in WAYS[name]), None)
    if strange is not None:
        raise ParameterError(f'The path "{name}" has no parameter "{strange}"; it has: {", ".join(WAYS[name])}.')
    for key, value in values.items():
        if not np.isfinite(value) or (key not in ("turns", "amplitude") and value <= 0.0) or abs(value) > 10_000.0:
            raise ParameterError(f"{key} of the path {name} must be a positive number up to 10,000, not {value:g}.")
    if len(start) != 3 or not np.isfinite(np.asarray(start, dtype=float)).all():
        raise ParameterError(f"start is x, z and heading in degrees; got {tuple(start)}.")
    points = _NAMED[name](values, needed)
    heading = np.deg2rad(start[2])
    cosine, sine = np.cos(heading), np.sin(heading)
    x, z = points[:, 0], points[:, 1]
    return np.stack(
        [start[0] + cosine * x + sine * z, start[1] - sine * x + cosine * z, points[:, 2] + heading], axis=-1
    )


def _straight(values: dict[str, float], needed: float | None) -> Floats:
    z = _fine(values["length"] if needed is None else needed)
    return np.stack([0.0 * z, z, 0.0 * z], axis=-1)


def _circle(values: dict[str, float], needed: float | None) -> Floats:
    sign = -1.0 if values["turns"] < 0 else 1.0
    whole = 2.0 * np.pi * values["r"] * abs(values["turns"])
    angle = _fine(whole if needed is None else needed) / values["r"]
    # To the left: the centre lies at +X.
    return np.stack([sign * values["r"] * (1.0 - np.cos(angle)), values["r"] * np.sin(angle), sign * angle], axis=-1)


def _slalom(values: dict[str, float], needed: float | None) -> Floats:
    z = _fine(values["length"] if needed is None else needed)
    phase = 2.0 * np.pi * z / values["wave"]
    # It begins straight ahead: the way swings in over the first half wave.
    ease = np.clip(z / (0.5 * values["wave"]), 0.0, 1.0)
    ease = ease**2 * (3.0 - 2.0 * ease)
    x = values["amplitude"] * ease * np.sin(phase)
    return np.stack([x, z, np.arctan(np.gradient(x, z))], axis=-1)


_NAMED = {"straight": _straight, "circle": _circle, "slalom": _slalom}


def _fine(length: float) -> Floats:
    return np.linspace(0.0, length, max(2, int(np.ceil(length / _FINE)) + 1))


def _through(points: ArrayLike) -> Floats:
    """A smooth way through points (n, 2) or (n, 3)."""
    from scipy.interpolate import PchipInterpolator

    try:
        given = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.ndim != 2 or given.shape[1] not in (2, 3) or len(given) < 2 or not np.isfinite(given).all():
        raise ParameterError(
            "A path through points needs at least two of them, as x and z in metres, with or without headings."
        )
    steps = np.hypot(*np.diff(given[:, :2], axis=0).T)
    apart = np.concatenate([[True], steps > 1e-6])
    given = given[apart]
    if len(given) < 2:
        raise ParameterError("A path through points needs at least two different points.")
    at = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(given[:, :2], axis=0).T))])
    fine = np.linspace(0.0, at[-1], max(3, int(np.ceil(at[-1] / _FINE)) + 1))
    x, z = (PchipInterpolator(at, given[:, k])(fine) for k in (0, 1))
    if given.shape[1] == 3:
        heading = PchipInterpolator(at, np.unwrap(np.deg2rad(given[:, 2])))(fine)
    else:
        heading = np.unwrap(np.arctan2(np.gradient(x), np.gradient(z)))
    return np.stack([x, z, heading], axis=-1)


def _rounded(way: Floats, sigma: float) -> Floats:
    """A path (n, 3) with its corners rounded, over some metres; its ends stay where they are."""
    if sigma == 0.0 or not np.ptp(way[:, 2]):
        return way
    from scipy.ndimage import gaussian_filter1d

    spacing = float(np.hypot(*np.diff(way[:, :2], axis=0).T).mean())
    reach = min(len(way) - 1, int(np.ceil(4.0 * sigma / spacing)))
    wide = np.concatenate([2.0 * way[0] - way[reach:0:-1], way, 2.0 * way[-1] - way[-2 : -2 - reach : -1]])
    return np.asarray(gaussian_filter1d(wide, sigma / spacing, axis=0, mode="nearest")[reach : reach + len(way)])


def _paces(way: Floats, stride: float, most_turn: float, count: int | None, *, closing: bool) -> Floats:
    """Positions (n, 3) of the middle of the character at each footstep, evenly along a path, closer in its bends."""
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(way[:, :2], axis=0).T))])
    turned = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(way[:, 2])))])
    # A pace uses up a whole stride, or as much turning as a step can do.
    effort = np.maximum(gone / stride, 0.0) if turned[-1] == 0.0 else _effort(gone / stride, turned / most_turn)
    total = float(effort[-1])
    paces = max(1, round(total)) if count is None else count - (1 if closing and count > 1 else 0)
    if paces > MOST_STEPS:
        raise ParameterError(f"The path takes {paces:,} steps; at most {MOST_STEPS:,} are made at once.")
    spacing = total / paces if count is None else min(1.0, total / max(paces, 1))
    at = spacing * np.arange(1, paces + 1)
    places = np.stack([np.interp(at, effort, way[:, k]) for k in range(3)], axis=-1)
    if closing and (count is None or count > 1):
        places = np.concatenate([places, places[-1:]])
    return places


def _effort(walked: Floats, turned: Floats) -> Floats:
    """Paces used up along a way: each piece costs what is dearer, walking it or turning."""
    return np.concatenate([[0.0], np.cumsum(np.maximum(np.diff(walked), np.diff(turned)))])
