"""Fits a body to a skeleton: is it human, how tall, how heavy, which joints rotate, and the model of all that.

No table knows foxes or dragons. Each bone of a character that is not human becomes a bar whose thickness follows from
its length and the size of the character, with the density of water; a total mass that is given scales all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.body.kinematics.forward import forward
from kinetune.body.roles.from_names import SIDES
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.physics.model._human_segments import FOOT_WIDTH, HumanFitter, find_soles
from kinetune.physics.model.body_model import Body, ContactPoint, Segment
from kinetune.physics.model.mjcf import write_mjcf
from kinetune.physics.model.segments import MEAN_MASS, MassBox, SegmentBoxes, part_table
from kinetune.rotations import Floats

DENSITY = 1000.0
"""Kilograms a cubic metre, as living bodies nearly have."""
_THICKNESS = 0.35  # of a bone's length
_LEAST, _MOST = 0.02, 0.14  # of the figure's size
SHORT = 2e-3
_NEAR_GROUND = 0.08  # of the height above the lowest end


def root_by_shape(skeleton: Skeleton) -> int:
    """The joint that carries the figure: the first that branches or has a bone with something beyond it."""
    joint = 0
    while len(skeleton.children[joint]) == 1:
        child = skeleton.children[joint][0]
        deeper = bool(skeleton.children[child])
        dummy = not np.any(np.abs(skeleton.offsets[child]) > 1e-6) or "root" in skeleton.names[joint].casefold()
        if not (deeper and dummy):
            break
        joint = child
    return joint


def fit_bars(skeleton: Skeleton, pose: tuple[Floats, Floats], mass: float | None) -> tuple[SegmentBoxes, int]:
    """The boxes of a figure of any shape, and its root joint.

    Parameters
    ----------
    pose : world positions (joints, 3) and rotations (joints, 4).
    mass : kilograms of the whole figure; None: density times volume.
    """
    places, world = pose
    root = root_by_shape(skeleton)
    size = float(np.max(np.ptp(places[list(skeleton.subtree(root))], axis=0))) if len(skeleton) > 1 else 0.0
    size = max(size, skeleton.height, 1e-6)
    boxes = SegmentBoxes()
    for joint in skeleton.subtree(root):
        ends = [places[child] for child in skeleton.children[joint]]
        ends += [
            places[joint] + rot.rotate(world[joint], np.array(site.offset))
            for site in skeleton.end_sites
            if site.parent == joint
        ]
        for end in ends:
            bone = end - places[joint]
            length = float(np.linalg.norm(bone))
            if length <= SHORT * size:
                continue
            broad = float(np.clip(_THICKNESS * length, _LEAST * size, _MOST * size))
            back = rot.inverse(world[joint])
            frame = rot.multiply(back, frame_of(bone, np.array([1.0, 0.0, 0.0])))
            sides = np.array([broad, length, broad])
            boxes.add(joint, MassBox(DENSITY * float(np.prod(sides)), rot.rotate(back, 0.5 * bone), frame, sides))
    if root not in boxes.boxes:
        lump = np.full(3, max(_LEAST * size, 1e-3))
        boxes.add(root, MassBox(DENSITY * float(np.prod(lump)), np.zeros(3), rot.identity(), lump))
    total = sum(piece.mass for pieces in boxes.boxes.values() for piece in pieces)
    scale = 1.0 if mass is None else mass / total
    boxes.boxes = {
        joint: [MassBox(p.mass * scale, p.centre, p.rotation, p.sides) for p in pieces]
        for joint, pieces in boxes.boxes.items()
    }
    boxes.notes.append("The character is not a standing human: each bone gets the mass of a bar of flesh around it.")
    return boxes, root


def lowest_points(skeleton: Skeleton, pose: tuple[Floats, Floats], root: int) -> list[tuple[int, Floats]]:
    """The ends of chains that are lowest in a pose, such as paws: joint and position in its frame.

    A last joint is not the sole: points are lowered to where the lowest of them stands.
    """
    places, world = pose
    inside = set(skeleton.subtree(root))
    ends = [(joint, np.zeros(3)) for joint in inside if not skeleton.children[joint]]
    ends += [(site.parent, np.array(site.offset)) for site in skeleton.end_sites if site.parent in inside]
    if len(ends) < 2:
        return []
    spots = np.array([places[joint] + rot.rotate(world[joint], offset) for joint, offset in ends])
    low = float(spots[:, 1].min())
    points = []
    for (joint, _), spot in zip(ends, spots, strict=True):
        if spot[1] <= low + _NEAR_GROUND * skeleton.height:
            on_ground = np.array([spot[0], low, spot[2]])
            points.append((joint, rot.rotate(rot.inverse(world[joint]), on_ground - places[joint])))
    return points


USUAL_HEIGHT = 1.75
"""Metres at which a body of usual build weighs 70 kg."""
GROWN = (1.5, 2.1)
"""Heights in metres between which mass grows with the square of the height, as among adults; with the cube beyond."""
_SHOULDERS = 0.22  # from one upper arm to the other, of the height
_BUILDS = (0.88, 1.14)  # times the usual mass; rigs place shoulders too freely for more
SIZES = (0.3, 8.0)
"""Heights in metres of the characters that are taken; others point to a wrong unit."""
_LEGS_OF_HEIGHT = 0.485  # hip to ankle, the mean of de Leva's men and women
_LEGS_OF_TRUNK = 1.2  # a human's legs are longer than that many trunks, a dog's are not
_UPRIGHT = np.cos(np.deg2rad(40.0))

_NEEDED = ("hips", *(f"{side} {part}" for side in SIDES for part in ("upper leg", "lower leg")))


def fit_body(
    skeleton: Skeleton,
    mass: float | None,
    sex: str | None,
    tables: str,
    clip: Clip | None,
    props: Mapping[str, float] | None = None,
) -> Body:
    """See :meth:`kinetune.physics.model.body_model.Body.fit`."""
    for name, value in {
        "mass": mass,
        **{f'the mass of the prop on "{joint}"': kg for joint, kg in (props or {}).items()},
    }.items():
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise ParameterError(f"{name} must be a positive number of kilograms; got {value!r}.")
    parts = part_table(tables, sex)
    if clip is not None and not skeleton.same_joints(clip.skeleton):
        raise SkeletonMismatchError("The clip that shows how the body stands has a different skeleton from the body.")
    shown = clip if clip is not None else rest_clip(skeleton)
    skeleton = _with_moved_bones(skeleton, shown)
    if skeleton.height < 1e-3:
        raise ParameterError(
            f'The skeleton from "{skeleton.names[0]}" has no bones of any length, so none of it can have mass. '
            "Is its unit right (unit=, --unit)?"
        )
    pose, stands = _pose(skeleton, shown)
    if _is_human(skeleton, stands):
        height = _height(skeleton)
        _check_size(height)
        soles = find_soles(shown, height)
        weight = mass if mass is not None else usual_mass(height, _shoulder_width(skeleton))
        fitter = HumanFitter(skeleton, pose, parts, weight, height, soles)
        pieces, root = fitter.fit(), fitter.root
        _add_props(pieces, skeleton, props)
        marks: list[Mark] = [(sole.side, *corner) for sole in soles for corner in sole.corners()]
        return assemble_body(skeleton, pose, pieces, root, marks, height, True)
    _check_size(max(skeleton.height, float(np.ptp(pose[0], axis=0).max())))
    pieces, root = fit_bars(skeleton, pose, mass)
    _add_props(pieces, skeleton, props)
    ends = lowest_points(skeleton, pose, root)
    marks = []
    for number, (joint, offset) in enumerate(ends, start=1):
        side = _side(pose[0][joint, 0] - pose[0][root, 0], FOOT_WIDTH * skeleton.height)
        marks.append((side, "toe", f"{skeleton.names[joint]} end {number}", joint, offset))
    if not marks:
        pieces.notes.append("No chain of joints ends on the ground, so the character has no contact points.")
    return assemble_body(skeleton, pose, pieces, root, marks, skeleton.height, False)


def rest_clip(skeleton: Skeleton) -> Clip:
    """One frame in the rest pose."""
    return Clip(skeleton, 30.0, np.zeros((1, 3)), skeleton.rest[None])


def _with_moved_bones(skeleton: Skeleton, clip: Clip) -> Skeleton:
    """The skeleton with the bone lengths that the clip has, for files that move joints."""
    if clip.translations is None:
        return skeleton
    offsets = np.median(clip.translations, axis=0)
    offsets[0] = skeleton.offsets[0]
    return Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.end_sites, skeleton.rest)


def _pose(skeleton: Skeleton, clip: Clip) -> tuple[tuple[Floats, Floats], bool]:
    """World positions and rotations of a standing pose, and whether it stands: the rest pose, or the clip's mean."""
    rest = skeleton.rest_positions, skeleton.rest_rotations
    if _stands(skeleton, rest[0]) or len(clip) == 1:
        return rest, _stands(skeleton, rest[0])
    positions, world = forward(skeleton, np.zeros((1, 3)), rot.mean(clip.rotations)[None])
    mean = positions[0], world[0]
    return (mean, True) if _stands(skeleton, mean[0]) else (rest, False)


def _stands(skeleton: Skeleton, places: Floats) -> bool:
    """Whether trunk and legs are upright."""
    roles = skeleton.roles
    top = next((roles[role] for role in ("head", "neck", "chest") if role in roles), None)
    pairs = [(roles["hips"], top)] if "hips" in roles and top is not None else []
    pairs += [
        (roles[f"{side} lower leg"], roles[f"{side} upper leg"])
        for side in SIDES
        if f"{side} lower leg" in roles and f"{side} upper leg" in roles
    ]
    steps = [places[high] - places[low] for low, high in pairs]
    return bool(steps) and all(step[1] > _UPRIGHT * np.linalg.norm(step) for step in steps)


def _is_human(skeleton: Skeleton, stands: bool) -> bool:
    roles = skeleton.roles
    if any(role not in roles for role in _NEEDED):
        return False
    if stands:
        return True
    top = next((roles[role] for role in ("neck", "head", "chest") if role in roles), None)
    if top is None:
        return False
    bones = np.linalg.norm(skeleton.offsets, axis=1)
    trunk = bones[list(skeleton.chain(top, roles["hips"]))].sum()
    return bool(_legs(skeleton) > _LEGS_OF_TRUNK * trunk)


def _legs(skeleton: Skeleton) -> float:
    """Hip to ankle along the bones, the mean of both legs; a shin without a foot counts as long as the thigh."""
    bones = np.linalg.norm(skeleton.offsets, axis=1)
    roles = skeleton.roles
    lengths = []
    for side in SIDES:
        thigh = bones[list(skeleton.chain(roles[f"{side} lower leg"], roles[f"{side} upper leg"]))].sum()
        foot = roles.get(f"{side} foot")
        shin = thigh if foot is None else bones[list(skeleton.chain(foot, roles[f"{side} lower leg"]))].sum()
        lengths.append(thigh + shin)
    return float(np.mean(lengths))


def _height(skeleton: Skeleton) -> float:
    return _legs(skeleton) / _LEGS_OF_HEIGHT


def _check_size(height: float) -> None:
    if not SIZES[0] <= height <= SIZES[1]:
        raise ParameterError(
            f"The character is {height:.3g} m tall, and physics needs true metres: heights of {SIZES[0]:g} to "
            f'{SIZES[1]:g} m are accepted. Read the file with its unit, such as unit="cm" (--unit cm), or scale it '
            "(Skeleton.scaled)."
        )


def usual_mass(height: float, shoulders: float | None = None) -> float:
    """Kilograms of a human of a height in metres, by the distance of the shoulder joints where that is known.

    70 kg at 1.75 m (a body mass index of 22.9) and with the square of the height among adults; children and giants go
    with the cube. Broad shoulders add up to 14% and narrow ones take up to 12%.
    """
    low, high = GROWN
    mass = MEAN_MASS * (float(np.clip(height, low, high)) / USUAL_HEIGHT) ** 2
    mass *= min(1.0, height / low) ** 3 * max(1.0, height / high) ** 3
    build = 1.0 if shoulders is None else float(np.clip(shoulders / (_SHOULDERS * height), *_BUILDS))
    return mass * build


def _shoulder_width(skeleton: Skeleton) -> float | None:
    arms = [skeleton.roles.get(f"{side} upper arm") for side in SIDES]
    if arms[0] is None or arms[1] is None:
        return None
    width = float(np.linalg.norm(skeleton.rest_positions[arms[0]] - skeleton.rest_positions[arms[1]]))
    return width if width > 0.0 else None


def _add_props(pieces: SegmentBoxes, skeleton: Skeleton, props: Mapping[str, float] | None) -> None:
    """Add what a character carries: a small box of that mass at the joint that holds it."""
    for name, mass in (props or {}).items():
        joint = skeleton.index(name)
        holder = joint
        while holder not in pieces.boxes and skeleton.parents[holder] >= 0:
            holder = int(skeleton.parents[holder])
        if holder not in pieces.boxes:
            raise ParameterError(f'The joint "{name}" moves no part of the body, so it cannot hold a prop.')
        at = pieces.balance(holder)[1]
        if joint != holder:  # a joint of the prop's own, welded to the hand
            back = rot.inverse(skeleton.rest_rotations[holder])
            at = rot.rotate(back, skeleton.rest_positions[joint] - skeleton.rest_positions[holder])
        side = float(np.cbrt(mass / DENSITY))
        pieces.add(holder, MassBox(mass, np.asarray(at), rot.identity(), np.full(3, side)))


def _side(x: float, least: float) -> str:
    return "left" if x > 0.5 * least else "right" if x < -0.5 * least else ""


Mark = tuple[str, Literal["heel", "toe"], str, int, Floats]


def assemble_body(
    skeleton: Skeleton,
    pose: tuple[Floats, Floats],
    pieces: SegmentBoxes,
    root: int,
    marks: list[Mark],
    height: float,
    human: bool,
) -> Body:
    """The body of pieces in a pose: segments, contact points and the model."""
    places, world = pose
    turning = sorted(pieces.boxes)
    owner = _owners(skeleton, root, set(turning))
    order = _depth_first(skeleton, root, owner)
    number = {joint: k for k, joint in enumerate(order)}
    segments, parents, offsets = [], [], np.zeros((len(order), 3))
    for k, joint in enumerate(order):
        mass, centre, inertia = pieces.balance(joint)
        joints = tuple(j for j in range(len(skeleton)) if owner.get(j) == joint)
        segments.append(
            Segment(skeleton.names[joint], joint, joints, mass, centre, inertia, tuple(pieces.boxes[joint]))
        )
        if joint == root:
            parents.append(-1)
            continue
        above = owner[int(skeleton.parents[joint])]
        parents.append(number[above])
        offsets[k] = rot.rotate(rot.inverse(world[above]), places[joint] - places[above])
    points = []
    for side, part, name, joint, place in marks:
        carrier = owner[joint]
        if carrier != joint:
            at = places[joint] + rot.rotate(world[joint], place)
            place = rot.rotate(rot.inverse(world[carrier]), at - places[carrier])
        points.append(ContactPoint(name, number[carrier] + 1, carrier, np.asarray(place), side, part))
    text = write_mjcf(segments, parents, offsets, points, "kinetune body")
    return Body(skeleton, tuple(segments), tuple(points), height, human, tuple(pieces.notes), text, offsets)


def _owners(skeleton: Skeleton, root: int, turning: set[int]) -> dict[int, int]:
    """For each joint at or below the root, the joint that turns it: itself, or the nearest above that is not welded."""
    owner = {root: root}
    for joint in skeleton.subtree(root):
        if joint != root:
            owner[joint] = joint if joint in turning else owner[int(skeleton.parents[joint])]
    return owner


def _depth_first(skeleton: Skeleton, root: int, owner: dict[int, int]) -> list[int]:
    """The joints that turn in the order in which MuJoCo numbers bodies."""
    order: list[int] = []
    stack = [root]
    while stack:
        joint = stack.pop()
        if owner[joint] == joint:
            order.append(joint)
        stack.extend(reversed(skeleton.children[joint]))
    return order
