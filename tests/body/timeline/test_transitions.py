import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.body.timeline.transitions import GENTLE_SPIKE, find_events
from kinetune.errors import ParameterError


@pytest.mark.parametrize("name", ["kick-1", "kick-2"])
def test_a_kick_is_found_where_it_was_authored(name):
    clip = kt.sample(name)
    (event,) = find_events(clip)
    (marked,) = [m.frame for m in clip.markers if m.name == "kick"]
    assert event.limb == "right foot"
    assert abs(event.frame - marked) < 0.1 * clip.fps
    assert event.start < event.frame < event.stop


@pytest.mark.parametrize("name", ["walk", "run"])
def test_steps_are_no_kicks(name):
    assert find_events(kt.sample(name)) == []


def test_place_heading_and_rate_do_not_matter():
    clip = kt.sample("kick-1")
    moved = place(clip, rot.about_y(1.1), np.array([3.0, 0.0, -2.0]))
    assert [e.frame for e in find_events(moved)] == [e.frame for e in find_events(clip)]
    (slow,), (fast,) = find_events(clip[::2]), find_events(clip)
    assert abs(2 * slow.frame - fast.frame) <= 4


def test_size_does_not_matter():
    clip = kt.sample("kick-1")
    twice = clip.replace(skeleton=clip.skeleton.scaled(2.0), root=2.0 * clip.root)
    assert [e.frame for e in find_events(twice)] == [e.frame for e in find_events(clip)]


def test_tiny_clips_have_none():
    assert find_events(kt.sample("kick-1")[:3]) == []


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="kick"):
        find_events(kt.sample("walk"), "sneeze")


def test_captured_kicks(shared_data):
    clip = kt.read(shared_data / "hdm05" / "HDM_bk_kickLFront1Reps_008_120.amc")
    (event,) = find_events(clip)
    assert event.limb == "left foot"
    assert find_events(kt.read(shared_data / "cmu" / "07_01.bvh")[1:]) == []


def test_a_lazy_kick_is_found_where_one_is_known_to_be():
    lazy = kt.sample("kick-1").replace(fps=0.4 * kt.sample("kick-1").fps)
    assert find_events(lazy) == []
    (event,) = find_events(lazy, least=GENTLE_SPIKE)
    assert event.limb == "right foot"
