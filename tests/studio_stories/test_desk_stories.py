"""Stories on the desk: panes, lanes, and what physics says of a motion."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio-1")


def test_panes_are_resized_by_hand_and_keyboard_and_restored(studio: StudioPage) -> None:
    studio.open("walk")
    bar = studio.page.get_by_role("separator", name="Width of the inspector")
    before = studio.box(studio.page.locator(".insp"))[2]

    def is_wider_by(pixels: float) -> None:
        studio.wait(f"Math.abs(document.querySelector('.insp').offsetWidth - {before + pixels}) < 3")

    studio.drag(studio.middle(bar), (-60, 0))
    is_wider_by(60)
    bar.press("ArrowRight")
    is_wider_by(52)
    bar.dblclick()
    is_wider_by(0)


def test_a_step_that_changes_the_length_shows_its_result_on_a_lane(studio: StudioPage) -> None:
    studio.open("walk")
    lanes = studio.page.locator(".lanes svg")
    assert lanes.get_by_text("Result,").count() == 0
    studio.page.evaluate("() => kinetune.session.addStep('retime', { speed: 0.5 })")
    studio.wait("s.motion.value.frames > 780")
    lanes.get_by_text("Result, 13.4 s").wait_for()
    studio.page.keyboard.press("Control+z")
    studio.wait("s.steps.value.length === 0")
    studio.settle()
    studio.add("loop")
    lanes.get_by_text("Result,").wait_for()
    studio.settle()
    ribbons = studio.page.locator(".lanes [data-ribbon]")
    expect(ribbons).to_have_count(2)
    first, last = studio.read("(({ first, last }) => [first, last])(s.resultOf(s.step.value).report)")
    x, (start, stop) = studio.read("document.querySelector('.lanes').clientWidth"), studio.read("s.span.value")
    drawn = studio.page.locator(".lanes [data-ribbon]").evaluate_all("list => list.map(e => Number(e.dataset.ribbon))")
    assert drawn == pytest.approx([(frame - start) / (stop - start) * x for frame in (first, last)], abs=1), (
        "the ribbons lead from the cycle that repeats, not from the ends of the clip"
    )


def test_other_timings_show_their_result_too(studio: StudioPage) -> None:
    lanes, ribbons = studio.page.locator(".lanes svg"), studio.page.locator(".lanes [data-ribbon]")
    studio.open("walk-happy")
    studio.blend_with("walk-sad")
    lanes.get_by_text("Result,").wait_for()
    expect(ribbons).to_have_count(7)
    drawn = ribbons.evaluate_all("list => list.map((e) => e.getAttribute('d').match(/[\\d.]+/g).map(Number))")
    assert all(path[4] - path[0] > 3 for path in drawn[1:]), "the sad walk is slower: everything comes later"
    studio.open("walk-happy")
    studio.add("align")
    studio.page.get_by_role("button", name="walk-sad", exact=True).click()
    studio.wait("s.steps.value.length === 1")
    lanes.get_by_text("Result,").wait_for()
    expect(ribbons).to_have_count(7)
    studio.open("walk")
    studio.add("follow footsteps")
    studio.walk_along("Straight")
    lanes.get_by_text("Result,").wait_for()
    expect(ribbons).to_have_count(0)


def test_edit_and_original_are_compared_at_the_same_moment_of_the_motion(studio: StudioPage) -> None:
    studio.open("walk")
    studio.page.evaluate("() => kinetune.session.addStep('trim', { start: 100 })")
    studio.wait("s.origins.value?.length === 302")
    studio.settle()
    assert studio.read("[v.originOf(50), v.changed]") == [150, False], "what is cut off changes no pose"
    studio.page.evaluate("() => kinetune.session.addStep('resample', { fps: 24 })")
    studio.wait("s.origins.value?.length === 121 && s.motion.value.fps === 24")
    studio.settle()
    assert studio.read("v.originOf(40)") == pytest.approx(200, abs=0.01)
    studio.page.get_by_role("group", name="Compare").get_by_role("button", name="Wipe").click()
    studio.stop_at(60)
    studio.settle_frames()
    apart = studio.read("Math.max(...v.edited.now.map((x, i) => Math.abs(x - v.plain.now[i])))")
    assert apart < 0.02, "both show the same stride"
    track, playhead = (studio.page.locator(s) for s in (".lanes [data-hold^='clip:']", ".playhead"))
    left, _, width, _ = studio.box(track)
    share = (studio.box(playhead)[0] - left) / width
    assert share == pytest.approx(60 * 60 / 24 / 402, abs=0.02), "tracks have the seconds of the ruler"
    studio.open("walk")
    assert studio.read("s.compare.value") == "b", "a document opens with its edit"


def test_the_verdict_of_physics_stands_on_the_timeline_before_anything_runs(studio: StudioPage) -> None:
    studio.open("walk")
    studio.page.evaluate("""async () => {
      const { addStep } = kinetune.session;
      const keys = [[60, 0], [100, 0.6], [140, 0]].map(([frame, y]) => ({ frame, joint: 'Hips', move: [0, y, 0] }));
      await addStep('displace', { keys, keep_feet: false });
      await addStep('filter_dynamics');
    }""")
    studio.page.locator("[data-verdict=impossible]").wait_for()
    reason = studio.page.locator(".reasons button").first
    span = studio.page.locator("[data-hold^='reason:']").first
    span.press("Enter")
    assert studio.read("s.frame.value") == int(str(span.get_attribute("data-hold")).partition(":")[2])
    assert len(reason.inner_text()) > 10
    listed = [each.inner_text().split("\n")[-1] for each in studio.page.locator(".reasons button").all()]
    spans = [
        str(each.get_attribute("aria-label")).rpartition(", frames ")[2]
        for each in studio.page.locator("[data-hold^='reason:']").all()
    ]
    assert sorted(spans) == sorted(listed), "the panel and the timeline name the same frames"
    assert "impossible" in studio.page.locator("[data-row=verdict]").inner_text()
    studio.page.locator("[data-load=was]").wait_for(state="attached")
    assert studio.page.locator("[data-load=is]").count() == 0, "nothing has run"
    assert studio.read("s.resultOf(s.step.value).state") == "waiting", "the clip is as it was"
