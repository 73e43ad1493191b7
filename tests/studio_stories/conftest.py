"""One server and one browser for the stories of a process; each story opens a document of its own.

The stories are in two groups of about the same length, so that two processes share them: `-n 2 --dist loadgroup`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from playwright.sync_api import Browser, expect
from tools import browser as finder
from tools.studio_page import StudioPage
from tools.studio_run import browsing, page_is_built, serving

PATIENCE_MS = 120_000
"""A machine that compiles kernels beside it takes its time."""
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A studio on a free port, with documents in an empty folder."""
    if not page_is_built():
        pytest.skip("the page is not built: python tools/page.py vendor")
    with serving(tmp_path_factory.mktemp("studio")) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = finder.find()
    if program is None:
        pytest.skip("no Chromium here: install one, or set KINETUNE_BROWSER")
    with browsing(program) as made:
        yield made


@dataclass(frozen=True)
class FirstStart:
    """What the page shows before anybody touches it."""

    hint: bool
    faders: int
    playing: bool
    colours: int


@pytest.fixture(scope="session")
def begun(browser: Browser, address: str) -> Iterator[tuple[StudioPage, FirstStart]]:
    """The page as a user finds it on the first start, drawn cheaply; it stays open for all stories."""
    with contextlib.closing(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        studio = StudioPage(page)
        page.goto(f"{address}&lite")
        studio.wait_until_drawn()
        hint = page.get_by_text("This is a sample.").is_visible()
        page.get_by_role("slider", name="band gain").first.wait_for()  # they follow the picture
        faders = page.get_by_role("slider", name="band gain").count()
        playing = studio.read("s.playing.value")
        studio.wait(f"!s.playing.value || Math.abs(s.playback.frame - {studio.read('s.playback.frame')}) > 3")
        seen = FirstStart(hint, faders, playing, len(np.unique(studio.pixels())))
        if hint:
            page.get_by_role("button", name="Close", exact=True).click()
        yield studio, seen


@pytest.fixture
def first_start(begun: tuple[StudioPage, FirstStart]) -> FirstStart:
    return begun[1]


@pytest.fixture(scope="session")
def opened(begun: tuple[StudioPage, FirstStart]) -> StudioPage:
    """The page, its first hint put away."""
    return begun[0]


@pytest.fixture
def studio(opened: StudioPage) -> Iterator[StudioPage]:
    """The page for one story; any error in the browser's console fails it."""
    opened.faults.clear()
    yield opened
    assert not opened.faults, opened.faults
