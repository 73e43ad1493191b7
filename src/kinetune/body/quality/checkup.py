"""A check-up of a clip: what an animator would stumble over, with what to do about it.

A reader's findings are about a *file*; those here are about the *motion*. ``kinetune doctor`` prints both. A clip holds
no value that is not a number (:class:`~kinetune.body.clip.Clip` refuses them), so this is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.flipped_feet import find_flipped_feet
from kinetune.body.feet.floor import find_floor
from kinetune.body.quality.glitches import find_jumps, find_motion, rotation_steps
from kinetune.body.quality.measures import measure
from kinetune.body.root_motion import travelling_joint
from kinetune.findings import Finding

NEEDED_ROLES = (
    *("hips", "head", "left hand", "right hand", "left foot", "right foot"),
    *("left lower arm", "right lower arm", "left lower leg", "right lower leg"),
)
USUAL_RATES = (12, 15, 24, 25, 30, 40, 48, 50, 60, 72, 75, 90, 100, 120, 125, 144, 150, 180, 200, 240, 250, 300, 480)
NTSC = 1000 / 1001  # 29.97 and 119.88 are 30 and 120 times this
USUAL_HEIGHTS = (0.5, 3.0)  # metres
ZERO_LENGTH = 1e-4  # of the character's height
SLIDE_MM = 30.0  # per contact; ordinary captures (CMU, HDM05, ACCAD) have 10 to 30
DEEP_MM = 30.0  # below the floor; ordinary captures have 10 to 25
LEAN_DEG = 0.75
STILL = np.deg2rad(0.01)
FASTEST_ROOT = 15.0  # metres a second; sprinters reach 12
MANY_REPEATS = 0.05


def check_up(clip: Clip) -> tuple[Finding, ...]:
    """Everything unusual about a motion, the gravest first."""
    stray, stop, _ = find_motion(clip)
    motion = clip[stray:stop]
    return (
        *_stray_poses(clip),
        *_size(clip),
        *_roles(clip),
        *_flips(motion, stray),
        *_teleports(motion, stray),
        *_rolled_feet(motion),
        *_floor(motion),
        *_contacts(motion, stray),
        *_rate(clip),
        *_repeats(motion),
        *_still_joints(motion),
        *_zero_bones(clip),
    )


def _stray_poses(clip: Clip) -> Iterator[Finding]:
    start, stop, wrong = find_motion(clip)
    for kind, frames, step in (
        ("stray-first-frame", range(start), start - 1),
        ("stray-last-frame", range(stop, len(clip)), stop - 1),
    ):
        if frames:
            degrees = np.rad2deg(rotation_steps(clip.rotations[step : step + 2]).max())
            named = f"Frame {frames[0]} does" if len(frames) == 1 else f"Frames {frames[0]} to {frames[-1]} do"
            yield Finding(
                kind,
                f"{named} not belong to the motion: the body jumps by up to {degrees:.0f} degrees from frame {step} to "
                f"{step + 1}. It is probably a T-pose.",
                frame=(frames[0], frames[-1]) if len(frames) > 1 else frames[0],
                remedy="Cut it off with: kinetune trim FILE -o OUT --drop-t-pose",
            )
    if wrong:
        listed = _listed([str(frame) for frame in wrong])
        yield Finding(
            "wrong-frames",
            f"The body is elsewhere for a single frame and then back again: frame{'s' * (len(wrong) > 1)} {listed}.",
            frame=wrong[0],
            remedy="Smooth over them with: kinetune smooth FILE -o OUT",
        )


def _size(clip: Clip) -> Iterator[Finding]:
    low, high = USUAL_HEIGHTS
    height = clip.skeleton.height
    if not low <= height <= high:
        yield Finding(
            "unusual-size",
            f"The character is {height:.3g} m tall; people are 0.5 to 2.3 m.",
            remedy="If the unit was guessed wrongly, give it: --unit cm (or m, in, mm ...).",
        )


def _roles(clip: Clip) -> Iterator[Finding]:
    missing = [role for role in NEEDED_ROLES if role not in clip.skeleton.roles]
    if missing:
        yield Finding(
            "missing-roles",
            f"No joint was recognised as {_listed(missing)}, so commands that need one will say so.",
            remedy="See what was recognised with: kinetune info FILE",
        )


def _flips(clip: Clip, first: int) -> Iterator[Finding]:
    jumps = find_jumps(clip)
    if jumps:
        worst = max(jumps, key=lambda jump: jump.degrees)
        yield Finding(
            "flips",
            f"{_count(len(jumps), 'jump')} from one frame to the next; the worst is {worst.joint} with "
            f"{worst.degrees:.0f} degrees after frame {worst.frame + first}.",
            frame=worst.frame + first,
            remedy="Smooth over them with: kinetune smooth FILE -o OUT",
        )


def _teleports(clip: Clip, first: int) -> Iterator[Finding]:
    steps = np.linalg.norm(np.diff(clip.positions()[:, travelling_joint(clip)], axis=0), axis=1)
    far = steps > max(FASTEST_ROOT / clip.fps, 0.3)
    if far.any():
        frame = int(np.argmax(steps))
        yield Finding(
            "root-jumps",
            f"The root jumps by {steps[frame]:.2f} m after frame {frame + first}"
            + (f", and {_count(int(far.sum()) - 1, 'time')} more." if far.sum() > 1 else "."),
        )


def _rolled_feet(clip: Clip) -> Iterator[Finding]:
    for foot in find_flipped_feet(clip):
        yield Finding(
            "foot-upside-down",
            f"The {foot.side} foot is rolled by half a turn about its length: its sole faces up while it stands. "
            "Joints are in place, but a mesh on them is twisted.",
            remedy="In Python, kinetune.body.feet.flipped_feet.unflip_feet(clip) rolls it back; splicing does so too.",
        )


def _floor(clip: Clip) -> Iterator[Finding]:
    floor = find_floor(clip)
    if floor is None:
        return
    if floor.height != 0.0:
        side = "above" if floor.height > 0 else "below"
        yield Finding(
            "floor-height",
            f"The feet stand {abs(floor.height) * 100:.0f} cm {side} Y = 0.",
            remedy="Put the floor at zero with: kinetune move FILE -o OUT --floor zero",
        )
    if floor.lean_deg > LEAN_DEG:
        rise = 1000 * np.tan(np.deg2rad(floor.lean_deg))
        yield Finding(
            "floor-lean",
            f"The floor under the feet leans by {floor.lean_deg:.1f} degrees: {rise:.0f} mm in every metre.",
        )


def _contacts(clip: Clip, first: int) -> Iterator[Finding]:
    measured = measure(clip)
    depth = measured["penetration_mm"]
    if depth is not None and depth > DEEP_MM:
        yield Finding(
            "below-floor",
            f"Feet or other joints go up to {depth:.0f} mm below the floor.",
            remedy="Lift them out with: kinetune keep-above-floor FILE -o OUT",
        )
    slide, worst, where = (measured[f"foot_slide_{what}"] for what in ("mm", "worst_mm", "worst_at"))
    if slide is not None and slide > SLIDE_MM:
        yield Finding(
            "foot-slide",
            f"Planted feet slide by {slide:.0f} mm in a contact on average, at worst by {worst:.0f} mm "
            f"({where['foot']} foot, frames {where['start'] + first} to {where['stop'] + first}).",
            frame=(where["start"] + first, where["stop"] + first),
            remedy="Plant them with: kinetune plant-feet FILE -o OUT",
        )


def nearest_rate(fps: float) -> float:
    """The usual frame rate that is nearest."""
    usual = [rate * factor for rate in USUAL_RATES for factor in (1.0, NTSC)]
    return min(usual, key=lambda rate: abs(rate - fps))


def _rate(clip: Clip) -> Iterator[Finding]:
    nearest = nearest_rate(clip.fps)
    if abs(nearest - clip.fps) > 1e-3 * nearest:
        yield Finding(
            "unusual-rate",
            f"{clip.fps:.6g} frames per second is an unusual rate; the nearest usual one is {nearest:g}.",
            remedy=f"If the file is wrong, read it with --fps-in {nearest:g}.",
        )


def _repeats(clip: Clip) -> Iterator[Finding]:
    if len(clip) == 1:
        yield Finding("one-frame", "There is a single frame, a pose without motion.")
    if len(clip) < 4:
        return
    path = clip.positions()[:, travelling_joint(clip)]
    same = (np.diff(path, axis=0) == 0).all(axis=1) & (rotation_steps(clip.rotations) < 1e-7).all(axis=1)
    share = float(same.mean())
    if share == 1.0:
        yield Finding("no-motion", f"Nothing moves in {len(clip)} frames.")
    elif share > MANY_REPEATS:
        yield Finding(
            "repeated-frames",
            f"{int(same.sum())} of {len(clip)} frames repeat the one before ({share:.0%}). "
            "It may have been recorded at a lower rate than it is stored.",
            remedy=f"Then bring it back with: kinetune resample FILE -o OUT --fps {clip.fps * (1 - share):.4g}",
        )


def _still_joints(clip: Clip) -> Iterator[Finding]:
    if len(clip) == 1:
        return
    still = np.flatnonzero(rotation_steps(clip.rotations).sum(axis=0) < STILL).tolist()
    if still and len(still) < len(clip.skeleton):
        names = [clip.skeleton.names[joint] for joint in still]
        verb = "turns" if len(names) == 1 else "turn"
        message = f"{_count(len(names), 'joint')} never {verb}: {_listed(names)}."
        yield Finding("still-joints", message, severity="info")


def _zero_bones(clip: Clip) -> Iterator[Finding]:
    if clip.translations is not None:
        return
    lengths = np.linalg.norm(clip.skeleton.offsets, axis=1)
    short = (lengths < ZERO_LENGTH * max(clip.skeleton.height, 1e-9)) & clip.skeleton.has_bone
    names = [clip.skeleton.names[joint] for joint in np.flatnonzero(short).tolist()]
    if names:
        yield Finding(
            "zero-length-bones",
            f"{_count(len(names), 'joint')} at the same position as the parent: {_listed(names)}. "
            "Some programs stumble over that.",
            severity="info",
        )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
