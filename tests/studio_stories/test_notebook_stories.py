"""The player of notebooks in a real browser."""

from __future__ import annotations

import contextlib
import re

from playwright.sync_api import Browser, Page, expect

import kinetune as kt
from kinetune.notebooks.player import PlayerPage, motion_data


def _inked(page: Page) -> int:
    """Pixels of the picture that are drawn in the colour of the left side."""
    return page.evaluate("""() => {
      const canvas = document.querySelector("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        count += data[i] === 0x2f && data[i + 1] === 0x6f && data[i + 2] === 0xb5;
      return count;
    }""")


def test_a_clip_plays_stops_steps_and_scrubs(browser: Browser) -> None:
    walk = kt.sample("walk")
    motions, packed = zip(*(motion_data(clip, "walk") for clip in (walk, kt.Mirror()(walk))), strict=True)
    page_text = PlayerPage(list(motions), list(packed), {"layout": "ghost", "height": 300}).document()
    problems: list[str] = []
    with contextlib.closing(browser.new_page(viewport={"width": 700, "height": 400})) as page:
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.set_content(page_text)
        expect(page.locator("output")).not_to_have_text(re.compile(r"frame 0$"))  # it plays
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("slider", name="Time").click(position={"x": 2, "y": 10})
        expect(page.locator("output")).to_have_text(re.compile(r"frame \d$"))
        before = page.locator("output").inner_text()
        page.keyboard.press("ArrowRight")
        expect(page.locator("output")).not_to_have_text(before)
        assert _inked(page) > 200
        page.get_by_role("button", name="Ghost").click()
        expect(page.get_by_role("button", name="Ghost")).to_have_attribute("aria-pressed", "false")
        page.keyboard.press("Shift")  # any other key is left to the notebook
        page.get_by_role("img").press(" ")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert problems == []
