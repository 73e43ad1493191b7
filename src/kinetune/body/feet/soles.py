"""The soles of the feet: the points that touch the floor, which no file names.

The ankle joint is not the sole. It sits a hand's breadth above the heel, and while a foot rolls over heel and ball it
travels although nothing slides. A foot therefore gets up to three sole points, each fixed in the frame of a joint:

========  ========================================================================================
heel      below and behind the ankle, moves with the foot
ball      below the toe joint (or at two thirds of the distance to the tip), moves with the foot
toe       below the tip of the toes, moves with the toes where the skeleton has them
========  ========================================================================================

Which way is down for a foot is read from the clip itself: the direction of gravity in the foot's frame while it stands
flat. Where one foot of a body that is the same on both sides hardly ever does, its sole is that of the other.
A skeleton that marks its soles, with an end site at the heel that is level with the tip of the toes, needs no guess:
:func:`marked_foot` takes those points as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.robot import robot_of
from kinetune.body.skeleton import Skeleton, as_offset
from kinetune.rotations import Floats

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")

# Fractions of leg length, from segment lengths of adults (Drillis and Contini; leg length is 0.53 of the height).
ANKLE_HEIGHT = 0.074
HEEL_BEHIND_ANKLE = 0.057
BALL_AHEAD_OF_ANKLE = 0.145
BALL_SHARE_OF_FOOT = 0.66
BALL_JOINT_HEIGHT = 0.02
TIP_HEIGHT = 0.01
# A marked heel is this far below the ankle, and no further than this from the height of the tip of the toes.
_HEEL_BELOW_ANKLE = (0.02, 0.16)
_MARKED_LEVEL = 0.008
_BELOW = np.cos(np.deg2rad(45.0))
# A foot that reaches less far ahead of the ankle, in leg lengths, is a ball or a stump and shows no direction.
_SHORTEST_FOOT = 0.05
# A flat foot points at most this much further up or down than anatomy and the rest pose have it.
_FLAT_SPREAD = np.deg2rad(25.0)
# Toes continue the foot at no more than this angle, which high heels come near to.
_TIP_AHEAD = np.cos(np.deg2rad(75.0))
_ALIKE = 0.01  # legs at rest are mirror images to this share of their length
_SHOWN_S = 0.2  # a foot that lies flat for so long shows its sole

SPEED_WINDOW_S = 1.0 / 30.0
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class SolePoint:
    """A point of the sole, given in the frame of a joint, in metres."""

    name: Literal["heel", "ball", "toe"]
    joint: int
    offset: tuple[float, float, float]


@dataclass(frozen=True)
class Foot:
    """One foot: its side, its ankle joint, and the points of its sole from heel to toe."""

    side: str
    joint: int
    points: tuple[SolePoint, ...]

    def positions(self, clip: Clip) -> Floats:
        """World positions of the sole points, (frames, points, 3) in metres."""
        joints = [point.joint for point in self.points]
        offsets = np.array([point.offset for point in self.points])
        return clip.positions()[:, joints] + rot.rotate(clip.world_rotations()[:, joints], offsets)


@dataclass(frozen=True)
class FootJoints:
    """What a skeleton knows about a foot: the ankle, the toe joint and the tip, where it has them.

    toes : the toe joint and its position in the ankle's frame in metres.
    tip : the joint that carries the tip of the toes and the tip's position in its frame in metres.
    """

    side: Side
    ankle: int
    toes: tuple[int, Floats] | None
    tip: tuple[int, Floats] | None


def bone_offsets(clip: Clip) -> Floats:
    """Joint positions in the parents' frames (joints, 3), also for clips that carry their own translations."""
    return clip.skeleton.offsets if clip.translations is None else clip.translations[len(clip) // 2]


def find_foot_joints(clip: Clip) -> tuple[FootJoints, ...]:
    """The feet of a skeleton, left before right; none for a character without joints in the roles of feet."""
    roles = clip.skeleton.roles
    offsets = bone_offsets(clip)
    feet = []
    for side in SIDES:
        ankle = roles.get(f"{side} foot")
        if ankle is None:
            continue
        toes = roles.get(f"{side} toes")
        if toes is not None and (clip.skeleton.parents[toes] != ankle or not np.any(np.abs(offsets[toes]) > 1e-6)):
            toes = None
        if toes is not None and _is_sole(clip, ankle, toes):
            toes = None
        tip = _find_tip(clip.skeleton, offsets, ankle, ankle if toes is None else toes)
        feet.append(FootJoints(side, ankle, None if toes is None else (toes, offsets[toes]), tip))
    if any(foot.tip is None for foot in feet):  # then the tip of the other foot is none either
        feet = [replace(foot, tip=None) for foot in feet]
    return tuple(feet)


def _is_sole(clip: Clip, ankle: int, toes: int) -> bool:
    """Whether what has the role of toes is a robot's sole: no hinge turns it, and it is below the ankle, not ahead."""
    robot, skeleton = robot_of(clip), clip.skeleton
    if robot is None or toes in robot.by_node:
        return False
    reach = skeleton.rest_positions[toes] - skeleton.rest_positions[ankle]
    return bool(-reach[1] > _BELOW * np.linalg.norm(reach))


def _find_tip(skeleton: Skeleton, offsets: Floats, ankle: int, joint: int) -> tuple[int, Floats] | None:
    """The outermost point below a joint: an end site, or a joint that carries none.

    Below a toe joint it must lie ahead: exporters put an end at the tail of the last bone, and in many rigs bones point
    anywhere.
    """
    foot = skeleton.rest_positions[joint] - skeleton.rest_positions[ankle]
    least = _TIP_AHEAD * float(np.linalg.norm(foot))
    below = [j for j in skeleton.subtree(joint) if j != joint]
    candidates = [(int(skeleton.parents[j]), offsets[j]) for j in below]
    candidates += [(s.parent, np.array(s.offset)) for s in skeleton.end_sites if s.parent in (joint, *below)]
    points = [
        skeleton.rest_positions[parent]
        + rot.rotate(skeleton.rest_rotations[parent], offset)
        - skeleton.rest_positions[joint]
        for parent, offset in candidates
    ]
    sizes = [float(np.linalg.norm(point)) for point in points]
    reach = [size if point @ foot >= least * size else 0.0 for point, size in zip(points, sizes, strict=True)]
    if not reach or max(reach) < 1e-6:
        return None
    return candidates[int(np.argmax(reach))]


def marked_foot(clip: Clip, foot: FootJoints, leg: float) -> Foot | None:
    """The sole of a foot whose skeleton marks it, or None where the sole must be guessed.

    A marked sole has a heel, an end site (or a joint that carries none) below and behind the ankle, and a tip of the
    toes at the same height: two points on which the character of the rest pose stands.

    Parameters
    ----------
    leg : the leg length in metres.
    """
    skeleton, ankle = clip.skeleton, foot.ankle
    tip_at = foot.tip
    if tip_at is None and foot.toes is not None:  # toes that carry nothing may be the tip itself
        tip_at = ankle, foot.toes[1]
    if tip_at is None:
        return None
    rest, back = skeleton.rest_positions, rot.inverse(skeleton.rest_rotations[ankle])
    up = rot.rotate(back, UP)
    tip = _tip_in_ankle_frame(clip, ankle, tip_at)
    ahead = _level(tip, up)
    low, high = (share * leg for share in _HEEL_BELOW_ANKLE)
    ends = [j for j in skeleton.children[ankle] if not skeleton.children[j]]
    marks = [rot.rotate(back, rest[j] - rest[ankle]) for j in ends]
    carried = [(site.parent, np.array(site.offset)) for site in skeleton.end_sites if site.parent in (ankle, *ends)]
    marks += [_tip_in_ankle_frame(clip, ankle, mark) for mark in carried]
    heels = [
        mark
        for mark in marks
        if low <= -float(mark @ up) <= high
        and float(mark @ ahead) < 0.0
        and abs(float((tip - mark) @ up)) <= _MARKED_LEVEL * leg
    ]
    if not heels:
        return None
    heel = min(heels, key=lambda mark: float(mark @ ahead))
    below = up * float(heel @ up)
    ball = BALL_SHARE_OF_FOOT * ahead if foot.toes is None else _level(foot.toes[1], up)
    points = [SolePoint("heel", ankle, as_offset(heel)), SolePoint("ball", ankle, as_offset(ball + below))]
    if foot.tip is not None:
        carrier, offset = foot.tip
        points.append(SolePoint("toe", carrier, as_offset(offset)))
    return Foot(foot.side, ankle, tuple(points))


def leg_length(clip: Clip) -> float | None:
    """Hip joint to ankle along the bones, in metres, the mean of both legs; None without legs.

    All that contacts call near or slow is a share of this length, so that a giant's feet stand like a child's.
    """
    roles = clip.skeleton.roles
    lengths = np.linalg.norm(bone_offsets(clip), axis=1)
    legs = []
    for side in SIDES:
        ankle = roles.get(f"{side} foot")
        hip = roles.get(f"{side} upper leg", roles.get("hips"))
        if ankle is not None and hip is not None:
            chain = clip.skeleton.chain(ankle, hip)
            legs.append(float(lengths[list(chain)].sum()))
    length = float(np.mean(legs)) if legs else 0.0
    return length if length > 1e-9 else None


def still_speed(points: Floats, fps: float) -> Floats:
    """How fast points (frames, ..., 3) move just before or just after each frame, whichever is slower, in units/s.

    Either side is a thirtieth of a second long at any frame rate. A foot that lands fast and stands counts as still
    from the frame in which it arrives, and until the frame in which it leaves: the edges stay sharp at 30 fps, and at
    120 fps measuring noise is averaged away.
    """
    frames = len(points)
    step = min(max(1, round(SPEED_WINDOW_S * fps)), frames - 1)
    if step == 0:
        return np.zeros(points.shape[:-1])
    moved = points[step:] - points[:-step]
    speed = np.sqrt(np.einsum("...k,...k->...", moved, moved)) * (fps / step)
    slower = np.full(points.shape[:-1], np.inf)
    slower[:-step] = speed
    np.minimum(slower[step:], speed, out=slower[step:])
    # A clip shorter than two windows has frames in its middle that reach neither end.
    unreached = np.isinf(slower)
    if unreached.any():
        slower[unreached] = np.broadcast_to(speed.max(axis=0), slower.shape)[unreached]
    return slower


def flat_frames(clip: Clip, foot: FootJoints, standing: NDArray[np.intp], leg: float) -> NDArray[np.intp]:
    """Those of the frames in which a foot may lie flat: on its heel or its toes it points far up or far down."""
    ahead = foot.toes[1] if foot.toes is not None else None
    ahead = _tip_in_ankle_frame(clip, foot.ankle, foot.tip) if ahead is None and foot.tip is not None else ahead
    length = 0.0 if ahead is None else float(np.linalg.norm(ahead))
    if ahead is None or length < 1e-9 or not len(standing):
        return standing
    above = (BALL_JOINT_HEIGHT if foot.toes is not None else TIP_HEIGHT) - ANKLE_HEIGHT
    usual = float(np.arcsin(np.clip(above * leg / length, -1.0, 1.0)))
    turned = np.concatenate([clip.skeleton.rest_rotations[[foot.ankle]], clip.world_rotations()[standing, foot.ankle]])
    pitch = np.arcsin(np.clip(rot.rotate(turned, ahead)[:, 1] / length, -1.0, 1.0))
    low, high = min(usual, pitch[0]) - _FLAT_SPREAD, max(usual, pitch[0]) + _FLAT_SPREAD
    return np.asarray(standing[(pitch[1:] > low) & (pitch[1:] < high)])


def sole_drop(clip: Clip, foot: FootJoints, standing: NDArray[np.intp], leg: float) -> float:
    """How far the sole lies below the ankle by anatomy, in metres, given the frames in which the foot stands."""
    positions = clip.positions()
    ankle = positions[standing, foot.ankle, 1]
    drop = ANKLE_HEIGHT * leg
    if foot.toes is not None and len(standing):
        lower = float(np.median(ankle - positions[standing, foot.toes[0], 1]))
        drop = max(drop, lower + BALL_JOINT_HEIGHT * leg)
    elif foot.tip is not None and len(standing):
        tip = _track(clip, standing, foot.tip)
        drop = max(drop, float(np.median(ankle - tip[:, 1])) + TIP_HEIGHT * leg)
    return drop


def shape_foot(clip: Clip, foot: FootJoints, standing: NDArray[np.intp], drop: float, leg: float) -> Foot:
    """The sole points of a foot.

    Parameters
    ----------
    standing : the frames in which it stands flat; when there are none the rest pose says what flat is.
    drop : how far the sole lies below the ankle in metres.
    leg : the leg length in metres.
    """
    up = _up_in_frame(clip, foot.ankle, standing)
    if foot.toes is None and foot.tip is not None:
        length = float(np.linalg.norm(_level(_tip_in_ankle_frame(clip, foot.ankle, foot.tip), up)))
        foot = foot if length >= _SHORTEST_FOOT * leg else replace(foot, tip=None)
    ahead = _ahead_in_frame(clip, foot, standing, up)
    below = -drop * up
    points = [SolePoint("heel", foot.ankle, as_offset(below - HEEL_BEHIND_ANKLE * leg * ahead))]
    if foot.toes is not None:
        points.append(SolePoint("ball", foot.ankle, as_offset(_level(foot.toes[1], up) + below)))
        if foot.tip is not None:
            carrier, tip = foot.tip
            tip_up = _up_in_frame(clip, carrier, standing)
            height = drop + _height_over(clip, carrier, foot.ankle, standing)
            points.append(SolePoint("toe", carrier, as_offset(_level(tip, tip_up) - height * tip_up)))
    elif foot.tip is not None:
        points.append(SolePoint("ball", foot.ankle, as_offset(below + BALL_SHARE_OF_FOOT * length * ahead)))
        points.append(SolePoint("toe", foot.ankle, as_offset(below + length * ahead)))
    else:
        points.append(SolePoint("ball", foot.ankle, as_offset(below + BALL_AHEAD_OF_ANKLE * leg * ahead)))
    return Foot(foot.side, foot.ankle, tuple(points))


def borrow_soles(clip: Clip, feet: tuple[Foot, ...], flat: tuple[int, ...], leg: float) -> tuple[Foot, ...]:
    """Feet of a body that is the same on both sides: one that hardly ever lies flat has the sole of the other.

    Parameters
    ----------
    flat : in how many frames each foot lies flat.
    leg : the leg length in metres.
    """
    across = _mirror_axis(clip, feet, leg)
    if across is None:
        return feet
    shown = int(np.argmax(flat))
    poor = 1 - shown
    if flat[poor] == flat[shown] or flat[poor] >= _SHOWN_S * clip.fps:
        return feet
    turned = clip.skeleton.rest_rotations
    points = []
    for point, model in zip(feet[poor].points, feet[shown].points, strict=True):
        offset = _mirrored(rot.rotate(turned[model.joint], np.array(model.offset)), across)
        local = rot.rotate(rot.inverse(turned[point.joint]), offset)
        points.append(SolePoint(point.name, point.joint, as_offset(local)))
    borrowed = Foot(feet[poor].side, feet[poor].joint, tuple(points))
    return (borrowed, feet[1]) if poor == 0 else (feet[0], borrowed)


def _mirror_axis(clip: Clip, feet: tuple[Foot, ...], leg: float) -> Floats | None:
    """From hip to hip at rest, a unit vector, where the legs are mirror images of each other; else None."""
    skeleton, roles = clip.skeleton, clip.skeleton.roles
    hips = [roles[role] for role in (f"{side} upper leg" for side in SIDES) if role in roles]
    if len(feet) != 2 or len(hips) != 2 or len(feet[0].points) != len(feet[1].points):
        return None
    at = skeleton.rest_positions
    ends = [roles.get(f"{foot.side} toes", foot.joint) for foot in feet]
    left, right = (at[[*skeleton.chain(end, hip)]] - at[hip] for end, hip in zip(ends, hips, strict=True))
    width = float(np.linalg.norm(at[hips[0]] - at[hips[1]]))
    if width < 1e-6 or left.shape != right.shape:
        return None
    across = np.asarray((at[hips[0]] - at[hips[1]]) / width)
    gap = np.linalg.norm(left - _mirrored(right, across), axis=1).max(initial=0.0)
    return across if gap <= _ALIKE * leg else None


def _mirrored(vectors: Floats, across: Floats) -> Floats:
    return np.asarray(vectors - 2.0 * (vectors @ across)[..., None] * across)


def _level(offset: Floats, up: Floats) -> Floats:
    """The part of an offset that is parallel to the floor."""
    return offset - up * float(offset @ up)


def _unit(vector: Floats, otherwise: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else otherwise


def _track(clip: Clip, frames: NDArray[np.intp], point: tuple[int, Floats]) -> Floats:
    joint, offset = point
    return np.asarray(clip.positions()[frames, joint] + rot.rotate(clip.world_rotations()[frames, joint], offset))


def _up_in_frame(clip: Clip, joint: int, standing: NDArray[np.intp]) -> Floats:
    """Where up is, seen from a joint, while the foot stands (the median over the frames), or in the rest pose."""
    if len(standing):
        seen = np.median(rot.rotate(rot.inverse(clip.world_rotations()[standing, joint]), UP), axis=0)
    else:
        seen = rot.rotate(rot.inverse(clip.skeleton.rest_rotations[joint]), UP)
    return _unit(seen, UP)


def _ahead_in_frame(clip: Clip, foot: FootJoints, standing: NDArray[np.intp], up: Floats) -> Floats:
    """Where the toes point, seen from the ankle, level with the floor."""
    sideways = np.cross([1.0, 0.0, 0.0] if abs(up[0]) < 0.9 else [0.0, 0.0, 1.0], up)
    if foot.toes is not None:
        return _unit(_level(foot.toes[1], up), sideways)
    if foot.tip is not None:
        return _unit(_level(_tip_in_ankle_frame(clip, foot.ankle, foot.tip), up), sideways)
    # Nothing but an ankle: the foot looks where the hips look.
    roles = clip.skeleton.roles
    left, right = (roles.get(f"{side} upper leg", roles.get(f"{side} foot", 0)) for side in SIDES)
    if len(standing):
        across = clip.positions()[standing, left] - clip.positions()[standing, right]
        turned = clip.world_rotations()[standing, foot.ankle]
    else:
        across = (clip.skeleton.rest_positions[left] - clip.skeleton.rest_positions[right])[None]
        turned = clip.skeleton.rest_rotations[foot.ankle][None]
    seen = rot.rotate(rot.inverse(turned), np.cross(across, UP)).mean(axis=0)
    return _unit(_level(seen, up), sideways)


def _tip_in_ankle_frame(clip: Clip, ankle: int, tip: tuple[int, Floats]) -> Floats:
    """The tip of a foot without a toe joint, from the rest pose when joints lie between it and the ankle."""
    carrier, offset = tip
    if carrier == ankle:
        return offset
    rest, turned = clip.skeleton.rest_positions, clip.skeleton.rest_rotations
    reach = rest[carrier] + rot.rotate(turned[carrier], offset) - rest[ankle]
    return rot.rotate(rot.inverse(turned[ankle]), reach)


def _height_over(clip: Clip, joint: int, ankle: int, standing: NDArray[np.intp]) -> float:
    """How far a joint lies above the ankle (negative: below) while the foot stands, or in the rest pose."""
    if len(standing):
        positions = clip.positions()
        return float(np.median(positions[standing, joint, 1] - positions[standing, ankle, 1]))
    rest = clip.skeleton.rest_positions
    return float(rest[joint, 1] - rest[ankle, 1])
