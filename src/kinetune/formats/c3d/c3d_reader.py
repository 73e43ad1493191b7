"""C3D files (``.c3d``) as clips: a body fitted to the markers, or the markers themselves.

A body is fitted where labels show one: Plug-in Gait, OptiTrack, ISB landmarks, clusters, plain words
(:mod:`kinetune.formats.c3d.marker_sets`). Else, or with ``animation="markers"``, every marker is a joint without a
parent, and gaps are bridged by straight lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.skeleton import Skeleton, distinct_names
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding, guessed
from kinetune.formats.c3d._c3d_file import C3dPoints, read_points
from kinetune.formats.c3d._marker_fit import MarkerFit, fit_markers
from kinetune.formats.c3d.marker_sets import read_label
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.unit_and_up import Up, guess_unit, parse_unit, parse_up, turn_vectors_to_y
from kinetune.rotations import Floats

_GOOD = 0.015  # metres of mean residual beyond which a fit is worth a warning
_AXES: tuple[Up, Up, Up] = ("x", "y", "z")
_LOW = ("LeftFoot", "RightFoot", "LeftLowerLeg", "RightLowerLeg", "Hips")


@dataclass(frozen=True)
class C3dLayout:
    """The markers of a recording, beside the clip that was made from them.

    Parameters
    ----------
    labels : tuple of str
        One for each marker.
    markers : array, shape (frames, markers, 3)
        World positions in metres with Y up; NaN where a marker was not seen.
    residuals_mm : mapping
        For each marker that the body was fitted to, its mean distance from where the body holds it.
    """

    labels: tuple[str, ...]
    markers: Floats
    residuals_mm: Mapping[str, float] = field(default_factory=dict)

    def sliced(self, frames: slice) -> C3dLayout:
        """The markers of a part of the clip."""
        return replace(self, markers=self.markers[frames])

    def euler_orders(self, skeleton: Skeleton) -> None:
        """Markers have no Euler channels."""

    def facts(self) -> dict[str, str]:
        """What a user may want to know about the recording."""
        seen = np.isfinite(self.markers[..., 0])
        facts = {"recorded": f"{len(self.labels)} markers, seen {100 * seen.mean():.1f}% of the time"}
        if self.residuals_mm:
            mean = float(np.mean(list(self.residuals_mm.values())))
            each = ", ".join(f"{label} {away:.1f}" for label, away in self.residuals_mm.items())
            facts["fit"] = f"{len(self.residuals_mm)} markers, {mean:.1f} mm from the body on average"
            facts["residuals"] = f"{each} mm"
        return facts


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from a C3D file."""
    if options.animation not in (None, "body", "markers"):
        raise FileError(
            path, f'"{options.animation}" is not in it.', advice='Ask for "body" (fitted to the markers) or "markers".'
        )
    points = read_points(path)
    findings = [Finding("damaged-file", note) for note in points.notes]
    if points.analog:
        message = f"Analog channels (forces, muscles), {points.analog} samples a frame, are not read."
        findings.append(Finding("analog-channels", message, severity="info"))
    unit, metres = _unit(points, options, findings)
    up = _up(points, options, findings)
    markers = turn_vectors_to_y(points.positions, up) * metres
    if not np.isfinite(markers).any():
        raise MalformedFileError(path, "none of its markers is ever seen.", advice="Export the labelled trajectories.")
    findings += _gaps(points, markers)
    fit = None if options.animation == "markers" else fit_markers(points.labels, markers)
    if fit is None and options.animation == "body":
        raise FileError(
            path,
            "no body can be fitted: the labels do not say where on the body the markers are.",
            advice="Label them as Plug-in Gait or OptiTrack do, or as left thigh 1, and export again.",
        )
    layout = C3dLayout(points.labels, markers, {} if fit is None else _residuals(points, fit))
    fps = options.fps or points.rate
    if fit is not None:
        findings.append(_fit_finding(points, fit, layout))
        source = Source("c3d", str(path), unit, metres, up, tuple(findings), layout)
        return Clip(fit.skeleton, fps, fit.root, fit.rotations, markers=_event_markers(points), source=source)
    if options.animation is None:
        message = "The labels do not say where on the body the markers are, so each marker is read as a joint."
        remedy = "Label them as Plug-in Gait or OptiTrack do, or by plain names, such as left thigh 1."
        findings.append(Finding("no-body", message, remedy=remedy))
    source = Source("c3d", str(path), unit, metres, up, tuple(findings), layout)
    return _marker_clip(points, markers, fps, source)


def _unit(points: C3dPoints, options: ReadOptions, findings: list[Finding]) -> tuple[str, float]:
    if options.unit is not None:
        return parse_unit(options.unit)
    named = points.unit.strip().lower().rstrip(".")
    named = {"meters": "m", "metres": "m", "meter": "m", "millimeters": "mm", "inches": "in"}.get(named, named)
    if named in ("mm", "cm", "dm", "m", "in", "ft"):
        return parse_unit(named)
    seen = points.positions[np.isfinite(points.positions[..., 0])]
    name, metres, guess = guess_unit(float(np.ptp(seen, axis=0).max()) if len(seen) else 0.0)
    findings.append(guess)
    return name, metres


def _up(points: C3dPoints, options: ReadOptions, findings: list[Finding]) -> Up:
    """The user's word; the file's, unless the recording clearly stands along another axis; or a guess."""
    if options.up is not None:
        return parse_up(options.up)
    axis = points.up.strip("+").lower()
    stands = _standing_axis(points)
    if axis in _AXES:
        stated: Up = axis
        if stands is None or stands == stated:
            return stated
        message = f"The file says that {stated.upper()} is up, but the recording stands along {stands.upper()}."
        findings.append(guessed("up", message))
        return stands
    named = _labelled_axis(points)
    if named is not None:
        findings.append(
            guessed("up", f"The upper body is above the lower along {named.upper()}, which is taken as up.")
        )
        return named
    if stands is not None:
        findings.append(guessed("up", f"The recording stands along {stands.upper()}, which is taken as up."))
        return stands
    findings.append(guessed("up", "The file does not say which axis is up; Z is assumed, as most C3D files have it."))
    return "z"


def _standing_axis(points: C3dPoints) -> Up | None:
    """The axis along which the markers reach twice as far as along the others, from a level that hardly changes."""
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(points.positions, axis=1), np.fmax.reduce(points.positions, axis=1)
    whole = np.isfinite(low).all(axis=1)
    if not whole.any():
        return None
    low, high = low[whole], high[whole]
    extent = np.median(high - low, axis=0)
    longest = int(np.argmax(extent))
    others = np.delete(extent, longest)
    level = float(low[:, longest].std()) < 0.03 * extent[longest]
    return _AXES[longest] if extent[longest] > 2.0 * others.max() and level else None


def _labelled_axis(points: C3dPoints) -> Up | None:
    """The axis along which the head, or else the chest, is farthest from the lowest segments that labels name."""
    middles: dict[str, Floats] = {}
    for segment in ("Head", "Chest", *_LOW):
        columns = [k for k, label in enumerate(points.labels) if (at := read_label(label)) and at.segment == segment]
        seen = points.positions[:, columns].reshape(-1, 3)
        seen = seen[np.isfinite(seen[:, 0])]
        if len(seen):
            middles[segment] = seen.mean(axis=0)
    high = next((middles[name] for name in ("Head", "Chest") if name in middles), None)
    low = next((middles[name] for name in (*_LOW, "Chest") if name in middles), None)
    if high is None or low is None or high is low:
        return None
    return _AXES[int(np.argmax(np.abs(high - low)))]


def _gaps(points: C3dPoints, markers: Floats) -> list[Finding]:
    seen = np.isfinite(markers[..., 0])
    lost = (~seen).sum(axis=0)
    findings = []
    never = [points.labels[k] for k in np.flatnonzero(~seen.any(axis=0)).tolist()]
    if never:
        message = f"{len(never)} markers such as {never[0]!r} are never seen."
        findings.append(Finding("lost-markers", message))
    gaps = np.flatnonzero((lost > 0) & seen.any(axis=0))
    if len(gaps):
        worst = sorted(gaps.tolist(), key=lambda k: -int(lost[k]))
        names = ", ".join(f"{points.labels[k]} in {lost[k]} of {len(seen)} frames" for k in worst[:5])
        more = f" and {len(worst) - 5} more" if len(worst) > 5 else ""
        findings.append(Finding("marker-gaps", f"{len(gaps)} markers have gaps: {names}{more}."))
    return findings


def _residuals(points: C3dPoints, fit: MarkerFit) -> dict[str, float]:
    mean = 1000.0 * np.nanmean(fit.residuals, axis=0)
    labels = distinct_names(points.labels[k] for k in fit.markers)
    return dict(zip(labels, mean.tolist(), strict=True))


def _fit_finding(points: C3dPoints, fit: MarkerFit, layout: C3dLayout) -> Finding:
    mean = float(np.nanmean(fit.residuals))
    worst = max(layout.residuals_mm, key=layout.residuals_mm.__getitem__)
    message = (
        f"A body of {len(fit.skeleton)} joints is fitted to {len(fit.markers)} of {len(points.labels)} markers: they "
        f"are {1000 * mean:.1f} mm from it on average, {worst} with {layout.residuals_mm[worst]:.1f} mm the most."
    )
    return Finding("marker-fit", message, 'animation="markers"', "info" if mean < _GOOD else "warning")


def _marker_clip(points: C3dPoints, markers: Floats, fps: float, source: Source) -> Clip:
    """Every marker as a joint without a parent; gaps are bridged by straight lines."""
    used = np.flatnonzero(np.isfinite(markers[..., 0]).any(axis=0))
    places = np.empty((len(markers), len(used), 3))
    at = np.arange(len(markers))
    for k, column in enumerate(used.tolist()):
        known = np.isfinite(markers[:, column, 0])
        for axis in range(3):
            places[:, k, axis] = np.interp(at, at[known], markers[known, column, axis])
    names = distinct_names(points.labels[column] for column in used.tolist())
    skeleton = Skeleton(names, np.full(len(used), -1), np.median(places, axis=0))
    still = rot.identity(len(markers), len(used))
    return Clip(skeleton, fps, places[:, 0], still, places, markers=_event_markers(points), source=source)


def _event_markers(points: C3dPoints) -> tuple[Marker, ...]:
    """Events inside of the recording as named frames."""
    frames = [(round(at), name) for at, name in points.events]
    return tuple(Marker(frame, name) for frame, name in frames if 0 <= frame < len(points.positions))


FORMAT = Format("c3d", (".c3d",), "recordings of markers (C3D), with a body fitted to them", read=read)
