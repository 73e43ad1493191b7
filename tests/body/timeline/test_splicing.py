import itertools
import pickle

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.flipped_feet import find_flipped_feet
from kinetune.body.root_motion import place
from kinetune.body.timeline.splicing import SplicedClip, splice
from kinetune.body.timeline.transitions import find_seams
from kinetune.errors import ParameterError
from tests.body.people import rolled
from tests.operations import making


@pytest.fixture(scope="module")
def kicks():
    return kt.sample("kick-1")[::2], kt.sample("kick-2")[::2]


@pytest.fixture(scope="module")
def double(kicks):
    return splice(*kicks)


def test_both_kicks_are_there_and_the_foot_stays_up_between_them(double):
    foot = double.joint("right foot").positions[:, 1]
    seam = double.seam
    first, second = seam.events[0].frame, seam.first_frame + seam.events[1].frame - seam.second_frame
    assert first < seam.first_frame < second
    assert foot[first : second + 1].min() > 0.4
    assert seam.events[0].limb == seam.events[1].limb == "right foot"


def test_away_from_the_blend_it_is_the_first_clip_and_then_the_second_one_placed(kicks, double):
    seam, half = double.seam, round(0.15 * double.fps) + 1
    first, second = kicks
    before = slice(0, seam.first_frame - half)
    assert np.allclose(double.positions()[before], first.positions()[before], atol=1e-9)
    moved = place(second, rot.about_y(seam.turn), seam.shift)
    after = slice(seam.first_frame + half, None)
    wanted = moved.positions()[seam.second_frame + half :]
    assert np.allclose(double.positions()[after], wanted, atol=1e-9)


def test_the_standing_toe_has_no_jump_in_its_path(double):
    left = double.contacts.sides.index("left")
    steps = np.linalg.norm(np.diff(double.stance_path[:, left], axis=0), axis=1)
    around = slice(double.seam.first_frame - 5, double.seam.first_frame + 5)
    assert double.seam.foot == "left"
    assert steps[around].max() < 0.02


def test_fast_bands_fade_over_shorter_windows():
    from kinetune.body.timeline.splicing import _weights

    bands, base = _weights(200, 100, 12.0, 60.0)
    widths = [np.count_nonzero((w > 1e-9) & (w < 1 - 1e-9)) for w in (*bands[:, 1], base[1])]
    assert widths[0] < widths[-1]
    assert all(a <= b for a, b in itertools.pairwise(widths))
    assert np.allclose(bands.sum(axis=1), 1.0)


def test_walks_pass_into_runs_facing_the_same_way():
    walk, run = kt.sample("walk"), kt.sample("run")
    joined = splice(walk, making.turned(run, 2.0))
    at = joined.seam.first_frame
    hips = joined.joint("hips").positions
    ahead = [hips[k + 20] - hips[k] for k in (at - 60, at + 40)]
    assert float(ahead[0] @ ahead[1]) > 0.95 * np.linalg.norm(ahead[0]) * np.linalg.norm(ahead[1])
    assert joined.contacts is not None
    assert len(joined.contacts) == len(joined)


@pytest.mark.slow
def test_chance_comes_from_the_seed_and_stays_small(kicks):
    seams = [splice(*kicks, seed=seed).seam for seed in range(6)]
    best = splice(*kicks).seam
    assert len({(s.first_frame, s.second_frame) for s in seams}) > 1
    assert all(abs(s.first_frame - best.first_frame) <= 0.07 * 60 + 1 for s in seams)
    again = splice(*kicks, seed=3)
    assert np.array_equal(again.rotations, splice(*kicks, seed=3).rotations)


def test_further_choices_are_worse_and_elsewhere(kicks):
    first, second = (c.replace(contacts=find_contacts(c)) for c in kicks)
    seams = find_seams(first, second, count=4)
    assert [s.misfit for s in seams] == sorted(s.misfit for s in seams)
    assert len({(s.first_frame, s.second_frame) for s in seams}) == len(seams)


def test_frame_rates_and_bone_lengths_may_differ(kicks):
    first, second = kicks
    other = kt.sample("kick-2").replace(skeleton=second.skeleton.scaled(1.1), root=1.1 * kt.sample("kick-2").root)
    joined = splice(first, other)
    assert joined.fps == first.fps
    assert joined.skeleton == first.skeleton


def test_a_t_pose_at_the_start_is_left_out():
    walk = kt.sample("walk")
    pose = walk.rotations.copy()
    pose[0] = rot.identity(len(walk.skeleton))
    assert len(splice(walk.replace(rotations=pose), kt.sample("run"), event="none")) == len(
        splice(walk[1:], kt.sample("run"), event="none")
    )


def test_edits_drop_the_seam_and_slices_keep_it(double):
    part = double[10:50]
    assert isinstance(part, SplicedClip)
    assert np.array_equal(part.stance_path, double.stance_path[10:50])
    assert not isinstance(double.replace(root=double.root + 1.0), SplicedClip)
    assert isinstance(double.replace(markers=()), SplicedClip)
    assert isinstance(pickle.loads(pickle.dumps(double)), SplicedClip)


def test_a_path_of_the_wrong_shape_is_refused(double):
    with pytest.raises(ParameterError, match="stance_path"):
        double.replace(stance_path=np.zeros((3, 2, 3)))


def test_clips_of_one_frame_can_be_joined():
    joined = splice(making.walker(1), making.walker(1))
    assert len(joined) == 1


@pytest.mark.parametrize("window_s", [-1.0, float("nan"), 11.0])
def test_windows_out_of_range_are_refused(kicks, window_s):
    with pytest.raises(ParameterError, match="window_s"):
        splice(*kicks, window_s=window_s)


def test_kicks_with_different_legs_are_refused_by_name(kicks):
    with pytest.raises(ParameterError, match="same limb"):
        splice(kicks[0], kt.Mirror()(kicks[1]), event="kick")


def test_lazy_kicks_are_spliced_when_asked_for():
    first, second = (kt.sample(name)[::2].replace(fps=24.0) for name in ("kick-1", "kick-2"))
    assert splice(first, second).seam.events is None
    assert splice(first, second, event="kick").seam.events is not None


@pytest.mark.parametrize("lift", [0.08, -1.0])
def test_a_clip_that_floats_is_put_on_the_floor_of_the_first(kicks, double, lift):
    first, second = kicks
    floating = splice(first, second.replace(root=second.root + np.array([0.0, lift, 0.0])))
    assert np.allclose(floating.positions()[-20:, :, 1], double.positions()[-20:, :, 1], atol=0.02)


def test_a_foot_upside_down_does_not_spin_in_the_blend(kicks):
    first, second = kicks
    for clip in (first, second):
        assert not find_flipped_feet(clip)
    wrong = rolled(second, ["left"])
    made, plain = splice(first, wrong), splice(first, second)
    ankle = second.skeleton.roles["left foot"]
    assert np.rad2deg(rot.angle_between(made.rotations[:, ankle], plain.rotations[:, ankle]).max()) < 1.0


def test_a_joint_that_has_gone_round_elsewhere_does_not_go_round_in_the_blend(kicks):
    """A foot that its capture flips (CMU 141_14) went round once more where the two clips were joined."""
    first, second = kicks
    plain = splice(first, second)
    seam, hand = plain.seam, first.skeleton.roles["left hand"]
    once = 2.0 * np.pi * np.clip((np.arange(len(first)) - seam.first_frame + 60) / 12.0, 0.0, 1.0)
    rotations = np.array(first.rotations)
    rotations[:, hand] = rot.multiply(rotations[:, hand], rot.exp(once[:, None] * [0.0, 1.0, 0.0]))
    made = splice(first.replace(rotations=rotations), second, seam=seam)
    near = slice(seam.first_frame - 25, seam.first_frame + 25)
    assert rot.angle_between(made.rotations[near, hand], plain.rotations[near, hand]).max() < 0.1


def test_a_root_that_stands_still_stays_and_hips_do_not_jump():
    from tests.operations import making

    walk = making.walker(181)
    first = making.below_still_root(walk, (0.0, 0.9, 0.0))
    second = making.below_still_root(making.turned(walk, 1.0, (3.0, 0.0, 2.0)), (0.4, 2.6, 0.0))
    spliced = splice(first, second)
    plain = splice(walk, making.turned(walk, 1.0, (3.0, 0.0, 2.0)))
    assert np.abs(spliced.root).max() < 1e-9
    assert np.abs(spliced.positions()[:, 1:] - plain.positions()).max() < 1e-6


def test_known_moments_are_taken_as_they_are(kicks):
    first, second = kicks
    joined = splice(first, second, leave_s=1.2, enter_s=0.5)
    assert (joined.seam.first_frame, joined.seam.second_frame) == (72, 30)
    one = splice(first, second, leave_s=1.2)
    assert one.seam.first_frame == 72
    with pytest.raises(ParameterError, match=r"leave_s is 99 s, but that clip lasts 2\.35 s"):
        splice(first, second, leave_s=99.0)


def test_known_moments_count_from_the_first_frame_of_the_file_also_after_a_t_pose(kicks):
    first, second = kicks
    rotations = np.array(first.rotations)
    rotations[0] = rot.identity(len(first.skeleton))
    joined = splice(first.replace(rotations=rotations), second, leave_s=1.2, enter_s=0.5)
    assert (joined.seam.first_frame, joined.seam.second_frame) == (71, 30)
