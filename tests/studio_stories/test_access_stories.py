"""The page without a mouse and without eyes: every control is reached by Tab, shows it, and has a name."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio-1")

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


AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
RUN_AXE = """async () => {
  await Promise.all(document.getAnimations().filter((a) => a.transitionProperty).map(({ finished }) => finished));
  const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
  const { violations } = await axe.run(document, { runOnly: levels, resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}"""


def test_no_workspace_violates_wcag_aa(studio: StudioPage) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm ci --ignore-scripts")
    page = studio.page
    page.evaluate(AXE.read_text(encoding="utf-8"))

    def violations() -> list[str]:
        studio.settle_frames()
        return page.evaluate(RUN_AXE)

    studio.open("walk")
    for operation in ("equalize", "plant feet", "loop"):
        studio.add(operation)
        studio.settle()
        assert violations() == []
    studio.add("filter dynamics")
    page.locator("[data-row=loads]").wait_for()
    assert violations() == [], "with the lanes of physics"
    page.evaluate("() => { kinetune.store.checking.value = true; }")
    page.get_by_role("complementary", name="Check-up").wait_for()
    assert violations() == []
    page.evaluate("() => { kinetune.store.checking.value = false; }")
    page.keyboard.press("Shift+E")
    page.get_by_role("dialog", name="Film").wait_for()
    assert violations() == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="History", exact=True).click()
    assert violations() == []
    page.get_by_role("button", name="Close the history").click()
    page.get_by_role("tab", name="Clips").click()
    page.locator(".clip-tile").first.click()
    assert violations() == []
    page.get_by_role("tab", name="Motion").click()
    page.keyboard.press("Shift+T")
    assert violations() == [], "in the light theme"
    studio.open_drawings()
    assert violations() == []
    page.keyboard.press("Shift+T")
    assert violations() == []
    studio.open_figure()


@pytest.mark.parametrize("tool", ["touch", "pen"])
def test_a_finger_or_a_pen_moves_faders_the_playhead_the_camera_and_a_joint(studio: StudioPage, tool: str) -> None:
    """Pointer events of a touch screen or a tablet, by way of the browser's own input."""
    studio.open("walk")
    studio.add("equalize")
    studio.settle()
    page = studio.page
    session = page.context.new_cdp_session(page)

    def swipe(start: tuple[float, float], by: tuple[float, float]) -> None:
        for k in range(5):
            point = {"x": start[0] + by[0] * k / 4, "y": start[1] + by[1] * k / 4}
            if tool == "touch":
                kind = "touchStart" if k == 0 else "touchMove"
                session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
            else:
                pen = {"pointerType": "pen", "button": "left", "buttons": 1, "clickCount": 1, "force": 0.5, **point}
                if k == 0:  # a pen hovers before it touches
                    session.send(
                        "Input.dispatchMouseEvent", {**pen, "type": "mouseMoved", "button": "none", "buttons": 0}
                    )
                kind = "mousePressed" if k == 0 else "mouseMoved"
                session.send("Input.dispatchMouseEvent", {**pen, "type": kind})
        if tool == "touch":
            session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        else:
            session.send("Input.dispatchMouseEvent", {**pen, "type": "mouseReleased", "buttons": 0})

    page.evaluate(
        "() => addEventListener('pointerdown', (event) => { window.pressedBy = event.pointerType; }, { capture: true })"
    )
    fader = page.get_by_role("slider", name="2 hertz band gain", exact=True)
    x, y = studio.middle(fader)
    swipe((x, y), (0, -60))
    assert page.evaluate("window.pressedBy") == tool
    studio.wait("Object.values(s.steps.value[0].knobs.gains_hz ?? {}).some((gain) => gain > 1.2)")
    studio.wait("s.doc.value.history.length === 3")  # one gesture is one step
    left, top, width, _ = studio.box(page.locator(".lanes"))
    swipe((left + width * 0.2, top + 10), (width * 0.5, 0))
    studio.wait("s.frame.value > s.motion.value.frames * 0.5")
    camera = "v.camera.position.toArray().map((x) => x.toFixed(2)).join()"
    before = studio.read(camera)
    left, top, width, height = studio.box(page.locator(".view"))
    swipe((left + 0.12 * width, top + 0.5 * height), (90, 10))
    studio.wait(f"{camera} !== {before!r}")
    hand = "v.placeOf(s.skeleton.value.roles['left hand'])"
    page.evaluate("() => { const s = kinetune.store; s.chosenJoints.value = [s.skeleton.value.roles['left hand']]; }")
    page.locator(".view").focus()
    page.keyboard.press("g")
    studio.wait("v.handles.helper.visible")
    swipe(studio.on_screen(f"(([x, y, z]) => [x, y + 0.2, z])({hand})"), (0, -50))
    studio.wait("s.steps.value.some(({ op, knobs }) => op === 'displace' && knobs.keys.length === 1)")
    page.evaluate("() => { const s = kinetune.store; s.tool.value = 'select'; s.chosenJoints.value = []; }")
    session.detach()
