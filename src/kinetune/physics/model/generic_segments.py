"""The mass of a figure that is not human: every bone a bar of flesh, its thickness by its length.

No table knows foxes or dragons. Each bone becomes a bar whose thickness follows from its length and the size of the
figure, with the density of water; a total mass that is given scales all of them.
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.body.skeleton import Skeleton
from kinetune.physics.model.segments import Piece, Pieces
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


def shape_pieces(skeleton: Skeleton, pose: tuple[Floats, Floats], mass: float | None) -> tuple[Pieces, int]:
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
    found = Pieces()
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
            found.add(joint, Piece(DENSITY * float(np.prod(sides)), rot.rotate(back, 0.5 * bone), frame, sides))
    if root not in found.boxes:
        lump = np.full(3, max(_LEAST * size, 1e-3))
        found.add(root, Piece(DENSITY * float(np.prod(lump)), np.zeros(3), rot.identity(), lump))
    total = sum(piece.mass for pieces in found.boxes.values() for piece in pieces)
    scale = 1.0 if mass is None else mass / total
    found.boxes = {
        joint: [Piece(p.mass * scale, p.centre, p.rotation, p.sides) for p in pieces]
        for joint, pieces in found.boxes.items()
    }
    found.notes.append(
        "The figure is not a standing human: its mass is spread by density times geometry, a bar of flesh for each "
        "bone."
    )
    return found, root


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
    found = []
    for (joint, _), spot in zip(ends, spots, strict=True):
        if spot[1] <= low + _NEAR_GROUND * skeleton.height:
            on_ground = np.array([spot[0], low, spot[2]])
            found.append((joint, rot.rotate(rot.inverse(world[joint]), on_ground - places[joint])))
    return found
