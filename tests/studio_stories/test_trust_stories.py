"""Stories of trust: keys, presets and keys of poses do what the desk shows, and nothing else."""

from __future__ import annotations

import pytest
from tools.studio_page import StudioPage

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
