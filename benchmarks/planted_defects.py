"""Captured clips in two halves, and defects planted into them, for the scripts that measure what is found.

The halves are drawn by performer (by take where there is one performer only) with a fixed seed, so that thresholds that
were set on the development half can be reported on the other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.quality_captures import LABELLED_120
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import place
from kinetune.rotations import Floats

SEED = 22
LONGEST_S = 8.0
FASTEST_DEG_S = 3000.0
_QUICK = ("arm", "hand", "toes", "collar")
Half = str  # "development" or "held out"


def captured_clips(folder: Path) -> Iterator[tuple[str, str, Clip]]:
    """Performer, name and motion of every capture; CMU's without T-pose and at their true rate."""
    for path in sorted(folder.glob("cmu/*.bvh")):
        clip = (kt.read(path, fps=60.0) if path.stem in LABELLED_120 else kt.read(path))[1:]
        yield f"CMU {path.stem.partition('_')[0]}", f"CMU {path.stem}", _first_seconds(clip)
    for path in sorted(folder.glob("accad/*.bvh")):
        yield f"ACCAD {path.stem}", f"ACCAD {path.stem.removeprefix('Male1_')}", _first_seconds(kt.read(path))
    for path in sorted(folder.glob("hdm05/*.amc")):
        name = path.stem.removeprefix("HDM_").removesuffix("_120")
        yield f"HDM05 {name.partition('_')[0]}", f"HDM05 {name}", _first_seconds(kt.read(path))
    for path in sorted(folder.glob("cmu_asfamc/*.amc")):
        yield f"CMU {path.stem.partition('_')[0]}", f"CMU {path.stem}", _first_seconds(kt.read(path))
    for path in sorted(folder.glob("deepmimic/humanoid3d_*.txt")):
        name = path.stem.removeprefix("humanoid3d_")
        yield f"DeepMimic {name}", f"DeepMimic {name}", _first_seconds(kt.read(path))


def halves(folder: Path) -> dict[Half, dict[str, Clip]]:
    """The captures in two halves of about the same size, no performer in both."""
    clips = list(captured_clips(folder))
    performers = sorted({performer for performer, _, _ in clips})
    random.Random(SEED).shuffle(performers)
    drawn: dict[Half, list[str]] = {"development": [], "held out": []}
    for performer in performers:
        smaller = min(drawn, key=lambda half: sum(own in drawn[half] for own, _, _ in clips))
        drawn[smaller].append(performer)
    return {half: {name: clip for own, name, clip in clips if own in drawn[half]} for half in drawn}


def flips_in_file(clip: Clip, joints: set[int] | None = None) -> bool:
    """Whether a foot, a leg or the trunk turns faster in the world than it can; only these joints, if given.

    Feet and shins of kickers reach 2,000 degrees a second. Arms, toes and collars are left out: they are lighter.
    """
    parts = {joint for role, joint in clip.skeleton.roles.items() if not any(part in role for part in _QUICK)}
    which = sorted(parts if joints is None else parts & joints)
    world = clip.world_rotations()[:, which]
    turns = rot.angle_between(world[1:], world[:-1])
    return bool(which) and float(np.rad2deg(turns.max(initial=0.0)) * clip.fps) > FASTEST_DEG_S


def _first_seconds(clip: Clip) -> Clip:
    return clip[: round(LONGEST_S * clip.fps)]


def shifted(clip: Clip, shift: Floats) -> Clip:
    """The clip with its root moved by (frames, 3) metres."""
    moved = np.asarray(clip.root) + shift
    if clip.translations is None:
        return clip.replace(root=moved)
    translations = np.array(clip.translations)
    translations[:, 0] += shift
    return clip.replace(root=moved, translations=translations)


def glide(clip: Clip, speed: float) -> Clip:
    """The whole figure glides sideways, in m/s."""
    return shifted(clip, np.outer(clip.times, [speed, 0.0, 0.0]))


def float_up(clip: Clip, height: float, ramp_s: float = 0.3) -> Clip:
    """Two fifths of the clip float, in metres."""
    start, stop = 0.3 * clip.times[-1], 0.7 * clip.times[-1]
    share = np.clip((clip.times - start) / ramp_s, 0.0, 1.0) * np.clip((stop - clip.times) / ramp_s, 0.0, 1.0)
    return shifted(clip, np.outer(share**2 * (3.0 - 2.0 * share), [0.0, height, 0.0]))


def skate(clip: Clip, amplitude: float = 0.12, hz: float = 1.2) -> Clip:
    """The whole figure swings to and fro over the floor."""
    return shifted(clip, np.outer(amplitude * np.sin(2.0 * np.pi * hz * clip.times), [0.7, 0.0, 0.7]))


def slow_jump(clip: Clip, height: float = 0.3, seconds: float = 1.2) -> Clip:
    """The whole figure rises and sinks by a sine, as slow as no jump is."""
    phase = np.clip((clip.times - 0.4 * clip.times[-1]) / seconds, 0.0, 1.0)
    return shifted(clip, np.outer(height * np.sin(np.pi * phase) ** 2, [0.0, 1.0, 0.0]))


def jitter(clip: Clip, angle_deg: float = 2.0, seed: int = 0) -> Clip:
    """Every joint trembles from frame to frame."""
    noise = np.random.default_rng(seed).normal(size=(*clip.rotations.shape[:2], 3)) * np.deg2rad(angle_deg)
    return clip.replace(rotations=rot.multiply(clip.rotations, rot.exp(noise)))


def tilted(clip: Clip, angle_deg: float) -> Clip:
    """The whole scene leans to one side; by 180 degrees it is upside down."""
    half = 0.5 * np.deg2rad(angle_deg)
    return place(clip, np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), np.zeros(3))


def jolt(clip: Clip, angle_deg: float = 40.0, seconds: float = 0.3) -> Clip:
    """The trunk bends forward and comes back in no time, half-way through the clip."""
    roles, positions = clip.skeleton.roles, clip.positions()
    joint = int(clip.skeleton.chain(roles["chest"], roles["hips"])[0])
    left = (positions[:, roles["left upper leg"]] - positions[:, roles["right upper leg"]]) * [1.0, 0.0, 1.0]
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    phase = np.clip((clip.times - 0.5 * clip.times[-1]) / seconds + 0.5, 0.0, 1.0)
    turn = rot.exp(np.deg2rad(angle_deg) * np.sin(np.pi * phase)[:, None] ** 2 * left)
    above = clip.world_rotations()[:, clip.skeleton.parents[joint]]
    rotations = np.array(clip.rotations)
    local = rot.multiply(rot.multiply(rot.inverse(above), turn), above)
    rotations[:, joint] = rot.multiply(local, rotations[:, joint])
    return clip.replace(rotations=rotations)


PHYSICS: dict[str, Callable[[Clip], Clip]] = {
    "upside down": lambda clip: tilted(clip, 180.0),
    "float 25 cm": lambda clip: float_up(clip, 0.25),
    "float 10 cm": lambda clip: float_up(clip, 0.10),
    "glide 0.5 m/s": lambda clip: glide(clip, 0.5),
    "glide 0.2 m/s": lambda clip: glide(clip, 0.2),
    "skate": skate,
    "jitter 2 degrees": jitter,
    "slow jump": slow_jump,
    "jolt": jolt,
    "lean 15 degrees": lambda clip: tilted(clip, 15.0),
    "double speed": lambda clip: clip.replace(fps=2.0 * clip.fps),
}
"""What the verdict must catch."""


def spikes(clip: Clip, seed: int) -> Clip:
    """Three joints are elsewhere for a frame or two, by 40 to 80 degrees."""
    rng = np.random.default_rng(seed)
    rotations = np.array(clip.rotations)
    for joint in _limbs(clip, rng, 3):
        frame, length = int(rng.integers(5, len(clip) - 6)), int(rng.integers(1, 3))
        turn = rot.exp(_unit(rng) * np.deg2rad(rng.uniform(40.0, 80.0)))
        rotations[frame : frame + length, joint] = rot.multiply(rotations[frame : frame + length, joint], turn)
    return clip.replace(rotations=rotations)


def flips(clip: Clip, seed: int) -> Clip:
    """A limb is turned by 120 to 180 degrees for a few frames."""
    rng = np.random.default_rng(seed)
    rotations = np.array(clip.rotations)
    (joint,) = _limbs(clip, rng, 1)
    frame, length = int(rng.integers(5, len(clip) - 15)), int(rng.integers(4, 10))
    turn = rot.exp(_unit(rng) * np.deg2rad(rng.uniform(120.0, 180.0)))
    rotations[frame : frame + length, joint] = rot.multiply(rotations[frame : frame + length, joint], turn)
    return clip.replace(rotations=rotations)


def t_pose(clip: Clip, seed: int) -> Clip:
    """The rest pose stands before the motion."""
    count = 1 + seed % 3
    rest = np.broadcast_to(clip.skeleton.rest, (count, *clip.rotations.shape[1:]))
    return _frames(clip, np.r_[[0] * count, 0 : len(clip)], np.concatenate([rest, clip.rotations]))


def held_frames(clip: Clip, seed: int) -> Clip:
    """Some frames hang where the body moves most."""
    rng = np.random.default_rng(seed)
    speed = rot.angle_between(clip.rotations[1:], clip.rotations[:-1]).max(axis=1)
    frame, length = int(np.argmax(speed[5:-15])) + 5, int(rng.integers(3, 10))
    which = np.arange(len(clip))
    which[frame : frame + length] = frame
    return _frames(clip, which, clip.rotations[which])


def scale_keys(clip: Clip, seed: int) -> Clip:
    """A limb grows by a fifth or more for a while."""
    rng = np.random.default_rng(seed)
    translations = np.array(
        np.broadcast_to(clip.skeleton.offsets, (len(clip), len(clip.skeleton), 3))
        if clip.translations is None
        else clip.translations
    )
    if clip.translations is None:
        translations[:, 0] = clip.root
    joints = [clip.skeleton.roles[r] for r in ("left lower leg", "right lower arm") if r in clip.skeleton.roles]
    start, stop = len(clip) // 4, len(clip) // 2
    translations[start:stop, joints] *= rng.uniform(1.2, 1.5)
    return clip.replace(translations=translations)


def swapped_arms(clip: Clip, seed: int) -> Clip:
    """The left arm is where the right one should be: both chains are joined on the wrong side."""
    parts = (("upper arm",), ("upper leg",), ("upper arm", "upper leg"))[seed % 3]
    offsets = np.array(clip.skeleton.offsets)
    for part in parts:
        for level in (part, "collar") if part == "upper arm" else (part,):
            pair = [clip.skeleton.roles.get(f"{side} {level}") for side in ("left", "right")]
            if pair[0] is not None and pair[1] is not None:
                offsets[pair] = offsets[pair[::-1]]
    old = clip.skeleton
    return clip.replace(skeleton=kt.Skeleton(old.names, old.parents, offsets, old.end_sites, old.rest))


def wrong_unit(clip: Clip, seed: int) -> Clip:
    """Centimetres or inches taken for metres, or the other way round."""
    factor = (100.0, 0.01, 2.54, 1.0 / 2.54)[seed % 4]
    translations = None if clip.translations is None else factor * np.asarray(clip.translations)
    root = factor * np.asarray(clip.root)
    return Clip(clip.skeleton.scaled(factor), clip.fps, root, clip.rotations, translations=translations)


def _limbs(clip: Clip, rng: np.random.Generator, count: int) -> list[int]:
    parts = ("upper arm", "lower arm", "upper leg", "lower leg", "foot")
    known = [f"{side} {part}" for side in ("left", "right") for part in parts]
    joints = sorted({clip.skeleton.roles[role] for role in known if role in clip.skeleton.roles})
    return [int(joint) for joint in rng.choice(joints, count, replace=False)]


def _unit(rng: np.random.Generator) -> Floats:
    axis = rng.normal(size=3)
    return np.asarray(axis / np.linalg.norm(axis))


def _frames(clip: Clip, which: Floats, rotations: Floats) -> Clip:
    """A clip of the same skeleton with the roots of some of its frames and these rotations."""
    index = np.asarray(which, dtype=int)
    translations = None if clip.translations is None else np.asarray(clip.translations)[index]
    return Clip(clip.skeleton, clip.fps, np.asarray(clip.root)[index], rotations, translations=translations)


RECORDING: dict[str, tuple[Callable[[Clip, int], Clip], tuple[str, ...]]] = {
    "spikes": (spikes, ("spike", "flips", "wrong-frames")),
    "flips": (flips, ("flips", "spike", "wrong-frames")),
    "T-pose": (t_pose, ("stray-first-frame",)),
    "duplicate frames": (held_frames, ("held-frames", "repeated-frames")),
    "scale": (scale_keys, ("stretching-bones",)),
    "wrong fps": (
        lambda clip, seed: clip.replace(fps=2.0 * clip.fps),
        ("wrong-rate", "physics-too-fast", "physics-fall"),
    ),
    "wrong up": (
        lambda clip, seed: place(clip, rot.exp(np.array([(-1.0) ** seed * np.pi / 2, 0.0, 0.0])), np.zeros(3)),
        ("wrong-up", "physics-up-axis"),
    ),
    "skate": (lambda clip, seed: skate(clip), ("physics-slide", "physics-loaded-slide", "physics-glide", "foot-slide")),
    "float": (
        lambda clip, seed: shifted(clip, np.array([0.0, 0.12 + 0.06 * (seed % 4), 0.0])),
        ("floor-height", "physics-hover"),
    ),
    "sink": (
        lambda clip, seed: shifted(clip, np.array([0.0, -0.12 - 0.06 * (seed % 4), 0.0])),
        ("floor-height", "below-floor", "physics-penetration"),
    ),
    "swapped limbs": (swapped_arms, ("swapped-sides",)),
    "unit": (wrong_unit, ("wrong-unit", "unusual-size")),
}
"""What the doctor must find, and the kinds of findings that name it."""
