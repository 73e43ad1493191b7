"""Writing Acclaim motion: back into the file it came from, or onto a skeleton made for it.

A clip that was read from an ``.amc`` keeps its skeleton text, its order of bones and, where nothing changed, its very
numbers. A bone that an edit rotated in a way that its degrees of freedom cannot hold is given all three of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError
from kinetune.formats.acclaim.amc_motion import RATE_KEYS, AmcLayout, AmcMotion, motion_arrays
from kinetune.formats.acclaim.asf import INCH, OURS, AsfBone, AsfSkeleton, fixed_axes
from kinetune.formats.moving_joints import fixed_skeleton
from kinetune.formats.unit_and_up import turn_rotations_from_y, turn_vectors_from_y
from kinetune.rotations import Floats

_LENGTH = 0.45  # the unit of the CMU and HDM05 files; some readers take it for granted
_DIGITS = 10
_BEYOND = 1e-5  # radians that a bone's degrees of freedom may miss before it is given more


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of an ``.amc`` and of the ``.asf`` beside it."""
    layout = clip.source.layout
    if isinstance(layout, AmcLayout) and clip.skeleton == layout.skeleton and _same_translations(clip, layout):
        asf_text, lines = _write_back(clip, layout)
        newline = layout.newline
    else:
        asf_text, lines = _write_new(clip, path)
        newline = "\n"
    amc_text = newline.join([*lines, ""])
    return {path: amc_text.encode(), path.with_suffix(".asf"): asf_text.encode()}


def _same_translations(clip: Clip, layout: AmcLayout) -> bool:
    """Whether joints move in their parents' frames just as they did in the file (usually: not at all)."""
    if clip.translations is None:
        return all(dof[0] == "r" for bone in layout.asf.bones[1:] for dof in bone.dof)
    if len(clip) != len(layout.motion.values):
        return False
    _, _, old = motion_arrays(layout.asf, layout.motion)
    new = turn_vectors_from_y(clip.translations, layout.up) / layout.metres
    return bool(np.abs(new[:, 1:] - old[:, 1:]).max() < 1e-9)


def _write_back(clip: Clip, layout: AmcLayout) -> tuple[str, list[str]]:
    asf, motion = layout.asf, layout.motion
    root = turn_vectors_from_y(clip.root, layout.up) / layout.metres - np.array(asf.position)
    rotations = turn_rotations_from_y(clip.rotations, layout.up)
    same_frames = len(motion.values) == len(clip)
    old_root, old_rotations, _ = motion_arrays(asf, motion)
    old_root -= np.array(asf.position)
    columns = dict(motion.columns)
    bones = list(asf.bones)
    written: list[tuple[str, Floats, int]] = []  # bone name, values, digits
    for joint, index in enumerate(asf.joints):
        bone = bones[index]
        same_rotations = same_frames and rot.angle_between(old_rotations[:, joint], rotations[:, joint]).max() < 1e-9
        if same_rotations and (index or np.abs(old_root - root).max() < 1e-9):
            if index in columns:
                written.append((bone.name, motion.values[:, columns[index]], motion.digits))
            continue
        values, missed = _solve(bone, rotations[:, joint], root, motion.degrees)
        if missed > _BEYOND:
            shifts = tuple(dof for dof in bone.dof if dof[0] != "r")
            bones[index] = replace(bone, dof=(*shifts, "rx", "ry", "rz"))
            values, _ = _solve(bones[index], rotations[:, joint], root, motion.degrees)
        if bones[index].dof:
            if same_frames and index in columns:
                _copy_shifts(bone, bones[index], motion.values[:, columns[index]], values)
            written.append((bone.name, values, max(_DIGITS, motion.digits)))
    order = {asf.bones[index].name: rank for rank, (index, _) in enumerate(motion.columns)}
    written.sort(key=lambda item: order.get(item[0], len(order)))
    header = _with_rate(motion, clip.fps)
    asf_text = layout.asf_text if tuple(bones) == asf.bones else format_asf(replace(asf, bones=tuple(bones)))
    return asf_text, [*header, *_frame_lines(written)]


def _copy_shifts(old_bone: AsfBone, new_bone: AsfBone, old: Floats, new: Floats) -> None:
    """Copy the columns of a bone's translations and length, which the caller knows to be unchanged."""
    for column, dof in enumerate(new_bone.dof):
        if dof[0] != "r" and dof in old_bone.dof and new_bone.name != "root":
            new[:, column] = old[:, old_bone.dof.index(dof)]


def _solve(bone: AsfBone, rotations: Floats, root: Floats, degrees: bool) -> tuple[Floats, float]:
    """The values (frames, dof) of a bone, and how far in radians they miss the rotation at most."""
    motion = rot.multiply(rot.multiply(rot.inverse(bone.axes), rotations), bone.axes)
    order = "".join(dof[1].upper() for dof in bone.dof if dof[0] == "r")
    angles = rot.unroll(rot.to_euler(motion, order[::-1]), order[::-1])[..., ::-1]
    missed = float(rot.angle_between(fixed_axes(angles, order), motion).max())
    values = np.zeros((len(rotations), len(bone.dof)))
    values[:, [i for i, dof in enumerate(bone.dof) if dof[0] == "r"]] = np.rad2deg(angles) if degrees else angles
    for column, dof in enumerate(bone.dof):
        if dof[0] == "t" and bone.name == "root":
            values[:, column] = root[:, "xyz".index(dof[1])]
        elif dof == "l":
            values[:, column] = bone.length
    return values, missed


def _with_rate(motion: AmcMotion, fps: float) -> list[str]:
    """The header lines with the frame rate in them, unless it is the usual one and was not there before."""
    header = [line for line in motion.header if not line.lower().lstrip().startswith(RATE_KEYS)]
    if len(header) == len(motion.header) and fps == 120.0:
        return header
    place = next((i for i, line in enumerate(header) if line.lower().strip() in (":degrees", ":radians")), len(header))
    return [*header[:place], f":SAMPLES-PER-SECOND {fps:.10g}", *header[place:]]


def _frame_lines(written: Sequence[tuple[str, Floats, int]]) -> list[str]:
    template = "\n".join(f"{name} " + " ".join([f"%.{digits}g"] * v.shape[1]) for name, v, digits in written)
    table = np.concatenate([values for _, values, _ in written], axis=1) + 0.0  # no negative zeros
    lines = []
    for number, row in enumerate(table.tolist(), 1):
        lines.append(str(number))
        lines += (template % tuple(row)).split("\n")
    return lines


def _write_new(clip: Clip, path: Path) -> tuple[str, list[str]]:
    skeleton = fixed_skeleton(clip, path, "AMC")
    if len(skeleton.roots) > 1:
        raise FileError(path, f"the skeleton has {len(skeleton.roots)} roots and an Acclaim skeleton has one.")
    asf = asf_skeleton_of(skeleton)
    unit = INCH / _LENGTH
    # Local rotations between the world's axes: undo the rest pose on both sides.
    world = skeleton.rest_rotations
    above = np.where(skeleton.parents[:, None] < 0, rot.identity(), world[skeleton.parents])
    rotations = rot.multiply(rot.multiply(above, clip.rotations), rot.inverse(world))
    root = clip.root / unit - np.array(asf.position)
    written = []
    for joint, index in enumerate(asf.joints):
        values, _ = _solve(asf.bones[index], rotations[:, joint], root, degrees=True)
        written.append((asf.bones[index].name, values, _DIGITS))
    header = ["# Motion written by Kinetune", ":FULLY-SPECIFIED", f":SAMPLES-PER-SECOND {clip.fps:.10g}", ":DEGREES"]
    return format_asf(asf), [*header, *_frame_lines(written)]


def asf_skeleton_of(skeleton: Skeleton) -> AsfSkeleton:
    """An Acclaim skeleton for one of ours, in units of 5.644 cm.

    An Acclaim bone begins where its parent ends. Where ours does not, a dummy bone without degrees of freedom bridges
    the gap, as ``lhipjoint`` does in the CMU files.
    """
    unit = INCH / _LENGTH
    world = skeleton.rest_rotations
    vectors = skeleton.offsets / unit
    vectors[1:] = rot.rotate(world[skeleton.parents[1:]], vectors[1:])
    tips: list[list[tuple[Floats, str | None]]] = [[] for _ in skeleton.names]
    for site in skeleton.end_sites:
        tips[site.parent].append((rot.rotate(world[site.parent], np.array(site.offset) / unit), site.name))
    names = _bone_names(["root", *skeleton.names[1:]])
    ours: dict[str, Any] = {"names": {}, "dummies": [], "tips": {}}
    ours["names"] = {bone: name for bone, name in zip(names, skeleton.names, strict=True) if bone != name}
    ends: list[Floats] = [np.zeros(3)]
    for joint in range(1, len(skeleton)):
        children = skeleton.children[joint]
        own_tip = not children and len(tips[joint]) == 1 and np.any(tips[joint][0][0])
        ends.append(vectors[children[0]] if children else tips[joint][0][0] if own_tip else np.zeros(3))
    root_dof = ("tx", "ty", "tz", "rx", "ry", "rz")
    bones, parents, index = [AsfBone("root", (0.0, 0.0, 0.0), 0.0, dof=root_dof)], [-1], {0: 0}

    def add(name: str, vector: Floats, parent: int, dof: tuple[str, ...]) -> int:
        length = float(np.linalg.norm(vector))
        x, y, z = (vector / length if length > 0 else np.array([0.0, 1.0, 0.0])).tolist()
        bones.append(AsfBone(name, (x, y, z), length, dof=dof))
        parents.append(parent)
        return len(bones) - 1

    def bridge(name: str, gap: Floats, parent: int) -> int:
        fresh = _bone_names([*names, *ours["dummies"], name])[-1]
        ours["dummies"].append(fresh)
        return add(fresh, gap, parent, ())

    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint:
            gap = vectors[joint] - ends[parent]
            near = float(np.abs(gap).max()) < 1e-12
            above = index[parent] if near else bridge(f"{names[joint]}_base", gap, index[parent])
            index[joint] = add(names[joint], ends[joint], above, ("rx", "ry", "rz"))
    for joint, joint_tips in enumerate(tips):
        alone = joint and not skeleton.children[joint] and len(joint_tips) == 1 and np.any(joint_tips[0][0])
        for vector, name in joint_tips:
            bone = index[joint] if alone else bridge(f"{names[joint]}_tip", vector - ends[joint], index[joint])
            if name is not None:
                ours["tips"][bones[bone].name] = name
    x, y, z = vectors[0].tolist()
    return AsfSkeleton(tuple(bones), tuple(parents), _LENGTH, True, (x, y, z), ours)


def _bone_names(names: Sequence[str]) -> list[str]:
    """Names that an Acclaim file can hold: no blanks, brackets, commas or marks, and different in any case."""
    taken: set[str] = set()
    result = []
    for name in names:
        plain = re.sub(r"[\s,()#:]+", "_", name) or "_"
        fresh, count = plain, 1
        while fresh.casefold() in taken:
            count += 1
            fresh = f"{plain}_{count}"
        taken.add(fresh.casefold())
        result.append(fresh)
    return result


def format_asf(asf: AsfSkeleton) -> str:
    """The text of an ``.asf``."""

    def numbers(values: Sequence[float]) -> str:
        return " ".join(f"{value + 0.0:.{_DIGITS}g}" for value in values)

    def angles(values: Sequence[float]) -> str:
        return numbers(np.rad2deg(values).tolist() if asf.degrees else values)

    root = asf.bones[0]
    lines = [
        "# Skeleton written by Kinetune",
        ":version 1.10",
        ":name Kinetune",
        ":units",
        "  mass 1.0",
        f"  length {asf.length:.{_DIGITS}g}",
        f"  angle {'deg' if asf.degrees else 'rad'}",
        ":documentation",
        "  one unit is 0.0254 / length metres",
        *([f"  {OURS}{json.dumps(asf.ours)}"] if asf.ours else []),
        ":root",
        f"  order {' '.join(dof.upper() for dof in root.dof)}",
        f"  axis {root.axis_order}",
        f"  position {numbers(asf.position)}",
        f"  orientation {angles(root.axis)}",
        ":bonedata",
    ]
    for number, bone in enumerate(asf.bones[1:], 1):
        lines += [
            "  begin",
            f"    id {number}",
            f"    name {bone.name}",
            f"    direction {numbers(bone.direction)}",
            f"    length {bone.length:.{_DIGITS}g}",
            f"    axis {angles(bone.axis)} {bone.axis_order}",
        ]
        if bone.dof:
            lines += [
                f"    dof {' '.join(bone.dof)}",
                "    limits" + "\n           ".join([" (-inf inf)"] * len(bone.dof)),
            ]
        lines.append("  end")
    lines += [":hierarchy", "  begin"]
    for index, bone in enumerate(asf.bones):
        children = [asf.bones[i].name for i, parent in enumerate(asf.parents) if parent == index]
        if children:
            lines.append(f"    {bone.name} {' '.join(children)}")
    return "\n".join([*lines, "  end", ""])
