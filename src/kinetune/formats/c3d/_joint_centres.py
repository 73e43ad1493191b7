"""Where the joints of a marked body are in one frame: from landmarks, from motion, or between clusters.

Landmarks give hips after Bell, Pedersen and Brand (1990), and elbows, knees and ankles half a joint's width inside the
marker on their outer side. Between two clusters of three or more markers, the joint is the point that both carry along
(the symmetrical centre of rotation of Ehrig and others, 2006), tied weakly to the middle between the clusters, which is
also taken where there is neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.formats.c3d.marker_sets import MarkerPlace
from kinetune.rotations import Floats

_HIP = (0.36, 0.22, 0.30)  # of the distance between the ASIS: outwards, backwards, downwards
_HALF_WIDTHS = {"knee": 0.055, "ankle": 0.04, "elbow": 0.04}  # metres
_ACROMION = 0.05  # metres above the shoulder joint
_LUMBAR = 0.25  # of the way from the hips to the neck
_BENT = 0.3  # sine of the angle from which an elbow shows its axis
_TIE = 0.01  # of a frame's weight, to the middle between clusters
_PARTS = {"LowerLeg": "knee", "Foot": "ankle", "LowerArm": "elbow"}
INSIDE = {"UpperLeg": 0.08, "LowerLeg": 0.055, "Foot": 0.04, "UpperArm": 0.05, "LowerArm": 0.04}
"""Metres from the outer side of a limb, where clusters sit, to the joint at which each segment begins."""


def landmark_centres(places: Sequence[MarkerPlace | None], points: Floats) -> dict[str, Floats]:
    """The joint at which each segment begins, where landmarks of one frame, points (markers, 3) with Y up, show it."""
    marks: dict[tuple[str, str], list[Floats]] = {}
    for place, point in zip(places, points, strict=True):
        if place is not None and place.landmark and np.isfinite(point).all():
            marks.setdefault((place.landmark, place.side), []).append(point)
    mean = {key: np.mean(values, axis=0) for key, values in marks.items()}
    left = body_left(places, points)
    centres: dict[str, Floats] = {}
    if left is None:
        return centres
    hips = _hips(mean, left)
    centres.update(hips)
    neck = [mean[key] for key in (("c7", ""), ("clav", "")) if key in mean]
    if hips and neck:
        centres["Chest"] = centres["Hips"] + _LUMBAR * (np.mean(neck, axis=0) - centres["Hips"])
    heads = [value for (name, _), values in marks.items() if name == "head" for value in values]
    if neck and heads:
        centres["Head"] = 0.5 * (np.mean(neck, axis=0) + np.mean(heads, axis=0))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        if ("shoulder", side) in mean:
            centres[f"{side}UpperArm"] = mean["shoulder", side] - (0.0, _ACROMION, 0.0)
        if ("wrist", side) in mean:
            centres[f"{side}Hand"] = mean["wrist", side]
        for part, joint in _PARTS.items():
            outer, inner = mean.get((f"{joint} out", side)), mean.get((f"{joint} in", side))
            if outer is not None and inner is not None:
                centres[f"{side}{part}"] = 0.5 * (outer + inner)
            elif outer is not None:
                inward = -sign * left
                if joint == "elbow" and ("shoulder", side) in mean and ("wrist", side) in mean:
                    inward = _elbow_axis(mean["shoulder", side], outer, mean["wrist", side], inward, sign)
                centres[f"{side}{part}"] = outer + _HALF_WIDTHS[joint] * inward
    return centres


def _elbow_axis(shoulder: Floats, elbow: Floats, wrist: Floats, otherwise: Floats, sign: float) -> Floats:
    """The direction from the outer side of an elbow inwards: the axis about which it is bent, where it is."""
    upper, fore = elbow - shoulder, wrist - elbow
    normal = sign * np.cross(upper, fore)
    size = float(np.linalg.norm(normal))
    bent = size > _BENT * float(np.linalg.norm(upper) * np.linalg.norm(fore))
    return normal / size if bent else otherwise


def body_left(places: Sequence[MarkerPlace | None], points: Floats) -> Floats | None:
    """The direction of the body's left, level."""
    sides: dict[tuple[str, str], list[Floats]] = {}
    for place, point in zip(places, points, strict=True):
        if place is not None and place.side and np.isfinite(point).all():
            name = place.segment.removeprefix(place.side)
            sides.setdefault((place.landmark or name, place.side), []).append(point)
    apart = [
        np.mean(values, axis=0) - np.mean(sides[name, "Right"], axis=0)
        for (name, side), values in sides.items()
        if side == "Left" and (name, "Right") in sides
    ]
    if not apart:
        return None
    for chosen in ("asis", "psis", "shoulder"):
        if (chosen, "Left") in sides and (chosen, "Right") in sides:
            apart = [np.mean(sides[chosen, "Left"], axis=0) - np.mean(sides[chosen, "Right"], axis=0)]
            break
    left = np.mean(apart, axis=0) * (1.0, 0.0, 1.0)
    size = float(np.linalg.norm(left))
    return left / size if size > 1e-6 else None


def _hips(mean: Mapping[tuple[str, str], Floats], left: Floats) -> dict[str, Floats]:
    if ("asis", "Left") not in mean or ("asis", "Right") not in mean:
        return {}
    width = float(np.linalg.norm(mean["asis", "Left"] - mean["asis", "Right"]))
    middle = 0.5 * (mean["asis", "Left"] + mean["asis", "Right"])
    behind = [mean[key] for key in (("psis", "Left"), ("psis", "Right"), ("psis", "")) if key in mean]
    back = np.mean(behind, axis=0) - middle if behind else np.cross(left, (0.0, 1.0, 0.0))
    back = back - (back @ left) * left
    back = back / max(float(np.linalg.norm(back)), 1e-9)
    up = np.cross(left, -back) * -1.0
    up = up if up[1] > 0 else -up
    outward, backward, downward = (share * width for share in _HIP)
    base = middle + backward * back - downward * up
    joints = {"LeftUpperLeg": base + outward * left, "RightUpperLeg": base - outward * left}
    return {"Hips": 0.5 * (joints["LeftUpperLeg"] + joints["RightUpperLeg"]), **joints}


def carried_centre(above: tuple[Floats, Floats], below: tuple[Floats, Floats], middle: Floats) -> Floats:
    """The point that two segments carry along, tied weakly to the middle between them.

    above, below : rotations (frames, 4) and shifts (frames, 3) of each segment from the reference frame, NaN where not
    known; a point p is then at R p + shift.
    """
    known = np.isfinite(above[1]).all(axis=1) & np.isfinite(below[1]).all(axis=1)
    if known.sum() < 3:
        return middle
    matrix = rot.to_matrix(above[0][known]) - rot.to_matrix(below[0][known])
    shift = below[1][known] - above[1][known]
    normal = np.einsum("fki,fkj->ij", matrix, matrix) + _TIE * known.sum() * np.eye(3)
    pull = np.einsum("fki,fk->i", matrix, shift) + _TIE * known.sum() * middle
    return np.linalg.solve(normal, pull)


def nearest_middle(one: Floats, other: Floats) -> Floats:
    """The middle between the nearest points of two clusters, (markers, 3) each."""
    apart = np.linalg.norm(one[:, None] - other[None], axis=2)
    a, b = np.unravel_index(int(np.argmin(apart)), apart.shape)
    return np.asarray(0.5 * (one[a] + other[b]))


def cluster_motion(points: Floats, reference: Floats) -> tuple[Floats, Floats]:
    """Rotations (frames, 4) and shifts (frames, 3) that bring a cluster from reference (markers, 3) to points.

    points : (frames, markers, 3), NaN where a marker was not seen. NaN come back for frames with fewer than three.
    """
    seen = np.isfinite(points[..., 0]) & np.isfinite(reference[:, 0])
    count = seen.sum(axis=1)
    weight = seen[..., None].astype(float)
    share = np.maximum(count, 1)[:, None]
    there = np.where(weight > 0, points, 0.0)
    here = np.where(weight > 0, np.nan_to_num(reference), 0.0)
    centre_there, centre_here = there.sum(axis=1) / share, here.sum(axis=1) / share
    a, b = (there - centre_there[:, None]) * weight, (here - centre_here[:, None]) * weight
    u, size, vt = np.linalg.svd(np.einsum("fka,fkb->fab", a, b))
    u[..., :, 2] *= np.sign(np.linalg.det(u) * np.linalg.det(vt))[:, None]
    turned = rot.from_matrix(u @ vt)
    shift = centre_there - rot.rotate(turned, centre_here)
    known = (count >= 3) & (size[:, 1] > 1e-6 * np.maximum(size[:, 0], 1e-12))
    return np.where(known[:, None], turned, np.nan), np.where(known[:, None], shift, np.nan)
