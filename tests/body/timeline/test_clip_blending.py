import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.root_motion import facing, place, remove_root_motion
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.alignment import place_like
from kinetune.body.timeline.clip_blending import BlendPart, blend, match, play
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.formats import read
from kinetune.signals.warping.time_warp import time_warp
from tests.operations import making


def steady(*weights):
    return lambda times: np.repeat(np.array(weights)[:, None], len(times), axis=1)


def whole(clip, weights, bands=None):
    return [BlendPart(tuple(range(len(clip.skeleton))), weights, bands)]


def mixed(clips, *weights, **how):
    return blend(clips, whole(clips[0], steady(*weights)), **how)


def circling(radians, frames=121):
    """A walk along an arc that turns by so much."""
    clip = making.walker(frames)
    turn = np.linspace(0.0, radians, frames)
    steps = np.stack([np.sin(turn), 0 * turn, np.cos(turn)], axis=-1) / 60.0
    way = np.concatenate([np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0)])
    still = clip.replace(root=clip.root * [1.0, 1.0, 0.0], contacts=clip.contacts)
    return place(still, rot.about_y(turn), way)


# --- the mean of poses


def test_one_joint_is_averaged_along_the_shortest_arc():
    bone = Skeleton(("bone",), np.array([-1]), np.zeros((1, 3)))
    ends = [rot.exp([[[0.0, 0.0, a]]]) for a in (0.2, 1.4)]
    one, two = (Clip(bone, 30.0, np.zeros((1, 3)), q) for q in ends)
    result = mixed([one, two], 0.75, 0.25, place=False)
    assert np.allclose(rot.log(result.rotations)[0, 0], [0.0, 0.0, 0.5], atol=1e-12)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1.2, 1.2), min_size=9, max_size=9), st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_the_mean_of_three_rotations_is_the_point_from_which_they_cancel_out(angles, a, b):
    bone = Skeleton(("bone",), np.array([-1]), np.zeros((1, 3)))
    q = rot.exp(np.array(angles).reshape(3, 1, 1, 3) * 0.5)
    clips = [Clip(bone, 30.0, np.zeros((1, 3)), each) for each in q]
    weights = np.array([1.0, a, b]) / (1.0 + a + b)
    mean = mixed(clips, *weights, place=False).rotations
    pull = sum(w * rot.log(rot.multiply(rot.inverse(mean), each)) for w, each in zip(weights, q, strict=True))
    assert np.abs(pull).max() < 1e-6


def test_nothing_flips_where_two_joints_pass_half_a_turn():
    """One joint stands, the other turns once round: halfway between them lies half the turn, all along."""
    bone = Skeleton(("root", "bone"), np.array([-1, 0]), np.array([(0.0, 1.0, 0.0), (0.0, 0.3, 0.0)]))
    turn = np.linspace(0.0, 6.0, 61)
    rotations = [rot.identity(61, 2), rot.identity(61, 2)]
    rotations[1][:, 1] = rot.exp(turn[:, None] * [0.0, 0.0, 1.0])
    clips = [Clip(bone, 30.0, np.tile([0.0, 1.0, 0.0], (61, 1)), q) for q in rotations]
    result = mixed(clips, 0.5, 0.5, align="none")
    assert np.allclose(np.diff(2.0 * np.unwrap(np.arctan2(*result.rotations[:, 1, [3, 0]].T))), 0.05, atol=1e-9)


def test_the_order_of_clips_does_not_matter_but_for_the_place():
    a, b, c = making.walker(91), making.walker(91, drift=0.3), making.walker(91, drift=-0.2)
    one = mixed([a, b, c], 0.5, 0.3, 0.2, align="none")
    two = mixed([a, c, b], 0.5, 0.2, 0.3, align="none")
    assert one.same_motion(two, 1e-8)


@pytest.mark.parametrize("make", [making.two_roots, making.still_root, making.pendulums, making.near_pi])
def test_clips_of_every_kind_mixed_with_themselves_stay(make):
    clip = make()
    assert mixed([clip, clip], 0.5, 0.5, align="none").same_motion(clip, 1e-7)
    assert mixed([clip, clip], 0.5, 0.5, align="none", place=False).same_motion(clip, 1e-7)


def test_all_weight_on_one_clip_gives_its_motion():
    one, two = making.walker(121, drift=0.1), making.turned(making.walker(181, period=1.5, drift=0.2), 1.0)
    assert mixed([one, two], 1.0, 0.0).same_motion(one, 1e-6)
    result = mixed([one, two], 0.0, 1.0)
    home = making.turned(two, -1.0)
    assert len(result) == len(two)
    assert np.abs(result.positions() - home.positions()).max() < 5e-3


def test_bands_have_their_own_weights():
    one, two = making.walker(128), making.walker(128, drift=0.2)
    common = steady(0.5, 0.5)
    alike = blend([one, two], whole(one, common, (common,)), align="none")
    plain = blend([one, two], whole(one, common), align="none")
    assert alike.same_motion(plain, 2e-3)
    shaken = two.replace(
        rotations=rot.multiply(
            two.rotations,
            rot.exp(0.05 * np.tile([[[0.0, 0.0, 1.0]]], (128, 1, 1)) * (-1.0) ** np.arange(128)[:, None, None]),
        )
    )
    without = blend([one, shaken], whole(one, steady(0.0, 1.0), (steady(1.0, 0.0),)), align="none")
    wiggle = [np.abs(np.diff(c.rotations[:, 2], n=2, axis=0)).mean() for c in (shaken, without)]
    assert wiggle[1] < 0.1 * wiggle[0]


def test_joints_outside_of_the_parts_stay_with_the_first_clip():
    one, two = making.walker(121), making.walker(121, drift=0.4)
    arms = one.skeleton.select("arms")
    result = blend([one, two], [BlendPart(arms, steady(0.0, 1.0))], align="none")
    others = [j for j in range(len(one.skeleton)) if j not in arms]
    assert np.allclose(rot.angle_between(result.rotations[:, others], one.rotations[:, others]), 0.0, atol=1e-7)
    assert np.allclose(rot.angle_between(result.rotations[:, arms], two.rotations[:, arms]), 0.0, atol=1e-7)
    assert np.allclose(result.root, one.root, atol=1e-9)


# --- timing


@pytest.mark.parametrize("weight", [0.25, 0.5, 0.75])
def test_a_mix_of_a_quick_and_a_slow_walk_has_the_mean_tempo(weight):
    quick, slow = making.walker(181, drift=0.05), making.walker(361, period=2.0, drift=0.025)
    result = mixed([quick, slow], 1 - weight, weight)
    assert len(result) == 181 + round(180 * weight)
    stride = result.contacts.intervals("left")
    period = (stride[2][0] - stride[1][0]) / 60.0
    assert period == pytest.approx(1.0 + weight, abs=0.1)


def test_steps_fall_together():
    quick, slow = making.walker(181, drift=0.05), making.walker(361, period=2.0, drift=0.025)
    result = mixed([quick, slow], 0.5, 0.5)
    ball = result.joint("left toes").positions[:, [0, 2]]
    slides = [np.ptp(ball[a + 3 : b - 3], axis=0).max() for a, b in result.contacts.intervals("left") if b - a > 10]
    assert max(slides) < 0.03
    unaligned = mixed([quick, slow], 0.5, 0.5, align="none")
    assert unaligned.contacts.flags.mean() < 0.75 * result.contacts.flags.mean(), "few steps fall together"


def test_weights_follow_the_time_of_the_blend():
    quick, slow = making.walker(181, drift=0.05), making.walker(361, period=2.0, drift=0.025)
    switch = lambda times: np.stack([(times < 1.0) * 1.0, (times >= 1.0) * 1.0])  # noqa: E731
    moments = match([quick, slow], align="scale")
    seconds, times, _ = play(moments, switch, 60.0)
    assert np.allclose(seconds[0][times < 0.98], times[times < 0.98], atol=0.02)
    assert np.allclose(np.diff(seconds[1])[times[1:] > 1.05], 1 / 60, atol=1e-6)


def test_weights_beyond_one_do_not_turn_time_round():
    quick, slow = making.walker(91), making.walker(361, period=4.0)
    moments = match([quick, slow], align="scale")
    seconds = play(moments, steady(3.0, -2.0), 60.0).seconds
    assert np.all(np.diff(seconds, axis=1) > 0)
    assert len(mixed([quick, slow], 1.2, -0.2)) > 1


def test_unaligned_clips_are_as_long_as_the_shortest():
    one, two = making.walker(91, 30.0), making.walker(121, 60.0)
    result = mixed([one, two], 0.5, 0.5, align="none")
    assert (len(result), result.fps) == (61, 30.0)


# --- the way


def test_turns_are_averaged():
    result = mixed([circling(np.pi / 4), circling(3 * np.pi / 4)], 0.5, 0.5, align="scale")
    real = circling(np.pi / 2)
    turned = facing(result)[-1] - facing(result)[0]
    assert turned == pytest.approx(np.pi / 2, abs=1e-3)
    assert np.abs(result.root - real.root).max() < 0.02


def test_it_does_not_matter_where_the_other_clip_is_and_faces():
    one, two = making.walker(121, drift=0.1), making.walker(151, drift=0.2)
    near = mixed([one, two], 0.5, 0.5)
    far = mixed([one, making.turned(two, 2.5, about=(7.0, 0.0, 3.0))], 0.5, 0.5)
    assert near.same_motion(far, 1e-6)


def test_places_in_the_world_are_averaged_when_wanted():
    one = making.walker(61)
    two = one.replace(root=one.root + np.array([2.0, 0.0, 0.0]))
    result = mixed([one, two], 0.5, 0.5, align="none", place=False)
    assert np.allclose(result.root, one.root + np.array([1.0, 0.0, 0.0]), atol=1e-9)


def test_a_larger_figure_is_scaled_to_the_first_one():
    one = making.walker(121)
    large = Clip(one.skeleton.scaled(2.0), 60.0, one.root * 2.0, one.rotations, contacts=one.contacts)
    assert mixed([one, large], 0.5, 0.5).same_motion(one, 3e-3)


# --- feet, and what does not fit


def test_a_foot_stands_where_most_of_the_mix_stands():
    one = making.walker(61)
    none = one.replace(contacts=Contacts(one.contacts.joints, np.zeros((61, 2), dtype=bool)))
    for weight, kept in ((0.2, True), (0.5, False), (0.7, False)):
        result = mixed([one, none], 1 - weight, weight, align="none")
        assert np.array_equal(result.contacts.flags, one.contacts.flags if kept else none.contacts.flags)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 30), (30, 1), (2, 3), (4, 2)])
@pytest.mark.parametrize("align", ["warp", "scale", "none"])
def test_tiny_clips(a, b, align):
    result = mixed([making.walker(a), making.walker(b)], 0.5, 0.5, align=align)
    assert np.isfinite(result.positions()).all()


def test_other_skeletons_and_ways_of_aligning_are_refused():
    with pytest.raises(SkeletonMismatchError, match='"sad"'):
        mixed([making.walker(5), making.pendulums(5)], 0.5, 0.5, names=("this", "sad"))
    with pytest.raises(ParameterError, match="align"):
        mixed([making.walker(5)] * 2, 0.5, 0.5, align="stretch")


# --- a root that stands still


@pytest.mark.parametrize("offset", [(0.0, 0.31, 0.0), (0.0, 2.6, 0.0), (1.0, 0.9, -2.0)])
def test_hips_below_a_still_root_stay_at_their_height_whatever_the_file_says_of_their_offset(offset):
    """Some files put the hips anywhere in the hierarchy: that offset is a position, and no measure of size."""
    first = making.below_still_root(making.walker(121), (0.0, 0.9, 0.0))
    second = making.below_still_root(making.walker(121, period=1.1), offset)
    plain = mixed([making.walker(121), making.walker(121, period=1.1)], 0.5, 0.5)
    result = mixed([first, second], 0.5, 0.5)
    assert np.abs(result.positions()[:, 1:] - plain.positions()).max() < 1e-3
    assert np.abs(result.root).max() < 1e-9


def test_a_still_root_that_was_turned_and_moved_does_not_drag_the_blend_along():
    first = making.still_root(121)
    second = place(first, rot.about_y(2.0), np.array([5.0, 0.0, 1.0]))
    assert np.abs(mixed([first, second], 0.5, 0.5).positions() - first.positions()).max() < 1e-6


# --- continuity in the weight


def strolls():
    """A walk of six strides that curves, and one of four that does not: two strides have no partner."""
    many = circling(1.0, 370)
    return many, making.walker(250, period=1.1).replace(contacts=None)


@pytest.mark.parametrize("turned_round", [False, True])
@pytest.mark.parametrize("align", ["warp", "scale"])
def test_as_a_weight_goes_to_nought_the_blend_goes_to_the_other_clip(turned_round, align):
    clips = strolls()[::-1] if turned_round else strolls()
    for kept, small in ((0, 1e-3), (1, 1.0 - 1e-3)):
        result = mixed(clips, 1.0 - small, small, align=align)
        alone = mixed(clips, 1.0 - kept, float(kept), align=align)
        source = clips[kept]
        assert abs(len(result) - len(source)) <= 2
        assert abs(len(alone) - len(source)) <= 1
        poses = remove_root_motion(source).positions()
        for each, bound in ((result, 0.03), (alone, 0.004)):
            count = min(len(each), len(source))
            apart = remove_root_motion(each).positions()[:count] - poses[:count]
            assert np.linalg.norm(apart, axis=2).max() < bound


@pytest.mark.slow
def test_the_length_of_a_blend_changes_gradually_with_its_weight():
    clips = strolls()
    lengths = np.array([len(mixed(clips, 1.0 - w, w)) for w in np.linspace(0.0, 1.0, 41)])
    assert np.abs(np.diff(lengths)).max() <= 12
    assert (lengths[0], lengths[-1]) == (len(clips[0]), len(clips[1]))


def test_what_only_one_clip_has_is_kept_while_it_has_half_of_the_weight():
    walk = making.walker(301, drift=0.3).replace(contacts=None)
    made = mixed([walk[:240], walk[70:]], 0.5, 0.5)
    assert abs(len(made) - 301) <= 4
    apart = remove_root_motion(made).positions()[:290] - remove_root_motion(walk).positions()[:290]
    assert np.linalg.norm(apart, axis=2).max() < 0.08


def test_neither_a_pose_nor_the_path_jumps_where_a_clip_runs_out():
    clips = strolls()
    result = mixed(clips, 0.5, 0.5)
    speed = np.linalg.norm(np.diff(result.positions()[:, 0], axis=0), axis=1) * 60.0
    usual = max(np.linalg.norm(np.diff(c.positions()[:, 0], axis=0), axis=1).max() * 60.0 for c in clips)
    assert speed.max() < 1.15 * usual
    assert np.abs(np.diff(speed)).max() * 60.0 < 12.0


# --- captured turns


def nearness(clip, other):
    """Mean distance of joints in metres after time warping: poses seen from the hips, and on the common path."""
    poses = [remove_root_motion(each).positions() for each in (other, clip)]
    first, second = time_warp(*(each.reshape(len(each), -1) for each in poses)).path.T
    world = other.positions()[first] - place_like(clip, other).positions()[second]
    apart = poses[0][first] - poses[1][second]
    return (float(np.linalg.norm(each, axis=2).mean()) for each in (apart, world))


CUTS = [((0, None), (0, None)), ((20, None), (0, 205)), ((0, 190), (30, None)), ((40, None), (0, None))]


@pytest.mark.parametrize("cut", CUTS)
def test_half_of_two_captured_turns_is_nearer_to_the_turn_between_them_than_either(shared_data, cut):
    names = ("B10_WalkTurnLeft45", "B11_WalkTurnLeft135", "B9_WalkToTurnLeft90")
    one, two, between = (read(shared_data / "accad" / f"Male1_{name}.bvh") for name in names)
    one, two = one[slice(*cut[0])], two[slice(*cut[1])]
    made = mixed([one, two], 0.5, 0.5)
    for ours, *theirs in zip(*(nearness(each, between) for each in (made, one, two)), strict=True):
        assert ours < min(theirs)
