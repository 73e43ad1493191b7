"""Stories of hasty hands: several events before the page has drawn the first, and answers that come late."""

from __future__ import annotations

from typing import Any

import pytest
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio-2")

_AT_ONCE = """(presses) => {
  for (const [where, key, more] of presses) {
    const element = where ? document.querySelector(where) : document.activeElement;
    if (!element) throw new Error(`There is no ${where}.`);
    if (key === "click") element.click();
    else element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  }
}"""


def at_once(studio: StudioPage, *presses: tuple[Any, ...]) -> None:
    """Keys and clicks in one task: the page has no time to draw between them."""
    studio.page.evaluate(_AT_ONCE, [list(press) for press in presses])


def stays(studio: StudioPage, words: str, value: Any) -> None:
    """As it is shown at once, and as the server knows it."""
    assert studio.read(words) == value
    studio.settle()
    assert studio.read(words) == value


def add(studio: StudioPage, *steps: tuple[str, dict[str, Any]]) -> None:
    for op, knobs in steps:
        studio.page.evaluate("([op, knobs]) => kinetune.session.addStep(op, knobs)", [op, knobs])
    studio.settle()


def test_operations_and_their_numbers_are_changed_at_once(studio: StudioPage) -> None:
    studio.open("wave")
    add(studio, ("smooth", {}), ("mirror", {}), ("turn", {"angle_deg": 10}))
    angle = '[aria-label="Angle"]'
    at_once(studio, *[(angle, "ArrowUp")] * 3, ("[data-step=smooth]", "0"), ("[data-step=smooth]", "0"))
    stays(studio, "[s.step.value.knobs.angle_deg, s.steps.value[0].on]", [13, True])
    at_once(studio, *[("[data-step=smooth]", "ArrowDown", {"altKey": True})] * 2, ("[data-step=mirror]", "Delete"))
    stays(studio, "s.steps.value.map(({ op }) => op)", ["turn", "smooth"])


def test_faders_come_though_the_studio_was_busy_when_they_were_asked_for(studio: StudioPage) -> None:
    studio.open("walk")
    studio.page.evaluate(
        """() => {
          const { link } = kinetune.session, send = link.send.bind(link);
          let refused = 0;
          link.send = (message) => {
            if (message.type !== 'bands' || refused++) return send(message);
            setTimeout(() => link.take({ type: 'error', id: message.id, code: 'busy', message: 'Busy.' }), 0);
          };
        }"""
    )
    studio.add("equalize")
    studio.page.get_by_role("slider", name="2 hertz band gain", exact=True).wait_for()


def test_keys_of_a_displacement_are_removed_at_once(studio: StudioPage) -> None:
    studio.open("wave")
    keys = [{"frame": frame, "joint": "Hips", "rotate": [1.0, 0, 0]} for frame in (10, 50, 30)]
    add(studio, ("displace", {"keys": keys}))
    row = ".insp [role=option]"
    at_once(studio, (row, "Delete"), (row, "Delete"))
    stays(studio, "s.step.value.knobs.keys.map(({ frame }) => frame)", [50])


def test_bands_are_muted_at_once(studio: StudioPage) -> None:
    studio.open("wave")
    add(studio, ("equalize", {}))
    mutes = studio.page.locator('.insp [aria-label^="Mute "]')
    mutes.nth(2).wait_for()
    names = [mutes.nth(k).get_attribute("aria-label") for k in (1, 2)]
    at_once(studio, *[(f'[aria-label="{name}"]', "click") for name in names])
    stays(studio, "s.step.value.knobs.mute.length", 2)


def test_tracks_and_markers_are_set_at_once_and_a_late_answer_takes_nothing_back(studio: StudioPage) -> None:
    studio.open("wave")
    studio.arrange("wave", [{"clip": "source"}, {"clip": "other", "lane": 1, "at": 60}])
    at_once(studio, *[(f'[aria-label="{name}"]', "click") for name in ("Solo wave", "Mute other", "Mute wave")])
    stays(studio, "s.doc.value.tracks.map(({ mute }) => mute)", [True, False])
    studio.page.evaluate(
        """() => {
          const { store, session } = kinetune, before = store.doc.value;
          for (const frame of [10, 20]) {
            store.playback.setFrame(frame);
            document.querySelector(".view").dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }));
          }
          session.link.take(before);  // an answer that was under way
        }"""
    )
    stays(studio, "s.doc.value.markers.flatMap(({ frame, editable }) => (editable ? [frame] : []))", [10, 20])


def test_a_key_drawing_is_moved_twice_at_once(studio: StudioPage) -> None:
    studio.open_drawings("dog-1", "dog-2")
    studio.page.evaluate("() => kinetune.session.ask('drawing.insert', { at: 2, source: { drawing: 'hoop' } })")
    studio.wait("s.doc.value.keys.length === 3")
    labels = studio.read("s.doc.value.keys.map(({ label }) => label)")
    studio.page.locator(".keycard > button").first.focus()
    at_once(studio, *[(None, "ArrowRight", {"altKey": True})] * 2)
    studio.wait(f"JSON.stringify(s.doc.value.keys.map(({{ label }}) => label)) === {_json(labels[1:] + labels[:1])}")
    studio.open_figure()


def test_an_answer_is_drawn_once(studio: StudioPage) -> None:
    studio.open("walk")
    studio.settle()
    drawn = studio.page.evaluate(
        """async () => {
          const { store, viewport } = kinetune, rest = () => new Promise((then) => setTimeout(then, 100));
          await rest();
          const before = viewport.renders;
          store.version.value++; // as when frames have come
          for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame);
          return viewport.renders - before;
        }"""
    )
    assert drawn == 1


def _json(value: Any) -> str:
    return f"JSON.stringify({value!r})"
