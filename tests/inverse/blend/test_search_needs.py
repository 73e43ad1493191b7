"""Each choice of the solver is needed: break it, and see the error that the notes predict."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.inverse.blend import weight_kernels
from kinetune.inverse.blend.constraint_layout import SOFT, SearchSettings
from kinetune.inverse.blend.constraints import AtPoint, Facing
from kinetune.inverse.blend.inverse_blend import InverseBlend
from tests.inverse.sets import blend, clips, mixtures

TIP = "RightFingertips"


def drag_path(steps):
    """Points a millimetre apart along a winding way through the reachable space."""
    t = np.linspace(0.0, 1.0, 20_001)
    azimuth = np.radians(20.0 + 38.0 * np.sin(2 * np.pi * 3.0 * t))
    elevation = np.radians(-5.0 + 30.0 * np.sin(2 * np.pi * 4.0 * t + 1.0))
    radius = 0.73 + 0.08 * np.sin(2 * np.pi * 5.0 * t + 2.0)
    ways = np.stack([-np.sin(azimuth) * np.cos(elevation), np.sin(elevation), np.cos(azimuth) * np.cos(elevation)], -1)
    points = np.array([-0.186, 1.41, 0.005]) + radius[:, None] * ways
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = 1e-3 * np.arange(steps)
    assert along[-1] > at[-1]
    return np.stack([np.interp(at, along, points[:, axis]) for axis in range(3)], axis=-1)


def largest_jump(weights):
    """The largest turn of any joint between neighbours, at the last frame, in degrees."""
    ends = np.stack([clip.rotations[-1] for clip in clips("reach")])
    signs = np.where(np.einsum("njc,jc->nj", ends, ends[0]) < 0, -1.0, 1.0)
    turns = rot.normalize(np.einsum("wn,njc->wjc", weights, ends * signs[..., None]))
    return np.degrees(rot.angle_between(turns[1:], turns[:-1])).max()


@pytest.mark.slow
def test_a_hard_choice_of_examples_pops_while_dragging_and_a_soft_one_never():
    path = drag_path(3000)
    of = InverseBlend(clips("reach"))
    dragged = np.array([of.drag(AtPoint(TIP, point)).weights for point in path])
    assert largest_jump(dragged) < 1.0
    assert largest_jump(of.solve_batch(AtPoint(TIP, path)).weights) < 1.0
    assert largest_jump(of.solve_batch(AtPoint(TIP, path), mode="hard").weights) > 5.0


def test_weights_of_the_kernel_alone_miss_by_a_hand():
    points = drag_path(3000)[::10]
    searched, kernel = (blend().solve_batch(AtPoint(TIP, points), mode=mode) for mode in ("soft", "rbf"))
    assert searched.reachable.mean() > 0.85
    assert np.median(searched.errors) < 0.001
    assert np.median(kernel.errors) > 100.0
    assert not kernel.reachable.any()


def test_a_hard_choice_reaches_less():
    """Point and full orientation: six numbers to meet are too many for eight examples."""
    found = [blend("grasp").blend(w) for w in mixtures("grasp", 150, seed=8, sharp=0.6)]
    asked = [
        AtPoint("RightHand", np.array([c.positions()[-1, 13] for c in found])),
        Facing("RightHand", rotation=np.array([c.world_rotations()[-1, 13] for c in found])),
    ]
    soft, hard = (blend("grasp").solve_batch(asked, mode=mode).reachable.mean() for mode in ("soft", "hard"))
    assert soft > 0.99
    assert hard < 0.6


def true_mean(ends, weights):
    """The rotation from which the weighted turns to all examples cancel out."""
    mean = ends[0]
    for _ in range(50):
        turns = rot.log(rot.multiply(rot.inverse(mean), ends))
        mean = rot.normalize(rot.multiply(mean, rot.exp(np.einsum("n,njc->jc", weights, turns))))
    return mean


def test_exponential_maps_about_the_rest_pose_stray_from_the_mean():
    """The paper's form, joint angles from the T-pose, is several times farther off than both of ours."""
    ends = np.stack([clip.rotations[-1] for clip in clips("reach")])
    gaps = []
    for w in mixtures("reach", 10, seed=1):
        true = true_mean(ends, w)
        found = [blend("reach", how).blend(w).rotations[-1] for how in ("quaternion", "expmap")]
        found.append(rot.exp(np.einsum("n,njc->jc", w, rot.log(ends))))
        gaps.append([np.degrees(rot.angle_between(each, true)).max() for each in found])
    quaternion, about_mean, about_rest = np.mean(gaps, axis=0)
    assert max(quaternion, about_mean) < 1.0
    assert about_rest > 3.0 * quaternion


def test_without_other_starts_some_distances_are_too_long():
    """Out of reach the residual has hollows: the first search may end in one of them."""
    rng = np.random.default_rng(0)
    ends = blend().places(TIP)
    asked = AtPoint(TIP, ends[rng.integers(16, size=600)] + rng.normal(0.0, 0.25, (600, 3)))
    layout = blend()._layout([asked])
    left = {}
    for restarts in (0, 3):
        weights, errors, left[restarts] = np.empty((600, 16)), np.empty((600, 1)), np.empty(600)
        weight_kernels.solve(
            layout.plain_chains, layout.plain_rows, layout.packed.examples, layout.aims([asked]),
            tuple(SearchSettings(8, SOFT, 0.0, restarts=restarts)), np.empty(0),
            (weights, errors, left[restarts], np.empty(600, dtype=np.int64)),
        )  # fmt: skip
    assert np.all(left[3] <= left[0] + 1e-9)
    assert (left[0] - left[3]).max() > 0.005
