import io
import json
import zipfile

import numpy as np
import pytest

from kinetune.body.source import Source
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.format import ReadOptions
from kinetune.formats.npz import amass, native_npz
from kinetune.formats.npz.npz_arrays import LARGEST
from tests.formats import sample_clips


def saved(tmp_path, clip, name="clip.npz"):
    path = tmp_path / name
    (written,) = native_npz.write(clip, path).items()
    path.write_bytes(written[1])
    return path


def changed(tmp_path, **changes):
    """A native file with some arrays replaced (None: removed)."""
    path = saved(tmp_path, sample_clips.full_clip())
    arrays = dict(np.load(path)) | changes
    np.savez_compressed(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def read(path, **options):
    return native_npz.read(path, ReadOptions(**options))


def test_everything_comes_back_to_the_bit(tmp_path):
    source = Source("bvh", "walk.bvh", "cm", 0.01, "z", (Finding("guess", "Taken as cm.", "unit"), Finding("odd", "ä")))
    clip = sample_clips.full_clip(source=source)
    back = read(saved(tmp_path, clip))
    assert back.skeleton == clip.skeleton
    assert back.fps == clip.fps
    for name in ("root", "rotations", "translations"):
        assert np.array_equal(getattr(back, name), getattr(clip, name))
    assert back.contacts == clip.contacts
    assert back.markers == clip.markers
    assert back.history == clip.history
    assert back.source == source


def test_a_plain_clip_stays_plain(tmp_path):
    back = read(saved(tmp_path, sample_clips.clip(frames=1, fps=119.88)))
    assert back.translations is None
    assert back.contacts is None
    assert back.fps == 119.88


def test_the_same_clip_gives_the_same_bytes(tmp_path):
    clip = sample_clips.full_clip()
    assert (
        native_npz.write(clip, tmp_path / "a.npz")[tmp_path / "a.npz"]
        == native_npz.write(clip, tmp_path / "b.npz")[tmp_path / "b.npz"]
    )


def test_numpy_reads_it_without_pickle(tmp_path):
    clip = sample_clips.clip()
    arrays = np.load(saved(tmp_path, clip), allow_pickle=False)
    assert arrays["names"].tolist() == list(clip.skeleton.names)
    assert np.array_equal(arrays["rotations"], clip.rotations)


def test_fps_may_be_overridden(tmp_path):
    assert read(saved(tmp_path, sample_clips.clip()), fps=25).fps == 25


def test_the_two_kinds_of_npz_are_told_apart(tmp_path):
    ours = saved(tmp_path, sample_clips.clip())
    theirs = tmp_path / "amass.npz"
    np.savez(theirs, poses=np.zeros((2, 72)), trans=np.zeros((2, 3)))
    other = tmp_path / "other.npz"
    np.savez(other, a=np.zeros(3))
    cut = tmp_path / "cut.npz"
    cut.write_bytes(ours.read_bytes()[:2000])
    for path, kinds in ((ours, (True, False)), (theirs, (False, True)), (other, (False, False)), (cut, (True, False))):
        start = path.read_bytes()[:64]
        assert (native_npz.recognize(path, start), amass.recognize(path, start)) == kinds


def test_a_cut_off_archive_is_said_to_be(tmp_path):
    path = saved(tmp_path, sample_clips.clip())
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:length])
        with pytest.raises(MalformedFileError, match=r"not a complete \.npz"):
            read(path)


def test_damaged_bytes_are_noticed(tmp_path):
    path = saved(tmp_path, sample_clips.clip())
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("rotations.npy").header_offset + 400
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(MalformedFileError):
        read(path)


def test_a_zip_bomb_is_refused_before_it_unpacks(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("kinetune.npy", b"x")
        with archive.open("rotations.npy", "w", force_zip64=True) as stream:
            block = bytes(1 << 20)
            for _ in range(8):
                stream.write(block)
    data = path.read_bytes()
    size = (8 << 20).to_bytes(8, "little")
    # the directory is made to declare a terabyte: its size field is the last place where the true size stands
    small = (8 << 20).to_bytes(4, "little")
    assert size in data or small in data
    with zipfile.ZipFile(path) as archive:
        start = archive.start_dir
    at = data.rindex(small, start)
    path.write_bytes(data[:at] + (LARGEST + 1).to_bytes(4, "little") + data[at + 4 :])
    with pytest.raises(MalformedFileError, match=r"would unpack from .* to 2,147,48"):
        read(path)


def test_an_array_that_declares_more_than_it_holds_is_refused(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 22, 4)})
    path = saved(tmp_path, sample_clips.clip())
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in kept.items():
            archive.writestr(name, header.getvalue() + b"\0" * 64 if name == "rotations.npy" else data)
    with pytest.raises(MalformedFileError, match="declares 1,000,000,000 frames of 22 joints"):
        read(path)


@pytest.mark.parametrize("name", ["kinetune", "names", "rotations", "contact_flags"])
def test_pickled_objects_are_never_loaded(tmp_path, name):
    path = changed(tmp_path, **{name: np.array([{"a": 1}], dtype=object)})
    with pytest.raises(MalformedFileError, match="pickled Python objects"):
        read(path)


@pytest.mark.parametrize("name", ["names", "parents", "offsets", "rest", "fps", "root", "rotations"])
def test_a_missing_array_is_named(tmp_path, name):
    with pytest.raises(MalformedFileError, match=f'no "{name}"'):
        read(changed(tmp_path, **{name: None}))


@pytest.mark.parametrize(
    "changes",
    [
        {"rotations": np.zeros((3, 2, 4))},
        {"rotations": np.zeros((40, 12, 4))},
        {"rotations": np.full((40, 12, 4), np.nan)},
        {"root": np.zeros((3, 3))},
        {"root": np.zeros(())},
        {"parents": np.arange(12)},
        {"parents": np.array(["a"] * 12)},
        {"offsets": np.full((12, 3), np.inf)},
        {"fps": np.array(-1.0)},
        {"fps": np.zeros(0)},
        {"translations": np.zeros((40, 3, 3))},
        {"contact_flags": np.zeros((4, 2), dtype=bool)},
        {"contact_heels": None},
        {"kinetune": np.array("{")},
        {"kinetune": np.array('{"version": 1}')},
        {"kinetune": np.array("[]")},
        {"kinetune": np.array("[" * 100000)},
        {"names": np.array(["same"] * 12)},
    ],
)
def test_wrong_contents_are_one_sentence(tmp_path, changes):
    path = changed(tmp_path, **changes)
    with pytest.raises(MalformedFileError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_newer_version_says_so(tmp_path):
    with pytest.raises(MalformedFileError, match="version 9"):
        read(changed(tmp_path, kinetune=np.array(json.dumps({"version": 9}))))
