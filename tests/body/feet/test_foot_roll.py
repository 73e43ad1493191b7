import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.foot_roll import contact_levels, roll_foot
from tests.body import walkers
from tests.body.feet.test_planting import skating


def moves(clip, like, blend_s=0.2):
    ground, contacts = find_ground(like), find_contacts(like)
    return [roll_foot(clip, foot, ground, contacts, blend_s=blend_s) for foot in ground.feet], ground, contacts


def test_a_foot_that_rolls_already_is_hardly_moved():
    walk = walkers.WALK.clip()
    found, _, _ = moves(walk, walk)
    for move in found:
        assert np.abs(move.shift).max() < 0.012  # a foot all but flat is laid flat
        assert np.median(np.abs(move.shift)) < 1e-3


def test_the_slide_of_the_ground_is_taken_back():
    walk = walkers.WALK.clip()
    velocity = 0.12 * np.array([0.6, 0.0, 0.8])
    found, _, contacts = moves(skating(walk, up=0.0), walk)
    for column, move in enumerate(found):
        for start, stop in contacts.intervals(column):
            if stop - start > 80:
                inner = move.shift[start + 20 : stop - 40]
                assert np.allclose(np.diff(inner, axis=0) * walk.fps, -velocity, atol=0.03)
                assert np.abs(move.shift[start:stop].mean(axis=0)).max() < 0.01


def test_weights_are_one_in_contacts_and_fade_outside():
    walk = walkers.WALK.clip()
    found, _, contacts = moves(walk, walk, blend_s=0.1)
    for column, move in enumerate(found):
        for start, stop in contacts.intervals(column):
            assert np.all(move.weight[start + 4 : stop - 4] == 1.0)
        far = np.ones(len(walk), dtype=bool)
        for start, stop in contacts.intervals(column):
            far[max(0, start - 13) : stop + 13] = False
        assert far.any()
        assert not move.weight[far].any()
        assert not move.shift[far].any()
        assert not move.turn[far].any()


def test_captured_toes_that_jitter_come_to_rest():
    walk = walkers.WALK.clip()
    toes = walk.skeleton.index("LeftToeBase")
    rng = np.random.default_rng(0)
    rotations = np.array(walk.rotations)
    rotations[:, toes] = rot.multiply(rotations[:, toes], rot.exp(rng.normal(size=(len(walk), 3)) * 0.1))
    (left, _), _, contacts = moves(walk.replace(rotations=rotations), walk)
    foot = rot.multiply(rot.exp(left.turn), walk.world_rotations()[:, walk.skeleton.index("LeftFoot")])
    planted = rot.multiply(foot, left.toe_rotations)
    start, stop = contacts.intervals("left")[1]
    steps = rot.angle_between(planted[1:], planted[:-1])
    assert np.rad2deg(steps[start + 16 : stop - 20]).max() < 0.5


def test_other_levels_are_told_from_the_floor():
    clip = walkers.stand()
    ground = find_ground(clip)
    whole = [(0, len(clip))]
    assert contact_levels(clip, ground.feet[0], ground, whole) == [0.0]
    raised = clip.replace(root=clip.root + np.array([0.0, 0.3, 0.0]))
    assert contact_levels(raised, ground.feet[0], ground, whole) == pytest.approx([0.3])
    hovering = clip.replace(root=clip.root + np.array([0.0, 0.03, 0.0]))
    assert contact_levels(hovering, ground.feet[0], ground, whole) == [0.0]


def test_a_contact_of_one_frame():
    clip = walkers.stand(30)
    flags = np.zeros((30, 1), dtype=bool)
    flags[10] = True
    ground = find_ground(clip)
    move = roll_foot(clip, ground.feet[0], ground, Contacts(("LeftFoot",), flags), blend_s=0.05)
    assert move.weight[10] == 1.0
    assert np.isfinite(move.shift).all()
