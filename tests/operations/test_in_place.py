import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root_motion import facing
from kinetune.operations.in_place import InPlace
from tests.operations import making


def hips(clip):
    return clip.joint("hips").positions


def curving_walk():
    """The walk, turning to the left by 60 degrees on the way."""
    clip = making.walker(181)
    angles = np.linspace(0.0, np.pi / 3, 181)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = rot.multiply(rot.about_y(angles), rotations[:, 0])
    steps = rot.rotate(rot.about_y(angles[1:]), np.diff(clip.root, axis=0))
    root = np.concatenate([clip.root[:1], clip.root[:1] + np.cumsum(steps, axis=0)])
    return clip.replace(root=root, rotations=rotations)


@pytest.mark.parametrize("make", [making.walker, making.still_root, curving_walk, making.two_roots])
def test_all_travel_goes_and_heights_stay(make):
    clip = make()
    result = InPlace()(clip)
    assert np.ptp(hips(result)[:, [0, 2]], axis=0).max() < 1e-9
    assert np.allclose(hips(result)[:, 1], hips(clip)[:, 1])
    assert np.allclose(hips(result)[0], hips(clip)[0])


def test_poses_stay():
    clip = curving_walk()
    result = InPlace()(clip)
    assert np.array_equal(result.rotations[:, 1:], clip.rotations[:, 1:])
    assert np.allclose(facing(result), facing(clip))


def test_heading_is_straightened_on_request():
    clip = curving_walk()
    result = InPlace(keep_heading=False)(clip)
    assert np.ptp(facing(clip)) > 1.0
    assert np.ptp(facing(result)) < 1e-9
    assert facing(result)[0] == pytest.approx(facing(clip)[0])


def test_heading_alone():
    clip = curving_walk()
    result = InPlace(travel="none", keep_heading=False)(clip)
    assert np.ptp(facing(result)) < 1e-9
    assert np.allclose(hips(result), hips(clip))


def swaying_walk():
    clip = making.walker(301)
    sway = 0.03 * np.sin(2 * np.pi * clip.times)
    return clip.replace(root=clip.root + sway[:, None] * [1.0, 0.0, 0.0]), sway


def test_steady_travel_leaves_the_sway():
    clip, sway = swaying_walk()
    result = InPlace(travel="steady")(clip)
    left_over = hips(result)[:, 0] - sway
    assert np.ptp(left_over[60:-60]) < 0.002
    assert np.ptp(left_over) < 0.03, "where the clip ends, sway cannot be told from travel"
    assert np.ptp(hips(result)[:, 2]) < 0.01


def test_a_root_that_stands_still_goes_on_standing():
    clip = making.still_root()
    assert np.array_equal(InPlace()(clip).root, clip.root)


def test_other_roots_come_along():
    clip = making.two_roots()
    result = InPlace()(clip)
    apart = [c.positions()[:, 2] - c.positions()[:, 0] for c in (clip, result)]
    assert np.allclose(*apart)


def test_contacts_are_kept():
    clip = making.walker()
    assert InPlace()(clip).contacts == clip.contacts
