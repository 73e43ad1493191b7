"""What is measured of a clip when it is indexed: the attributes that a library is searched by, and its quality."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.glitches import motion_of
from kinetune.body.quality.measures import measure
from kinetune.body.root_motion import facing
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.transitions import find_events
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges

# Lengths in leg lengths, speeds in leg lengths a second, times in seconds.
_MOVING = 0.4  # 35 cm a second for an adult
_MOVING_S = 0.5  # shorter than this, it is a shift of weight
_SLOW_S = 0.25
_FLIGHT = 0.12  # of the time: more, and fast enough, and it is a run
_RUN_FROUDE = 0.3  # speed squared over gravity and leg length; people change from walking to running at 0.5
_GRAVITY = 9.81
_STILL = 0.15
_LOW = 0.72  # of the height of straight legs
_RISE = 0.12
_JUMP_S = 0.16
_KICK = 0.25  # of the height of the character: about its knees
_OTHER_WAY = 0.5  # of the speed
_LEG_SHARE_OF_HEIGHT = 0.491  # thigh and shin, [drillis]


@dataclass(frozen=True)
class ClipFacts:
    """What an index knows about a clip.

    Parameters
    ----------
    frames : int
        How many.
    fps, duration_s : float
        Frames per second, and seconds from first to last.
    joints : int
        How many the skeleton has.
    skeleton : str
        A short signature of names and tree: clips with the same one can be spliced and blended.
    height_m : float
        How tall the character stands, estimated from its legs where they are known.
    speed_m_s, top_speed_m_s : float
        How fast it travels over the floor while it travels (0 where it does not), and at most.
    turn_deg : float
        How far it turns from beginning to end, to the left positive.
    turn_left_deg, turn_right_deg : float
        The largest rotation to either side within the clip.
    walk, run, still, low : float
        The share of the time in which it walks, runs, stands still, or has its hips low (sits, crouches, lies).
    backwards, sideways : float
        The share of its travel that goes back or to a side.
    steps, jumps, kicks : int
        How often a foot lands, both feet leave the floor at once, or a foot is thrown.
    foot_slide_mm, penetration_mm, jerk, flips : float or None
        Quality as :func:`kinetune.measure` has it; None where it cannot be measured.
    """

    frames: int
    fps: float
    duration_s: float
    joints: int
    skeleton: str
    height_m: float
    speed_m_s: float = 0.0
    top_speed_m_s: float = 0.0
    turn_deg: float = 0.0
    turn_left_deg: float = 0.0
    turn_right_deg: float = 0.0
    walk: float = 0.0
    run: float = 0.0
    still: float = 0.0
    low: float = 0.0
    backwards: float = 0.0
    sideways: float = 0.0
    steps: int = 0
    jumps: int = 0
    kicks: int = 0
    foot_slide_mm: float | None = None
    penetration_mm: float | None = None
    jerk: float | None = None
    flips: float | None = None

    def label(self) -> str:
        """A few words for a list, such as "walk 1.2 m/s, turns left"."""
        labels = [name for name in ("walk", "run") if getattr(self, name) >= LEAST_SHARE]
        if labels and self.speed_m_s > 0.0:
            labels[-1] += f" {self.speed_m_s:.1f} m/s"
        labels += [f"turns {side}" for side in ("left", "right") if getattr(self, f"turn_{side}_deg") >= LEAST_TURN_DEG]
        labels += [name.removesuffix("s") for name in ("jumps", "kicks") if getattr(self, name)]
        if self.low >= LEAST_SHARE:
            labels.append("low")
        if self.still >= 0.5:
            labels.append("still")
        return ", ".join(labels)


LEAST_SHARE = 0.3
"""The share of the time that makes a clip a walk, a run ..."""
LEAST_TURN_DEG = 35.0
"""How far a clip must turn to count as turning; walkers sway by up to 20 degrees."""


def skeleton_signature(skeleton: Skeleton) -> str:
    """Sixteen digits for the names of the joints and their tree, independent of bone lengths."""
    text = "\n".join(f"{name}\t{parent}" for name, parent in zip(skeleton.names, skeleton.parents, strict=True))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def clip_facts(clip: Clip) -> ClipFacts:
    """Measure a clip."""
    motion = motion_of(clip)
    ground = find_ground(motion)
    contacts = motion.contacts
    if contacts is None:
        contacts = Contacts.none(len(motion)) if ground is None else find_contacts(motion, ground=ground)
    quality = measure(motion, contacts=contacts, ground=ground)
    leg = None if ground is None else ground.leg
    facts: dict[str, Any] = {
        "frames": len(clip),
        "fps": clip.fps,
        "duration_s": clip.duration,
        "joints": len(clip.skeleton),
        "skeleton": skeleton_signature(clip.skeleton),
        "height_m": clip.skeleton.height if leg is None else leg / _LEG_SHARE_OF_HEIGHT,
        **{name: quality[name] for name in ("foot_slide_mm", "penetration_mm", "jerk", "flips")},
    }
    if "hips" in clip.skeleton.roles and len(motion) > 2:
        size = leg or _LEG_SHARE_OF_HEIGHT * (clip.skeleton.height or 1.0)
        drift = np.zeros(2) if ground is None else np.asarray(ground.drift, dtype=float)
        facts |= _travel_facts(motion, contacts, size, drift)
        facts |= _pose_facts(motion, contacts, size, facts["run"])
        facts["kicks"] = _kicks(motion, facts["height_m"], facts["run"])
    return ClipFacts(**facts)


def _travel_facts(clip: Clip, contacts: Contacts, leg: float, drift: Floats) -> dict[str, Any]:
    """Gait, speed and rotation, from the slow path of the hips."""
    hips = clip.positions()[:, clip.skeleton.roles["hips"]]
    blur = min(_SLOW_S, 0.25 * clip.duration)
    path = gaussian(hips[:, [0, 2]], clip.fps, blur)
    heading = gaussian(facing(clip), clip.fps, blur)
    velocity = np.gradient(path, 1.0 / clip.fps, axis=0) - drift
    speed = np.linalg.norm(velocity, axis=1)
    moving = [(a, b) for a, b in true_ranges(speed > _MOVING * leg) if b - a >= _MOVING_S * clip.fps]
    travelling = np.zeros(len(clip), dtype=bool)
    running = np.zeros(len(clip), dtype=bool)
    aloft = _aloft(contacts)
    for start, stop in moving:
        travelling[start:stop] = True
        fast = float(np.mean(speed[start:stop])) ** 2 > _RUN_FROUDE * _GRAVITY * leg
        running[start:stop] = fast and np.mean(aloft[start:stop]) > _FLIGHT
    ahead = velocity[:, 0] * np.sin(heading) + velocity[:, 1] * np.cos(heading)
    left = velocity[:, 0] * np.cos(heading) - velocity[:, 1] * np.sin(heading)
    share = float(np.mean(travelling))
    turned = np.degrees(heading - heading[0])
    return {
        "speed_m_s": float(speed[travelling].mean()) if share else 0.0,
        "top_speed_m_s": float(np.percentile(speed, 98.0)),
        "turn_deg": float(turned[-1]),
        "turn_left_deg": float(np.max(turned - np.minimum.accumulate(turned))),
        "turn_right_deg": float(np.max(np.maximum.accumulate(turned) - turned)),
        "walk": float(np.mean(travelling & ~running)),
        "run": float(np.mean(running)),
        "backwards": _share_of(travelling, -ahead > _OTHER_WAY * speed),
        "sideways": _share_of(travelling, np.abs(left) > np.abs(ahead)),
        "steps": sum(start > 0 for foot in range(len(contacts.joints)) for start, _ in contacts.intervals(foot)),
    }


def _aloft(contacts: Contacts) -> NDArray[np.bool_]:
    """When no foot stands; never where no feet are known."""
    return np.asarray(np.count_nonzero(contacts.flags, axis=1) == 0) & bool(contacts.joints)


def _share_of(whole: NDArray[np.bool_], part: NDArray[np.bool_]) -> float:
    return float(np.mean(part[whole])) if whole.any() else 0.0


def _pose_facts(clip: Clip, contacts: Contacts, leg: float, run: float) -> dict[str, Any]:
    """Stillness, low hips and jumps."""
    roles, positions = clip.skeleton.roles, clip.positions()
    joints = sorted(set(roles.values()))
    moved = np.diff(gaussian(positions[:, joints], clip.fps, min(0.1, 0.2 * clip.duration)), axis=0) * clip.fps
    speed = np.linalg.norm(moved, axis=2).max(axis=1)  # one hand that waves is enough
    facts: dict[str, Any] = {"still": float(np.mean(speed < _STILL * leg))}
    feet = [roles[role] for role in ("left foot", "right foot") if role in roles]
    if not feet:
        return facts
    height = positions[:, roles["hips"], 1] - np.percentile(positions[:, feet, 1].min(axis=1), 2.0)
    facts["low"] = float(np.mean(height < _LOW * leg))
    if contacts.joints and run < LEAST_SHARE:
        usual = np.median(height)
        flights = true_ranges(_aloft(contacts))
        facts["jumps"] = sum(
            bool(b - a >= _JUMP_S * clip.fps and height[a:b].max() > usual + _RISE * leg) for a, b in flights
        )
    return facts


def _kicks(clip: Clip, height_m: float, run: float) -> int:
    """How often a foot is thrown at least as high as the other knee; the feet of a runner are, in every step."""
    if run >= LEAST_SHARE:
        return 0
    count = 0
    for event in find_events(clip, "kick"):
        track = clip.positions()[:, clip.skeleton.roles[event.limb], 1]
        count += bool(track[event.start : event.stop].max() - np.percentile(track, 5.0) >= _KICK * height_m)
    return count
