import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.jumps import stray_frames
from kinetune.body.stray_poses import apart_from_stray
from kinetune.operations.equalize import Equalize
from kinetune.operations.shape import Shape
from tests.operations import making


def with_stray(clip: Clip) -> Clip:
    """The clip with a pose before it that it jumps from: every joint turned by 80 degrees."""
    posed = rot.exp(np.tile([0.0, 0.0, 1.4], (1, len(clip.skeleton), 1)))
    translations = clip.translations
    return clip.replace(
        root=np.concatenate([clip.root[:1], clip.root]),
        rotations=np.concatenate([posed, clip.rotations]),
        translations=None if translations is None else np.concatenate([translations[:1], translations]),
    )


def test_a_stray_pose_is_not_smeared_into_the_motion():
    walk = making.walker(121)
    clip = with_stray(walk)
    assert stray_frames(clip) == 1
    for step in (Equalize(preset="exaggerate"), Shape(curve="cap(-0.5, 0.5)")):
        result = step(clip)
        assert result[1:].same_motion(step(walk), 1e-9)
        assert result[:1].same_motion(clip[:1], 1e-9)


def test_an_edit_that_changes_nothing_returns_the_clip_itself():
    clip = with_stray(making.walker(121))
    assert apart_from_stray(clip, lambda motion: motion) is clip


def test_animated_positions_come_along():
    stray = with_stray(making.still_root(61))
    assert stray_frames(stray) == 1
    result = apart_from_stray(stray, lambda motion: motion.replace(translations=motion.translations + 1.0))
    assert np.allclose(result.translations[1:, 1:] - stray.translations[1:, 1:], 1.0)
    assert np.array_equal(result.translations[0], stray.translations[0])
