"""Planted feet: a standing foot stays where it is, and the rest of the body hardly notices.

================  ================================================================================
plant             a clip whose feet stand firmly on the floor
move_stances      a clip whose feet stand elsewhere, its pelvis led without a lurch
keep_feet         an edited clip whose feet stand as they did before the edit
keep_feet_at      a clip made of several whose feet stand where one passes into the next
find_stances      the contacts that planting takes where none are known
standing_part     some frames of a clip, with the contacts and the ground of the whole
known_stances     the contacts that a clip carries, each as long as its stance, or those found
with_stances      a clip with those
whole_stances     contacts in which each stance lasts as long as the foot stands
fitting_contacts  the contacts that a clip carries, found anew where they cannot be true
steady_knees      a clip whose knees do not bend backward, its feet left to themselves
================  ================================================================================

Edits break contacts: an exaggerated walk skates, a blend of two walks drags its feet, and so do many raw captures.
[bruderlin], section 2.2, leaves such constraints to a later step: this is that step.

Which part of a foot stands when is found over the whole clip (:mod:`kinetune.body.feet.stance_states`), on the clip
before the edit where that is known. Each stance copies the source's
(:mod:`kinetune.body.feet.standing_foot`). Where pelvis and ankles go is one least-squares problem over all frames
(:mod:`kinetune.body.feet.leg_solver`); the legs follow (:mod:`kinetune.body.kinematics.knees`).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.clip_mixing import mix_clips
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.floor import Floor, Ground, find_ground, least_sole_heights, remember_ground
from kinetune.body.feet.floor_clearance import keep_hands_out
from kinetune.body.feet.leg_solver import MOST_BEND, LegGoals, LegWeights, solve_legs
from kinetune.body.feet.soles import SIDES, find_foot_joints
from kinetune.body.feet.stance_states import (
    HUMAN_LEG_M,
    SWING,
    States,
    contacts_of_states,
    noise_of,
    rocker_points,
    smoothing_for,
    states_of_contacts,
    weigh_states,
)
from kinetune.body.feet.standing_foot import FootParts, StandingFoot, ease, foot_parts, lead_over, plan_stances
from kinetune.body.kinematics.anatomy import human_limits
from kinetune.body.kinematics.joint_limits import JointLimit
from kinetune.body.kinematics.knees import Leg, find_leg, knee_bend, open_knee, pose_leg, unfolding_bend
from kinetune.body.quality.glitches import join_start, remove_blips, stray_frames
from kinetune.body.robots.robot import robot_of
from kinetune.body.root_motion import local_translations, place_joint, travelling_joint
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges
from kinetune.trajectory.one_sided import stay_within

BLEND_S = 0.2
PELVIS_M = 0.1

_SPREAD = 0.35  # of the blending time: the time over which the jerk of a correction is smoothed
_LEAST_BEND = np.deg2rad([3.0, 5.0])  # the straightest knee of the source counts within these
_MORE_BEND, _USUAL_BEND = np.deg2rad(15.0), np.deg2rad(110.0)
_FOLDED = float(np.deg2rad(160.0))  # calf on thigh
_WALL = 0.7
_BACKWARD = np.deg2rad(0.5)
_CORNER_S = 0.025
_JITTER_S = 0.04
_SMOOTHEST_S = 0.04
_WALK_SMOOTH_S = 0.2
_CALM_S = 0.02
_LEAD_S, _LONGEST_STANCE_S = 0.5, 1.0  # around a seam
_EDGE_S, _FARTHEST_SLIDE_M = 0.05, 0.2
_UNMOVED = 1e-9  # leg lengths
_MOVED_M = 0.01
_SUNK_M = 0.005
_UNNOTICED = 1e-5  # metres, and radians
_LEAST_SURE = 1e-6


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
    strength: float | Floats = 1.0,
    rigid_toes: bool = False,
    still_joints: bool = False,
    keep_untaken: bool = False,
) -> Clip:
    """A clip whose feet stand firmly: no slide, heights and roll of the source, toes flat, knees steady.

    Parameters
    ----------
    clip : the motion.
    contacts : which feet stand when. Omitted: those that the clip carries (:func:`fitting_contacts`), or those of
        ``like``, or those found.
    ground : the floor and the soles (:func:`kinetune.body.feet.floor.find_ground`). Omitted: those of ``like``, or the
        clip's own.
    like : the clip before an edit. Its contacts, floor and stances show how the feet should stand better than the
        edited motion does. If its length differs, only its floor and soles are used.
    floor : the floor to stand on, a height in metres or a plane; omitted, feet keep the heights that they have in
        ``like``, and a stance that floats comes to within 2 cm of the usual level.
    feet : which feet to plant, "left", "right" or both.
    blend_s : seconds over which the correction of a stance leads into the swing before and after it.
    pelvis_m : how far the pelvis may give way, in metres; 0 leaves everything above the legs as it is.
    travel : how much of the steady slide the path of the whole character takes up, 0 to 1: legs that swing farther then
        carry it farther.
    strength : 1 plants the feet, 0 leaves them, between them they are planted in part; one number for each frame where
        it changes.
    rigid_toes : whether toes lie still and flat from when they touch the floor until they leave it, instead of rolling
        as the source's do.
    still_joints : whether the joints of ankle and toes stand still, as the contact labels of generated motion mean it,
        instead of the points of the sole that carry the foot.
    keep_untaken : whether a stance that reaches into frames of strength 0 stands where it does there.

    Returns
    -------
    Clip
        The contacts that were used are its contacts. A T-pose in its first frame is left as it is. Where the pelvis is
        elsewhere for a single frame while a foot stands, a fault of some captures, that frame gets the pose between its
        neighbours: the knee would pop. A noisy clip without ``like`` is smoothed from root to toes first, just enough
        for the noise of its feet.

    Notes
    -----
    Laws (``tests/body/feet/test_planting.py``): a planted foot does not slide; a clip that is planted is left as it is;
    bones keep their lengths; no knee bends backward; the result rotates and moves with the scene.
    """
    taken = np.broadcast_to(np.asarray(strength, dtype=float), len(clip))
    bounds = {"strength": (_farthest_from_half(taken), 1.0), "travel": (travel, 1.0), "pelvis_m": (pelvis_m, np.inf)}
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
    if not taken.any():
        return clip
    reference = like if like is not None and len(like) == len(clip) else clip
    own_ground = _choose_ground(clip if like is None else like, ground)
    first = stray_frames(reference)
    known = contacts
    if known is None and clip.contacts is not None:
        known = clip.contacts if like is not None else fitting_contacts(clip, own_ground)
    known = reference.contacts if known is None else known
    used = find_stances(reference, own_ground, first) if known is None else known
    labelled = contacts is None and known is not None and not still_joints
    held = whole_stances(reference, own_ground, used) if labelled else used
    states, sure = _known_states(clip, own_ground, held)
    states = states[first:]
    sure = (states != SWING).astype(float) if rigid_toes else sure[first:]
    edited = reference is not clip
    legs = [number for number, foot in enumerate(own_ground.feet) if foot.side in feet]
    stands = [number for number in legs if np.any(states[:, number] != SWING)]
    if edited and not stands:
        return steady_knees(clip, like=reference)
    # The knee of a leg that never stands is limited too.
    all_legs = np.isfinite(own_ground.deepest).any() or (edited and _has_legs(clip, own_ground))
    planted = legs if all_legs else stands
    if not planted:
        return clip
    standing = np.asarray(held.flags.any(axis=1)) & (taken > 0.0) & (pelvis_m > 0.0)
    whole = remove_blips(clip, travelling_joint(clip), standing)
    motion = whole[first:] if first else whole
    if not edited:
        motion = source = _denoised(motion, own_ground) if pelvis_m > 0.0 and taken.all() else motion
    else:
        source = remove_blips(reference, travelling_joint(reference), standing)
        source = source[first:] if first else source
    weights = LegWeights(foot_smooth_s=max(_SPREAD * blend_s, 1e-3))
    level = None if floor is None else own_ground.on(floor).floor
    task = _Task(
        motion,
        source,
        own_ground,
        {n: states[:, n] for n in planted},
        {n: sure[:, n] for n in planted},
        weights,
        level,
        rigid_toes,
        still_joints,
    )
    left = taken[first:] == 0.0 if keep_untaken and not taken.all() else None
    moved = task.solved(pelvis_m=pelvis_m, travel=travel, strength=taken[first:], left=left)
    return join_start(whole, first, moved).replace(contacts=used)


def keep_feet(
    edited: Clip,
    before: Clip | None = None,
    *,
    contacts: Contacts | None = None,
    as_before: bool = True,
    hands: bool = False,
    amount: float | Floats = 1.0,
    pelvis_m: float = PELVIS_M,
) -> Clip:
    """An edited clip whose feet stand; the clip itself where it has no legs or where the edit has not moved them.

    Parameters
    ----------
    edited : Clip
        The motion after an edit.
    before : Clip, optional
        The motion before it, with the same timing: it shows when feet stand. Omitted: the edited clip shows it.
    contacts : Contacts, optional
        Which feet stand when, where that is known better than both show it.
    as_before : bool
        Whether feet stand on the heights and with the roll that they have in ``before``; else with those of the edit.
    hands : bool
        Whether hands, too, go no deeper into the floor than in ``before``.
    amount : float or array, shape (frames,)
        How much of the correction to take. A stance that reaches into frames that take none stands where it does there.
    pelvis_m : float
        How far the pelvis may give way, in metres; 0 leaves everything above the legs as it is.

    Notes
    -----
    An edit that moves the feet by less than a centimetre is followed by as much less of a correction, so that an edit
    that goes to nothing leaves the clip as it is (``tests/body/feet/test_planting.py``).
    """
    ground = find_ground(edited if before is None else before)
    if ground is None or not _has_legs(edited, ground):
        return edited
    if before is None:
        # Contacts that a mix carries are those of its parts; whether a foot stands is seen in the mix.
        motion = edited.replace(contacts=None)
        return plant(motion, contacts=contacts, ground=ground, strength=amount, pelvis_m=pelvis_m)
    standing = _keep_feet_like(edited, before, ground, contacts, as_before, amount, pelvis_m)
    if not hands:
        return standing
    out = keep_hands_out(standing, before, ground.floor)
    return out if out is standing or np.all(np.equal(amount, 1.0)) else mix_clips(standing, out, amount)


def _keep_feet_like(
    edited: Clip,
    before: Clip,
    ground: Ground,
    contacts: Contacts | None,
    as_before: bool,
    amount: float | Floats,
    pelvis_m: float,
) -> Clip:
    feet = [foot.joint for foot in ground.feet]
    feet += [foot.toes[0] for foot in find_foot_joints(edited) if foot.toes is not None]
    moved = np.linalg.norm(edited.positions()[:, feet] - before.positions()[:, feet], axis=-1).max(initial=0.0)
    if moved < _UNMOVED * ground.leg:
        return edited
    strength = amount * float(min(1.0, moved / (_MOVED_M * ground.leg / HUMAN_LEG_M)))
    if not as_before:
        ground = replace(ground, deepest=least_sole_heights(before))
    if not as_before and contacts is None:
        contacts = known_stances(before, ground)
    return plant(
        edited,
        contacts=contacts,
        like=before if as_before else None,
        ground=ground,
        strength=strength,
        pelvis_m=pelvis_m,
        keep_untaken=True,
    )


def keep_feet_at(clip: Clip, fades: Sequence[tuple[int, int]]) -> Clip:
    """A clip made of several whose feet stand where one passes into the next; elsewhere it is as it was.

    Parameters
    ----------
    clip : Clip
        The motion. Its contacts say when feet stand; omitted, they are found.
    fades : sequence of (int, int)
        The frames in which clips are mixed: the first, and the one after the last.

    Notes
    -----
    Around each fade the stances that it touches are planted, and a second of motion on both sides leads there. Law:
    farther away no frame changes (``tests/body/feet/test_planting.py``).
    """
    ground = find_ground(clip)
    if not fades or ground is None or not _has_legs(clip, ground):
        return clip
    contacts = known_stances(clip, ground)
    mixed = np.zeros(len(clip), dtype=bool)
    for fade in fades:
        mixed[slice(*fade)] = True
    ground = replace(ground, deepest=least_sole_heights(clip, ~mixed))
    taken = np.zeros(len(clip))
    for fade in fades:
        start, stop = _touched(contacts, fade, round(_LONGEST_STANCE_S * clip.fps))
        away = np.maximum(start - np.arange(len(clip)), np.arange(len(clip)) - (stop - 1)) / clip.fps
        taken = np.maximum(taken, ease(1.0 - np.maximum(away, 0.0) / _LEAD_S))
    rotations, root = np.array(clip.rotations), np.array(clip.root)
    translations = None if clip.translations is None else np.array(clip.translations)
    around = round(_LEAD_S * clip.fps)
    for start, stop in true_ranges(taken > 0.0):
        window = slice(max(0, start - around), stop + around)
        planted = plant(clip[window], contacts=contacts[window], ground=ground, strength=taken[window])
        rotations[window], root[window] = planted.rotations, planted.root
        if translations is not None:
            translations[window] = local_translations(planted)
    return clip.replace(root=root, rotations=rot.continuous(rotations), translations=translations, contacts=contacts)


def _touched(contacts: Contacts, fade: tuple[int, int], most: int) -> tuple[int, int]:
    """The frames from where the first stance that a fade touches begins to where the last one ends."""
    start, stop = fade
    for column in range(len(contacts.joints)):
        for begin, end in contacts.intervals(column):
            if begin < fade[1] and end > fade[0]:
                start, stop = min(start, max(begin, fade[0] - most)), max(stop, min(end, fade[1] + most))
    return start, stop


def find_stances(clip: Clip, ground: Ground, first: int | None = None) -> Contacts:
    """The contacts of a clip, each as long as a stance; none in a T-pose, its first frames."""
    first = stray_frames(clip) if first is None else first
    states, sure = weigh_states(clip[first:], ground)
    before = ((first, 0), (0, 0))
    return contacts_of_states(clip, ground, np.pad(states, before), np.pad(sure, before))


def standing_part(clip: Clip, start: int, stop: int) -> Clip:
    """Some frames of a clip that know when their feet stand, and where the floor is, as the whole clip shows it.

    An edit of them is then planted as that of the whole is, and what the whole shows is found once.
    """
    ground = find_ground(clip)
    if ground is None or not _has_legs(clip, ground):
        return clip[start:stop]
    contacts = known_stances(clip, ground)
    part = clip[start:stop].replace(contacts=contacts[start:stop])
    remember_ground(part, ground)
    assert part.contacts is not None
    _whole[part] = _Whole(part.contacts, ground, part.contacts)
    return part


def known_stances(clip: Clip, ground: Ground) -> Contacts:
    """The contacts that a clip carries, each as long as its stance, or those found."""
    return find_stances(clip, ground) if clip.contacts is None else whole_stances(clip, ground, clip.contacts)


def with_stances(clip: Clip) -> Clip:
    """The clip with :func:`known_stances`, where it has feet."""
    ground = find_ground(clip)
    return clip if ground is None else clip.replace(contacts=known_stances(clip, ground))


def whole_stances(clip: Clip, ground: Ground, contacts: Contacts) -> Contacts:
    """Contacts in which each stance lasts as long as the foot stands.

    The labels of generated motion often let a foot go that still stands, or hold it when it has stood for a while. An
    edit would move it in the meantime. They are found once for each floor by which a clip is judged.
    """
    known = _whole.get(clip)
    if known is None or not known.answers(contacts, ground):
        known = _whole[clip] = _Whole(contacts, ground, _whole_stances(clip, ground, contacts))
    return known.stances


@dataclass(frozen=True)
class _Whole:
    contacts: Contacts
    ground: Ground
    stances: Contacts

    def answers(self, contacts: Contacts, ground: Ground) -> bool:
        known = self.ground
        return contacts is self.contacts and ground.feet is known.feet and ground.floor == known.floor


_whole: WeakKeyDictionary[Clip, _Whole] = WeakKeyDictionary()


def _whole_stances(clip: Clip, ground: Ground, contacts: Contacts) -> Contacts:
    whole = find_stances(clip, ground)
    short = np.zeros(contacts.flags.shape, dtype=bool)
    for column, name in enumerate(contacts.joints):
        stances = whole.intervals(name) if name in whole.joints else []
        for (start, stop), (begin, end) in itertools.product(contacts.intervals(column), stances):
            if begin < stop and start < end and max(start - begin, end - stop) > _EDGE_S * clip.fps:
                short[min(start, begin) : max(stop, end), column] = True
    return _found_where(short, contacts, whole)


def fitting_contacts(clip: Clip, ground: Ground) -> Contacts | None:
    """The contacts that a clip carries; found anew where a foot that should stand gets farther than any slide.

    A mix, or a file from elsewhere, can carry contacts that are not its own. To hold such a foot would tear the leg
    away from the motion.
    """
    carried = clip.contacts
    if carried is None:
        return None
    edge, farthest = round(_EDGE_S * clip.fps), _FARTHEST_SLIDE_M * ground.leg / HUMAN_LEG_M
    wrong = np.zeros(carried.flags.shape, dtype=bool)
    for number, foot in enumerate(ground.feet):
        name = clip.skeleton.names[foot.joint]
        if name not in carried.joints:
            continue
        column, (ball, heel) = carried.column(name), rocker_points(clip, ground, number)
        for start, stop in carried.intervals(column):
            inside = slice(start + edge, stop - edge) if stop - start > 2 * edge + 2 else slice(start, stop)
            rocker = ball if carried.toes[inside, column].any() else heel
            stray = rocker[inside, ::2] - np.median(rocker[inside, ::2], axis=0)
            wrong[start:stop, column] = np.linalg.norm(stray, axis=-1).max() > farthest
    return _found_where(wrong, carried, find_stances(clip, ground)) if wrong.any() else carried


def _found_where(wrong: NDArray[np.bool_], carried: Contacts, refound: Contacts) -> Contacts:
    """Contacts with what was found in some frames of some feet; themselves where there are none."""
    if not wrong.any():
        return carried
    columns = [refound.joints.index(name) if name in refound.joints else None for name in carried.joints]

    def chosen(kind: str) -> NDArray[Any]:
        own, other = getattr(carried, kind), getattr(refound, kind)
        seen = np.stack([own[:, n] if c is None else other[:, c] for n, c in enumerate(columns)], axis=1)
        return np.where(wrong, seen, own)

    flags, sure, heels, toes = (chosen(kind) for kind in ("flags", "confidence", "heels", "toes"))
    return Contacts(carried.joints, flags, sure, heels, toes, carried.sides)


def _has_legs(clip: Clip, ground: Ground) -> bool:
    names = (f"{foot.side} {part}" for foot in ground.feet for part in ("upper leg", "lower leg"))
    return all(name in clip.skeleton.roles for name in names)


def steady_knees(clip: Clip, *, like: Clip) -> Clip:
    """A clip whose knees do not bend backward after an edit; no foot is held.

    Parameters
    ----------
    like : Clip
        The clip before the edit, of the same length: its knees show how straight is straight.

    Returns
    -------
    Clip
        The clip itself where its skeleton has no legs, or where no knee needs help.
    """
    ground = find_ground(like)
    if ground is None or not _has_legs(clip, ground):
        return clip
    first = stray_frames(clip)
    motion, source = clip[first:], like[first:]
    feet = range(len(ground.feet))
    states = {number: np.zeros(len(motion), dtype=np.int8) for number in feet}
    sure: dict[int, Floats] = {number: np.zeros(len(motion)) for number in feet}
    task = _Task(motion, source, ground, states, sure, LegWeights(), None)
    if not task.needs_help():
        return clip
    return join_start(clip, first, task.solved()).replace(contacts=clip.contacts)


def move_stances(clip: Clip, contacts: Contacts, moves: Floats, turns: Floats, *, most_acceleration: float) -> Clip:
    """A clip whose standing feet are moved and turned, and whose pelvis accelerates no more than it should.

    Parameters
    ----------
    contacts : Contacts
        Which feet stand when.
    moves : array, shape (frames, feet, 3)
        How far each foot of the contacts moves while it stands, in metres; its roll and height are kept otherwise.
    turns : array, shape (frames, feet)
        How far it turns about the vertical at its ankle, in radians.
    most_acceleration : float
        Of the pelvis, in m/s^2.

    Returns
    -------
    Clip
        The clip itself where no foot moves and the pelvis is calm.
    """
    pelvis = clip.positions()[:, travelling_joint(clip)]
    against = _excess_acceleration(pelvis, clip.fps, most_acceleration)
    if not against.any() and not moves.any() and not turns.any():
        return clip
    ground = _choose_ground(clip, None)
    weights = LegWeights(pelvis_smooth_s=_WALK_SMOOTH_S, swing_knee=LegWeights.knee)
    states = {
        number: states_of_contacts(contacts, contacts.column(clip.skeleton.names[foot.joint]))
        for number, foot in enumerate(ground.feet)
    }
    downs: dict[int, Floats] = {number: (states[number] != SWING).astype(float) for number in states}
    task = _Task(clip, clip, ground, states, downs, weights, None)
    goals, feet, legs = [], [], task.legs()
    for number, leg in zip(states, legs, strict=True):
        column = contacts.column(clip.skeleton.names[leg.ankle])
        down = downs[number]
        ankle = clip.positions()[:, leg.ankle]
        turn = lead_over(turns[:, column : column + 1], down, clip.fps, weights.foot_smooth_s)[:, 0]
        foot = rot.multiply(rot.about_y(turn), clip.world_rotations()[:, leg.ankle])
        plan = StandingFoot(down, ankle + moves[:, column], foot, None, np.full(len(clip), -np.inf))
        goals.append(task._goals(leg, plan))
        feet.append(foot)
    shifts = solve_legs(goals, clip.fps, task.size, weights=weights, pinned=True, against=against)
    rotations = np.array(clip.rotations)
    for number, (leg, goal, foot) in enumerate(zip(legs, goals, feet, strict=True)):
        shift = shifts[:, 3 + 3 * number : 6 + 3 * number]
        shift = shift + lead_over(goal.path - goal.ankle - shift, goal.down, clip.fps, weights.foot_smooth_s)
        pose_leg(clip, leg, goal.ankle + shift - goal.hip - shifts[:, :3], foot, rotations)
    moved = _shift_figure(clip.replace(rotations=rotations), legs[0].ankle, shifts[:, :3])
    return moved.replace(contacts=contacts)


def pelvis_acceleration(clip: Clip) -> Floats:
    """How fast the pelvis accelerates, (frames, 3) m/s^2, without the noise of a capture."""
    path = clip.positions()[:, travelling_joint(clip)]
    return _acceleration(path if len(clip) < 4 else gaussian(path, clip.fps, _CALM_S, ends="reflect"), clip.fps)


def _acceleration(path: Floats, fps: float) -> Floats:
    acceleration = np.zeros_like(path)
    acceleration[1:-1] = np.diff(path, 2, axis=0) * fps**2
    return acceleration


def _excess_acceleration(path: Floats, fps: float, most: float) -> Floats:
    """The part of an acceleration (frames, 3) that is beyond a bound."""
    acceleration = _acceleration(path, fps)
    size = np.linalg.norm(acceleration, axis=1, keepdims=True)
    return np.asarray(acceleration * np.maximum(0.0, 1.0 - most / np.maximum(size, 1e-9)))


def _farthest_from_half(values: Floats) -> float:
    """The value that is outside of 0 to 1, if any is."""
    return float(values[np.argmax(np.abs(values - 0.5))]) if np.isfinite(values).all() else float("nan")


def _choose_ground(clip: Clip, ground: Ground | None) -> Ground:
    chosen = find_ground(clip) if ground is None else ground
    if chosen is None:
        raise ParameterError(
            'No feet can be planted: the skeleton has no joint in the role "left foot" or "right foot". '
            "kinetune info FILE shows what was recognised."
        )
    return chosen


def _known_states(clip: Clip, ground: Ground, contacts: Contacts) -> tuple[States, Floats]:
    """The states (frames, feet) of known contacts, and how sure they are; a foot without a name there is in the air."""
    names = [clip.skeleton.names[foot.joint] for foot in ground.feet]
    in_the_air = np.zeros(len(clip), dtype=np.int8)
    columns = [
        states_of_contacts(contacts, contacts.column(name)) if name in contacts.joints else in_the_air for name in names
    ]
    states = np.stack(columns, axis=1)
    sure = [contacts.confidence[:, contacts.column(n)] if n in contacts.joints else in_the_air for n in names]
    return states, np.where(states == SWING, 0.0, np.maximum(np.stack(sure, axis=1), _LEAST_SURE))


def _denoised(clip: Clip, ground: Ground) -> Clip:
    """The clip with the joints from root to toes smoothed, just enough for the noise of its feet; most need none."""
    size = ground.leg / HUMAN_LEG_M
    noise = max(noise_of(clip.positions()[:, foot.joint]) for foot in ground.feet) / size
    width_s = smoothing_for(noise, clip.fps, _SMOOTHEST_S)
    if width_s <= smoothing_for(0.0, clip.fps, _SMOOTHEST_S):
        return clip
    toes = {foot.toes[0] for foot in find_foot_joints(clip) if foot.toes is not None}
    joints = sorted({j for foot in ground.feet for j in clip.skeleton.chain(foot.joint)} | toes)
    rotations = rot.continuous(np.array(clip.rotations))
    rotations[:, joints] = rot.normalize(gaussian(rotations[:, joints], clip.fps, width_s, ends="held"))
    return clip.replace(rotations=rotations)


_legs: WeakKeyDictionary[Clip, dict[tuple[str, int], tuple[Leg, Floats]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class _Task:
    """What is to be planted.

    states, sure : of each foot of the ground that takes part, and how sure it is that it stands, (frames,).
    """

    clip: Clip
    source: Clip
    ground: Ground
    states: dict[int, States]
    sure: dict[int, Floats]
    weights: LegWeights
    floor: Floor | None
    rigid_toes: bool = False
    still_joints: bool = False

    @property
    def size(self) -> float:
        return self.ground.leg / HUMAN_LEG_M

    def legs(self) -> list[Leg]:
        """The legs as the source shows them; read once."""
        known = _legs.setdefault(self.source, {})
        feet = [self.ground.feet[number] for number in self.states]
        for foot in feet:
            if (foot.side, foot.joint) not in known:
                leg = find_leg(self.source, foot.side, foot.joint)
                known[foot.side, foot.joint] = leg, knee_bend(self.source, leg)
        return [known[foot.side, foot.joint][0] for foot in feet]

    def usual_bend(self, leg: Leg) -> Floats:
        """How far its knee is bent in the source, (frames,)."""
        return next(bend for each, bend in _legs[self.source].values() if each is leg)

    def most_bend(self, leg: Leg) -> float:
        """How far its knee can be bent: calf on thigh, or as far as in the source."""
        return max(_FOLDED, float(self.usual_bend(leg).max()))

    def needs_help(self) -> bool:
        """Whether a knee is bent backward, and further than in the source, or folded further than a knee can be."""
        for leg in self.legs():
            bend = unfolding_bend(self.clip, leg)
            least, most = min(0.0, float(self.usual_bend(leg).min())), self.most_bend(leg)
            if np.any(bend < least - _BACKWARD) or np.any(bend > most + _BACKWARD):
                return True
        return False

    def opened(self) -> Clip:
        """The clip with knees that an edit has folded too far opened about their hinges, thighs left as they are.

        A leg that is folded up has no direction from hip to ankle in which a path could open it.
        """
        if self.source is self.clip:
            return self.clip
        bends = [(leg, unfolding_bend(self.clip, leg)) for leg in self.legs()]
        folded = [(leg, bend) for leg, bend in bends if np.any(bend > self.most_bend(leg))]
        if not folded:
            return self.clip
        rotations = np.array(self.clip.rotations)
        for leg, bend in folded:
            change = stay_within(bend, -np.inf, self.most_bend(leg), _CORNER_S * self.clip.fps) - bend
            open_knee(self.clip, leg, change, rotations)
        return self.clip.replace(rotations=rotations)

    def within_limits(self, clip: Clip) -> Clip:
        """The clip with hips and ankles that an edit has turned farther than a body, or the source, does brought back.

        The ankle of a standing foot then follows from the stance, and both from where the solver moves the leg.
        """
        if self.source is self.clip:
            return clip
        rotations = np.array(clip.rotations)
        joints = {joint for leg in self.legs() for joint in (leg.hip, leg.ankle)}
        for limit in _leg_limits(self.source):
            turned = clip.rotations[:, limit.joint]
            if limit.joint in joints and not limit.admits(turned):
                wide = limit.including(self.source.rotations[:, limit.joint])
                rotations[:, limit.joint] = rot.continuous(wide.followed(turned, _CORNER_S * clip.fps))
        return clip if np.array_equal(rotations, clip.rotations) else clip.replace(rotations=rotations)

    def solved(
        self,
        *,
        pelvis_m: float = PELVIS_M,
        travel: float = 0.0,
        strength: Floats | None = None,
        left: NDArray[np.bool_] | None = None,
    ) -> Clip:
        """The clip with its feet planted."""
        return replace(self, clip=self.within_limits(self.opened()))._solved(pelvis_m, travel, strength, left)

    def _solved(self, pelvis_m: float, travel: float, strength: Floats | None, left: NDArray[np.bool_] | None) -> Clip:
        clip, legs = self.clip, self.legs()
        parts = [foot_parts(clip, self.ground, number) for number in self.states]
        plans = [
            plan_stances(
                clip,
                self.source,
                part,
                states,
                sure,
                self.ground,
                size=self.size,
                smooth_s=self.weights.foot_smooth_s,
                floor=self.floor,
                rigid_toes=self.rigid_toes,
                still_joints=self.still_joints,
            )
            for part, states, sure in zip(parts, self.states.values(), self.sure.values(), strict=True)
        ]
        if self.source is clip and not any(self._moves(part, plan) for part, plan in zip(parts, plans, strict=True)):
            return clip
        goals = [self._goals(leg, plan) for leg, plan in zip(legs, plans, strict=True)]
        shifts = solve_legs(
            goals, clip.fps, self.size, pelvis_m=pelvis_m, travel=travel, weights=self.weights, left=left
        )
        if strength is not None:
            shifts *= strength[:, None]
        rotations = np.array(clip.rotations)
        world = clip.world_rotations()
        for number, (leg, part, plan, goal) in enumerate(zip(legs, parts, plans, goals, strict=True)):
            foot, toes = plan.foot, plan.toes
            if strength is not None and strength.min() < 1.0:
                foot = rot.slerp(world[:, leg.ankle], foot, strength)
                toes = None if part.toes is None or toes is None else rot.slerp(rotations[:, part.toes], toes, strength)
            arm = goal.ankle + shifts[:, 3 + 3 * number : 6 + 3 * number] - goal.hip - shifts[:, :3]
            pose_leg(clip, leg, arm, foot, rotations)
            if part.toes is not None and toes is not None:
                rotations[:, part.toes] = rot.continuous(rot.normalize(toes))
        return _shift_figure(clip.replace(rotations=rotations), legs[0].ankle, shifts[:, :3])

    def _moves(self, part: FootParts, plan: StandingFoot) -> bool:
        """Whether a foot would move noticeably."""
        clip, down = self.clip, plan.down > 0
        if np.isfinite(self.ground.deepest).any() and np.any(plan.rise[~down] > _SUNK_M * self.size):
            return True
        moved = np.abs(plan.path - clip.positions()[:, part.ankle])[down].max(initial=0.0)
        turned = rot.angle_between(plan.foot, clip.world_rotations()[:, part.ankle])[down].max(initial=0.0)
        if part.toes is not None and plan.toes is not None:
            turned = max(turned, rot.angle_between(plan.toes, clip.rotations[:, part.toes])[down].max(initial=0.0))
        return bool(moved > _UNNOTICED * self.size or turned > _UNNOTICED)

    def _goals(self, leg: Leg, plan: StandingFoot) -> LegGoals:
        clip = self.clip
        thigh, shank = leg.bones(clip)
        usual = self.usual_bend(leg)
        least = float(np.clip(np.percentile(usual, 2.0), *_LEAST_BEND))
        most = min(MOST_BEND, max(float(usual.max()) + _MORE_BEND, _USUAL_BEND))
        bend = usual if self.source is clip else knee_bend(clip, leg)
        if self.source is not clip and len(clip) > 3:
            # With its foot held, a knee can jitter only if the pelvis does: what the edit adds of that is left out.
            change, down = (gaussian(row, clip.fps, _JITTER_S, ends="held") for row in (bend - usual, plan.down))
            bend = bend + down * (change - (bend - usual))
        asked = bend
        # Where the edit runs into a limit, the way there has no corner, which the knee would follow.
        bend = stay_within(asked, least, most, _CORNER_S * clip.fps)
        return LegGoals(
            clip.positions()[:, leg.hip],
            clip.positions()[:, leg.ankle],
            np.linalg.norm(thigh, axis=-1),
            np.linalg.norm(shank, axis=-1),
            plan.down,
            plan.path,
            bend,
            bend - asked,
            _WALL * least,
            plan.rise,
        )


_limits: WeakKeyDictionary[Clip, list[JointLimit]] = WeakKeyDictionary()


def _leg_limits(source: Clip) -> list[JointLimit]:
    """The limits of a human's hips and ankles; none for other bodies. Read once."""
    if source not in _limits:
        known: list[JointLimit] = []
        with suppress(ParameterError):  # not the shape of a human
            known = [] if robot_of(source) is not None else human_limits(source, parts=("upper leg", "foot"))
        _limits[source] = known
    return _limits[source]


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
