"""A file takes memory and time by the bytes that it has, not by what it declares."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import MalformedFileError
from kinetune.formats.bvh.motion_rows import parse_frame_time
from tests.formats import sample_clips
from tests.formats.bvh.bvh_text import SMALL
from tests.formats.gltf.gltf_scenes import Scene, channels, nodes

RATES = ("1000000000", "1e9", "1e300", "100001", "0.000000001")


@pytest.mark.parametrize("text", RATES)
def test_a_frame_time_that_cannot_be_meant_is_a_guess(text: str) -> None:
    fps, (doubt,) = parse_frame_time(text)
    assert fps == 30.0
    assert (doubt.kind, doubt.override) == ("guessed-fps", "fps")


@pytest.mark.parametrize("fps", [0.0, 1e-4, 1e5 + 1, 1e9, float("inf"), float("nan")])
def test_no_clip_has_a_rate_that_cannot_be_meant(fps: float) -> None:
    clip = sample_clips.clip()
    with pytest.raises(kt.errors.ParameterError, match=r"from 0\.001 to 100,000"):
        clip.replace(fps=fps)


INCOMPLETE = {
    "an open brace": "HIERARCHY\nROOT x\n{",
    "no motion": SMALL[: SMALL.index("MOTION")],
    "no channels and no motion": "HIERARCHY\nROOT x\n{\nOFFSET 0 0 0\n}\n",
    "no channels, an open brace": "HIERARCHY\nROOT x\n{\nOFFSET 0 0 0\nMOTION\nFrames: 1\nFrame Time: 0.1\n",
    "a hierarchy that is cut off": SMALL[: SMALL.index("CHANNELS")],
}


@pytest.mark.parametrize("text", INCOMPLETE.values(), ids=INCOMPLETE)
def test_an_incomplete_hierarchy_is_read_only_when_asked_for(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(text)
    with pytest.raises(MalformedFileError, match=r"Is it cut off\? Read it with partial=True"):
        kt.read(path)
    assert len(kt.read(path, partial=True)) == 1


def test_joints_without_channels_do_not_multiply_the_frames(tmp_path: Path) -> None:
    joints = "JOINT a\n{\nOFFSET 0 0 0\n}\n" * 4000
    text = (
        f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{joints}}}\nMOTION\nFrames: 9\nFrame Time: 0.1\n"
    )
    (tmp_path / "a.bvh").write_text(text + "0\n" * 20_000)
    with pytest.raises(MalformedFileError, match="20,000 frames of 4,001 joints, more than"):
        kt.read(tmp_path / "a.bvh")


def test_frames_that_repeat_the_one_before_are_bounded(tmp_path: Path) -> None:
    kt.write(kt.sample("walk")[:1], tmp_path / "a.amc")
    lines = (tmp_path / "a.amc").read_text().replace(":FULLY-SPECIFIED\n", "")
    (tmp_path / "a.amc").write_text(lines + "7\n" * 100_000)
    with pytest.raises(MalformedFileError, match=r"more than .* bytes can hold"):
        kt.read(tmp_path / "a.amc")


def packed(path: Path, **arrays: np.ndarray) -> Path:
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]
    return path


def test_poses_that_are_packed_out_of_proportion_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.npz", poses=np.zeros((150_000, 66), "f2"), trans=np.zeros((150_000, 3), "f2"))
    with pytest.raises(MalformedFileError, match="150,000 frames of 22 joints, more than"):
        kt.read(path)


@pytest.mark.slow
def test_arrays_that_unpack_out_of_proportion_are_refused(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.npz", poses=np.zeros((2, 66), "f4"), trans=np.zeros((2, 3)), betas=np.zeros(150 << 20, "u1")
    )
    with pytest.raises(MalformedFileError, match="would unpack from"):
        kt.read(path)


def test_names_are_counted_before_they_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    kt.write(sample_clips.clip(), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names = io.BytesIO()
    np.lib.format.write_array(names, np.zeros(2_000_000, "<U1"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**members, "names.npy": names.getvalue()}.items():
            archive.writestr(name, content)
    with pytest.raises(MalformedFileError, match="it has 2,000,000 joints; at most 10,000"):
        kt.read(path)


@pytest.mark.slow
def test_a_long_rest_that_we_wrote_can_be_read(tmp_path: Path) -> None:
    clip = sample_clips.clip()
    frames = 160_000_000 // (32 * len(clip.skeleton))
    still = clip.replace(
        root=np.zeros((frames, 3)),
        rotations=np.tile(clip.rotations[:1], (frames, 1, 1)),
        translations=None,
        contacts=None,
        markers=(),
    )
    assert len(kt.read(kt.write(still, tmp_path / "still.npz"))) == frames


def test_gltf_accessors_that_share_bytes_are_counted(tmp_path: Path) -> None:
    scene = Scene(nodes(), [1, 3]).animate(channels())
    content = {**scene.content, "buffers": [{"byteLength": len(scene.data), "uri": "a.bin"}]}
    for accessor in content["accessors"]:
        accessor.pop("bufferView", None)
        accessor["count"] = 900_000
    (tmp_path / "a.bin").write_bytes(scene.data)
    (tmp_path / "a.gltf").write_text(json.dumps(content))
    with pytest.raises(MalformedFileError, match="too many for their bytes"):
        kt.read(tmp_path / "a.gltf")


PROBE = """
import resource, sys, kinetune as kt
clip = kt.read(sys.argv[1])
kt.find_contacts(clip)
kt.measure(clip)
for operation in (kt.Smooth(cutoff_hz=1), kt.Equalize(preset="exaggerate"), kt.PlantFeet()):
    operation(clip)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_the_fastest_rate_takes_no_more_memory_than_a_usual_one(tmp_path: Path) -> None:
    kt.write(kt.sample("walk")[:60], tmp_path / "usual.bvh")
    text = (tmp_path / "usual.bvh").read_text()
    before, _, rest = text.partition("Frame Time: ")
    (tmp_path / "fast.bvh").write_text(f"{before}Frame Time: 0.00001\n{rest.partition(chr(10))[2]}")
    used = {}
    for name in ("usual", "fast"):
        command = [sys.executable, "-c", PROBE, str(tmp_path / f"{name}.bvh")]
        used[name] = int(subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ).stdout)
    assert used["fast"] < used["usual"] + 200
