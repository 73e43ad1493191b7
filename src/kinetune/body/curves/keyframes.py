"""Clips from key poses, as an animator sets them.

====================  ===================================================================================
keyframe              key poses and their times to a clip
pose                  one pose from joint names, (joints, 4)
stand                 where the root is when the rest pose stands on the floor
====================  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.key_checks import END_NAMES, Ends, finite_numbers
from kinetune.signals.splines.keyed_curve import KNOBS, Holds, KeyedCurve, Knob
from kinetune.signals.splines.rotation_tcb import RotationTCB
from kinetune.signals.splines.tangents import Step
from kinetune.signals.splines.tcb import TCB

Pose = Mapping[str, ArrayLike] | ArrayLike
MOST_FRAMES = 10_000_000


def keyframe(
    skeleton: Skeleton,
    poses: Sequence[Pose] | Floats,
    times: ArrayLike,
    *,
    fps: float = 60.0,
    root: ArrayLike | TCB | None = None,
    tension: Knob = 0.0,
    continuity: Knob = 0.0,
    bias: Knob = 0.0,
    ends: Ends = "natural",
    closed: bool = False,
    period: float | None = None,
    step: Step = "corrected",
    holds: Holds = "free",
    representation: Literal["quaternion", "euler"] = "quaternion",
    order: str = "ZXY",
    unmentioned: Literal["rest", "between"] = "rest",
) -> Clip:
    """Make a clip that passes smoothly through key poses.

    ::

        from kinetune.signals.splines.tcb_presets import preset

        nod = keyframe(
            skeleton,
            [{}, {"head": (0, 25, 0)}, {"head": (0, -5, 0)}, {}],
            times=[0, 0.3, 0.55, 0.8],
            **preset("overshoot"),
        )

    Parameters
    ----------
    skeleton : Skeleton
        Whose joints are posed.
    poses : sequence of Pose or array
        One for each key. A mapping from joint name or role ("LeftKnee", "left lower leg") to its local rotation: three
        numbers are Euler angles in degrees in ``order``, four a quaternion wxyz. Or an array (joints, 4) of quaternions
        or (joints, 3) of Euler degrees. So an array (keys, joints, 4) serves as a whole.
    times : array_like, shape (keys,)
        Seconds, increasing. The first one is frame 0 of the clip.
    fps : float
        Frames per second.
    root : array_like, TCB or None
        Where the first joint is, in metres: (keys, 3), (3,) for a fixed position, or a ``TCB`` curve of its own keys
        over the same seconds. None stands the rest pose on the floor at the origin (:func:`stand`).
    tension, continuity, bias : Knob
        For all keys, or one per key; see :class:`kinetune.signals.splines.tcb.TCB`.
    ends : Ends
        "natural", "zero" (the motion starts and stops at rest), "half chord" or "chord", or a pair (start, end).
    closed : bool
        The motion returns smoothly to its first pose: at the last key if that repeats the first pose, or at
        one more time than there are poses, or after ``period``. The clip is one round long, and its last frame is the
        first one again. A root with one more row than there are distinct poses travels on: its last row is where the
        round ends, and speed and pose still join smoothly.
    period : float or None
        The length of a closed motion in seconds.
    step, holds : Step
        As for ``TCB``; ``holds="flat"`` keeps a joint still between two keys in which it is the same.
    representation : {"quaternion", "euler"}
        "quaternion" rotates joints along smooth rotation curves. "euler" runs each Euler angle through its own curve,
        as the paper did; angles given in degrees are taken as they are, so 0 to 720 spins twice.
    order : str
        The order of Euler angles; the first axis is applied first.
    unmentioned : {"rest", "between"}
        A joint that a pose does not mention is at rest in it ("rest"), or has no key there and moves on between the
        keys that do mention it ("between"). A joint that no pose mentions stays at rest.

    Returns
    -------
    Clip
        Frames at 1/fps from the first key on; the last one at or before the last key.

    Raises
    ------
    ParameterError, UnknownNameError
        One sentence on the pose, joint or time that does not fit.

    Examples
    --------
    >>> from kinetune import sample
    >>> figure = sample("walk").skeleton
    >>> nod = keyframe(figure, [{}, {"head": (25, 0, 0)}, {}], times=[0, 0.4, 1], fps=30)
    >>> len(nod)
    31
    """
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}.")
    for name, value, known in (
        ("representation", representation, ("quaternion", "euler")),
        ("unmentioned", unmentioned, ("rest", "between")),
    ):
        if value not in known:
            raise ParameterError(f"{name}={value!r} is not known; it is one of {', '.join(known)}.")
    for end in [ends] if isinstance(ends, str) else ends:
        if not isinstance(end, str):
            raise ParameterError(f"ends of a keyframed clip are names ({', '.join(END_NAMES)}), not velocities.")
    quaternions, angles, mentioned = _read_poses(skeleton, poses, _full_order(order))
    if unmentioned == "rest":
        mentioned[:] = True
    options: dict[str, Any] = {"ends": ends, "closed": closed, "step": step, "holds": holds, "frame": 1.0 / fps}
    knobs: dict[str, Any] = {"tension": tension, "continuity": continuity, "bias": bias}
    # This curve checks times and parameters once, and says which keys are distinct and when a closed motion repeats.
    keys = RotationTCB(times, quaternions, period=period, **knobs, **options)
    moments = _moments(keys, fps)
    if representation == "euler":
        values = _follow(angles, quaternions, mentioned, order)
        rest = np.broadcast_to(rot.to_euler(skeleton.rest, order), (len(moments), len(skeleton), 3))
    else:
        values = quaternions
        rest = np.broadcast_to(skeleton.rest, (len(moments), len(skeleton), 4))
    sampled = np.array(rest)
    patterns, group = np.unique(mentioned[: len(keys)], axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        joints = np.flatnonzero(group.reshape(-1) == number)
        if pattern.any():
            sampled[:, joints] = _through(keys, pattern, values[:, joints], moments, options)
    if representation == "euler":
        sampled = rot.from_euler(sampled, order)
    places = _root_path(skeleton, root, keys, moments, options)
    return Clip(skeleton, fps, root=places, rotations=rot.continuous(rot.normalize(sampled)))


def pose(skeleton: Skeleton, joints: Pose, order: str = "ZXY") -> Floats:
    """One pose as local rotations (joints, 4) wxyz; what is not mentioned is at rest.

    Parameters
    ----------
    joints : Pose
        A mapping from joint name or role to a rotation, or an array, as :func:`keyframe` takes them.
    """
    return np.asarray(_read_poses(skeleton, [joints], _full_order(order))[0][0])


def stand(skeleton: Skeleton) -> Floats:
    """The root position (3,) at which the rest pose stands on the floor, above the origin."""
    points = [*skeleton.rest_positions]
    for site in skeleton.end_sites:
        turned = rot.rotate(skeleton.rest_rotations[site.parent], site.offset)
        points.append(skeleton.rest_positions[site.parent] + turned)
    return np.array([0.0, -np.min(np.array(points)[:, 1]), 0.0])


def _full_order(order: str) -> str:
    folded = rot.check_order(order)
    if len(folded) != 3:
        raise ParameterError(f'Key poses take a full Euler order such as "ZXY", not "{order}".')
    return folded


def _read_poses(
    skeleton: Skeleton, poses: Sequence[Pose] | Floats, order: str
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Quaternions (keys, joints, 4), Euler angles (keys, joints, 3; NaN where none were given), what is mentioned."""
    if isinstance(poses, Mapping) or len(poses) == 0:
        raise ParameterError("poses must be a list with one pose per key, and at least one.")
    joints = len(skeleton)
    quaternions = np.tile(skeleton.rest, (len(poses), 1, 1))
    angles = np.full((len(poses), joints, 3), np.nan)
    mentioned = np.zeros((len(poses), joints), dtype=bool)
    rest_angles = rot.to_euler(skeleton.rest, order)
    for key, given in enumerate(poses):
        if isinstance(given, Mapping):
            angles[key] = rest_angles
            for name, value in given.items():
                if not isinstance(name, str):
                    raise ParameterError(f"Pose {key}: joints are called by name, not by {name!r}.")
                joint = skeleton.index(name)
                if mentioned[key, joint]:
                    raise ParameterError(f'Pose {key} rotates joint "{skeleton.names[joint]}" twice ("{name}").')
                mentioned[key, joint] = True
                quaternions[key, joint], angles[key, joint] = _read_rotation(
                    f'Pose {key}, "{name}"', value, order, shape=()
                )
        else:
            mentioned[key] = True
            quaternions[key], angles[key] = _read_rotation(f"Pose {key}", given, order, shape=(joints,))
    return quaternions, angles, mentioned


def _read_rotation(where: str, value: ArrayLike, order: str, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Unit quaternions and, where the value was given in degrees, its angles in radians (else NaN)."""
    numbers = finite_numbers(where, value)
    if numbers.shape == (*shape, 3):
        radians = np.radians(numbers)
        return rot.from_euler(radians, order), radians
    if numbers.shape != (*shape, 4):
        what = "A rotation is 4 numbers (quaternion wxyz) or 3 (Euler degrees)"
        if shape:
            what = f"An array pose has shape ({shape[0]}, 4) (quaternions wxyz) or ({shape[0]}, 3) (Euler degrees)"
        raise ParameterError(f"{where}: got shape {numbers.shape}. {what}.")
    length = np.linalg.norm(numbers, axis=-1, keepdims=True)
    if np.any(length == 0):
        raise ParameterError(f"{where}: a quaternion of zeros is no rotation.")
    return numbers / length, np.full((*shape, 3), np.nan)


def _follow(angles: Floats, quaternions: Floats, mentioned: NDArray[np.bool_], order: str) -> Floats:
    """Euler angles of all keys: those given as they are, the others chosen next to the last key that has any."""
    result = np.array(angles)
    computed = rot.to_euler(quaternions, order)
    for key in range(len(result)):
        missing = np.isnan(result[key]).any(axis=-1)
        near = computed[key]
        if key:
            near = rot.unroll(np.stack([result[key - 1], near]), order)[1]
            result[key, ~mentioned[key]] = result[key - 1, ~mentioned[key]]
        result[key, missing] = near[missing]
    return result


def _moments(keys: KeyedCurve, fps: float) -> Floats:
    """The times of the clip's frames."""
    frames = (keys.end - keys.start) * fps if len(keys) > 1 else 0.0
    if frames >= MOST_FRAMES:
        raise ParameterError(
            f"The keys span {keys.end - keys.start:g} s, which is {frames:.3g} frames at {fps:g} fps; at most "
            f"{MOST_FRAMES} are made. Are the times in seconds?"
        )
    return keys.start + np.arange(int(np.floor(frames + 1e-6)) + 1) / fps


def _through(
    keys: KeyedCurve, chosen: NDArray[np.bool_], values: Floats, moments: Floats, options: dict[str, Any]
) -> Floats:
    """Values (keys or one more, joints, 3 or 4) run through those keys that are chosen, at the given moments."""
    knobs = {}
    for name in KNOBS:
        knob = getattr(keys, name)
        knobs[name] = knob[chosen] if np.ndim(knob) else knob
    times, count = keys.times[chosen], len(keys)
    levels = values[:count][chosen]
    if not keys.closed:
        kind = RotationTCB if values.shape[-1] == 4 else TCB
        return np.asarray(kind(times, levels, **knobs, **options)(moments))
    if values.shape[-1] == 4:
        return np.asarray(RotationTCB(times, levels, period=keys.period, **knobs, **options)(moments))
    # Numbers may be elsewhere after a round (a spin of 360 degrees, a root that travels): the curve then repeats on top
    # of steady progress.
    if len(values) > count:
        progress = values[count] - values[0]
    else:
        progress = 2.0 * np.pi * np.rint((values[-1] - values[0]) / (2.0 * np.pi))
    shape = (-1,) + (1,) * (values.ndim - 1)
    length = keys.end - keys.start
    still = levels - progress * ((times - keys.start) / length).reshape(shape)
    curve = TCB(times, still, period=keys.period, **knobs, **options)
    return np.asarray(np.asarray(curve(moments)) + progress * ((moments - keys.start) / length).reshape(shape))


def _root_path(
    skeleton: Skeleton, root: ArrayLike | TCB | None, keys: KeyedCurve, moments: Floats, options: dict[str, Any]
) -> Floats:
    """Root positions (frames, 3)."""
    if isinstance(root, TCB):
        if root.values.shape[1:] != (3,):
            raise ParameterError(f"The root curve must carry (x, y, z), not keys of shape {root.values.shape[1:]}.")
        return np.asarray(root(moments))
    places = stand(skeleton) if root is None else finite_numbers("root", root)
    if places.shape == (3,):
        return np.tile(places, (len(moments), 1))
    allowed = (len(keys), len(keys) + 1) if keys.closed else (len(keys),)
    if places.ndim != 2 or places.shape[1] != 3 or len(places) not in allowed:
        rows = " or ".join(str(n) for n in allowed)
        raise ParameterError(f"root must have shape ({rows}, 3), one row per key, or (3,); got {places.shape}.")
    if keys.closed and len(places) == len(keys):
        places = np.concatenate([places, places[:1]])
    every = np.ones(len(keys), dtype=bool)
    return _through(keys, every, places, moments, options)
