"""The numbers of the quality strip: by the contacts of the source, and as another program would find them."""

import pytest

import kinetune as kt
from kinetune.studio.evaluate.quality import compare_quality, measure_quality


def test_the_slide_found_anew_is_that_of_the_written_file(tmp_path):
    walk = kt.sample("walk-march")
    edited = kt.Retarget(to=kt.sample("walk-child"))(kt.Equalize(preset="exaggerate")(walk))
    was, ground = measure_quality(walk)
    now = measure_quality(edited)[0]
    (slide,) = [line for line in compare_quality(was, now)["measures"] if line["name"] == "foot_slide_mm"]
    kt.write(edited, tmp_path / "out.bvh")
    written = kt.measure(kt.read(tmp_path / "out.bvh"))["foot_slide_mm"]
    assert slide["anew"] == pytest.approx(written, abs=0.02)
    assert ground is not None


def test_a_clip_that_says_nothing_of_contacts_has_one_number_only():
    bare = kt.sample("walk").replace(contacts=None)
    assert measure_quality(bare)[0]["measures"]["slide_anew_mm"] is None
