"""What a user does on the page and sees there, in the words of the stories."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

Numbers = np.ndarray[Any, np.dtype[np.float64]]

_POLL_MS = 50
_PIXELS = """() => {
  const { viewport } = kinetune, gl = viewport.renderer.getContext();
  viewport.paint();
  const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, pixels = new Uint8Array(w * h * 4);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const sums = [];
  for (let i = 0; i < pixels.length; i += 4) sums.push((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  return sums;
}"""

_CONTROLS = frozenset(
    {
        *("button", "checkbox", "combobox", "link", "listbox", "menuitem", "option", "radio", "searchbox"),
        *("slider", "spinbutton", "switch", "tab", "textbox"),
    }
)
_BEGIN_WALK = "() => { window.walked = new Map(); document.body.tabIndex = -1; document.body.focus(); }"
_WALKED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  if (!window.walked.has(e)) window.walked.set(e, window.walked.size);
  const style = getComputedStyle(e), ring = getComputedStyle(e.closest('.field, .select') ?? e);
  const shows = (s) => (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none';
  const region = e.closest('[data-region]');
  return { number: window.walked.get(e), region: region?.getAttribute('aria-label') ?? region?.className ?? '',
    text: e.outerHTML.slice(0, 140), shows: shows(style) || shows(ring) };
}"""

_DRAWINGS = """async ([a, b]) => {
  const { link, openDocument, ask } = kinetune.session;
  const made = await link.ask('drawing.new', { keys: [a, b].filter(Boolean).map((drawing) => ({ drawing })) });
  await openDocument(made.doc);
  await ask('drawing.set', { set: { method: 'linear', frames: 9 } });
}"""
_ARRANGE = """async ([sample, tracks, markers]) => {
  const { ask } = kinetune.session;
  await ask('input.add', { source: { sample }, name: 'other' });
  await ask('tracks.set', { tracks });
  if (markers) await ask('markers', { markers });
}"""


class StudioPage:
    """The studio's page; `faults` collects what the browser's console calls an error."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)

    def read(self, words: str) -> Any:
        """A value of the page, `s` being its signals and `v` the viewport."""
        return self.page.evaluate(f"() => {{ const s = kinetune.store, v = kinetune.viewport; return {words}; }}")

    def wait(self, words: str) -> None:
        """Until something is so on the page; asked by the clock, since a page at rest draws no frames to ask in."""
        said = f"() => {{ const s = kinetune.store, v = kinetune.viewport; return {words}; }}"
        self.page.wait_for_function(said, polling=_POLL_MS)

    def wait_until_drawn(self) -> None:
        self.page.wait_for_function(
            "() => window.kinetune?.store.quality.value && kinetune.viewport.renders > 1", polling=_POLL_MS
        )

    def open(self, sample: str) -> None:
        """A fresh document with a sample, stopped at a frame in the middle."""
        before = self.read("s.doc.value?.doc ?? ''")
        self.page.evaluate("name => kinetune.open({ sample: name })", sample)
        self.wait(f"s.doc.value.doc !== {before!r} && s.quality.value && s.motion.value")
        self.stop_at(int(self.read("s.motion.value.frames")) // 2)

    def stop_at(self, frame: int) -> None:
        self.page.evaluate(
            "f => { kinetune.store.playback.setPlaying(false); kinetune.store.playback.setFrame(f); }", frame
        )

    def add(self, operation: str) -> None:
        """Add an operation by the keyboard, as the hint in the list says."""
        count = self.read("s.steps.value.length")
        self.page.locator(".view").focus()
        self.page.keyboard.press("a")
        self.page.get_by_label("Find an operation").fill(operation)
        self.page.keyboard.press("Enter")
        self.wait(f"s.steps.value.length > {count} || s.wanting.value")

    def blend_with(self, sample: str) -> None:
        """Blend the clip with a sample, chosen in the panel that asks for another clip."""
        self.add("blend")
        self.page.get_by_role("button", name=sample, exact=True).click()
        self.wait("s.steps.value.length === 1")
        self.page.locator(".heat").wait_for()
        self.settle()

    def aim_with_reaches(self) -> None:
        """The target tool with the sixteen reaching samples."""
        self.page.locator(".view").focus()
        self.page.keyboard.press("t")
        self.wait("s.step.value?.op === 'aim'")
        self.page.get_by_text("reach, 16").click()
        self.wait("s.step.value?.knobs.others.length === 15 && s.doc.value.source.sample === 'reach-01'")

    def walk_along(self, way: str) -> None:
        """Footsteps along a way of the panel, such as Straight or Circle."""
        self.page.get_by_role("button", name=way).click()
        self.wait("s.resultOf(s.step.value).report?.steps?.length > 3")
        self.settle()

    def run_step(self) -> None:
        """Work the chosen slow step out."""
        self.page.get_by_role("button", name="Run", exact=True).click()
        self.wait("s.resultOf(s.step.value).state === 'done'")

    def enter_drawings(self) -> None:
        """Go to the workspace of drawings."""
        self.page.get_by_role("tab", name="Drawings").click()
        self.wait("s.kind.value === 'drawing' && s.film.value")

    def open_drawings(self, a: str = "dog-1", b: str | None = "dog-2") -> None:
        """A fresh document of drawings, in-betweened quickly."""
        self.page.evaluate(_DRAWINGS, [a, b])
        self.wait(
            f"s.kind.value === 'drawing' && {'s.film.value?.frames.length === 9' if b else 's.keyDrawings.value'}"
        )

    def open_figure(self) -> None:
        """Back to the figure."""
        self.page.get_by_role("tab", name="Motion").click()
        self.wait("s.kind.value === 'motion' && s.quality.value && s.motion.value")

    def arrange(self, sample: str, tracks: list[dict[str, Any]], markers: list[dict[str, Any]] | None = None) -> None:
        """Another clip under the name "other", tracks and markers on the timeline."""
        self.page.evaluate(_ARRANGE, [sample, tracks, markers])
        self.wait(f"s.doc.value.tracks.length === {len(tracks)}")
        self.settle()

    def settle(self) -> None:
        """Until the whole clip has come after the last change, and everything that follows from it is laid out."""
        self.wait("kinetune.session.isQuiet()")
        self.settle_frames()

    def settle_frames(self) -> None:
        """Until what has changed on the page is drawn."""
        for _ in range(2):
            self.page.evaluate("() => new Promise(requestAnimationFrame)")

    def joints(self) -> Numbers:
        """Where the joints of the edited figure are at the playhead, metres."""
        words = "Array.from(s.motion.value.positions.slice(s.frame.value * s.skeleton.value.names.length * 3, "
        words += "(s.frame.value + 1) * s.skeleton.value.names.length * 3))"
        return np.array(self.read(words)).reshape(-1, 3)

    def joints_apart(self) -> float:
        """How far the joint that was moved most is from the original at the playhead, metres."""
        words = "(() => { const n = s.skeleton.value.names.length * 3, at = s.frame.value * n, now = s.motion.value"
        words += ".positions, was = s.original.value.positions; return Math.max(...Array.from({ length: n / 3 }, (_, j)"
        words += " => Math.hypot(...[0, 1, 2].map((k) => now[at + 3 * j + k] - was[at + 3 * j + k])))); })()"
        return float(self.read(words))

    def moved(self, before: Numbers) -> float:
        """How far the joint that moved most is from where it was, metres."""
        return float(np.linalg.norm(self.joints() - before, axis=1).max())

    def wait_until_moved(self, before: Numbers, least: float) -> None:
        joints = before.ravel().tolist()
        self.page.wait_for_function(
            """([was, least]) => {
              const s = kinetune.store, n = s.skeleton.value.names.length * 3, at = s.frame.value * n;
              const p = s.motion.value.positions;
              for (let i = 0; i < n; i += 3)
                if (Math.hypot(p[at + i] - was[i], p[at + i + 1] - was[i + 1], p[at + i + 2] - was[i + 2]) > least)
                  return true;
              return false;
            }""",
            arg=[joints, least],
            polling=_POLL_MS,
        )

    def pixels(self) -> Numbers:
        """The picture in the viewport, one number for each pixel."""
        return np.array(self.page.evaluate(_PIXELS))

    def on_screen(self, words: str) -> tuple[float, float]:
        """A place of the scene, such as a joint, in pixels of the page."""
        x, y = self.read(
            f"(() => {{ v.paint(); const at = v.project({words}), box = v.canvas.getBoundingClientRect(); "
            "return [box.left + at[0], box.top + at[1]]; })()"
        )
        return float(x), float(y)

    def drag(self, start: tuple[float, float], by: tuple[float, float], *, release: bool = True) -> None:
        """Take something with the mouse and move it in a few steps."""
        mouse = self.page.mouse
        mouse.move(*start)
        self.page.evaluate("() => kinetune.viewport?.drawn()")
        mouse.down()
        for k in range(1, 6):
            mouse.move(start[0] + by[0] * k / 5, start[1] + by[1] * k / 5)
            self.page.evaluate("() => new Promise(requestAnimationFrame)")
        if release:
            mouse.up()

    def walk(self) -> list[dict[str, Any]]:
        """Everything that Tab reaches from the top of the page, in order: region, role, name, and whether it shows."""
        self.page.evaluate("() => { document.activeElement?.blur(); window.getSelection()?.removeAllRanges(); }")
        visited: list[dict[str, Any]] = []
        self.page.evaluate(_BEGIN_WALK)
        while len(visited) < 400:
            self.page.keyboard.press("Tab")
            here = self.page.evaluate(_WALKED)
            if here is None or (visited and here["number"] in {each["number"] for each in visited}):
                return visited
            visited.append(here)
        raise AssertionError("Tab never comes to an end")

    def controls(self) -> list[tuple[str, str]]:
        """Role and name of every control in the tree that Chromium gives to screen readers."""
        session = self.page.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        named = [
            (node.get("role", {}).get("value", ""), node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"]
        ]
        return [(role, name) for role, name in named if role in _CONTROLS]

    def box(self, thing: Locator) -> tuple[float, float, float, float]:
        """Where something is: left, top, width and height. What is drawn anew meanwhile is looked for again."""
        for _ in range(20):
            bounds = thing.bounding_box()
            if bounds is not None:
                return bounds["x"], bounds["y"], bounds["width"], bounds["height"]
            self.page.evaluate("() => new Promise(requestAnimationFrame)")
        raise AssertionError("it is not on the page")

    def middle(self, thing: Locator) -> tuple[float, float]:
        """The middle of something."""
        left, top, width, height = self.box(thing)
        return left + width / 2, top + height / 2

    def drop(self, name: str, content: bytes, on: str) -> None:
        """Drop a file onto a region of the page."""
        self.drop_together({name: content}, on)

    def drop_together(self, files: dict[str, bytes], on: str) -> None:
        """Drop several files at once."""
        self.page.evaluate(
            """([files, on]) => {
              const dropped = new DataTransfer();
              const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
              for (const [name, text] of files) dropped.items.add(new File([bytes(text)], name));
              const drop = new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true });
              document.querySelector(on).dispatchEvent(drop);
            }""",
            [[[name, b64encode(content).decode()] for name, content in files.items()], on],
        )

    def wait_until_opened(self, name: str, frames: int) -> None:
        """Until a clip that came in as a file is on the page, as a document of that name; it is stopped."""
        here = f"s.doc.value.name === {name!r} && s.motion.value?.frames === {frames}"
        self.wait(f"{here} && s.quality.value && !s.trouble.value")
        self.stop_at(0)
