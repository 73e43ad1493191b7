"""What a standing foot does: it rolls over heel, ball and toes as the source's foot did, and does not slide.

=============  =====================================================================================
FootParts      the ankle and the rockers of a foot: heel, ball and tip
foot_parts     reads them from a clip
StandingFoot   where a foot should be while it stands, and how it is turned in every frame
plan_stances   finds that from the source's stances
firmness       how firmly a foot is held, from landing to leaving
=============  =====================================================================================

A stance has three rockers: the heel while the toes are up, the whole sole, and the ball of the foot while the heel
rises; at the very end the tip of the toes. The foot keeps the rotations and heights of the source, turned about the
vertical as a whole, and the ankle moves so that at each moment the rocker stands still. What remains open is where on
the floor the stance takes place; :mod:`kinetune.body.feet.leg_solver` finds that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, Ground
from kinetune.body.feet.soles import UP, find_foot_joints
from kinetune.body.feet.stance_states import FLAT, SWING, TOE, States
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges
from kinetune.trajectory.normal_equations import NormalEquations

_EASE_S = 0.02  # in which one rocker hands over to the next
_ON_TIP_M = (0.015, 0.040)  # how far the ball joint rises while the tip takes over; its pad bears until then
_UPRIGHT = (0.7, 0.95)  # sines of angles between which it takes over in a stance that is never flat
_LEAVING_S = 0.3  # the last part of a stance, in which that may happen
_SHORT_TIP_M = 0.02
_HELD = 1e6  # how firmly a correction keeps to what is known, against how firmly it goes to nothing elsewhere
_EDGE_S = 0.035  # in which a foot lands and leaves
_REST_S = 0.02  # a foot that is flat turns no faster than this
_STILL_S = 0.05
_FLOAT_M = 0.02  # a stance may be this far off its level
_MOST_SHOWN = 8  # feet of one clip, times the ways in which it is planted
_OTHER_LEVEL_M = 0.09  # farther off it stands on something else


@dataclass(frozen=True)
class FootParts:
    """The joints and rockers of a foot; offsets (3,) in metres.

    heel, ball : in the ankle's frame.
    tip : of the toes, in their frame, or in the ankle's where the toes do not bend; None where nothing is known of it.
    """

    ankle: int
    toes: int | None
    heel: Floats
    ball: Floats
    tip: Floats | None

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it apart from other feet."""
        tip = None if self.tip is None else self.tip.tobytes()
        return self.ankle, self.toes, self.heel.tobytes(), self.ball.tobytes(), tip

    def offsets(self, foot: Floats, toes: Floats | None) -> list[Floats]:
        """Heel, ball and tip (frames, 3) seen from the ankle, for world rotations (frames, 4) of foot and toes."""
        heel, ball = rot.rotate(foot, self.heel), rot.rotate(foot, self.ball)
        if self.tip is None:
            return [heel, ball]
        return [heel, ball, rot.rotate(foot, self.tip) if toes is None else ball + rot.rotate(toes, self.tip)]


def foot_parts(clip: Clip, ground: Ground, number: int) -> FootParts:
    """The parts of one foot of a clip."""
    sole = ground.feet[number]
    joints = next(joints for joints in find_foot_joints(clip) if joints.ankle == sole.joint)
    named = {point.name: np.array(point.offset) for point in sole.points if point.joint == sole.joint}
    toes = None if joints.toes is None else joints.toes[0]
    tip = None
    if joints.tip is not None and joints.tip[0] == (sole.joint if toes is None else toes):
        long = np.linalg.norm(joints.tip[1]) > _SHORT_TIP_M * ground.leg
        tip = np.asarray(joints.tip[1]) if long else None
    ball = named["ball"] if joints.toes is None else np.asarray(joints.toes[1])
    return FootParts(sole.joint, toes, named["heel"], ball, tip)


@dataclass(frozen=True)
class StandingFoot:
    """What is asked of a foot.

    down : (frames,) how sure it is that it stands, in [0, 1].
    path : (frames, 3) where the ankle goes while it stands, but for a shift of each stance along the floor.
    foot : (frames, 4) how the foot is turned in the world, in the air too.
    toes : (frames, 4) how the toes are turned against the foot, or None.
    rise : (frames,) how far the foot must rise at least, in metres, so that no part of the sole is below where the
        source's soles have been; negative where there is room.
    """

    down: Floats
    path: Floats
    foot: Floats
    toes: Floats | None
    rise: Floats


def plan_stances(
    clip: Clip,
    source: Clip,
    parts: FootParts,
    states: States,
    sure: Floats,
    ground: Ground,
    *,
    size: float,
    smooth_s: float,
    floor: Floor | None = None,
    rigid_toes: bool = False,
    still_joints: bool = False,
) -> StandingFoot:
    """What a foot should do in a clip, given what it did in the source.

    Parameters
    ----------
    clip : the motion to plant.
    source : the motion before the edit, of the same length; the clip itself where there is none.
    states : (frames,) how the foot stands in the source.
    sure : (frames,) how sure it is that it stands, above 0 where it does.
    ground : floor and soles of the source, and how low they may come.
    size : leg length over that of a person.
    smooth_s : over how many seconds the rotation of the foot leads from a stance into the air.
    floor : another floor to stand on.
    rigid_toes : whether toes lie still and flat from when they touch the floor until they leave it.
    still_joints : whether the joints of ankle and toes stand still, instead of points of the sole below them.
    """
    shown = _shown_by(source, parts, states, size, rigid_toes, still_joints)
    ankle, before = clip.positions()[:, parts.ankle], source.positions()[:, parts.ankle]
    down, on_ball = states != SWING, (states == FLAT) | (states == TOE)
    stances = [slice(start, stop) for start, stop in true_ranges(down)]
    world, foot, toes, offsets, height = shown.rested, shown.foot, shown.toes, shown.offsets, shown.height.copy()
    if source is not clip:
        world = _rested(clip.world_rotations()[:, parts.ankle], states, clip.fps)
        turn = rot.identity(len(clip))
        yaw = _yaw(rot.multiply(world, rot.inverse(shown.rested)))
        for part in stances:
            turn[part] = rot.about_y(float(np.median(np.unwrap(yaw[part]))))
        foot, toes = rot.multiply(turn, foot), None if toes is None else rot.multiply(turn, toes)
        offsets = [rot.rotate(turn, offset) for offset in offsets]
    if still_joints:
        steps = _joint_steps(clip, parts, foot, states)
    else:
        steps = _rocker_steps(offsets, shown.share, shown.on_tip)
    drift = np.array([ground.drift[0], 0.0, ground.drift[1]]) / clip.fps
    moved = np.concatenate([np.zeros((1, 3)), np.cumsum(drift - steps, axis=0)])
    if source is clip and not still_joints:
        above = _off_levels([ground.floor.above(before + offset) for offset in offsets], states)
        bearing = above[1] + shown.on_tip * (above[-1] - above[1])
        off = [(part, _off_level(bearing[part], states[part])) for part in stances if on_ball[part].any()]
        if 2 * sum(abs(by) > _FLOAT_M * size for _, by in off) <= len(off):  # else there is no usual level: steps
            for part, by in off:
                height[part] -= _floating(by, size)
    if floor is not None:
        height += floor.under(ankle) - ground.floor.under(ankle)
    number = next(number for number, foot in enumerate(ground.feet) if foot.joint == parts.ankle)
    sunk = ground.sunk(clip, number)
    if sunk is not None:
        for part in stances:
            height[part] += max(0.0, float(np.percentile((sunk + ankle[:, 1] - height)[part], 90.0)))
    path = ankle.copy()
    for part in stances:
        stance = np.stack([moved[part, 0], height[part], moved[part, 2]], axis=-1)
        counts = sure[part] * (on_ball[part] if on_ball[part].any() else 1.0)
        stance[:, [0, 2]] += np.average(ankle[part] - stance, axis=0, weights=counts)[[0, 2]]
        path[part] = stance
    # Toes that lie still are led with little jerk: walks made of such steps would sway.
    grip, order = (down.astype(float), 3) if rigid_toes else (firmness(sure, clip.fps), 2)
    turn_by = lead_over(rot.log(rot.multiply(foot, rot.inverse(world))), grip, clip.fps, smooth_s)
    turned = rot.multiply(rot.exp(turn_by), world)
    bent = None
    if toes is not None:
        local = clip.rotations[:, parts.toes]
        bend = rot.log(rot.multiply(rot.inverse(local), rot.multiply(rot.inverse(foot), toes)))
        bent = rot.multiply(local, rot.exp(lead_over(bend, grip, clip.fps, smooth_s, order=order)))
    now = parts.offsets(turned, None if bent is None else rot.multiply(turned, bent))
    rise = -np.min([ankle[:, 1] + at[:, 1] - low for at, low in zip(now, shown.lowest, strict=True)], axis=0)
    rise = rise if sunk is None else np.maximum(rise, sunk)
    return StandingFoot(sure, path, turned, bent, rise)


class _ShownFoot(NamedTuple):
    """What the source shows of a foot, before an edit turns its stances.

    rested : (frames, 4) how it is turned. foot, toes : (frames, 4) how it and its toes should be turned in stances.
    offsets : heel, ball and tip (frames, 3) seen from the ankle. height : (frames,) of the ankle.
    share, on_tip : (frames,) how much of the rocker the forefoot is, and of that the tip.
    lowest : how low heel, ball and tip come.
    """

    rested: Floats
    foot: Floats
    toes: Floats | None
    offsets: list[Floats]
    height: Floats
    share: Floats
    on_tip: Floats
    lowest: list[float]


_shown: WeakKeyDictionary[Clip, dict[tuple[object, ...], _ShownFoot]] = WeakKeyDictionary()


def _shown_by(
    source: Clip, parts: FootParts, states: States, size: float, rigid_toes: bool, still_joints: bool
) -> _ShownFoot:
    """What a source shows of a foot; read once, because an edit changes more often than what it is made of."""
    known = _shown.setdefault(source, {})
    key = (parts.key, states.tobytes(), size, rigid_toes, still_joints)
    if key not in known:
        if len(known) >= _MOST_SHOWN:
            known.clear()
        known[key] = _read_foot(source, parts, states, size, rigid_toes, still_joints)
    return known[key]


def _read_foot(
    source: Clip, parts: FootParts, states: States, size: float, rigid_toes: bool, still_joints: bool
) -> _ShownFoot:
    rested = foot = _rested(source.world_rotations()[:, parts.ankle], states, source.fps)
    height = source.positions()[:, parts.ankle, 1].copy()
    on_ball = (states == FLAT) | (states == TOE)
    stances = [slice(start, stop) for start, stop in true_ranges(states != SWING)]
    share = _forefoot_share(states, source.fps)
    if still_joints:
        foot = foot.copy()
        for part in stances:
            foot[part], height[part] = _stilled(foot[part], height[part], states[part] == FLAT, source.fps)
    ball, on_tip = rot.rotate(foot, parts.ball)[:, 1], np.zeros(len(source))
    upright = _upright(source, parts, states)
    for part in stances:
        if not rigid_toes:
            on_tip[part] = _tip_share((height + ball)[part], upright[part], states[part], size, source.fps)
        elif on_ball[part].any():
            flat = states[part] == FLAT if np.any(states[part] == FLAT) else on_ball[part]
            level = np.median((height + ball)[part][flat])
            height[part] += share[part] * (level - (height + ball)[part])
    toes = None
    if parts.toes is not None:
        toes = source.world_rotations()[:, parts.toes]
        flat_toes = _flat_toes(source, parts, states)
        if flat_toes is not None:
            headings = _headings(foot)
            for part in stances:
                if rigid_toes and on_ball[part].any():
                    headings[part] = rot.mean(headings[part][on_ball[part]])
            toes = rot.slerp(toes, rot.multiply(headings, flat_toes), share * (1.0 - on_tip))
    world = source.world_rotations()
    usual = parts.offsets(world[:, parts.ankle], None if parts.toes is None else world[:, parts.toes])
    ankle = source.positions()[:, parts.ankle, 1]
    lowest = [float(np.percentile(ankle + offset[:, 1], 1.0)) for offset in usual]
    return _ShownFoot(rested, foot, toes, parts.offsets(foot, toes), height, share, on_tip, lowest)


def _rested(world: Floats, states: States, fps: float) -> Floats:
    """The rotations (frames, 4) of a foot; a flat one does not tremble, or else its ankle would shake."""
    flat = np.zeros(len(states))
    reach = round(_REST_S * fps)
    for start, stop in true_ranges(states == FLAT):
        at = np.arange(start, stop)
        since = np.full(len(at), np.inf) if start == 0 else at - start
        until = np.full(len(at), np.inf) if stop == len(states) else stop - 1 - at
        flat[start:stop] = ease(np.minimum(since, until) / max(1, 2 * reach))
    if reach == 0 or not flat.any():
        return world
    calm = rot.normalize(gaussian(rot.continuous(world), fps, _REST_S, ends="held"))
    return rot.slerp(world, calm, flat)


def _headings(rotations: Floats) -> Floats:
    """The part of rotations (frames, 4) that is about the vertical."""
    return rot.about_y(np.unwrap(_yaw(rotations)))


def _yaw(rotations: Floats) -> Floats:
    _, twist = rot.swing_twist(rotations, UP)
    return np.asarray(2.0 * np.arctan2(twist[:, 2], twist[:, 0]))


def _flat_toes(source: Clip, parts: FootParts, states: States) -> Floats | None:
    """How the toes are turned (4,) against the heading of a foot that is flat; None where none ever is."""
    flat = states == FLAT
    if parts.toes is None or parts.tip is None or not flat.any():
        return None
    world = source.world_rotations()[flat]
    return rot.mean(rot.multiply(rot.inverse(_headings(world[:, parts.ankle])), world[:, parts.toes]))


def _forefoot_share(states: States, fps: float) -> Floats:
    """How much of the rocker the forefoot is, (frames,) in [0, 1], eased within each stance."""
    share = ((states == FLAT) | (states == TOE)).astype(float)
    reach = max(1, round(_EASE_S * fps))
    eased = np.zeros(len(states))
    for start, stop in true_ranges(states != SWING):
        padded = np.pad(share[start:stop], reach, mode="edge")
        eased[start:stop] = np.convolve(padded, np.full(2 * reach + 1, 1.0 / (2 * reach + 1)), mode="valid")
    return eased


def _upright(source: Clip, parts: FootParts, states: States) -> Floats:
    """How far the part of a foot between ball and tip points down, (frames,): the sine of its angle from flat."""
    if parts.tip is None:
        return np.zeros(len(source))
    world = source.world_rotations()
    offsets = parts.offsets(world[:, parts.ankle], None if parts.toes is None else world[:, parts.toes])
    above = _off_levels([source.positions()[:, parts.ankle, 1] + offset[:, 1] for offset in offsets], states)
    length = np.linalg.norm(offsets[2] - offsets[1], axis=1)
    return np.asarray((above[1] - np.maximum(above[2], 0.0)) / np.maximum(length, 1e-9))


def _tip_share(ball: Floats, upright: Floats, states: States, size: float, fps: float) -> Floats:
    """How much of the forefoot's rocker the tip of the toes is, (frames,): at the end of a stance the ball rises.

    A foot that is never flat in a stance, such as that of someone who kneels, may stand on its tip all along.
    """
    on_ball = (states == FLAT) | (states == TOE)
    if not on_ball.any():
        return np.zeros(len(ball))
    least, most = (limit * size for limit in _ON_TIP_M)
    left = np.arange(len(ball))[::-1] / fps
    soon = ease((_LEAVING_S - left) / (0.5 * _LEAVING_S)) * (states == TOE)
    leaving = ease((ball - np.median(ball[on_ball]) - least) / (most - least)) * soon
    least, most = _UPRIGHT
    on_tip = 0.0 if np.any(states == FLAT) else ease((upright - least) / (most - least))
    return np.asarray(np.maximum(leaving, on_tip))


def _rocker_steps(offsets: list[Floats], share: Floats, on_tip: Floats) -> Floats:
    """How the rocker moves against the ankle from each frame to the next, (frames - 1, 3)."""
    steps = [np.diff(offset, axis=0) for offset in offsets]
    front = steps[1] if len(steps) == 2 else steps[1] + _between(on_tip) * (steps[2] - steps[1])
    return np.asarray(steps[0] + _between(share) * (front - steps[0]))


def _joint_steps(clip: Clip, parts: FootParts, foot: Floats, states: States) -> Floats:
    """How the joint that stands moves against the ankle, (frames - 1, 3): that of the toes, or the ankle itself."""
    toes = parts.ball if parts.toes is None else clip.skeleton.offsets[parts.toes]
    on_toes = (states == FLAT) | (states == TOE)
    return np.asarray(np.diff(rot.rotate(foot, toes), axis=0) * (on_toes[1:] & on_toes[:-1])[:, None])


def _stilled(foot: Floats, height: Floats, flat: NDArray[np.bool_], fps: float) -> tuple[Floats, Floats]:
    """Rotations (frames, 4) and heights (frames,) that stand still while a foot is flat; the others lead there."""
    change: Floats = np.zeros((len(foot), 4))
    for start, stop in true_ranges(flat):
        stand = slice(start, stop)
        change[stand, :3] = rot.log(rot.multiply(rot.mean(foot[stand]), rot.inverse(foot[stand])))
        change[stand, 3] = np.median(height[stand]) - height[stand]
    change = lead_over(change, flat.astype(float), fps, _STILL_S)
    return rot.multiply(rot.exp(change[:, :3]), foot), height + change[:, 3]


def _between(values: Floats) -> Floats:
    return (0.5 * (values[1:] + values[:-1]))[:, None]


def ease(x: Floats) -> Floats:
    """From 0 to 1 as x does, slowly at both ends."""
    u = np.clip(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def _off_levels(heights: list[Floats], states: States) -> list[Floats]:
    """How far each rocker (frames,) is above where it usually is in a flat foot."""
    flat = states == FLAT if np.any(states == FLAT) else states != SWING
    return [height - (np.median(height[flat]) if flat.any() else 0.0) for height in heights]


def _off_level(above: Floats, states: States) -> float:
    """How far a stance is above its usual level."""
    flat = states == FLAT if np.any(states == FLAT) else states == TOE
    return float(np.median(above[flat]))


def _floating(off: float, size: float) -> float:
    """How far a stance floats above its level, or is below it, beyond what may be left."""
    return float(np.sign(off)) * max(abs(off) - _FLOAT_M * size, 0.0) if abs(off) < _OTHER_LEVEL_M * size else 0.0


def lead_over(values: Floats, known: Floats, fps: float, smooth_s: float, order: int = 3) -> Floats:
    """A correction (frames, n) that is known for some frames, led over the others with little jerk, and to nothing.

    known : (frames,) how surely, in [0, 1].
    order : of the difference that stays small: 3 for jerk; 2 for acceleration, which overshoots less.
    """
    frames, columns = values.shape
    equations = NormalEquations(frames, columns, 3)
    sure = np.asarray(known, dtype=float)[:, None]
    held, pulled = _HELD**sure - 1.0 + sure, 1.0 - sure
    equations.add_differences(-values * held / (held + pulled), 0, held + pulled)
    equations.add_differences(np.zeros(values.shape), order, (smooth_s * fps) ** (2 * order))
    led = equations.solve()
    assert led is not None  # every frame is pulled
    return led


def firmness(down: Floats, fps: float) -> Floats:
    """How firmly a foot is held, (frames,) in [0, 1]: it lands and leaves softly, but not where the clip cuts it.

    down : (frames,) how sure it is that it stands, in [0, 1]; an unsure frame counts as a part of one.
    """
    grip, whole = np.zeros(len(down)), _EDGE_S * fps + 1.0
    for start, stop in true_ranges(down > 0.0):
        sure = down[start:stop]
        since = np.cumsum(sure) + (whole if start == 0 else 0.0)
        until = np.cumsum(sure[::-1])[::-1] + (whole if stop == len(down) else 0.0)
        grip[start:stop] = np.clip(np.minimum(since, until) / whole, 0.0, 1.0) ** 3
    return grip
