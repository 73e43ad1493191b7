"""Stories on the list of clips: a thousand of them, their pictures, the timeline, and documents."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tools.studio_page import StudioPage
from tools.studio_run import running

import kinetune as kt
from tests.studio_stories.conftest import PATIENCE_MS

pytestmark = pytest.mark.xdist_group("studio-1")

DRAG = """([from, to]) => {
  const dataTransfer = new DataTransfer(), how = { dataTransfer, bubbles: true, cancelable: true };
  const fire = (on, type) => document.querySelector(on).dispatchEvent(new DragEvent(type, how));
  fire(from, 'dragstart');
  fire(to, 'drop');
}"""


def test_clips_get_a_star_are_filtered_and_found_by_likeness(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    clips = {name: kt.sample(name) for name in ("walk", "walk-happy", "walk-sad", "kick-1", "wave")}
    for name, clip in clips.items():
        kt.write(clip, folder / f"{name}.bvh")
    kt.write(kt.Retarget(to=kt.sample("walk-child"))(clips["walk"])[60:300], folder / "other.bvh")
    kt.library.build_index(folder)
    with (
        running(tmp_path / "data", target=folder) as (address, _),
        contextlib.closing(browser.new_context(viewport={"width": 1440, "height": 900})) as context,
    ):
        studio = StudioPage(context.new_page())
        page = studio.page
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{address}&lite")
        cell = page.get_by_role("grid", name="Clips").get_by_role("gridcell")
        expect(cell).to_have_count(6)
        shown = page.locator(".clip-tile b")
        page.get_by_label("Sort", exact=True).select_option("long")
        seconds = page.locator(".clip-tile .row").all_inner_texts()
        lengths = [float(text.split()[-2]) for text in seconds]
        assert lengths == sorted(lengths, reverse=True)
        page.get_by_label("Sort", exact=True).select_option("name")
        cell.filter(has_text="walk-happy").click()
        page.get_by_role("button", name="Favourite: walk-happy.bvh").click()
        page.get_by_role("button", name="Find similar").click()
        page.get_by_text("Nearest to").wait_for()
        expect(shown.first).to_have_text("walk-happy.bvh")
        apart = [float(text.split()[0]) for text in page.locator(".clip-tile .row .ell").all_inner_texts()]
        assert apart[0] < 0.1
        assert apart == sorted(apart)
        assert len(apart) > 2
        page.get_by_role("button", name="Clear", exact=True).click()
        expect(cell).to_have_count(6)
        page.reload()
        studio.wait_until_drawn()
        page.get_by_role("tab", name="Clips").click()
        expect(cell).to_have_count(6)
        page.get_by_role("button", name="Favourites", exact=True).click()
        expect(shown).to_have_text(["walk-happy.bvh"])
        cell.click()
        page.get_by_role("button", name="Favourite: walk-happy.bvh").click()
        page.get_by_role("button", name="Samples").click()
        page.get_by_role("button", name="Favourites", exact=True).click()
        expect(cell).to_have_count(0)
        page.get_by_text("No favourites yet.").wait_for()
        page.get_by_role("button", name="Samples").click()
        cell.first.wait_for()
        edges = page.locator(".clip-tile").evaluate_all("list => list.map((e) => e.getBoundingClientRect().right)")
        grid = page.get_by_role("grid", name="Clips").bounding_box()
        assert grid is not None
        assert grid["x"] + grid["width"] - max(edges) < 2, "the rows are filled"
        assert not studio.faults, studio.faults


def test_a_thousand_clips_scroll_search_and_go_to_the_timeline(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "clips"
    (folder / "many").mkdir(parents=True)
    kt.write(kt.sample("wave")[:20], folder / "first.bvh")
    for number in range(1_000):
        (folder / "many" / f"take_{number:04}.bvh").hardlink_to(folder / "first.bvh")
    with (
        running(tmp_path / "data", target=folder, KINETUNE_COMPILED="never") as (address, _),
        contextlib.closing(browser.new_context(viewport={"width": 1280, "height": 720})) as context,
    ):
        studio = StudioPage(context.new_page())
        page = studio.page
        page.goto(f"{address}&lite")
        clips = page.get_by_role("grid", name="Clips")
        page.get_by_role("list", name="Folders").get_by_role("button", name="many").click()
        clips.get_by_role("gridcell", name="take_0000").wait_for()
        cells = clips.get_by_role("gridcell")
        assert cells.count() < 60, "only what is in view exists"
        page.locator(".clip-tile canvas").first.wait_for()
        clips.get_by_role("gridcell", name="take_0000").press("End")
        last = clips.get_by_role("gridcell", name="take_0999")
        last.wait_for()
        assert last.evaluate("cell => cell === document.activeElement")
        assert cells.count() < 60
        page.get_by_label("Search the clips").fill("0421")
        found = clips.get_by_role("gridcell", name="take_0421")
        found.click()
        studio.wait("document.querySelectorAll('.clip-tile').length === 1")
        page.evaluate(DRAG, [".clip-tile", "footer.dock"])
        studio.wait("s.doc.value.tracks.length === 2 && s.doc.value.undo.startsWith('Add take_0421')")
        page.get_by_role("button", name="All documents").click()
        cells.first.click()
        name = page.get_by_role("complementary").get_by_label("Name of the document")
        name.fill("evening")
        name.press("Enter")
        clips.get_by_role("gridcell", name="evening").wait_for()
        page.evaluate("() => kinetune.session.link.ask('new', { source: { sample: 'wave' }, name: 'spare' })")
        page.get_by_role("button", name="Recent").click()
        clips.get_by_role("gridcell", name="spare").click()
        page.get_by_role("button", name="Delete document").click()
        clips.get_by_role("gridcell", name="spare").wait_for(state="detached")
        page.get_by_role("button", name="Undo", exact=True).click()
        clips.get_by_role("gridcell", name="spare").wait_for()
        page.get_by_role("tab", name="Motion").click()
        clips.wait_for(state="detached")
        assert not studio.faults, studio.faults
