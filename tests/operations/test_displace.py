import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root_motion import facing
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.operations.displace import Displace
from kinetune.recipes import Recipe
from kinetune.samples import sample
from tests.operations import making


def moved(clip, result, frame, joint):
    return result.joint(joint).positions[frame] - clip.joint(joint).positions[frame]


def test_the_right_hand_twelve_centimetres_higher_at_frame_57():
    clip = making.walker(151)
    result = Displace(keys=[{"frame": 57, "joint": "right hand", "move": [0, 0.12, 0]}])(clip)
    assert np.allclose(moved(clip, result, 57, "right hand"), [0, 0.12, 0], atol=1e-4)
    assert result[:1].same_motion(clip[:1])
    assert result[-1:].same_motion(clip[-1:])


def test_a_move_is_told_in_the_figures_own_axes_or_the_worlds():
    clip = making.walker(151, heading=1.0)
    ahead = Displace(keys=[{"frame": 60, "joint": "left foot", "move": [0, 0.05, 0.1]}])(clip)
    way = rot.rotate(rot.about_y(facing(clip)[60]), [0, 0.05, 0.1])
    assert np.allclose(moved(clip, ahead, 60, "left foot"), way, atol=1e-4)
    world = Displace(keys=[{"frame": 60, "joint": "left foot", "move": [0, 0.05, 0.1], "axes": "world"}])(clip)
    assert np.allclose(moved(clip, world, 60, "left foot"), [0, 0.05, 0.1], atol=1e-4)


def test_a_place_in_the_world():
    clip = making.walker(151)
    place = clip.joint("left hand").positions[80] + [0.02, 0.1, 0.1]
    result = Displace(keys=[{"time_s": 80 / 60, "joint": "LeftHand", "to": place.tolist()}])(clip)
    assert np.allclose(result.joint("left hand").positions[80], place, atol=1e-4)


@pytest.mark.parametrize("axes", ["parent", "local", "world", "facing"])
def test_turns_in_every_kind_of_axes(axes):
    clip = making.walker(151, heading=0.7)
    arm = clip.skeleton.index("RightArm")
    result = Displace(keys=[{"frame": 40, "joint": "RightArm", "rotate": [10, -20, 30], "axes": axes}])(clip)
    turn = rot.exp(np.radians([10, -20, 30]))
    before, after = (c.world_rotations()[40, arm] for c in (clip, result))
    above = clip.world_rotations()[40, clip.skeleton.parents[arm]]
    seen = {"parent": above, "local": before, "world": rot.identity(), "facing": rot.about_y(facing(clip)[40])}[axes]
    wanted = rot.multiply(rot.multiply(rot.multiply(seen, turn), rot.inverse(seen)), before)
    assert rot.angle_between(after, wanted) < 1e-9


def test_a_quaternion_and_a_rotation_vector_say_the_same():
    clip = making.walker(151)
    q = rot.exp(np.radians([0, 40, 0])).tolist()
    one, other = (Displace(keys=[{"frame": 40, "joint": "head", "rotate": r}])(clip) for r in (q, [0, 40, 0]))
    assert one.same_motion(other, 1e-9)


def test_euler_offsets_are_added_to_the_angles():
    clip = making.walker(151)
    knee = clip.skeleton.index("LeftLeg")
    result = Displace(keys=[{"frame": 40, "joint": "LeftLeg", "euler": [5, 15, -3], "order": "YXZ"}])(clip)
    angles = [rot.to_euler(c.rotations[40, knee], "YXZ") for c in (clip, result)]
    assert np.allclose(np.degrees(angles[1] - angles[0]), [5, 15, -3], atol=1e-7)


def test_without_a_joint_the_whole_figure_moves_and_turns():
    clip = making.walker(151)
    result = Displace(keep_feet=False, keys=[{"frame": 75, "move": [0.2, 0.1, 0], "rotate": [0, 30, 0]}])(clip)
    assert np.allclose(result.root[75] - clip.root[75], [0.2, 0.1, 0])
    assert facing(result)[75] - facing(clip)[75] == pytest.approx(np.radians(30))
    below = making.still_root()
    lifted = Displace(keep_feet=False, keys=[{"frame": 60, "joint": "World", "move": [0, 0.3, 0]}])(below)
    assert np.allclose(moved(below, lifted, 60, "Hips"), [0, 0.3, 0])


def test_one_key_may_turn_and_move():
    clip = making.walker(151)
    key = {"frame": 70, "joint": "left foot", "move": [0, 0.1, 0], "rotate": [20, 0, 0], "axes": "local"}
    result = Displace(keys=[{**key, "axes": None}])(clip)
    foot = clip.skeleton.index("LeftFoot")
    assert np.allclose(moved(clip, result, 70, "left foot"), [0, 0.1, 0], atol=1e-4)
    wanted = rot.multiply(rot.exp(np.radians([20, 0, 0])), clip.rotations[70, foot])
    assert rot.angle_between(result.rotations[70, foot], wanted) < 1e-9


def test_more_joints_reach_further():
    clip = making.walker(151)
    key = {"frame": 70, "joint": "right hand", "move": [0, -0.2, 0.4]}
    with pytest.raises(ParameterError, match=r"frame 70 lies .* mm out of reach. Let more joints take part"):
        Displace(keys=[key])(clip)
    result = Displace(keys=[{**key, "chain": "right arm, spine"}])(clip)
    assert np.allclose(moved(clip, result, 70, "right hand"), [0, -0.2, 0.4], atol=1e-4)
    near = Displace(keys=[key], unreachable="nearest")(clip)
    assert 0.05 < np.linalg.norm(moved(clip, near, 70, "right hand") - [0, -0.2, 0.4]) < 0.4


def test_a_falloff_keeps_the_change_local():
    clip = making.walker(301)
    result = Displace(keys=[{"frame": 150, "joint": "head", "rotate": [0, 30, 0]}], falloff_s=0.5)(clip)
    changed = rot.angle_between(result.rotations, clip.rotations).max(axis=1) > 1e-9
    assert np.flatnonzero(changed)[[0, -1]].tolist() == [121, 179]


def test_negative_frames_count_from_the_end():
    clip = making.walker(101)
    one, other = (Displace(keys=[{"frame": f, "joint": "head", "rotate": [0, 9, 0]}])(clip) for f in (-1, 100))
    assert one.same_motion(other, 1e-12)
    assert not one[-1:].same_motion(clip[-1:])


def test_a_higher_knock_as_in_the_paper():
    """[bruderlin] Figure 11: arm and neck of a knock changed at one frame to hit a higher point."""
    clip = sample("knock")
    frame = int(np.argmax(clip.joint("right hand").positions[:, 2]))
    keys = [
        {"frame": frame, "joint": "right hand", "move": [0, 0.15, 0]},
        {"frame": frame, "joint": "neck", "rotate": [-15, 0, 0]},
    ]
    result = Displace(keys=keys)(clip)
    assert moved(clip, result, frame, "right hand")[1] == pytest.approx(0.15, abs=1e-4)
    steps = [rot.angle_between(c.rotations[1:], c.rotations[:-1]).max() for c in (clip, result)]
    assert steps[1] < 1.5 * steps[0]


def test_a_recipe(tmp_path):
    file = tmp_path / "r.yaml"
    file.write_text(
        "version: 1\nsteps:\n  - op: displace\n    keys:\n"
        "      - {frame: 57, joint: right hand, move: [0, 0.12, 0]}\n"
        "      - {time_s: 1.5, joint: neck, rotate: [0, 20, 0], tension: 0.5}\n"
    )
    clip = making.walker(151)
    result = Recipe.read(file)(clip)
    assert np.allclose(moved(clip, result, 57, "right hand"), [0, 0.12, 0], atol=1e-4)


KEY = {"frame": 3, "joint": "head", "rotate": [0, 1, 0]}


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({"frame": 400}, "key 1 of keys is at frame 400, but the clip has frames 0 to 150 and lasts 2.500 s"),
        ({"frame": -152}, "key 1 of keys is at frame -152"),
        ({"frame": None, "time_s": 9.0}, "key 1 of keys is at 9 s"),
        ({"time_s": 1.0}, "a frame or at time_s"),
        ({"frame": None}, "a frame or at time_s"),
        ({"rotate": None}, "says what changes"),
        ({"euler": [1, 2, 3]}, "rotate or by euler"),
        ({"move": [0, 0, 0], "to": [0, 0, 0]}, "by move or by to"),
        ({"rotate": [1, 2]}, "it needs at least 3"),
        ({"rotate": [0, 0, 0, 0]}, "no rotation"),
        ({"rotate": None, "euler": [1, 2, 3], "order": "ZZY"}, "not an Euler order"),
        ({"rotate": None, "euler": [1, 2, 3], "order": "ZY"}, "three axes"),
        ({"rotate": None, "move": [0, 0, 0], "chain": "left leg"}, "none of the joints 'left leg' carries"),
        ({"colour": 3}, 'key 1 of keys has no "colour"'),
    ],
)
def test_keys_that_make_no_sense_are_told(key, words):
    with pytest.raises(ParameterError, match=words):
        Displace(keys=[{**KEY, **key}])(making.walker(151))


def test_unknown_joints_offer_the_nearest():
    for key in ({**KEY, "joint": "haed"}, {**KEY, "chain": "rigth arm"}):
        with pytest.raises(UnknownNameError, match="Did you mean"):
            Displace(keys=[key])(making.walker(151))


def test_no_keys_change_nothing():
    clip = making.walker()
    assert Displace()(clip) is clip


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_tiny_clips(frames):
    clip = making.walker(frames)
    result = Displace(keys=[{"frame": 0, "joint": "head", "rotate": [0, 10, 0]}])(clip)
    head = clip.skeleton.index("Head")
    assert rot.angle_between(result.rotations[0, head], clip.rotations[0, head]) == pytest.approx(np.radians(10))
