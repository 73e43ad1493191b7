import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.curves.pose_equalizer import equalize_joints, equalize_paths
from kinetune.body.root_motion import is_cycle
from kinetune.errors import ParameterError
from kinetune.signals.bands.pyramid import equalize
from kinetune.signals.rotation_curves import rotations_to_curves
from tests.operations import making

GAINS = np.array([1.0, 1.0, 1.0, 1.5, 1.5, 1.5])[:, None]


def everything(clip):
    return list(range(len(clip.skeleton)))


def test_each_joint_is_equalized_about_its_own_mean():
    """The log map around the mean, filtered channel by channel, is the whole edit of a joint below the root."""
    clip = making.walker(121)
    arm = clip.skeleton.index("LeftArm")
    result = equalize_joints(clip, [([arm], GAINS)])
    old = rotations_to_curves(clip.rotations[:, [arm]])
    new = rotations_to_curves(result.rotations[:, [arm]], old)
    assert np.allclose(new.curves, equalize(old.curves, GAINS), atol=1e-9)
    others = [j for j in everything(clip) if j != arm]
    assert np.allclose(result.rotations[:, others], clip.rotations[:, others], atol=1e-12)


def test_travel_stays_whatever_the_low_bands_do():
    clip = making.walker(301)
    loud = np.full((8, 1), 5.0)
    for root in ("none", "height", "all"):
        result = equalize_joints(clip, [(everything(clip), loud)], root=root)
        assert np.abs(result.root[:, [0, 2]] - clip.root[:, [0, 2]]).max() < 1e-6
        assert abs(result.root[:, 1].mean() - clip.root[:, 1].mean()) < 0.02


def test_root_chooses_what_of_the_sway_is_edited():
    clip = making.walker(301)
    sway = np.stack([0.03 * np.sin(2 * np.pi * clip.times), 0 * clip.times, 0 * clip.times], axis=-1)
    clip = clip.replace(root=clip.root + sway)
    parts = [(everything(clip), np.full((8, 1), 2.0))]
    none, height, all_ = (equalize_joints(clip, parts, root=root).root for root in ("none", "height", "all"))
    assert np.array_equal(none, clip.root)
    assert np.array_equal(height[:, [0, 2]], clip.root[:, [0, 2]])
    middle = slice(60, 240)
    assert np.ptp(height[middle, 1]) > 1.7 * np.ptp(clip.root[middle, 1])
    assert np.ptp(all_[middle, 0]) > 1.7 * np.ptp(clip.root[middle, 0])


def test_the_root_follows_its_joint():
    clip = making.walker(121)
    result = equalize_joints(clip, [([5, 6], GAINS)], root="all")
    assert np.array_equal(result.root, clip.root)


def test_a_figure_below_a_still_root_is_moved_by_its_hips():
    clip = making.still_root(301)
    result = equalize_joints(clip, [(everything(clip), np.full((8, 1), 2.0))], root="all")
    plain = equalize_joints(making.walker(301), [(everything(making.walker(2)), np.full((8, 1), 2.0))], root="all")
    assert np.abs(result.positions()[:, 1:] - plain.positions()).max() < 1e-6
    assert np.array_equal(result.root, clip.root)


def test_animated_positions_are_equalized():
    clip = making.two_roots(90)
    ball = clip.skeleton.index("Ball")
    result = equalize_joints(clip, [([ball], np.array([[1.0], [1.0], [2.0], [2.0]]))])
    assert np.array_equal(result.translations[:, :2], clip.translations[:, :2])
    bounce = result.translations[20:70, ball, 1]
    assert np.ptp(bounce) > 1.2 * np.ptp(clip.translations[20:70, ball, 1])
    assert np.abs(result.translations[:, ball, 2] - clip.translations[:, ball, 2]).max() < 1e-9


def test_a_cycle_stays_a_cycle():
    clip = making.walker(61)
    assert is_cycle(clip)
    assert not is_cycle(clip[:50])
    result = equalize_joints(clip, [(everything(clip), GAINS)], root="all", ends="cycle")
    assert is_cycle(result)
    assert rot.angle_between(result.rotations[0], result.rotations[-1]).max() < 1e-7
    assert np.allclose(result.root[-1] - result.root[0], clip.root[-1] - clip.root[0], atol=1e-9)
    held = equalize_joints(clip, [(everything(clip), GAINS)], root="all")
    assert not is_cycle(held)


def test_paths_are_equalized_and_reached():
    clip = making.walker(241)
    hand, chest = clip.skeleton.index("RightHand"), clip.skeleton.index("Chest")

    def seen(c):
        turned = c.world_rotations()[:, chest]
        return rot.rotate(rot.inverse(turned), c.positions()[:, hand] - c.positions()[:, chest])

    quiet = np.array([[1.0], [1.0], [1.0], [0.5], [0.5], [0.5]])
    result = equalize_paths(clip, [([hand], quiet)])
    assert np.abs(seen(result) - equalize(seen(clip), quiet)).max() < 1e-3
    moved = rot.angle_between(result.rotations, clip.rotations).max(axis=0)
    names = {clip.skeleton.names[j] for j in np.flatnonzero(moved > 1e-6)}
    assert names == {"RightArm", "RightForeArm"}


def test_paths_need_hands_or_feet():
    clip = making.walker()
    with pytest.raises(ParameterError, match="hand or a foot"):
        equalize_paths(clip, [([clip.skeleton.index("Head")], GAINS)])
