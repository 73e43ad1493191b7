"""Clips that play in notebooks."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.figures.motion.stick_figures import points
from kinetune.notebooks.player import PlayerPage, motion_data


def unpacked(clip):
    motion, packed = motion_data(clip)
    return motion, packed.reshape(motion["frames"], motion["points"], 3) * motion["step"] + motion["low"]


@pytest.mark.parametrize("name", ["walk", "kick-1"])
def test_packed_positions_are_those_of_the_clip_to_a_millimetre(name):
    clip = kt.sample(name)
    assert np.abs(unpacked(clip)[1] - points(clip)).max() < 1e-3


def test_a_long_clip_travels_with_fewer_frames_and_the_same_duration():
    clip = kt.Resample(fps=600)(kt.sample("walk"))
    motion, _ = unpacked(clip)
    assert motion["frames"] <= 3000
    assert motion["clip_fps"] == 600
    assert (motion["frames"] - 1) / motion["fps"] == pytest.approx(clip.duration, abs=2 / motion["fps"])


def test_contacts_come_as_seconds_inside_the_clip():
    clip = kt.sample("walk")
    motion, _ = motion_data(clip)
    assert {foot["side"] for foot in motion["contacts"]} == {-1, 1}
    for foot, joint in zip(motion["contacts"], clip.contacts.joints, strict=True):
        stands = clip.contacts.flags[:, clip.contacts.joints.index(joint)]
        assert sum(round((b - a) * clip.fps) + 1 for a, b in foot["spans"]) == stands.sum()


def test_a_page_needs_nothing_from_elsewhere():
    page = unescape(kt.sample("walk")._repr_html_())
    assert "export function mount" in page
    assert not re.search(r"https?://|//cdn|import\s*\(|import .* from", page)


def test_a_name_from_a_file_cannot_leave_its_quotation_marks():
    name = '</script><script>alert("1")</script>'
    motion, packed = motion_data(kt.sample("walk"), name)
    page = PlayerPage([motion], [packed], {"layout": "ghost", "height": 200}).document()
    assert page.count("</script>") == 1


@pytest.mark.slow
def test_two_clips_travel_in_one_widget():
    walk = kt.sample("walk")
    player = kt.show(walk, kt.Mirror()(walk), labels=["a", "b"])
    assert [motion["label"] for motion in player.motions] == ["a", "b"]
    assert player.settings["layout"] == "beside"


@pytest.mark.parametrize("wrong", [{"layout": "above"}, {"height": 5}, {"labels": ["a", "b", "c"]}])
def test_what_cannot_be_shown_is_refused(wrong):
    with pytest.raises(ParameterError):
        kt.show(kt.sample("walk"), **wrong)


def test_without_widgets_a_page_is_shown(monkeypatch):
    monkeypatch.setattr("kinetune.notebooks.player.find_spec", lambda name: None)
    assert "<iframe" in kt.show(kt.sample("walk"))._repr_html_()
