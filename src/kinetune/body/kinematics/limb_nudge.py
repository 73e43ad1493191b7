"""Small corrections of posed limbs: put a foot a few centimetres elsewhere and keep the leg as it is otherwise.

=============  ======================================================================================
nudge_limb     a clip whose hand or foot follows a path near its own; the knee flexes about its hinge
=============  ======================================================================================

Captured knees are straight for a good part of a stride, some of them to the last digit, some a little beyond. The plane
in which such a leg bends is noise, so a correction may not depend on it. Here the knee flexes about its own hinge, the
axis about which it bends in the rest of the clip, by as much as the distance asks for; then the whole limb swings onto
the goal by the shortest arc. No step of this can jump.
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import SOFTNESS, hinge_axis, soften_reach
from kinetune.errors import ParameterError
from kinetune.rotations import Floats


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
    goal : (frames, 3) where the end joint shall be, in metres.
    end_turn : (frames, 4) how it shall be turned in the world; None keeps its present turn.
    unlock : (frames,) or a number in [0, 1]: how far a middle joint that is bent the wrong way is brought back. With 0
        it comes back only as far as the goal asks for, so that nothing changes where nothing must.
    hinge : (3,) the axis of the middle joint in the upper one's frame; found from the clip when left out.

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
    changes (``tests/body/kinematics/test_limb_nudge.py``).
    """
    skeleton = clip.skeleton
    if upper not in skeleton.chain(lower)[:-1] or lower not in skeleton.chain(end)[:-1]:
        names = ", ".join(f'"{skeleton.names[j]}"' for j in (upper, lower, end))
        raise ParameterError(f"The joints {names} do not follow each other down one limb, as hip, knee and ankle do.")
    positions, world = clip.positions(), clip.world_rotations()
    root = positions[:, upper]
    u, v = positions[:, lower] - root, positions[:, end] - positions[:, lower]
    own = hinge_axis(clip, upper, lower, end) if hinge is None else hinge
    axis = rot.rotate(world[:, upper], own)
    flex = rot.from_axis_angle(axis, _flexion(u, v, axis, np.linalg.norm(goal - root, axis=-1), unlock))
    bent = u + rot.rotate(flex, v)
    swing = _swing(bent, goal - root)
    rotations = np.array(clip.rotations)
    above = skeleton.parents[upper]
    turned = rot.multiply(swing, world[:, upper])
    rotations[:, upper] = turned if above < 0 else rot.multiply(rot.inverse(world[:, above]), turned)
    shin = rot.multiply(swing, flex)
    carrier = rot.multiply(swing, world[:, skeleton.parents[lower]])
    rotations[:, lower] = rot.multiply(rot.inverse(carrier), rot.multiply(shin, world[:, lower]))
    carrier = rot.multiply(shin, world[:, skeleton.parents[end]])
    wanted = world[:, end] if end_turn is None else end_turn
    rotations[:, end] = rot.multiply(rot.inverse(carrier), wanted)
    miss = np.linalg.norm(root + rot.rotate(swing, bent) - goal, axis=-1)
    return clip.replace(rotations=rot.continuous(rot.normalize(rotations)), contacts=clip.contacts), miss


def _flexion(u: Floats, v: Floats, hinge: Floats, distance: Floats, unlock: Floats | float) -> Floats:
    """How far the lower bone turns about the hinge so that the limb spans a distance, (frames,) radians."""
    c = _dot(u, hinge) * _dot(v, hinge)
    a, b = _dot(u, v) - c, _dot(u, np.cross(hinge, v))
    both = _dot(u, u) + _dot(v, v)
    most = np.maximum(np.hypot(a, b), 1e-300)
    full = np.sqrt(np.maximum(both + 2.0 * (most + c), 0.0))
    now = np.sqrt(np.maximum(both + 2.0 * (a + c), 0.0))
    reach = soften_reach(distance, full, SOFTNESS, free=now)
    bend_now = -np.arctan2(b, a)  # from full stretch, positive the way the joint flexes
    bend = np.arccos(np.clip((0.5 * (reach**2 - both) - c) / most, -1.0, 1.0))
    # An overstretched joint comes back through the straight line at a finite rate, so that nothing jumps there.
    over = np.maximum(-bend_now, 0.0)
    crossing = np.minimum(np.maximum(2.0 * bend - 3.0 * over, -bend), bend)
    return crossing + unlock * (bend - crossing) - bend_now


def _swing(start: Floats, end: Floats) -> Floats:
    """The shortest turn from one direction to another; none where either has no length."""
    lengths = np.linalg.norm(start, axis=-1) * np.linalg.norm(end, axis=-1)
    usable = (lengths > 1e-12)[:, None]
    ahead = np.array([0.0, 0.0, 1.0])
    return np.where(
        usable, rot.between(np.where(usable, start, ahead), np.where(usable, end, ahead)), rot.identity(len(start))
    )


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a * b, axis=-1))
