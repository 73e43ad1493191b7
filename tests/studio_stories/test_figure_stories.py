"""Stories on the figure: an animator edits by hand and by eye."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tools.studio_page import StudioPage

import kinetune as kt
from tests.studio_stories.conftest import FirstStart

pytestmark = pytest.mark.xdist_group("studio-2")


def test_the_first_start_shows_a_sample_that_moves_and_what_to_try(first_start: FirstStart, studio: StudioPage) -> None:
    assert first_start.hint
    assert first_start.faders >= 6
    assert first_start.playing
    assert first_start.colours > 100, "nothing was drawn"
    studio.page.evaluate("() => kinetune.store.playback.setPlaying(true)")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("Space")
    assert not studio.read("s.playing.value")


def test_a_fader_moves_the_figure_while_the_mouse_is_down_and_undo_takes_it_back(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    fader = studio.page.get_by_role("slider", name="1 hertz band gain", exact=True)
    fader.wait_for()
    studio.settle()
    before, picture = studio.joints(), studio.pixels()
    studio.drag(studio.middle(fader), (0, -60), release=False)
    studio.wait_until_moved(before, 0.01)
    assert np.mean(studio.pixels() != picture) > 0.002, "the figure moved and the picture did not"
    studio.page.mouse.up()
    studio.settle()
    assert float(str(fader.get_attribute("aria-valuenow"))) > 1.2
    studio.page.keyboard.press("Control+z")
    studio.wait("Object.keys(s.steps.value[0].knobs.gains_hz).length === 0 && s.steps.value[0].set.length === 0")
    studio.settle()
    assert studio.moved(before) < 1e-6


def test_a_dropped_file_opens_and_a_broken_one_says_why(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk")
    path = tmp_path / "happy.bvh"
    kt.write(kt.sample("walk-happy"), path)
    studio.drop("happy.bvh", path.read_bytes(), ".view")
    studio.wait("s.doc.value.name === 'happy' && s.quality.value && s.motion.value")
    assert studio.read("s.motion.value.frames") == len(kt.read(path))
    studio.wait("s.playing.value && s.playback.frame > 2")
    studio.stop_at(0)
    cut = path.read_text().splitlines()
    studio.drop("cut.bvh", "\n".join(cut[:-20])[:-30].encode(), ".view")
    note = studio.page.get_by_role("alert")
    note.wait_for()
    assert "cut.bvh" in note.inner_text()
    assert studio.read("s.doc.value.name") == "happy", "the page still shows the last good clip"
    studio.page.get_by_role("button", name="Open what is complete").click()
    studio.wait("s.doc.value.name === 'cut' && s.motion.value")


def test_two_clips_are_aligned_and_blended(studio: StudioPage) -> None:
    studio.open("walk")
    studio.blend_with("walk-sad")
    before = studio.joints()
    slider = studio.page.get_by_role("slider", name="Blend", exact=True)
    slider.focus()
    slider.press("PageUp")
    slider.press("PageUp")
    studio.wait("Math.abs(s.steps.value[0].knobs.weight - 0.7) < 1e-6")
    studio.settle()
    assert studio.read("s.largestChange.value") > 0.02
    assert studio.moved(before) > 0.005


def test_a_second_clip_on_the_timeline_crossfades(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk")
    alone = studio.read("s.motion.value.frames")
    path = tmp_path / "march.bvh"
    kt.write(kt.sample("walk-march"), path)
    studio.drop("march.bvh", path.read_bytes(), ".dock")
    studio.wait(f"s.doc.value.tracks.length === 2 && s.motion.value.frames > {alone} + 30")
    studio.settle()
    assert studio.page.get_by_role("button", name="Mute march").count() == 1


def test_a_joint_is_moved_by_its_gizmo_and_the_change_spreads(studio: StudioPage) -> None:
    studio.open("walk")
    studio.stop_at(172)  # in mid-stride, where no camera sees one hand behind the other
    hand = "v.placeOf(s.skeleton.value.roles['left hand'])"
    studio.page.mouse.click(*studio.on_screen(hand))
    studio.wait("s.chosenJoints.value[0] === s.skeleton.value.roles['left hand']")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("g")
    before = studio.joints()
    up = studio.on_screen(f"(() => {{ const at = {hand}; return [at[0], at[1] + 0.2, at[2]]; }})()")
    studio.drag(up, (0, -50))
    studio.wait("s.steps.value.some(step => step.op === 'displace' && step.knobs.keys.length === 1)")
    studio.settle()
    joint = studio.read("s.skeleton.value.roles['left hand']")
    risen = studio.joints()[joint] - before[joint]
    assert risen[1] > 0.05
    assert abs(risen[0]) < 0.02
    assert studio.page.get_by_role("option").count() == 1, "the key is listed"
    assert studio.read("s.doc.value.undo").startswith("Move"), "one step of undo that names the edit"


def test_physics_runs_with_progress_is_cancelled_runs_again_and_shows_its_forces(studio: StudioPage) -> None:
    found = studio.read(
        "s.operations.value.find(each => each.slow && /physic|dynamic|balance/.test(each.op))?.title ?? ''"
    )
    if not found:
        pytest.skip("no physics operation is registered")
    studio.open("kick-1")
    studio.add(found)
    studio.page.get_by_role("button", name="Run", exact=True).click()
    studio.page.get_by_role("progressbar").wait_for()
    studio.page.get_by_role("button", name="Cancel", exact=True).click()
    studio.wait("s.resultOf(s.step.value).state === 'waiting' && Object.keys(s.jobs.value).length === 0")
    studio.run_step()
    studio.page.get_by_text("Floor force").wait_for()
    studio.settle()
    assert studio.page.locator("[aria-label^='Horizontal against vertical'] circle").count() > 20
    moved = studio.page.locator("[data-moved]")
    moved.wait_for()
    far = moved.get_attribute("data-moved") == "far"
    assert moved.get_by_text("The result is far from your motion").count() == int(far)
    shown, unit = moved.locator("b").inner_text().removeprefix("! ").split()
    moved.get_by_role("button").click()
    apart = studio.joints_apart() * {"mm": 1000, "cm": 100}[unit]
    assert apart == pytest.approx(float(shown), abs=1), "the button goes to the frame that moved farthest"
    assert studio.read("v.forces.data !== null")
    # The same stands on the timeline: the verdict, and the force from the floor before and after.
    row = studio.page.locator("[data-row=verdict]")
    assert studio.page.locator("[data-verdict]").get_attribute("data-verdict") in row.inner_text()
    assert studio.page.locator("[data-load]").evaluate_all("each => each.map(({ dataset }) => dataset.load)") == [
        *("was", "is")
    ]
    studio.stop_at(3)
    before, after = _loads_shown(studio)
    assert 0.5 < before < 1.6
    assert 0.8 < after < 1.2, "standing before the kick, the floor bears the body's weight"
    frames = int(studio.read("s.motion.value.frames"))
    loads = np.array(studio.read("Array.from(s.physics.value.isLoads, (x) => (isFinite(x) ? x : null))"), dtype=float)
    loads = loads.reshape(frames, 3)
    kicking = np.nanargmin(loads[:, 1])
    assert loads[kicking, 1] < 0.05 < 0.5 < loads[kicking, 0], "the kicking foot bears nothing, the other all"
    np.testing.assert_allclose(loads[:, 2], loads[:, 0] + loads[:, 1], atol=0.01)
    studio.add("move")
    row.wait_for(state="detached")
    assert studio.page.locator("[data-load]").count() == 0, "the rows go with the panel"


def _loads_shown(studio: StudioPage) -> tuple[float, float]:
    """What the floor gives at the playhead before and after, in body weights, as the timeline says it."""
    studio.settle_frames()
    before, _, after, *_ = studio.page.locator("[data-row=loads] .dim").inner_text().split()
    return float(before), float(after)


def test_a_motion_that_physics_cannot_correct_stays_as_it_was(studio: StudioPage, tmp_path: Path) -> None:
    clip = kt.sample("walk")[:60]
    rising = np.linspace(0.0, 1.5, len(clip))[:, None] * np.array([0.0, 1.0, 0.0])
    kt.write(clip.replace(root=clip.root + rising, contacts=None, markers=()), tmp_path / "rise.bvh")
    studio.drop("rise.bvh", (tmp_path / "rise.bvh").read_bytes(), ".view")
    studio.wait_until_opened("rise", 60)
    studio.add("filter dynamics")
    studio.run_step()
    studio.settle()
    assert studio.read("s.resultOf(s.step.value).report.findings.map(({ kind }) => kind)").count("physics-refused") == 1
    assert studio.read("s.largestChange.value") == 0
    studio.page.get_by_label("Inspector").get_by_text("No plausible motion").first.wait_for()
