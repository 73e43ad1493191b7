"""Inverse kinematics of arms and legs: move a hand or a foot along a path, for all frames at once.

==============  ======================================================================================
find_limbs      the arms and legs of a skeleton, by the roles of their joints
leg_joints      the joints of its legs
bent_path       a path that keeps a limb from locking straight
limb_of         the limb that ends in a joint
bring_limb      a clip whose hand or foot follows a path
nudge_limb      the same for a path close to its own; the knee flexes about its hinge
place_limb      the same for any path; the limb keeps the plane in which it bends, or follows a pole
solve_limb      the rotations of the two bones, from positions
soften_reach    how far a limb stretches towards a goal that is out of reach
hinge_axis      the axis about which a knee or an elbow flexes
==============  ======================================================================================

Captured knees are straight for a good part of a stride, some of them to the last digit, some a little beyond. The plane
in which such a leg bends is noise, so a correction must not depend on it. The knee therefore flexes about its hinge,
the axis about which it bends in the rest of the clip, as far as the distance requires; then the whole limb swings onto
the goal along the shortest arc. No step of this can jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

SOFTNESS = 0.005
"""The last part of a limb's length in which it resists stretching, as a fraction of its length."""

_OUT_OF_REACH = (0.8, 1.1)  # of a limb's length: where a path begins to be, and where it is
_SLIGHT_BEND = 0.15  # sine of the bend at which the plane of a limb and its hinge count the same


@dataclass(frozen=True)
class LimbSolution:
    """How a limb of two bones moves to meet its goal.

    upper, lower : (frames, 4) rotations wxyz in world axes, applied on top of the bones' present world rotations.
    middle, end : (frames, 3) where the elbow or knee and the hand or foot arrive.
    miss : (frames,) metres between the end and its goal; 0 where the goal is within reach.
    """

    upper: Floats
    lower: Floats
    middle: Floats
    end: Floats
    miss: Floats


def soften_reach(distance: ArrayLike, length: ArrayLike, softness: float = SOFTNESS, free: ArrayLike = 0.0) -> Floats:
    """How far a limb stretches towards a goal at ``distance``: all the way, then ever more reluctantly.

    Up to ``(1 - softness) * length`` the goal is met; beyond, the stretch approaches ``length`` exponentially, with the
    same slope where the two parts meet. With ``softness=0`` it is cut off at ``length``.

    Parameters
    ----------
    distance : metres from the limb's root to the goal.
    length : metres, both bones together.
    softness : in [0, 1).
    free : a stretch up to which the limb does not resist in any case, such as the one that it has already.
    """
    if not 0.0 <= softness < 1.0:
        raise ParameterError(f"softness must lie in [0, 1), a fraction of the limb's length; got {softness}.")
    d, full = np.broadcast_arrays(np.asarray(distance, dtype=float), np.asarray(length, dtype=float))
    start = np.minimum(np.maximum((1.0 - softness) * full, free), full)
    room = full - start
    beyond = np.maximum(d - start, 0.0)
    eased = -room * np.expm1(-beyond / np.where(room > 0, room, 1.0))
    return np.asarray(np.where(d <= start, d, start + np.where(room > 0, eased, 0.0)))


def bend_limb(
    root: ArrayLike,
    goal: ArrayLike,
    pole: ArrayLike,
    upper_length: ArrayLike,
    lower_length: ArrayLike,
    softness: float = SOFTNESS,
) -> tuple[Floats, Floats]:
    """Where the elbow or knee and the end of a limb go.

    Parameters
    ----------
    root, goal : (..., 3) shoulder or hip, and where the hand or foot should be.
    pole : (..., 3) direction in which the elbow or knee points; only its part across the limb counts, and it must not
        lie along the limb.
    upper_length, lower_length : metres, numbers or (..., 1).
    softness : see :func:`soften_reach`.

    Returns
    -------
    middle, end : (..., 3)
    """
    a, c, p = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (root, goal, pole)))
    along, distance = _direction(c - a, _any_across(p))
    bend = _bend_for(distance, upper_length, lower_length, softness, 0.0)
    across, _ = _direction(p - _dot(p, along) * along, _any_across(along))
    first, second = np.asarray(upper_length, dtype=float), np.asarray(lower_length, dtype=float)
    at_root = np.arctan2(second * np.sin(bend), first + second * np.cos(bend))
    middle = a + first * (np.cos(at_root) * along + np.sin(at_root) * across)
    return middle, a + _reach_of(bend, first, second) * along


def solve_limb(
    root: ArrayLike,
    middle: ArrayLike,
    end: ArrayLike,
    goal: ArrayLike,
    *,
    pole: ArrayLike | None = None,
    hinge: ArrayLike | None = None,
    softness: float = SOFTNESS,
) -> LimbSolution:
    """Turn the two bones of a limb so that its end meets a goal.

    Parameters
    ----------
    root, middle, end : (frames, 3) hip, knee and ankle (or shoulder, elbow and wrist) as they are, in world axes.
    goal : (frames, 3) where the end should be.
    pole : (frames, 3) or (3,), the direction in which the knee or elbow should point. Without it the limb keeps the
        plane in which it bends, carried along with the limb's direction.
    hinge : (frames, 3) or (3,), the axis about which the joint flexes: upper bone times lower bone. A straight limb
        bends about it; the more a limb is bent, the more its own plane counts. Give it for limbs that may be straight:
        without it (and without a pole) the plane of a straight limb is noise.
    softness : see :func:`soften_reach`; a limb that is straight already is not bent by it.

    Notes
    -----
    Without a pole, the lower bone flexes about one axis until the distance is right, then the limb swings onto the
    goal by the shortest arc; with a pole, both bones rotate into the plane that it sets. With u and l the bones and h
    the axis, the squared distance after flexing by phi is ``|u|^2 + |l|^2 + 2 (A cos phi + B sin phi + C)`` with
    C = (u.h)(l.h), A = u.l - C, B = u.(h x l): solved for phi, it is exact for any axis.
    A joint that is overstretched a little comes back through the straight line instead of jumping to the other side of
    it; on the way the end may miss by a millimetre.
    Laws (``tests/body/kinematics/test_limb_ik.py``): bones keep their lengths; a goal that the end meets already
    changes nothing; a goal within reach is met; the result rotates and moves with the scene.
    """
    a, b, c, g = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (root, middle, end, goal)))
    upper, upper_length = _direction(b - a, np.broadcast_to([0.0, -1.0, 0.0], a.shape))
    lower, lower_length = _direction(c - b, upper)
    before, reach_before = _direction(c - a, upper)
    _, distance = _direction(g - a, before)
    reach = soften_reach(distance, upper_length + lower_length, softness, reach_before)

    axis = _flexion_axis(upper, lower, before, None if hinge is None else np.asarray(hinge, dtype=float))
    if pole is None:
        flex = rot.from_axis_angle(axis, _flexion(b - a, c - b, axis, reach)[..., 0])
        along, _ = _direction(b - a + rot.rotate(flex, c - b), before)
        after, _ = _direction(g - a, along)
        upper_turn = rot.between(along, after)
        lower_turn = rot.multiply(upper_turn, flex)
    else:
        points = np.broadcast_to(np.asarray(pole, dtype=float), a.shape)
        knee, arrived = bend_limb(a, a + _direction(g - a, before)[0] * reach, points, upper_length, lower_length, 0.0)
        new_axis = np.cross(knee - a, arrived - knee)
        new_axis = np.where(_dot(new_axis, new_axis) > 1e-20, new_axis, np.cross(points, arrived - a))
        upper_turn = _frame_turn(upper, axis, knee - a, new_axis)
        lower_turn = _frame_turn(lower, axis, arrived - knee, new_axis)
    new_middle = a + rot.rotate(upper_turn, b - a)
    new_end = new_middle + rot.rotate(lower_turn, c - b)
    return LimbSolution(upper_turn, lower_turn, new_middle, new_end, np.linalg.norm(new_end - g, axis=-1))


def place_limb(
    clip: Clip,
    upper: str | int,
    lower: str | int,
    end: str | int,
    goal: ArrayLike,
    *,
    pole: ArrayLike | None = None,
    softness: float = SOFTNESS,
    keep: Literal["world", "local"] = "world",
    hinge: Floats | None = None,
) -> tuple[Clip, Floats]:
    """A clip whose hand or foot follows a path; only the two bones above it (and its own rotation) change.

    Parameters
    ----------
    upper, lower, end : the joints at the root, in the middle and at the end of the limb, such as ``"LeftUpLeg"``,
        ``"LeftLeg"``, ``"LeftFoot"``. Joints between them (twist bones) stay as they are.
    goal : (frames, 3) or (3,), where the end joint should be, in metres.
    pole : see :func:`solve_limb`.
    keep : whether the hand or foot keeps its rotation in the world (a planted foot stays flat) or against the lower
        bone.
    hinge : (3,) the axis of the middle joint in the upper one's frame; found from the clip if omitted.

    Returns
    -------
    clip : the new clip.
    miss : (frames,) metres between the end joint and its goal.
    """
    skeleton = clip.skeleton
    top, middle, tip = (j if isinstance(j, int) else skeleton.index(j) for j in (upper, lower, end))
    _check_limb(skeleton, top, middle, tip)
    positions, world = clip.positions(), clip.world_rotations()
    axis = rot.rotate(world[:, top], hinge_axis(clip, top, middle, tip) if hinge is None else hinge)
    goals = np.broadcast_to(np.asarray(goal, dtype=float), (len(clip), 3))
    solution = solve_limb(
        positions[:, top], positions[:, middle], positions[:, tip], goals, pole=pole, hinge=axis, softness=softness
    )
    rotations = np.array(clip.rotations)
    above = skeleton.parents[top]
    top_world = rot.multiply(solution.upper, world[:, top])
    rotations[:, top] = top_world if above < 0 else rot.multiply(rot.inverse(world[:, above]), top_world)
    # What carries the middle joint turns with the upper bone; what carries the tip turns with the lower one.
    carrier = rot.multiply(solution.upper, world[:, skeleton.parents[middle]])
    rotations[:, middle] = rot.multiply(rot.inverse(carrier), rot.multiply(solution.lower, world[:, middle]))
    if keep == "world":
        carrier = rot.multiply(solution.lower, world[:, skeleton.parents[tip]])
        rotations[:, tip] = rot.multiply(rot.inverse(carrier), world[:, tip])
    rotations = rot.continuous(rot.normalize(rotations))
    return clip.replace(rotations=rotations), solution.miss


def _check_limb(skeleton: Skeleton, upper: int, lower: int, end: int) -> None:
    if upper not in skeleton.chain(lower)[:-1] or lower not in skeleton.chain(end)[:-1]:
        names = ", ".join(f'"{skeleton.names[j]}"' for j in (upper, lower, end))
        raise ParameterError(f"The joints {names} do not follow each other down one limb, as hip, knee and ankle do.")


def hinge_axis(clip: Clip, upper: int, lower: int, end: int) -> Floats:
    """The axis (3,) in the upper joint's frame about which a limb flexes, from how it bends in the clip.

    Frames count by their bend. A limb that never bends takes the axis of its role: elbows flex forwards in the rest
    pose, knees (and limbs of unknown role) backwards.
    """
    positions = clip.positions()
    first, _ = _direction(positions[:, lower] - positions[:, upper], np.zeros((len(clip), 3)))
    second, _ = _direction(positions[:, end] - positions[:, lower], np.zeros((len(clip), 3)))
    seen = rot.rotate(rot.inverse(clip.world_rotations()[:, upper]), np.cross(first, second))
    seen = seen[np.linalg.norm(seen, axis=-1) > np.sin(0.1)]
    total = seen.sum(axis=0)
    if np.linalg.norm(total) > 0.1:
        return np.asarray(total / np.linalg.norm(total))
    return _anatomical_hinge(clip.skeleton, upper, lower, end)


def _anatomical_hinge(skeleton: Skeleton, upper: int, lower: int, end: int) -> Floats:
    rest = skeleton.rest_positions
    roles = skeleton.roles
    forward = np.array([0.0, 0.0, 1.0])
    if "left upper leg" in roles and "right upper leg" in roles:
        across = rest[roles["left upper leg"]] - rest[roles["right upper leg"]]
        forward = np.cross(across, [0.0, 1.0, 0.0])
    arm = lower in (roles.get("left lower arm"), roles.get("right lower arm"))
    hinge = np.cross(rest[end] - rest[upper], forward if arm else -forward)
    if np.linalg.norm(hinge) < 1e-9:
        hinge = np.array([1.0, 0.0, 0.0])
    return rot.rotate(rot.inverse(skeleton.rest_rotations[upper]), hinge / np.linalg.norm(hinge))


def _flexion_axis(upper: Floats, lower: Floats, along: Floats, hinge: Floats | None) -> Floats:
    """The unit axis about which a limb flexes: the normal of its bend, and its hinge where that says little."""
    normal = rot.cross(upper, lower)
    if hinge is None:
        return _direction(normal, _any_across(along))[0]
    across, _ = _direction(hinge - _dot(hinge, along) * along, _any_across(along))
    return _direction(normal + _SLIGHT_BEND * across, across)[0]


def _flexion(upper: Floats, lower: Floats, axis: Floats, reach: Floats) -> Floats:
    """How far the lower bone rotates about an axis so that the ends of the limb come ``reach`` apart, or as near to it
    as this axis allows."""
    constant = _dot(upper, axis) * _dot(lower, axis)
    cosine, sine = _dot(upper, lower) - constant, _dot(upper, rot.cross(axis, lower))
    size = np.hypot(cosine, sine)
    bend_before = -np.arctan2(sine, cosine)
    target = 0.5 * (reach**2 - _dot(upper, upper) - _dot(lower, lower)) - constant
    bend = np.arccos(np.clip(target / np.where(size > 0, size, 1.0), -1.0, 1.0))
    return np.where(size > 0, _through_straight(bend, bend_before) - bend_before, 0.0)


def _frame_turn(bone: Floats, axis: Floats, new_bone: Floats, new_axis: Floats) -> Floats:
    """The rotation that carries a bone and its axis onto a new bone and axis."""
    old, new = (rot.from_matrix(_frame(*pair)) for pair in ((bone, axis), (new_bone, new_axis)))
    return rot.multiply(new, rot.inverse(old))


def _frame(bone: Floats, axis: Floats) -> Floats:
    along, _ = _direction(bone, np.broadcast_to([0.0, -1.0, 0.0], bone.shape))
    across, _ = _direction(axis - _dot(axis, along) * along, _any_across(along))
    return np.stack([along, across, np.cross(along, across)], axis=-1)


def _through_straight(bend: Floats, bend_before: Floats) -> Floats:
    """The signed bend of a joint that was overstretched: it passes the straight line at a finite rate."""
    over = np.maximum(-bend_before, 0.0)
    crossing = np.maximum(2.0 * bend - 3.0 * over, -bend)
    return np.where(over > 0, np.minimum(crossing, bend), bend)


def _bend_for(distance: Floats, upper: ArrayLike, lower: ArrayLike, softness: float, free: ArrayLike) -> Floats:
    """How far the middle joint bends (0 is straight) so that the ends are ``distance`` apart, within reach."""
    u, v = np.asarray(upper, dtype=float), np.asarray(lower, dtype=float)
    reach = np.maximum(soften_reach(distance, u + v, softness, free), np.abs(u - v))
    # cos(bend) near 1 loses digits; the half-angle form does not.
    half = np.clip(((u + v) ** 2 - reach**2) / np.maximum(4.0 * u * v, 1e-300), 0.0, 1.0)
    return np.asarray(2.0 * np.arcsin(np.sqrt(half)))


def _reach_of(bend: Floats, upper: ArrayLike, lower: ArrayLike) -> Floats:
    u, v = np.asarray(upper, dtype=float), np.asarray(lower, dtype=float)
    return np.asarray(np.sqrt(np.maximum((u + v) ** 2 - 4.0 * u * v * np.sin(0.5 * bend) ** 2, 0.0)))


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a * b, axis=-1, keepdims=True))


def _direction(vectors: Floats, otherwise: Floats) -> tuple[Floats, Floats]:
    """Unit vectors and lengths (..., 1); a vector of no length takes the other direction."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    good = length > 1e-12
    return np.where(good, vectors / np.where(good, length, 1.0), otherwise), length


def _any_across(vectors: Floats) -> Floats:
    """Some unit vectors at right angles to these."""
    least = np.eye(3)[np.argmin(np.abs(vectors), axis=-1)]
    across = np.cross(vectors, least)
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    return np.asarray(np.where(length > 0, across / np.where(length > 0, length, 1.0), np.array([1.0, 0.0, 0.0])))


def nudge_limb(
    clip: Clip,
    upper: int,
    lower: int,
    end: int,
    goal: Floats,
    *,
    end_turn: Floats | None = None,
    unlock: Floats | float = 0.0,
    hinge: Floats | None = None,
) -> tuple[Clip, Floats]:
    """A clip whose hand or foot follows another path close to its own.

    Parameters
    ----------
    upper, lower, end : the joints at the root, in the middle and at the end of the limb.
    goal : (frames, 3) where the end joint should be, in metres.
    end_turn : (frames, 4) how it should be turned in the world; None keeps its present rotation.
    unlock : (frames,) or a number in [0, 1]: how far a middle joint that is bent the wrong way is brought back. With 0
        it comes back only as far as the goal requires, so that nothing changes needlessly.
    hinge : (3,) the axis of the middle joint in the upper one's frame; found from the clip if omitted.

    Returns
    -------
    clip : the new clip; only the three joints change.
    miss : (frames,) metres between the end joint and its goal: for goals out of reach, and by a millimetre or so on
        the way back from an overstretched middle joint.

    Notes
    -----
    With u and l the two bones and h the hinge, the squared distance from root to end after flexing by phi is
    ``|u|^2 + |l|^2 + 2 (A cos phi + B sin phi + C)``, C = (u.h)(l.h), A = u.l - C, B = u.(h x l).
    Laws: a goal that is met already changes nothing; bones keep their lengths; small moves of the goal make small
    changes (``tests/body/kinematics/test_limb_ik.py``).
    """
    skeleton = clip.skeleton
    _check_limb(skeleton, upper, lower, end)
    positions, world = clip.positions(), clip.world_rotations()
    root = positions[:, upper]
    u, v = positions[:, lower] - root, positions[:, end] - positions[:, lower]
    flexion_axis = hinge_axis(clip, upper, lower, end) if hinge is None else hinge
    axis = rot.rotate(world[:, upper], flexion_axis)
    flex = rot.from_axis_angle(axis, hinge_flexion(u, v, axis, np.linalg.norm(goal - root, axis=-1), unlock))
    bent = u + rot.rotate(flex, v)
    swing = swing_onto(bent, goal - root)
    rotations = np.array(clip.rotations)
    above = skeleton.parents[upper]
    turned = rot.multiply(swing, world[:, upper])
    rotations[:, upper] = turned if above < 0 else rot.multiply(rot.inverse(world[:, above]), turned)
    shin = rot.multiply(swing, flex)
    carrier = rot.multiply(swing, world[:, skeleton.parents[lower]])
    rotations[:, lower] = rot.multiply(rot.inverse(carrier), rot.multiply(shin, world[:, lower]))
    carrier = rot.multiply(shin, world[:, skeleton.parents[end]])
    end_world = world[:, end] if end_turn is None else end_turn
    rotations[:, end] = rot.multiply(rot.inverse(carrier), end_world)
    miss = np.linalg.norm(root + rot.rotate(swing, bent) - goal, axis=-1)
    return clip.replace(rotations=rot.continuous(rot.normalize(rotations)), contacts=clip.contacts), miss


def hinge_flexion(
    u: Floats, v: Floats, hinge: Floats, distance: Floats, unlock: Floats | float, softness: float = SOFTNESS
) -> Floats:
    """How far the lower bone v rotates about a hinge so that the limb u + v spans a distance, (frames,) radians.

    Parameters
    ----------
    unlock : as in :func:`nudge_limb`. softness : see :func:`soften_reach`.
    """
    c = _inner(u, hinge) * _inner(v, hinge)
    a, b = _inner(u, v) - c, _inner(u, rot.cross(hinge, v))
    both = _inner(u, u) + _inner(v, v)
    most = np.maximum(np.hypot(a, b), 1e-300)
    full = np.sqrt(np.maximum(both + 2.0 * (most + c), 0.0))
    now = np.sqrt(np.maximum(both + 2.0 * (a + c), 0.0))
    reach = soften_reach(distance, full, softness, free=now)
    bend_now = -np.arctan2(b, a)  # from full stretch, positive the way the joint flexes
    bend = np.arccos(np.clip((0.5 * (reach**2 - both) - c) / most, -1.0, 1.0))
    # An overstretched joint comes back through the straight line at a finite rate, so that nothing jumps there.
    over = np.maximum(-bend_now, 0.0)
    crossing = np.minimum(np.maximum(2.0 * bend - 3.0 * over, -bend), bend)
    return crossing + unlock * (bend - crossing) - bend_now


def swing_onto(start: Floats, end: Floats) -> Floats:
    """The shortest rotation from one direction to another; none where either has no length."""
    lengths = np.linalg.norm(start, axis=-1) * np.linalg.norm(end, axis=-1)
    usable = (lengths > 1e-12)[:, None]
    ahead = np.array([0.0, 0.0, 1.0])
    return np.where(
        usable, rot.between(np.where(usable, start, ahead), np.where(usable, end, ahead)), rot.identity(len(start))
    )


def _inner(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a * b, axis=-1))


class Limb(NamedTuple):
    """A limb: the joints at its root, in its middle and at its end, and the joint of the trunk that carries it."""

    upper: int
    lower: int
    end: int
    carrier: int
    is_leg: bool


_PARTS = (("hand", "upper arm", "lower arm", "chest"), ("foot", "upper leg", "lower leg", "hips"))


def find_limbs(skeleton: Skeleton) -> tuple[Limb, ...]:
    """The arms and legs of which all joints are known, left before right."""
    roles = skeleton.roles
    limbs = []
    for side in ("left", "right"):
        for end, upper, lower, carrier in _PARTS:
            names = [f"{side} {upper}", f"{side} {lower}", f"{side} {end}", carrier]
            if all(name in roles for name in names):
                top, middle, tip, trunk = (roles[name] for name in names)
                limbs.append(Limb(top, middle, tip, trunk, is_leg=end == "foot"))
    return tuple(limbs)


def leg_joints(skeleton: Skeleton) -> frozenset[int]:
    """All joints of the legs, from the thighs to the toes."""
    return frozenset(joint for leg in find_limbs(skeleton) if leg.is_leg for joint in skeleton.subtree(leg.upper))


def limb_of(skeleton: Skeleton, end: int) -> Limb | None:
    """The limb that ends in a joint; None for any other joint."""
    return next((limb for limb in find_limbs(skeleton) if limb.end == end), None)


def bring_limb(
    clip: Clip,
    limb: Limb,
    path: Floats,
    *,
    keep: Literal["world", "local"],
    soft: bool = True,
    hinge: Floats | None = None,
) -> Clip:
    """A clip whose hand or foot follows a path, as far as its limb reaches.

    Parameters
    ----------
    path : (frames, 3) metres in the world.
    keep : whether the hand or foot keeps its rotation in the world, or against the bone above it.
    soft : near full stretch, give way a little, so that knees do not pop along a path; off, the path is met to the
        last bit of reach, which suits a single pose.
    hinge : (3,) the axis of the middle joint in the upper one's frame, for a part of a clip; found if omitted.

    Notes
    -----
    The limb flexes about the hinge that it has in the rest of the clip (:func:`nudge_limb`).
    """
    brought, miss = nudge_limb(clip, limb.upper, limb.lower, limb.end, path, hinge=hinge)
    if not soft and miss.max() > 1e-9:
        joints = limb.upper, limb.lower, limb.end
        brought, _ = place_limb(brought, *joints, path, softness=0.0, keep="world", hinge=hinge)
    if keep == "world":
        return brought
    rotations = np.array(brought.rotations)
    rotations[:, limb.end] = clip.rotations[:, limb.end]
    return brought.replace(rotations=rotations, contacts=clip.contacts)


def bent_path(clip: Clip, limb: Limb, path: Floats) -> Floats:
    """The path nearest to another, (frames, 3), on which a limb never locks straight.

    A limb whose path leads out of reach would be stretched flat all the while, and snap there and back: close to full
    stretch, millimetres are tens of degrees. The farther out a path leads, the more it keeps the distance that the
    limb spans in the clip, in the direction of the path.
    """
    positions = clip.positions()
    root, middle, end = (positions[:, joint] for joint in (limb.upper, limb.lower, limb.end))
    length = np.linalg.norm(middle - root, axis=1) + np.linalg.norm(end - middle, axis=1)
    away, usual = (np.linalg.norm(point - root, axis=1) for point in (path, end))
    least, most = _OUT_OF_REACH
    u = np.clip((away / length - least) / (most - least), 0.0, 1.0)
    share = u**3 * (u * (6.0 * u - 15.0) + 10.0)  # without a jump in acceleration
    reach = away + share * (usual - away)
    return np.asarray(root + (reach / np.maximum(away, 1e-9))[:, None] * (path - root))
