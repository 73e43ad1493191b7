"""Clips on a timeline."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.root_motion import facing
from kinetune.errors import ParameterError, SkeletonMismatchError
from tests.operations import making


@pytest.fixture
def walks():
    return making.walker(91, 60.0), making.walker(61, 60.0, heading=1.0)


def test_clips_follow_each_other_and_overlap_by_the_fade(walks):
    first, second = walks
    both = kt.Arrange(keep_feet=False, clips=["b"], fade_s=0.2)(first, b=second)
    assert len(both) == 91 + 61 - 12
    np.testing.assert_array_equal(both.positions()[:79], first.positions()[:79])


def test_the_second_goes_on_where_the_first_has_got_to(walks):
    first, second = walks
    both = kt.Arrange(clips=["b"])(first, b=second)
    ahead = np.diff(facing(both))
    assert np.abs(ahead).max() < 0.1, "it does not turn round at the seam"
    steps = np.linalg.norm(np.diff(both.root, axis=0), axis=1)
    assert steps.max() < 1.5 * np.linalg.norm(np.diff(first.root, axis=0), axis=1).max()


def test_without_join_it_stays_in_the_world(walks):
    first, second = walks
    both = kt.Arrange(keep_feet=False, clips=["b"], join=False)(first, b=second)
    np.testing.assert_allclose(both.positions()[-30:], second.positions()[-30:], atol=1e-12)


def test_tracks_trim_move_and_mute(walks):
    first, second = walks
    tracks = [{"start": 10, "stop": 40}, {"clip": "b", "at": 20, "start": 5}, {"clip": "b", "at": 500, "mute": True}]
    made = kt.Arrange(keep_feet=False, clips=["b"], tracks=tracks)(first, b=second)
    assert len(made) == 20 + 56
    np.testing.assert_array_equal(made.positions()[:20], first.positions()[10:30])


def test_a_gap_is_bridged_and_a_late_start_is_held(walks):
    first, second = walks
    tracks = [{"at": 5, "stop": 20}, {"clip": "b", "at": 40}]
    made = kt.Arrange(keep_feet=False, clips=["b"], tracks=tracks)(first, b=second)
    assert len(made) == 40 + 61
    np.testing.assert_array_equal(made.root[:6], np.repeat(first.root[:1], 6, axis=0))
    turned = np.abs(np.diff(made.rotations[19:41], axis=0)).max()
    whole = np.abs(made.rotations[40] - made.rotations[19]).max()
    assert turned < 0.2 * whole + 0.05


def test_another_rate_is_brought_to_this_one(walks):
    first, second = walks
    half = kt.Resample(fps=30)(second)
    both = kt.Arrange(clips=["b"])(first, b=half)
    assert both.fps == first.fps
    assert abs(len(both) - len(kt.Arrange(clips=["b"])(first, b=second))) <= 1


def test_markers_move_along():
    first, second = making.pendulums(90), making.pendulums(60)
    both = kt.Arrange(clips=["b"], fade_s=0.0)(first, b=second)
    assert [(m.frame, m.name) for m in both.markers] == [(0, "go"), (45, "half"), (90, "go"), (120, "half")]


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"tracks": [{"clip": "b"}]}, 'plays "b"'),
        ({"tracks": [{"start": 5, "stop": 5}]}, "nothing is left"),
        ({"tracks": [{"mute": True}]}, "mute"),
        ({"tracks": [{"at": -1}]}, "at least 0"),
    ],
)
def test_what_makes_no_sense_is_refused(knobs, words):
    with pytest.raises(ParameterError, match=words):
        kt.Arrange(**knobs)


def test_a_track_beyond_its_clip_is_refused(walks):
    with pytest.raises(ParameterError, match="frames 0 to 90"):
        kt.Arrange(tracks=[{"start": 91}])(walks[0])


def test_another_skeleton_is_refused(walks):
    with pytest.raises(SkeletonMismatchError):
        kt.Arrange(clips=["b"])(walks[0], b=making.pendulums())


def stance_slide(clip, contacts, frames):
    """The farthest that a ball strays while it stands, in stances that touch some frames."""
    worst = 0.0
    for side in contacts.sides:
        ball = clip.joint(f"{side} toes").positions[:, [0, 2]]
        for start, stop in contacts.intervals(side):
            if start < frames[1] and stop > frames[0]:
                worst = max(worst, np.ptp(ball[start + 3 : stop - 3], axis=0).max(initial=0.0))
    return worst


def test_feet_that_stand_do_not_slide_in_a_fade():
    first, second = making.walker(151, 60.0), making.walker(121, 60.0, heading=1.0)[17:]
    bare, kept = (kt.Arrange(clips=["b"], fade_s=0.3, keep_feet=keep)(first, b=second) for keep in (False, True))
    fade = (133, 151)
    assert stance_slide(bare, kept.contacts, fade) > 0.03
    assert stance_slide(kept, kept.contacts, fade) < 0.003
    far = np.r_[0:30, 250 : len(kept)]
    np.testing.assert_array_equal(kept.positions()[far], bare.positions()[far])
