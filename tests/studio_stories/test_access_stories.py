"""The page without a mouse and without eyes: every control is reached by Tab, shows it, and has a name."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio")

FIGURE = ["top", "Operations", "Viewport", "Inspector", "Timeline"]
DRAWINGS = ["top", "Layers", "Drawings", "Inspector"]


def check(studio: StudioPage, regions: list[str]) -> None:
    """Names in the tree for screen readers; Tab goes through the regions in order and shows where it is."""
    nameless = [(role, name) for role, name in studio.controls() if not name.strip()]
    assert nameless == []
    walked = studio.walk()
    unseen = [each["text"] for each in walked if not each["shows"]]
    assert unseen == [], "the focus does not show"
    passed = [each["region"] for each in walked if each["region"]]
    order = [passed[0], *(after for before, after in pairwise(passed) if after != before)]
    assert len(order) == len(regions), order
    assert all(region.startswith(wanted) for region, wanted in zip(order, regions, strict=True)), order


@pytest.mark.parametrize("operation", ["equalize", "displace", "shape", "smooth"])
def test_every_control_of_the_figure_has_a_name_and_is_reached(studio: StudioPage, operation: str) -> None:
    studio.open("walk")
    studio.add(operation)
    studio.settle()
    if operation == "displace":
        studio.page.evaluate("() => kinetune.session.ask('pose', { frame: 90, joint: 'LeftArm', rotate: [0, 0, 20] })")
        studio.wait("s.steps.value[0].knobs.keys.length === 1")
        studio.settle()
    check(studio, FIGURE)


def test_every_control_of_several_tracks_has_a_name(studio: StudioPage) -> None:
    studio.open("walk")
    tracks = [{"clip": "source"}, {"clip": "other", "lane": 1, "at": 380}]
    studio.arrange("walk-sad", tracks, [{"frame": 60, "name": "push off"}])
    names = {name for _, name in studio.controls()}
    assert {"Loop start", "Loop end", "Trim start of other", "Trim end of other", "Mute other", "Solo other"} <= names
    check(studio, FIGURE)


def test_every_control_of_the_drawings_has_a_name_and_is_reached(studio: StudioPage) -> None:
    studio.open_drawings()
    studio.page.get_by_role("button", name="Shape", exact=True).click()
    studio.page.get_by_role("slider", name="Control point 1 of").wait_for()
    studio.page.get_by_role("switch", name="Walk cycle").click()
    studio.page.get_by_role("combobox", name="Limb 1").wait_for()
    check(studio, DRAWINGS)
    studio.open_figure()


def test_menus_open_move_and_close_by_keyboard(studio: StudioPage) -> None:
    studio.open("walk")
    for name in ("Export", "Document:"):
        button = studio.page.get_by_role("button", name=name).first
        button.focus()
        button.press("Enter")
        studio.page.get_by_role("menu").wait_for()
        nameless = [role for role, said in studio.controls() if not said.strip()]
        assert nameless == []
        studio.page.keyboard.press("ArrowDown")
        assert studio.page.evaluate("() => document.activeElement.closest('[role=menu]') !== null")
        studio.page.keyboard.press("Escape")
        studio.page.get_by_role("menu").wait_for(state="detached")
        assert button.evaluate("e => e === document.activeElement"), "the focus comes back to the button"
