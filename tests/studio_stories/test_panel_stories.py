"""Stories of the panels: a picture and the result before any parameter, and real walks that are blended."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from tools.studio_page import StudioPage

import kinetune as kt
from kinetune import rotations as rot
from tests.conftest import data_folder

pytestmark = pytest.mark.xdist_group("studio-2")

INSPECTOR = ".insp"
PICTURE = """panel => {
  const shows = (e) => e.getBoundingClientRect().height > 20, first = (selector) => {
    const found = [...panel.querySelectorAll(selector)].find(shows);
    return found ? found.getBoundingClientRect().top : null;
  };
  return [first('[role=img]'), first('.knobs .knob')];
}"""


def test_a_loop_shows_the_cycle_and_its_seam(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("loop")
    studio.settle()
    panel = studio.page.locator(INSPECTOR)
    first, last, was, now = studio.read(
        "(({ first, last, seam_was_mm, seam_is_mm }) => [first, last, seam_was_mm, seam_is_mm])"
        "(s.resultOf(s.step.value).report)"
    )
    assert last - first + 1 == studio.read("s.motion.value.frames"), "both ends are the same pose"
    assert now < was, "the seam is better than in the clip"
    panel.get_by_role("img", name=f"The poses at frames {first} and {last}").wait_for()
    said = panel.locator(".was-is").inner_text()
    assert f"{now:.3g}"[:3] in said
    assert f"{was:.3g}"[:3] in said
    panel.get_by_label("First frame of the cycle").fill(str(first + 10))
    panel.get_by_label("First frame of the cycle").press("Enter")
    studio.wait(f"s.resultOf(s.step.value).report.first === {first + 10}")
    panel.get_by_role("img", name=f"The poses at frames {first + 10} and ").wait_for()


def test_planted_feet_show_what_each_contact_slides(studio: StudioPage) -> None:
    studio.open("walk")
    studio.page.evaluate("() => kinetune.session.addStep('equalize', { preset: 'exaggerate', keep_feet: false })")
    studio.add("plant feet")
    studio.settle()
    panel = studio.page.locator(INSPECTOR)
    contacts = studio.read("s.quality.value.contacts")
    count = sum(len(foot["intervals"]) for foot in contacts["is"]["feet"])
    picture = panel.get_by_role("img", name=f"{count} contacts; the feet slide")
    bars = picture.locator("rect").count()
    assert bars == count + sum(len(foot["intervals"]) for foot in contacts["was"]["feet"]), "before and after"
    worst = max(
        ((mm or 0, start) for foot in contacts["is"]["feet"] for start, _, mm in foot["intervals"]), key=lambda w: w[0]
    )
    panel.locator(".was-is button").click()
    assert studio.read("s.frame.value") == worst[1], "the largest slide is one click away"


@pytest.mark.parametrize("operation", ["smooth", "mirror", "plant feet", "loop", "retime", "align"])
def test_a_panel_shows_a_picture_before_its_parameters_and_folds_the_rare_ones(
    studio: StudioPage, operation: str
) -> None:
    studio.open("walk")
    if operation == "align":
        studio.add("align")
        studio.page.get_by_role("button", name="walk-sad", exact=True).click()
        studio.wait("s.steps.value.length === 1")
    else:
        studio.add(operation)
    studio.settle()
    panel = studio.page.locator(INSPECTOR)
    panel.locator("[role=img]").first.wait_for()
    picture, parameters = panel.evaluate(PICTURE)
    assert picture is not None
    assert parameters is None or picture < parameters
    rows, fold = panel.locator(".knobs .knob"), panel.locator(".fold")
    shown = rows.count()
    assert shown <= 5, "rare parameters are folded away"
    if fold.count():
        assert fold.get_attribute("aria-expanded") == "false"
        fold.click()
        studio.wait(f"document.querySelectorAll('.insp .knobs .knob').length > {shown}")


def test_many_findings_fold_and_a_hold_begins_with_a_second(studio: StudioPage, tmp_path: Path) -> None:
    walk = kt.sample("walk")[:240]
    rotations, kick = walk.rotations.copy(), rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), 1.2)
    spiked = [walk.skeleton.index(f"{side}{part}") for part in ("Arm", "ForeArm", "Hand") for side in ("Left", "Right")]
    for frame, joint in zip(range(40, 130, 15), spiked, strict=True):
        rotations[frame, joint] = rot.multiply(rotations[frame, joint], kick)
    path = tmp_path / "spiked.bvh"
    kt.write(walk.replace(rotations=rotations), path)
    studio.drop(path.name, path.read_bytes(), ".view")
    studio.wait("s.doc.value.name === 'spiked' && s.quality.value && s.motion.value")
    studio.page.evaluate("() => kinetune.store.playback.setPlaying(false)")
    studio.add("denoise")
    studio.settle()
    spikes = studio.page.locator(f"{INSPECTOR} [data-finding=spike]")
    expect(spikes).to_have_count(3)
    studio.page.locator(INSPECTOR).get_by_role("button", name=re.compile("Show .* more")).click()
    assert spikes.count() >= len(spiked)
    studio.open("walk")
    studio.page.get_by_role("button", name="Hold in place").click()
    studio.wait("s.step.value?.op === 'hold'")
    start, end = studio.read("[s.step.value.knobs.start_s, s.step.value.knobs.end_s]")
    assert end - start == pytest.approx(1.0)


def test_a_hand_is_pinned_for_a_part_of_the_clip(studio: StudioPage) -> None:
    studio.open("wave")
    hand = int(studio.read("s.skeleton.value.roles['right hand']"))
    studio.page.evaluate(
        "hand => { kinetune.store.chosenJoints.value = [hand]; kinetune.store.playback.setRange([60, 90]); }", hand
    )
    spread = (
        f"(() => {{ const p = s.motion.value.positions, n = s.skeleton.value.names.length, at = (f) => "
        f"[0, 1, 2].map((k) => p[(f * n + {hand}) * 3 + k]); return Math.max(...[66, 72, 78, 84].map((f) => "
        "Math.hypot(...at(f).map((x, k) => x - at(60)[k])))); })()"
    )
    assert studio.read(spread) > 0.03, "the hand moves"
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("n")
    studio.wait("s.step.value?.op === 'hold'")
    studio.settle()
    assert studio.read(spread) < 0.003, "the hand stays"
    studio.page.keyboard.press("Control+z")
    studio.wait("s.steps.value.length === 0")
    studio.page.evaluate("() => kinetune.store.playback.setRange(null)")


WALKS = [("cmu", "07_01", "08_01"), ("accad", "Male1_B3_Walk", "Male1_B10_WalkTurnLeft45")]


@pytest.mark.parametrize(("folder", "first", "second"), WALKS, ids=[walk[0] for walk in WALKS])
def test_half_of_two_captured_walks_keeps_its_feet(studio: StudioPage, folder: str, first: str, second: str) -> None:
    data = data_folder()
    if data is None:
        pytest.skip("no captured clips here: set KINETUNE_DATA to a folder with them")
    one, other = ((data / folder / f"{name}.bvh").read_bytes() for name in (first, second))
    studio.drop(f"{first}.bvh", one, ".view")
    studio.wait(f"s.doc.value.name === {first!r} && s.quality.value && !s.trouble.value")
    studio.drop(f"{second}.bvh", other, "[data-hold^='clip:']")
    studio.wait("s.steps.value[0]?.op === 'blend'")
    studio.page.locator(".heat").wait_for()
    studio.settle()
    slide = "s.quality.value.measures.find(({ name }) => name === 'foot_slide_mm')"
    assert studio.read("s.steps.value[0].knobs.weight") == 0.5
    assert studio.read(f"{slide}.is") < 5
    studio.page.get_by_role("switch", name="Keep feet planted").click()
    studio.wait("s.step.value.knobs.keep_feet === false")
    studio.settle()
    assert studio.read(f"{slide}.is") > 5, "it was kept by the switch"


def test_an_operation_that_changes_nothing_says_so(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("trim")
    studio.settle()
    result = studio.page.get_by_role("region", name="Result")
    expect(result.get_by_text("0 cm", exact=True)).to_be_visible()


def test_poses_of_a_loop_take_the_colours_of_the_theme(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("loop")
    studio.settle()
    pixels = "document.querySelector('.seam canvas').toDataURL()"
    studio.page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
    studio.settle_frames()
    before = studio.read(pixels)
    studio.page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
    try:
        studio.settle_frames()
        assert studio.read(pixels) != before
    finally:
        studio.page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
