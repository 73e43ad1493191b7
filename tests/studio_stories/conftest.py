"""One server and one browser for all stories; each story opens a document of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tools import browser as finder
from tools.studio_page import StudioPage
from tools.studio_run import browsing, page_is_built, serving


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


@pytest.fixture(scope="session")
def opened(browser: Browser, address: str) -> Iterator[StudioPage]:
    """The page as a user finds it on the first start, drawn cheaply; it stays open for all stories."""
    with contextlib.closing(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        page = context.new_page()
        page.set_default_timeout(120_000)
        studio = StudioPage(page)
        page.goto(f"{address}&lite")
        studio.wait_until_drawn()
        yield studio


@pytest.fixture
def studio(opened: StudioPage) -> Iterator[StudioPage]:
    """The page for one story; any error in the browser's console fails it."""
    opened.faults.clear()
    yield opened
    assert not opened.faults, opened.faults
