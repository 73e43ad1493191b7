import numpy as np
import pytest

from kinetune.body.clip import Marker
from kinetune.errors import ParameterError
from kinetune.operations.trim import Trim
from tests.operations import making


def numbered():
    """A clip whose root height tells the frame."""
    clip = making.walker(101, 50.0)
    return clip.replace(root=np.arange(101.0)[:, None] * [0.0, 1.0, 0.0], contacts=clip.contacts)


def kept(**knobs):
    heights = Trim(**knobs)(numbered()).root[:, 1]
    return int(heights[0]), int(heights[-1])


@pytest.mark.parametrize(
    ("knobs", "frames"),
    [
        ({"start": 10}, (10, 100)),
        ({"end": 10}, (0, 9)),
        ({"start": 10, "end": 20}, (10, 19)),
        ({"start": -5}, (96, 100)),
        ({"end": -1}, (0, 99)),
        ({"start_s": 0.5}, (25, 100)),
        ({"end_s": 0.5}, (0, 25)),
        ({"start_s": 0.501}, (26, 100)),
        ({"start_s": -0.2, "end_s": -0.1}, (90, 95)),
        ({"start": 7, "end_s": 1.0}, (7, 50)),
        ({"end": 1000}, (0, 100)),
        ({"end_s": 99.0}, (0, 100)),
    ],
)
def test_what_is_kept(knobs, frames):
    assert kept(**knobs) == frames


def test_contacts_and_markers_come_along():
    clip = numbered().replace(markers=(Marker(12, "step"), Marker(60, "later")))
    result = Trim(start=10, end=30)(clip)
    assert result.markers == (Marker(2, "step"),)
    assert np.array_equal(result.contacts.flags, clip.contacts.flags[10:30])


def with_t_pose(clip):
    rotations = np.concatenate([np.zeros_like(clip.rotations[:1]), clip.rotations])
    rotations[0, :, 0] = 1.0
    return clip.replace(root=np.concatenate([clip.root[:1], clip.root]), rotations=rotations)


def test_a_glued_t_pose_is_dropped():
    clip = making.walker(301, 120.0)
    result = Trim(drop_t_pose=True)(with_t_pose(clip))
    assert result.same_motion(clip)


def test_a_clip_without_one_is_left_alone():
    clip = making.walker()
    assert Trim(drop_t_pose=True)(clip) is clip


def test_a_t_pose_counts_as_frame_0():
    clip = making.walker(301, 120.0)
    assert Trim(drop_t_pose=True, start=1)(with_t_pose(clip)).same_motion(clip)
    assert Trim(drop_t_pose=True, start=3)(with_t_pose(clip)).same_motion(clip[2:])


@pytest.mark.parametrize("knobs", [{"start": 101}, {"start": 20, "end": 20}, {"start_s": 5.0}, {"end_s": -50.0}])
def test_nothing_left_is_told(knobs):
    with pytest.raises(ParameterError, match=r"nothing is left .* frames 0 to 100 and lasts 2\.000 s"):
        Trim(**knobs)(numbered())


def test_frames_and_seconds_do_not_mix():
    with pytest.raises(ParameterError, match=r"^trim: give start in frames or start_s in seconds, not both\.$"):
        Trim(start=3, start_s=0.1)


def test_real_clips_lose_their_t_pose(shared_data):
    from kinetune.formats import read

    clip = read(shared_data / "cmu" / "07_01.bvh")
    assert len(Trim(drop_t_pose=True)(clip)) == len(clip) - 1 == 316
    accad = read(shared_data / "accad" / "Male1_B3_Walk.bvh")
    assert Trim(drop_t_pose=True)(accad) is accad
