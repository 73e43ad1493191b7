"""Stories on the timeline: clips as in a film editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tools.studio_page import StudioPage

import kinetune as kt

pytestmark = pytest.mark.xdist_group("studio-2")


@pytest.fixture
def arranged(studio: StudioPage) -> StudioPage:
    """A walk that fades into a sad one, on two lanes."""
    studio.open("walk")
    studio.arrange("walk-sad", [{"clip": "source"}, {"clip": "other", "lane": 1, "at": 380}])
    return studio


def track(studio: StudioPage, number: int) -> dict[str, Any]:
    return dict(studio.read(f"s.doc.value.tracks[{number}]"))


def test_clips_are_moved_trimmed_and_muted_by_hand(arranged: StudioPage) -> None:
    studio = arranged
    frames = studio.read("s.motion.value.frames")
    clip = studio.page.get_by_role("button", name="other, from frame")
    # Answers arrive while the hand moves; they must not put the clip back under it.
    studio.drag(studio.middle(clip), (-60, 0), release=False)
    studio.wait(f"s.motion.value.frames < {frames} - 20")
    studio.page.mouse.up()
    studio.settle()
    moved = track(studio, 1)
    assert moved["at"] < 350
    assert studio.read("s.motion.value.frames") == moved["at"] + moved["stop"]
    assert studio.read("s.doc.value.undo") == "Move clip"
    studio.drag(studio.middle(studio.page.get_by_role("slider", name="Trim end of other")), (-50, 0))
    studio.settle()
    assert track(studio, 1)["stop"] < moved["stop"] - 20
    studio.drag(studio.middle(studio.page.get_by_role("slider", name="Trim start of other")), (30, 0))
    studio.settle()
    cut = track(studio, 1)
    assert cut["start"] > 5
    assert cut["at"] - moved["at"] == cut["start"], "what is left stays where it was"
    studio.page.get_by_role("button", name="Mute other").click()
    studio.wait("s.doc.value.tracks[1].mute && s.motion.value.frames === s.doc.value.source.frames")
    for _ in range(4):
        studio.page.keyboard.press("Control+z")
    studio.wait("s.doc.value.tracks[1].at === 380 && s.doc.value.tracks[1].start === 0 && !s.doc.value.tracks[1].mute")


def test_escape_lets_a_clip_go_back(arranged: StudioPage) -> None:
    studio = arranged
    clip = studio.page.get_by_role("button", name="other, from frame")
    studio.drag(studio.middle(clip), (-80, 0), release=False)
    studio.page.keyboard.press("Escape")
    studio.page.mouse.up()
    studio.settle()
    assert track(studio, 1)["at"] == 380


def test_clips_markers_and_the_loop_are_moved_by_keyboard(arranged: StudioPage) -> None:
    studio = arranged
    studio.page.get_by_role("button", name="other, from frame").press("Alt+Shift+ArrowLeft")
    studio.wait("s.doc.value.tracks[1].at === 370")
    studio.page.get_by_role("slider", name="Trim end of other").press("Alt+ArrowLeft")
    studio.wait("s.doc.value.tracks[1].stop === 412")
    studio.page.get_by_role("slider", name="Loop start").press("Alt+Shift+ArrowRight")
    studio.wait("s.playback.range?.[0] === 10")
    studio.settle()
    studio.stop_at(77)
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("m")
    marker = studio.page.get_by_role("button", name="Marker marker 1 at frame 77")
    marker.wait_for()
    studio.stop_at(5)
    marker.press("Enter")
    assert studio.read("s.frame.value") == 77
    marker.press("Delete")
    marker.wait_for(state="detached")
    studio.page.evaluate("() => kinetune.store.playback.setRange(null)")


def test_keys_that_follow_each_other_at_once_lose_no_edit(arranged: StudioPage) -> None:
    studio = arranged
    studio.page.evaluate(
        """() => {
          const press = (name) => document.querySelector(`[role=slider][aria-label="${name}"]`).dispatchEvent(
            new KeyboardEvent("keydown", { key: "ArrowLeft", altKey: true, shiftKey: true, bubbles: true }));
          press("Trim end of walk");
          press("Trim end of other");
          press("Trim end of walk");
        }"""
    )
    for _ in range(2):  # as they are shown at once, and as the server knows them
        assert (track(studio, 0)["stop"], track(studio, 1)["stop"]) == (382, 403)
        studio.settle()


def test_a_crossfade_is_lengthened_by_its_handle(arranged: StudioPage) -> None:
    studio = arranged
    handle = studio.page.get_by_role("slider", name="Crossfade into other")
    studio.page.get_by_role("slider", name="Trim end of walk").press("Alt+Shift+ArrowLeft")
    studio.wait("s.doc.value.tracks[0].stop === 392")
    studio.page.get_by_role("slider", name="Trim start of other").press("Alt+Shift+ArrowRight")
    studio.wait("s.doc.value.tracks[1].at === 390 && s.doc.value.tracks[1].start === 10")
    expect(handle).to_have_attribute("aria-valuenow", "2")
    assert track(studio, 0)["stop"] == 392, "the second edit begins from the first"
    handle.press("Alt+ArrowRight")
    studio.wait("s.doc.value.tracks[0].stop === 393 && s.doc.value.tracks[1].at === 389")
    studio.drag(studio.middle(handle), (60, 0))
    studio.wait("s.doc.value.tracks[0].stop === 402 && s.doc.value.tracks[1].at === 380")
    assert handle.get_attribute("aria-valuenow") == "22", "both clips go on as far as they have frames"


def test_an_operation_acts_in_the_region_that_is_chosen_on_the_timeline(studio: StudioPage) -> None:
    studio.open("walk")
    lanes = studio.page.locator(".lanes svg").bounding_box()
    assert lanes is not None
    studio.page.keyboard.down("Shift")
    studio.drag((lanes["x"] + 0.3 * lanes["width"], lanes["y"] + 10), (0.35 * lanes["width"], 0))
    studio.page.keyboard.up("Shift")
    start, stop = (studio.read(f"s.region.value.{end}_s * s.playback.fps") for end in ("start", "stop"))
    assert stop - start > 100
    before = {frame: positions(studio, frame) for frame in (20, int(start + stop) // 2, 380)}
    studio.add("smooth")
    studio.wait("s.steps.value[0].knobs.region && s.largestChange.value > 0.001")
    studio.settle()
    moved = {frame: positions(studio, frame) != was for frame, was in before.items()}
    assert list(moved.values()) == [False, True, False]
    # The grips of the ease and of the ends move what the step does; Whole clip takes the region away.
    studio.page.get_by_role("slider", name="Ease in of the region").press("Alt+Shift+ArrowRight")
    studio.wait("s.steps.value[0].knobs.region.ease_s > 0.4")
    studio.page.get_by_role("slider", name="End of the region").press("Alt+Shift+ArrowLeft")
    studio.wait(f"Math.abs(s.steps.value[0].knobs.region.stop_s * s.playback.fps - {stop - 10}) < 0.1")
    studio.page.get_by_role("button", name="Whole clip", exact=True).click()
    studio.wait("!s.steps.value[0].knobs.region")
    studio.settle()
    assert positions(studio, 20) != before[20]
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("Escape")
    studio.page.locator(".region").wait_for(state="detached")


SETTINGS = {
    "equalize": {"preset": "exaggerate"},
    "shape": {"joints": "right arm", "curve": {"points": [[-1, -1], [0, 0.3], [1, 1]]}},
    "smooth": {"cutoff_hz": 1.0},
    "move": {"y": 0.2},
    "turn": {"angle_deg": 20.0},
}


def test_several_operations_stay_in_their_region(studio: StudioPage) -> None:
    studio.open("walk")
    frames = (20, 200, 380)
    before = {frame: positions(studio, frame) for frame in frames}
    for count, (operation, knobs) in enumerate(SETTINGS.items(), start=1):
        region = "{ start_s: 2, stop_s: 4.5, ease_s: 0.3 }"  # each takes what the timeline shows
        studio.page.evaluate(f"() => {{ kinetune.store.region.value = {region}; }}")
        studio.page.evaluate("([op, knobs]) => kinetune.session.addStep(op, knobs)", [operation, knobs])
        studio.wait(f"s.steps.value.length === {count} && s.step.value.knobs.region?.start_s === 2")
        studio.settle()
        now = {frame: positions(studio, frame) for frame in frames}
        assert [now[frame] != before[frame] for frame in frames] == [False, True, False], operation
        before = now
    studio.page.evaluate("() => { kinetune.store.region.value = null; }")


def positions(studio: StudioPage, frame: int) -> list[float]:
    """Where all joints are at a frame, one after another."""
    n = 3 * studio.read("s.skeleton.value.names.length")
    return list(studio.read(f"Array.from(s.motion.value.positions.slice({frame * n}, {(frame + 1) * n}))"))


def test_a_character_of_one_frame_fills_the_timeline_that_a_clip_has_left(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk")
    studio.wait("s.span.value[1] > 400")
    kt.write(kt.sample("walk-child")[:1], tmp_path / "child.bvh")
    studio.drop("child.bvh", (tmp_path / "child.bvh").read_bytes(), ".view")
    studio.wait_until_opened("child", 1)
    studio.settle()
    assert studio.read("s.span.value[1]") < 2
