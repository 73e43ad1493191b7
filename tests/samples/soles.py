"""Where the soles of the sample figure are, read from the finished clips by its own end sites."""

import numpy as np

from kinetune import rotations as rot


def sole_points(clip, side):
    """Heel, ball and tip of the toes of a foot in the world, (frames, 3, 3)."""
    skeleton, places, world = clip.skeleton, clip.positions(), clip.world_rotations()
    tips = {site.name: site for site in skeleton.end_sites}
    found = []
    for name in ("Heel", "ToeTip"):
        site = tips[side + name]
        found.append(places[:, site.parent] + rot.rotate(world[:, site.parent], np.array(site.offset)))
    toes = skeleton.index(side + "ToeBase")
    thickness = -tips[side + "ToeTip"].offset[1]
    ball = places[:, toes] + rot.rotate(world[:, toes], np.array([0.0, -thickness, 0.0]))
    return np.stack([found[0], ball, found[1]], axis=1)


def lowest_points(clip):
    """The height of the lowest point of the left and the right sole, (frames, 2)."""
    return np.stack([sole_points(clip, side)[..., 1].min(axis=1) for side in ("Left", "Right")], axis=-1)


def slides(clip, side):
    """How far the point that carries a planted foot travels in each contact, metres.

    While the heel alone is down that is the heel, while the toes alone are, the ball or the tip, whichever moves less;
    while the sole is flat, all of them.
    """
    column = clip.contacts.column(side.lower())
    points = sole_points(clip, side)[..., [0, 2]]
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    heel, toes = clip.contacts.heels[:, column], clip.contacts.toes[:, column]
    on_heel, on_toes = heel & ~toes, toes & ~heel
    carried = steps.max(axis=1)
    carried = np.where((on_heel[1:] | on_heel[:-1]), steps[:, 0], carried)
    carried = np.where((on_toes[1:] | on_toes[:-1]), steps[:, 1:].min(axis=1), carried)
    return [float(carried[start : stop - 1].sum()) for start, stop in clip.contacts.intervals(column)]
