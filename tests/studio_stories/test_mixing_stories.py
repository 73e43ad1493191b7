"""Stories of faders and keys: groups with faders of their own, blends over time, joints turned by the gizmo."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from tools.studio_page import StudioPage

import kinetune as kt
from tests.made_up import small_clip

pytestmark = pytest.mark.xdist_group("studio-2")

LONG = 90_000
"""Frames of clips that take seconds to compare, on a fast machine too."""


def test_a_group_has_faders_of_its_own(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    fader = studio.page.get_by_role("slider", name="1 hertz band gain", exact=True)
    fader.wait_for()
    studio.page.get_by_role("button", name="Faders for a group of joints").click()
    studio.page.get_by_role("button", name="Faders of left arm").click()
    studio.wait("s.steps.value[0].knobs.groups['left arm']")
    studio.page.get_by_role("tab", name="Left arm", selected=True).wait_for()
    studio.settle()
    before = studio.joints()
    studio.drag(studio.middle(fader), (0, -60), release=False)
    studio.wait_until_moved(before, 0.01)
    studio.page.mouse.up()
    studio.settle()
    moved = np.linalg.norm(studio.joints() - before, axis=1)
    arm = studio.read("s.skeleton.value.groups['left arm']")
    assert moved[arm].max() > 0.01
    assert np.delete(moved, arm).max() < 1e-6, "nothing else moves"
    assert studio.read("s.doc.value.undo") == "Left arm 1 Hz gain"
    studio.page.get_by_role("button", name="Mute 2 hertz").click()
    studio.wait("s.steps.value[0].knobs.groups['left arm'].mute?.length === 1")
    studio.page.get_by_role("tab", name="Whole body").click()
    assert studio.page.get_by_role("button", name="Mute 2 hertz").get_attribute("aria-pressed") == "false"
    studio.page.get_by_role("tab", name="Left arm").click()
    studio.page.get_by_role("group", name="Presets").get_by_role("button", name="Flat", exact=True).click()
    studio.settle()
    assert studio.moved(before) < 1e-6
    studio.page.get_by_role("button", name="Remove the faders of left arm").click()
    studio.wait("Object.keys(s.steps.value[0].knobs.groups).length === 0")


def test_a_clip_dropped_on_the_first_is_blended_and_changes_over_time(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk-happy")
    path = tmp_path / "sad.bvh"
    kt.write(kt.sample("walk-sad"), path)
    studio.drop("sad.bvh", path.read_bytes(), "[data-hold^='clip:']")
    studio.wait("s.steps.value[0]?.op === 'blend' && s.steps.value[0].knobs.other === 'sad'")
    studio.page.locator(".heat").wait_for()
    studio.settle()
    curve = studio.page.locator(".over-time .got")
    curve.scroll_into_view_if_needed()
    left, top, width, height = studio.box(curve)
    for number, (x, y) in enumerate(((0.2, 0.85), (0.8, 0.2)), start=1):
        studio.page.mouse.dblclick(left + x * width, top + y * height)
        studio.wait(f"s.steps.value[0].knobs.weight_keys.length === {number}")
        studio.settle()
    (_, early), (_, late) = studio.read("s.steps.value[0].knobs.weight_keys")
    assert early < 0.3 < 0.7 < late
    studio.page.get_by_role("button", name="Clear", exact=True).click()
    studio.wait("s.steps.value[0].knobs.weight_keys.length === 0")
    studio.settle()
    frames = studio.read("s.motion.value.frames")
    studio.page.get_by_role("slider", name="Timing", exact=True).press("Home")
    studio.wait("s.steps.value[0].knobs.timing === 0")
    studio.settle()
    assert studio.read("s.motion.value.frames") < frames - 5, "the sad walk is the slower one"
    assert studio.read("s.steps.value[0].knobs.weight") == 0.5


def test_a_long_warp_shows_its_share_and_is_cancelled(studio: StudioPage, tmp_path: Path) -> None:
    for seed, name in enumerate(("one", "other")):
        wander = np.random.default_rng(seed).standard_normal((LONG, 3, 4)).cumsum(axis=0)
        clip = small_clip(LONG).replace(rotations=wander / np.linalg.norm(wander, axis=2, keepdims=True))
        kt.write(clip, tmp_path / f"{name}.npz")
    studio.drop("one.npz", (tmp_path / "one.npz").read_bytes(), ".view")
    studio.wait_until_opened("one", LONG)
    studio.drop("other.npz", (tmp_path / "other.npz").read_bytes(), "[data-hold^='clip:']")
    studio.page.get_by_text(re.compile(r"Computing blend, \d+ %")).wait_for()
    studio.page.get_by_role("button", name="Cancel", exact=True).click()
    studio.wait("s.resultOf(s.steps.value[0])?.state === 'waiting' && Object.keys(s.jobs.value).length === 0")
    studio.page.get_by_role("button", name="Run", exact=True).wait_for()


def test_a_joint_is_turned_by_its_gizmo(studio: StudioPage) -> None:
    studio.open("walk")
    arm = "s.skeleton.value.roles['left upper arm']"
    studio.page.evaluate(f"() => {{ const s = kinetune.store; s.chosenJoints.value = [{arm}]; }}")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("r")
    studio.wait("v.handles.gizmo.mode === 'rotate' && v.handles.helper.visible")
    before = studio.joints()
    # The outer ring of the gizmo turns the joint about the line of sight.
    x, y = studio.on_screen(f"v.placeOf({arm})")
    reach = studio.read(
        "(() => { const p = v.handles.anchor.position, c = v.camera, h = v.canvas.getBoundingClientRect().height;"
        " const grown = Math.min(1.9 * Math.tan(Math.PI * c.fov / 360) / c.zoom, 7) * v.handles.gizmo.size / 4;"
        " return 0.75 * grown * h / 2 / Math.tan(Math.PI * c.fov / 360); })()"
    )
    studio.drag((x + reach, y), (0, -60))
    studio.wait("s.steps.value.some(step => step.op === 'displace' && step.knobs.keys.length === 1)")
    studio.settle()
    key = studio.read("s.steps.value[0].knobs.keys[0]")
    assert np.linalg.norm(key["rotate"]) > 5.0
    turned = np.linalg.norm(studio.joints() - before, axis=1)
    joint, hand = studio.read(f"[{arm}, s.skeleton.value.roles['left hand']]")
    assert turned[joint] < 1e-4, "the shoulder stays"
    assert turned[hand] > 0.05
    assert studio.read("s.doc.value.undo").startswith("Rotate")
    assert studio.read("s.steps.value[0].knobs.falloff_s") == 0.75
    studio.page.get_by_role("slider", name="Reach", exact=True).press("PageDown")
    studio.wait("s.steps.value[0].knobs.falloff_s < 0.7")
    studio.page.evaluate("() => { const s = kinetune.store; s.tool.value = 'select'; s.chosenJoints.value = []; }")


def test_a_splice_takes_one_of_the_best_moments(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("splice")
    studio.page.get_by_role("button", name="walk-happy", exact=True).click()
    moments = studio.page.get_by_role("list", name="Best moments").get_by_role("button")
    moments.first.wait_for()
    moments.first.click()
    studio.wait("s.step.value.knobs.leave_s !== null && s.step.value.knobs.event === 'none'")
    studio.settle()
    expect(moments.first).to_have_attribute("aria-pressed", "true")
    leave, enter, error = studio.read(
        "[s.step.value.knobs.leave_s, s.step.value.knobs.enter_s, s.resultOf(s.step.value).error]"
    )
    assert error is None
    assert (leave, enter) == pytest.approx(best_moment("walk", "walk-happy"), abs=1e-4)
    assert studio.read("s.doc.value.undo") == "Best moment"
    studio.page.get_by_role("button", name="Automatic").click()
    studio.wait("s.step.value.knobs.leave_s === null && s.step.value.knobs.event === 'auto'")


def best_moment(first: str, second: str) -> tuple[float, float]:
    """As the library has it."""
    best = kt.library.transitions_between(kt.sample(first), kt.sample(second))[0]
    return best.leave_s, best.enter_s
