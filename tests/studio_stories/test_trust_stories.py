"""Stories of trust: keys, presets and keys of poses do what the desk shows, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.studio_page import StudioPage

import kinetune as kt
from tests.made_up import small_clip

pytestmark = pytest.mark.xdist_group("studio")


def test_space_plays_and_arrows_step_whatever_has_the_focus(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    studio.page.get_by_role("slider", name="1 hertz band gain", exact=True).wait_for()
    knobs = studio.read("JSON.stringify(s.steps.value[0].knobs)")
    places = {
        "a fader": studio.page.get_by_role("slider", name="1 hertz band gain", exact=True),
        "a preset": studio.page.get_by_role("button", name="Calm", exact=True),
        "a switch": studio.page.get_by_role("switch", name="Equalize"),
        "a slider": studio.page.get_by_role("slider", name="Zoom"),
        "a clip on the timeline": studio.page.get_by_role("button", name="walk, from frame"),
        "the end of the loop": studio.page.get_by_role("slider", name="Loop end"),
        "a card": studio.page.locator(".op").first,
        "a button": studio.page.get_by_role("button", name="Undo"),
        "the viewport": studio.page.locator(".view"),
    }
    for name, place in places.items():
        place.focus()
        studio.page.keyboard.press("Space")
        assert studio.read("s.playing.value"), f"Space on {name} plays"
        studio.page.keyboard.press("Space")
        assert not studio.read("s.playing.value"), f"Space on {name} stops"
        frame = studio.read("s.frame.value")
        studio.page.keyboard.press("ArrowRight")
        assert studio.read("s.frame.value") == frame + 1, f"an arrow on {name} steps"
        studio.page.keyboard.press("ArrowLeft")
    assert studio.read("JSON.stringify(s.steps.value[0].knobs)") == knobs, "no control was moved"
    assert studio.read("[s.doc.value.tracks.length, s.playback.range]") == [1, None]
    studio.page.get_by_role("button", name="Calm", exact=True).press("Enter")
    studio.wait("s.steps.value[0].knobs.preset === 'subdued'")
    studio.page.get_by_role("button", name="Document: walk").click()
    field = studio.page.get_by_role("textbox", name="Name of the document")
    field.fill("a")
    field.press("Space")
    assert field.input_value() == "a ", "a text field keeps its spaces"
    studio.page.keyboard.press("Escape")


def test_a_preset_moves_the_faders_to_what_the_motion_does(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    swing = studio.page.get_by_role("slider", name="2 hertz band gain", exact=True)
    swing.wait_for()
    bands = "s.motion.value && [...document.querySelectorAll('.fader')].map(e => Number(e.ariaValueNow))"
    assert set(studio.read(bands)) == {1}
    studio.page.get_by_role("button", name="Livelier", exact=True).click()
    studio.wait("Number(document.querySelector('[aria-label=\"2 hertz band gain\"]').ariaValueNow) > 1.2")
    studio.settle()
    livelier, moved = studio.read(bands), studio.joints()
    swing.press("ArrowUp")
    studio.wait("s.steps.value[0].knobs.gains.length > 0 && s.steps.value[0].knobs.preset === null")
    studio.page.get_by_text("Livelier, changed").wait_for()
    studio.settle()
    now = studio.read(bands)
    assert [a for a, b in zip(livelier, now, strict=True) if a == b] == [a for k, a in enumerate(livelier) if k != 3]
    swing.press("ArrowDown")
    studio.settle()
    assert studio.moved(moved) < 0.002, "the faders say what the preset did"
    studio.page.get_by_role("slider", name="Amount").press("PageDown")
    studio.wait("s.steps.value[0].knobs.amount < 1")
    studio.page.get_by_role("button", name="Flat", exact=True).click()
    studio.wait("s.steps.value[0].knobs.gains.length === 0")
    studio.settle()
    assert set(studio.read(bands)) == {1}


def test_a_long_clip_has_nine_faders_at_most(studio: StudioPage, tmp_path: Path) -> None:
    frames = 12_000
    kt.write(small_clip(frames).replace(fps=240.0), tmp_path / "long.npz")
    studio.drop("long.npz", (tmp_path / "long.npz").read_bytes(), ".view")
    studio.wait_until_opened("long", frames)
    studio.add("equalize")
    posture = studio.page.get_by_role("slider", name="posture band gain", exact=True)
    posture.wait_for()
    assert 6 <= studio.page.locator(".desk .fader").count() <= 9
    posture.press("PageUp")
    studio.wait("s.steps.value[0].set.includes('gains')")
    gains = studio.read("s.steps.value[0].knobs.gains")
    slow = [gain for gain in gains if gain != 1]
    assert len(slow) > 3, "all slow bands go together"
    assert slow == gains[-len(slow) :] == [gains[-1]] * len(slow)
