"""Weight where a body could carry it: hips moved until the floor's push comes from under the feet.

For a given motion, the point of the floor from which its push must come (the zero-moment point) follows from gravity
and the accelerations of all segments. Where that point leaves the feet, nobody could move so. Moving the hips sideways
and ahead by d moves the point by ``d - h/g d''``, h being the height of the weight: solving this for d, a smooth curve
that leads and lags the correction like a real body does, brings the point back under the feet.

Vukobratović and Borovac 2004; the correction after Kagami and others 2002.
"""

from __future__ import annotations

import numpy as np
from tools.samples.figure import SIDES, figure, segments

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

GRAVITY = 9.81

_SOLE_HALF_WIDTH = 0.03
_LEAST_PUSH = 0.35  # of the weight: below, the feet hardly carry and where is of no matter


def pressure_points(clip: Clip) -> tuple[Floats, Floats, Floats]:
    """Where the floor must push at each frame, (frames, 2) as x and z; with how much weight; and how high it acts.

    Segments count as points at their centres of mass.
    """
    share, places = segments(clip.positions())
    step = 1.0 / clip.fps
    speed = np.gradient(places, step, axis=0)
    pull = np.gradient(speed, step, axis=0) + np.array([0.0, GRAVITY, 0.0])
    push = np.einsum("s,fs->f", share, pull[..., 1])
    moment = np.einsum("s,fsk->fk", share, pull[..., 1:2] * places[..., [0, 2]] - pull[..., [0, 2]] * places[..., 1:2])
    height = np.einsum("s,fs->f", share, places[..., 1])
    return moment / np.maximum(push, 0.2 * GRAVITY)[:, None], push / GRAVITY, height


def outside_feet(clip: Clip, points: Floats) -> Floats:
    """How far points on the floor must move to lie under the standing feet, (frames, 2).

    It is 0 where they lie there already, and where no foot stands.
    """
    contacts = clip.contacts
    if contacts is None:
        raise ParameterError("The weight is placed over known contacts, but the clip carries none.")
    left, right = (_sole_line(clip, contacts, side) for side in SIDES)  # (frames, 4, 2)
    on_left, on_right = (contacts.flags[:, contacts.column(side.lower())] for side in SIDES)
    # Points of the area between both feet: every mix of a point of the one with a point of the other.
    mix = np.linspace(0.0, 1.0, 7)[:, None]
    mix = np.where(on_left & on_right, mix, np.where(on_right, 1.0, 0.0))[..., None]  # (mixes, frames, 1)
    between = left[None, :, :, None] * (1.0 - mix[..., None, None]) + right[None, :, None] * mix[..., None, None]
    candidates = np.moveaxis(between, 0, 1).reshape(len(points), -1, 2)
    away = candidates - points[:, None]
    distance = np.linalg.norm(away, axis=-1)
    rows, best = np.arange(len(points)), np.argmin(distance, axis=1)
    nearest, far = away[rows, best], distance[rows, best]
    nearest *= np.maximum(0.0, 1.0 - _SOLE_HALF_WIDTH / np.maximum(far, 1e-9))[:, None]
    return np.where((on_left | on_right)[:, None], nearest, 0.0)


def _sole_line(clip: Clip, contacts: Contacts, side: str) -> Floats:
    """Four points along a sole from heel to toe, as far as they touch the floor, (frames, 4, 2)."""
    sites = {site.name: site for site in figure().end_sites}
    places, world = clip.positions(), clip.world_rotations()
    heel, tip = (
        places[:, site.parent] + rot.rotate(world[:, site.parent], np.array(site.offset))
        for site in (sites[side + "Heel"], sites[side + "ToeTip"])
    )
    ball = places[:, figure().index(side + "ToeBase")]
    line = np.stack([heel, 0.5 * (heel + ball), ball, tip], axis=1)[..., [0, 2]]
    column = contacts.column(side.lower())
    on_heel = contacts.heels[:, column] & ~contacts.toes[:, column]
    on_toes = contacts.toes[:, column] & ~contacts.heels[:, column]
    line[on_heel] = line[on_heel][:, [0, 0, 0, 0]]
    line[on_toes] = line[on_toes][:, [2, 2, 3, 3]]
    return line


def hips_shift(clip: Clip) -> Floats:
    """By how much the hips must move, (frames, 3), so that the push comes from under the feet."""
    points, weight, height = pressure_points(clip)
    error = outside_feet(clip, points) * np.clip((weight - _LEAST_PUSH) / 0.3, 0.0, 1.0)[:, None]
    stiffness = height / (GRAVITY * np.maximum(weight, _LEAST_PUSH)) * clip.fps**2
    shift = _smooth_solve(stiffness, error)
    return np.stack([shift[:, 0], 0 * shift[:, 0], shift[:, 1]], axis=-1)


def _smooth_solve(stiffness: Floats, error: Floats) -> Floats:
    """Solve d - stiffness d'' = error, d level at both ends: a tridiagonal system."""
    count = len(error)
    lower, upper = stiffness.copy(), stiffness.copy()
    lower[0] = upper[-1] = 0.0
    share, value = np.zeros(count), np.zeros(error.shape)
    for k in range(count):
        previous = lower[k] * (share[k - 1] if k else 0.0)
        pivot = 1.0 + lower[k] + upper[k] - previous
        share[k] = upper[k] / pivot
        value[k] = (error[k] + (lower[k] * value[k - 1] if k else 0.0)) / pivot
    for k in range(count - 2, -1, -1):
        value[k] += share[k] * value[k + 1]
    return value
