import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError, KinetuneError, MalformedFileError
from kinetune.formats.format import ReadOptions
from kinetune.formats.positions import csv_positions
from kinetune.formats.positions.csv_positions import read_columns
from kinetune.formats.positions.pose_fit import rest_offsets, solve_pose
from tests.formats import sample_clips


def read(path, **options):
    return csv_positions.read(path, ReadOptions(**options))


def write(clip, path):
    for target, data in csv_positions.write(clip, path).items():
        target.write_bytes(data)
    return path


def table(path, clip, style="{name}.{axis}", scale=1.0, names=None, lead=("frame", "time"), delimiter=","):
    """A table as another program would write it."""
    names = names or clip.skeleton.names
    header = [*lead, *(style.format(name=n, axis=a, AXIS=a.upper()) for n in names for a in "xyz")]
    rows = [delimiter.join(header)]
    for frame, pose in enumerate(clip.positions()):
        first = {"frame": str(frame), "time": f"{frame / clip.fps:.6f}"}
        rows.append(delimiter.join([*(first[k] for k in lead), *(f"{scale * v:.7f}" for v in pose.reshape(-1))]))
    path.write_text("\n".join(rows) + "\n")
    return path


# --- rotations from positions


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_rotations_are_solved_where_positions_tell_them(seed):
    """Three children that span space fix a joint's rotation; one child fixes it up to the turn about the bone."""
    rng = np.random.default_rng(seed)
    parents = np.array([-1, 0, 0, 0, 3])
    offsets = rng.uniform(-1, 1, (5, 3))
    body = Skeleton(tuple("abcde"), parents, offsets)
    q = rng.standard_normal((4, 5, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    root = rng.uniform(-1, 1, (4, 3))
    positions, _ = forward(body, root, q)
    solved, translations = solve_pose(parents, offsets, positions)
    assert np.allclose(translations[:, 1:], offsets[1:], atol=1e-9)
    assert np.max(rot.angle_between(solved[:, 0], q[:, 0])) < 1e-6
    assert np.allclose(forward(body, root, solved)[0], positions, atol=1e-9)


def test_a_single_bone_does_not_twist():
    parents = np.array([-1, 0, 1])
    offsets = np.array([[0, 0, 0], [0, 1, 0], [0, 1.0, 0]])
    swing = rot.from_axis_angle((1, 0, 0), np.linspace(0, 2, 20))
    positions, _ = forward(Skeleton(tuple("abc"), parents, offsets), np.zeros((20, 3)), np.stack([swing] * 3, axis=1))
    solved, _ = solve_pose(parents, offsets, positions)
    _, twist = rot.swing_twist(solved[:, :2], (0, 1, 0))
    assert np.max(rot.angle(twist)) < 1e-9


def test_bones_that_change_their_length_become_translations():
    clip = sample_clips.clip(moving=True)
    offsets = rest_offsets(clip.skeleton.parents, clip.positions())
    rotations, translations = solve_pose(clip.skeleton.parents, offsets, clip.positions())
    body = Skeleton(clip.skeleton.names, clip.skeleton.parents, offsets)
    assert np.allclose(forward(body, clip.root, rotations, translations)[0], clip.positions(), atol=1e-9)


def test_zero_length_bones_and_lost_joints_are_no_trouble():
    parents = np.array([-1, 0, 1, 2])
    offsets = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1.0, 0]])
    positions = np.zeros((3, 4, 3))
    positions[:2, 2:, 1] = [1, 2]  # in the last frame all joints are in one place
    rotations, _ = solve_pose(parents, offsets, positions)
    assert np.isfinite(rotations).all()
    assert np.allclose(np.linalg.norm(rotations, axis=-1), 1)


# --- our own tables


@pytest.mark.parametrize("kind", [{}, {"turned": True}, {"moving": True}, {"frames": 1}])
def test_our_own_table_reads_back(tmp_path, kind):
    clip = sample_clips.clip(fps=59.94, **kind)
    back = read(write(clip, tmp_path / "a.csv"))
    assert back.fps == clip.fps
    assert back.skeleton.names == clip.skeleton.names
    assert np.array_equal(back.skeleton.parents, clip.skeleton.parents)
    assert np.abs(back.positions() - clip.positions()).max() < 1e-7
    assert np.allclose(back.skeleton.rest_positions, clip.skeleton.rest_positions, atol=1e-8)
    assert (back.translations is not None) == ("moving" in kind)
    assert back.source.findings == ()


def test_the_header_is_the_documented_one(tmp_path):
    lines = write(sample_clips.clip(), tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "# kinetune fps: 60.0"
    assert lines[3].startswith("frame,time,Hips.x,Hips.y,Hips.z,Spine.x")
    assert lines[5].startswith("1,0.0166666667,")


def test_awkward_names_read_back(tmp_path):
    names = ("a,b", 'say "x"', "ä.x", "time", "frame 2", "end_rot")
    clip = Clip(Skeleton(names, np.arange(-1, 5), np.full((6, 3), 0.1)), 30, np.zeros((2, 3)), rot.identity(2, 6))
    path = write(clip, tmp_path / "a.csv")
    assert '"a,b.x"' in path.read_text()
    assert read(path).skeleton.names == names


def test_several_roots_are_refused(tmp_path):
    two = Skeleton(("a", "b"), np.array([-1, -1]), np.zeros((2, 3)))
    with pytest.raises(FileError, match="2 roots"):
        csv_positions.write(Clip(two, 30, np.zeros((1, 3)), rot.identity(1, 2)), tmp_path / "a.csv")


# --- other people's tables


@pytest.mark.parametrize(
    "style",
    [
        *("{name}.{axis}", "{name}_{AXIS}", "{name} {axis}", "{name}:{AXIS}", "{name} ({axis})", "{name}[{axis}]"),
        *("{name}{AXIS}", "{axis}_{name}", "{name}.Position.{AXIS}", "{name}_t_{axis}", "{name}.{axis} [m]"),
    ],
)
def test_common_spellings_of_columns(tmp_path, style):
    clip = sample_clips.clip()
    back = read(table(tmp_path / "a.csv", clip, style))
    assert sorted(back.skeleton.names) == sorted(clip.skeleton.names)
    for name in clip.skeleton.names:
        assert np.abs(back.joint(name).positions - clip.joint(name).positions).max() < 1e-6


def test_the_tree_comes_from_names(tmp_path):
    clip = sample_clips.clip()
    back = read(table(tmp_path / "a.csv", clip))
    parent = {
        n: back.skeleton.names[p] if p >= 0 else None
        for n, p in zip(back.skeleton.names, back.skeleton.parents, strict=True)
    }
    expected = {
        n: clip.skeleton.names[p] if p >= 0 else None
        for n, p in zip(clip.skeleton.names, clip.skeleton.parents, strict=True)
    }
    assert parent == expected
    assert any("from their names" in f.message for f in back.source.findings)


def test_a_strange_joint_hangs_where_its_distance_is_steady(tmp_path):
    clip = sample_clips.clip()
    names = [*clip.skeleton.names]
    names[names.index("Head")] = "Antenna"
    back = read(table(tmp_path / "a.csv", clip, names=names))
    assert back.skeleton.names[back.skeleton.parents[back.joint("Antenna")]] == "Neck"
    assert any("Antenna" in f.message for f in back.source.findings)


def test_millimetres_and_z_up_are_noticed(tmp_path):
    clip = sample_clips.clip()
    upright = clip.replace(rotations=rot.identity(len(clip), len(clip.skeleton)))
    path = table(tmp_path / "a.csv", upright, scale=1000)
    back = read(path)
    assert back.source.unit == "mm"
    assert (
        np.abs(
            back.positions() - upright.positions()[:, [clip.skeleton.names.index(n) for n in back.skeleton.names]]
        ).max()
        < 1e-5
    )
    z_up = upright.positions()[..., [0, 2, 1]] * [1, -1, 1]
    lines = path.read_text().splitlines()[:1]
    lines += [",".join(map(str, [f, f / 60, *pose.reshape(-1)])) for f, pose in enumerate(z_up)]
    path.write_text("\n".join(lines))
    turned = read(path)
    assert turned.source.up == "z"
    assert np.abs(turned.joint("Head").positions - upright.joint("Head").positions).max() < 1e-6


def test_units_in_the_header_count(tmp_path):
    clip = sample_clips.clip()
    back = read(table(tmp_path / "a.csv", clip, "{name}.{axis} (mm)", scale=1000))
    assert back.source.unit == "mm"
    assert not any(f.override == "unit" for f in back.source.findings)
    assert np.allclose(read(tmp_path / "a.csv", unit="m").positions(), 1000 * back.positions())


def test_the_rate_comes_from_the_times(tmp_path):
    clip = sample_clips.clip(fps=100)
    assert read(table(tmp_path / "a.csv", clip)).fps == 100
    without = read(table(tmp_path / "b.csv", clip, lead=("frame",)))
    assert without.fps == 30
    assert any(f.override == "fps" for f in without.source.findings)
    assert read(tmp_path / "b.csv", fps=100).fps == 100


def test_semicolons_decimal_commas_and_tabs(tmp_path):
    clip = sample_clips.clip()
    plain = table(tmp_path / "a.csv", clip, delimiter=";")
    plain.write_text(plain.read_text().replace(".x", "_x").replace(".y", "_y").replace(".z", "_z").replace(".", ","))
    back = read(plain)
    assert any("decimal commas" in f.message for f in back.source.findings)
    assert np.abs(back.joint("Head").positions - clip.joint("Head").positions).max() < 1e-6
    assert len(read(table(tmp_path / "t.csv", clip, delimiter="\t"))) == len(clip)


def test_other_columns_are_left_out_and_reported(tmp_path):
    columns = read_columns(
        ["Frame", "Time (s)", "Hips.x", "Hips.y", "Hips.z", "Hips.rot.x", "Hips.qx", "grip", "A.x", "A.y"]
    )
    assert columns.names == ("Hips",)
    assert columns.time == 1
    assert columns.ignored == ("Hips.rot.x", "Hips.qx", "grip")
    assert columns.incomplete == ("A",)


@pytest.mark.parametrize("name", ["shoulder", "LeftShoulder", "left_collar", "finger", "Clavicular", "Hair"])
@pytest.mark.parametrize("style", ["{}.{x}", "{}_{x}", "{}{X}", "{x}_{}", "{} ({x})", "{}.pos.{x}"])
def test_a_joint_whose_name_ends_in_r_is_a_joint(name, style):
    header = [style.format(name, x=axis, X=axis.upper()) for axis in "xyz"]
    assert read_columns(header).names == (name,)


def test_an_r_is_a_side_beside_an_l_and_else_a_rotation():
    def columns(*names):
        return read_columns([f"{name}.{axis}" for name in names for axis in "xyz"]).names

    assert columns("Hand.L", "Hand.R", "Hips") == ("Hand.L", "Hand.R", "Hips")
    assert columns("Hips", "Hips.r", "HipsRot", "Spine_q") == ("Hips",)


def test_a_table_without_a_header_takes_names(tmp_path):
    clip = sample_clips.clip()
    np.savetxt(tmp_path / "a.csv", clip.positions().reshape(len(clip), -1), delimiter=",")
    with pytest.raises(MalformedFileError, match="--joints"):
        read(tmp_path / "a.csv")
    with pytest.raises(MalformedFileError, match="36 numbers, but 2 joints take 6"):
        read(tmp_path / "a.csv", joints=("Hips", "Spine"))
    back = read(tmp_path / "a.csv", joints=clip.skeleton.names)
    assert len(back) == len(clip)
    assert np.abs(back.joint("Head").positions - clip.joint("Head").positions).max() < 1e-6


def test_bones_of_other_peoples_tables_keep_their_length(tmp_path):
    clip = sample_clips.clip(moving=True)
    back = read(table(tmp_path / "a.csv", clip))
    assert back.translations is None
    finding = next(f for f in back.source.findings if f.kind == "changing-bones")
    away = np.linalg.norm(
        back.positions() - clip.positions()[:, [clip.skeleton.names.index(n) for n in back.skeleton.names]], axis=2
    )
    assert away.mean() < 0.012
    assert f"{1000 * away.mean():.2g} mm" in finding.message


def test_a_line_with_parents_is_enough(tmp_path):
    clip = sample_clips.clip()
    path = table(tmp_path / "a.csv", clip, names=[f"m{i}" for i in range(12)])
    with pytest.raises(FileError, match="kinetune parents"):
        read(path)
    parents = " ".join(map(str, clip.skeleton.parents.tolist()))
    path.write_text(f"# kinetune parents: {parents}\n" + path.read_text())
    assert np.abs(read(path).positions() - clip.positions()).max() < 1e-5


# --- bad input


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no header"),
        ("# only a comment\n", "no header"),
        ("frame,time,Hips.x,Hips.y,Hips.z\n", "no row"),
        ("1,2,3,4\n5,6,7,8\n", "x, y and z"),
        ("frame,Hips.x,Hips.y,Hips.z\n0,1,2\n", "a.csv:2: this row has 3 cells but the header has 4"),
        ("frame,Hips.x,Hips.y,Hips.z\n0,1,2,three\n", '"three" is not a number'),
        ("frame,Hips.x,Hips.y,Hips.z\n0,1,2,nan\n", "not a number"),
        ("frame,Hips.x,Hips.y,Hips.z\n0,1,,3\n", "not a number"),
        ("# kinetune parents: 0\nframe,Hips.x,Hips.y,Hips.z\n0,1,2,3\n", "parents does not fit"),
        ("# kinetune parents: -1 5\nHips.x,Hips.y,Hips.z\n1,2,3\n", "parents does not fit"),
        ("# kinetune parents: nan\nHips.x,Hips.y,Hips.z\n1,2,3\n", "parents does not fit"),
        ("# kinetune parents: x\nHips.x,Hips.y,Hips.z\n1,2,3\n", "damaged"),
        ("PK\3\4\0\0\0\0", "binary"),
        ("\x89PNG\r\n\x1a\n", "x, y and z|no row"),
    ],
)
def test_bad_tables_are_one_sentence(tmp_path, text, said):
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="latin-1", newline="")
    with pytest.raises(KinetuneError, match=said) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_cut_off_table_can_be_kept_in_part(tmp_path):
    path = write(sample_clips.clip(), tmp_path / "a.csv")
    path.write_text(path.read_text()[:-100])
    with pytest.raises(MalformedFileError, match="partial=True"):
        read(path)
    assert len(read(path, partial=True)) == 39
