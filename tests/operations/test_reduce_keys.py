import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune import sample
from kinetune.body.curves.key_reduction import reduce_keys
from kinetune.body.kinematics.forward import tips
from kinetune.operations.reduce_keys import ReduceKeys
from tests.operations import making


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["joint", "shared"])
def test_every_joint_and_tip_stays_within_the_tolerance(keys):
    clip = sample("knock")[:120]
    played = ReduceKeys(tolerance_mm=8.0, keys=keys)(clip)
    for places in (lambda c: c.positions(), tips):
        assert np.linalg.norm(places(played) - places(clip), axis=-1).max() <= 0.008
    assert not played.same_motion(clip)


def test_it_plays_the_keys_that_python_gets():
    clip = sample("knock")[:90]
    assert ReduceKeys(tolerance_mm=5.0)(clip).same_motion(reduce_keys(clip, 5.0).to_clip())


@pytest.mark.slow
def test_key_frames_are_marked_on_request():
    clip = sample("knock")[:90]
    marked = ReduceKeys(tolerance_mm=10.0, keys="shared", mark=True)(clip)
    frames = [marker.frame for marker in marked.markers if marker.name == "key"]
    assert frames == list(reduce_keys(clip, 10.0, keys="shared").key_frames())
    assert (frames[0], frames[-1]) == (0, 89)
    assert ReduceKeys(tolerance_mm=10.0)(clip).markers == clip.markers


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_a_few_frames_are_played_too(frames):
    clip = making.walker(frames=frames)
    played = ReduceKeys(tolerance_mm=1.0)(clip)
    assert np.linalg.norm(played.positions() - clip.positions(), axis=-1).max() <= 0.001


def test_a_single_wrong_frame_takes_no_keys():
    clip = making.walker(91)
    rotations = np.array(clip.rotations)
    rotations[45] = rot.from_axis_angle((0.0, 0.0, 1.0), 1.2)
    spoilt = clip.replace(rotations=rotations)
    played = ReduceKeys(tolerance_mm=5.0)(spoilt)
    assert np.linalg.norm(played.positions() - clip.positions(), axis=-1)[45].max() < 0.01
