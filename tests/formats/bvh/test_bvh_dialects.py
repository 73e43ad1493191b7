"""Every dialect of BVH that broke an importer somewhere (numbers: the list of odd files beside the real data)."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import MalformedFileError, ParameterError
from tests.formats.bvh.bvh_text import ROOT, SMALL, TURN, plain_world, rows


def read(tmp_path, text, **options):
    path = tmp_path / "odd.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    options.setdefault("unit", "m")
    options.setdefault("up", "y")
    return kt.read(path, **options)


def messages(clip, kind=None):
    kinds = {"odd": ("guessed", "repaired"), None: ()}
    return [
        f.message
        for f in clip.source.findings
        if (not f.kind.startswith(kinds[kind]) if kind in kinds else f.kind.startswith(kind))
    ]


@pytest.fixture
def plain(tmp_path):
    return read(tmp_path, SMALL)


def assert_same(clip, other):
    assert clip.skeleton.names == other.skeleton.names
    assert np.array_equal(clip.skeleton.offsets, other.skeleton.offsets)
    assert clip.skeleton.end_sites == other.skeleton.end_sites
    assert np.array_equal(clip.root, other.root)
    assert np.array_equal(clip.rotations, other.rotations)
    assert clip.fps == other.fps


def one_joint_each(names, channels=None, offsets=None, frames=2, seed=0, frame_time="0.04", frames_text=None):
    """A chain of joints, each below the one before, with random motion."""
    channels = channels or [ROOT] + [TURN] * (len(names) - 1)
    offsets = offsets or [(0, 0, 0)] + [(0.5 * k, 10, 1) for k in range(1, len(names))]
    lines = ["HIERARCHY"]
    for depth, (name, channel, offset) in enumerate(zip(names, channels, offsets, strict=True)):
        tab = "\t" * depth
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {name}", f"{tab}{{"]
        lines += [f"{tab}\tOFFSET {offset[0]} {offset[1]} {offset[2]}"]
        lines += [f"{tab}\tCHANNELS {len(channel.split())} {channel}".rstrip()]
    tab = "\t" * len(names)
    lines += [f"{tab}End Site", f"{tab}{{", f"{tab}\tOFFSET 0 5 0", f"{tab}}}"]
    lines += ["\t" * depth + "}" for depth in range(len(names) - 1, -1, -1)]
    width = sum(len(c.split()) for c in channels)
    values = np.round(np.random.default_rng(seed).uniform(-90, 90, (frames, width)), 4)
    count = frames if frames_text is None else frames_text
    return "\n".join([*lines, "MOTION", f"Frames: {count}", f"Frame Time: {frame_time}", rows(values, 4)])


def test_a_plain_file(plain):
    assert plain.skeleton.names == ("Hips", "Chest", "Leg")
    assert plain.skeleton.parents.tolist() == [-1, 0, 0]
    assert [(s.parent, s.offset) for s in plain.skeleton.end_sites] == [(1, (0, 3.87, 0)), (2, (0, -4, 1))]
    assert (len(plain), plain.fps) == (3, 30)
    assert plain.root[0].tolist() == [8.03, 35.01, 88.36]
    assert plain.source.format == "bvh"
    assert messages(plain) == []
    assert np.allclose(plain.positions(), plain_world(SMALL), atol=1e-12)


# 1-3


@pytest.mark.parametrize(
    "name",
    ["mixamorig:Hips", "Model.Hips", "Bip01 Neck", "headphone 1", "Hüfte", "腰", "R_Should_End", "End", "MOTION"],
)
def test_names_of_any_kind(tmp_path, name):
    clip = read(tmp_path, one_joint_each(["Root", name, "Tip"]))
    assert clip.skeleton.names == ("Root", name, "Tip")
    assert len(clip.skeleton.end_sites) == 1
    assert kt.read(kt.write(clip, tmp_path / "again.bvh"), unit="m", up="y").skeleton.names == clip.skeleton.names


def test_a_name_before_a_brace_on_the_same_line(tmp_path, plain):
    assert_same(read(tmp_path, SMALL.replace("Chest\n\t{", "Chest {")), plain)


# 4-6


def test_six_channels_on_every_joint_are_honoured(tmp_path):
    text = one_joint_each(["A", "B", "C"], [ROOT] * 3, frames=5)
    clip = read(tmp_path, text)
    assert clip.translations is not None
    assert np.allclose(clip.positions(), plain_world(text), atol=1e-12)


def test_mixed_channel_counts(tmp_path):
    text = one_joint_each(["A", "B", "C", "D", "E"], [ROOT, TURN, ROOT, "Xrotation", ""], frames=5)
    clip = read(tmp_path, text)
    assert np.allclose(clip.positions(), plain_world(text), atol=1e-12)


def test_geometry_in_constant_position_channels(tmp_path):
    text = one_joint_each(["A", "B", "C"], [ROOT] * 3, [(0, 0, 0)] * 3, frames=1)
    last = text.rstrip().splitlines()[-1]
    clip = read(tmp_path, text.replace("Frames: 1", "Frames: 3") + f"{last}\n{last}\n")
    assert clip.translations is None
    assert np.all(np.linalg.norm(clip.skeleton.offsets[1:], axis=1) > 1)
    assert any("position channels and not by their OFFSET" in m for m in messages(clip, "odd"))


def test_position_channels_that_stay_at_zero_count_from_the_offset(tmp_path):
    text = one_joint_each(["A", "B", "C"], [ROOT] * 3, frames=4)
    head, _, motion = text.partition("Frame Time: 0.04\n")
    values = np.array([line.split() for line in motion.split("\n") if line], float)
    values[:, [6, 7, 8, 12, 13, 14]] = 0.0
    text = head + "Frame Time: 0.04\n" + rows(values)
    clip = read(tmp_path, text)
    guess = next(f for f in clip.source.findings if f.override == 'positions="absolute"')
    assert guess.kind == "guessed-positions"
    assert clip.skeleton.offsets[1:].tolist() == [[0.5, 10, 1], [1, 10, 1]]
    replaced = read(tmp_path, text, positions="absolute")
    assert np.allclose(replaced.positions(), plain_world(text), atol=1e-12)
    assert np.allclose(replaced.positions()[:, 1], replaced.positions()[:, 0])
    values[:, 7] = 0.25  # one joint moves a little: still counted from its offset, since no joint contradicts
    moved = read(tmp_path, head + "Frame Time: 0.04\n" + rows(values))
    assert moved.skeleton.offsets[1].tolist() == [0.5, 10.25, 1]


def test_positions_is_explained(tmp_path):
    with pytest.raises(ParameterError, match='"absolute"'):
        read(tmp_path, SMALL, positions="sideways")


# 7-9


def test_no_channels_at_all_on_some_joints(tmp_path):
    text = one_joint_each(["A", "B", "C"], ["", TURN, ""], frames=3)
    clip = read(tmp_path, text)
    assert np.allclose(clip.positions(), plain_world(text), atol=1e-12)
    assert np.all(clip.root == 0)


def test_no_channels_on_any_joint(tmp_path):
    clip = read(tmp_path, one_joint_each(["A", "B"], ["", ""], frames=2))
    assert len(clip) == 1
    assert any("No joint has a channel" in m for m in messages(clip, "repaired"))


def test_orders_differ_from_joint_to_joint(tmp_path):
    orders = ["XYZ", "ZYX", "YXZ", "ZXY", "XZY", "YZX", "ZXZ", "ZX", "Y"]
    channels = [ROOT] + [" ".join(f"{a}rotation" for a in order) for order in orders]
    text = one_joint_each([f"j{k}" for k in range(10)], channels, frames=4)
    clip = read(tmp_path, text)
    assert np.allclose(clip.positions(), plain_world(text), atol=1e-12)
    assert any("different rotation orders" in m for m in messages(clip, "odd"))


def test_rotations_before_positions(tmp_path):
    text = one_joint_each(["A", "B"], [f"{TURN} Xposition Yposition Zposition", TURN], frames=3)
    assert np.allclose(read(tmp_path, text).positions(), plain_world(text), atol=1e-12)


# 10-12


def test_a_leaf_without_end_site(tmp_path):
    site = "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0.00 3.87 0.00\n\t\t}\n"
    clip = read(tmp_path, SMALL.replace(site, ""))
    assert len(clip.skeleton.end_sites) == 1
    assert any("without an End Site" in m for m in messages(clip, "odd"))
    again = kt.read(kt.write(clip, tmp_path / "again.bvh"), unit="m", up="y")
    assert again.skeleton == clip.skeleton


@pytest.mark.parametrize("spelling", ["End site", "END SITE", "EndSite", "end  site", "End Site Tip"])
def test_spellings_of_end_site(tmp_path, plain, spelling):
    clip = read(tmp_path, SMALL.replace("End Site", spelling))
    assert [(s.parent, s.offset) for s in clip.skeleton.end_sites] == [(1, (0, 3.87, 0)), (2, (0, -4, 1))]
    assert spelling.replace("  ", " ") in kt.write(clip, tmp_path / "o.bvh").read_text().replace("  ", " ")
    assert np.array_equal(clip.rotations, plain.rotations)


def test_an_end_site_with_channels_is_a_joint(tmp_path):
    text = SMALL.replace("OFFSET 0.00 3.87 0.00", f"OFFSET 0.00 3.87 0.00\n CHANNELS 3 {TURN}")
    text = text.replace(" 7.88", " 0 0 0 7.88").replace(" 7.67", " 0 0 0 7.67").replace(" 7.50 ", " 0 0 0 7.50 ")
    clip = read(tmp_path, text)
    assert clip.skeleton.names == ("Hips", "Chest", "Chest_end", "Leg")


# 13-14


def test_scientific_notation_and_denormals(tmp_path):
    clip = read(tmp_path, SMALL.replace("-3.41", "-3.41e+00").replace("43.61", "4361e-2").replace("7.60", "7.6e-40"))
    assert clip.root[2, 0] == 7.6e-40
    assert clip.source.layout.decimals == 2


def test_numbers_without_a_blank_between(tmp_path, plain):
    clip = read(tmp_path, SMALL.replace("88.36 -3.41", "88.36-3.41"))
    assert_same(clip, plain)
    assert any("1 numbers touch" in m for m in messages(clip, "repaired"))


# 15-20


@pytest.mark.parametrize("declared", [1, 2, 4, 1_000_000_000, 0])
def test_a_wrong_frame_count_is_mended(tmp_path, plain, declared):
    clip = read(tmp_path, SMALL.replace("Frames: 3", f"Frames: {declared}"))
    assert_same(clip, plain)
    assert any(f"declares {declared} frames and has 3" in m for m in messages(clip, "repaired"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Frames: 3", "Frames: 3                "),
        ("Frames: 3", "Frames:\t3"),
        ("Frames: 3", "Frames 3"),
        ("Frames: 3", "FRAMES: 3"),
        ("Frames: 3\nFrame Time: 0.033333", "Frame Time: 0.033333\nFrames: 3"),
        ("\n8.03", "\n\t8.03"),
        (" ", "\t"),
        (" ", "    "),
        ("\n", "\r\n"),
        ("\n", " \r\n"),
        ("\n", "\r"),
        ("\n", "\n\n"),
        ("0.033333", ".033333"),
        ("0.033333", "0.033333  "),
        ("HIERARCHY", "\n\n  HIERARCHY"),
        ("HIERARCHY\n", ""),
        ("MOTION", "MOTION\n\n"),
        ("-0.00\n", "-0.00"),
        ("-0.00\n", "-0.00\n\n\x1a\x00"),
        ("Frames: 3\n", ""),
        ("{", "{ "),
        ("CHANNELS 3", "channels 3"),
        ("JOINT", "joint"),
        ("rotation", "ROTATION"),
    ],
)
def test_spacing_and_spelling_do_not_matter(tmp_path, plain, old, new):
    clip = read(tmp_path, SMALL.replace(old, new))
    assert_same(clip, plain)


@pytest.mark.parametrize(
    ("text", "fps"),
    [("0.008342", 119.88), ("0.008", 125), ("0.025", 40), ("0.041667", 24), (".0083333", 120), ("0.0138889", 72)],
)
def test_frame_rates(tmp_path, text, fps):
    clip = read(tmp_path, SMALL.replace("0.033333", text))
    assert clip.fps == fps
    assert f"Frame Time: {text}\n" in kt.write(clip, tmp_path / "o.bvh").read_text()


def test_a_given_rate_wins(tmp_path):
    assert read(tmp_path, SMALL, fps=60).fps == 60
    with pytest.raises(ParameterError, match=r"from 0\.001 to 100,000"):
        read(tmp_path, SMALL, fps=0)


def test_a_missing_rate_is_a_guess(tmp_path):
    clip = read(tmp_path, SMALL.replace("Frame Time: 0.033333\n", ""))
    assert clip.fps == 30
    assert any(f.override == "fps" for f in clip.source.findings)
    assert not any(f.override == "fps" for f in read(tmp_path, SMALL.replace("0.033333", "0"), fps=25).source.findings)


# 21-23


def test_zero_length_bones(tmp_path):
    text = one_joint_each(["A", "B", "C"], None, [(0, 0, 0), (0, 0, 0), (0, 0, 0)], frames=3)
    assert np.allclose(read(tmp_path, text).positions(), plain_world(text), atol=1e-12)


def test_the_whole_motion_on_one_line(tmp_path, plain):
    head, _, motion = SMALL.partition("0.033333\n")
    clip = read(tmp_path, head + "0.033333\n" + motion.replace("\n", " "))
    assert_same(clip, plain)
    assert any("on one line" in m for m in messages(clip, "odd"))


def test_frames_wrapped_over_several_lines(tmp_path, plain):
    head, _, motion = SMALL.partition("0.033333\n")
    clip = read(tmp_path, head + "0.033333\n" + motion.replace(" ", "\n"))
    assert_same(clip, plain)


def test_everything_on_one_line(tmp_path, plain):
    assert_same(read(tmp_path, " ".join(SMALL.split())), plain)


def test_stray_words_are_skipped(tmp_path, plain):
    clip = read(tmp_path, SMALL.replace("\tJOINT Leg", "z\n\tJOINT Leg"))
    assert_same(clip, plain)
    assert messages(clip, "repaired") == ['Line 15: "z" is not part of a hierarchy and is skipped.']


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\t}\n}\nMOTION", "\t}\nMOTION"),
        ("}\nMOTION", "}\n}\nMOTION"),
        ("\t\t}\n\t}\n\tJOINT Leg", "\t\t}\n\tJOINT Leg"),
        ("\t\t}\n\t}\n\tJOINT Leg", "\t\t}\n\t}\n}\n\tJOINT Leg"),
        ("JOINT Leg\n\t{", "JOINT Leg\n"),
    ],
)
def test_unbalanced_braces_are_mended(tmp_path, plain, old, new):
    assert old in SMALL
    clip = read(tmp_path, SMALL.replace(old, new))
    assert_same(clip, plain)
    assert clip.skeleton.parents.tolist() == [-1, 0, 0]
    assert messages(clip, "repaired")


def test_motion_without_hierarchy_is_explained(tmp_path):
    with pytest.raises(MalformedFileError, match=r"odd\.bvh:1: .*rows of motion but no HIERARCHY"):
        read(tmp_path, "MOTION\nFrames: 2\nFrame Time: 0.03\n1 2 3\n4 5 6\n")
    with pytest.raises(MalformedFileError, match="rows of motion but no HIERARCHY"):
        read(tmp_path, "1.0 2.0 3.0\n4 5e-3 6\n")


# 24-28


def test_root_offset_is_replaced_by_the_channels(tmp_path, plain):
    clip = read(tmp_path, SMALL.replace("OFFSET 0.00 0.00 0.00", "OFFSET 173.408295 91.952423 -518.280273"))
    assert np.array_equal(clip.root, plain.root)
    assert any("channels replace it" in m for m in messages(clip))
    added = read(tmp_path, SMALL.replace("OFFSET 0.00 0.00 0.00", "OFFSET 1 2 3"), positions="relative")
    assert np.allclose(added.root, plain.root + np.array([1, 2, 3]))


def test_a_root_without_positions_stays_at_its_offset(tmp_path):
    clip = read(tmp_path, one_joint_each(["A", "B"], [TURN, TURN], [(1, 2, 3), (0, 1, 0)]))
    assert clip.root.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_several_roots(tmp_path):
    head, _, motion = SMALL.partition("MOTION\n")
    second = head.replace("HIERARCHY\n", "").replace("Hips", "Box").replace("Chest", "Lid").replace("Leg", "Foot")
    lines = motion.splitlines()
    doubled = [*lines[:2], *(f"{line} {line}" for line in lines[2:])]
    text = "\n".join([head + second + "MOTION", *doubled, ""])
    clip = read(tmp_path, text)
    assert clip.skeleton.roots == (0, 3)
    assert any("2 roots" in m for m in messages(clip, "odd"))
    assert np.allclose(clip.positions()[:, :3], clip.positions()[:, 3:])
    again = kt.read(kt.write(clip, tmp_path / "again.bvh"), unit="m", up="y")
    assert again.skeleton == clip.skeleton
    assert np.array_equal(again.positions(), clip.positions())


def test_a_first_frame_in_another_pose_is_kept(tmp_path, plain):
    first = " ".join(["0"] * 12)
    clip = read(tmp_path, SMALL.replace("\n8.03", f"\n{first}\n8.03").replace("Frames: 3", "Frames: 4"))
    assert len(clip) == 4
    assert np.array_equal(clip.rotations[1:], plain.rotations)
