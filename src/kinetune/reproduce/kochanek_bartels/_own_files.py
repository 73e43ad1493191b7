"""The spline paper on the user's clips: a few keys fitted to one channel, and what the controls do there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.errors import KinetuneError
from kinetune.reproduce.experiments import Context, Result, Value, canvas, off
from kinetune.reproduce.own_files import Gallery, OwnFile, own_result, tested, try_each
from kinetune.rotations import Floats
from kinetune.signals.splines.key_fitting import choose_keys, fit_keys
from kinetune.signals.splines.tcb import TCB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.02
"""Of the range of a channel, by which a spline through keys may be off."""


def own_channels(context: Context) -> Result:
    """Fit keys to the channel of each clip that moves most."""
    gallery = Gallery(context)

    def fit(file: OwnFile) -> Value:
        assert file.clip is not None
        joint, signal = liveliest(file.clip)
        keys, curve = fitted(signal)
        at = np.asarray(keys, dtype=float)
        met = float(np.abs(curve(at)[:, 0] - signal[keys]).max())
        error = float(np.abs(curve(np.arange(len(signal)))[:, 0] - signal).max())
        stopped = TCB(at, signal[keys], tension=1.0, ends="half chord")
        halts = float(np.abs(stopped.velocities()[0][1:-1]).max(initial=0.0))
        if gallery.has_room:
            picture = _figure(signal, file.clip.fps, keys, curve, stopped)
            caption = f"{file.name}, {joint}: the channel (grey), and keys with fitted controls and with tension 1."
            gallery.add(picture, "keys", caption)
        ours = (
            f"{joint}: {len(keys)} keys for {len(signal)} frames, {off(met, '°')} at them and off by {error:.1f}° "
            f"between; with tension 1 the speed at a key is {halts:.2g}"
        )
        holds = met < 1e-9 and halts < 1e-9 and error <= SHARE * float(np.ptp(signal)) + 1e-9
        paper = "keys are met, tension 1 halts at them"
        return tested(file, paper, ours, holds)

    return own_result(try_each(context, "clip", fit, "a motion"), gallery)


def liveliest(clip: Clip) -> tuple[str, Floats]:
    """The joint that turns through the largest angle about one axis, and that angle (frames,) in degrees."""
    every = range(len(clip.skeleton))
    curves = pose_curves(clip, every).curves
    joint = clip.skeleton.names[int(np.argmax(np.linalg.norm(np.ptp(curves, axis=0), axis=-1)))]
    signal = figures.channel(clip, joint)
    if np.ptp(signal) < 0.1:
        raise KinetuneError("No joint turns in it.")
    return joint, signal


def fitted(signal: Floats) -> tuple[list[int], TCB]:
    """Keys, as few as are found, and the spline through them with the controls that fit the channel best."""
    samples, frames = signal[:, None], np.arange(len(signal), dtype=float)

    def error(keys: list[int]) -> Floats:
        return np.asarray(np.abs(fit_keys(samples, keys)(frames)[:, 0] - signal))

    keys = choose_keys(len(signal), error, SHARE * float(np.ptp(signal)))
    return keys, fit_keys(samples, keys)


def _figure(signal: Floats, fps: float, keys: list[int], curve: TCB, stopped: TCB) -> Figure:
    from kinetune.figures import palette

    fine = np.linspace(0.0, len(signal) - 1.0, 1_500)
    with palette.style():
        figure = canvas(8.0, 2.3)
        ax = figure.subplots()
        ax.plot(np.arange(len(signal)) / fps, signal, color=palette.GHOST, linewidth=2.5, alpha=0.5, label="channel")
        ax.plot(fine / fps, stopped(fine), color=palette.LEFT, linewidth=0.9, label="tension 1")
        ax.plot(fine / fps, curve(fine)[:, 0], color=palette.EDITED, label="fitted controls")
        ax.plot(np.asarray(keys) / fps, signal[keys], "D", color=palette.INK, markersize=3, label="keys")
        ax.set(xlabel="seconds", ylabel="degrees")
        ax.margins(x=0)
        figure.legend(loc="outside right center")
    return figure
