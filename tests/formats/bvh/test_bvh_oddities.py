"""Oddities of BVH files that no thread reports, but that are bound to come."""

import numpy as np
import pytest

import kinetune as kt
from tests.formats.bvh.bvh_text import ROOT, SMALL, TURN
from tests.formats.bvh.test_bvh_dialects import assert_same, messages, one_joint_each, plain, read

__all__ = ["plain"]  # the fixture


def test_decimal_commas(tmp_path, plain):
    clip = read(tmp_path, SMALL.replace(".", ","))
    assert_same(clip, plain)
    assert sum("commas" in m for m in messages(clip, "repaired")) == 2


def test_commas_between_numbers(tmp_path, plain):
    head, _, motion = SMALL.partition("0.033333\n")
    assert_same(read(tmp_path, head + "0.033333\n" + motion.replace(" ", ", ")), plain)
    assert_same(read(tmp_path, SMALL.replace("OFFSET 3.91 -8.00 0.00", "OFFSET 3.91, -8.00, 0.00")), plain)


def test_byte_order_marks(tmp_path, plain):
    assert_same(read(tmp_path, b"\xef\xbb\xbf" + SMALL.encode()), plain)
    clip = read(tmp_path, SMALL.encode("utf-16"))
    assert_same(clip, plain)
    assert any("UTF-16" in m for m in messages(clip))


def test_latin_1_names_are_written_back(tmp_path):
    clip = read(tmp_path, SMALL.replace("Chest", "Rücken").encode("latin-1"))
    assert clip.skeleton.names[1] == "Rücken"
    assert "Rücken".encode("latin-1") in kt.write(clip, tmp_path / "o.bvh").read_bytes()


def test_duplicate_names(tmp_path, plain):
    clip = read(tmp_path, SMALL.replace("Chest", "Leg"))
    assert clip.skeleton.names == ("Hips", "Leg", "Leg#2")
    assert any("share a name" in m for m in messages(clip, "odd"))
    assert "Leg#2" not in kt.write(clip, tmp_path / "o.bvh").read_text()


def test_no_frames_at_all(tmp_path):
    head, _, _ = SMALL.partition("Frames:")
    clip = read(tmp_path, head.replace("OFFSET 0.00 0.00 0.00", "OFFSET 1 2 3") + "Frames: 0\nFrame Time: 0.03\n")
    assert len(clip) == 1
    assert clip.root.tolist() == [[1, 2, 3]]
    assert np.allclose(clip.rotations, [1, 0, 0, 0])
    assert any("no frames" in m for m in messages(clip, "repaired"))


def test_channels_declared_wrongly(tmp_path, plain):
    clip = read(tmp_path, SMALL.replace("CHANNELS 6", "CHANNELS 3"))
    assert_same(clip, plain)
    assert any("declares 3 channels and names 6" in m for m in messages(clip, "repaired"))


def test_channels_that_neither_turn_nor_move(tmp_path):
    text = one_joint_each(["A", "B"], [ROOT, f"{TURN} Xscale Yscale Zscale"], frames=3)
    clip = read(tmp_path, text)
    assert any('"Xscale"' in m for m in messages(clip, "odd"))
    again = kt.read(kt.write(clip, tmp_path / "o.bvh"), unit="m", up="y")
    assert np.array_equal(again.source.layout.values, clip.source.layout.values)


def test_text_after_the_last_frame_is_skipped(tmp_path, plain):
    clip = read(tmp_path, SMALL + "# exported by hand\n")
    assert_same(clip, plain)
    assert any("after the last frame" in m for m in messages(clip, "odd"))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [200, 3000])
def test_a_deep_hierarchy(tmp_path, depth):
    text = one_joint_each([f"j{k}" for k in range(depth)], [ROOT] + ["Xrotation"] * (depth - 1), frames=1)
    clip = read(tmp_path, text)
    assert len(clip.skeleton) == depth
    again = kt.read(kt.write(clip, tmp_path / "o.bvh"), unit="m", up="y")
    assert again.skeleton == clip.skeleton


def test_keywords_in_lower_case(tmp_path, plain):
    text = SMALL
    for word in ("HIERARCHY", "ROOT", "JOINT", "OFFSET", "CHANNELS", "MOTION", "End Site", "Frame"):
        text = text.replace(word, word.lower())
    assert_same(read(tmp_path, text), plain)
