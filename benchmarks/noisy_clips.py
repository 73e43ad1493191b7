"""Captured clips in two halves, and the kinds of noise that capture, video and solvers add to them.

The halves are drawn by a seed within each kind of motion, so that kicks, punches, runs, walks and reaches are in both:
constants of the denoiser were chosen on the "tuning" half, figures are reported for the "report" half. A few clips of
the latter were seen clean, without added noise, while the rules for spikes and quiet clips were written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.rotations import Floats
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves

Half = Literal["tuning", "report"]

MOTIONS = {
    "kick": ("cmu/74_0?.bvh", "cmu/143_24.bvh", "hdm05/*kickLFront*.amc", "deepmimic/humanoid3d_kick.txt"),
    "punch": ("cmu/141_14.bvh", "cmu/82_16.bvh", "cmu/79_18.bvh", "deepmimic/humanoid3d_punch.txt", "cmu/111_37.bvh"),
    "run": ("cmu_asfamc/02_03.amc", "accad/*Run*.bvh", "accad/*Skipping.bvh", "deepmimic/humanoid3d_run.txt"),
    "walk": ("cmu/0?_01.bvh", "cmu/104_*.bvh", "cmu/138_05.bvh", "cmu/82_1[0-3].bvh", "accad/*Walk*.bvh"),
    "reach": ("hdm05/*grabHigh*.amc", "hdm05/*depositFloor*.amc", "cmu/79_3?.bvh", "accad/*PickUpBox.bvh"),
    "step": ("cmu/83_*.bvh", "accad/*SideStep*.bvh", "cmu/143_18.bvh"),
}
_MOST = 8  # clips of one kind of motion
_FRAMES = 600
_RATES = (120.0, 60.0, 30.0)


class CleanClip(NamedTuple):
    """A captured clip, its name and its kind of motion."""

    name: str
    motion: str
    clip: Clip


def clean_clips(folder: Path, half: Half) -> Iterator[CleanClip]:
    """The clips of one half, without T-poses, at most 600 frames long, at 30, 60 and 120 fps by the draw."""
    draw = np.random.default_rng(21)
    for motion, patterns in MOTIONS.items():
        files = sorted({file for pattern in patterns for file in folder.glob(pattern)})
        files = [files[k] for k in draw.permutation(len(files))][:_MOST]
        rates = [_RATES[k] for k in draw.integers(0, 3, size=len(files))]
        offset = int(draw.integers(2))
        for number, (file, rate) in enumerate(zip(files, rates, strict=True)):
            if (number + offset) % 2 == ("tuning", "report").index(half):
                clip = kt.Trim(drop_t_pose=True)(kt.read(file))
                step = max(1, round(clip.fps / rate))
                every = clip.replace(
                    fps=clip.fps / step,
                    root=clip.root[::step],
                    rotations=clip.rotations[::step],
                    translations=None if clip.translations is None else clip.translations[::step],
                    contacts=None,
                    markers=(),
                )
                yield CleanClip(f"{file.stem} {every.fps:.0f} fps", motion, every[:_FRAMES])


def _moving(clip: Clip) -> list[int]:
    """The joints that a capture records: those that turn at all."""
    return [j for j in range(len(clip.skeleton)) if np.ptp(clip.rotations[:, j], axis=0).max() > 1e-6]


def _turned(clip: Clip, by: Floats, joints: list[int], shift: Floats | None = None) -> Clip:
    """The clip with rotation vectors (frames, joints, 3) in degrees on top of some joints, and the root shifted."""
    rotations = np.array(clip.rotations)
    rotations[:, joints] = rot.multiply(rotations[:, joints], rot.exp(np.deg2rad(by)))
    root = clip.root if shift is None else clip.root + shift
    translations = clip.translations
    if translations is not None and shift is not None:
        translations = np.array(translations)
        translations[:, 0] += shift
    return clip.replace(root=root, rotations=rotations, translations=translations, contacts=None)


def _coloured(
    draw: np.random.Generator, shape: tuple[int, ...], fps: float, power: Callable[[Floats], Floats]
) -> Floats:
    """Noise of standard deviation 1 with some power spectrum."""
    hz = np.fft.rfftfreq(shape[0], 1.0 / fps)
    gain = np.sqrt(power(hz))
    gain[0] = 0.0
    noise = np.fft.irfft(
        np.fft.rfft(draw.normal(size=shape), axis=0) * gain.reshape(-1, *(1,) * (len(shape) - 1)), shape[0], axis=0
    )
    return np.asarray(noise / noise.std())


def _drift(draw: np.random.Generator, shape: tuple[int, ...], fps: float, decay_s: float) -> Floats:
    """First-order autoregressive noise of standard deviation 1."""
    keep = np.exp(-1.0 / (fps * decay_s))
    noise = draw.normal(size=shape)
    for frame in range(1, shape[0]):
        noise[frame] = keep * noise[frame - 1] + np.sqrt(1.0 - keep**2) * noise[frame]
    return noise


def white(clip: Clip, draw: np.random.Generator) -> Clip:
    """1 degree about each axis of every joint."""
    joints = _moving(clip)
    return _turned(
        clip, draw.normal(size=(len(clip), len(joints), 3)), joints, 0.003 * draw.normal(size=(len(clip), 3))
    )


def per_joint(clip: Clip, draw: np.random.Generator) -> Clip:
    """A level of its own for each joint, from 0.2 to 3 degrees."""
    joints = _moving(clip)
    levels = np.exp(draw.uniform(np.log(0.2), np.log(3.0), size=(len(joints), 1)))
    return _turned(clip, levels * draw.normal(size=(len(clip), len(joints), 3)), joints)


def root(clip: Clip, draw: np.random.Generator) -> Clip:
    """2 cm on the root path, and 0.5 degrees."""
    joints = _moving(clip)
    by = 0.3 * draw.normal(size=(len(clip), len(joints), 3))
    return _turned(clip, by, joints, 0.02 * draw.normal(size=(len(clip), 3)))


def autoregressive(clip: Clip, draw: np.random.Generator) -> Clip:
    """1.5 degrees that wander, 70 ms long."""
    joints = _moving(clip)
    return _turned(clip, 1.5 * _drift(draw, (len(clip), len(joints), 3), clip.fps, 0.07), joints)


def pink(clip: Clip, draw: np.random.Generator) -> Clip:
    """1 degree with power that falls as 1/f."""
    joints = _moving(clip)
    return _turned(
        clip, _coloured(draw, (len(clip), len(joints), 3), clip.fps, lambda hz: 1.0 / np.maximum(hz, 0.5)), joints
    )


def band(clip: Clip, draw: np.random.Generator) -> Clip:
    """0.7 degrees between 4 and 12 Hz."""
    joints = _moving(clip)
    shape = (len(clip), len(joints), 3)
    return _turned(clip, 0.7 * _coloured(draw, shape, clip.fps, lambda hz: ((hz > 4) & (hz < 12)) + 1e-6), joints)


def spikes(clip: Clip, draw: np.random.Generator) -> Clip:
    """0.5 degrees of jitter, spikes of 8 to 40 degrees for one to three frames, and short dropouts."""
    joints = _moving(clip)
    by = 0.5 * draw.normal(size=(len(clip), len(joints), 3))
    noisy = _turned(clip, by, joints)
    return _with_dropouts(_with_spikes(noisy, joints, draw, 1.0), joints, draw, 0.5)


def _with_spikes(clip: Clip, joints: list[int], draw: np.random.Generator, per_second: float) -> Clip:
    by = np.zeros((len(clip), len(joints), 3))
    for _ in range(draw.poisson(per_second * len(clip) / clip.fps * len(joints) / 4)):
        start, length = int(draw.integers(len(clip))), int(draw.integers(1, 4))
        axis = draw.normal(size=3)
        by[start : start + length, draw.integers(len(joints))] = draw.uniform(8, 40) * axis / np.linalg.norm(axis)
    return _turned(clip, by, joints)


def _with_dropouts(clip: Clip, joints: list[int], draw: np.random.Generator, per_second: float) -> Clip:
    rotations = np.array(clip.rotations)
    for _ in range(draw.poisson(per_second * len(clip) / clip.fps * len(joints) / 4)):
        start, length = int(draw.integers(len(clip) - 1)), max(2, round(draw.uniform(0.02, 0.08) * clip.fps))
        joint = joints[draw.integers(len(joints))]
        rotations[start + 1 : start + length, joint] = rotations[start, joint]
    return clip.replace(rotations=rotations)


def flips(clip: Clip, draw: np.random.Generator) -> Clip:
    """0.3 degrees of jitter, half turns of a joint and swaps of left and right limbs for a few frames."""
    joints = _moving(clip)
    noisy = _turned(clip, 0.3 * draw.normal(size=(len(clip), len(joints), 3)), joints)
    rotations = np.array(noisy.rotations)
    roles = clip.skeleton.roles
    pairs = [
        (roles[f"left {limb}"], roles[f"right {limb}"])
        for limb in ("upper leg", "upper arm")
        if f"left {limb}" in roles and f"right {limb}" in roles
    ]
    for _ in range(max(1, draw.poisson(0.7 * len(clip) / clip.fps))):
        start, length = int(draw.integers(len(clip))), int(draw.integers(1, 4))
        frames = slice(start, start + length)
        if pairs and draw.random() < 0.4:
            one, other = pairs[draw.integers(len(pairs))]
            below = [[j for j in range(len(clip.skeleton)) if top in clip.skeleton.chain(j)] for top in (one, other)]
            for a, b in zip(*below, strict=False):
                rotations[frames, a], rotations[frames, b] = rotations[frames, b].copy(), rotations[frames, a].copy()
        else:
            joint = joints[draw.integers(len(joints))]
            axis = np.pi * np.eye(3)[draw.integers(3)]
            rotations[frames, joint] = rot.multiply(rotations[frames, joint], rot.exp(axis))
    return noisy.replace(rotations=rotations)


def quantised(clip: Clip, draw: np.random.Generator) -> Clip:
    """Rotation vectors on a grid of 1.5 degrees, the root on one of 1 cm."""
    curves = rotations_to_curves(clip.rotations)
    step = np.deg2rad(1.5)
    rotations = curves_to_rotations(curves.with_curves(step * np.round(curves.curves / step)))
    moved = 0.01 * np.round(clip.root / 0.01) - clip.root
    return _turned(clip.replace(rotations=rotations), np.zeros((len(clip), 1, 3)), [0], moved)


def video(clip: Clip, draw: np.random.Generator) -> Clip:
    """What a pose network makes of a video: wandering and white noise of a level for each joint, spikes, a root."""
    joints = _moving(clip)
    shape = (len(clip), len(joints), 3)
    levels = np.exp(draw.uniform(np.log(0.4), np.log(2.0), size=(len(joints), 1)))
    by = levels * (0.8 * _drift(draw, shape, clip.fps, 0.04) + 0.6 * draw.normal(size=shape))
    shift = 0.008 * _drift(draw, (len(clip), 3), clip.fps, 0.04) + 0.004 * draw.normal(size=(len(clip), 3))
    return _with_spikes(_turned(clip, by, joints, shift), joints, draw, 0.4)


Noise = Callable[[Clip, np.random.Generator], Clip]
KINDS: dict[str, Noise] = {
    "white": white,
    "per joint": per_joint,
    "root": root,
    "video-like": video,
    "autoregressive": autoregressive,
    "pink": pink,
    "spikes": spikes,
    "flips": flips,
    "band": band,
    "quantised": quantised,
}
