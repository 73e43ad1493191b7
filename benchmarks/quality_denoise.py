"""Noise added to captured clips and taken out again: against filters whose cutoff an oracle picks for each clip.

    python -m benchmarks.quality_denoise [FOLDER] [--half tuning|report] [--every N]

FOLDER holds the clips; left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout. Clips are split in two
halves by a seeded draw (``benchmarks/noisy_clips.py``): constants were chosen on the tuning half, the figures here are
those of the other. The rival is the Butterworth filter with the cutoff, out of 20, that has the lowest true error for
that very clip and noise. Error is the root mean square distance of all joints from the clean clip. A peak error is how
far the greatest speed of a hand or foot that reaches 1 m/s is off. Some captures are not clean: a foot flips to the
back for a frame. Clips in which a foot, a leg or the trunk turns faster than 3,000 degrees a second, which is for
Denoise to repair, are counted in and, in a second line, out. Two fixed rivals: a Butterworth filter at 6 Hz and
a Gaussian of 0.05 s.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.noisy_clips import KINDS, CleanClip, Half, clean_clips
from benchmarks.planted_defects import flips_in_file
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_denoising import denoise_clip
from kinetune.body.quality.measures import labelled_speed
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth, gaussian
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
CUTOFFS = 20
PROTOTYPE = (0.93, 0.92, 0.83, 0.83, 0.93, 0.98, 0.51, 0.17, 1.03, 1.02)
"""Error against the oracle's of the sketch that this denoiser began as, for each kind of noise, on clips of its own."""
FAST = 1.0


def filtered(clip: Clip, smooth: Callable[[Floats], Floats]) -> Clip:
    """The clip with its rotation curves and its root smoothed."""
    curves = rotations_to_curves(clip.rotations)
    rotations = curves_to_rotations(curves.with_curves(smooth(curves.curves)))
    return clip.replace(root=smooth(clip.root), rotations=rotations, contacts=None)


def low_pass(clip: Clip, hz: float) -> Clip:
    return filtered(clip, lambda x: butterworth(x, clip.fps, hz))


def error_mm(clip: Clip, clean: Clip) -> float:
    """Root mean square distance of all joints."""
    return float(1e3 * np.sqrt(np.mean(np.sum((clip.positions() - clean.positions()) ** 2, axis=-1))))


def peak_error(clip: Clip, clean: Clip) -> float:
    """How far the greatest speed of hands and feet that reach 1 m/s is off, as a share; nan where none does."""
    roles = clean.skeleton.roles
    ends = [
        roles[f"{side} {end}"] for side in ("left", "right") for end in ("hand", "foot") if f"{side} {end}" in roles
    ]
    peaks = [
        np.linalg.norm(c.positions()[2:, ends] - c.positions()[:-2, ends], axis=-1).max(axis=0) * c.fps / 2.0
        for c in (clip, clean)
    ]
    fast = peaks[1] > FAST
    return float(np.mean(np.abs(peaks[0][fast] / peaks[1][fast] - 1.0))) if fast.any() else float("nan")


def best_low_pass(noisy: Clip, clean: Clip) -> Clip:
    """What an oracle makes of a clip: the cutoff with the lowest true error."""
    tried = (low_pass(noisy, float(hz)) for hz in np.geomspace(1.0, 0.45 * clean.fps, CUTOFFS))
    return min(tried, key=lambda clip: error_mm(clip, clean))


def compare(clips: list[CleanClip]) -> None:
    """One line for each kind of noise, and their means."""
    print(
        "noise            error mm: noisy  oracle  ours   won  ours/oracle  sketch's   peaks: oracle   ours   won"
        "    6 Hz  Gaussian"
    )
    means = []
    for number, (kind, add) in enumerate(KINDS.items()):
        rows = []
        for at, (_, _, clean) in enumerate(clips):
            noisy = add(clean, np.random.default_rng([number, at]))
            rival, ours = best_low_pass(noisy, clean), denoise_clip(noisy)[0]
            soft = filtered(noisy, lambda x, fps=clean.fps: gaussian(x, fps, 0.05))
            rows.append(
                [error_mm(c, clean) for c in (noisy, rival, ours)]
                + [peak_error(c, clean) for c in (rival, ours)]
                + [error_mm(c, clean) for c in (low_pass(noisy, 6.0), soft)]
            )
        table = np.array(rows)
        won = int(np.sum(table[:, 2] < table[:, 1]))
        kept = int(np.sum(table[:, 4] <= table[:, 3]))
        mean = np.nanmean(table, axis=0)
        ratios = float(np.mean(table[:, 2] / table[:, 1])), PROTOTYPE[number]
        means.append([*mean, *ratios, won, kept])
        counts = f"{won}/{len(clips)}", f"{kept}/{int(np.isfinite(table[:, 3]).sum())}"
        print(line(kind, mean, ratios, counts), flush=True)
    *total, ours, sketch, won, kept = np.mean(means, axis=0).tolist()
    print(line("mean over kinds", total, (ours, sketch), (f"{won:.1f}", f"{kept:.1f}")))


def line(kind: str, mean: Sequence[float], ratios: tuple[float, float], counts: tuple[str, str]) -> str:
    return (
        f"{kind:16}{mean[0]:16.1f}{mean[1]:8.1f}{mean[2]:6.1f}{counts[0]:>6}{ratios[0]:13.2f}{ratios[1]:10.2f}"
        f"{mean[3]:16.3f}{mean[4]:7.3f}{counts[1]:>6}{mean[5]:8.1f}{mean[6]:10.1f}"
    )


def leave_alone(clips: list[CleanClip]) -> None:
    """How far clips without added noise move, with and without the repair of spikes."""
    moved = {c.name: error_mm(denoise_clip(c.clip)[0], c.clip) for c in clips}
    spared = [error_mm(denoise_clip(c.clip, spikes=False)[0], c.clip) for c in clips]
    far = sorted(moved, key=lambda name: -moved[name])[:3]
    print(
        f"clean clips moved by Denoise: median {np.median(list(moved.values())):.2f} mm, worst {moved[far[0]]:.1f} mm"
    )
    print(f"   with spikes left alone: median {np.median(spared):.2f} mm, worst {max(spared):.1f} mm")
    print("   the farthest: " + ", ".join(f"{name} {moved[name]:.1f}" for name in far))
    flipped = [c.name for c in clips if flips_in_file(c.clip)]
    sound = [mm for name, mm in moved.items() if name not in flipped]
    print(f"   without {len(flipped)} in which a foot flips ({', '.join(flipped)}):", end=" ")
    print(f"median {np.median(sound):.2f} mm, worst {max(sound):.1f} mm")


def clean_generated(folder: Path) -> None:
    """Contact-foot speed by the labels of generated clips, and the height of ankles in the middle of stances."""
    before, after, rise = [], [], []
    files = sorted((folder / "kimodo").glob("*.npz"))
    for file in files:
        clip = kt.read(file)
        cleaned = kt.Clean()(clip)
        before.append(labelled_speed(clip) or 0.0)
        after.append(labelled_speed(cleaned) or 0.0)
        assert clip.contacts is not None
        for column, name in enumerate(clip.contacts.joints):
            middles = [(start + stop) // 2 for start, stop in clip.contacts.intervals(column)]
            heights = [c.positions()[middles, clip.skeleton.index(name), 1] for c in (clip, cleaned)]
            rise += np.abs(heights[1] - heights[0]).tolist()
    if files:
        print(
            f"generated clips cleaned: {len(after)} of {len(files)}; labelled joints move by {np.mean(before):.3f} m/s "
            f"as generated, {np.mean(after):.4f} after, worst clip {max(after):.4f}; ankles at mid-stance within "
            f"{1e3 * max(rise):.1f} mm"
        )


def time_against_filter(clips: list[CleanClip]) -> None:
    """How long it takes against one pass of the filter, the best of several runs of both in turn."""
    ratios = []
    for number, (_, _, clean) in enumerate(clips[:6]):
        noisy = KINDS["white"](clean, np.random.default_rng(number))
        took = [np.inf, np.inf]
        for _ in range(7):
            for which, work in enumerate(
                (lambda clip=noisy: low_pass(clip, 6.0), lambda clip=noisy: denoise_clip(clip))
            ):
                begun = time.process_time()
                work()
                took[which] = min(took[which], time.process_time() - begun)
        ratios.append(took[1] / took[0])
    print(f"time against one Butterworth pass: {np.median(ratios):.0f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(os.environ.get("KINETUNE_DATA", str(_BESIDE))))
    parser.add_argument("--half", choices=("tuning", "report"), default="report")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth clip only")
    asked = parser.parse_args()
    half: Half = asked.half
    clips = list(clean_clips(asked.folder, half))[:: asked.every]
    if not clips:
        print(f"There are no clips in {asked.folder}. Set KINETUNE_DATA to a folder of captures.")
        return
    kinds = ", ".join(sorted({clip.motion for clip in clips}))
    print(f"{len(clips)} clips of the {half} half: {kinds}")
    compare(clips)
    leave_alone(clips)
    time_against_filter(clips)
    clean_generated(asked.folder)


if __name__ == "__main__":
    main()
