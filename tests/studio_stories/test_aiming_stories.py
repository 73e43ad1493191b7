"""Stories of targets and footprints: places that the figure shall meet, dragged in the scene."""

from __future__ import annotations

import numpy as np
import pytest
from tools.studio_page import StudioPage

from kinetune import rotations

pytestmark = pytest.mark.xdist_group("studio-1")

LINE = {"joint": "right hand", "line": [-0.3, 1.25, 0.42, 0.0, 1.0, 0.0]}


@pytest.fixture
def reaching(studio: StudioPage) -> StudioPage:
    """The embedded reaches as examples of an aim step without a target, at their last frame."""
    if studio.read("s.step.value?.op === 'aim' && s.step.value.knobs.others.length === 15"):
        studio.page.evaluate("() => kinetune.session.turn(kinetune.store.step.value.id, { targets: null })")
        studio.wait("s.step.value.knobs.targets.length === 0")
        studio.settle()
        return studio
    studio.open("reach-01")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("t")
    studio.wait("s.step.value?.op === 'aim'")
    studio.page.get_by_text("reach, 16").click()
    studio.wait("s.step.value.knobs.others.length === 15 && s.doc.value.source.sample === 'reach-01'")
    studio.stop_at(10_000)
    return studio


def aim(studio: StudioPage, *targets: dict[str, object]) -> None:
    """Set the targets and wait until they are told."""
    studio.page.evaluate(
        "targets => kinetune.session.turn(kinetune.store.step.value.id, { targets })", [dict(t) for t in targets]
    )
    studio.wait(f"s.resultOf(s.step.value).report?.targets?.length === {len(targets)}")
    studio.settle()


def test_a_target_is_dragged_and_the_hand_follows(reaching: StudioPage) -> None:
    studio = reaching
    studio.page.get_by_role("button", name="Add point constraint").click()
    studio.wait("s.step.value.knobs.targets.length === 1 && s.resultOf(s.step.value).report?.targets")
    studio.settle()
    target = studio.page.locator("[aria-label='Map of the examples'] g").last
    before = studio.joints()
    studio.drag(studio.middle(target), (-40, -10), release=False)
    studio.wait_until_moved(before, 0.02)
    studio.page.mouse.up()
    studio.settle()
    hand = studio.joints()[studio.read("s.skeleton.value.roles['right hand']")]
    missed = np.linalg.norm(hand - np.array(studio.read("s.step.value.knobs.targets[0].at")))
    assert missed < 0.01 or "outside" in studio.page.locator(".insp").inner_text()


def test_priorities_decide_between_targets_that_exclude_each_other(reaching: StudioPage) -> None:
    studio = reaching
    here, high = np.array([-0.3, 1.2, 0.42]), np.array([-0.3, 1.26, 0.42])
    aim(studio, {"joint": "right hand", "at": here.tolist()}, {"joint": "RightHand", "at": high.tolist()})
    rows = studio.page.get_by_role("list", name="Targets").get_by_role("listitem")
    assert rows.count() == 2
    hand = studio.read("s.skeleton.value.roles['right hand']")
    even = studio.joints()[hand]
    assert np.linalg.norm(even - here) == pytest.approx(0.03, abs=0.002), "in the middle between them"
    assert "outside these examples by 3 cm" in studio.page.locator(".insp").inner_text()
    slider = rows.nth(1).get_by_role("slider")
    left, top, width, _ = studio.box(slider)
    studio.drag((left + width - 1, top + 10), (-width * 0.8, 0))
    studio.wait("Math.abs(s.step.value.knobs.targets[1].priority - 0.2) < 0.05")
    studio.settle()
    assert studio.read("s.doc.value.undo") == "Priority"
    assert np.linalg.norm(studio.joints()[hand] - here) < 0.015
    slider.press("Home")
    studio.wait("s.step.value.knobs.targets[1].priority === 1")
    studio.settle()
    np.testing.assert_allclose(studio.joints()[hand], even, atol=1e-4)


def test_the_tip_of_a_line_turns_it(reaching: StudioPage) -> None:
    studio = reaching
    aim(studio, LINE)
    before, at = studio.joints(), np.array(LINE["line"][:3])  # type: ignore[index]
    tip = studio.on_screen("v.handles.goals.tipOf('0').toArray()")
    studio.drag(tip, (45, 25), release=False)
    studio.wait("s.step.value.knobs.targets[0].line[4] < 0.98")
    studio.page.keyboard.press("Escape")
    studio.wait("s.step.value.knobs.targets[0].line[4] === 1")
    studio.page.mouse.up()
    studio.drag(studio.on_screen("v.handles.goals.tipOf('0').toArray()"), (-70, 60))
    studio.wait("s.step.value.knobs.targets[0].line[4] < 0.9")
    studio.settle()
    line = np.array(studio.read("s.step.value.knobs.targets[0].line"))
    assert np.linalg.norm(line[3:]) == pytest.approx(1.0, abs=1e-3)
    np.testing.assert_allclose(line[:3], at, err_msg="the line turns about its point")
    hand = studio.joints()[studio.read("s.skeleton.value.roles['right hand']")]
    told = studio.read("s.resultOf(s.step.value).report.targets[0].error_mm")
    assert 1e3 * np.linalg.norm(np.cross(hand - at, line[3:])) == pytest.approx(told, abs=0.1)
    assert studio.moved(before) > 0.005


def test_an_orientation_is_turned_by_its_rings(reaching: StudioPage) -> None:
    studio = reaching
    aim(studio, LINE)
    studio.page.get_by_role("button", name="Add rotation constraint").click()
    studio.wait("s.step.value.knobs.targets.length === 2 && v.handles.gizmo.mode === 'rotate'")
    studio.settle()
    was = studio.read("s.step.value.knobs.targets[1].turned")
    studio.page.locator(".view").focus()
    for key in ("y", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        studio.page.keyboard.press(key)
    studio.wait("s.doc.value.undo === 'Target: right hand'")
    studio.settle()
    now = studio.read("s.step.value.knobs.targets[1].turned")
    turned = 2.0 * np.degrees(np.arccos(min(1.0, abs(float(np.dot(was, now))))))
    assert turned == pytest.approx(10.0, abs=0.01), "five presses of two degrees"
    assert studio.page.get_by_role("spinbutton", name="Right hand rotated as set, rotation X").count() == 1


def test_a_target_in_the_frame_of_a_joint_is_dragged_too(reaching: StudioPage) -> None:
    studio = reaching
    aim(studio, {"joint": "right hand", "at": [-0.3, 1.2, 0.42]})
    before = studio.joints()
    studio.page.get_by_label("Relative to").select_option("Spine2")
    studio.wait("s.step.value.knobs.targets[0].relative_to === 'Spine2'")
    studio.settle()
    hand = studio.read("s.skeleton.value.roles['right hand']")
    np.testing.assert_allclose(
        studio.joints()[hand], before[hand], atol=0.005, err_msg="the same target, told otherwise"
    )
    mark = "v.handles.goals.marks.get('0').group.position"
    np.testing.assert_allclose(studio.read(f"{mark}.toArray()"), [-0.3, 1.2, 0.42], atol=0.005)
    told = np.array(studio.read("s.step.value.knobs.targets[0].at"))
    assert np.linalg.norm(told - [-0.3, 1.2, 0.42]) > 0.5, "in other numbers"
    # The arrow of the gizmo that points up, whatever way that is for the chest.
    studio.page.keyboard.press("t")
    studio.wait("s.tool.value === 'target' && v.handles.helper.visible")
    studio.drag(studio.on_screen("v.handles.anchor.position.toArray().map((x, k) => k === 1 ? x + 0.15 : x)"), (0, -25))
    studio.wait("s.doc.value.undo === 'Target: right hand'")
    studio.settle()
    target = studio.read("s.step.value.knobs.targets[0]")
    assert target["relative_to"] == "Spine2"
    chest = studio.read("s.skeleton.value.names.indexOf('Spine2')")
    turn = np.array(studio.read(f"Array.from(v.turnOf({chest}))"))
    world = studio.joints()[chest] + rotations.rotate(turn, np.array(target["at"]))
    assert world[1] > 1.22, "it was drawn up"
    np.testing.assert_allclose(studio.read(f"{mark}.toArray()"), world, atol=0.002)
    missed = 1e3 * np.linalg.norm(studio.joints()[hand] - world)
    assert missed == pytest.approx(studio.read("s.resultOf(s.step.value).report.targets[0].error_mm"), abs=0.5)
    dots = np.array(studio.read("Array.from(v.handles.dots.geometry.getAttribute('position').array)")).reshape(-1, 3)
    assert len(dots) == 16
    assert np.linalg.norm(dots - world, axis=1).min() < 0.3, "examples lie where the chest of the figure sees them"


@pytest.fixture
def walking(studio: StudioPage) -> StudioPage:
    """Footsteps straight ahead."""
    studio.open("walk")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("p")
    studio.wait("s.step.value?.op === 'follow_footsteps'")
    studio.walk_along("Straight")
    return studio


def test_a_footprint_is_moved_and_the_walk_goes_there(walking: StudioPage) -> None:
    studio = walking
    step = studio.page.get_by_role("slider", name="Step 3,")
    planned = studio.read("s.resultOf(s.step.value).report.steps[2].place")
    studio.drag(studio.middle(step), (-2, -8))
    studio.wait("s.step.value.knobs.footsteps.length > 3")
    studio.settle()
    told = studio.read("s.resultOf(s.step.value).report.steps[2]")
    asked = studio.read("s.step.value.knobs.footsteps[2]")
    assert asked["z"] > planned[2] + 0.03
    assert told["place"][2] == pytest.approx(asked["z"], abs=0.02)


def test_a_click_on_the_floor_puts_a_foot_down_and_its_ring_turns_it(walking: StudioPage) -> None:
    studio = walking
    count = studio.read("s.resultOf(s.step.value).report.steps.length")
    studio.stop_at(10_000)
    x, _, z = studio.read("s.resultOf(s.step.value).report.steps.at(-1).place")
    place = f"[{x - 0.6}, s.floor.value, {z + 0.1}]"
    studio.page.mouse.click(*studio.on_screen(place))
    studio.wait(f"s.step.value.knobs.footsteps.length === {count + 1}")
    studio.settle()
    added = studio.read("s.step.value.knobs.footsteps.at(-1)")
    assert (added["x"], added["z"]) == pytest.approx((x - 0.6, z + 0.1), abs=0.02), "where the floor was clicked"
    studio.drag(studio.on_screen("v.handles.goals.tipOf('foot').toArray()"), (20, 0))
    studio.wait(f"Math.abs(s.step.value.knobs.footsteps.at(-1).heading_deg - {added['heading_deg']}) > 2")
    studio.settle()
    assert studio.read("s.step.value.knobs.footsteps.at(-1).x") == added["x"], "it turns on the spot"
    assert studio.read("s.resultOf(s.step.value).report.steps.length") == count + 1
    studio.page.evaluate("() => { kinetune.store.tool.value = 'select'; }")
