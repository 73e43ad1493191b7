import warnings

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.formats.bvh.bvh_writer import follow_angles, nesting_order
from tests.formats.bvh.bvh_text import ROOT, SMALL, TURN, plain_world, rows
from tests.formats.bvh.test_bvh_dialects import one_joint_each


def read(tmp_path, text, name="in.bvh", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return kt.read(path, **{"unit": "m", "up": "y", **options})


def again(tmp_path, clip, **options):
    return kt.read(kt.write(clip, tmp_path / "out.bvh"), **{"unit": "m", "up": "y", **options})


def assert_same_file(a, b):
    one, other = a.source.layout, b.source.layout
    assert one.names == other.names
    assert one.channels == other.channels
    assert one.offsets == other.offsets
    assert one.sites == other.sites
    assert (one.frame_time, a.fps) == (other.frame_time, b.fps)
    assert (one.newline, one.indent, one.decimals) == (other.newline, other.indent, other.decimals)
    assert np.array_equal(one.values.view(np.uint64), other.values.view(np.uint64))
    assert a.skeleton == b.skeleton


def turned(clip, joint, by, frames=slice(None)):
    rotations = np.array(clip.rotations)
    rotations[frames, joint] = rot.multiply(rotations[frames, joint], rot.exp(by))
    return clip.replace(rotations=rotations)


# Faithful


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["\t", "  ", " "])
def test_a_file_comes_back_byte_for_byte(tmp_path, newline, indent):
    text = SMALL.replace("\t", indent).replace("\n", newline)
    clip = read(tmp_path, text)
    assert kt.write(clip, tmp_path / "out.bvh").read_bytes() == text.encode()


@pytest.mark.parametrize("decimals", [0, 2, 6, 9, 17])
def test_digits_come_back(tmp_path, decimals):
    head, _, _ = SMALL.partition("8.03")
    text = head + rows(np.random.default_rng(0).uniform(-179, 179, (3, 12)), decimals)
    clip = read(tmp_path, text)
    assert clip.source.layout.decimals == decimals
    assert kt.write(clip, tmp_path / "out.bvh").read_text() == text


def test_winding_the_other_triple_and_gimbal_lock_come_back(tmp_path):
    t = np.linspace(0, 1, 40)
    values = np.zeros((40, 12))
    values[:, 3] = 1500 * t  # winds past 360
    values[:, 4] = 170 - 340 * t  # beyond 90: the other triple
    values[:, 7] = 90.0  # locked
    values[:, 6] = 100 * t
    values[:, 8] = 1000 - 300 * t
    values[20:, 9] = -179.9  # a jump that the file has
    values[:20, 9] = 179.9
    head, _, _ = SMALL.partition("8.03")
    text = head.replace("Frames: 3", "Frames: 40") + rows(values)
    clip = read(tmp_path, text)
    assert kt.write(clip, tmp_path / "out.bvh").read_text() == text


@pytest.mark.parametrize("up", ["x", "y", "z"])
@pytest.mark.parametrize("unit", ["m", "cm", "in", "cmu", 0.3])
def test_units_and_axes_come_back(tmp_path, up, unit):
    clip = read(tmp_path, SMALL, unit=unit, up=up)
    assert kt.write(clip, tmp_path / "out.bvh").read_text() == SMALL
    moved = clip.replace(root=clip.root + np.array([0, 0.5, 0]))
    values = again(tmp_path, moved, unit=unit, up=up).source.layout.values
    axis = "xyz".index(up)
    shift = 0.5 / clip.source.metres_per_unit
    assert np.allclose(values[:, axis] - clip.source.layout.values[:, axis], shift, atol=1e-5)
    assert np.array_equal(values[:, 3:], clip.source.layout.values[:, 3:])


def test_odd_layouts_come_back(tmp_path):
    channels = [
        f"{TURN} Xposition Zposition Yposition",
        ROOT,
        "Xrotation",
        "",
        "Yrotation Zrotation",
        "ZROTATION yrotation",
    ]
    text = one_joint_each([f"j{k}" for k in range(6)], channels, frames=6)
    clip = read(tmp_path, text)
    assert_same_file(clip, again(tmp_path, clip))
    assert np.allclose(again(tmp_path, clip).positions(), plain_world(text), atol=1e-12)


def test_end_sites_between_joints_keep_their_place(tmp_path):
    site = "\tEnd Site\n\t{\n\t\tOFFSET 1 2 3\n\t}\n"
    for text in (
        SMALL.replace("\tJOINT Leg", f"{site}\tJOINT Leg"),
        SMALL.replace("\tJOINT Chest", f"{site}{site}\tJOINT Chest"),
        SMALL.replace("}\nMOTION", f"{site}}}\nMOTION"),
    ):
        clip = read(tmp_path, text)
        assert kt.write(clip, tmp_path / "out.bvh").read_text() == text


def test_a_slice_keeps_its_numbers(tmp_path):
    text = one_joint_each(["A", "B"], [ROOT, TURN], frames=30)
    clip = read(tmp_path, text)
    part = again(tmp_path, clip[5:20])
    assert np.array_equal(part.source.layout.values, clip.source.layout.values[5:20])
    assert part.source.layout.frame_time == "0.04"
    half = again(tmp_path, clip[::2])
    assert np.array_equal(half.source.layout.values, clip.source.layout.values[::2])
    assert half.fps == 12.5


def test_another_rate_is_written(tmp_path):
    clip = read(tmp_path, SMALL).replace(fps=119.88)
    assert again(tmp_path, clip).fps == 119.88


def test_no_leaf_joint_becomes_an_end_site(tmp_path):
    text = one_joint_each(["A", "B", "C"], [ROOT, TURN, TURN], frames=4).replace("End Site", "JOINT Tip")
    text = text.replace("OFFSET 0 5 0", "OFFSET 0 5 0\n\t\t\t\tCHANNELS 1 Xrotation")
    lines = text.splitlines()
    text = "\n".join([*lines[:-4], *(f"{line} 12.5" for line in lines[-4:]), ""])
    clip = read(tmp_path, text)
    assert clip.skeleton.names[-1] == "Tip"
    assert_same_file(clip, again(tmp_path, clip))
    assert again(tmp_path, turned(clip, 3, [0.1, 0, 0])).skeleton.names == clip.skeleton.names


# Edited


@pytest.fixture
def long(tmp_path):
    """Smooth curves that wind, stay beyond 90 degrees in the middle axis, and jump by 360 degrees as files do."""
    t = np.linspace(0, 1, 200)
    values = np.zeros((200, 12))
    values[:, :3] = np.stack([t, 1 + 0 * t, 2 * t], axis=1)
    values[:, 3] = 1500 * t
    values[:, 4] = 130 + 20 * np.sin(5 * t)
    values[:, 5] = 40 * np.cos(9 * t)
    values[:, 6] = (170 + 60 * t + 180) % 360 - 180
    values[:, 7] = 20 * np.sin(7 * t)
    values[:, 8] = -800 * t
    values[:, 9:] = np.stack([30 * t, 80 * np.sin(3 * t), 100 * t], axis=1)
    head, _, _ = SMALL.partition("8.03")
    return read(tmp_path, head.replace("Frames: 3", "Frames: 200") + rows(values))


def steps(values):
    return np.abs(np.diff(values, axis=0))


def test_edited_curves_have_no_flips(tmp_path, long):
    edited = long
    for joint in range(3):
        edited = turned(edited, joint, [0.02, -0.03, 0.01])
    out = again(tmp_path, edited)
    assert rot.angle_between(out.rotations, edited.rotations).max() < 1e-7
    assert steps(out.source.layout.values[:, 3:]).max() < 40  # degrees; the input has a jump of 360


def test_curves_that_bend_past_a_right_angle_go_on_smoothly(tmp_path):
    t = np.linspace(0, 1, 200)
    values = np.zeros((200, 12))
    values[:, 3:6] = np.stack([40 * t, 170 * np.sin(5 * t), 300 * t], axis=1)
    head, _, _ = SMALL.partition("8.03")
    clip = read(tmp_path, head.replace("Frames: 3", "Frames: 200") + rows(values))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = rot.multiply(rot.exp([0.0, 0.0, np.deg2rad(25)]), rotations[:, 0])  # adds 25 to the first angle
    out = again(tmp_path, clip.replace(rotations=rotations)).source.layout.values[:, 3:6]
    apart = out - values[:, 3:6] - [25, 0, 0]
    assert np.allclose(apart - apart[:1], 0, atol=1e-4)
    assert np.allclose(apart[0] % 360 % 359.9999, 0, atol=1e-4)


def test_an_edit_in_the_middle_leaves_the_rest_as_printed(tmp_path, long):
    frames = slice(80, 120)
    swell = np.sin(np.linspace(0, np.pi, 40))[:, None] * [[0.2, 0.1, 0.1]]
    edited = turned(long, 0, swell, frames)
    before, after = long.source.layout.values, again(tmp_path, edited).source.layout.values
    kept = np.ones(200, bool)
    kept[frames] = False
    kept[[80, 119]] = True  # the swell is 0 there
    assert np.array_equal(before[kept], after[kept])
    assert not np.array_equal(before[~kept, 3:6], after[~kept, 3:6])
    assert np.array_equal(before[:, 6:], after[:, 6:])
    assert steps(after[:, 3:6]).max() < 40


@pytest.mark.parametrize("frames", [slice(0, 30), slice(170, 200), slice(20, 60)])
def test_an_edit_next_to_a_jump_of_the_file_makes_no_new_one(tmp_path, long, frames):
    assert steps(long.source.layout.values[:, 6]).max() > 300
    edited = turned(long, 1, [0.3, 0.0, 0.0], frames)
    after = again(tmp_path, edited)
    assert rot.angle_between(after.rotations, edited.rotations).max() < 1e-7
    jumps = steps(after.source.layout.values[:, 6:9])
    jumps[np.argmax(steps(long.source.layout.values[:, 6]))] = 0.0  # the file's own
    assert jumps.max() < 60


def test_curves_do_not_jump_into_gimbal_lock(tmp_path):
    t = np.linspace(-1, 1, 81)
    angles = np.stack([50 + 10 * t, 90 - 30 * t**2, -20 + 15 * t], axis=1)[:, None]
    for order in ("ZXY", "ZYX", "XYZ", "YZX"):
        for sign in (1.0, -1.0):
            wanted = angles * [1.0, sign, 1.0]
            q = rot.from_euler(np.deg2rad(wanted), order)
            found = follow_angles(q, order, wanted, np.zeros((81, 1), bool))
            assert rot.angle_between(rot.from_euler(np.deg2rad(found), order), q).max() < 1e-7
            assert steps(found).max() < 5
            q = rot.from_euler(
                np.deg2rad(np.where(np.abs(t[:, None, None]) < 0.2, [50, 90 * sign, -20], wanted)), order
            )
            held = follow_angles(q, order, wanted, np.zeros((81, 1), bool))
            assert rot.angle_between(rot.from_euler(np.deg2rad(held), order), q).max() < 1e-7
            assert steps(held).max() < 12


def test_edited_numbers_get_at_least_six_digits(tmp_path, long):
    head, _, _ = SMALL.partition("8.03")
    coarse = read(tmp_path, head + rows(np.round(np.random.default_rng(0).uniform(-90, 90, (3, 12)), 1), 1))
    edited = turned(coarse, 1, [0.01, 0, 0])
    assert again(tmp_path, edited).source.layout.decimals == 6


def test_a_joint_with_few_channels_keeps_them_while_they_suffice(tmp_path):
    text = one_joint_each(["A", "B", "C"], [ROOT, "Xrotation", "Zrotation Xrotation"], frames=5)
    clip = read(tmp_path, text)
    bent = again(tmp_path, turned(clip, 1, [0.2, 0, 0]))
    assert bent.source.layout.channels == clip.source.layout.channels
    twisted = turned(turned(clip, 1, [0.2, 0.1, 0]), 2, [0, 0.3, 0])
    out = again(tmp_path, twisted)
    assert out.source.layout.channels.orders == ("ZXY", "XZY", "ZXY")
    assert rot.angle_between(out.rotations, twisted.rotations).max() < 1e-7


def test_orders_that_repeat_an_axis(tmp_path):
    proper, many = "Zrotation Xrotation Zrotation", "Xrotation Yrotation Zrotation Xrotation"
    clip = read(tmp_path, one_joint_each(["A", "B", "C"], [ROOT, proper, many], frames=5))
    assert_same_file(clip, again(tmp_path, clip))
    edited = turned(turned(clip, 1, [0.2, 0.1, 0], slice(2, 4)), 2, [0.2, 0.1, 0], slice(2, 4))
    out = again(tmp_path, edited)
    assert out.source.layout.channels.orders == ("ZXY", "ZXZ", "ZXY")
    assert rot.angle_between(out.rotations, edited.rotations).max() < 1e-7


def test_a_joint_without_channels_gets_them_when_it_turns_or_moves(tmp_path):
    text = one_joint_each(["A", "B"], [TURN, ""], frames=5)
    clip = read(tmp_path, text)
    edited = turned(clip, 1, [0.2, 0.1, 0]).replace(root=clip.root + np.linspace(0, 1, 5)[:, None])
    out = again(tmp_path, edited)
    assert len(out.source.layout.channels.names[0]) == 6
    assert np.allclose(out.positions(), edited.positions(), atol=1e-6)
    assert rot.angle_between(out.rotations, edited.rotations).max() < 1e-7


def test_a_joint_that_moves_gets_position_channels(tmp_path):
    clip = read(tmp_path, SMALL)
    translations = np.tile(clip.skeleton.offsets, (3, 1, 1))
    translations[:, 2, 1] += [0.0, 0.5, 1.0]
    edited = clip.replace(translations=translations)
    out = again(tmp_path, edited)
    assert [len(names) for names in out.source.layout.channels.names] == [6, 3, 6]
    assert np.allclose(out.positions(), edited.positions(), atol=1e-6)


def test_relative_positions_are_written_as_such(tmp_path):
    text = one_joint_each(["A", "B"], [ROOT, ROOT], frames=4)
    clip = read(tmp_path, text, positions="relative")
    assert_same_file(clip, again(tmp_path, clip, positions="relative"))
    moved = clip.replace(translations=clip.translations + 0.25)
    assert np.allclose(again(tmp_path, moved, positions="relative").positions(), moved.positions(), atol=1e-6)


def test_a_rescaled_skeleton_gets_new_offsets(tmp_path):
    clip = read(tmp_path, SMALL)
    larger = clip.replace(skeleton=clip.skeleton.scaled(2.0))
    out = again(tmp_path, larger)
    assert np.allclose(out.skeleton.offsets, larger.skeleton.offsets)
    assert [s.offset for s in out.skeleton.end_sites] == [(0, 7.74, 0), (0, -8, 2)]
    assert np.array_equal(out.source.layout.values, clip.source.layout.values)


def test_a_renamed_skeleton_is_written_plainly(tmp_path):
    clip = read(tmp_path, SMALL.replace("ZrotationXrotation", ""))
    names = ("Root", "Top", "Bottom")
    other = clip.replace(
        skeleton=Skeleton(names, clip.skeleton.parents, clip.skeleton.offsets, clip.skeleton.end_sites)
    )
    out = again(tmp_path, other)
    assert out.skeleton.names == names
    assert np.allclose(out.positions(), other.positions(), atol=1e-6)


# Clips from elsewhere


def made_clip(parents, frames=7, seed=0, moving=False):
    rng = np.random.default_rng(seed)
    count = len(parents)
    skeleton = Skeleton(
        tuple(f"j{k}" for k in range(count)),
        np.array(parents),
        rng.uniform(-0.5, 0.5, (count, 3)),
        (EndSite(count - 1, (0.0, 0.125, 0.0)),),
    )
    rotations = rot.exp(np.cumsum(rng.normal(0, 0.3, (frames, count, 3)), axis=0))
    root = rng.uniform(-2, 2, (frames, 3))
    translations = None
    if moving:
        translations = np.tile(skeleton.offsets, (frames, 1, 1))
        translations[:, count // 2] += rng.uniform(-0.1, 0.1, (frames, 3))
    return Clip(skeleton, 30.0, root, rotations, translations)


@pytest.mark.parametrize("moving", [False, True])
def test_a_clip_from_elsewhere_is_written_in_centimetres(tmp_path, moving):
    clip = made_clip([-1, 0, 1, 2, 0], moving=moving)
    text = kt.write(clip, tmp_path / "out.bvh").read_text()
    out = kt.read(tmp_path / "out.bvh", unit="cm", up="y")
    assert np.allclose(out.positions(), clip.positions(), atol=2e-8 * 10)
    assert rot.angle_between(out.rotations, clip.rotations).max() < 1e-7
    assert "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation" in text
    assert text.count("CHANNELS 6") == 1 + moving
    assert text.count("End Site") == 2  # both leaves
    assert np.array_equal(out.positions().shape, clip.positions().shape)


def test_joints_are_written_in_the_order_in_which_braces_nest(tmp_path):
    clip = made_clip([-1, 0, 0, 1, 2, 1])
    assert nesting_order((-1, 0, 0, 1, 2, 1)) == [0, 1, 3, 5, 2, 4]
    kt.write(clip, tmp_path / "out.bvh")
    out = kt.read(tmp_path / "out.bvh", unit="cm", up="y")
    order = [clip.skeleton.names.index(name) for name in out.skeleton.names]
    assert order == [0, 1, 3, 5, 2, 4]
    assert np.allclose(out.positions(), clip.positions()[:, order], atol=1e-7)


def test_names_that_would_break_the_file_are_mended(tmp_path):
    clip = made_clip([-1, 0])
    names = ("a{b}\nc", "  ")
    clip = clip.replace(skeleton=Skeleton(names, clip.skeleton.parents, clip.skeleton.offsets))
    kt.write(clip, tmp_path / "out.bvh")
    assert kt.read(tmp_path / "out.bvh", unit="cm", up="y").skeleton.names == ("a_b_c", "joint1")


@pytest.mark.parametrize("body", ["never", "always"])
def test_both_bodies_write_and_read_the_same(tmp_path, monkeypatch, body, long):
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    wanted = kt.write(turned(long, 0, [0.1, 0, 0]), tmp_path / "a.bvh").read_bytes()
    monkeypatch.setenv("KINETUNE_COMPILED", body)
    assert kt.write(turned(long, 0, [0.1, 0, 0]), tmp_path / "b.bvh").read_bytes() == wanted
    assert np.array_equal(kt.read(tmp_path / "a.bvh").rotations, kt.read(tmp_path / "b.bvh").rotations)


def test_a_unit_and_axes_that_readers_would_take_for_others_are_reported(tmp_path):
    grown = kt.sample("walk")[:10]
    joints = grown.skeleton
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kt.write(Clip(joints, 30.0, grown.root, grown.rotations), tmp_path / "grown.bvh")
    small = Skeleton(joints.names, joints.parents, 0.5 * joints.offsets)
    with pytest.warns(UserWarning, match=r'taken for in and Y up\. Read it with unit="cm" \(--unit cm\)'):
        kt.write(Clip(small, 30.0, 0.5 * grown.root, grown.rotations), tmp_path / "small.bvh")
    again = kt.read(tmp_path / "small.bvh", unit="cm")
    assert again.skeleton.height == pytest.approx(small.height, rel=0.01)
