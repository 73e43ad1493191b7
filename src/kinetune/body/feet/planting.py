"""Planted feet: a standing foot stays where it is, and the rest of the body hardly notices.

=============  ==============================================================================
plant          a clip whose feet stand firmly on the floor
shift_pelvis   the small, smooth movement of the pelvis that spares the knees
follow_feet    how the whole character travels so that planted feet need to move little
=============  ==============================================================================

Edits break contacts: an exaggerated walk skates, a blend of two walks drags its feet, and so do many raw captures.
[bruderlin], section 2.2, leaves such constraints to a later step: this is that step.

Each standing foot rolls over its rockers (:mod:`kinetune.body.feet.foot_roll`); the pelvis gives way a little where a
leg could not reach or its knee would pop; the legs follow by inverse kinematics
(:func:`kinetune.body.kinematics.limb_ik.nudge_limb`). Outside of contacts and blends a foot keeps its path.

A foot that is moved by a centimetre changes the bend of its knee, and more so the straighter the leg is: a leg within a
millimetre of full stretch has its knee bent by five degrees. So the pelvis moves, as little and as smoothly as
possible, until straight legs keep their length and no leg has to reach farther than it can.

An edit that exaggerates the legs of a walk and leaves its path alone makes the feet skate, because the strides are
longer than the path. Either the legs give way, which takes the exaggeration out of every stance, or the path does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Floor, Ground, find_ground
from kinetune.body.feet.foot_roll import FootMove, contact_levels, roll_foot
from kinetune.body.feet.soles import SIDES, Foot
from kinetune.body.kinematics.limb_ik import nudge_limb, soften_reach
from kinetune.body.quality.glitches import join_start, remove_blips, stray_frames
from kinetune.body.root_motion import local_translations, place_joint, travelling_joint
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.rotations import Floats
from kinetune.signals.banded_solve import solve_banded

BLEND_S = 0.2
PELVIS_M = 0.1

_MOST_REACH = 0.9945  # of a leg's length; beyond it a leg gives in softly, and misses
_SOFT_KNEE = 0.006  # the part of a leg's length, from full stretch, from which a leg that is moved stays away
_MOVED_M = 0.001
_SOFT_LIMIT = 0.5
_FOLDED = (0.2, 0.4)  # of a leg's length
_STIFFNESS = np.diag([1.0, 0.5, 1.0])
_SMOOTH_S = 0.1  # faster movements of the pelvis are smoothed away
_KNEE = 10.0
_REFERENCE_BEND = np.deg2rad(25.0)
_LEAST_BEND = np.deg2rad(3.0)
_REACH = 100.0
_ROUNDS = 12
_SETTLED = 1e-5
_TRAVEL_SMOOTH_S = 0.25
_FAINT = 1e-6


def plant(
    clip: Clip,
    *,
    contacts: Contacts | None = None,
    ground: Ground | None = None,
    like: Clip | None = None,
    floor: float | Floor | None = None,
    feet: Collection[str] = SIDES,
    blend_s: float = BLEND_S,
    pelvis_m: float = PELVIS_M,
    travel: float = 0.0,
    strength: float = 1.0,
) -> Clip:
    """A clip whose feet stand firmly: no slide, soles on the floor, toes flat, knees calm.

    Parameters
    ----------
    clip : the motion.
    contacts : which feet stand when. Omitted: those that the clip carries, or those of ``like``, or those found.
    ground : the floor and the soles (:func:`kinetune.body.feet.floor.find_ground`). Omitted: those of ``like``, or the
        clip's own.
    like : the clip before an edit. Its contacts, floor and soles show how the feet should stand better than the edited
        motion does. If its length differs, only its floor and soles are used.
    floor : the floor alone, a height in metres or a plane.
    feet : which feet to plant, "left", "right" or both.
    blend_s : seconds in which a foot leaves its own path before a contact and comes back to it afterwards.
    pelvis_m : how far the pelvis may give way, in metres.
    travel : how much of the steady slide the path of the whole character takes up, 0 to 1: legs that swing farther then
        carry it farther (:func:`kinetune.body.feet.planting.follow_feet`).
    strength : 1 plants the feet, 0 leaves them, between them they are planted in part.

    Returns
    -------
    Clip
        The contacts that were used are its contacts. A T-pose in its first frame is left as it is. Where the pelvis is
        elsewhere for a single frame while a foot stands, a fault of some captures, that frame gets the pose between its
        neighbours: the knee would pop.

    Notes
    -----
    Laws (``tests/body/feet/test_planting.py``): a planted foot does not slide; a clip that is planted is left as it is;
    frames away from contacts keep their feet; bones keep their lengths; the result rotates and moves with the scene.
    """
    bounds = {"strength": (strength, 1.0), "travel": (travel, 1.0), "pelvis_m": (pelvis_m, np.inf)}
    for name, (value, most) in {**bounds, "blend_s": (blend_s, np.inf)}.items():
        if not (np.isfinite(value) and 0.0 <= value <= most):
            raise ParameterError(
                f"{name} must be a number from 0" + (" to 1" if most == 1.0 else "") + f"; got {value}."
            )
    strange = [foot for foot in feet if foot not in SIDES]
    if strange:
        raise ParameterError(f'feet are "left" and "right"; got "{strange[0]}".')
    if like is not None and not like.skeleton.same_joints(clip.skeleton):
        raise SkeletonMismatchError(
            "The clip to take contacts from has another skeleton than the one to plant. Give the clip before the edit."
        )
    if contacts is not None and len(contacts) != len(clip):
        raise ParameterError(f"The contacts have {len(contacts)} frames, but the clip has {len(clip)}.")
    if strength == 0.0:
        return clip
    ground = _choose_ground(clip if like is None else like, ground, floor)
    reference = like if like is not None and len(like) == len(clip) else clip
    used_contacts = contacts if contacts is not None else clip.contacts
    if used_contacts is None:
        used_contacts = (
            reference.contacts if reference.contacts is not None else find_contacts(reference, ground=ground)
        )
    planted = [
        foot for foot in ground.feet if foot.side in feet and clip.skeleton.names[foot.joint] in used_contacts.joints
    ]
    planted = [
        foot for foot in planted if used_contacts.flags[:, used_contacts.column(clip.skeleton.names[foot.joint])].any()
    ]
    if not planted:
        return clip
    first = stray_frames(clip)
    columns = [used_contacts.column(clip.skeleton.names[foot.joint]) for foot in planted]
    clip = remove_blips(clip, travelling_joint(clip), np.asarray(used_contacts.flags[:, columns].any(axis=1)))
    task = _Task(planted, ground, used_contacts[first:], blend_s, pelvis_m, travel, strength)
    moved = task.planted(clip[first:], reference[first:])
    return join_start(clip, first, moved).replace(contacts=used_contacts)


def _choose_ground(clip: Clip, ground: Ground | None, floor: float | Floor | None) -> Ground:
    chosen = find_ground(clip, floor) if ground is None else ground.on(floor)
    if chosen is None:
        raise ParameterError(
            'No feet can be planted: the skeleton has no joint in the role "left foot" or "right foot". '
            "What was recognised is shown by kinetune info FILE."
        )
    return chosen


@dataclass(frozen=True)
class _Task:
    """What is to be planted, and how."""

    feet: list[Foot]
    ground: Ground
    contacts: Contacts
    blend_s: float
    pelvis_m: float
    travel: float
    strength: float

    def planted(self, clip: Clip, reference: Clip) -> Clip:
        """The clip with its feet planted; the reference shows on which level each contact takes place."""
        levels = [contact_levels(reference, foot, self.ground, self._intervals(clip, foot)) for foot in self.feet]
        moves = self._moves(clip, levels)
        if self.travel > 0.0:
            way = self.travel * self.strength * follow_feet(moves, clip.fps)
            clip = _shift_figure(clip, self.feet[0].joint, way)
            moves = self._moves(clip, levels)
        positions, world = clip.positions(), clip.world_rotations()
        limbs = [_leg(clip, foot) for foot in self.feet]
        reaches = [_reach(positions, limb, move) for limb, move in zip(limbs, moves, strict=True)]
        shift: Floats = np.zeros((len(clip), 3))
        if self.pelvis_m > 0.0:
            shift = _within(shift_pelvis(reaches, clip.fps), self.pelvis_m)
        result = _shift_figure(clip, self.feet[0].joint, shift)
        for (upper, lower, ankle), move, reach in zip(limbs, moves, reaches, strict=True):
            turned = rot.multiply(rot.exp(move.turn), world[:, ankle])
            goal = reach.goal + _folded(reach, move)[:, None] * shift
            result, _ = nudge_limb(result, upper, lower, ankle, goal, end_turn=turned, unlock=move.weight)
            if move.toes is not None and move.toe_rotations is not None:
                rotations = np.array(result.rotations)
                rotations[:, move.toes] = move.toe_rotations
                result = result.replace(rotations=rotations)
        changed = [joint for limb in limbs for joint in limb] + [m.toes for m in moves if m.toes is not None]
        rotations = np.array(clip.rotations)  # every other joint keeps its bits
        rotations[:, changed] = result.rotations[:, changed]
        return result.replace(rotations=rotations)

    def _intervals(self, clip: Clip, foot: Foot) -> list[tuple[int, int]]:
        return self.contacts.intervals(clip.skeleton.names[foot.joint])

    def _moves(self, clip: Clip, levels: list[list[float]]) -> list[FootMove]:
        return [
            _scaled(
                roll_foot(clip, foot, self.ground, self.contacts, blend_s=self.blend_s, levels=foot_levels),
                clip,
                self.strength,
            )
            for foot, foot_levels in zip(self.feet, levels, strict=True)
        ]


def _leg(clip: Clip, foot: Foot) -> tuple[int, int, int]:
    """Hip, knee and ankle."""
    roles = clip.skeleton.roles
    upper, lower = roles.get(f"{foot.side} upper leg"), roles.get(f"{foot.side} lower leg")
    if upper is None or lower is None:
        missing = "upper leg" if upper is None else "lower leg"
        raise ParameterError(
            f'The {foot.side} foot cannot be planted: the skeleton has no joint in the role "{foot.side} {missing}". '
            "What was recognised is shown by kinetune info FILE."
        )
    return upper, lower, foot.joint


def _scaled(move: FootMove, clip: Clip, strength: float) -> FootMove:
    if strength == 1.0:
        return move
    toes = move.toe_rotations
    if move.toes is not None and toes is not None:
        toes = rot.normalize(rot.slerp(clip.rotations[:, move.toes], toes, np.full(len(clip), strength)))
    parts = {name: strength * getattr(move, name) for name in ("shift", "turn", "weight")}
    return replace(move, toe_rotations=toes, **parts)


def _reach(positions: Floats, limb: tuple[int, int, int], move: FootMove) -> LegReach:
    """What a leg requires of the pelvis."""
    hip, knee, ankle = (positions[:, joint] for joint in limb)
    upper, lower = np.linalg.norm(knee - hip, axis=-1), np.linalg.norm(ankle - knee, axis=-1)
    full, length = upper + lower, np.linalg.norm(ankle - hip, axis=-1)
    # Captured legs lock their knees; a locked knee responds to every tenth of a millimetre.
    soft = move.weight * -np.expm1(-np.sum(move.shift**2, axis=-1) / _MOVED_M**2)
    preferred = length + soft * (soften_reach(length, full, _SOFT_KNEE) - length)
    return LegReach(hip, ankle + move.shift, upper, lower, preferred, np.maximum(_MOST_REACH * full, length))


def _folded(leg: LegReach, move: FootMove) -> Floats:
    """How far a foot goes along with the pelvis, in [0, 1]: all the way in the air when its leg is folded up.

    A folded leg has no room to make up for the pelvis, and its foot is far from the floor.
    """
    length = np.linalg.norm(leg.hip - leg.goal, axis=-1) / np.maximum(leg.upper + leg.lower, 1e-9)
    share = np.clip((_FOLDED[1] - length) / (_FOLDED[1] - _FOLDED[0]), 0.0, 1.0)
    return np.asarray((1.0 - np.minimum(move.weight, 1.0)) * share**2 * (3.0 - 2.0 * share))


def _within(shift: Floats, most: float) -> Floats:
    """The same moves, none longer than ``most``; long ones are shortened gently."""
    length = np.linalg.norm(shift, axis=-1, keepdims=True)
    return np.asarray(shift * soften_reach(length, most, _SOFT_LIMIT) / np.maximum(length, 1e-12))


def _shift_figure(clip: Clip, foot: int, shift: Floats) -> Clip:
    """The character moved, frame by frame; other roots (a ball, a camera) stay."""
    joint = travelling_joint(clip)
    if clip.skeleton.parents[joint] >= 0:
        return place_joint(clip, joint, rot.identity(len(clip)), shift)
    root = clip.skeleton.chain(foot)[0]
    if root == 0:
        return clip.replace(root=clip.root + shift)
    translations = np.array(local_translations(clip))
    translations[:, root] += shift
    return clip.replace(translations=translations)


# --- where the pelvis goes: it rides on the legs that stand


@dataclass(frozen=True)
class LegReach:
    """A leg whose foot is moved.

    hip, goal : (frames, 3) the hip joint, and where the ankle should be, in metres.
    upper, lower : (frames,) lengths of thigh and shank.
    preferred : (frames,) how long the leg would like to be, hip to ankle.
    most : (frames,) how long it can be.
    """

    hip: Floats
    goal: Floats
    upper: Floats
    lower: Floats
    preferred: Floats
    most: Floats

    @property
    def care(self) -> Floats:
        """How much a change of length matters, (frames,): by the square of how fast the knee responds to it."""
        cosine = (self.preferred**2 - self.upper**2 - self.lower**2) / np.maximum(2.0 * self.upper * self.lower, 1e-12)
        bend = np.arccos(np.clip(cosine, -1.0, 1.0))
        return np.asarray(_KNEE * (_REFERENCE_BEND / np.maximum(bend, _LEAST_BEND)) ** 2)


def shift_pelvis(legs: Sequence[LegReach], fps: float) -> Floats:
    """How the pelvis moves, (frames, 3) in metres, so that all legs meet their goals with little change of knees.

    Notes
    -----
    The minimum of ``|p|^2 + SMOOTH_S^4 |p''|^2 + sum of care (length - preferred)^2``, where ``length <= most`` is kept
    by an augmented Lagrangian. Lengths are straightened out about the last answer: one banded system in each of some
    rounds.
    """
    frames = len(legs[0].hip)
    shift: Floats = np.zeros((frames, 3))
    pushes = np.zeros((len(legs), frames))
    for _ in range(_ROUNDS):
        matrix = np.tile(_STIFFNESS, (frames, 1, 1))
        right = np.zeros((frames, 3))
        for leg, push in zip(legs, pushes, strict=True):
            arm = leg.hip + shift - leg.goal
            length = np.linalg.norm(arm, axis=-1)
            along = arm / np.maximum(length, 1e-9)[:, None]
            here = np.sum(along * shift, axis=-1) - length  # the length is along . p - here, nearly
            excess = length - leg.most
            new_push = np.maximum(push + _REACH * excess, 0.0)
            pull = np.where(new_push > 0.0, _REACH * (leg.most + here) - push, 0.0)
            stiff = leg.care + np.where(new_push > 0.0, _REACH, 0.0)
            push[:] = new_push
            matrix += stiff[:, None, None] * along[:, :, None] * along[:, None, :]
            right += (leg.care * (leg.preferred + here) + pull)[:, None] * along
        moved = _solve(matrix, right, (_SMOOTH_S * fps) ** 4)
        settled = float(np.abs(moved - shift).max()) < _SETTLED
        shift = moved
        if settled:
            break
    return shift


def _solve(matrix: Floats, right: Floats, smooth: float) -> Floats:
    """Solve ``(M + smooth D'D) p = r`` over all frames, D the second difference: a symmetric band of width 6."""
    frames = len(right)
    band = np.zeros((7, 3 * frames))  # band[k, i] is the entry (i + k, i)
    for column in range(3):
        for row in range(column, 3):
            band[row - column, column::3] = matrix[:, row, column]
    if frames >= 3:
        inner = frames - 2
        second = np.zeros((3, frames))
        for at, weight in enumerate((1.0, 4.0, 1.0)):
            second[0, at : inner + at] += weight
        second[1, :inner] -= 2.0
        second[1, 1 : inner + 1] -= 2.0
        second[2, :inner] += 1.0
        band[::3] += smooth * np.repeat(second, 3, axis=1)
    return solve_banded(band[: min(7, 3 * frames)], right.ravel()).reshape(frames, 3)


# --- how far the character travels on legs that swing more or less than before


def follow_feet(moves: Sequence[FootMove], fps: float) -> Floats:
    """How the whole character moves along the floor, (frames, 3) metres, so that planted feet need to move little.

    Parameters
    ----------
    moves : the correction of each foot (:func:`kinetune.body.feet.foot_roll.roll_foot`).

    Notes
    -----
    The velocity u of the path is the minimum of ``sum over planted feet of |u - velocity of the shift|^2 + _SMOOTH_S^4
    |u''|^2``; it takes up the steady part of the slide and leaves the rest to the legs. The first frame stays where it
    is.
    """
    frames = len(moves[0].shift)
    steps = max(frames - 1, 1)
    weight = np.full(steps, _FAINT)
    asked = np.zeros((steps, 2))
    for move in moves:
        planted = (move.weight[1:] >= 1.0) & (move.weight[:-1] >= 1.0)
        weight[: len(planted)] += planted
        asked[: len(planted)] += planted[:, None] * np.diff(move.shift[:, [0, 2]], axis=0)
    band = np.zeros((min(3, steps), steps))
    band[0] = weight
    if steps >= 3:
        smooth, inner = (_TRAVEL_SMOOTH_S * fps) ** 4, steps - 2
        for at, share in enumerate((1.0, 4.0, 1.0)):
            band[0, at : inner + at] += smooth * share
        band[1, :inner] -= 2.0 * smooth
        band[1, 1 : inner + 1] -= 2.0 * smooth
        band[2, :inner] += smooth
    way = np.zeros((frames, 3))
    if frames > 1:
        way[1:, [0, 2]] = np.cumsum(solve_banded(band, asked), axis=0)
    return way
