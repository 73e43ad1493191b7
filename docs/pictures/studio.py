"""The pictures of the studio's pages: every panel of the live page, in a real browser.

python docs/pictures/studio.py [NAME ...] [--mocks FOLDER]

With a folder of design mocks it also writes docs/studio/mocks/*.webp: each mock with the live page below it.
It needs Chromium (tools/browser.py finds or installs it) and the built page (tools/page.py).
"""

import argparse
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from tools import browser  # noqa: E402
from tools.studio_page import StudioPage  # noqa: E402
from tools.studio_run import browsing, page_is_built, serving  # noqa: E402

SIZE = {"width": 1440, "height": 900}
SHOWN = (1120, 700)
MOCKS = {
    "02_equalizer_dark_1440": "equalizer",
    "03_timeline_dark_1440": "timeline",
    "04_browser_dark_1440": "clips",
    "08_physics_dark_1440": "physics",
    "09_drawings_dark_1440": "drawings",
    "10b_history_dark_1440": "history",
    "01_checkup_dark_1440": "checkup",
    "07_retarget_dark_1440": "retarget",
    "10_export_dark_1440": "film",
}
"""Mocks, and the picture of the live page that belongs to each."""


def main(names: list[str], mocks: Path | None) -> None:
    program = browser.find() or browser.install()
    if program is None:
        sys.exit("The studio's pictures need Chromium: install one, or set KINETUNE_BROWSER to it.")
    if not page_is_built():
        sys.exit("The studio's page is not built. Run: python tools/page.py vendor")
    with tempfile.TemporaryDirectory() as data, serving(Path(data)) as address, browsing(program) as made:
        page = made.new_page(viewport=SIZE, color_scheme="dark")
        page.set_default_timeout(120_000)
        studio = StudioPage(page)
        page.goto(address)
        studio.wait_until_drawn()
        take(studio, "first_start", frame=150)
        page.get_by_role("button", name="Close", exact=True).click()
        motion = (path, equalizer, blend, shape, displace, targets, footsteps, timeline, physics)
        for picture in (*motion, clips, drawings):
            if not names or picture.__name__ in names:
                picture(studio)
    if mocks is not None:
        beside_mocks(mocks)


def take(studio: StudioPage, name: str, frame: int | None = None) -> None:
    """Stop where it looks best, and take the page as it is."""
    if frame is not None:
        studio.stop_at(frame)
    if studio.read("s.kind.value") == "motion":
        studio.wait("v.edited.surface")
        studio.page.evaluate("() => kinetune.viewport.drawn().then(() => kinetune.viewport.drawn())")
    studio.page.mouse.move(720, 450)
    shown = Image.open(io.BytesIO(studio.page.screenshot(animations="disabled"))).convert("RGB")
    shown.resize(SHOWN, Image.Resampling.LANCZOS).save(HERE / f"studio_{name}.webp", quality=72, method=6)


def path(studio: StudioPage) -> None:
    """From a clip of one's own to a livelier one on another character, and its film: the page "First minutes"."""
    import kinetune as kt

    page = studio.page
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "my walk.bvh"
        slid = kt.Equalize(preset="exaggerate", keep_feet=False)(kt.sample("walk-happy"))
        kt.write(kt.Move(y=0.12)(slid), file)
        studio.drop(file.name, file.read_bytes(), ".view")
        studio.wait("s.doc.value.name === 'my walk' && s.quality.value && !s.trouble.value")
    page.locator(".checks .change b").first.wait_for()
    studio.settle()
    take(studio, "checkup", frame=90)
    page.get_by_role("button", name="Fix all").click()
    page.locator(".checks .done").nth(1).wait_for()
    studio.settle()
    take(studio, "mended", frame=90)
    studio.add("equalize")
    page.get_by_role("button", name="Livelier").click()
    studio.settle()
    take(studio, "livelier", frame=90)
    page.get_by_role("button", name="History").click()
    page.get_by_label("Name of the version").fill("Livelier take")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Store as snapshot A").click()
    studio.wait("s.doc.value.versions.length === 2")
    take(studio, "history")
    page.get_by_role("button", name="Close the history").click()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "child.bvh"
        kt.write(kt.sample("walk-child")[:1], file)
        studio.drop(file.name, file.read_bytes(), ".view")
    page.get_by_role("button", name="Put my walk on this character").click()
    studio.wait("s.doc.value.name === 'my walk' && s.step.value?.op === 'retarget'")
    page.get_by_text("joints matched").wait_for()
    studio.settle()
    take(studio, "retarget", frame=90)
    page.get_by_role("button", name="Export", exact=True).click()
    take(studio, "export")
    page.keyboard.press("Escape")
    page.locator(".view").focus()
    page.keyboard.press("Shift+E")
    page.get_by_role("dialog", name="Film").get_by_role("img", name="What the film shows").wait_for()
    take(studio, "film")
    page.keyboard.press("Escape")
    page.evaluate("() => { kinetune.store.compare.value = 'b'; }")


def clips(studio: StudioPage) -> None:
    studio.page.get_by_role("tab", name="Clips").click()
    studio.page.get_by_role("button", name="Samples").click()
    studio.page.locator(".clip-tile canvas").nth(9).wait_for()
    studio.page.locator(".clip-tile").nth(1).click()
    studio.page.locator(".clip-large canvas").wait_for()
    take(studio, "clips")
    studio.page.get_by_role("tab", name="Motion").click()


def beside_mocks(folder: Path) -> None:
    """Each mock above the live page, small enough to be committed."""
    target = HERE.parent / "studio" / "mocks"
    target.mkdir(exist_ok=True)
    for mock, name in MOCKS.items():
        pictures = [Image.open(file).convert("RGB") for file in (folder / f"{mock}.png", HERE / f"studio_{name}.webp")]
        wide, tall = 900, 562
        sheet = Image.new("RGB", (2 * wide + 12, tall), "#888")
        for number, picture in enumerate(pictures):
            sheet.paste(picture.resize((wide, tall), Image.Resampling.LANCZOS), (number * (wide + 12), 0))
        sheet.save(target / f"{name}.webp", quality=72, method=6)


def equalizer(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("equalize")
    for hertz, steps in (("0.49", 3), ("1", 5), ("2", 6), ("4", 3), ("8.4", -8), ("30", -12)):
        fader = studio.page.get_by_role("slider", name=f"{hertz} hertz band gain", exact=True)
        for _ in range(abs(steps)):
            fader.press("ArrowUp" if steps > 0 else "ArrowDown")
    groups = "{ 'left arm': { gains: [1, 1, 1, 1.2, 1.6, 1.4], mute: [1] }, head: [] }"
    studio.page.evaluate(f"() => kinetune.session.turn(kinetune.store.step.value.id, {{ groups: {groups} }})")
    studio.settle()
    take(studio, "equalizer", frame=178)
    studio.page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
    take(studio, "light")
    studio.page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("w")
    take(studio, "wipe")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("w")


def blend(studio: StudioPage) -> None:
    studio.open("walk-happy")
    studio.blend_with("walk-sad")
    take(studio, "blend", frame=150)


def shape(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("shape")
    studio.page.get_by_role("button", name="Soft limit").click()
    studio.settle()
    take(studio, "shape", frame=110)


def displace(studio: StudioPage) -> None:
    studio.open("walk")
    studio.page.evaluate(
        """async () => {
          const { ask } = kinetune.session, pose = { joint: 'LeftArm', axes: 'parent' };
          await ask('pose', { ...pose, frame: 90, rotate: [0, 0, -10] });
          await ask('pose', { ...pose, frame: 178, rotate: [-35, 0, 30] });
          await ask('pose', { ...pose, frame: 260, rotate: [0, 5, 5] });
          const { store } = kinetune;
          store.chosenStep.value = store.steps.value[0].id;
          store.chosenKey.value = 1;
          store.chosenJoints.value = [store.skeleton.value.roles['left upper arm']];
          store.tool.value = 'rotate';
        }"""
    )
    studio.settle()
    take(studio, "displace", frame=178)
    studio.page.evaluate("() => { kinetune.store.tool.value = 'select'; kinetune.store.chosenJoints.value = []; }")


def targets(studio: StudioPage) -> None:
    studio.open("walk")
    studio.aim_with_reaches()
    studio.page.evaluate(
        """() => kinetune.session.turn(kinetune.store.step.value.id, { targets: [
          { joint: 'right hand', line: [-0.3, 1.25, 0.42, 0.25, 0.95, 0.1] },
          { joint: 'head', look_at: [-0.25, 1.25, 0.8], priority: 0.5 },
        ] })"""
    )
    studio.settle()
    take(studio, "targets", frame=66)
    studio.page.evaluate("() => { kinetune.store.tool.value = 'select'; }")


def footsteps(studio: StudioPage) -> None:
    studio.open("walk")
    studio.add("follow footsteps")
    studio.walk_along("Circle")
    take(studio, "footsteps", frame=120)


def timeline(studio: StudioPage) -> None:
    studio.open("walk")
    tracks = [
        {"clip": "source", "lane": 0, "at": 0, "start": 20, "stop": 280},
        {"clip": "other", "lane": 1, "at": 215, "stop": 300},
    ]
    studio.arrange("walk-march", tracks, [{"frame": 60, "name": "push off"}, {"frame": 400, "name": "look up"}])
    take(studio, "timeline", frame=240)


def physics(studio: StudioPage) -> None:
    studio.open("kick-1")
    studio.add("filter dynamics")
    studio.run_step()
    studio.wait("v.forces.data")
    studio.settle()
    take(studio, "physics", frame=120)


def drawings(studio: StudioPage) -> None:
    studio.enter_drawings()
    studio.page.get_by_role("button", name="Add a key drawing").click()
    studio.page.get_by_role("menuitem", name="Copy of the last one").click()
    studio.wait("s.film.value?.starts.length === 3")
    studio.page.evaluate(
        """async () => {
          const { ask } = kinetune.session;
          await ask('drawing.replace', { key: 2, source: { drawing: 'dog-1' } });
          for (const gap of [0, 1]) await ask('drawing.set', { gap, set: { frames: 9, ease: 'smooth' } });
        }"""
    )
    studio.wait("s.film.value?.starts.join() === '0,8,16'")
    for _ in range(3):
        studio.page.get_by_role("button", name="Next drawing").click()
    studio.page.locator(".found path").first.wait_for(state="attached")
    take(studio, "drawings")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The pictures of the studio's pages.")
    parser.add_argument("names", nargs="*", help="which; by default all")
    parser.add_argument("--mocks", type=Path, help="a folder with the design mocks")
    given = parser.parse_args()
    main(given.names, given.mocks)
