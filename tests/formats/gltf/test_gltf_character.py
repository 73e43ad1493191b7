"""A character survives: whatever a glTF file holds besides its motion is there again, byte by byte, after an edit."""

import json
import pickle
import warnings

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.errors import FileError, SkeletonMismatchError
from kinetune.formats.gltf._json_text import JsonText
from kinetune.formats.gltf.container import GltfFile
from tests.conftest import data_folder
from tests.formats import sample_clips
from tests.formats.gltf.gltf_scenes import TIMES, Scene, channels, nodes

FOLDER = data_folder()
REAL = sorted(FOLDER.glob("gltf*/*.gl*")) if FOLDER else []
OURS = ("animations", "accessors", "bufferViews", "buffers")


def hero(path, **outside):
    """A skinned character with a texture, shape keys, an unknown extension and odd spacing; two animations."""
    scene = Scene(nodes(), [1, 3])
    scene.content["nodes"][5]["skin"] = 0
    shape = scene.accessor(np.zeros((3, 3)))
    position = scene.accessor(np.arange(9.0).reshape(3, 3))
    scene.content["meshes"] = [
        {"primitives": [{"attributes": {"POSITION": position}, "targets": [{"POSITION": shape}]}]}
    ]
    scene.content["materials"] = [{"name": "skïn", "extensions": {"ACME_shiny": {"very": 1.50}}}]
    scene.content["images"] = [{"uri": "skin%20colour.png"}]
    scene.animate(
        [*channels(), (3, "scale", TIMES, np.linspace(1, 1.3, 12).reshape(4, 3).mean(axis=1)[:, None] * [1, 1, 1])]
    )
    scene.animate(channels()[:1], name="other")
    weights = scene.accessor(np.linspace(0, 1, 4))
    first = scene.content["animations"][0]
    first["samplers"].append({"input": first["samplers"][0]["input"], "output": weights})
    first["channels"].append({"sampler": len(first["samplers"]) - 1, "target": {"node": 5, "path": "weights"}})
    (path.parent / "skin colour.png").write_bytes(b"a picture")
    return scene.save(path, **outside)


def edited(clip):
    turn = rot.exp(np.random.default_rng(4).uniform(-0.5, 0.5, (len(clip.skeleton), 3)))
    return clip.replace(root=clip.root + np.array([0.0, 0.2, 0.1]), rotations=rot.multiply(clip.rotations, turn))


def assert_all_but_the_motion_is_the_same(before, after, number=0):
    """Same JSON but for one animation and what is appended to lists; same bytes behind every old accessor."""
    old, new = GltfFile(before), GltfFile(after)
    for key in old.content.keys() - {*OURS, "nodes"}:
        assert new.content[key] == old.content[key]
    for node, again in zip(old.content["nodes"], new.content["nodes"], strict=True):
        assert again == node or "matrix" in node  # which an animated node must not have
    for key in ("accessors", "bufferViews"):
        assert new.content[key][: len(old.content[key])] == old.content[key]
    for n, buffer in enumerate(old.content["buffers"]):
        assert new.buffer(n)[: buffer["byteLength"]] == old.buffer(n)[: buffer["byteLength"]]
    others = [a for n, a in enumerate(old.content.get("animations", [])) if n != number]
    assert [a for n, a in enumerate(new.content["animations"]) if n != number] == others


@pytest.mark.parametrize("source", ["hero.glb", "hero.gltf"])
@pytest.mark.parametrize("target", ["out.glb", "out.gltf"])
def test_an_edit_changes_the_motion_and_nothing_else(tmp_path, source, target):
    (tmp_path / "new").mkdir()
    clip = edited(kt.read(hero(tmp_path / source)))
    out = kt.write(clip, tmp_path / "new" / target)
    back = kt.read(out)
    assert back.same_motion(clip, 1e-5)
    assert back.fps == clip.fps
    assert_all_but_the_motion_is_the_same(tmp_path / source, out)
    assert (tmp_path / "new" / "skin colour.png").read_bytes() == b"a picture"


def test_the_text_of_the_json_stays_as_it_was(tmp_path):
    path = hero(tmp_path / "hero.gltf")
    path.write_text(path.read_text().replace('"very": 1.5', '"very" :   1.500'))
    text = kt.write(edited(kt.read(path)), tmp_path / "out.gltf").read_text()
    assert '"very" :   1.500' in text


def test_buffers_beside_the_file_go_with_it(tmp_path):
    (tmp_path / "new").mkdir()
    clip = edited(kt.read(hero(tmp_path / "hero.gltf", outside="the data.bin")))
    out = kt.write(clip, tmp_path / "new" / "out.gltf")
    assert (tmp_path / "new" / "the data.bin").read_bytes() == (tmp_path / "the data.bin").read_bytes()
    assert kt.read(out).same_motion(clip, 1e-5)
    (tmp_path / "new" / "the data.bin").write_bytes(b"something else")
    with pytest.raises(FileError, match="different file of this name"):
        kt.write(clip, out)


def test_textures_in_a_folder_go_with_the_file(tmp_path):
    (tmp_path / "new").mkdir()
    path = hero(tmp_path / "hero.gltf")
    path.write_text(path.read_text().replace("skin%20colour.png", "textures/skin.png"))
    (tmp_path / "textures").mkdir()
    (tmp_path / "textures" / "skin.png").write_bytes(b"another picture")
    kt.write(kt.read(path), tmp_path / "new" / "out.glb")
    assert (tmp_path / "new" / "textures" / "skin.png").read_bytes() == b"another picture"


def test_scales_and_shape_keys_stay_animated(tmp_path):
    clip = kt.read(hero(tmp_path / "hero.glb"))
    content = GltfFile(kt.write(edited(clip), tmp_path / "out.glb")).content
    paths = [channel["target"]["path"] for channel in content["animations"][0]["channels"]]
    assert paths.count("weights") == paths.count("scale") == 1


def test_a_file_does_not_grow_when_it_is_edited_again(tmp_path):
    for suffix in (".glb", ".gltf"):
        once = kt.write(edited(kt.read(hero(tmp_path / f"hero{suffix}"))), tmp_path / f"one{suffix}")
        twice = kt.write(kt.read(once), tmp_path / f"two{suffix}")
        assert abs(twice.stat().st_size - once.stat().st_size) < 64


def shape_keys(path):
    file = GltfFile(path)
    animation = file.content["animations"][0]
    channel = next(c for c in animation["channels"] if c["target"]["path"] == "weights")
    return file.accessor(animation["samplers"][channel["sampler"]]["output"])[:, 0]


def test_shape_keys_and_scales_are_cut_or_stretched_with_the_motion(tmp_path):
    clip = kt.read(hero(tmp_path / "hero.glb"))
    part = clip[5:15]
    assert kt.read(kt.write(part, tmp_path / "out.glb")).same_motion(part, 1e-5)
    shapes = [shape_keys(path) for path in (tmp_path / "hero.glb", tmp_path / "out.glb")]
    assert np.allclose(shapes[1][0], np.interp(part.source.layout.times[0], TIMES, shapes[0]), atol=1e-6)
    longer = clip.replace(root=np.repeat(clip.root, 2, axis=0), rotations=np.repeat(clip.rotations, 2, axis=0))
    with pytest.warns(UserWarning, match="stretched to the new length"):
        kt.write(longer, tmp_path / "out.glb")
    assert kt.read(tmp_path / "out.glb").same_motion(longer, 1e-5)


def test_the_character_is_shared_and_travels(tmp_path):
    clip = kt.read(hero(tmp_path / "hero.glb"))
    smooth = kt.Smooth(cutoff_hz=3)(clip)
    assert smooth.source.layout.data is clip.source.layout.data is clip[3:].source.layout.data
    (tmp_path / "hero.glb").unlink()
    there = pickle.loads(pickle.dumps(smooth))
    out = kt.write(there, tmp_path / "out.glb")
    assert kt.read(out).same_motion(smooth, 1e-5)


def test_a_run_keeps_the_character(tmp_path):
    hero(tmp_path / "hero.glb")
    result = kt.run(kt.Smooth(cutoff_hz=3), tmp_path / "hero.glb", target=tmp_path / "out.glb")
    assert_all_but_the_motion_is_the_same(tmp_path / "hero.glb", result.target)


def test_a_format_that_cannot_hold_the_character_says_so(tmp_path):
    clip = kt.read(hero(tmp_path / "hero.glb"))
    with pytest.warns(
        UserWarning, match=r"does not contain the character of hero\.glb \(1 mesh \(3 vertices\), 1 skin"
    ):
        kt.write(clip, tmp_path / "out.npz")
    result = kt.run(kt.Smooth(), tmp_path / "hero.glb", target=tmp_path / "run.npz")
    assert "character-left-out" in [finding.kind for finding in result.findings]


def test_an_animated_node_loses_its_matrix_and_stays_where_it_is(tmp_path):
    scene = Scene([{"name": "a", "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1]}], [0])
    scene.animate([(0, "rotation", TIMES, np.tile([0, 0, 0, 1.0], (4, 1)))])
    clip = kt.read(scene.save(tmp_path / "a.glb"))
    out = kt.write(clip, tmp_path / "b.glb")
    assert "matrix" not in GltfFile(out).content["nodes"][0]
    assert kt.read(out).same_motion(clip, 1e-6)


# Another motion on a character


def test_a_motion_goes_onto_a_character_with_the_same_skeleton(tmp_path):
    path = hero(tmp_path / "hero.glb")
    body = kt.read(path)
    motion = edited(body).replace(source=kt.sample("walk").source)
    out = kt.write(motion, tmp_path / "dance.glb", character=path)
    assert kt.read(out).same_motion(motion, 1e-5)
    old, new = GltfFile(path).content, GltfFile(out).content
    assert [a.get("name") for a in new["animations"]] == ["dance", *(a.get("name") for a in old["animations"])]
    assert kt.read(out, animation=1).same_motion(body, 1e-5)


def test_joints_match_without_their_prefix_and_others_stay_at_rest(tmp_path):
    path = hero(tmp_path / "hero.glb")
    body = kt.read(path)
    one = kt.Skeleton if hasattr(kt, "Skeleton") else type(body.skeleton)
    hips = one(("rig:Hips",), [-1], body.skeleton.offsets[:1], (), body.skeleton.rest[:1])
    motion = Clip(hips, 30, body.root, body.rotations[:, :1])
    back = kt.read(kt.write(motion, tmp_path / "a.glb", character=path))
    assert np.abs(back.root - motion.root).max() < 1e-5
    assert np.abs(rot.angle_between(back.rotations[:, 1], body.skeleton.rest[1])).max() < 1e-5


def test_another_skeleton_is_refused_with_the_reason(tmp_path):
    path = hero(tmp_path / "hero.glb")
    with pytest.raises(SkeletonMismatchError, match=r'has no joint "Spine", "Neck", "Head" and 8 more.*retarget'):
        kt.write(sample_clips.clip(), tmp_path / "a.glb", character=path)
    body = kt.read(path)
    longer = body.replace(skeleton=body.skeleton.scaled(1.3))
    with pytest.raises(SkeletonMismatchError, match=r'bones of the character differ.*"Chest"'):
        kt.write(longer, tmp_path / "a.glb", character=path)
    with pytest.raises(FileError, match="same format"):
        kt.write(body, tmp_path / "a.bvh", character=path)
    assert not (tmp_path / "a.glb").exists()


# Real characters


@pytest.mark.skipif(not REAL, reason="no .glb files here: set KINETUNE_DATA")
@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_real_characters_survive_an_edit(tmp_path, path, suffix):
    for number in range(len(GltfFile(path).content["animations"])):
        clip = edited(kt.read(path, animation=number))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            out = kt.write(clip, tmp_path / f"out{suffix}")
        assert_all_but_the_motion_is_the_same(path, out, number)
        back = kt.read(out, animation=number)
        assert len(back) == len(clip)
        assert np.abs(back.positions() - clip.positions()).max() < 1e-6 * max(1.0, clip.skeleton.height)


# Changes in JSON


def test_json_changes_touch_nothing_else():
    text = JsonText('{ "a" : [1 , 2.50],\n "b":{"c": [ ]}, "d":[]}')
    text.end_list("a", 1, [7, 8])
    text.insert_first("d", {"x": 1})
    text.replace(["b", "c"], None)
    text.end_list("new", 0, [1])
    assert text.result() == '{ "a" : [1,7,8],\n "b":{"c": null}, "d":[{"x":1}],"new":[1]}'
    assert json.loads(text.result())["new"] == [1]
