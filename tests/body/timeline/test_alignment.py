import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Marker
from kinetune.body.root_motion import facing
from kinetune.body.timeline.alignment import (
    align,
    align_within,
    check_skeletons,
    compare,
    find_within,
    matching_times,
    place_like,
    pose_features,
)
from kinetune.body.timeline.mirroring import mirror
from kinetune.body.timeline.retiming import at_rate, at_times
from kinetune.errors import ParameterError, SkeletonMismatchError
from tests.operations import making


def uneven(clip, depth=0.35):
    """The clip in another rhythm, of about the same length, and the seconds at which it shows what."""
    t = clip.times
    own = t + depth * clip.duration / (2 * np.pi) * np.sin(2 * np.pi * t / clip.duration)
    return at_times(clip, own, clip.fps), own


def stroll():
    """A walk in which no two strides are alike, so that every moment has one counterpart."""
    return making.walker(181, 60.0, drift=0.1)


# --- what is compared


@pytest.mark.parametrize("make", [stroll, making.pendulums, making.two_roots, making.still_root])
def test_features_do_not_depend_on_place_and_heading(make):
    clip = make()
    moved = making.turned(clip, 2.1, about=(3.0, 0.0, -1.0))
    assert np.allclose(pose_features(moved), pose_features(clip), atol=1e-9)


def test_the_match_does_not_depend_on_a_root_above_the_body():
    pair = stroll(), uneven(stroll())[0]
    plain = matching_times(*pair)
    below = matching_times(*(making.below_still_root(clip) for clip in pair))
    assert (below.start, below.stop) == (plain.start, plain.stop)
    assert np.allclose(below.seconds, plain.seconds, atol=1e-9)


def test_the_match_is_the_same_in_a_mirror():
    """The left foot lands as often in both, and the right one does not."""
    few, many = making.walker(250), making.walker(295, drift=0.02)
    plain, image = matching_times(few, many), matching_times(mirror(few), mirror(many))
    assert (image.start, image.stop) == (plain.start, plain.stop)
    assert np.allclose(image.seconds, plain.seconds, atol=1e-9)


def test_features_do_not_depend_on_the_sign_of_quaternions():
    clip = making.pendulums()
    assert np.allclose(pose_features(making.with_random_signs(clip)), pose_features(clip), atol=1e-12)


def test_many_short_bones_do_not_outweigh_the_legs():
    clip = stroll()
    knee, hand = clip.skeleton.index("LeftLeg"), clip.skeleton.index("LeftHand")
    features = pose_features(clip)
    spread = [np.ptp(features[:, 3 * j : 3 * j + 3], axis=0).max() for j in (knee, hand)]
    moved = [np.ptp(pose_positions(clip)[:, j], axis=0).max() for j in (knee, hand)]
    assert spread[0] / moved[0] > spread[1] / moved[1]


def pose_positions(clip):
    return clip.positions() - clip.root[:, None] * [1.0, 0.0, 1.0]


def test_a_twist_at_the_end_of_a_chain_is_seen():
    clip = making.constant(30)
    rotations = np.array(clip.rotations)
    rotations[:, clip.skeleton.index("LeftHand")] = rot.exp(np.linspace(0, 1, 30)[:, None] * [1.0, 0.0, 0.0])
    twisted = clip.replace(rotations=rotations)
    assert np.abs(pose_features(twisted) - pose_features(clip))[-1].max() > 0.01


# --- the warp


def test_a_rhythm_is_found_again():
    clip = stroll()
    other, own = uneven(clip)
    found = matching_times(other, clip).seconds
    assert np.abs(found - own).max() < 0.1
    assert np.sqrt(np.mean((found - own) ** 2)) < 0.03
    assert np.all(np.diff(found) >= 0)


def test_the_ends_correspond():
    clip = stroll()
    other, _ = uneven(clip)
    found = matching_times(clip, other).seconds
    assert found[0] == pytest.approx(0.0, abs=0.02)
    assert found[-1] == pytest.approx(other.duration, abs=0.02)


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([24.0, 30.0, 120.0]))
def test_times_never_go_back_and_stay_within_the_clip(one, two, fps):
    clip, other = making.pendulums(one), making.pendulums(two, fps)
    found = matching_times(clip, other).seconds
    assert found.shape == (one,)
    assert np.all(np.diff(found) >= 0)
    assert found.min() >= 0.0
    assert found.max() <= other.duration + 1e-12


def test_constant_clips_correspond_evenly():
    found = matching_times(making.constant(40), making.constant(80)).seconds
    assert np.allclose(found, np.linspace(0, 79 / 30, 40), atol=0.15)


def test_rates_do_not_matter():
    clip = stroll()
    other, _ = uneven(clip)
    fine, coarse = (matching_times(clip, each).seconds for each in (other, at_rate(other, 37.0)))
    assert np.abs(fine - coarse).max() < 0.05


# --- playing


def test_a_clip_aligned_with_itself_stays():
    clip = stroll()
    assert align(clip, clip).same_motion(clip, 2e-3)


@pytest.mark.parametrize("form", ["smooth", "paper"])
def test_the_other_tempo_is_taken(form):
    clip = stroll()
    other, _ = uneven(clip)
    result = align(clip, other, form=form)
    assert len(result) == len(other)
    apart = np.linalg.norm(result.positions() - other.positions(), axis=-1)
    before = np.linalg.norm(clip.positions() - other.positions(), axis=-1)
    assert apart.mean() < 0.25 * before.mean()


def test_smooth_is_smoother_than_the_papers_form():
    clip = stroll()
    other, _ = uneven(clip)
    rough, smooth = (np.abs(np.diff(align(clip, other, form=f).root, n=2, axis=0)).mean() for f in ("paper", "smooth"))
    assert smooth < 0.7 * rough


def test_amounts_lead_from_one_timing_to_the_other():
    quick, slow = making.walker(121, drift=0.1), making.walker(241, period=2.0, drift=0.05)
    assert align(quick, slow, amount=0.0) is quick
    lengths = [len(align(quick, slow, amount=amount)) for amount in (0.25, 0.5, 0.75, 1.0)]
    assert lengths == [151, 181, 211, 241]


def test_the_clip_keeps_its_frame_rate_and_lasts_as_long_as_the_other():
    clip, other = making.walker(91, 30.0, drift=0.1), making.walker(301, 120.0, drift=0.1)
    result = align(clip, other)
    assert result.fps == 30.0
    assert result.duration == pytest.approx(other.duration, abs=0.5 / 30)


def test_contacts_and_markers_move_along():
    quick = making.walker(121, drift=0.1).replace(markers=(Marker(60, "middle"),), contacts=making.walker(121).contacts)
    slow = making.walker(241, period=2.0, drift=0.05)
    result = align(quick, slow)
    assert abs(result.markers[0].frame - 120) <= 6
    assert np.mean(result.contacts.flags == slow.contacts.flags) > 0.95


@pytest.mark.parametrize(("one", "two"), [(1, 1), (1, 30), (30, 1), (2, 30), (3, 2)])
@pytest.mark.parametrize("form", ["smooth", "paper"])
def test_tiny_clips(one, two, form):
    result = align(making.walker(one), making.walker(two), form=form)
    assert len(result) == two
    assert np.isfinite(result.positions()).all()


# --- searching


def test_a_part_is_found_where_it_was_cut_out():
    clip = stroll()
    found = find_within(clip[60:120], clip)
    assert abs(found.start - 60) <= 3
    assert abs(found.stop - 120) <= 3
    assert found.distance < 0.02


def test_a_part_is_found_at_another_speed_place_and_rate():
    clip = stroll()
    part = making.turned(at_times(clip, np.linspace(1.0, 2.0, 41), 30.0), 1.0, about=(5.0, 0.0, 0.0))
    found = find_within(part, clip)
    assert abs(found.start - 60) <= 5
    assert abs(found.stop - 121) <= 5


def test_markers_tell_where_it_was():
    clip = stroll()
    result = align_within(clip[60:120], clip)
    assert result.markers[0].name.startswith("found at 1.0")
    assert result.markers[-1].frame == len(result) - 1


# --- placing, and what does not fit


def test_a_placed_clip_begins_where_the_other_one_does():
    clip, other = making.turned(making.walker(), 2.0, about=(4.0, 0.0, 1.0)), making.walker(heading=-1.0)
    placed = place_like(clip, other)
    assert np.allclose(placed.root[0], other.root[0], atol=1e-9)
    assert np.isclose(np.sin(facing(placed)[0] - facing(other)[0]), 0.0, atol=1e-9)
    assert np.allclose(placed.root[:, 1], clip.root[:, 1])


def test_other_skeletons_are_refused_in_one_sentence():
    walk, chain = making.walker(5), making.pendulums(5)
    with pytest.raises(SkeletonMismatchError, match='"sad" has 4 joints'):
        check_skeletons((walk, chain), ("this", "sad"))
    for refused in (lambda: align(walk, chain), lambda: compare(walk, chain), lambda: find_within(walk, chain)):
        with pytest.raises(SkeletonMismatchError, match="only one of them"):
            refused()


def test_knobs_out_of_range():
    walk = making.walker(5)
    with pytest.raises(ParameterError, match="amount"):
        align(walk, walk, amount=1.5)
    with pytest.raises(ParameterError, match="form"):
        align(walk, walk, form="rough")


def test_a_surplus_stride_is_left_out():
    """Six strides against four: as many strides correspond, and no time is jumped over or waited for."""
    few, many = making.walker(250), making.walker(370, drift=0.02)
    found = matching_times(few, many)
    assert (found.start, found.stop) == (0, 250)
    assert np.allclose(np.diff(found.seconds), 1 / 60, atol=0.012)
    back = matching_times(many, few)
    assert abs(back.stop - back.start - 250) <= 6
    rushed = matching_times(few, many, ends="all").seconds
    assert np.diff(rushed).max() > 2 / 60
    assert abs(len(align(few, many)) - 250) <= 6
