"""Stories of trust: keys, presets and keys of poses do what the desk shows, and nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tools.studio_page import StudioPage
from tools.studio_run import running

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


@contextlib.contextmanager
def started_on(target: Path, data: Path, browser: Browser) -> Iterator[StudioPage]:
    """The first page of a studio that was started on a file or a folder."""
    with (
        running(data, target=target) as (address, _),
        contextlib.closing(browser.new_context(viewport={"width": 1280, "height": 720})) as context,
    ):
        studio = StudioPage(context.new_page())
        studio.page.goto(f"{address}&lite")
        yield studio
        assert not studio.faults, studio.faults


def test_a_studio_starts_on_a_drawing_with_a_fresh_folder_of_documents(browser: Browser, tmp_path: Path) -> None:
    drawing = tmp_path / "leaf.svg"
    drawing.write_text("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M1 1h7v7z'/></svg>")
    with started_on(drawing, tmp_path / "data", browser) as studio:
        studio.page.get_by_text("No second drawing yet").wait_for()
        assert studio.read("s.doc.value.a.layers.length") == 1
        assert studio.read("[s.fatal.value, s.trouble.value]") == ["", None]


def test_a_studio_that_is_started_on_a_folder_lists_it_and_refuses_what_is_no_motion(
    browser: Browser, tmp_path: Path
) -> None:
    clips = tmp_path / "clips"
    (clips / "more").mkdir(parents=True)
    kt.write(kt.sample("wave")[:40], clips / "more" / "wave.bvh")
    (clips / "garbage.bvh").write_bytes(bytes(range(256)))
    (clips / "settings.json").write_text("{}")
    with started_on(clips, tmp_path / "data", browser) as studio:
        files = studio.page.get_by_role("region", name="Files of the folder")
        files.wait_for()
        studio.wait_until_drawn()
        before = studio.read("s.doc.value.doc")
        for name, reason in (("garbage.bvh", "this is not a BVH file"), ("settings.json", "this is not a recipe")):
            files.get_by_role("button", name=name).click()
            note = studio.page.get_by_role("alert").filter(has_text=reason)
            note.wait_for()
            note.get_by_role("button", name="Close").click()
            assert studio.read("s.doc.value.doc") == before, "what was open stays open"
        files.get_by_role("button", name="more").click()
        files.get_by_role("button", name="wave.bvh").click()
        studio.wait_until_opened("wave", 40)
        files.wait_for(state="detached")
