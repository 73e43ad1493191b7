"""Files that we write: they read back, and the bytes are laid out as the format asks."""

import struct

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.formats.fbx.encoding.binary_writer import CREATION_TIME, BinaryWriter, file_id
from kinetune.formats.fbx.encoding.records import FbxFile, Record
from kinetune.formats.fbx.scene_objects import FbxScene
from tests.formats import sample_clips

TOP_LEVEL = [
    "FBXHeaderExtension",
    "FileId",
    "CreationTime",
    "Creator",
    "GlobalSettings",
    "Documents",
    "References",
    "Definitions",
    "Objects",
    "Connections",
    "Takes",
]


@pytest.mark.parametrize("kind", [{}, {"turned": True}, {"turned": True, "moving": True}, {"frames": 1}])
def test_our_own_file_reads_back(tmp_path, kind):
    clip = sample_clips.clip(fps=59.94, **kind)
    back = kt.read(kt.write(clip, tmp_path / "a.fbx"))
    assert back.fps == clip.fps
    assert back.skeleton.same_joints(clip.skeleton)
    assert np.allclose(back.skeleton.offsets, clip.skeleton.offsets, atol=1e-12)
    assert np.allclose(back.skeleton.rest, clip.skeleton.rest, atol=1e-12)
    assert [(site.parent, site.name) for site in back.skeleton.end_sites] == [
        (site.parent, site.name) for site in clip.skeleton.end_sites
    ]
    assert (back.translations is None) == (clip.translations is None)
    assert back.same_motion(clip, 1e-6)
    assert back.source.findings == ()
    assert (back.source.unit, back.source.up) == ("cm", "y")


@pytest.mark.parametrize("fps", [24.0, 25.0, 30.0, 60.0, 100.0, 120.0, 30000 / 1001, 12.5, 240.0])
def test_every_frame_rate_comes_back_exactly(tmp_path, fps):
    clip = sample_clips.clip(frames=7, fps=fps)
    back = kt.read(kt.write(clip, tmp_path / "a.fbx"))
    assert (back.fps, len(back)) == (fps, 7)


def test_notes_travel_in_user_properties(tmp_path):
    clip = sample_clips.full_clip()
    back = kt.read(kt.write(clip, tmp_path / "a.fbx"))
    assert (back.markers, back.history) == (clip.markers, clip.history)


def test_several_roots_read_back(tmp_path):
    body = Skeleton(("a", "b", "c"), np.array([-1, 0, -1]), np.array([[0, 0, 0], [0.1, 0, 0], [1.0, 0.5, 0]]))
    clip = Clip(body, 30, np.zeros((3, 3)), rot.identity(3, 3))
    assert kt.read(kt.write(clip, tmp_path / "a.fbx")).same_motion(clip, 1e-6)


def test_the_bytes_are_laid_out_as_every_program_writes_them(tmp_path):
    data = kt.write(sample_clips.clip(), tmp_path / "a.fbx").read_bytes()
    file = FbxFile(tmp_path / "a.fbx", data)
    assert [record.name for record in file.root.children] == TOP_LEVEL
    assert file.version == 7400
    assert len(data) % 16 == 0
    # the code that goes with 1970-01-01 10:00:00:000, as Blender writes it in every file
    assert bytes.fromhex("FABCAB09D0C8D466B176FB831CF7267E") in data[-200:]
    assert data[-16:] == bytes.fromhex("F85A8C6ADEF5D97EECE90CE3758F290B")
    assert struct.unpack("<I", data[-140:-136]) == (7400,)
    definitions, objects = file.root.child("Definitions"), file.root.child("Objects")
    counts = {kind.values[0]: kind.value("Count") for kind in definitions.all("ObjectType")}
    assert counts.pop("GlobalSettings") == 1
    assert counts == {name: sum(1 for _ in objects.all(name)) for name in counts}
    assert definitions.value("Count") == 1 + len(objects.children)


def test_the_file_id_goes_with_the_date():
    # 28 B3 2A EB B6 24 CC C2 BF C8 B0 2A A9 2B FC F1: Blender's FileId for the same date
    assert file_id(CREATION_TIME).hex().upper() == "28B32AEBB624CCC2BFC8B02AA92BFCF1"


@pytest.mark.parametrize(("version", "order"), [(7400, "<"), (7700, "<"), (7400, ">")])
def test_records_of_every_layout_read_back(tmp_path, version, order):
    values = (True, 7, np.int64(-(2**40)), 0.5, "tëxt", b"\0\1raw", np.arange(100.0), np.arange(5, dtype="i8"))
    written = [Record("Outer", values, [Record("Inner", (1,)), Record("Empty", (), [])]), Record("Last")]
    file = FbxFile(tmp_path / "a.fbx", BinaryWriter(version, order).file(written))
    outer, last = file.root.children
    assert [np.array_equal(a, b) for a, b in zip(outer.values, values, strict=True)] == [True] * len(values)
    assert [record.name for record in outer.children] == ["Inner", "Empty"]
    assert (file.version, file.order, last.name) == (version, order, "Last")
    again = BinaryWriter(version, order).file(file.root.children)
    assert again == file.data


def test_the_same_motion_gives_the_same_bytes(tmp_path):
    clip = sample_clips.clip()
    assert kt.write(clip, tmp_path / "a.fbx").read_bytes() == kt.write(clip, tmp_path / "a.fbx").read_bytes()


def test_a_chain_that_stretches_is_not_bound_tail_to_head(tmp_path):
    """Blender ties a bone to a tail that it is bound at, which is along Y of the bone above, and never moves it."""
    frames, length = 5, 0.2
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0.0] * 3, *[[0.0, length, 0.0]] * 2]))
    stretched = np.tile(skeleton.offsets, (frames, 1, 1))
    stretched[:, 1:] *= np.linspace(1.0, 1.4, frames)[:, None, None]
    clip = Clip(skeleton, 30.0, np.zeros((frames, 3)), np.tile(rot.identity(3), (frames, 1, 1)), stretched)
    path = kt.write(clip, tmp_path / "a.fbx")
    scene = FbxScene(FbxFile(path, path.read_bytes()))
    (pose,) = scene.of_kind("Pose")
    places = [record.array("Matrix")[12:15] for record in pose.record.all("PoseNode")]
    gaps = np.diff(places, axis=0) - [0.0, 100.0 * length, 0.0]
    assert (np.linalg.norm(gaps, axis=1) > 0.02).all()  # centimetres
    assert kt.read(path).same_motion(clip, 1e-5)
