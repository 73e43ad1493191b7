"""Stories on documents: recipes, drawings, the keyboard, both themes, small screens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from tools.studio_page import StudioPage
from typer.testing import CliRunner

import kinetune as kt
from kinetune.cli.app import app

pytestmark = pytest.mark.xdist_group("studio-2")


def test_the_recipe_gives_the_same_bits_on_the_command_line(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk")
    studio.add("equalize")
    fader = studio.page.get_by_role("slider", name="2 hertz band gain", exact=True)
    fader.wait_for()
    fader.press("PageUp")
    studio.wait("s.steps.value[0].set.includes('gains_hz')")
    studio.add("smooth")
    studio.settle()
    text = studio.page.evaluate("() => kinetune.session.ask('recipe', { form: 'yaml' }).then(told => told.text)")
    recipe, ours, theirs = tmp_path / "edit.yaml", tmp_path / "cli.npz", tmp_path / "studio.npz"
    recipe.write_text(text, encoding="utf-8")
    with studio.page.expect_download() as waited:
        studio.page.evaluate("() => kinetune.session.ask('export', { format: '.npz' })")
    waited.value.save_as(theirs)
    command = ["apply", str(recipe), "sample:walk", "-o", str(ours)]
    assert CliRunner().invoke(app, command, prog_name="kinetune", catch_exceptions=False).exit_code == 0
    a, b = kt.read(ours), kt.read(theirs)
    assert np.array_equal(a.rotations, b.rotations)
    assert np.array_equal(a.root, b.root)
    shown = studio.joints()
    assert np.allclose(a.positions()[studio.read("s.frame.value")], shown, atol=1e-4), "what was seen is what was saved"


def test_cards_are_switched_reordered_and_removed_by_keyboard(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("smooth")
    studio.add("mirror")
    card = studio.page.locator(".op").first
    card.focus()
    card.press("Alt+ArrowDown")
    studio.wait("s.steps.value[1].op === 'smooth'")
    studio.page.locator(".op").last.focus()
    studio.page.keyboard.press("0")
    studio.wait("!s.steps.value[1].on")
    studio.page.keyboard.press("Delete")
    studio.wait("s.steps.value.length === 1")
    studio.page.keyboard.press("Control+z")
    studio.wait("s.steps.value.length === 2")


def test_a_knob_out_of_range_says_so_in_place_and_the_last_value_stays(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("smooth")
    field = studio.page.get_by_role("spinbutton", name="Cutoff")
    field.fill("-3")
    field.press("Enter")
    assert "still in use" in studio.page.locator("[data-knob=cutoff_hz] [role=alert]").inner_text()
    assert studio.read("s.step.value.knobs.cutoff_hz") == 6
    field.fill("4")
    field.press("Enter")
    studio.wait("s.step.value.knobs.cutoff_hz === 4")
    assert studio.page.locator("[data-knob=cutoff_hz] [role=alert]").count() == 0


def test_two_drawings_are_morphed(studio: StudioPage) -> None:
    studio.open_drawings()
    frames = studio.read("s.film.value.frames.length")
    slider = studio.page.get_by_role("slider", name="Morph", exact=True)
    slider.press("Home")
    preview = studio.page.locator(".preview [data-now] path").first
    preview.wait_for()
    before = preview.get_attribute("d")
    assert before
    for _ in range(5):
        slider.press("PageUp")
    expect(preview).not_to_have_attribute("d", before)
    field = studio.page.get_by_role("spinbutton", name="In-betweens", exact=True)
    field.fill(str(frames - 2 + 8))
    field.press("Enter")
    studio.wait(f"s.film.value.frames.length === {frames} + 8")
    studio.page.get_by_role("button", name="Shape", exact=True).click()
    point = studio.page.get_by_role("slider", name="Control point 1 of")
    point.wait_for()
    studio.drag(studio.middle(point), (24, 10))
    studio.wait("s.doc.value.keys.some((key) => key.edited)")
    studio.page.get_by_role("tab", name="Motion").click()
    studio.wait("s.kind.value === 'motion' && s.quality.value")


def test_help_lists_the_keys_and_every_control_has_a_name(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    studio.page.get_by_role("slider", name="1 hertz band gain", exact=True).wait_for()
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("?")
    sheet = studio.page.get_by_role("dialog", name="Keyboard")
    sheet.wait_for()
    studio.page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(studio.page.locator(".view")).to_be_focused()
    nameless = studio.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, [role=slider], [role=switch], [role=checkbox]')]
          .filter(e => !(e.getAttribute('aria-label') || e.innerText?.trim() || e.closest('label')))
          .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert nameless == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_page_fits_a_small_screen_in_both_themes(studio: StudioPage, theme: str) -> None:
    studio.page.set_viewport_size({"width": 1280, "height": 720})
    studio.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    wide, tall = studio.page.evaluate(
        "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    assert (wide, tall) == (1280, 720)
    assert studio.box(studio.page.locator(".view"))[2] >= 420
    assert len(np.unique(studio.pixels())) > 100
    studio.page.evaluate("() => { const s = kinetune.store; s.drawerOpen.value = s.adding.value = true; }")
    left, top, width, height = studio.box(studio.page.locator(".pop", has_text="Equalize"))
    assert min(left, top) >= 0, "the list of operations is not cut off"
    assert left + width <= 1280
    assert top + height <= 720
    studio.page.evaluate("() => { kinetune.store.adding.value = false; }")
    studio.page.set_viewport_size({"width": 1440, "height": 900})


def test_pictures_of_clips_take_the_colours_of_the_theme(studio: StudioPage) -> None:
    page = studio.page
    page.get_by_role("tab", name="Clips").click()
    page.get_by_role("button", name="Samples").click()
    page.locator(".clip-tile canvas").first.wait_for()
    pixels = "document.querySelector('.clip-tile canvas').toDataURL()"
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
    studio.settle_frames()
    before = studio.read(pixels)
    page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
    try:
        studio.settle_frames()
        assert studio.read(pixels) != before
    finally:
        page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
        page.get_by_role("tab", name="Motion").click()


def test_the_offer_to_retarget_fits_beside_the_axes_on_a_small_screen(studio: StudioPage, tmp_path: Path) -> None:
    page = studio.page
    studio.open("walk")
    kt.write(kt.sample("wave-rig")[:24], tmp_path / "a rig of my own.bvh")
    page.set_viewport_size({"width": 1280, "height": 720})
    try:
        studio.drop("a rig of my own.bvh", (tmp_path / "a rig of my own.bvh").read_bytes(), ".view")
        offer = page.get_by_role("group", name="Another skeleton")
        offer.wait_for()
        _, top, _, height = studio.box(offer.locator("b").first)
        _, close, _, _ = studio.box(offer.get_by_role("button", name="Open alone"))
        assert close < top + height, "it closes where cards close, beside their title"
        rows = {round(studio.box(choice)[1]) for choice in offer.locator(".row > .btn").all()}
        assert len(rows) == 1, "what there is to choose from is one row"
        offer.get_by_role("button", name="Open alone").click()
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
