"""Made-up skeletons and motions for tests of kinematics, roles and mirroring."""

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.soles import find_foot_joints
from kinetune.body.skeleton import EndSite, Skeleton

# A symmetric adult: joint, parent, offset in metres. Left is +x.
_MIDDLE = [
    ("Hips", None, (0.0, 0.0, 0.0)),
    ("Spine", "Hips", (0.0, 0.1, 0.0)),
    ("Chest", "Spine", (0.0, 0.2, -0.02)),
    ("Neck", "Chest", (0.0, 0.2, 0.0)),
    ("Head", "Neck", (0.0, 0.1, 0.02)),
]
_SIDE = [
    ("Shoulder", "Chest", (0.04, 0.15, 0.0)),
    ("UpperArm", "Shoulder", (0.14, 0.0, 0.0)),
    ("LowerArm", "UpperArm", (0.29, 0.0, 0.0)),
    ("Hand", "LowerArm", (0.26, 0.0, 0.0)),
    ("UpperLeg", "Hips", (0.09, -0.03, 0.0)),
    ("LowerLeg", "UpperLeg", (0.0, -0.43, 0.0)),
    ("Foot", "LowerLeg", (0.0, -0.42, 0.0)),
    ("Toes", "Foot", (0.0, -0.07, 0.13)),
]
_TIPS = {"Head": (0.0, 0.18, 0.0), "Hand": (0.17, 0.0, 0.0), "Toes": (0.0, -0.01, 0.07)}


def adult(rest: np.ndarray | None = None) -> Skeleton:
    """A symmetric figure of 21 joints in T-pose, which looks along +z."""
    rows = list(_MIDDLE)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        middle = {name for name, _, _ in _MIDDLE}
        for name, parent, (x, y, z) in _SIDE:
            rows.append((side + name, parent if parent in middle else side + parent, (sign * x, y, z)))
    names = [name for name, _, _ in rows]
    sites = []
    for joint, name in enumerate(names):
        for part, (x, y, z) in _TIPS.items():
            if name.endswith(part):
                sites.append(EndSite(joint, (-x if name.startswith("Right") else x, y, z)))
    parents = np.array([-1 if parent is None else names.index(parent) for _, parent, _ in rows])
    return Skeleton(tuple(names), parents, np.array([offset for _, _, offset in rows]), tuple(sites), rest)


def turned_frames(skeleton: Skeleton, frames: np.ndarray) -> Skeleton:
    """The same figure in the same rest pose, with each joint's own axes turned by ``frames`` (joints, 4)."""
    parents = skeleton.parents
    above = np.where((parents < 0)[:, None], rot.identity(), frames[parents])
    rest = rot.multiply(rot.inverse(above), rot.multiply(skeleton.rest, frames))
    offsets = rot.rotate(rot.inverse(above), skeleton.offsets)
    sites = tuple(
        EndSite(s.parent, tuple(rot.rotate(rot.inverse(frames[s.parent]), s.offset).tolist()), s.name)
        for s in skeleton.end_sites
    )
    return Skeleton(skeleton.names, parents, offsets, sites, rest)


def random_rotations(*shape: int, seed: int = 0) -> np.ndarray:
    return rot.normalize(np.random.default_rng(seed).standard_normal((*shape, 4)))


def random_tree(joints: int, seed: int = 0, roots: int = 1) -> Skeleton:
    """A tree with any shape, and with as many roots as asked for."""
    rng = np.random.default_rng(seed)
    parents = [-1] + [-1 if joint < roots else int(rng.integers(0, joint)) for joint in range(1, joints)]
    return Skeleton(tuple(f"j{k}" for k in range(joints)), parents, rng.standard_normal((joints, 3)))


def random_clip(skeleton: Skeleton, frames: int = 12, seed: int = 1, size: float = 0.4, **fields: object) -> Clip:
    """Poses not too far from the rest pose, and a root that wanders."""
    rng = np.random.default_rng(seed)
    turns = rot.exp(size * rng.standard_normal((frames, len(skeleton), 3)))
    return Clip(skeleton, 30.0, rng.standard_normal((frames, 3)), rot.multiply(skeleton.rest, turns), **fields)


def rolled(clip: Clip, sides: list[str]) -> Clip:
    """The same motion with some feet upside down, their toes where they were."""
    rotations = clip.rotations.copy()
    for foot in find_foot_joints(clip):
        if foot.side in sides:
            toes, ahead = foot.toes
            half = np.concatenate([[0.0], ahead / np.linalg.norm(ahead)])
            rotations[:, foot.ankle] = rot.multiply(rotations[:, foot.ankle], half)
            rotations[:, toes] = rot.multiply(rot.inverse(half), rotations[:, toes])
    return clip.replace(rotations=rotations)
