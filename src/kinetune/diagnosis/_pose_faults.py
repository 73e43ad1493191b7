"""Poses that do not belong to the motion, joints that are elsewhere for a moment, noise, frames that hang."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_denoising import denoise_clip
from kinetune.body.quality.glitches import Jump, find_jumps, find_motion, motion_of, rotation_steps
from kinetune.body.quality.repeated_frames import find_repeated_frames, times_stored
from kinetune.body.quality.spikes import Spikes, find_spikes
from kinetune.body.root_motion import travelling_joint
from kinetune.findings import Finding
from kinetune.signals.flag_ranges import true_ranges

NOISE_MM = 2.5
"""How far joints must jitter before a clip is denoised; captures of a good studio have 0.1 to 2."""
LONGEST_S = 20.0
"""Noise, spikes and physics are looked for in this much of a clip."""
FASTEST_ROOT = 15.0  # metres a second; sprinters reach 12
MANY_REPEATS = 0.05
_SLOWEST_FPS = 9.0  # threes at 30 frames a second; whoever changes poses less often holds them on purpose
_GRAVE_DEG = 60.0
_SEEN_DEG = 35.0
_LISTED = 6
_HELD_SPEED = 0.3  # rad/s of the fastest joint around frames that hang
_DENOISE = {"op": "denoise", "keep_feet": False}
_BRIDGE = {"op": "denoise", "keep_feet": False, "noise": False}

_noise: WeakKeyDictionary[Clip, tuple[float, Spikes]] = WeakKeyDictionary()


def find_stray_poses(clip: Clip) -> Iterator[Finding]:
    """A T-pose or the like before or after the motion."""
    start, stop, _ = find_motion(clip)
    for kind, frames, step in (
        ("stray-first-frame", range(start), start - 1),
        ("stray-last-frame", range(stop, len(clip)), stop - 1),
    ):
        if frames:
            named = f"Frame {frames[0]} does" if len(frames) == 1 else f"Frames {frames[0]} to {frames[-1]} do"
            yield Finding(
                kind,
                f"{named} not belong to the motion: the body jumps by up to {_leap(clip, step)} from frame {step} to "
                f"{step + 1}. It is probably a T-pose.",
                frame=(frames[0], frames[-1]) if len(frames) > 1 else frames[0],
                remedy="Cut it off with: kinetune trim FILE -o OUT --drop-t-pose",
                step={"op": "trim", "drop_t_pose": True},
            )


def _leap(clip: Clip, frame: int) -> str:
    """How far joints jump to the next frame: in degrees, or in centimetres where they do not turn, as markers."""
    degrees = np.rad2deg(rotation_steps(clip.rotations[frame : frame + 2]).max())
    if degrees >= 1.0:
        return f"{degrees:.0f} degrees"
    return f"{100.0 * np.linalg.norm(np.diff(clip.positions()[frame : frame + 2], axis=0), axis=-1).max():.0f} cm"


def stray_count(clip: Clip) -> float:
    """How many frames do not belong to the motion."""
    start, stop, _ = find_motion(clip)
    return float(len(clip) - (stop - start))


def first_seconds(clip: Clip) -> Clip:
    """As much of a clip as is looked at closely."""
    frames = round(LONGEST_S * clip.fps)
    return clip if len(clip) <= frames else clip[:frames]


def noise_mm(clip: Clip) -> float:
    """How far noise moves joints, the root mean square in millimetres: what denoising would take off."""
    return _read_noise(motion_of(clip))[0]


def _read_noise(clip: Clip) -> tuple[float, Spikes]:
    """The noise of the first seconds, and what is wrong for a few frames there."""
    known = _noise.get(clip)
    if known is None:
        part = first_seconds(clip)
        smooth, report = denoise_clip(part)
        apart = smooth.positions() - part.positions()
        known = _noise[clip] = float(1e3 * np.sqrt(np.mean(np.sum(apart**2, axis=-1)))), report.spikes
    return known


def find_bad_samples(clip: Clip, tolerance: float, first: int = 0) -> Iterator[Finding]:
    """Wrong frames, flips, spikes and noise; all are mended by one step.

    Noise is taken out where there is much of it. Where there is little, only what is elsewhere for a few frames is
    bridged, and everything else stays as it is. Messages count frames from ``first`` on.
    """
    wrong, jumps = find_motion(clip).wrong, find_jumps(clip)
    noise, spikes = _read_noise(motion_of(clip)) if wrong else _read_noise(clip)
    noisy = noise > tolerance * NOISE_MM
    seen = _seen_spikes(first_seconds(clip), find_spikes(first_seconds(clip)) if wrong else spikes)
    step = _DENOISE if noisy else _BRIDGE if wrong or seen else None
    if wrong:
        listed = listed_names([str(first + frame) for frame in wrong])
        yield Finding(
            "wrong-frames",
            f"The body jumps away for a single frame and back again: frame{'s' * (len(wrong) > 1)} {listed}.",
            frame=wrong[0],
            remedy="Interpolate them with: kinetune denoise FILE -o OUT",
            step=step,
        )
    if jumps:
        yield from _flips(clip, jumps, seen, step, first)
    if seen:
        frames = sorted({frame for frame, _ in seen})
        more = " and more" if len(frames) > _LISTED else ""
        times = "once" if len(seen) == 1 else f"{len(seen)} times"
        listed = ", ".join(str(first + frame) for frame in frames[:_LISTED])
        yield Finding(
            "spike",
            f"Joints jump away for a few frames and come back, {times}: from frame {listed}{more}.",
            frame=frames[0],
            remedy="Remove them with: kinetune denoise FILE -o OUT",
            joints=_names(clip, {joint for _, joint in seen}),
            step=step,
        )
    if noisy:
        yield Finding(
            "noise",
            f"Joints tremble: noise moves them by {noise:.1f} mm.",
            severity="info",
            remedy="Remove it with: kinetune denoise FILE -o OUT",
            step=step,
        )


def _flips(
    clip: Clip, jumps: Sequence[Jump], seen: Sequence[tuple[int, int]], step: object, first: int
) -> Iterator[Finding]:
    """Joints that jump between two frames; those of fingers and toes, and small ones, are worth knowing only."""
    major = set(_names(clip, major_joints(clip)))
    grave = [jump for jump in jumps if jump.degrees > _GRAVE_DEG and jump.joint in major]
    worst = max(grave or jumps, key=lambda jump: jump.degrees)
    short = {clip.skeleton.names[joint] for _, joint in seen}
    yield Finding(
        "flips",
        f"{counted(len(jumps), 'jump')} from one frame to the next; the worst is {worst.joint}, by "
        f"{worst.degrees:.0f} degrees after frame {first + worst.frame}.",
        severity="warning" if grave else "info",
        frame=worst.frame,
        remedy="Bridge the short ones with: kinetune denoise FILE -o OUT"
        if worst.joint in short
        else "Smooth over them with: kinetune smooth FILE -o OUT",
        joints=tuple(dict.fromkeys(jump.joint for jump in jumps)),
        step=step if worst.joint in short else None,  # type: ignore[arg-type]
    )


def major_joints(clip: Clip) -> set[int]:
    """The joints of trunk, head and limbs; fingers and toes of captures jump all the time."""
    return {joint for role, joint in clip.skeleton.roles.items() if "toes" not in role}


def seen_spikes(clip: Clip) -> list[tuple[int, int]]:
    """Spikes that are seen, as first frame and joint; smaller ones are noise."""
    return _seen_spikes(first_seconds(clip), find_spikes(first_seconds(clip)))


def _seen_spikes(clip: Clip, spikes: Spikes) -> list[tuple[int, int]]:
    seen = []
    for joint in sorted(major_joints(clip) & set(np.flatnonzero(spikes.turned.any(axis=0)).tolist())):
        turns = clip.rotations[:, joint]
        for start, stop in true_ranges(spikes.turned[:, joint]):
            ends = turns[[max(0, start - 1), min(len(clip) - 1, stop)]]
            off = rot.angle_between(np.broadcast_to(turns[start:stop, None], (stop - start, 2, 4)), ends[None])
            if float(np.rad2deg(off.min(axis=1).max())) > _SEEN_DEG:
                seen.append((start, joint))
    return seen


def find_root_jumps(clip: Clip, first: int = 0) -> Iterator[Finding]:
    """A character that is elsewhere from one frame to the next."""
    steps = np.linalg.norm(np.diff(clip.positions()[:, travelling_joint(clip)], axis=0), axis=1)
    far = steps > max(FASTEST_ROOT / clip.fps, 0.3)
    if far.any():
        frame = int(np.argmax(steps))
        yield Finding(
            "root-jumps",
            f"The root jumps by {steps[frame]:.2f} m after frame {first + frame}"
            + (f", and {counted(int(far.sum()) - 1, 'time')} more." if far.sum() > 1 else "."),
            frame=frame,
        )


def repeated_percent(clip: Clip) -> float:
    """How many of the frames repeat the one before."""
    return 100.0 * float(find_repeated_frames(clip).mean()) if len(clip) > 1 else 0.0


def find_repeats(clip: Clip) -> Iterator[Finding]:
    """Frames that repeat the one before: a clip stored at too high a rate, or one that hangs.

    The step that mends it is given where every frame is stored the same number of times.
    """
    if len(clip) == 1:
        yield Finding("one-frame", "There is a single frame, a pose without motion.")
    if len(clip) < 4:
        return
    same = find_repeated_frames(clip)
    share = float(same.mean())
    if share == 1.0:
        yield Finding("no-motion", f"Nothing moves in {len(clip)} frames.")
        return
    if share > MANY_REPEATS:
        times = times_stored(clip)
        certain = times > 1 and clip.fps / times > _SLOWEST_FPS
        rate = clip.fps / times if certain else clip.fps * (1 - share)
        yield Finding(
            "repeated-frames",
            f"{int(same.sum())} of {len(clip)} frames repeat the one before ({share:.0%}). "
            + (
                f"Every frame is stored {times} times."
                if certain
                else "It may have been recorded at a lower rate than it is stored."
            ),
            remedy=f"{'R' if certain else 'If so, r'}estore that rate with: "
            f"kinetune resample FILE -o OUT --fps {rate:.6g}",
            step={"op": "resample", "fps": rate} if certain else None,
        )
    steps = rotation_steps(clip.rotations)
    fastest, runs = steps.max(axis=1), []
    for start, stop in true_ranges(same):
        around = np.concatenate([fastest[max(0, start - 3) : start], fastest[stop : stop + 3]])
        if start > 0 and stop < len(same) and float(around.min()) * clip.fps > _HELD_SPEED:
            runs.append((start + 1, stop))
    if runs and len(clip) >= 8:
        first, last = max(runs, key=lambda run: run[1] - run[0])
        count = sum(stop - start + 1 for start, stop in runs)
        yield Finding(
            "held-frames",
            f"{count} frame{'s' * (count > 1)} repeat the one before while the body moves around them.",
            frame=first if first == last else (first, last),
            remedy="Smooth over them with: kinetune smooth FILE -o OUT",
        )


def listed_names(names: Sequence[str], most: int = _LISTED) -> str:
    """The first few of some names."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _names(clip: Clip, joints: set[int]) -> tuple[str, ...]:
    return tuple(clip.skeleton.names[joint] for joint in sorted(joints))


def counted(number: int, word: str) -> str:
    """A number of things: 1 joint, 2 joints."""
    return f"{number} {word}" + ("" if number == 1 else "s")
