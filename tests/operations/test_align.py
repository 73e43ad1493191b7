import numpy as np
import pytest

import kinetune as kt
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.planting import pelvis_acceleration
from kinetune.body.root_motion import facing
from kinetune.body.timeline.alignment import matching_times
from kinetune.errors import ParameterError, RecipeError, SkeletonMismatchError
from kinetune.operations.align import Align
from kinetune.operations.trim import Trim
from tests.operations import making


def test_the_public_form():
    clip, other = making.walker(121, drift=0.1), making.walker(241, period=2.0, drift=0.05)
    result = kt.Align(to="other")(clip, other=other)
    assert len(result) == len(other)
    assert np.mean(result.contacts.flags == other.contacts.flags) > 0.95


def test_the_path_stays_its_own():
    clip = making.turned(making.walker(121, drift=0.1), 1.2)
    result = Align(to="o")(clip, o=making.walker(241, period=2.0, drift=0.05))
    assert np.allclose(result.root[[0, -1]], clip.root[[0, -1]], atol=0.02)


def test_it_can_begin_where_the_other_one_does():
    clip, other = making.turned(making.walker(), 2.0, about=(4.0, 0.0, 1.0)), making.walker(heading=-1.0)
    result = Align(to="o", place=True)(clip, o=other)
    assert np.allclose(result.root[0], other.root[0], atol=1e-6)
    assert np.isclose(np.sin(facing(result)[0] - facing(other)[0]), 0.0, atol=1e-6)


def test_it_finds_a_motion_within_a_longer_one():
    clip = making.walker(181, drift=0.1)
    result = Align(to="long", find=True)(clip[60:120], long=clip)
    assert result.markers[0].name.startswith("found at 1.0")
    assert abs(len(result) - 60) <= 6


def test_what_is_missing_is_said():
    with pytest.raises(ParameterError, match="name the clip"):
        Align()
    with pytest.raises(ParameterError, match="band_s"):
        Align(to="o", find=True, band_s=1.0)
    with pytest.raises(RecipeError, match='"o"'):
        Align(to="o")(making.walker())
    with pytest.raises(SkeletonMismatchError, match='"o"'):
        Align(to="o")(making.walker(), o=making.pendulums())


def test_steps_of_a_happy_walk_fall_with_those_of_a_sad_one(shared_data):
    sad, happy = (Trim(drop_t_pose=True)(kt.read(shared_data / "cmu" / f"{name}.bvh")) for name in ("82_10", "82_12"))
    happy = happy.replace(contacts=find_contacts(happy))
    result = Align(to="sad")(happy, sad=sad)
    begins = matching_times(happy, sad).seconds[0]  # the sad one has a step more, which is left out
    contacts = find_contacts(sad)
    landings = [a for a, _ in contacts.intervals("left") if a > 0]
    warped = [a for a, _ in result.contacts.intervals("left") if a > 0]
    assert len(landings) == len(warped) == 3
    assert np.abs(np.array(landings) / 120.0 - begins - np.array(warped) / 120.0).max() < 0.06


@pytest.mark.parametrize("names", [("82_10", "82_12"), ("16_17", "16_19")])
def test_the_pelvis_of_aligned_captures_neither_jolts_nor_freezes(shared_data, names):
    """A path of whole frames halts and leaps: the pelvis accelerated ten times as much as captured."""
    clip, other = (kt.read(shared_data / "cmu" / f"{name}.bvh")[1:] for name in names)
    usual = max(np.linalg.norm(pelvis_acceleration(each), axis=1).max() for each in (clip, other))
    aligned = kt.Align(to="other")(clip, other=other)
    assert np.linalg.norm(pelvis_acceleration(aligned), axis=1).max() < 2.0 * usual
    steps = np.linalg.norm(np.diff(aligned.positions()[:, clip.skeleton.roles["hips"]], axis=0), axis=1)
    assert steps.min() > 0.02 * np.median(steps)
