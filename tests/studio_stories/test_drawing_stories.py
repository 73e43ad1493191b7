"""Stories on drawings: curves, in-betweens, walk cycles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect
from tools.studio_page import StudioPage

import kinetune as kt

pytestmark = pytest.mark.xdist_group("studio-2")

RING = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
<path d="M10 10H90V90H10ZM30 30H70V70H30Z" fill="tomato" fill-rule="evenodd"/></svg>"""


@pytest.fixture
def drawings(studio: StudioPage) -> Iterator[StudioPage]:
    """A fresh document with two dogs, quickly in-betweened."""
    studio.open_drawings()
    yield studio
    studio.open_figure()


def test_every_curve_of_a_layer_is_chosen_and_shaped(drawings: StudioPage) -> None:
    studio, page = drawings, drawings.page
    studio.drop("ring.svg", RING, "nav.stack")
    studio.wait("s.doc.value.keys[0].label === 'ring.svg' && s.doc.value.keys[0].layers[0].contours === 2")
    page.get_by_role("button", name="Shape", exact=True).click()
    page.get_by_role("button", name="Curve 2").click()
    page.get_by_role("button", name="4 control points", exact=True).click()
    point = page.get_by_role("slider", name="Control point 1 of 4")
    point.wait_for()
    curves = "[...s.keyDrawings.value.frames[0].layers[0].contours].map(c => c.count)"
    assert studio.read(curves) == [4, 4]
    studio.drag(studio.middle(point), (14, 9))
    studio.wait(f"s.doc.value.keys[0].edited && ({curves})[1] === 256")
    assert studio.read(curves) == [4, 256], "the other curve is as it was"
    x, y = page.evaluate(
        """() => { const box = document.querySelector('.stage path[data-layer="0"]').getBoundingClientRect();
                   return [box.left + 1, box.top + box.height / 2]; }"""
    )
    place = point.get_attribute("aria-valuetext")
    assert place
    page.mouse.click(x, y)
    page.locator(".curves [aria-pressed=true]", has_text="Curve 1").wait_for()
    expect(point).not_to_have_attribute("aria-valuetext", place)
    point.press("ArrowRight")
    studio.wait(f"({curves})[0] === 256")
    page.keyboard.press("Control+z")
    studio.wait(f"({curves})[0] === 4")


def test_a_walk_cycle_takes_opposite_limbs_by_name_or_by_hand(drawings: StudioPage) -> None:
    studio, page = drawings, drawings.page
    page.get_by_role("switch", name="Walk cycle").click()
    studio.wait("s.doc.value.settings.gait && s.film.value.frames[8].t < 0.9")
    assert page.get_by_role("list", name="Opposite limbs").get_by_role("listitem").count() == 2
    page.get_by_role("button", name="Remove the pair far hind leg and near hind leg").click()
    studio.wait("Object.keys(s.doc.value.settings.gait.pairs ?? {}).length === 1")
    page.get_by_role("button", name="Add a pair").click()
    page.get_by_role("combobox", name="Opposite of far hind leg").select_option("near hind leg")
    studio.wait("s.doc.value.settings.gait.pairs['far hind leg'] === 'near hind leg'")
    slider = page.get_by_role("slider", name="Leaving")
    slider.press("ArrowDown")
    studio.wait("s.doc.value.settings.gait.gamma_a < -0.33")
    page.get_by_role("combobox", name="In step with").select_option("walk-march")
    page.get_by_role("button", name="Right foot").click()
    studio.wait("s.doc.value.settings.gait.foot === 'right' && s.film.value.frames.length > 40")
    page.get_by_role("button", name="Find by name").click()
    studio.wait("s.doc.value.settings.gait.pairs === null")
    page.get_by_role("switch", name="Walk cycle").click()
    studio.wait("!s.doc.value.settings.gait && s.film.value.frames.length === 9")


def test_points_are_matched_by_hand_and_escape_takes_one_back(drawings: StudioPage) -> None:
    studio, page = drawings, drawings.page
    page.get_by_role("button", name="Match", exact=True).click()
    tail = page.locator('.stage path[data-layer="2"]').first
    left, top, _, _ = studio.box(tail)
    at = (left + 4, top + 4)
    studio.drag(at, (380, 20), release=False)
    page.keyboard.press("Escape")
    page.mouse.up()
    studio.wait("s.doc.value.gaps[0].pins.length === 0 && kinetune.session.link.asked.size === 0")
    studio.drag(at, (400, 0))
    studio.wait("s.doc.value.gaps[0].pins.length === 1 && s.doc.value.undo === 'Matched points'")
    page.get_by_role("button", name="Matched point 1, second drawing").press("Delete")
    studio.wait("s.doc.value.gaps[0].pins.length === 0")


def test_one_drawing_alone_says_what_to_do_and_a_broken_one_why(drawings: StudioPage) -> None:
    studio, page = drawings, drawings.page
    studio.open_drawings("hoop", None)
    page.get_by_role("button", name="Film", exact=True).click()
    page.get_by_text("No second drawing yet").wait_for()
    studio.drop("cut.svg", b"<svg", ".stage")
    note = page.get_by_role("alert")
    note.wait_for()
    assert note.inner_text().startswith("cut.svg:1: it is not XML")
    page.get_by_role("button", name="digit-3", exact=True).click()
    studio.wait("s.doc.value.keys[1]?.label === 'drawing digit-3' && s.film.value")
    assert page.get_by_role("alert").count() == 0
    page.get_by_role("slider", name="Resolution").press("ArrowDown")
    studio.wait("s.doc.value.settings.resolution === 128 && s.film.value.edit >= s.doc.value.edit")
    page.locator(".drawings").focus()
    page.keyboard.press("Space")
    studio.wait("document.querySelector('.preview').getAttribute('aria-label').startsWith('Drawing ')")
    page.get_by_role("button", name="Pause film").wait_for()
    page.keyboard.press("Space")
    page.keyboard.press("End")
    page.get_by_text("100 %", exact=True).wait_for()


@pytest.mark.parametrize(("format", "begins"), [("SVG", b"<svg"), ("GIF", b"GIF8"), ("MP4", b"\0\0\0"), ("JSON", b"{")])
def test_drawings_leave_as_pictures_and_films(drawings: StudioPage, tmp_path: Path, format: str, begins: bytes) -> None:
    page = drawings.page
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as waited:
        page.get_by_role("menuitem", name=format).click()
    path = tmp_path / waited.value.suggested_filename
    waited.value.save_as(path)
    content = path.read_bytes()
    assert content.startswith(begins)
    if format == "SVG":
        assert b"<animate " in content, "it moves"
        assert len(kt.read_drawing(path).layers) > 3
    elif format == "GIF":
        with Image.open(path) as film:
            assert film.n_frames >= 9
            assert np.ptp(np.asarray(film.convert("L"))) > 100, "something is drawn"
    elif format == "MP4":
        assert content[4:8] == b"ftyp"
        assert len(content) > 2_000
    else:
        assert json.loads(content)["op"] >= 8


def test_a_film_of_three_keys_is_timed_and_leaves_as_lottie(drawings: StudioPage, tmp_path: Path) -> None:
    studio, page = drawings, drawings.page
    page.get_by_role("button", name="Film", exact=True).click()
    page.locator(".found path").first.wait_for(state="attached")  # they are shown before anybody asks for them
    page.get_by_role("button", name="Add a key drawing").click()
    page.get_by_role("menuitem", name="Copy of the last one").click()
    studio.wait("s.doc.value.keys.length === 3 && s.film.value.starts.join() === '0,8,16'")
    page.get_by_role("button", name="Key 3: dog-2").press("Alt+ArrowLeft")
    page.get_by_role("button", name="Key 2 to key 3").click()
    page.get_by_role("button", name="Ease out", exact=True).click()
    page.get_by_role("spinbutton", name="In-betweens").fill("3")
    page.keyboard.press("Enter")
    studio.wait("s.doc.value.gaps[1].frames === 5 && s.film.value.starts.join() === '0,8,12'")
    assert studio.read("s.doc.value.gaps[0].ease") == "linear", "each gap has a timing of its own"
    assert studio.read("s.film.value.frames[9].t") > 1.25
    with page.expect_download() as waited:
        page.get_by_role("button", name="Lottie", exact=True).click()
    path = tmp_path / "film.json"
    waited.value.save_as(path)
    assert json.loads(path.read_text())["op"] >= 12
    page.get_by_role("button", name="Key 1: dog-1").press("Delete")
    studio.wait("s.doc.value.keys.length === 2")
    page.keyboard.press("Control+z")
    studio.wait("s.doc.value.keys.length === 3")
