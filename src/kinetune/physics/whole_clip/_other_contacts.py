"""Contacts besides feet: seat, knees and hands, where feet alone cannot carry a motion.

===================  =============================================================================
add_other_contacts   the body with the points that carry it too, and when they do
OtherContacts        the result
===================  =============================================================================

A hand in the air and a hand on a table look alike, so nothing is guessed from the pose alone. Where the centre of mass
asks for a force that no foot gives, or for a centre of pressure well outside the feet, the knees, the seat and the
hands are tried in this order: the hips of one who kneels are as low as a seat. One carries if it is still at those
times and low enough (a seat well below the height of standing hips, knees and hands close to the ground or to a box
that was given), and if less is missing with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.filter.com_plan import convex_hull
from kinetune.physics.ground import Bools, ContactGround
from kinetune.physics.model.body_model import Body, ContactPoint
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.physics.whole_clip.contact_phases import CarryingLimb, ContactPhases, single_limb
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges

_GROUPS = (
    ("knee", ("left lower leg", "right lower leg")),
    ("seat", ("left upper leg", "right upper leg")),
    ("hand", ("left hand", "right hand")),
)
_CARRIED = 0.4  # body weights below which nothing is missing
_AWAY_M = 0.12
_LEAST_S, _BLUR_S = 0.25, 0.05
_STILL_M_S = 0.15
_SEAT_LEG, _NEAR_M = 0.75, 0.15  # a seat is lower than this share of a leg; knees and hands than so many metres
_GAIN = 0.3  # of what is missing that a contact must explain


@dataclass(frozen=True, eq=False)
class OtherContacts:
    """A body with contact points besides its feet.

    body : with the points at the end of ``body.points``. phases : with their limbs. count : how many points were added.
    """

    body: Body
    phases: ContactPhases
    count: int


def add_other_contacts(
    body: Body,
    qpos: Floats,
    points: Floats,
    phases: ContactPhases,
    com: Floats,
    rate: float,
    ground: ContactGround,
) -> OtherContacts:
    """Find what carries a motion besides its feet.

    Parameters
    ----------
    points : (frames, points, 3) the feet's contact points. phases : when they stand. com : (frames, 3).
    """
    contacts = OtherContacts(body, phases, 0)
    if not body.human or len(com) < 5:
        return contacts
    pressure, loaded = _pressure(com, points, phases.stand, rate)
    places, stand = points, phases.stand
    missing = _missing(pressure, loaded, places, stand)
    segments, _ = segment_poses(body, qpos)
    owner = {joint: k for k, segment in enumerate(body.segments) for joint in segment.joints}
    for part, roles in _GROUPS:
        if missing.sum() < _LEAST_S * rate:
            break
        joints = [joint for joint in map(body.skeleton.roles.get, roles) if joint in owner]
        if not joints or (part == "seat" and len(joints) < len(roles)):
            continue
        track = np.stack([segments[:, owner[joint]] for joint in joints], axis=1)
        speed = np.linalg.norm(np.gradient(track, 1.0 / rate, axis=0), axis=2)
        above = track[..., 1] - ground.height(track)
        low = above < (_SEAT_LEG * _leg_length(body) if part == "seat" else _NEAR_M)
        may = low & (speed < _STILL_M_S)
        may = np.repeat(may.all(axis=1, keepdims=True), len(joints), axis=1) if part == "seat" else may
        carries = np.stack([_long(missing & own, _LEAST_S * rate) for own in may.T], axis=1)
        used = np.flatnonzero(carries.any(axis=0))
        if not len(used):
            continue
        more_places = np.concatenate([places, track[:, used]], axis=1)
        more_stand = np.concatenate([stand, carries[:, used]], axis=1)
        left = _missing(pressure, loaded, more_places, more_stand)
        if missing.sum() - left.sum() < _GAIN * missing.sum():
            continue
        places, stand, missing = more_places, more_stand, left
        contacts = _joined(contacts, part, [joints[k] for k in used], owner, carries[:, used])
    return _without_idle_feet(contacts, pressure, loaded, places, stand) if contacts.count else contacts


def _without_idle_feet(
    contacts: OtherContacts, pressure: Floats, loaded: Bools, places: Floats, stand: Bools
) -> OtherContacts:
    """Feet that hang still above the ground carry nothing while knees, seat or hands carry the body without them."""
    phases = contacts.phases
    down, raised = phases.stand.copy(), phases.raised.copy()
    idle = np.zeros(stand.shape, dtype=bool)
    for number, limb in enumerate(phases.limbs):
        if not limb.other:
            idle[:, limb.points] = raised[:, number, None]
    spared = stand & ~idle
    alone = idle.any(axis=1) & spared.any(axis=1) & ~_missing(pressure, loaded, places, spared)
    down[alone] &= ~idle[alone]
    for number, limb in enumerate(phases.limbs):
        if not limb.other:
            raised[alone, number] = False
    return replace(contacts, phases=replace(phases, stand=down, raised=raised))


def _leg_length(body: Body) -> float:
    """Thigh and shank together, in metres."""
    roles = body.skeleton.roles
    joints = [roles.get(name) for name in ("left lower leg", "left foot", "right lower leg", "right foot")]
    lengths = [float(np.linalg.norm(body.offsets[k])) for k, s in enumerate(body.segments) if s.joint in joints]
    return 0.5 * sum(lengths)


def _joined(
    contacts: OtherContacts, part: str, joints: list[int], owner: dict[int, int], carries: Bools
) -> OtherContacts:
    body, phases = contacts.body, contacts.phases
    added: list[ContactPoint] = []
    limbs: list[CarryingLimb] = []
    for joint in joints:
        name = body.skeleton.names[joint]
        root = part == "seat"
        carrier = 0 if root else owner[joint]
        at = body.offsets[owner[joint]] if root else np.zeros(3)
        at_joint = body.segments[carrier].joint
        limbs.append(single_limb(part, len(body.points) + len(added)))
        added.append(ContactPoint(f"{part} {name}", carrier + 1, at_joint, np.asarray(at, dtype=float), part, "other"))
    joined: tuple[CarryingLimb, ...] = (*phases.limbs, *limbs)
    return OtherContacts(
        replace(body, points=(*body.points, *added)),
        ContactPhases(
            joined,
            np.concatenate([phases.stand, carries], axis=1),
            np.concatenate([phases.raised, carries], axis=1),
        ),
        contacts.count + len(added),
    )


def _pressure(com: Floats, points: Floats, stand: Bools, rate: float) -> tuple[Floats, Bools]:
    """(frames, 2) the centre of pressure that the centre of mass asks for at the feet, and where it counts."""
    bend = gaussian(np.gradient(np.gradient(com, 1.0 / rate, axis=0), 1.0 / rate, axis=0), rate, _BLUR_S, ends="held")
    force = bend + np.array([0.0, GRAVITY, 0.0])
    low = points[..., 1].min(axis=1)
    lift = np.maximum(force[:, 1], _CARRIED * GRAVITY)
    place = com[:, [0, 2]] - ((com[:, 1] - low) / lift)[:, None] * force[:, [0, 2]]
    return place, np.asarray(force[:, 1] > _CARRIED * GRAVITY)


def _missing(pressure: Floats, loaded: Bools, places: Floats, stand: Bools) -> Bools:
    """(frames,) where nothing near the centre of pressure carries."""
    missing: Bools = np.zeros(len(pressure), dtype=bool)
    for t in np.flatnonzero(loaded).tolist():
        standing = places[t, stand[t]][:, [0, 2]]
        missing[t] = len(standing) == 0 or _outside(pressure[t], convex_hull(standing)) > _AWAY_M
    return missing


def _outside(place: Floats, hull: Floats) -> float:
    """How far a place (2,) is outside a hull (corners, 2) in order around; 0 inside."""
    if len(hull) == 1:
        return float(np.linalg.norm(place - hull[0]))
    start, end = hull, np.roll(hull, -1, axis=0)
    step = end - start
    if len(hull) > 2:
        across = step[:, 0] * (place - start)[:, 1] - step[:, 1] * (place - start)[:, 0]
        if np.all(across >= 0.0):
            return 0.0
    share = np.clip(np.sum((place - start) * step, axis=1) / np.maximum(np.sum(step * step, axis=1), 1e-12), 0.0, 1.0)
    return float(np.min(np.linalg.norm(start + share[:, None] * step - place, axis=1)))


def _long(flags: Bools, least: float) -> Bools:
    """Flags, without runs shorter than some frames."""
    long: Bools = np.zeros(len(flags), dtype=bool)
    for start, stop in true_ranges(flags):
        if stop - start >= least:
            long[start:stop] = True
    return long
