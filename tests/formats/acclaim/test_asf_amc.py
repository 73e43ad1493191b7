import math
import re

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.body.source import Source
from kinetune.errors import FileError, KinetuneError, MalformedFileError
from kinetune.formats.acclaim import amc, asf
from kinetune.formats.format import ReadOptions
from tests.conftest import data_folder
from tests.formats import sample_clips
from tests.formats.acclaim.acclaim_clips import AMC, ASF, agree, pair, read, write

REAL = sorted(data_folder().glob("*/*.amc")) if data_folder() else []
needs_data = pytest.mark.skipif(not REAL, reason="no .amc files here: set KINETUNE_DATA")


def test_positions_agree_with_the_textbook(tmp_path):
    clip = read(pair(tmp_path))
    assert clip.skeleton.names == ("root", "hip", "femur", "tibia", "foot", "stump")
    assert len(clip) == 2
    agree(clip, ASF, AMC)


@needs_data
@pytest.mark.parametrize("path", REAL, ids=lambda p: p.stem)
def test_real_positions_agree_with_the_textbook(path):
    clip = read(path)[:12]
    text = path.read_text(encoding="latin-1")
    cut = text.index("\n13\n")
    agree(clip, amc.find_skeleton(path, None).read_text(encoding="latin-1"), text[:cut])


def test_the_unit_is_an_inch_over_the_length(tmp_path):
    clip = read(pair(tmp_path))
    assert math.isclose(clip.source.metres_per_unit, 0.0254 / 0.45)
    assert np.allclose(clip.root[0], np.array([1.5, 17.25, -2]) * 0.0254 / 0.45)
    assert np.allclose(read(pair(tmp_path), unit="cm").root[0], [0.015, 0.1725, -0.02])


def test_an_unlikely_unit_is_guessed_and_reported(tmp_path):
    path = pair(tmp_path, ASF.replace("length 0.45", "length 100"))
    clip = read(path)
    assert 0.5 < clip.skeleton.height < 3
    assert any(f.override == "unit" and "100" in f.message for f in clip.source.findings)


def test_z_up_is_noticed_and_written_back(tmp_path):
    asf_text = ASF.replace("stump", "head").replace("foot", "lfoot")
    asf_text = asf_text.replace("direction 0 1 0", "direction 0 0 1").replace(
        "direction 0 -0.3 0.953939", "direction 0 1 0"
    )
    asf_text = asf_text.replace("direction 0.34202 -0.939693 0", "direction 0 0 -1")
    path = pair(tmp_path, asf_text, AMC.replace("stump", "head").replace("foot", "lfoot"))
    clip = read(path)
    assert clip.source.up == "z"
    assert any(f.override == "up" for f in clip.source.findings)
    assert np.allclose(clip.positions(), read(path, up="y").positions()[..., [0, 2, 1]] * [1, 1, -1])
    files = amc.write(clip, tmp_path / "new.amc")
    assert numbers(files[tmp_path / "new.amc"].decode()) == numbers(AMC)


def test_radians_and_no_fully_specified(tmp_path):
    asf_text = ASF.replace("angle deg", "angle rad").replace("axis 10 -25 20", "axis 0 0 0")
    asf_text = asf_text.replace("axis 0 5 20", "axis 0 0 0").replace("axis -90 0 20", "axis 0 0 0")
    text = "1\nroot 0 0 0 0 0 0\nfemur 0.1 0 0\ntibia 0.2\nfoot 0 0\nstump 0 0 0\n2\nfemur 0.3 0 0\n"
    clip = read(pair(tmp_path, asf_text, text))
    assert np.allclose(rot.angle(clip.rotations[:, 2]), [0.1, 0.3])
    assert np.allclose(rot.angle(clip.rotations[:, 3]), [0.2, 0.2])


def test_the_order_of_freedoms_is_the_order_of_turning(tmp_path):
    clip = read(pair(tmp_path))
    expected = rot.from_euler(np.deg2rad([3, 2, 1]), "YXZ")  # rz 1, rx 2, ry 3 about fixed axes, in that order
    assert rot.angle_between(clip.rotations[0, 5], expected) < 1e-12


def test_moving_and_stretching_bones_become_translations(tmp_path):
    asf_text = ASF.replace("dof rx\n", "dof rx l\n").replace("dof rz rx ry", "dof tx ty tz")
    clip = read(
        pair(tmp_path, asf_text, AMC.replace("tibia 33.5", "tibia 33.5 8").replace("tibia -3e-015", "tibia 0 7"))
    )
    unit = clip.source.metres_per_unit
    assert np.allclose(clip.translations[:, 5], np.array([[1, 2, 3], [1.5, 2.5, 3.5]]) * unit)
    assert np.allclose(np.linalg.norm(clip.translations[:, 4], axis=1), np.array([8, 7]) * unit, atol=1e-6)
    out = tmp_path / "out"
    out.mkdir()
    assert read(write(clip, out / "a.amc")).same_motion(clip)
    loose = clip.replace(translations=clip.translations * 1.1)
    with pytest.raises(FileError, match="moves by"):
        amc.write(loose, out / "b.amc")


def test_the_frame_rate_is_a_reported_guess(tmp_path):
    clip = read(pair(tmp_path))
    assert clip.fps == 120
    assert [f.override for f in clip.source.findings if f.kind.startswith("guessed")] == ["fps"]
    assert read(pair(tmp_path), fps=60).fps == 60
    told = read(pair(tmp_path, amc_text=AMC.replace(":DEGREES", ":SAMPLES-PER-SECOND 30\n:DEGREES")))
    assert told.fps == 30
    assert not told.source.findings


# --- which skeleton


def test_the_skeleton_is_found_by_stem_then_by_prefix(tmp_path):
    path = pair(tmp_path)
    assert amc.find_skeleton(path, None).name == "02.asf"
    (tmp_path / "03.asf").write_text(ASF)
    assert amc.find_skeleton(path, None).name == "02.asf"
    (tmp_path / "02_01.asf").write_text(ASF)
    assert amc.find_skeleton(path, None).name == "02_01.asf"
    assert amc.find_skeleton(path, tmp_path / "03.asf").name == "03.asf"


def test_no_skeleton_or_too_many_say_what_to_do(tmp_path):
    path = pair(tmp_path, skeleton="x")
    with pytest.raises(FileError, match="skeleton=PATH"):
        read(path)
    for name in ("02.asf", "0.asf"):
        (tmp_path / name).write_text(ASF)
    with pytest.raises(FileError, match="2 skeletons"):
        read(path)
    with pytest.raises(FileError, match="does not exist"):
        read(path, skeleton=tmp_path / "nothing.asf")


# --- writing back


def numbers(text):
    return [[float(w) for w in line.split()[1:]] for line in text.splitlines() if line[:1].isalpha()]


def test_written_back_as_it_was(tmp_path):
    path = pair(tmp_path)
    files = amc.write(read(path), tmp_path / "new.amc")
    assert files[tmp_path / "new.asf"].decode() == ASF
    assert numbers(files[tmp_path / "new.amc"].decode()) == numbers(AMC)
    assert files[tmp_path / "new.amc"].decode().splitlines()[:3] == AMC.splitlines()[:3]


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("path", REAL, ids=lambda p: p.stem)
def test_real_files_are_written_back_as_they_were(path, tmp_path):
    clip = read(path)
    files = amc.write(clip, tmp_path / "new.amc")
    assert numbers(files[tmp_path / "new.amc"].decode()) == numbers(path.read_text(encoding="latin-1"))
    write(clip, tmp_path / "new.amc")
    assert read(tmp_path / "new.amc").same_motion(clip)


def test_a_slice_keeps_its_numbers(tmp_path):
    clip = read(pair(tmp_path))[1:]
    text = amc.write(clip, tmp_path / "new.amc")[tmp_path / "new.amc"].decode()
    assert numbers(text) == numbers(AMC)[5:]


def test_a_new_file_begins_with_its_comment_and_its_rate(tmp_path):
    text = amc.write(sample_clips.clip(), tmp_path / "new.amc")[tmp_path / "new.amc"].decode()
    assert text.startswith("# Motion written by Kinetune\n:FULLY-SPECIFIED\n:SAMPLES-PER-SECOND")


def test_an_edit_keeps_the_rest_and_the_freedoms(tmp_path):
    clip = read(pair(tmp_path))
    turned = clip.rotations.copy()
    turned[:, 2] = rot.multiply(rot.from_axis_angle((0, 0, 1), 0.2), turned[:, 2])
    edited = clip.replace(rotations=turned)
    files = amc.write(edited, tmp_path / "new.amc")
    assert files[tmp_path / "new.asf"].decode() == ASF
    before, after = numbers(AMC), numbers(files[tmp_path / "new.amc"].decode())
    assert [row for i, row in enumerate(after) if i % 5 != 1] == [row for i, row in enumerate(before) if i % 5 != 1]
    assert read(write(edited, tmp_path / "new.amc")).same_motion(edited, 1e-8)


def test_a_turn_that_the_freedoms_cannot_hold_is_not_lost(tmp_path):
    clip = read(pair(tmp_path))
    turned = clip.rotations.copy()
    turned[:, 3] = rot.multiply(rot.from_axis_angle((0.3, 1, 0.2), 0.2), turned[:, 3])  # a knee that twists
    turned[:, 1] = rot.from_axis_angle((1, 0, 0), 0.1)  # a bone that had no freedom at all
    edited = clip.replace(rotations=turned)
    path = write(edited, tmp_path / "new.amc")
    assert "dof rx ry rz" in path.with_suffix(".asf").read_text()
    assert read(path).same_motion(edited, 1e-8)


def test_other_lengths_and_rates_are_written(tmp_path):
    clip = read(pair(tmp_path))
    longer = Clip(clip.skeleton, 30.0, np.repeat(clip.root, 3, 0), np.repeat(clip.rotations, 3, 0), source=clip.source)
    back = read(write(longer, tmp_path / "new.amc"))
    assert back.fps == 30
    assert back.same_motion(longer, 1e-8)


# --- clips from elsewhere


@pytest.mark.parametrize("turned", [False, True])
def test_any_clip_round_trips(tmp_path, turned):
    clip = sample_clips.clip(turned=turned, fps=59.94)
    back = read(write(clip, tmp_path / "any.amc"))
    assert back.skeleton.names == clip.skeleton.names
    assert np.array_equal(back.skeleton.parents, clip.skeleton.parents)
    assert back.fps == clip.fps
    assert np.abs(back.positions() - clip.positions()).max() < 1e-8
    assert [(s.parent, s.name) for s in back.skeleton.end_sites] == [
        (s.parent, s.name) for s in clip.skeleton.end_sites
    ]
    assert np.abs(back.skeleton.rest_positions - clip.skeleton.rest_positions).max() < 1e-8
    if not turned:
        assert back.same_motion(clip, 1e-8)
        sites = zip(back.skeleton.end_sites, clip.skeleton.end_sites, strict=True)
        assert all(np.allclose(a.offset, b.offset) for a, b in sites)


def test_awkward_names_and_end_sites_round_trip(tmp_path):
    names = ("My Hips", "Hand", "hand", "root", "a#b", "(x), y", "ä:ö")
    offsets = np.arange(21.0).reshape(7, 3) % 5 / 10
    sites = (
        EndSite(0, (0.1, 0, 0)),
        EndSite(6, (0, 0.1, 0), "tip one"),
        EndSite(6, (0, 0, 0.1)),
        EndSite(1, (0, 0, 0)),
    )
    body = Skeleton(names, np.array([-1, 0, 1, 0, 3, 3, 5]), offsets, sites)
    q = rot.exp(np.random.default_rng(0).uniform(-1, 1, (3, 7, 3)))
    clip = Clip(body, 120, np.ones((3, 3)), q)
    back = read(write(clip, tmp_path / "odd.amc"))
    assert back.skeleton.names == names
    assert back.same_motion(clip, 1e-8)
    assert sorted((s.parent, np.round(s.offset, 6).tolist(), s.name or "") for s in back.skeleton.end_sites) == sorted(
        (s.parent, np.round(s.offset, 6).tolist(), s.name or "") for s in sites
    )


def test_what_amc_cannot_hold_is_said(tmp_path):
    with pytest.raises(FileError, match="moves by"):
        amc.write(sample_clips.clip(moving=True), tmp_path / "a.amc")
    two = Skeleton(("a", "b"), np.array([-1, -1]), np.zeros((2, 3)))
    with pytest.raises(FileError, match="2 roots"):
        amc.write(Clip(two, 30, np.zeros((1, 3)), rot.identity(1, 2)), tmp_path / "a.amc")


def test_a_joint_held_off_its_offset_stays_there(tmp_path):
    clip = sample_clips.clip()
    held = np.tile(clip.skeleton.offsets, (len(clip), 1, 1))
    held[:, 4] += 0.05
    clip = clip.replace(translations=held)
    assert np.abs(read(write(clip, tmp_path / "a.amc")).positions() - clip.positions()).max() < 1e-8


def test_a_skeleton_alone_is_one_frame(tmp_path):
    pair(tmp_path)
    clip = asf.read(tmp_path / "02.asf", ReadOptions())
    assert len(clip) == 1
    assert np.allclose(clip.positions()[0], clip.skeleton.rest_positions)


# --- the real recordings


@needs_data
@pytest.mark.parametrize(
    ("stem", "hand", "foot"),
    [
        ("HDM_bd_grabHighR_001_120", (90, 165), 5),
        ("HDM_bd_depositFloorR_001_120", (3, 88), 8),
        ("HDM_bd_depositFloorR_005_120", (4, 81), 13),
        ("HDM_bd_kickLFront1Reps_001_120", (109, 130), 144),
        ("HDM_bd_kickLFront1Reps_003_120", (111, 144), 144),
        ("HDM_bk_kickLFront1Reps_009_120", (82, 99), 105),
        ("HDM_dg_grabHighR_011_120", (82, 163), 2),
        ("HDM_dg_kickLFront1Reps_015_120", (75, 103), 129),
    ],
)
def test_hands_and_feet_are_where_the_recordings_say(stem, hand, foot, shared_data):
    """Heights in cm as the data's README lists them, over the lowest point of the clip."""
    clip = read(shared_data / "hdm05" / f"{stem}.amc")
    heights = 100 * clip.positions()[..., 1]
    fingers, toes = heights[:, clip.joint("rfingers")], heights[:, clip.joint("ltoes")]
    assert abs(fingers.min() - hand[0]) < 6
    assert abs(fingers.max() - hand[1]) < 6
    assert abs(toes.max() - foot) < 6


# --- bad input


def bad(old, new="", text=AMC):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (bad("tibia 33.5", "tibia 33.5 1"), "02_01.amc:7: frame 1, tibia has 2 numbers but 02.asf declares 1"),
        (bad("tibia 33.5", "tibia nan"), "not a number or is far too large"),
        (bad("tibia 33.5", "tibia 1e999"), "not a number or is far too large"),
        (bad("tibia 33.5", "tibia abc"), "not a number"),
        (bad("tibia 33.5", "tubia 33.5"), 'no bone "tubia" in 02.asf'),
        (bad("\nfoot 4.5 -7\nstump 1.5 2.5 3.5"), "frame 2 has no line for foot"),
        (bad("\nstump 1 2 3\n2", "\n2"), "appears in frame 2 but not in the first"),
        (bad("\n1\nroot", "\nroot"), "before the first frame number"),
        ("", "no frame"),
        ("#\n:DEGREES\n", "no frame"),
        ("GIF89a" + "\0" * 100, "binary file"),
        ("\x01\x02garbage\xff\n" * 5, "before the first frame number"),
    ],
)
def test_bad_motion_is_one_sentence(tmp_path, text, said):
    with pytest.raises(MalformedFileError) as caught:
        read(pair(tmp_path, amc_text=text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cut_off_motion_can_be_kept_in_part(tmp_path):
    path = pair(tmp_path, amc_text=AMC[: AMC.rindex("foot")])
    with pytest.raises(MalformedFileError, match="partial=True"):
        read(path)
    clip = read(path, partial=True)
    assert len(clip) == 1
    assert any(f.kind.startswith("repaired") for f in clip.source.findings)


@pytest.mark.parametrize(
    "text",
    [
        bad("direction 0.6 -0.8 0", "direction 0.6 nan 0", ASF),
        bad("direction 0.6 -0.8 0", "direction 0.6", ASF),
        bad("axis 10 -25 20 XYZ", "axis 10 -25 20 XXY", ASF),
        bad("dof rx\n", "dof qx\n", ASF),
        bad("dof rx\n", "dof rx rx\n", ASF),
        bad("name femur", "name", ASF),
        bad("name femur", "name hip", ASF),
        bad("tibia foot", "tibia foot femur", ASF),
        bad("tibia foot", "tibia nose", ASF),
        bad("length 0.45", "length 0", ASF),
        ASF[: ASF.index(":hierarchy")],
        ASF[:300],
        ":documentation\n  kinetune: {\n",
        "\xff\xfe garbage",
        "",
    ],
)
def test_bad_skeletons_are_one_sentence(tmp_path, text):
    with pytest.raises(KinetuneError) as caught:
        read(pair(tmp_path, asf_text=text))
    assert "02.asf" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_hierarchy_of_many_levels_is_no_trouble(tmp_path):
    count = 300
    bones = "".join(
        f"begin\nid {i}\nname b{i}\ndirection 0 1 0\nlength 0.1\naxis 0 0 0 XYZ\ndof rx\nend\n" for i in range(count)
    )
    tree = "root b0\n" + "".join(f"b{i} b{i + 1}\n" for i in range(count - 1))
    text = f":root\norder TX TY TZ RX RY RZ\n:bonedata\n{bones}:hierarchy\nbegin\n{tree}end\n"
    frame = "1\nroot 0 0 0 0 0 0\n" + "".join(f"b{i} 0\n" for i in range(count))
    clip = read(pair(tmp_path, text, frame))
    assert len(clip.skeleton) == count + 1


def test_loose_bones_are_reported(tmp_path):
    clip = read(pair(tmp_path, bad("tibia foot\n", "\n", ASF), re.sub(r"foot.*\n", "", AMC)))
    assert "foot" not in clip.skeleton.names
    assert any("have no parent" in f.message for f in clip.source.findings)


def test_the_source_remembers_where_it_came_from(tmp_path):
    path = pair(tmp_path)
    source = read(path).source
    assert isinstance(source, Source)
    assert (source.format, source.path, source.unit, source.up) == ("amc", str(path), "cmu", "y")
