import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.planting import plant
from kinetune.body.quality.glitches import (
    edit_without_stray,
    find_blips,
    find_jumps,
    find_motion,
    join_start,
    motion_of,
    remove_blips,
    stray_frames,
)
from kinetune.body.timeline.retiming import at_rate, at_times
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.formats import read
from kinetune.operations.align import Align
from kinetune.operations.base import collecting_results
from kinetune.operations.blend import Blend
from kinetune.operations.equalize import Equalize
from kinetune.operations.in_place import InPlace
from kinetune.operations.loop import Loop
from kinetune.operations.plant_feet import PlantFeet
from kinetune.operations.resample import Resample
from kinetune.operations.retime import Retime
from kinetune.operations.shape import Shape
from kinetune.operations.smooth import Smooth
from kinetune.runs import run
from tests.made_up import small_clip
from tests.operations import making


def with_stray(clip: Clip) -> Clip:
    """The clip with a pose before it that it jumps from: every joint turned by 80 degrees."""
    posed = rot.exp(np.tile([0.0, 0.0, 1.4], (1, len(clip.skeleton), 1)))
    translations = clip.translations
    return clip.replace(
        root=np.concatenate([clip.root[:1], clip.root]),
        rotations=np.concatenate([posed, clip.rotations]),
        translations=None if translations is None else np.concatenate([translations[:1], translations]),
    )


def test_a_stray_pose_is_not_smeared_into_the_motion():
    walk = making.walker(121)
    clip = with_stray(walk)
    assert stray_frames(clip) == 1
    for step in (Equalize(preset="exaggerate", keep_feet=False), Shape(curve="cap(-0.5, 0.5)", keep_feet=False)):
        result = step(clip)
        assert result[1:].same_motion(step(walk), 1e-9)
        assert result[:1].same_motion(clip[:1], 1e-9)


def test_an_edit_that_changes_nothing_returns_the_clip_itself():
    clip = with_stray(making.walker(121))
    assert edit_without_stray(clip, lambda motion: motion) is clip


def test_animated_positions_come_along():
    stray = with_stray(making.still_root(61))
    assert stray_frames(stray) == 1
    result = edit_without_stray(stray, lambda motion: motion.replace(translations=motion.translations + 1.0))
    assert np.allclose(result.translations[1:, 1:] - stray.translations[1:, 1:], 1.0)
    assert np.array_equal(result.translations[0], stray.translations[0])


def with_blip(clip, frame, degrees=30.0):
    """The pelvis turned in one frame, with thighs and spine that make up for it, as some captures have it."""
    rotations = np.array(clip.rotations)
    turn = rot.exp(np.deg2rad([0.0, degrees, 0.0]))
    rotations[frame, 0] = rot.multiply(turn, rotations[frame, 0])
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent == 0:
            back = rot.inverse(turn)
            rotations[frame, joint] = rot.multiply(back, rotations[frame, joint])
    return clip.replace(rotations=rotations, contacts=clip.contacts)


def test_a_pelvis_that_is_elsewhere_for_one_frame_does_not_make_a_knee_pop():
    walk = making.walker(fps=120.0)
    spoilt = with_blip(walk, 70)
    assert find_blips(spoilt, 0) == [70]
    assert find_jumps(spoilt)
    planted = plant(spoilt)
    assert find_jumps(planted) == []
    assert np.abs(planted.positions() - plant(walk).positions()).max() < 0.01
    leg = ("Leg", "Foot", "Toe")
    others = [j for j, name in enumerate(walk.skeleton.names) if not any(word in name for word in leg)]
    changed = np.flatnonzero(np.abs(planted.rotations[:, others] - spoilt.rotations[:, others]).max(axis=(1, 2)) > 0.0)
    assert changed.tolist() == [70], "every other frame of the rest of the body is left as it is"


def test_a_blip_in_the_air_and_a_lasting_turn_are_left_alone():
    walk = making.walker(fps=120.0)
    spoilt = with_blip(walk, 70)
    assert remove_blips(spoilt, 0, np.zeros(len(walk), bool)) is spoilt
    turned = np.array(walk.rotations)
    turned[70:, 0] = rot.multiply(rot.exp([0.0, 0.6, 0.0]), turned[70:, 0])
    assert find_blips(walk.replace(rotations=turned), 0) == []
    assert find_blips(walk, 0) == []


def test_flips_of_a_capture_with_a_blip_are_gone(shared_data):
    clip = read(shared_data / "cmu" / "16_17.bvh")
    edited = run([Equalize(preset="exaggerate"), PlantFeet()], clip)
    assert edited.before["flips"] == 8
    assert edited.after["flips"] == 0


# --- poses that do not belong to the motion


def with_pose(clip: Clip, frame: int, held: int = 1) -> Clip:
    """The clip with its rest pose put in before a frame, where it stands then."""
    index = np.insert(np.arange(len(clip)), frame, [min(frame, len(clip) - 1)] * held)
    rotations = clip.rotations[index].copy()
    rotations[frame : frame + held] = clip.skeleton.rest
    translations = None if clip.translations is None else clip.translations[index]
    return clip.replace(root=clip.root[index], rotations=rotations, translations=translations)


def a_walk(*how, **more) -> Clip:
    return making.walker(*how, **more).replace(contacts=None)


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_a_t_pose_is_found_at_any_rate(fps):
    walk = a_walk(round(3 * fps), fps)
    assert find_motion(walk) == (0, len(walk), ())
    assert find_motion(with_pose(walk, 0)) == (1, len(walk) + 1, ())
    assert find_motion(with_pose(walk, 0, held=5)) == (5, len(walk) + 5, ())
    assert find_motion(with_pose(walk, len(walk))) == (0, len(walk), ())
    assert find_motion(with_pose(walk, 40)) == (0, len(walk) + 1, (40,))


OPERATIONS = [Smooth(), Equalize(preset="exaggerate"), Shape(curve="cap(-0.5, 0.5)"), InPlace(travel="steady")]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.tag())
def test_a_t_pose_leaks_into_no_frame_of_the_motion(operation):
    walk = a_walk(151, drift=0.2)
    clip = with_pose(walk, 0)
    result = operation(clip)
    assert result[:1].same_motion(clip[:1], 1e-12)
    assert result[1:].same_motion(operation(walk), 1e-9)


@pytest.mark.parametrize("fps", [24.0, 30.0, 59.94, 120.0])
def test_resampling_keeps_a_t_pose_apart(fps):
    walk = a_walk(151)
    clip = with_pose(walk, 0)
    result = Resample(fps=fps)(clip)
    start = find_motion(result).start
    assert start == np.count_nonzero(np.arange(9) / fps < 1.0 / 60.0 - 1e-6)
    exact = at_times(walk, np.arange(start, len(result)) / fps - 1.0 / 60.0, fps)
    assert np.abs(result.positions()[start:] - exact.positions()).max() < 1e-9
    slow = Retime(speed=0.5)(clip)
    assert np.abs(slow[find_motion(slow).start :].positions() - Retime(speed=0.5)(walk).positions()).max() < 0.02


def test_a_walk_behind_a_t_pose_loops_as_without_it():
    walk = a_walk(151, drift=0.05)
    assert Loop()(with_pose(walk, 0)).same_motion(Loop()(walk), 1e-9)
    with pytest.raises(ParameterError, match="the motion has frames 1 to 151"):
        Loop(start=0)(with_pose(walk, 0))


@pytest.mark.slow
def test_clips_behind_t_poses_blend_and_align_as_without_them():
    one, two = a_walk(151), a_walk(131, period=1.2)
    first, second = with_pose(one, 0), with_pose(two, 0)
    for operation in (Blend(other="b", weight=0.4), Align(to="b")):
        result = operation(first, b=second)
        assert result[1:].same_motion(operation(one, b=two), 1e-9)
        assert result[:1].same_motion(first[:1], 1e-9)


def test_a_wrong_frame_is_mended_and_reported():
    walk = a_walk(151)
    with collecting_results() as results:
        smooth = Smooth(keep_feet=False)(with_pose(walk, 70))
    assert [(each.kind, each.frame) for each in results if isinstance(each, Finding)] == [("wrong-frame", 70)]
    clean = Smooth(keep_feet=False)(motion_of(with_pose(walk, 70)))
    assert smooth.same_motion(clean, 1e-9)
    assert find_motion(smooth).wrong == ()


def test_frames_that_belong_to_the_motion_are_found_in_captures(shared_data):
    for name in ("cmu/07_01.bvh", "cmu/74_03.bvh", "cmu/141_14.bvh"):
        clip = read(shared_data / name)
        assert find_motion(clip) == (1, len(clip), ())
        slow = at_rate(clip[1:], 30.0)
        assert find_motion(slow) == (0, len(slow), ())
        assert find_motion(with_pose(slow, 0)).start == 1
    clip = read(shared_data / "cmu" / "07_01.bvh")
    for operation in (Smooth(), Resample(fps=120.0 * (1 + 1e-9))):
        moved = operation(clip).positions()[1:] - operation(clip[1:]).positions()[: len(clip) - 1]
        assert np.abs(moved).max() < 1e-3, operation
    assert len(Loop()(read(shared_data / "cmu" / "104_02.bvh"))) > 60


@pytest.mark.parametrize("edited_moves", [False, True])
@pytest.mark.parametrize("clip_moves", [False, True])
@pytest.mark.parametrize("first", [0, 3])
def test_frames_before_an_edit_stay_whether_or_not_joints_move_in_their_parents(first, clip_moves, edited_moves):
    """Where only one of the two has translations, the other's are its skeleton's offsets and its own root."""

    plain = small_clip(8)
    moved = plain.replace(translations=np.random.default_rng(1).normal(size=(8, 3, 3)) + plain.root[:, None])
    moved = moved.replace(root=np.array(moved.translations[:, 0]))
    clip = moved if clip_moves else plain
    edited = (moved if edited_moves else plain)[first:]
    joined = join_start(clip, first, edited)
    assert len(joined) == 8
    np.testing.assert_allclose(joined.positions()[:first], clip.positions()[:first], atol=1e-12)
    np.testing.assert_allclose(joined.positions()[first:], edited.positions(), atol=1e-12)
