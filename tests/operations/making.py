"""Small clips made by code, for tests of operations: what is in them is known exactly."""

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.root_motion import local_translations
from kinetune.body.skeleton import EndSite, Skeleton

THIGH, SHANK, ANKLE, HIP = 0.43, 0.43, 0.08, 0.86
STRIDE, STANCE, LIFT = 1.0, 0.6, 0.1
SIDES = {"Left": 1.0, "Right": -1.0}


def chain(joints=4) -> Skeleton:
    """Bones of 30 cm, one hanging from the other; no joint has a role."""
    names = tuple(f"bone{i}" for i in range(joints))
    offsets = np.array([(0.0, 0.0, 0.0)] + [(0.0, -0.3, 0.0)] * (joints - 1))
    return Skeleton(names, np.arange(-1, joints - 1), offsets, (EndSite(joints - 1, (0.0, -0.3, 0.0)),))


def humanoid() -> Skeleton:
    names, parents, offsets = [], [], []

    def add(name, parent, offset):
        names.append(name)
        parents.append(names.index(parent) if parent else -1)
        offsets.append(offset)

    add("Hips", None, (0.0, 0.0, 0.0))
    add("Spine", "Hips", (0.0, 0.15, 0.0))
    add("Chest", "Spine", (0.0, 0.25, 0.0))
    add("Neck", "Chest", (0.0, 0.2, 0.0))
    add("Head", "Neck", (0.0, 0.1, 0.0))
    for side, x in SIDES.items():
        add(f"{side}Shoulder", "Chest", (0.03 * x, 0.15, 0.0))
        add(f"{side}Arm", f"{side}Shoulder", (0.15 * x, 0.0, 0.0))
        add(f"{side}ForeArm", f"{side}Arm", (0.28 * x, 0.0, 0.0))
        add(f"{side}Hand", f"{side}ForeArm", (0.25 * x, 0.0, 0.0))
        add(f"{side}UpLeg", "Hips", (0.09 * x, 0.0, 0.0))
        add(f"{side}Leg", f"{side}UpLeg", (0.0, -THIGH, 0.0))
        add(f"{side}Foot", f"{side}Leg", (0.0, -SHANK, 0.0))
        add(f"{side}ToeBase", f"{side}Foot", (0.0, 0.02 - ANKLE, 0.13))
    sites = [EndSite(names.index("Head"), (0.0, 0.2, 0.0))]
    sites += [EndSite(names.index(f"{side}ToeBase"), (0.0, -0.02, 0.06)) for side in SIDES]
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), tuple(sites))


def pendulums(frames=90, fps=30.0, joints=4) -> Clip:
    """A chain that swings at several frequencies about several axes."""
    t = np.arange(frames)[:, None] / fps
    phase = np.arange(joints)[None]
    swing = np.stack(
        [0.6 * np.sin(2 * np.pi * t + phase), 0.2 * np.cos(5 * t + phase), 0.4 * np.sin(3 * t - phase)], axis=-1
    )
    root = np.concatenate([0.1 * np.sin(t), 1.5 + 0.05 * np.cos(2 * t), 0.3 * t], axis=1)
    return Clip(chain(joints), fps, root, rot.exp(swing), markers=(Marker(0, "go"), Marker(frames // 2, "half")))


def jittery(clip: Clip, radians: float = 0.01) -> Clip:
    """A clip with white noise on every joint: edits that only mend have something to do."""
    shake = rot.exp(radians * np.random.default_rng(0).standard_normal((*clip.rotations.shape[:2], 3)))
    return clip.replace(rotations=rot.multiply(clip.rotations, shake), contacts=clip.contacts)


def walker(frames=151, fps=60.0, *, period=1.0, drift=0.0, heading=0.0) -> Clip:
    """A figure that walks along +Z with feet that do not slide, exactly periodic but for ``drift``.

    drift : radians by which spine and arms turn away in each second.
    heading : radians by which the whole walk is turned.
    """
    figure = humanoid()
    t = np.arange(frames) / fps
    phase = t / period
    bob = HIP + 0.02 * np.cos(4 * np.pi * phase)
    root = np.stack([0 * t, bob, STRIDE * phase], axis=-1)
    rotations = rot.identity(frames, len(figure))
    joint = figure.names.index
    flags = []
    for side, x in SIDES.items():
        own = phase + (0.0 if x > 0 else 0.5)
        place, height, down = _foot(own)
        flags.append(down)
        reach = np.stack([height + ANKLE - bob, place - STRIDE * own], axis=-1)
        _pose_leg(rotations, joint(f"{side}UpLeg"), reach)
        arm = rot.exp(np.stack([0.4 * x * np.sin(2 * np.pi * own) + drift * t, 0 * t, 0 * t], axis=-1))
        rotations[:, joint(f"{side}Arm")] = rot.multiply(rot.exp([0.0, 0.0, -1.3 * x]), arm)
        rotations[:, joint(f"{side}ForeArm")] = rot.exp([0.0, -0.4 * x, 0.0])
    lean = np.stack([0.05 + drift * t, 0.1 * np.sin(2 * np.pi * phase), 0 * t], axis=-1)
    rotations[:, joint("Spine")] = rot.exp(lean)
    turn = rot.about_y(heading)
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    contacts = Contacts(("LeftFoot", "RightFoot"), np.stack(flags, axis=-1))
    return Clip(figure, fps, rot.rotate(turn, root), rotations, contacts=contacts)


def _foot(phase):
    """Where a foot is along the way, its lift, and whether it stands, for a phase that counts strides."""
    stride, part = np.floor(phase), phase % 1.0
    swing = np.clip((part - STANCE) / (1.0 - STANCE), 0.0, 1.0)
    eased = swing**3 * (10 - 15 * swing + 6 * swing**2)
    place = STRIDE * (stride + 0.5 * STANCE + eased)
    return place, LIFT * np.sin(np.pi * swing) ** 2, part < STANCE


def _pose_leg(rotations, thigh, reach):
    """Turn thigh, shank and foot about X so that the ankle is at (down, ahead) of the hip and the foot is flat."""
    length = np.hypot(reach[:, 0], reach[:, 1])
    ahead = np.arctan2(reach[:, 1], -reach[:, 0])
    at_hip = np.arccos((THIGH**2 + length**2 - SHANK**2) / (2 * THIGH * length))
    knee = np.pi - np.arccos((THIGH**2 + SHANK**2 - length**2) / (2 * THIGH * SHANK))
    for offset, turn in enumerate((-(ahead + at_hip), knee, ahead + at_hip - knee)):
        rotations[:, thigh + offset] = rot.from_axis_angle((1.0, 0.0, 0.0), turn)


def one_frame() -> Clip:
    return walker(1)


def constant(frames=40, fps=30.0) -> Clip:
    """One pose of the walk, held."""
    pose = walker(1)
    rotations = np.repeat(pose.rotations, frames, axis=0)
    return Clip(pose.skeleton, fps, np.repeat(pose.root, frames, axis=0), rotations)


def near_pi(frames=80, fps=60.0) -> Clip:
    """A chain whose joints turn about their mean up to half a turn, beyond it, and round and round."""
    t = np.arange(frames)[:, None] / fps
    turns = np.zeros((frames, 4, 3))
    turns[:, 0] = np.pi * np.sin(2 * np.pi * t) * [0.0, 1.0, 0.0] + 0.1 * np.cos(t) * [1.0, 0.0, 0.0]
    turns[:, 1] = (np.pi - 1e-9) * np.sin(np.pi * t) * [0.6, 0.0, 0.8]
    turns[:, 2] = 9.0 * t * [0.0, 0.0, 1.0]
    turns[:, 3] = 3.3 * np.cos(2 * np.pi * t) * [1.0, 0.0, 0.0]
    return Clip(chain(4), fps, np.tile([0.0, 1.5, 0.0], (frames, 1)), rot.exp(turns))


def two_roots(frames=40, fps=30.0) -> Clip:
    """A figure and a ball beside it, each a root; joint positions are animated."""
    t = np.arange(frames) / fps
    skeleton = Skeleton(("Hips", "Head", "Ball"), np.array([-1, 0, -1]), np.array([(0, 0, 0), (0, 0.6, 0), (1, 0, 0)]))
    translations = np.zeros((frames, 3, 3))
    translations[:, 0] = np.stack([0.5 * t, 1.0 + 0 * t, t], axis=-1)
    translations[:, 1] = (0.0, 0.6, 0.0)
    translations[:, 2] = np.stack([1.0 + 0 * t, np.abs(np.sin(4 * t)), 1.5 * t], axis=-1)
    rotations = rot.exp(np.stack([np.stack([0 * t, k * t, 0.1 * np.sin(t)], axis=-1) for k in range(3)], axis=1))
    return Clip(skeleton, fps, translations[:, 0], rotations, translations)


def still_root(frames=121, fps=60.0) -> Clip:
    """The walk below a root that stays at the origin: the hips are moved by their own translations."""
    return below_still_root(walker(frames, fps))


def below_still_root(clip: Clip, offset=(0.0, 0.0, 0.0), name="World") -> Clip:
    """A clip below a root that stays at the origin, with every joint's position animated.

    offset : where the file's hierarchy says that the hips are, which its motion never shows.
    """
    inner = clip.skeleton
    offsets = np.vstack([[0.0, 0.0, 0.0], inner.offsets])
    moved = np.concatenate([np.zeros((len(clip), 1, 3)), local_translations(clip)], axis=1)
    offsets[1] = offset
    sites = tuple(EndSite(site.parent + 1, site.offset) for site in inner.end_sites)
    skeleton = Skeleton(
        (name, *inner.names), np.append(-1, inner.parents + 1), offsets, sites, np.vstack([rot.identity(), inner.rest])
    )
    rotations = np.concatenate([rot.identity(len(clip), 1), clip.rotations], axis=1)
    return Clip(skeleton, clip.fps, np.zeros((len(clip), 3)), rotations, moved, clip.contacts)


def turned(clip: Clip, radians: float, about=(0.0, 0.0, 0.0)) -> Clip:
    """The whole scene turned about the vertical; written out here as a second algorithm beside ``place``."""
    q = rot.about_y(radians)
    pivot = np.asarray(about, dtype=float)
    rotations = np.array(clip.rotations)
    translations = None if clip.translations is None else np.array(clip.translations)
    for joint in clip.skeleton.roots:
        rotations[:, joint] = rot.multiply(q, rotations[:, joint])
        if translations is not None:
            translations[:, joint] = rot.rotate(q, translations[:, joint] - pivot) + pivot
    root = rot.rotate(q, clip.root - pivot) + pivot
    return clip.replace(root=root, rotations=rotations, translations=translations, contacts=clip.contacts)


def with_random_signs(clip: Clip, seed=0) -> Clip:
    """The same motion with q and -q chosen by chance."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], clip.rotations.shape[:2])
    return clip.replace(rotations=clip.rotations * signs[..., None], contacts=clip.contacts)
