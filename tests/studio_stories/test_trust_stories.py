"""Stories of trust: keys, presets and keys of poses do what the desk shows, and nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser
from tools.studio_page import StudioPage
from tools.studio_run import running

import kinetune as kt
from kinetune import rotations as rot
from kinetune.diagnosis.examination import examine_clip
from tests.made_up import small_clip

pytestmark = pytest.mark.xdist_group("studio-2")


def test_space_plays_and_arrows_step_whatever_has_the_focus(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    studio.page.get_by_role("slider", name="1 hertz band gain", exact=True).wait_for()
    knobs = studio.read("JSON.stringify(s.steps.value[0].knobs)")
    places = {
        "a fader": studio.page.get_by_role("slider", name="1 hertz band gain", exact=True),
        "a preset": studio.page.get_by_role("button", name="Calm", exact=True),
        "a switch": studio.page.get_by_role("switch", name="Equalize"),
        "a slider": studio.page.get_by_role("slider", name="Zoom"),
        "a clip on the timeline": studio.page.get_by_role("button", name="walk, from frame"),
        "the end of the loop": studio.page.get_by_role("slider", name="Loop end"),
        "a card": studio.page.locator(".op").first,
        "a button": studio.page.get_by_role("button", name="Undo"),
        "the viewport": studio.page.locator(".view"),
    }
    for name, place in places.items():
        place.focus()
        studio.page.keyboard.press("Space")
        assert studio.read("s.playing.value"), f"Space on {name} plays"
        studio.page.keyboard.press("Space")
        assert not studio.read("s.playing.value"), f"Space on {name} stops"
        frame = studio.read("s.frame.value")
        studio.page.keyboard.press("ArrowRight")
        assert studio.read("s.frame.value") == frame + 1, f"an arrow on {name} steps"
        studio.page.keyboard.press("ArrowLeft")
    assert studio.read("JSON.stringify(s.steps.value[0].knobs)") == knobs, "no control was moved"
    assert studio.read("[s.doc.value.tracks.length, s.playback.range]") == [1, None]
    studio.page.get_by_role("button", name="Calm", exact=True).press("Enter")
    studio.wait("s.steps.value[0].knobs.preset === 'subdued'")
    studio.page.get_by_role("button", name="Document: walk").click()
    field = studio.page.get_by_role("textbox", name="Name of the document")
    field.fill("a")
    field.press("Space")
    assert field.input_value() == "a ", "a text field keeps its spaces"
    studio.page.keyboard.press("Escape")


def test_a_preset_moves_the_faders_to_what_the_motion_does(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    swing = studio.page.get_by_role("slider", name="2 hertz band gain", exact=True)
    swing.wait_for()
    bands = "s.motion.value && [...document.querySelectorAll('.fader')].map(e => Number(e.ariaValueNow))"
    assert set(studio.read(bands)) == {1}
    studio.page.get_by_role("button", name="Livelier", exact=True).click()
    studio.wait("Number(document.querySelector('[aria-label=\"2 hertz band gain\"]').ariaValueNow) > 1.2")
    studio.settle()
    livelier, moved = studio.read(bands), studio.joints()
    swing.press("ArrowUp")
    studio.wait("Object.keys(s.steps.value[0].knobs.gains_hz).length > 0 && s.steps.value[0].knobs.preset === null")
    studio.page.get_by_text("Livelier, changed").wait_for()
    studio.settle()
    now = studio.read(bands)
    assert [a for a, b in zip(livelier, now, strict=True) if a == b] == [a for k, a in enumerate(livelier) if k != 3]
    swing.press("ArrowDown")
    studio.settle()
    assert studio.moved(moved) < 0.002, "the faders say what the preset did"
    studio.page.get_by_role("slider", name="Amount", exact=True).press("PageDown")
    studio.wait("s.steps.value[0].knobs.amount < 1")
    studio.page.get_by_role("group", name="Presets").get_by_role("button", name="Flat", exact=True).click()
    studio.wait("Object.keys(s.steps.value[0].knobs.gains_hz).length === 0")
    studio.settle()
    assert set(studio.read(bands)) == {1}


def test_a_long_clip_has_nine_faders_at_most(studio: StudioPage, tmp_path: Path) -> None:
    frames = 12_000
    kt.write(small_clip(frames).replace(fps=240.0), tmp_path / "long.npz")
    studio.drop("long.npz", (tmp_path / "long.npz").read_bytes(), ".view")
    studio.wait_until_opened("long", frames)
    studio.add("equalize")
    posture = studio.page.get_by_role("slider", name="posture band gain", exact=True)
    posture.wait_for()
    assert 6 <= studio.page.locator(".desk .fader").count() <= 9
    posture.press("PageUp")
    studio.wait("s.steps.value[0].set.includes('gains_hz')")
    by_hz = studio.read("s.steps.value[0].knobs.gains_hz")
    gains = [by_hz[hz] for hz in sorted(by_hz, key=float, reverse=True)]
    slow = [gain for gain in gains if gain != 1]
    assert len(slow) > 3, "all slow bands go together"
    assert slow == gains[-len(slow) :] == [gains[-1]] * len(slow)


@contextlib.contextmanager
def started_on(target: Path, data: Path, browser: Browser) -> Iterator[StudioPage]:
    """The first page of a studio that was started on a file or a folder."""
    with (
        running(data, target=target) as (address, _),
        contextlib.closing(browser.new_context(viewport={"width": 1280, "height": 720})) as context,
    ):
        studio = StudioPage(context.new_page())
        studio.page.goto(f"{address}&lite")
        yield studio
        assert not studio.faults, studio.faults


def test_a_studio_starts_on_a_drawing_with_a_fresh_folder_of_documents(browser: Browser, tmp_path: Path) -> None:
    drawing = tmp_path / "leaf.svg"
    drawing.write_text("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M1 1h7v7z'/></svg>")
    with started_on(drawing, tmp_path / "data", browser) as studio:
        studio.page.get_by_text("No second drawing yet").wait_for()
        assert studio.read("s.doc.value.keys[0].layers.length") == 1
        assert studio.read("[s.fatal.value, s.trouble.value]") == ["", None]


def test_a_studio_that_is_started_on_a_folder_lists_it_and_refuses_what_is_no_motion(
    browser: Browser, tmp_path: Path
) -> None:
    clips = tmp_path / "clips"
    (clips / "more").mkdir(parents=True)
    kt.write(kt.sample("wave")[:40], clips / "more" / "wave.bvh")
    (clips / "garbage.bvh").write_bytes(bytes(range(256)))
    (clips / "settings.json").write_text("{}")
    with started_on(clips, tmp_path / "data", browser) as studio:
        page = studio.page
        clips = page.get_by_role("grid", name="Clips")
        clips.wait_for()
        studio.wait("s.quality.value")
        before = studio.read("s.doc.value.doc")
        for name, reason in (("garbage.bvh", "this is not a BVH file"), ("settings.json", "this is not a recipe")):
            clips.get_by_role("gridcell", name=name).dblclick()
            note = page.get_by_role("main", name="Clips").get_by_role("alert").filter(has_text=reason)
            note.wait_for()
            note.get_by_role("button", name="Close").click()
            assert studio.read("s.doc.value.doc") == before, "what was open stays open"
        page.get_by_role("list", name="Folders").get_by_role("button", name="more").click()
        clips.get_by_role("gridcell", name="wave.bvh").press("Enter")
        studio.wait_until_opened("wave", 40)
        clips.wait_for(state="detached")


def test_a_key_of_a_pose_reaches_as_far_as_the_timeline_shows(studio: StudioPage) -> None:
    studio.open("walk")
    fps, frame, arm = studio.read("[s.motion.value.fps, s.frame.value, s.skeleton.value.roles['left upper arm']]")
    studio.page.evaluate(f"() => {{ kinetune.store.chosenJoints.value = [{arm}]; }}")
    studio.page.evaluate(
        "([frame, joint]) => kinetune.session.ask('pose', { frame, joint, rotate: [0, 0, 60] })", [frame, arm]
    )
    studio.wait("s.steps.value[0]?.op === 'displace'")
    studio.settle()
    assert reach_s(studio) == pytest.approx([-0.75, 0.75], abs=0.03)
    grip = studio.page.get_by_role("slider", name=f"Reach of the key at frame {frame}, after")
    width, (first, last) = studio.box(studio.page.locator(".lanes"))[2], studio.read("s.span.value")
    studio.drag(studio.middle(grip), (0.75 * fps * width / (last - first), 0))
    studio.wait("s.steps.value[0].knobs.falloff_s > 1.4")
    studio.settle()
    assert reach_s(studio) == pytest.approx([-1.5, 1.5], abs=0.06)
    assert studio.read("s.doc.value.undo") == "Reach"
    grip.press("Alt+ArrowLeft")
    studio.wait("s.steps.value[0].knobs.falloff_s < 1.5")


def reach_s(studio: StudioPage) -> list[float]:
    """The first and the last moment at which the motion is changed, from the playhead."""
    seconds: list[float] = studio.read(
        "(() => { const { positions: now, frames, fps } = s.motion.value, was = s.original.value.positions,"
        " n = now.length / frames, changed = Array.from({ length: frames }, (_, f) => f).filter(f =>"
        " now.slice(f * n, (f + 1) * n).some((v, i) => Math.abs(v - was[f * n + i]) > 1e-5));"
        " return [changed[0], changed[changed.length - 1]].map(f => (f - s.frame.value) / fps); })()"
    )
    return seconds


def test_an_own_file_gets_a_check_up_whose_remedies_mend_it(studio: StudioPage, tmp_path: Path) -> None:
    path = tmp_path / "shop.bvh"
    kt.write(with_faults(kt.sample("walk")[:150]), path)
    studio.drop("shop.bvh", path.read_bytes(), ".view")
    studio.wait_until_opened("shop", 151)
    panel = studio.page.get_by_label("Inspector: check-up")
    panel.get_by_text("things to mend").wait_for()
    doctor = [finding.kind for finding in examine_clip(kt.read(path))[0]]
    shown = panel.locator("[data-finding]").evaluate_all("list => list.map(e => e.dataset.finding)")
    assert set(doctor) <= set(shown), "the same findings as those of the doctor"
    slide = panel.locator("[data-finding=foot-slide]")
    slide.get_by_text("→").wait_for()
    assert studio.read("s.quality.value.measures[0].is") > 30
    panel.get_by_role("button", name="Fix all").click()
    panel.get_by_text("Nothing to mend").wait_for()
    studio.settle()
    assert studio.read("s.steps.value.map(step => step.op)") == ["trim", "plant_feet", "move"]
    assert studio.read("s.quality.value.measures[0].is") < 5
    slide.get_by_role("button", name="Undo").click()
    panel.get_by_text("1 thing to mend").wait_for()
    studio.page.locator(".op").first.click()
    panel.wait_for(state="detached")
    studio.page.get_by_role("button", name="Check-up of shop.bvh").click()
    panel.get_by_role("button", name="Inches").click()
    studio.wait("s.doc.value.source.reading.unit === 'in'")


def with_faults(clip: kt.Clip) -> kt.Clip:
    """The clip 20 cm too high, with feet that slide, and a T-pose in front."""
    root = clip.root + np.array([0.0, 0.2, 0.0])
    root[:, 2] *= 1.35
    turns = np.concatenate([rot.identity(1, len(clip.skeleton)), clip.rotations])
    return clip.replace(
        root=np.concatenate([root[:1], root]),
        rotations=turns,
        contacts=None,
        markers=(),
    )


def test_no_fader_or_preset_lets_the_feet_slide(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    studio.page.get_by_role("slider", name="2 hertz band gain", exact=True).wait_for()
    gains = "[1, 1, 1, 2.5, 1, 1, 1, 1]"
    studio.page.evaluate(f"() => kinetune.session.turn(kinetune.store.step.value.id, {{ gains: {gains} }})")
    slides = {"2 Hz": settled_slide(studio)}
    for preset in ("Livelier", "Nervous", "Calm", "Wind-up"):
        studio.page.get_by_role("button", name=preset, exact=True).click()
        slides[preset] = settled_slide(studio)
    assert max(slides.values()) < 5, slides
    studio.page.get_by_role("switch", name="Keep feet planted").click()
    studio.wait("s.step.value.knobs.keep_feet === false")
    assert settled_slide(studio) > 5, "it was kept by the switch"
    strip = studio.page.locator("[data-measure=foot_slide_mm]")
    strip.get_by_role("button", name="Keep feet planted").click()
    studio.wait("s.step.value.knobs.keep_feet === true")
    assert settled_slide(studio) < 5, "the number itself offers the remedy"
    assert strip.get_by_role("button").count() == 0
    studio.page.get_by_role("button", name="Livelier", exact=True).click()
    studio.page.locator("[data-measure=jerk]").get_by_text("as intended").wait_for()


def test_feet_that_sink_are_lifted_from_beside_their_number(studio: StudioPage) -> None:
    studio.open("walk")
    studio.page.evaluate(
        """() => kinetune.session.addStep('displace',
             { keys: [{ frame: 200, joint: 'Hips', move: [0, -0.12, 0] }], keep_feet: false })"""
    )
    studio.page.locator("[data-measure=penetration_mm]").get_by_role("button", name="Lift").click()
    studio.wait("s.steps.value[1]?.op === 'keep_above_floor'")
    studio.settle()
    assert studio.read("s.quality.value.measures[1].is") < 5


def test_an_own_clip_leaves_livelier_on_another_character_with_planted_feet(studio: StudioPage, tmp_path: Path) -> None:
    """The first minutes: dropped, repaired, livelier, retargeted, exported; the film has a story of its own."""
    page = studio.page
    mine, child, out = (tmp_path / name for name in ("mine.bvh", "child.bvh", "out.bvh"))
    kt.write(with_faults(kt.sample("walk")[:150]), mine)
    kt.write(kt.sample("walk-child")[:1], child)
    studio.drop(mine.name, mine.read_bytes(), ".view")
    studio.wait_until_opened("mine", 151)
    page.get_by_role("button", name="Fix all").click()
    page.get_by_text("Nothing to mend").wait_for()
    studio.add("equalize")
    page.get_by_role("button", name="Livelier", exact=True).click()
    assert settled_slide(studio) < 5
    studio.drop(child.name, child.read_bytes(), ".view")
    page.get_by_role("button", name="Put mine on this character").click()
    studio.wait("s.doc.value.name === 'mine' && s.step.value?.op === 'retarget'")
    assert settled_slide(studio) < 5
    assert studio.read("s.steps.value.map(({ op }) => op).slice(-2)") == ["equalize", "retarget"]
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as waited:
        page.locator(".pop .chip", has_text="bvh").first.click()
    waited.value.save_as(out)
    assert kt.read(out).skeleton.height == pytest.approx(kt.read(child).skeleton.height, rel=1e-3)
    page.evaluate("() => { kinetune.store.compare.value = 'b'; }")


def test_example_sets_never_replace_the_clip(studio: StudioPage) -> None:
    studio.open("walk")
    mine = studio.read("s.doc.value.doc")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("t")
    studio.wait("s.step.value?.op === 'aim'")
    studio.page.get_by_text("reach, 16").click()
    studio.wait("s.doc.value.source?.sample === 'reach-01' && s.step.value?.knobs.others.length === 15")
    assert studio.read("s.doc.value.doc") != mine, "the examples are a document of their own"
    studio.page.evaluate("id => kinetune.session.openDocument(id)", mine)
    studio.wait("s.doc.value.source?.sample === 'walk' && s.quality.value")
    assert studio.read("[s.doc.value.inputs.length, s.steps.value.map(step => step.op)]") == [0, ["aim"]]


def settled_slide(studio: StudioPage) -> float:
    """Foot slide in millimetres, once the motion is computed."""
    studio.settle()
    slide: float = studio.read("s.quality.value.measures.find(({ name }) => name === 'foot_slide_mm').is")
    return slide


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (2560, 1440)])
def test_nothing_is_printed_over_anything_else(studio: StudioPage, size: tuple[int, int]) -> None:
    studio.open("walk")
    studio.page.set_viewport_size({"width": size[0], "height": size[1]})
    studio.page.evaluate("() => kinetune.session.say('Exported walk.bvh', 'good', true)")
    toast = studio.page.get_by_role("status").filter(has_text="Exported walk.bvh")
    toast.wait_for()
    column, box = studio.box(studio.page.locator("nav.stack")), studio.box(toast)
    assert column[0] <= box[0] < box[0] + box[2] <= column[0] + column[2], "over the left column"
    assert column[1] <= box[1] < box[1] + box[3] <= column[1] + column[3]
    assert overlaps(studio, ".lanes .tick") == [], "on the ruler"
    ticks = studio.page.locator(".lanes .tick").all_text_contents()
    assert len([text for text in ticks if text.replace(".", "").isdigit()]) > 5, "the ruler counts the seconds"
    studio.page.evaluate(
        "() => { kinetune.store.chosenJoints.value = [kinetune.store.skeleton.value.roles['left foot']]; }"
    )
    for frame in (40, 112, 200):
        studio.stop_at(frame)
        studio.page.evaluate("() => kinetune.viewport.paint()")
        assert overlaps(studio, ".label > span:not(:empty), .vo.bl .plate") == [], "in the scene"
    studio.page.set_viewport_size({"width": 1440, "height": 900})
    studio.page.evaluate("() => { kinetune.store.toast.value = null; kinetune.store.chosenJoints.value = []; }")


def overlaps(studio: StudioPage, selector: str) -> list[list[str]]:
    """The texts of things that are shown over each other."""
    pairs: list[list[str]] = studio.page.evaluate(
        """selector => {
          const shown = [...document.querySelectorAll(selector)]
            .filter(e => e.checkVisibility({ visibilityProperty: true }))
            .map(e => [e.textContent, e.getBoundingClientRect()]).filter(([, box]) => box.width);
          return shown.flatMap(([a, p], i) => shown.slice(i + 1).filter(([, q]) => p.left + 2 < q.right &&
            q.left + 2 < p.right && p.top + 2 < q.bottom && q.top + 2 < p.bottom).map(([b]) => [a, b]));
        }""",
        selector,
    )
    return pairs
