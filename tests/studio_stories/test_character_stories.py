"""Stories on characters: what they wear, from where they are seen, and how they come onto another body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from tools.studio_page import StudioPage

import kinetune as kt
from kinetune.formats.characters.character import character_mesh
from tests.conftest import data_folder
from tests.formats.characters.test_skinned_mesh import gltf_hero, skinned

pytestmark = pytest.mark.xdist_group("studio-1")

_VERTICES = """Array.from({length: 12}, (_, k) => {
  const mesh = v.edited.meshes[0], { position } = mesh.geometry.attributes;
  const at = v.edited.group.position.clone().fromBufferAttribute(position, k);
  mesh.skeleton.update();
  return mesh.applyBoneTransform(k, at).toArray();
})"""


def test_the_skin_of_a_file_is_bent_by_the_edited_motion(studio: StudioPage, tmp_path: Path) -> None:
    path = gltf_hero(tmp_path / "hero.glb")[0]
    studio.drop("hero.glb", path.read_bytes(), ".view")
    studio.wait("s.doc.value.name === 'hero' && s.dress.value?.body === 'skin' && v.edited.surface")
    studio.page.get_by_role("button", name="Skin", exact=True).wait_for()
    studio.stop_at(9)
    studio.settle_frames()
    clip = kt.read(path)
    expected = skinned(character_mesh(clip)[0], clip)[9]
    np.testing.assert_allclose(np.array(studio.read(_VERTICES)), expected, atol=2e-4)
    studio.page.get_by_role("button", name="Skin", exact=True).click()
    studio.page.get_by_role("menuitem", name="Bones").click()
    studio.wait("v.edited.showsBones && !v.edited.meshes[0].visible")


def test_the_mannequin_is_seen_from_all_sides_beside_the_original_and_over_time(studio: StudioPage) -> None:
    studio.open("walk")
    studio.wait("s.dress.value?.body === 'mannequin' && v.edited.surface")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("1")
    front = studio.read("v.camera.position.clone().sub(v.orbit.target).normalize().toArray()")
    studio.page.keyboard.press("3")
    side = studio.read("v.camera.position.clone().sub(v.orbit.target).normalize().toArray()")
    assert abs(np.dot(front, side)) < 0.1
    studio.page.get_by_role("button", name="Look from plus Y").click()
    assert studio.read("v.camera.position.y - v.orbit.target.y") > 2.0
    studio.page.keyboard.press("9")
    assert studio.read("v.camera.isOrthographicCamera")
    top = studio.read("v.project(v.placeOf(s.skeleton.value.roles.head))")
    assert abs(top[0] - studio.read("v.size.width / 2")) < 80
    studio.page.keyboard.press("9")
    studio.page.keyboard.press("5")
    studio.page.keyboard.press("d")
    studio.page.keyboard.press("o")
    studio.settle_frames()
    apart = studio.read("Math.hypot(v.plain.now[0] - v.edited.now[0], v.plain.now[2] - v.edited.now[2])")
    assert 0.8 < apart < 1.5, "the original stands beside"
    assert studio.read("v.onion.every((each) => each.group.visible)")
    head = studio.read("v.project(v.placeOf(s.skeleton.value.roles.head))")
    assert 0 < head[1] < studio.read("v.size.height"), "both are in the picture"
    studio.page.keyboard.press("o")
    studio.page.keyboard.press("d")


def test_a_file_with_a_skin_is_taken_for_a_character_that_wants_a_motion(studio: StudioPage, tmp_path: Path) -> None:
    path = gltf_hero(tmp_path / "hero.glb")[0]
    studio.open("walk")
    studio.drop("hero.glb", path.read_bytes(), ".view")
    studio.wait("s.doc.value.name === 'hero' && s.dress.value?.body === 'skin' && s.motion.value?.frames > 1")
    offer = studio.page.get_by_role("group", name="Another skeleton")
    expect(offer.locator(".primary")).to_have_text("Put walk on this character")
    expect(offer).to_contain_text("A character")
    offer.get_by_role("button", name="Open alone").click()


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
def test_nothing_covers_the_character_when_a_clip_opens(
    studio: StudioPage, tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "child.bvh"
    kt.write(kt.sample("walk-child")[:30].replace(contacts=None), path)
    text = path.read_text().replace(" LeftHand\n", " hand_l\n")
    studio.page.set_viewport_size({"width": size[0], "height": size[1]})
    studio.open("walk")
    studio.drop("child.bvh", text.encode(), ".view")
    studio.page.get_by_role("group", name="Another skeleton").wait_for()
    studio.wait_until_opened("child", 30)
    studio.settle_frames()
    heights = [studio.on_screen(f"v.placeOf({j})")[1] for j in range(int(studio.read("s.skeleton.value.names.length")))]
    boxes = {which: studio.page.locator(f"[data-covers={which}]") for which in ("top", "bottom")}
    lowest_tool = max(sum(studio.box(tool)[1::2]) for tool in boxes["top"].all())
    highest_card = min(studio.box(card)[1] for card in boxes["bottom"].all())
    assert lowest_tool < min(heights)
    assert max(heights) < highest_card
    assert max(heights) - min(heights) > 0.5 * (highest_card - lowest_tool), "and it is as large as there is room for"
    studio.page.set_viewport_size({"width": 2700 - size[0], "height": 1620 - size[1]})
    studio.settle_frames()
    studio.settle_frames()
    bottom = max(studio.on_screen(f"v.placeOf({joint})")[1] for joint in range(len(heights)))
    assert bottom < min(studio.box(card)[1] for card in boxes["bottom"].all()), "in a window of another size, too"
    studio.page.get_by_role("button", name="Open alone").click()
    studio.page.set_viewport_size({"width": 1440, "height": 900})


def test_a_giant_fits_into_the_picture(studio: StudioPage, tmp_path: Path) -> None:
    path = tmp_path / "giant.npz"
    kt.write(kt.Reinterpret(scale=30.0)(kt.sample("walk")[:20]), path)
    studio.drop(path.name, path.read_bytes(), ".view")
    studio.wait_until_opened("giant", 20)
    studio.wait("v.edited.surface")
    studio.settle()
    head, foot = (
        studio.read(f"v.project(v.placeOf(s.skeleton.value.roles['{role}']))[1]") for role in ("head", "left foot")
    )
    height = studio.read("v.size.height")
    assert 0 < head < foot - 0.3 * height
    assert foot < height


def test_another_animation_of_a_file_is_one_click_away(studio: StudioPage) -> None:
    folder = data_folder()
    if folder is None:
        pytest.skip("the folder of real clips is not here")
    studio.drop("Fox.glb", (folder / "gltf2" / "Fox.glb").read_bytes(), ".view")
    studio.wait("s.doc.value.name === 'Fox' && s.motion.value?.frames > 80")
    panel = studio.page.get_by_label("Inspector: check-up")
    for name in ("Run", "Walk"):
        panel.locator("[data-finding=guessed-animation]").get_by_role("button", name=name, exact=True).click()
        studio.wait(f"s.doc.value.source.reading.animation === {name!r} && s.motion.value")
        panel.get_by_text(f'"{name}" is read, one of 3').wait_for()


def test_a_film_of_the_viewport_is_made_cancelled_and_made_again(studio: StudioPage) -> None:
    studio.open("kick-1")
    studio.page.locator(".view").focus()
    studio.page.keyboard.press("Shift+E")
    dialog = studio.page.get_by_role("dialog", name="Film")
    dialog.get_by_role("img", name="What the film shows").wait_for()
    dialog.get_by_role("button", name="Make the film").click()
    dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Make the film").wait_for()
    studio.page.evaluate("() => kinetune.store.playback.setRange([10, 20])")
    dialog.get_by_role("button", name="Ghost").click()
    dialog.get_by_label("Size", exact=True).select_option("720")
    dialog.get_by_label("Time", exact=True).select_option("loop")
    with studio.page.expect_download() as made:
        dialog.get_by_role("button", name="Make the film").click()
    assert b"ftyp" in Path(str(made.value.path())).read_bytes()[:16]
    for name, begins in (("WebM", b"\x1a\x45\xdf\xa3"), ("GIF", b"GIF89a")):
        dialog.get_by_role("button", name=name, exact=True).click()
        with studio.page.expect_download() as made:
            dialog.get_by_role("button", name="Make the film").click()
        film = Path(str(made.value.path())).read_bytes()
        assert film.startswith(begins)
        assert len(film) > 10_000
    dialog.get_by_role("button", name="MP4", exact=True).click()
    studio.page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    studio.page.evaluate("() => kinetune.store.playback.setRange(null)")


def test_a_dropped_skeleton_takes_the_motion_over_and_its_joints_are_matched_by_hand(
    studio: StudioPage, tmp_path: Path
) -> None:
    path = tmp_path / "other.bvh"
    names = {"Hips": "pelvis", "LeftHand": "hand_l", "RightHand": "hand_r", "Head": "skull"}
    clip = kt.sample("walk-child")[:30]
    kt.write(clip, path)
    text = path.read_text()
    for old, new in names.items():
        text = text.replace(f" {old}\n", f" {new}\n")
    studio.open("walk")
    studio.drop("other.bvh", text.encode(), ".view")
    studio.page.get_by_role("button", name="Put walk on this character").click()
    studio.wait("s.doc.value.name === 'walk' && s.step.value?.op === 'retarget'")
    studio.wait("s.resultOf(s.step.value).report?.bones && s.skeleton.value.names.includes('hand_l')")
    studio.page.get_by_text("joints matched").wait_for()
    studio.settle()
    assert studio.read("s.compare.value") == "beside"
    assert studio.read("v.plain.skeleton.names.includes('LeftHand')"), "the source stands beside on its own joints"
    studio.page.get_by_role("button", name="All", exact=True).click()
    studio.page.get_by_label("left hand of the character").select_option("")
    studio.wait("s.step.value.knobs.map?.['left hand']?.[1] === null")
    studio.page.get_by_role("button", name="Match again").click()
    studio.wait("s.step.value.knobs.map === null")
    studio.settle()
    studio.page.evaluate("() => { kinetune.store.compare.value = 'b'; }")
    studio.open("walk")
    studio.drop("other.bvh", text.encode(), ".view")
    studio.page.get_by_role("button", name="Retarget to walk").click()
    studio.wait("s.doc.value.name === 'other' && s.step.value?.op === 'retarget'")
    studio.wait("s.motion.value?.frames === 30 && s.skeleton.value?.names.includes('LeftHand')")
    studio.settle()
    studio.page.evaluate("() => { kinetune.store.compare.value = 'b'; }")
