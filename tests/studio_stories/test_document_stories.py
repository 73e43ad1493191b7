"""Stories on documents: what is saved, what is found again, what leaves the page, and a studio that is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tools.studio_page import StudioPage
from tools.studio_run import running

import kinetune as kt

pytestmark = pytest.mark.xdist_group("studio-1")

PLAIN = {"KINETUNE_COMPILED": "never"}
"""For servers that live for seconds: kernels would be loaded for nothing."""
STILL = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"}


def test_a_recipe_with_a_step_that_is_off_is_saved_and_opened_again(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk")
    studio.add("smooth")
    studio.add("mirror")
    studio.page.get_by_role("switch", name="Mirror").click()
    studio.wait("!s.steps.value[1].on")
    with studio.page.expect_download() as waited:
        studio.page.keyboard.press("Control+s")
    path = tmp_path / "saved.yaml"
    waited.value.save_as(path)
    recipe = kt.Recipe.read(path)
    assert [step.tag() for step in recipe.steps] == ["smooth", "mirror"]
    assert recipe.off == {1}
    studio.open("walk-sad")
    studio.drop("saved.yaml", path.read_bytes(), "nav.stack")
    studio.wait("s.steps.value.length === 2 && s.steps.value[0].on && !s.steps.value[1].on")
    assert studio.read("s.doc.value.source.sample") == "walk-sad"


def test_a_page_that_is_loaded_again_looks_as_it_was_left(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("smooth")
    studio.settle()
    studio.page.evaluate(
        """() => {
          const s = kinetune.store;
          s.chosenJoints.value = [3];
          s.shown.value = { ...s.shown.value, paths: false };
          s.compare.value = 'wipe';
          s.playback.setRange([40, 90]);
          s.playback.setFrame(55);
          kinetune.viewport.camera.position.set(1.5, 2.5, 6);
          kinetune.viewport.orbit.target.set(0, 1, 0);
          kinetune.viewport.orbit.update();
        }"""
    )
    studio.page.evaluate("() => kinetune.viewport.drawn()")
    place = "[...v.camera.position.toArray(), ...v.orbit.target.toArray()].map(x => x.toFixed(2)).join()"
    before = studio.read(place)
    studio.wait("kinetune.isRemembered()")
    assert studio.read("kinetune.session.link.ask('documents').then(told => told.type)") == "done", "it was taken in"
    studio.page.reload()
    studio.wait_until_drawn()
    studio.wait("s.playback.range?.[0] === 40 && s.frame.value === 55")
    assert studio.read("[s.chosenJoints.value[0], s.shown.value.paths, s.compare.value]") == [3, False, "wipe"]
    studio.page.wait_for_function(f"was => {{ const v = kinetune.viewport; return ({place}) === was; }}", arg=before)
    text = studio.page.evaluate("() => kinetune.session.ask('recipe', { form: 'yaml' }).then(told => told.text)")
    assert "camera" not in text
    assert not studio.page.get_by_text("This is a sample.").is_visible(), "the welcome is for the first start"
    studio.page.evaluate(
        """() => { const s = kinetune.store; s.compare.value = 'b'; s.chosenJoints.value = [];
                   s.shown.value = { ...s.shown.value, paths: true }; s.playback.setRange(null); }"""
    )


def test_motion_leaves_by_the_export_menu(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("wave")
    studio.add("trim")
    studio.page.evaluate("() => kinetune.session.turn(kinetune.store.step.value.id, { end: 20 })")
    studio.wait("s.motion.value.frames === 21 || s.motion.value.frames === 20")
    studio.page.get_by_role("button", name="Export", exact=True).click()
    with studio.page.expect_download() as waited:
        studio.page.locator(".pop .chip", has_text="bvh").first.click()
    path = tmp_path / "out.bvh"
    waited.value.save_as(path)
    assert path.read_bytes().startswith(b"HIERARCHY")


def test_quality_turns_green_and_red(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    studio.page.get_by_role("button", name="Livelier").click()
    studio.page.get_by_role("switch", name="Keep feet planted").click()
    slide = studio.page.locator("[data-measure=foot_slide_mm]")
    studio.page.locator("[data-measure=foot_slide_mm].no").wait_for()
    assert "→" in slide.inner_text()
    studio.add("plant feet")
    studio.page.locator("[data-measure=foot_slide_mm]:not(.no)").wait_for()


def test_a_page_goes_on_after_its_studio_was_killed(browser: Browser, tmp_path: Path) -> None:
    with contextlib.closing(browser.new_context(viewport={"width": 1280, "height": 720})) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        studio = StudioPage(page)
        with running(tmp_path, **PLAIN) as (address, server):
            page.goto(f"{address}&lite")
            studio.wait_until_drawn()
            fader = page.get_by_role("slider", name="1 hertz band gain", exact=True)
            fader.press("PageUp")
            studio.settle()
            studio.wait("s.saved.value.edit >= s.doc.value.edit")
            gains = studio.read("s.steps.value[0].knobs.gains_hz")
            doc = studio.read("s.doc.value.doc")
            port = int(address.split(":")[2].split("/")[0])
            server.send_signal(signal.SIGKILL)
            server.wait()
            page.get_by_text("Connection lost.").wait_for()
        with running(tmp_path, port, **PLAIN) as (address, _):
            page.get_by_text("The studio was restarted.").wait_for()
            other = context.new_page()
            other.goto(f"{address}&lite")  # as the command does by itself
            studio.wait("s.connection.value === 'open' && s.quality.value?.edit === s.doc.value.edit")
            assert studio.read("[s.doc.value.doc, s.toast.value]") == [doc, None]
            assert studio.read("s.steps.value[0].knobs.gains_hz") == gains
            fader.press("PageUp")
            studio.wait(f"JSON.stringify(s.steps.value[0].knobs.gains_hz) !== JSON.stringify({json.dumps(gains)})")
            studio.settle()
            page.keyboard.press("Control+z")
            page.keyboard.press("Control+z")
            studio.wait("s.steps.value[0].set.length === 0")


@pytest.mark.skipif(os.name != "posix", reason="the browser is a shell script")
def _is_let_in(page: Page) -> None:
    page.wait_for_function("() => window.kinetune?.store.connection.value === 'open'")


def test_the_command_opens_the_page_and_shows_nobody_its_token(browser: Browser, tmp_path: Path) -> None:
    """The browser that the command starts is a script that notes its command line; ours then opens what it says."""
    noted, script = tmp_path / "command line", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > "{noted}.part" && mv "{noted}.part" "{noted}"\n')
    script.chmod(0o755)
    command = [sys.executable, "-m", "kinetune", "studio", "--port", "0", "--data", str(tmp_path / "data")]
    environment = {**os.environ, **PLAIN, "BROWSER": str(script), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            while not noted.exists():
                assert server.poll() is None
                time.sleep(0.05)
            address = noted.read_text()
            assert address.startswith("file://")
            assert "token" not in address
            # Nothing plays by itself: these pages are drawn in full, and only their doors are tried.
            with contextlib.closing(browser.new_context(**STILL)) as context:
                page = context.new_page()
                page.set_default_timeout(60_000)
                page.goto(address)
                page.wait_for_url("http://127.0.0.1:*/")
                _is_let_in(page)
                page.reload()
                _is_let_in(page)
                tab = context.new_page()
                tab.goto(page.url + "?lite")
                StudioPage(tab).wait_until_drawn()
            with contextlib.closing(browser.new_context(**STILL)) as other:
                page = other.new_page()
                printed = line.split()[-1]
                page.goto(printed)
                _is_let_in(page)
            with contextlib.closing(browser.new_context(**STILL)) as stranger:
                page = stranger.new_page()
                page.goto(printed)
                page.get_by_text("Every address opens the studio once").wait_for()
        finally:
            server.terminate()
