"""Arrays of joint positions, with names that the user gives."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import MalformedFileError
from tests.formats import sample_clips

NAMES = ",".join(sample_clips.NAMES)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_an_array_reads_as_the_table_does(tmp_path, suffix):
    clip = sample_clips.clip(fps=50)
    path = tmp_path / f"a{suffix}"
    if suffix == ".npy":
        np.save(path, clip.positions().astype(np.float32))
    else:
        np.savez(path, joints3d=clip.positions(), fps=50, other=np.zeros(3))
    back = kt.read(path, joints=NAMES, fps=None if suffix == ".npz" else 50)
    assert back.fps == 50
    assert np.abs(back.joint("LeftHand").positions - clip.joint("LeftHand").positions).max() < 1e-5
    parent = back.skeleton.names[back.skeleton.parents[back.joint("LeftHand")]]
    assert parent == "LeftArm"


def test_an_array_without_a_rate_says_so(tmp_path):
    np.save(tmp_path / "a.npy", sample_clips.clip().positions())
    assert any(f.override == "fps" for f in kt.read(tmp_path / "a.npy", joints=NAMES).source.findings)


@pytest.mark.parametrize(
    ("array", "joints", "said"),
    [
        (np.zeros((4, 12, 3)), None, "12 joints without names.*--joints"),
        (np.zeros((4, 12, 3)), "Hips,Head", "12 joints, but 2 names"),
        (np.zeros((4, 12, 2)), NAMES, r"shape \(4, 12, 2\)"),
        (np.zeros((2, 4, 12, 3)), NAMES, "2 motions"),
        (np.full((4, 12, 3), np.nan), NAMES, "not a number"),
        (np.array(["a"] * 36).reshape(1, 12, 3), NAMES, "not numbers"),
        (np.array([{}]), NAMES, "allow_pickle=True"),
    ],
)
def test_arrays_that_are_no_positions(tmp_path, array, joints, said):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(MalformedFileError, match=said):
        kt.read(tmp_path / "a.npy", joints=joints)


def test_a_cut_off_array_is_one_message(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((4, 12, 3)))
    data = (tmp_path / "a.npy").read_bytes()
    for length in (5, 60, 200):
        (tmp_path / "a.npy").write_bytes(data[:length])
        with pytest.raises(MalformedFileError):
            kt.read(tmp_path / "a.npy", joints=NAMES)
