"""Contacts besides feet: knees, shins, hands, elbows, shoulders and seat, where feet alone cannot carry a motion.

===================  =============================================================================
add_other_contacts   the body with the points that carry it too, and when they do
OtherContacts        the result
===================  =============================================================================

A hand in the air and a hand on a table look alike, so nothing is guessed from the pose alone. Where feet cannot give
the force and the moment that a motion needs, contact forces are spread over everything that could carry: each part
costs more the higher above the ground it is, or above a box that was given, and the faster it moves. The load that
comes to lie on a part is what it costs to leave that part out; from there on a part has contact phases as a foot has,
found by the same search. A seat may be above the ground, where the hips are well below those of one who stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.ground import Bools, ContactGround, friction_pyramid, nonnegative_sizes
from kinetune.physics.model.body_model import Body, ContactPoint
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.physics.whole_clip.contact_phases import (
    MOST,
    CarryingLimb,
    ContactPhases,
    Indices,
    cheapest_states,
    find_phases,
    limbs_of,
    single_limb,
    standing_costs,
)
from kinetune.physics.whole_clip.force_plan import Momentum
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges

# Parts, their roles, and how high above the ground a joint is while the part lies on it, of the height of the body.
_GROUPS = (
    *(("knee", (f"{side} lower leg",), 0.07) for side in ("left", "right")),
    *(("shin", (f"{side} foot", f"{side} lower leg"), 0.07) for side in ("left", "right")),
    *(("hand", (f"{side} hand",), 0.07) for side in ("left", "right")),
    *(("elbow", (f"{side} lower arm",), 0.07) for side in ("left", "right")),
    *(("shoulder", (f"{side} upper arm",), 0.09) for side in ("left", "right")),
    ("seat", ("left upper leg", "right upper leg"), 0.09),
)
_SEAT_LEG = 0.75  # a seat is lower than this share of a leg
_LEAST_S, _BLUR_S = 0.25, 0.05
_SCALE = np.repeat([0.06, 0.08], 3)  # body weights, and metres of the centre of pressure, at which a miss costs 1
_FREE, _PRICE = 0.1, 1.0  # of a body weight on a part, and more for each unit that its contact costs
_LOAD, _LEAST_LOAD = 0.15, 0.05  # body weights that surely, and that hardly, prove a contact
_LYING = 0.6  # what it costs not to carry for a part that lies on the ground
_MU, _SIDES = 1.0, 4


@dataclass(frozen=True, eq=False)
class OtherContacts:
    """A body with contact points besides its feet.

    body : with the points at the end of ``body.points``. phases : with their limbs. count : how many points were added.
    """

    body: Body
    phases: ContactPhases
    count: int


@dataclass(frozen=True, eq=False)
class _Part:
    """A part that may carry: its path (frames, points, 3), and what its states cost (frames, states)."""

    points: tuple[ContactPoint, ...]
    limb: CarryingLimb
    path: Floats
    costs: Floats


def add_other_contacts(
    body: Body,
    qpos: Floats,
    points: Floats,
    phases: ContactPhases,
    given: Momentum,
    rate: float,
    ground: ContactGround,
) -> OtherContacts:
    """Find what carries a motion besides its feet.

    Parameters
    ----------
    points : (frames, points, 3) the feet's contact points. phases : when they stand. given : what the motion needs.
    """
    contacts = OtherContacts(body, phases, 0)
    if not body.human or len(qpos) < 5:
        return contacts
    need = _needed_wrenches(given, body.mass, rate)
    feet = _foot_prices(phases, points, rate)
    if _missing(need, given.com, points, np.where(feet > 0.0, np.inf, feet)).sum() < _LEAST_S * rate:
        return contacts
    parts = _parts(body, qpos, rate, ground)
    places = np.concatenate([points, *(part.path for part in parts)], axis=1)
    prices = [np.repeat(_price(part)[:, None], part.path.shape[1], axis=1) for part in parts]
    loads = _loads(need, given.com, places, np.concatenate([feet, *prices], axis=1))
    first, carrying = points.shape[1], []
    for part in parts:
        load = loads[:, first : first + part.path.shape[1]].sum(axis=1)
        first += part.path.shape[1]
        costs = part.costs.copy()
        costs[:, 0] += MOST * np.minimum(load / _LOAD, 1.0)
        states = cheapest_states(part.limb, costs, rate)
        stand = states > 0
        if stand.any() and load[stand].max() > _LOAD:
            carrying.append((part, stand))
    return _joined(contacts, points, carrying, need, given, rate, ground) if carrying else contacts


def _parts(body: Body, qpos: Floats, rate: float, ground: ContactGround) -> list[_Part]:
    """All that could carry besides feet. A shin does at its ankle, while it lies on the ground with its knee."""
    segments, _ = segment_poses(body, qpos)
    owner = {joint: k for k, segment in enumerate(body.segments) for joint in segment.joints}
    parts = []
    for name, roles, share in _GROUPS:
        joints = [joint for joint in map(body.skeleton.roles.get, roles) if joint in owner]
        if len(joints) < len(roles):
            continue
        path = np.stack([segments[:, owner[joint]] for joint in joints], axis=1)
        above = path[..., 1] - ground.height(path)
        near = share * body.height
        limb = single_limb(name, range(len(joints)))
        costs = standing_costs(limb, path, np.maximum(above - near, np.minimum(above, 0.0)), rate)
        costs[:, 0] = np.where((above < near).all(axis=1), _LYING, 0.0)
        seated = np.asarray((above < _SEAT_LEG * _leg_length(body)).all(axis=1) & (name == "seat"))
        costs[~seated[:, None] & limb.raised] = np.inf
        if name == "shin":  # the knee has a limb of its own
            costs[(above > near).any(axis=1), 1:] = np.inf
            joints, path, limb = joints[:1], path[:, :1], single_limb(name, range(1))
        added = tuple(_contact_point(body, name, joint, owner) for joint in joints)
        parts.append(_Part(added, limb, path, costs))
    return parts


def _contact_point(body: Body, part: str, joint: int, owner: dict[int, int]) -> ContactPoint:
    """The contact point of a joint; that of a seat belongs to the hips, which legs do not move."""
    carrier = 0 if part == "seat" else owner[joint]
    place = body.offsets[owner[joint]] if part == "seat" else np.zeros(3)
    name = f"{part} {body.skeleton.names[joint]}"
    return ContactPoint(name, carrier + 1, body.segments[carrier].joint, np.asarray(place, dtype=float), part, "other")


def _joined(
    contacts: OtherContacts,
    points: Floats,
    carrying: Sequence[tuple[_Part, Bools]],
    need: Floats,
    given: Momentum,
    rate: float,
    ground: ContactGround,
) -> OtherContacts:
    """The body with the parts that carry; feet need not carry what these do."""
    body = contacts.body
    stand = np.stack([stand for _, stand in carrying], axis=1)
    heights = points[..., 1] - ground.height(points)
    phases = find_phases(limbs_of(body), points, heights, given.com, rate, borne=np.asarray(stand.any(axis=1)))
    places = np.concatenate([points, *(part.path for part, _ in carrying)], axis=1)
    counts = [len(part.points) for part, _ in carrying]
    prices = np.where(np.repeat(stand, counts, axis=1), 0.0, np.inf)
    loads = _loads(need, given.com, places, np.concatenate([_foot_prices(phases, points, rate), prices], axis=1))
    phases = _without_idle_feet(phases, loads)
    limbs, added = list(phases.limbs), list[ContactPoint]()
    for part, _ in carrying:
        first = len(body.points) + len(added)
        limbs.append(single_limb(part.points[0].side, range(first, first + len(part.points))))
        added += part.points
    return OtherContacts(
        replace(body, points=(*body.points, *added)),
        ContactPhases(
            tuple(limbs),
            np.concatenate([phases.stand, np.repeat(stand, counts, axis=1)], axis=1),
            np.concatenate([phases.raised, stand], axis=1),
        ),
        len(added),
    )


def _without_idle_feet(phases: ContactPhases, loads: Floats) -> ContactPhases:
    """Feet that hang still above the ground carry nothing while other parts carry the body without them."""
    down, raised = phases.stand.copy(), phases.raised.copy()
    for number, limb in enumerate(phases.limbs):
        for start, stop in true_ranges(raised[:, number]):
            if loads[start:stop, limb.points].sum(axis=1).mean() < _LEAST_LOAD:
                down[start:stop, limb.points] = False
                raised[start:stop, number] = False
    return replace(phases, stand=down, raised=raised)


def _leg_length(body: Body) -> float:
    """Thigh and shank together, in metres."""
    roles = body.skeleton.roles
    joints = [roles.get(name) for name in ("left lower leg", "left foot", "right lower leg", "right foot")]
    lengths = [float(np.linalg.norm(body.offsets[k])) for k, s in enumerate(body.segments) if s.joint in joints]
    return 0.5 * sum(lengths)


def _foot_prices(phases: ContactPhases, points: Floats, rate: float) -> Floats:
    """(frames, points) what a foot's contact costs: nothing on the ground; more above it; infinity for no contact."""
    prices = np.where(phases.stand, 0.0, np.inf)
    for number, limb in enumerate(phases.limbs):
        raised = phases.raised[:, number, None] & phases.stand[:, limb.points]
        above = standing_costs(limb, points, np.zeros(points.shape[:2]), rate)[:, limb.raised].min(axis=1)
        prices[:, limb.points] = np.where(raised, above[:, None], prices[:, limb.points])
    return prices


def _price(part: _Part) -> Floats:
    """(frames,) what the contact of a part costs; infinity where it cannot be one."""
    least = part.costs[:, 1:].min(axis=1)
    return np.where(least < MOST, least, np.inf)


def _needed_wrenches(given: Momentum, mass: float, rate: float) -> Floats:
    """(frames, 6) the force in body weights that a motion needs, and the moment about its centre of mass over it."""
    bend = np.gradient(np.gradient(given.com, 1.0 / rate, axis=0), 1.0 / rate, axis=0) / GRAVITY
    turn = np.zeros_like(given.com)
    turn[1:-1] = np.diff(given.spin, axis=0) * rate / (mass * GRAVITY)
    blurred = gaussian(np.concatenate([bend, turn], axis=1), rate, _BLUR_S, ends="held")
    return np.asarray(blurred + np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))


def _missing(need: Floats, com: Floats, places: Floats, prices: Floats) -> Bools:
    """(frames,) where contacts cannot give what a motion needs."""
    missing: Bools = np.zeros(len(need), dtype=bool)
    for t in range(len(need)):
        table, used = _pushes(com[t], places[t], prices[t])
        goal = need[t] / _SCALE
        given = table[:6] @ nonnegative_sizes(table[:6], goal) if len(used) else 0.0
        missing[t] = np.sum((goal - given) ** 2) > 1.0
    return missing


def _loads(need: Floats, com: Floats, places: Floats, prices: Floats) -> Floats:
    """(frames, points) body weights on each point, if all that may carry does so as its price allows."""
    loads = np.zeros(prices.shape)
    for t in range(len(need)):
        table, used = _pushes(com[t], places[t], prices[t])
        if len(used):
            goal = np.concatenate([need[t] / _SCALE, np.zeros(len(table) - 6)])
            loads[t, used] = nonnegative_sizes(table, goal).reshape(len(used), -1).sum(axis=1)
    return loads


def _pushes(com: Floats, places: Floats, prices: Floats) -> tuple[Floats, Indices]:
    """What unit forces at points do to the body, then what they cost, (6 + n, n); and which points may carry."""
    used = np.flatnonzero(np.isfinite(prices))
    directions = friction_pyramid(np.tile([0.0, 1.0, 0.0], (len(used), 1)), _MU, _SIDES).reshape(len(used), _SIDES, 3)
    moments = np.cross((places[used] - com)[:, None], directions)
    wrenches = np.concatenate([directions, moments], axis=2).reshape(-1, 6) / _SCALE
    price = np.sqrt(_FREE + _PRICE * np.repeat(prices[used], _SIDES))
    return np.concatenate([wrenches.T, np.diag(price)]), used
