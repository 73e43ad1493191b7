import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.planting import plant
from kinetune.body.quality.glitches import edit_without_stray, find_blips, find_jumps, remove_blips, stray_frames
from kinetune.formats import read
from kinetune.operations.equalize import Equalize
from kinetune.operations.plant_feet import PlantFeet
from kinetune.operations.shape import Shape
from kinetune.runs import run
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
    for step in (Equalize(preset="exaggerate"), Shape(curve="cap(-0.5, 0.5)")):
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
