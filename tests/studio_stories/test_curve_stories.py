"""Stories in the curve editor: several channels and keys at once."""

from __future__ import annotations

from typing import Any

import pytest
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio-1")

_KEYS = """async () => {
  const { ask } = kinetune.session, joint = "LeftHand";
  const first = await ask("pose", { frame: 100, joint, rotate: [0, 10, 0], axes: "parent" });
  for (const [frame, y] of [[140, 25], [180, 40]])
    await ask("pose", { step: first.step, frame, joint, rotate: [5, y, 0], axes: "parent" });
  await ask("pose", { step: first.step, frame: 300, joint, move: [0, 0.1, 0] });
  kinetune.store.chosenStep.value = first.step;
  kinetune.store.chosenJoints.value = [kinetune.store.skeleton.value.names.indexOf(joint)];
  kinetune.store.drawerOpen.value = true;
}"""


@pytest.fixture
def keyed(studio: StudioPage) -> StudioPage:
    """A hand with three keys that rotate it and one that moves it, its curves open."""
    studio.open("walk")
    studio.page.evaluate(_KEYS)
    studio.wait("s.steps.value[0]?.knobs.keys.length === 4")
    studio.settle()
    studio.page.get_by_role("list", name="Channels").get_by_text("Rotation Y", exact=True).click()
    studio.page.locator(".drawer [data-key]").nth(3).wait_for()
    return studio


def keys(studio: StudioPage) -> list[dict[str, Any]]:
    return sorted(studio.read("s.steps.value[0].knobs.keys"), key=lambda key: key["frame"])


def choose_three(studio: StudioPage) -> None:
    """Draw a box round the keys that rotate."""
    first, last = (studio.middle(studio.page.locator(f'.drawer [data-key="{k}"]')) for k in (0, 2))
    top, bottom = sorted((first[1], last[1]))
    studio.drag((first[0] - 20, bottom + 16), (last[0] - first[0] + 40, top - bottom - 32))
    studio.page.locator(".drawer [data-edge]").nth(3).wait_for()


def test_several_keys_are_boxed_moved_scaled_copied_and_pasted(keyed: StudioPage) -> None:
    studio = keyed
    page = studio.page
    choose_three(studio)
    page.keyboard.press("ArrowRight")
    studio.wait("s.steps.value[0].knobs.keys.filter(k => [101, 141, 181].includes(k.frame)).length === 3")
    assert [key["frame"] for key in keys(studio)] == [101, 141, 181, 300]
    studio.settle()
    studio.drag(studio.middle(page.locator('.drawer [data-edge="right"]')), (40, 0))
    studio.settle()
    scaled = [key["frame"] for key in keys(studio)]
    assert scaled[0] == 101
    assert scaled[1] - 141 == pytest.approx(0.5 * (scaled[2] - 181), abs=1)
    assert scaled[2] > 190
    studio.drag(studio.middle(page.locator('.drawer [data-edge="top"]')), (0, -20))
    studio.settle()
    assert keys(studio)[2]["rotate"][1] > 41
    assert keys(studio)[0]["rotate"][1] == pytest.approx(10, abs=0.01), "the opposite edge stays"
    page.keyboard.press("Control+c")
    studio.stop_at(205)
    page.keyboard.press("Control+v")
    studio.wait("s.steps.value[0].knobs.keys.length === 7")
    pasted = {205, 205 + scaled[1] - 101, 205 + scaled[2] - 101}
    assert {key["frame"] for key in keys(studio)} == {*scaled, *pasted}
    page.keyboard.press("Control+z")
    studio.wait("s.steps.value[0].knobs.keys.length === 4")


def test_curves_show_several_channels_values_enlarged_and_keys_of_inverse_kinematics(keyed: StudioPage) -> None:
    studio = keyed
    page = studio.page
    page.get_by_role("button", name="Show rotation X").click()
    page.locator('.drawer [data-channel="0"]').wait_for()
    height = "Number(document.querySelectorAll('.drawer [data-key]')[2].querySelector('circle').getAttribute('cy'))"
    before = studio.read(height)
    x, y = studio.middle(page.locator('.drawer [data-key="0"]'))
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    studio.wait(f"Math.abs({height} - {before}) > 10")
    page.get_by_role("button", name="Fit", exact=True).last.click()
    studio.wait(f"Math.abs({height} - {before}) < 1")
    moved = page.get_by_role("slider", name="Move key 4 of 4")
    studio.drag(studio.middle(moved), (30, -20))
    studio.settle()
    assert keys(studio)[3]["frame"] > 303
    assert keys(studio)[3]["move"] == [0, 0.1, 0], "only its time moves"
    page.get_by_role("slider", name="Key 2 of 4").click()
    studio.drag(studio.middle(page.locator('.drawer [data-handle="out"]')), (-25, 0))
    studio.wait("s.steps.value[0].knobs.keys[1].tension > 0.1")
    page.get_by_role("button", name="Flat", exact=True).click()
    studio.wait("s.steps.value[0].knobs.keys[1].tension === 1")
    page.locator('.drawer [data-channel="0"] circle').nth(1).click()
    studio.wait("document.querySelector('.chan .sel').textContent.includes('Rotation X')")
