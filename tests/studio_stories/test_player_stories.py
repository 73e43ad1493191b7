"""The player of the notebooks, in a browser."""

from __future__ import annotations

from playwright.sync_api import Browser

import kinetune as kt
from kinetune.notebooks.player import PlayerPage, motion_data


def test_the_controls_stay_in_view_when_the_player_becomes_narrower(browser: Browser) -> None:
    motion, packed = motion_data(kt.sample("walk"))
    page = browser.new_page(viewport={"width": 900, "height": 420})
    page.set_content(PlayerPage([motion], [packed], {"layout": "ghost", "height": 320}).document())
    page.wait_for_function("document.querySelector('.bar canvas')?.width > 400")
    page.set_viewport_size({"width": 520, "height": 420})
    page.wait_for_function("innerWidth === 520")
    assert page.evaluate("(bar => bar.scrollWidth - bar.clientWidth)(document.querySelector('.bar'))") <= 0
    page.close()
