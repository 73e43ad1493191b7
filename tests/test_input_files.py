"""Every file is opened by one function: only a regular file of bounded size gets in, and nothing blocks."""

import json
import logging
import os
import socket
from pathlib import Path

import pytest

import kinetune as kt
from kinetune.errors import FileError, KinetuneError, MalformedFileError
from kinetune.input_files import most_unpacked, open_input, read_input, reading
from kinetune.inverse.walk.footsteps import read_footsteps
from kinetune.progress import Cancelled
from kinetune.signals.shaping.curve_files import list_curves

READERS = {
    **dict.fromkeys((".bvh", ".amc", ".asf", ".glb", ".gltf", ".npz", ".csv", ".usda", ".usdc"), kt.read),
    ".svg": kt.read_drawing,
    ".yaml": kt.Recipe.read,
    ".json": list_curves,
    ".steps.csv": read_footsteps,
}
NAMES = {
    "too long": "a" * 5000,
    "a NUL": "a\0b",
    "half a character": "a\ud800b",
    "a line break": "a\nb",
    "an escape": "a\x1b[31mb",
}


@pytest.fixture(params=sorted(READERS))
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_every_reader_refuses_a_pipe_at_once(tmp_path: Path, suffix: str) -> None:
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="not a plain file"):
        READERS[suffix](pipe)


def test_every_reader_refuses_a_folder_a_device_and_a_socket(tmp_path: Path, suffix: str, monkeypatch) -> None:
    with pytest.raises(FileError, match="this is a folder"):
        READERS[suffix](tmp_path)
    monkeypatch.chdir(tmp_path)  # a socket's path has room for a hundred characters
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"s{suffix}")
        with pytest.raises(FileError, match="not a plain file"):
            READERS[suffix](f"s{suffix}")
    os.symlink("/dev/zero", f"zero{suffix}")
    with pytest.raises(FileError, match="not a plain file"):
        READERS[suffix](f"zero{suffix}")


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_every_reader_answers_a_name_that_no_file_has(tmp_path: Path, suffix: str, name: str) -> None:
    with pytest.raises(FileError) as caught:
        READERS[suffix](tmp_path / f"{name}{suffix}")
    message = str(caught.value)
    assert message.isprintable()
    assert message.encode()
    assert len(message) < 1000


def test_a_file_that_is_swapped_for_a_pipe_does_not_block(tmp_path: Path, monkeypatch) -> None:
    plain, pipe = tmp_path / "a", tmp_path / "b"
    plain.write_text("x")
    os.mkfifo(pipe)
    status = os.stat(plain)
    monkeypatch.setattr(os, "stat", lambda path: status)  # what the first look saw
    with pytest.raises(FileError, match="not a plain file"):
        open_input(pipe)


def test_a_gltf_buffer_in_a_pipe_does_not_block(tmp_path: Path) -> None:
    kt.write(kt.sample("walk")[:2], tmp_path / "walk.gltf")
    scene = json.loads((tmp_path / "walk.gltf").read_text())
    scene["buffers"][0]["uri"] = "pipe.bin"
    (tmp_path / "walk.gltf").write_text(json.dumps(scene))
    os.mkfifo(tmp_path / "pipe.bin")
    with pytest.raises(FileError, match="buffer 0"):
        kt.read(tmp_path / "walk.gltf")


def test_a_usd_layer_in_a_pipe_does_not_block(tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    (tmp_path / "a.usda").write_text("#usda 1.0\n(\n    subLayers = [@pipe.usda@]\n)\n")
    os.mkfifo(tmp_path / "pipe.usda")
    with pytest.raises(FileError, match=r"pipe\.usda: this is not a plain file"):
        kt.read(tmp_path / "a.usda")


def test_size_is_bounded_and_said(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 2049)
    with pytest.raises(FileError, match="it has 2 kB; a list of up to 1 kB is read"):
        read_input(tmp_path / "large", largest=1024, what="a list")
    assert read_input(tmp_path / "large", largest=2049) == b"x" * 2049


def test_what_may_be_unpacked_grows_with_the_file() -> None:
    assert most_unpacked(0) < most_unpacked(1 << 20) < 200 << 20


def test_what_a_reader_did_not_foresee_is_one_message_and_a_logged_traceback(caplog) -> None:
    caplog.set_level(logging.WARNING)
    with pytest.raises(MalformedFileError, match=r"^walk\.bvh: .*ZeroDivisionError"), reading("walk.bvh"):
        1 / 0  # noqa: B018
    assert "ZeroDivisionError" in caplog.text


def test_the_border_lets_our_own_errors_and_a_cancel_through() -> None:
    for error in (KinetuneError("told"), Cancelled(), KeyboardInterrupt()):
        with pytest.raises(type(error)), reading("walk.bvh"):
            raise error


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="more memory than there is"), reading("walk.bvh"):
        raise MemoryError
