"""The front door: which format a file is, and files that are whole or absent."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import FileError, MalformedFileError, UnknownFormatError
from kinetune.formats import FORMATS, MODULES, Format, check_target, suffixes, write_files
from kinetune.formats import atomic_write as files
from tests.formats.bvh.bvh_text import SMALL
from tests.made_up import small_clip


@pytest.mark.parametrize("name", MODULES)
def test_every_format_of_the_table_exists_and_agrees_with_it(name):
    found = FORMATS[name]
    assert isinstance(found, Format)
    assert found.name == name
    assert found.suffixes == MODULES[name][1]
    assert found.read or found.write
    assert found.description


def test_every_suffix_is_documented():
    pages = Path(__file__).parents[2] / "docs" / "formats"
    text = "".join(page.read_text() for page in pages.glob("*.md"))
    assert [suffix for suffix in suffixes() if f"`{suffix}`" not in text] == []


def test_shared_suffixes_can_be_told_apart():
    for suffix in suffixes():
        sharing = [name for name, (_, known) in MODULES.items() if suffix in known]
        if len(sharing) > 1:
            assert all(FORMATS[name].recognize is not None for name in sharing)


def test_formats_are_loaded_when_they_are_needed(tmp_path):
    (tmp_path / "a.bvh").write_text(SMALL)
    code = (
        "import sys, kinetune as kt; kt.read('a.bvh'); kt.write(kt.read('a.bvh'), 'b.bvh'); "
        "print([m for m in ('pygltflib', 'pxr', 'numba', 'scipy', 'pydantic', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_suffixes_in_capitals(tmp_path):
    (tmp_path / "A.BVH").write_text(SMALL)
    assert len(kt.read(tmp_path / "A.BVH")) == 3
    assert kt.write(small_clip(), tmp_path / "B.Bvh").exists()


def test_paths_may_be_strings(tmp_path):
    (tmp_path / "a.bvh").write_text(SMALL)
    assert len(kt.read(str(tmp_path / "a.bvh"))) == 3


# Reading


def test_a_missing_file_offers_its_neighbours(tmp_path):
    (tmp_path / "walk.bvh").write_text(SMALL)
    with pytest.raises(FileError, match=r"wakl\.bvh: there is no such file\. Did you mean walk\.bvh\?"):
        kt.read(tmp_path / "wakl.bvh")
    with pytest.raises(FileError, match=r"no such file\. Check the name and the folder\.$"):
        kt.read(tmp_path / "zzz.bvh")  # it has nothing but the suffix in common
    with pytest.raises(FileError, match=r"no such file\. There is no folder .*nowhere either"):
        kt.read(tmp_path / "nowhere" / "zzz.bvh")


def test_a_folder_an_empty_file_and_a_pipe(tmp_path):
    with pytest.raises(FileError, match="this is a folder"):
        kt.read(tmp_path)
    (tmp_path / "a.bvh").touch()
    with pytest.raises(MalformedFileError, match=r"a\.bvh: the file is empty"):
        kt.read(tmp_path / "a.bvh")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "p.bvh")
        with pytest.raises(FileError, match="not a plain file"):
            kt.read(tmp_path / "p.bvh")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "a.bvh").write_text(SMALL)

    def refuse(path, options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("kinetune.formats._load", lambda module: Format("bvh", (".bvh",), "", read=refuse))
    with pytest.raises(FileError, match=r"a\.bvh: it cannot be read \(Permission denied\)"):
        kt.read(tmp_path / "a.bvh")


def test_an_unknown_suffix_offers_the_nearest(tmp_path):
    path = tmp_path / "walk.bhv"
    path.write_text(SMALL)
    with pytest.raises(UnknownFormatError, match=r'no format has the suffix "\.bhv"\. Did you mean \.bvh') as caught:
        kt.read(path)
    assert ".glb" in str(caught.value)
    with pytest.raises(UnknownFormatError, match=r"Did you mean \.bvh"):
        kt.write(small_clip(), path)
    path = tmp_path / "walk"
    path.write_text(SMALL)
    with pytest.raises(UnknownFormatError, match="no suffix"):
        kt.read(path)


def test_an_archive_that_is_neither(tmp_path):
    np.savez(tmp_path / "a.npz", something=np.zeros(3))
    with pytest.raises(FileError, match=r"a\.npz: .*neither"):
        kt.read(tmp_path / "a.npz")


def test_a_format_that_is_only_read_or_only_written(tmp_path, monkeypatch):
    (tmp_path / "a.bvh").write_text(SMALL)
    monkeypatch.setattr("kinetune.formats._load", lambda module: Format("bvh", (".bvh",), ""))
    with pytest.raises(UnknownFormatError, match="can be written but not read"):
        kt.read(tmp_path / "a.bvh")
    with pytest.raises(UnknownFormatError, match="can be read but not written"):
        kt.write(small_clip(), tmp_path / "b.bvh")


@pytest.mark.parametrize(("name", "advice"), [("walk.blend", r"\.glb"), ("walk.mp4", "made with: kinetune film$")])
def test_a_suffix_that_is_none_of_ours_is_refused_as_a_target(name: str, advice: str) -> None:
    """What to export instead is said of files to read; here it would lead the wrong way."""
    with pytest.raises(UnknownFormatError, match=rf"clips are not written to .*{advice}") as caught:
        check_target(name)
    assert "Export it" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"fps": -1}, "from 0.001"),
        ({"fps": float("nan")}, "from 0.001"),
        ({"fps": 1e9}, "to 100,000"),
        ({"unit": "furlong"}, "not a unit"),
        ({"unit": -1}, "positive"),
        ({"up": "w"}, "not an up axis"),
    ],
)
def test_options_out_of_range(tmp_path, options, match):
    (tmp_path / "a.bvh").write_text(SMALL)
    with pytest.raises(kt.KinetuneError, match=match):
        kt.read(tmp_path / "a.bvh", **options)


# Writing


def test_a_written_file_replaces_the_old_one_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text("old")
    path.chmod(0o640)
    assert kt.write(small_clip(), path) == path
    assert kt.read(path).skeleton.names == ("Hips", "Spine", "Head")
    assert os.listdir(tmp_path) == ["a.bvh"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_new_file_has_the_usual_permissions(tmp_path):
    old = os.umask(0o022)
    try:
        kt.write(small_clip(), tmp_path / "a.bvh")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a.bvh").stat().st_mode) == 0o644


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_what_a_link_points_to_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.bvh"
    target.write_text("old")
    link = tmp_path / "link.bvh"
    link.symlink_to(target)
    kt.write(small_clip(), link)
    assert link.is_symlink()
    assert target.read_text().startswith("HIERARCHY")


def test_a_missing_folder_and_a_folder_as_target(tmp_path):
    with pytest.raises(FileError, match=r'there is no folder ".*deep"'):
        kt.write(small_clip(), tmp_path / "deep" / "a.bvh")
    (tmp_path / "b.bvh").mkdir()
    with pytest.raises(FileError, match="this is a folder"):
        kt.write(small_clip(), tmp_path / "b.bvh")


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "cannot be written to"), (errno.EIO, "Input/output error")],
)
def test_a_disk_that_fails_leaves_the_old_file(tmp_path, monkeypatch, number, words):
    path = tmp_path / "a.bvh"
    path.write_text("old")

    def fail(_handle):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(FileError, match=words):
        kt.write(small_clip(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.bvh"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_disk_that_is_really_full(tmp_path, monkeypatch):
    real = os.open
    monkeypatch.setattr(files.os, "open", lambda path, flags, mode: real("/dev/full", os.O_WRONLY))
    monkeypatch.setattr(files.os, "unlink", lambda path: None)
    with pytest.raises(FileError, match="the disk is full"):
        kt.write(small_clip(), tmp_path / "a.bvh")
    assert os.listdir(tmp_path) == []


def test_several_files_are_written_together_or_not_at_all(tmp_path):
    good, bad = tmp_path / "a.txt", tmp_path / "missing" / "b.txt"
    with pytest.raises(FileError):
        write_files({good: b"1", bad: b"2"})
    assert os.listdir(tmp_path) == []
    write_files({good: b"1", tmp_path / "b.txt": b"2"})
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


def test_a_pair_whose_second_half_fails_is_as_it_was(tmp_path, monkeypatch):
    first, second, new = tmp_path / "a.asf", tmp_path / "a.amc", tmp_path / "new.asf"
    write_files({first: b"old body", second: b"old motion"})
    real = os.replace

    def replace(source, target):
        if str(target).endswith(".amc"):
            raise PermissionError(13, "taken")
        real(source, target)

    monkeypatch.setattr(files.os, "replace", replace)
    for body in (first, new):
        with pytest.raises(FileError, match="may not write"):
            write_files({body: b"new body", second: b"new motion"})
    assert (first.read_bytes(), second.read_bytes()) == (b"old body", b"old motion")
    assert sorted(os.listdir(tmp_path)) == ["a.amc", "a.asf"]


@pytest.mark.skipif(os.name != "posix", reason="folders are synced on POSIX")
def test_a_renaming_is_synced_with_its_folder(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(files.os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    write_files({tmp_path / "a.txt": b"1"})
    assert synced == [(tmp_path / "a.txt").stat().st_ino, tmp_path.stat().st_ino]


def test_leftovers_of_these_files_go_and_no_others(tmp_path):
    own = tmp_path / ".walk.bvh.0123456789ab.part"
    others = [".walk.bvh.part", ".something.part", ".other.bvh.0123456789ab.part", "walk.bvh"]
    for path in (own, *(tmp_path / name for name in others)):
        path.write_text("x")
    files.remove_leftovers([tmp_path / "walk.bvh", tmp_path / "nowhere" / "walk.bvh"])
    assert sorted(os.listdir(tmp_path)) == sorted(others)


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_private_file_is_private_from_the_first_byte(tmp_path, monkeypatch):
    modes = []
    monkeypatch.setattr(files.os, "fsync", lambda handle: modes.append(os.fstat(handle).st_mode & 0o077))
    open_to_all = tmp_path / "a.txt"
    open_to_all.write_text("old")
    open_to_all.chmod(0o644)
    write_files({open_to_all: b"1", tmp_path / "b.txt": b"2"}, private=True)
    assert modes[:2] == [0, 0]
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(_handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_files({tmp_path / "a.txt": b"1"})
    assert os.listdir(tmp_path) == []
