import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Marker
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.glitches import find_jumps
from kinetune.body.quality.measures import find_slides, measure_seam
from kinetune.body.root_motion import facing
from kinetune.body.timeline.cycles import find_cycle
from kinetune.errors import ParameterError
from kinetune.formats import read
from kinetune.operations.base import collecting_results
from kinetune.operations.loop import Loop
from kinetune.operations.trim import Trim
from kinetune.samples import sample
from tests.conftest import data_folder
from tests.operations import making


def same_pose(a, b):
    """How far the joints of two poses are apart, travel on the floor aside, for figures that face the same way."""
    a, b = (p - p[0] * [1.0, 0.0, 1.0] for p in (a, b))
    return np.abs(a - b).max()


def slide(clip, foot):
    """The farthest that the ball of a foot moves over the floor within one contact."""
    ball = clip.joint(f"{foot} toes").positions[:, [0, 2]]
    return max(np.ptp(ball[a:b], axis=0).max() for a, b in clip.contacts.intervals(foot))


def test_a_perfect_cycle_is_found_and_left_as_it_is():
    clip = making.walker(151, 60.0)
    result = Loop()(clip)
    assert len(result) == 61
    start = int(np.argmin(np.abs(clip.positions() - result.positions()[0]).max(axis=(1, 2))))
    assert np.abs(result.positions() - clip[start : start + 61].positions()).max() < 0.0005


def test_the_pose_closes():
    result = Loop()(making.walker(181, drift=0.08))
    x = result.positions()
    assert same_pose(x[0], x[-1]) < 1e-9
    assert np.allclose(rot.angle_between(result.rotations[0], result.rotations[-1]), 0.0, atol=1e-7)


def test_the_velocity_closes():
    clip = making.walker(181, drift=0.08)
    result = Loop(cycles=2)(clip)
    x = result.positions()
    middle = len(result) // 2
    before, after = x[middle] - x[middle - 1], x[middle + 1] - x[middle]
    usual = np.abs(np.diff(clip.positions(), n=2, axis=0)).max()
    assert np.abs(after - before).max() <= 1.2 * usual


@pytest.mark.parametrize("end", [57, 60, 63])
def test_a_seam_that_does_not_fit_is_closed_without_sliding_feet(end):
    clip = making.walker(151, drift=0.05)
    result = Loop(start=10, end=10 + end)(clip)
    assert len(result) == end + 1
    assert same_pose(result.positions()[0], result.positions()[-1]) < 1e-6
    for foot in ("left", "right"):
        assert slide(result, foot) < 0.002
    assert not find_jumps(result)


def test_without_feet_the_rest_still_closes():
    clip = making.pendulums(91)
    result = Loop(start=5, end=40)(clip)
    assert rot.angle_between(result.rotations[0, 1:], result.rotations[-1, 1:]).max() < 1e-7
    assert result.root[0, 1] == pytest.approx(result.root[-1, 1])
    turned = rot.multiply(result.rotations[-1, 0], rot.inverse(result.rotations[0, 0]))
    assert np.abs(turned[[1, 3]]).max() < 1e-7, "the first bone has turned about the vertical only"


def test_cycles_go_on_from_where_they_arrived():
    clip = making.walker(151)
    one, three = Loop()(clip), Loop(cycles=3)(clip)
    assert len(three) == 3 * (len(one) - 1) + 1
    stride = one.root[-1] - one.root[0]
    period = len(one) - 1
    assert np.allclose(three.positions()[2 * period :], one.positions() + 2 * stride, atol=1e-9)
    assert three.duration == pytest.approx(3 * one.duration)


def curving(frames=181, per_second=np.pi / 4):
    """The walk on a circle: every frame turned about a centre beside the start."""
    clip = making.walker(frames)
    radius = making.STRIDE / per_second
    angle = per_second * clip.times
    level = clip.root * [1.0, 1.0, 0.0]
    centre = np.array([radius, 0.0, 0.0])
    root = rot.rotate(rot.about_y(angle), level - centre) + centre
    rotations = np.array(clip.rotations)
    rotations[:, 0] = rot.multiply(rot.about_y(angle), rotations[:, 0])
    return clip.replace(root=root, rotations=rotations, contacts=clip.contacts)


def test_turns_accumulate():
    clip = curving()
    eight = Loop(start=0, end=60, cycles=8)(clip)
    assert facing(eight)[-1] - facing(eight)[0] == pytest.approx(2 * np.pi, abs=1e-6)
    assert np.allclose(eight.root[-1], eight.root[0], atol=1e-6), "a full circle comes back"


def test_a_slight_turn_is_straightened():
    clip = curving(per_second=np.deg2rad(4.0))
    straight = Loop(start=0, end=60, cycles=4)(clip)
    assert facing(straight)[-1] == pytest.approx(facing(straight)[0], abs=1e-6)
    bent = Loop(start=0, end=60, cycles=4, straight_below_deg=0)(clip)
    assert facing(bent)[-1] - facing(bent)[0] == pytest.approx(np.deg2rad(16.0), abs=1e-6)


def test_on_the_spot():
    result = Loop(in_place=True, cycles=2)(making.walker(151, drift=0.05))
    x = result.positions()
    assert np.abs(x[-1] - x[0]).max() < 1e-9
    assert np.ptp(result.root[:, 2]) < 0.1


def test_below_a_root_that_stands_still():
    clip = making.still_root(151)
    result = Loop(cycles=2)(clip)
    assert np.allclose(result.root, 0.0)
    hips = result.joint("Hips").positions
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(2 * making.STRIDE, abs=0.01)


def test_stairs_go_on_climbing():
    clip = making.walker(151)
    up = clip.replace(root=clip.root + clip.times[:, None] * [0.0, 0.4, 0.0], contacts=clip.contacts)
    result = Loop(start=0, end=60, cycles=3)(up)
    assert result.root[-1, 1] - result.root[0, 1] == pytest.approx(1.2, abs=1e-6)


def test_a_leaning_floor_is_levelled():
    clip = making.walker(151)
    tilt = rot.from_axis_angle((1.0, 0.0, 0.0), np.deg2rad(1.5))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = rot.multiply(tilt, rotations[:, 0])
    leaning = clip.replace(root=rot.rotate(tilt, clip.root), rotations=rotations, contacts=clip.contacts)
    result = Loop(start=0, end=60)(leaning)
    assert result.root[-1, 1] == pytest.approx(result.root[0, 1], abs=1e-9)
    knee = clip.skeleton.index("left knee")
    assert rot.angle_between(result.rotations[:, knee], clip.rotations[:61, knee]).max() < 0.01


def test_without_the_closing_frame():
    clip = making.walker(151)
    full, open_ = Loop()(clip), Loop(closing_frame=False)(clip)
    assert open_.same_motion(full[:-1])


def test_strength_closes_in_part():
    clip = making.walker(151, drift=0.1)
    gaps = [measure_seam(Loop(start=0, end=60, amount=s)(clip))["angle_deg"] for s in (0.0, 0.5, 1.0)]
    assert gaps[0] == pytest.approx(np.rad2deg(0.1), rel=0.05)
    assert gaps[1] == pytest.approx(0.5 * gaps[0], rel=0.1)
    assert gaps[2] < 0.1


def test_contacts_and_markers_repeat():
    clip = making.walker(151)
    clip = clip.replace(markers=(Marker(20, "here"),), contacts=clip.contacts)
    result = Loop(start=10, end=70, cycles=2)(clip)
    assert result.markers == (Marker(10, "here"), Marker(70, "here"))
    assert np.array_equal(result.contacts.flags[60:120], result.contacts.flags[:60])


def test_the_bounds_of_the_search():
    clip = making.walker(301)
    assert len(Loop(shortest_s=1.5)(clip)) == 121
    with pytest.raises(ParameterError, match=r"repeats itself between 0\.3 s and 0\.8 s"):
        Loop(longest_s=0.8)(clip)


def test_one_end_given():
    clip = making.walker(151)
    assert len(Loop(start=33)(clip)) == 61
    assert np.allclose(Loop(start=33)(clip).root[0], clip.root[33], atol=1e-6)
    assert len(Loop(end=100)(clip)) == 61


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"start": 50, "end": 50}, "ends at frame 50, which is not after its start 50"),
        ({"shortest_s": 2.0, "longest_s": 1.0}, "longest_s is 1, shorter than shortest_s"),
    ],
)
def test_knobs_that_do_not_go_together_are_told(knobs, words):
    with pytest.raises(ParameterError, match=f"^loop: .*{words}"):
        Loop(**knobs)


@pytest.mark.parametrize("knobs", [{"end": 500}, {"start": 500}, {"start": 0, "end": 151, "cycle": "whole"}])
def test_frames_outside_the_clip_are_told(knobs):
    with pytest.raises(ParameterError, match=r"frames 0 to 150|ends at 150"):
        Loop(**knobs)(making.walker(151))


def test_a_pose_held_for_the_whole_clip_is_a_cycle():
    clip = making.constant()
    assert Loop()(clip).same_motion(clip)


WALKS = ("cmu/07_01", "cmu/08_01", "cmu/104_02", "cmu/82_12", "accad/Male1_B3_Walk", "accad/Male1_B6_WalkBackwards")


@pytest.mark.skipif(data_folder() is None, reason="no real clips here")
@pytest.mark.parametrize("name", WALKS)
def test_real_walks(name):
    """Pose and velocity close to less than what a cut through unbroken motion shows, and feet slide no more."""
    from kinetune.formats import read

    clip = Trim(drop_t_pose=True)(read(data_folder() / f"{name}.bvh"))
    clip = clip.replace(contacts=find_contacts(clip))
    ground = find_ground(clip)
    result = Loop()(clip)
    after = measure_seam(result)
    assert after["pose_mm"] < 2.0
    assert after["angle_deg"] < 0.5
    assert 0.8 < result.duration < 1.5
    cycle = find_cycle(clip)
    part = clip[cycle.start : cycle.end + 1]
    assert after["velocity_mm_s"] < measure_seam(part)["velocity_mm_s"]
    slides = [np.mean([s.metres for s in find_slides(c, c.contacts, ground)]) for c in (part, result)]
    assert slides[1] < slides[0] + 0.0015
    assert len(find_jumps(result)) <= len(find_jumps(part))


def held_slide(clip, contacts):
    """The farthest that a ball strays in the middle of a contact, where it neither lands nor leaves."""
    edge = round(0.06 * clip.fps)
    balls = {side: clip.joint(f"{side} toes").positions[:, [0, 2]] for side in contacts.sides}
    runs = [(side, a + edge, b - edge) for side in contacts.sides for a, b in contacts.intervals(side)]
    return max(np.ptp(balls[side][a:b], axis=0).max(initial=0.0) for side, a, b in runs if b - a > 2)


@pytest.mark.parametrize("end", [57, 63])
def test_kept_feet_do_not_slide_and_the_cycle_stays_closed(end):
    clip = making.walker(151, drift=0.05).replace(contacts=None)
    kept = Loop(start=10, end=10 + end)(clip)
    assert held_slide(kept, kept.contacts) < 0.001
    x = kept.positions()
    assert same_pose(x[0], x[-1]) < 1e-9


def test_kept_feet_pass_the_seam_of_a_capture_calmly(shared_data):
    walk = Trim(drop_t_pose=True)(read(shared_data / "cmu" / "07_01.bvh"))
    bare, kept = (Loop(cycles=2, keep_feet=keep)(walk) for keep in (False, True))
    assert held_slide(kept, kept.contacts) < 0.4 * held_slide(bare, kept.contacts)
    middle = len(kept) // 2
    jerk = np.abs(np.diff(kept.positions(), 3, axis=0)).max(axis=(1, 2))
    assert jerk[middle - 4 : middle + 2].max() < 0.5 * jerk.max()


def test_the_report_says_which_part_became_the_cycle():
    clip = sample("walk")
    with collecting_results() as results:
        looped = Loop()(clip)
    report = Loop().report(clip, looped, results)
    assert report["last"] - report["first"] == len(looped) - 1
    assert report["period_s"] == pytest.approx((len(looped) - 1) / clip.fps)
    assert report["seam_is_mm"] < 0.5 < report["seam_was_mm"]
    assert "seam was" in Loop().describe(report)[0]


def test_a_cycle_in_which_a_foot_stands_all_along_does_not_travel():
    """What the foot moves meanwhile is a slide of the capture, which would jump at each seam or carry the body off."""
    clip = sample("arm-sway")
    slid = clip.replace(root=clip.root + clip.times[:, None] * [0.01, 0.0, 0.02], contacts=None)
    cycles = Loop(cycles=3)(slid)
    for side in ("left", "right"):
        ball = cycles.joint(f"{side} toes").positions
        assert np.ptp(ball, axis=0).max() < 2e-3
