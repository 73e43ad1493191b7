import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Marker
from kinetune.body.root_motion import facing
from kinetune.body.timeline.mirroring import mirror_pairs
from kinetune.operations.mirror import Mirror
from tests.operations import making

ACROSS = pytest.mark.parametrize("across", ["world", "figure"])
X = np.array([-1.0, 1.0, 1.0])


def waving():
    """The walk with the left arm raised, away from the origin, facing elsewhere."""
    clip = making.walker(91, drift=0.1)
    rotations = np.array(clip.rotations)
    arm = clip.skeleton.index("LeftArm")
    rotations[:, arm] = rot.multiply(rot.exp([0.0, 0.0, 0.8]), rotations[:, arm])
    clip = clip.replace(rotations=rotations, contacts=clip.contacts, markers=(Marker(5, "left hand up"),))
    return making.turned(clip, 0.7, about=(2.0, 0.0, 1.0))


@ACROSS
def test_twice_is_nothing(across):
    clip = waving()
    step = Mirror(across=across)
    assert step(step(clip)).same_motion(clip, 1e-6)


def test_each_joint_goes_where_the_mirror_shows_its_partner():
    clip = waving()
    result = Mirror()(clip)
    pairs = mirror_pairs(clip.skeleton)
    assert np.allclose(result.positions(), clip.positions()[:, pairs] * X, atol=1e-9)


def test_in_the_middle_of_the_figure_it_starts_where_and_as_it_started():
    clip = waving()
    result = Mirror(across="figure")(clip)
    assert np.allclose(result.root[0], clip.root[0], atol=1e-9)
    assert facing(result)[0] == pytest.approx(facing(clip)[0])
    left, right = (c.joint(f"{side} hand").positions[0] for c, side in ((clip, "left"), (result, "right")))
    assert left[1] == pytest.approx(right[1])


def test_the_figure_s_own_mirror_turns_with_the_scene():
    clip = waving()
    step = Mirror(across="figure")
    assert step(making.turned(clip, 1.3)).same_motion(making.turned(step(clip), 1.3), 1e-9)


def test_arms_alone():
    clip = waving()
    result = Mirror(joints="arms")(clip)
    arms = list(clip.skeleton.select("arms"))
    others = [j for j in range(len(clip.skeleton)) if j not in arms]
    assert np.array_equal(result.rotations[:, others], clip.rotations[:, others])
    assert np.array_equal(result.root, clip.root)
    assert result.joint("right hand").positions[0, 1] == pytest.approx(
        clip.joint("left hand").positions[0, 1], abs=0.05
    )
    assert result.contacts == clip.contacts


def test_one_arm_brings_its_partner():
    clip = waving()
    assert Mirror(joints="left arm")(clip).same_motion(Mirror(joints="arms")(clip))


def test_legs_take_their_contacts_along():
    clip = waving()
    result = Mirror(joints="legs")(clip)
    assert np.array_equal(result.contacts.flags, clip.contacts.flags[:, ::-1])
    assert np.array_equal(result.root, clip.root)


def test_markers_change_sides():
    assert Mirror()(waving()).markers == (Marker(5, "right hand up"),)


def test_animated_positions():
    clip = making.two_roots()
    result = Mirror()(clip)
    assert np.allclose(result.positions()[:, 0], clip.positions()[:, 0] * X)
