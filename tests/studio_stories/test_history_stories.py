"""Stories on the history: what one gesture is, versions, snapshots, and a recipe that is shared."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio-2")


def test_versions_and_snapshots_bring_a_state_back(studio: StudioPage) -> None:
    page = studio.page
    studio.open("walk")
    studio.add("smooth")
    page.get_by_role("button", name="History", exact=True).click()
    page.get_by_label("Name of the version").fill("Calm take")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Store as snapshot A").click()
    studio.wait("s.doc.value.versions.length === 2")
    studio.add("mirror")
    page.get_by_role("button", name="History", exact=True).click()
    page.get_by_role("button", name="Store as snapshot B").click()
    studio.wait("s.doc.value.versions.length === 3")
    page.get_by_role("button", name="Show snapshot A").click()
    studio.wait("s.steps.value.map(({ op }) => op).join() === 'smooth'")
    page.get_by_role("button", name="Show snapshot B").click()
    studio.wait("s.steps.value.length === 2")
    edits = page.get_by_role("list", name="Edits").get_by_role("button")
    assert edits.last.inner_text().startswith("Open walk")
    edits.last.click()
    studio.wait("s.steps.value.length === 0 && s.doc.value.at === 0")
    assert edits.first.inner_text().endswith("undone")
    page.get_by_role("list", name="Versions").get_by_role("button", name="Calm take").first.click()
    studio.wait("s.steps.value.length === 1 && s.doc.value.undo === 'Version Calm take'")
    page.get_by_role("button", name="Close the history").click()


def test_a_key_that_repeats_is_one_undo_step(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    fader = studio.page.get_by_role("slider", name="1 hertz band gain", exact=True)
    fader.focus()
    for _ in range(4):
        studio.page.keyboard.press("ArrowUp")
    studio.settle()
    assert studio.read("s.doc.value.history.length") == 3
    studio.page.keyboard.press("Control+z")
    studio.wait("s.steps.value[0].set.every((name) => name !== 'gains_hz')")


def test_a_dropped_recipe_asks_whether_to_replace_or_append(studio: StudioPage, tmp_path: Path) -> None:
    page = studio.page
    studio.open("walk")
    studio.add("mirror")
    page.get_by_role("button", name="History", exact=True).click()
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download recipe").click()
    path = tmp_path / "shared.yaml"
    waited.value.save_as(path)
    page.get_by_role("button", name="Close the history").click()
    ops = "s.steps.value.map(({ op }) => op).join()"
    for answer, result in (("Add after", "mirror,mirror"), ("Replace", "mirror")):
        studio.drop("shared.yaml", path.read_bytes(), "main.view")
        page.get_by_role("button", name=answer, exact=True).click()
        studio.wait(f"{ops} === '{result}'")
