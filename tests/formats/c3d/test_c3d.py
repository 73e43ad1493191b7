"""C3D: every processor, gaps, labels, and bodies that follow markers."""

import json

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import FileError, KinetuneError, MalformedFileError
from kinetune.formats.c3d._c3d_file import read_points
from kinetune.formats.c3d.marker_sets import read_label, stem_of
from tests.conftest import data_folder
from tests.formats.c3d.c3d_bytes import PROCESSORS, c3d_bytes

DATA = data_folder()
needs_data = pytest.mark.skipif(DATA is None or not (DATA / "c3d").is_dir(), reason="no .c3d here: set KINETUNE_DATA")


def some_points(frames=7, markers=5, seed=0):
    points = np.random.default_rng(seed).uniform(-900, 900, (frames, markers, 3))
    points[2:4, 1] = np.nan
    return points


@pytest.mark.parametrize("floats", [True, False])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor_writes_the_same_points(tmp_path, processor, floats):
    points = some_points()
    path = tmp_path / "a.c3d"
    path.write_bytes(c3d_bytes(list("ABCDE"), points, processor=processor, floats=floats))
    back = read_points(path)
    assert back.labels == tuple("ABCDE")
    assert (back.rate, back.unit, back.up) == (100.0, "mm", "+Z")
    assert np.array_equal(np.isnan(back.positions), np.isnan(points))
    assert np.nanmax(np.abs(back.positions - points)) < (1e-4 if floats else 0.02)
    assert back.notes == ()


@pytest.mark.parametrize("processor", PROCESSORS)
def test_events_are_markers_of_the_clip(tmp_path, processor):
    points = some_points(frames=7)
    labels = [f"m{k}" for k in range(5)]
    events = [("Right", "Foot Off", 0.0, 0.05), ("Left", "Foot Strike", 0.0, 0.02), ("General", "Clap", 0.0, 0.04)]
    path = tmp_path / "trial.c3d"
    path.write_bytes(c3d_bytes(labels, points, processor=processor, events=[*events, ("Left", "Late", 1.0, 0.0)]))
    clip = kt.read(path)
    found = [(marker.frame, marker.name) for marker in clip.markers]
    assert found == [(2, "left foot strike"), (4, "clap"), (5, "right foot off")]
    assert [marker.frame for marker in clip[4:].markers] == [0, 1]


def test_labels_beyond_255_and_frames_beyond_65535(tmp_path):
    labels = [f"m{k}" for k in range(300)]
    (tmp_path / "a.c3d").write_bytes(c3d_bytes(labels, some_points(3, 300)))
    assert read_points(tmp_path / "a.c3d").labels == tuple(labels)
    long = np.zeros((70_000, 1, 3))
    (tmp_path / "b.c3d").write_bytes(c3d_bytes(["m"], long, trial=True))
    assert len(read_points(tmp_path / "b.c3d").positions) == 70_000


def test_a_cut_off_file_keeps_its_whole_frames(tmp_path):
    data = c3d_bytes(list("ABCDE"), some_points())
    (tmp_path / "a.c3d").write_bytes(data[:-100])
    clip = kt.read(tmp_path / "a.c3d", animation="markers")
    assert len(clip) == 5
    assert any("declares 7 frames but holds 5" in f.message for f in clip.source.findings)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x" * 2000, "not a C3D file"),
        (b"\x02\x50" + b"\0" * 600, "not a C3D file"),
        (c3d_bytes(["a"], np.zeros((1, 1, 3)))[:1030], "no complete frame|lies outside"),
        (c3d_bytes(["a"], np.full((3, 1, 3), np.nan)), "never seen|ever seen"),
    ],
)
def test_bad_files_are_one_message(tmp_path, data, said):
    (tmp_path / "a.c3d").write_bytes(data)
    with pytest.raises(MalformedFileError, match=said):
        kt.read(tmp_path / "a.c3d")


@pytest.mark.slow
def test_changed_bytes_give_our_errors_only(tmp_path):
    data = bytearray(c3d_bytes(list("ABCDE"), some_points()))
    rng = np.random.default_rng(0)
    for _ in range(400):
        changed = data.copy()
        for _ in range(int(rng.integers(1, 6))):
            changed[int(rng.integers(0, 1100))] = int(rng.integers(0, 256))
        (tmp_path / "a.c3d").write_bytes(changed)
        try:
            kt.read(tmp_path / "a.c3d")
        except KinetuneError as problem:
            foreseen = "cannot be understood" not in str(problem)
        else:
            foreseen = True
        assert foreseen


# --- labels


@pytest.mark.parametrize(
    ("label", "segment", "landmark"),
    [
        ("LASI", "Hips", "asis"),
        ("Bob:RPSI", "Hips", "psis"),
        ("SACR", "Hips", "psis"),
        ("C7", "Chest", "c7"),
        ("T10", "Chest", ""),
        ("LFHD", "Head", "head"),
        ("LKNE", "LeftUpperLeg", "knee out"),
        ("RTIB", "RightLowerLeg", ""),
        ("LTOE", "LeftFoot", "toe"),
        ("RWRA", "RightLowerArm", "wrist"),
        ("LFIN", "LeftHand", ""),
        ("RTH1", "RightUpperLeg", ""),
        ("LSK3", "LeftLowerLeg", ""),
        ("RFA2", "RightLowerArm", ""),
        ("RPV1", "Hips", ""),
        ("RFLE", "RightUpperLeg", "knee out"),
        ("LKneeOut", "LeftUpperLeg", "knee out"),
        ("LUArmHigh", "LeftUpperArm", ""),
        ("WaistRFront", "Hips", "asis"),
        ("RToeIn", "RightFoot", "toe"),
        ("ForearmL2", "LeftLowerArm", ""),
        ("left thigh 3", "LeftUpperLeg", ""),
        ("HeadTop", "Head", "head"),
    ],
)
def test_labels_name_a_segment(label, segment, landmark):
    assert read_label(label)[:2] == (segment, landmark)


@pytest.mark.parametrize("label", ["Channel101", "Point   12", "Marker_3", "WheelchairRearR", "Foot_Marker1", "Probe1"])
def test_other_labels_name_none(label):
    assert read_label(label) is None


def test_clusters_are_named_by_their_stem():
    assert stem_of("Foot_Marker3") == "Foot"
    assert stem_of("Knee 12") == "Knee"


# --- bodies

PLUG_IN = {  # role -> labels with positions in the frame of the joint, metres (x to the character's left)
    "hips": {
        "LASI": (0.12, 0.08, 0.1),
        "RASI": (-0.12, 0.08, 0.1),
        "LPSI": (0.05, 0.1, -0.1),
        "RPSI": (-0.05, 0.1, -0.1),
    },
    "chest": {"C7": (0, 0.2, -0.08), "T10": (0, 0.0, -0.12), "CLAV": (0, 0.15, 0.08), "STRN": (0, 0.0, 0.12)},
    "head": {
        "LFHD": (0.07, 0.1, 0.1),
        "RFHD": (-0.07, 0.1, 0.1),
        "LBHD": (0.07, 0.1, -0.1),
        "RBHD": (-0.07, 0.1, -0.1),
    },
}
LIMBS = {
    "upper leg": {"THI": (0.09, -0.2, 0.02), "KNE": (0.055, -0.42, 0.0)},
    "lower leg": {"TIB": (0.06, -0.2, 0.02), "ANK": (0.04, -0.4, 0.0)},
    "foot": {"HEE": (0.0, -0.04, -0.07), "TOE": (0.02, -0.05, 0.14)},
}


def marked_walk(fps_step=2):
    """Markers on the sample walk, in world axes with Y up: labels, points (frames, markers, 3), and the clip."""
    clip = kt.sample("walk")[0:240:fps_step]
    places, world = clip.positions(), clip.world_rotations()
    rest = clip.skeleton.rest_rotations
    labels, points = [], []

    def put(label, role, offset):
        joint = clip.skeleton.roles[role]
        turned = rot.multiply(world[:, joint], rot.inverse(rest[joint]))
        labels.append(label)
        points.append(places[:, joint] + rot.rotate(turned, np.array(offset)))

    for role, markers in PLUG_IN.items():
        for label, offset in markers.items():
            put(label, role, offset)
    for letter, side, sign in (("L", "left", 1.0), ("R", "right", -1.0)):
        for part, markers in LIMBS.items():
            for label, (x, y, z) in markers.items():
                put(letter + label, f"{side} {part}", (sign * x, y, z))
    return labels, np.stack(points, axis=1), clip


def write_marked(path, labels, points, fps):
    """A file in millimetres with Z up."""
    z_up = 1000.0 * np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)
    path.write_bytes(c3d_bytes(labels, z_up, rate=fps))
    return path


@pytest.mark.slow
def test_a_body_follows_plug_in_gait_through_gaps(tmp_path):
    labels, points, walk = marked_walk()
    rng = np.random.default_rng(0)
    noisy = points + rng.normal(0, 0.001, points.shape)
    noisy[20:35, labels.index("LKNE")] = np.nan
    noisy[50:80, labels.index("RTHI")] = np.nan
    clip = kt.read(write_marked(tmp_path / "a.c3d", labels, noisy, walk.fps))
    assert clip.fps == pytest.approx(walk.fps)
    assert clip.translations is None
    residuals = clip.source.layout.residuals_mm
    assert set(residuals) == set(labels)
    assert np.mean(list(residuals.values())) < 8.0
    for role in ("left lower leg", "right lower leg", "left foot", "right foot"):
        away = np.linalg.norm(clip.joint(role).positions - walk.joint(role).positions, axis=1)
        assert away.mean() < 0.04, role
    gap = clip.joint("left lower leg").positions[18:38]
    truth = walk.joint("left lower leg").positions[18:38]
    assert np.abs((gap - truth) - (gap - truth).mean(axis=0)).max() < 0.04
    kinds = {finding.kind for finding in clip.source.findings}
    assert {"marker-gaps", "marker-fit"} <= kinds
    assert any("LKNE in 15 of" in f.message for f in clip.source.findings)


def test_clusters_that_share_a_point_become_a_chain(tmp_path):
    rng = np.random.default_rng(3)
    t = np.linspace(0, 6, 200)
    upper, lower = (
        rot.exp(np.stack([np.sin(t), 0.3 * np.cos(t), 0 * t], 1)),
        rot.exp(np.stack([1.2 * np.sin(2 * t), 0 * t, 0.4 * np.sin(t)], 1)),
    )
    hip = np.stack([0.2 * np.sin(t), 1 + 0 * t, 0.5 * t], 1)
    knee = hip + rot.rotate(upper, (0.0, -0.4, 0.0))
    middle = np.array([0.05, -0.2, 0.0])
    points = [hip + rot.rotate(upper, middle + o) for o in rng.uniform(-0.1, 0.1, (4, 3))]
    points += [knee + rot.rotate(lower, middle + o) for o in rng.uniform(-0.1, 0.1, (4, 3))]
    labels = [f"{name}_{k}" for name in ("Upper", "Lower") for k in range(1, 5)]
    clip = kt.read(write_marked(tmp_path / "a.c3d", labels, np.stack(points, 1), 100.0))
    assert clip.skeleton.names == ("Upper", "Lower")
    assert np.linalg.norm(clip.joint("Lower").positions - knee, axis=1).mean() < 0.01
    assert max(clip.source.layout.residuals_mm.values()) < 2.0


def test_markers_themselves_are_a_clip(tmp_path):
    labels, points, walk = marked_walk()
    points[10:20, 3] = np.nan
    path = write_marked(tmp_path / "a.c3d", labels, points, walk.fps)
    clip = kt.read(path, animation="markers")
    assert clip.skeleton.names == tuple(labels)
    assert np.nanmax(np.abs(clip.positions() - points)) < 1e-5
    part = clip[30:60]
    assert np.nanmax(np.abs(part.source.layout.markers - points[30:60])) < 1e-5
    with pytest.raises(FileError, match='Ask for "body"'):
        kt.read(path, animation="head")


def test_unknown_labels_are_markers_and_say_so(tmp_path):
    points = np.abs(some_points(20, 12)) / 500
    path = write_marked(tmp_path / "a.c3d", [f"p{k}x" for k in range(12)], points, 50.0)
    clip = kt.read(path)
    assert len(clip.skeleton.roots) == 12
    assert any(finding.kind == "no-body" and finding.remedy for finding in clip.source.findings)
    with pytest.raises(FileError, match=r"no body can be fitted.*Plug-in Gait"):
        kt.read(path, animation="body")


def test_a_recording_that_stands_along_another_axis_is_noticed(tmp_path):
    labels, points, _ = marked_walk()
    x_up = 1000.0 * np.stack([points[..., 1], points[..., 0], -points[..., 2] % 0.5], axis=-1)
    (tmp_path / "a.c3d").write_bytes(c3d_bytes([f"p{k}x" for k in range(len(labels))], x_up, up="+Z"))
    clip = kt.read(tmp_path / "a.c3d")
    assert clip.source.up == "x"
    assert any(finding.override == "up" for finding in clip.source.findings)
    assert kt.read(tmp_path / "a.c3d", up="z").source.up == "z"


def test_markers_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    labels, points, walk = marked_walk(8)
    clip = kt.read(write_marked(tmp_path / "a.c3d", labels, points, walk.fps))
    figure = kt.figures.draw_strip(clip, poses=3)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "."]
    assert len(dots) == 1
    assert len(dots[0].get_xdata()) == 3 * len(labels)


# --- real recordings


@needs_data
@pytest.mark.parametrize("name", sorted(p.stem for p in (DATA / "c3d" / "golden").glob("*.json")) if DATA else [])
def test_real_files_have_golden_points(name):
    golden = json.loads((DATA / "c3d" / "golden" / f"{name}.json").read_text())
    points = read_points(DATA / "c3d" / f"{name}.c3d")
    assert list(points.labels) == golden["labels"]
    assert (len(points.positions), points.rate, points.unit) == (golden["frames"], golden["rate"], golden["units"])
    wanted = np.array(golden["points"], dtype=float)
    back = points.positions[golden["frames_index"], : wanted.shape[1]]
    assert np.array_equal(np.isnan(back), np.isnan(wanted))
    assert np.nanmax(np.abs(back - wanted)) < 0.001


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", ["c3dorg_s02_pc_int", "c3dorg_s02_dec_real", "ktk_sample_OptiTrack_walking"])
def test_a_body_follows_real_gait(name):
    clip = kt.read(DATA / "c3d" / f"{name}.c3d")
    assert np.mean(list(clip.source.layout.residuals_mm.values())) < 5.0
    assert max(clip.source.layout.residuals_mm.values()) < 15.0


def test_analog_channels_are_left_out_with_a_note(tmp_path):
    points = some_points(4, 3)
    data = bytearray(c3d_bytes(list("ABC"), points))
    start = 512 * (int.from_bytes(data[16:18], "little") - 1)
    data[4:6] = (2).to_bytes(2, "little")
    rows = np.frombuffer(bytes(data[start:]), "<f4").reshape(4, 12)
    (tmp_path / "a.c3d").write_bytes(bytes(data[:start]) + np.hstack([rows, np.full((4, 2), 9.0, "<f4")]).tobytes())
    (tmp_path / "b.c3d").write_bytes(c3d_bytes(list("ABC"), points))
    clip, plain = kt.read(tmp_path / "a.c3d"), kt.read(tmp_path / "b.c3d")
    assert clip.same_motion(plain)
    (note,) = [finding for finding in clip.source.findings if finding.kind == "analog-channels"]
    assert "2 samples a frame" in note.message
    assert not [finding for finding in plain.source.findings if finding.kind == "analog-channels"]
