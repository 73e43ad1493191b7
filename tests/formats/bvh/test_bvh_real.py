"""Real BVH files: all of them read, mean what an independent computation says, and come back as they were."""

import re

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from tests.conftest import data_folder
from tests.formats.bvh.bvh_text import plain_world

FOLDER = data_folder()
FILES = sorted(FOLDER.glob("**/*.bvh")) if FOLDER else []
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILES, reason="no real clips here: set KINETUNE_DATA to a folder with bvh files"),
]


def file_id(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture(params=FILES, ids=file_id)
def path(request):
    return request.param


def test_joints_are_where_a_plain_computation_puts_them(path):
    text = path.read_text()
    head, _, motion = text.partition("MOTION")
    lines = [line for line in motion.splitlines() if line.strip()]
    rows = lines[2:]
    chosen = rows[:: max(1, len(rows) // 12)]
    world = plain_world("\n".join([head + "MOTION", "Frames: 0", "Frame Time: 0", *chosen]))
    clip = kt.read(path, unit="m", up="y")
    assert len(clip) == len(rows) == int(re.search(r"\d+", lines[0]).group())
    positions = clip.positions()[:: max(1, len(rows) // 12)]
    assert np.abs(positions - world).max() < 1e-10 * max(1.0, np.abs(world).max())


def test_it_comes_back_as_it_was(path, tmp_path):
    clip = kt.read(path)
    again = kt.read(kt.write(clip, tmp_path / path.name))
    one, other = clip.source.layout, again.source.layout
    assert np.array_equal(one.values.view(np.uint64), other.values.view(np.uint64))
    for what in ("names", "parents", "channels", "offsets", "sites", "frame_time", "newline", "indent", "decimals"):
        assert getattr(one, what) == getattr(other, what), what
    assert clip.skeleton == again.skeleton
    assert clip.fps == again.fps
    assert np.array_equal(clip.positions(), again.positions())
    assert (clip.source.unit, clip.source.up) == (again.source.unit, again.source.up)
    words = path.read_bytes().split(b"MOTION")[0].split()
    assert (tmp_path / path.name).read_bytes().split(b"MOTION")[0].split() == words


def test_units_and_axes_are_guessed_and_reported(path):
    clip = kt.read(path)
    known = {"cmu": ("cmu", "y"), "accad": ("cm", "y")}
    odd = {
        "20tab_freebvh_mixamo-colon": ("cm", "y"),
        "20tab_mocapbank": ("cm", "y"),
        "animdraw_cmu1_jumping_jacks_mixedorder": ("cmu", "y"),
        "bvhio_example": ("in", "y"),
        "makehuman_walk1_zup": ("dm", "z"),
        "olafhaag_walk01_sci": ("cm", "y"),
        "pybvh_test2": ("cm", "y"),
    }
    wanted = known.get(path.parent.name) or odd.get(path.stem)
    if wanted is not None:
        assert (clip.source.unit, clip.source.up) == wanted
    assert any(f.override == "unit" for f in clip.source.findings)
    assert any(f.override == "up" for f in clip.source.findings) == (wanted is None or wanted[1] != "y")
    given = kt.read(path, unit="ft", up="x")
    assert (given.source.metres_per_unit, given.source.up) == (0.3048, "x")
    assert not any(f.override in ("unit", "up") for f in given.source.findings)


def test_rates_are_those_of_the_list(path):
    fps = {"cmu": 120, "accad": 30, "20tab_mocapbank": 30, "makehuman_walk1_zup": 24, "pybvh_rotation_first_root": 25}
    wanted = fps.get(path.parent.name) or fps.get(path.stem)
    if wanted is not None:
        assert kt.read(path).fps == wanted


def test_a_whole_edit_makes_no_flips(path, tmp_path):
    """Every joint is turned a little: the angles must move as little from frame to frame as the rotations allow."""
    clip = kt.read(path)[1:]
    by = rot.exp([0.01, 0.02, -0.015])
    edited = clip.replace(rotations=rot.multiply(clip.rotations, by))
    again = kt.read(kt.write(edited, tmp_path / "edited.bvh"), unit=clip.source.unit, up=clip.source.up)
    assert rot.angle_between(again.rotations, edited.rotations).max() < 1e-6
    layout = again.source.layout
    for joint, turns in enumerate(layout.channels.rotation_columns):
        angles = layout.values[:, list(turns)]
        if len(turns) < 3 or len(angles) < 2:
            continue
        step = np.abs(np.diff(angles, axis=0)).max(axis=1)
        turn = np.rad2deg(rot.angle_between(again.rotations[1:, joint], again.rotations[:-1, joint]))
        room = np.abs(np.cos(np.deg2rad(angles[:, 1])))
        nearest_lock = np.minimum(room[1:], room[:-1])
        assert np.all(step <= np.maximum(1.0, 1.6 * turn / np.maximum(nearest_lock, 1e-3))), clip.skeleton.names[joint]


def test_both_bodies_read_the_same(path, monkeypatch):
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    plain = kt.read(path)
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    fast = kt.read(path)
    assert np.array_equal(plain.rotations, fast.rotations)
    assert np.array_equal(plain.root, fast.root)
    assert np.array_equal(plain.source.layout.values, fast.source.layout.values)
    assert plain.source.findings == fast.source.findings
