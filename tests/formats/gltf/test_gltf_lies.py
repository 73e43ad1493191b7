import json
import struct

import numpy as np
import pytest

from kinetune.errors import KinetuneError, MalformedFileError
from tests.formats import sample_clips
from tests.formats.gltf.gltf_scenes import TIMES, Scene, channels, nodes, read, turns, write


def scene_json(**changes):
    scene = Scene(nodes(), [1, 3]).animate(channels())
    content = {**scene.content, "buffers": [{"byteLength": len(scene.data)}]}
    content.update(changes)
    return content, scene.data


def save_glb(path, content, data):
    text = json.dumps(content).encode() + b" "
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def edited(edit):
    content, data = scene_json()
    content = json.loads(json.dumps(content))
    edit(content)
    return content, data


def set_in(*keys):
    *way, last, value = keys

    def edit(content):
        for key in way:
            content = content[key]
        content[last] = value

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        set_in("asset", {}),
        set_in("asset", "version", "1.0"),
        set_in("nodes", "none"),
        set_in("nodes", 1, "children", [99]),
        set_in("nodes", 1, "children", [0]),
        set_in("nodes", 3, "children", [2]),
        set_in("nodes", 1, "children", "x"),
        set_in("nodes", 1, "translation", [1, 2]),
        set_in("nodes", 1, "translation", [1, 2, "x"]),
        set_in("nodes", 1, "translation", [1, 2, float("nan")]),
        set_in("nodes", 1, "matrix", [1] * 15),
        set_in("skins", 0, "joints", [1, 77]),
        set_in("skins", 0, "joints", [1.5]),
        set_in("skins", 0, "joints", []),
        set_in("animations", 0, "channels", 0, "sampler", 50),
        set_in("animations", 0, "channels", 0, "target", {"node": -1, "path": "rotation"}),
        set_in("animations", 0, "samplers", 0, "input", 500),
        set_in("animations", 0, "samplers", 0, "interpolation", "MAGIC"),
        set_in("animations", 0, "samplers", 0, "output", 1),
        set_in("accessors", 0, "count", 10**12),
        set_in("accessors", 0, "count", -3),
        set_in("accessors", 0, "count", 0),
        set_in("accessors", 0, "count", True),
        set_in("accessors", 0, "type", "VEC9"),
        set_in("accessors", 0, "componentType", 1),
        set_in("accessors", 0, "byteOffset", 10**9),
        set_in("accessors", 0, "bufferView", 99),
        set_in("accessors", 0, {"componentType": 5126, "type": "VEC3", "count": 10**10}),
        set_in("accessors", 0, "sparse", {"count": 5, "indices": {}, "values": {}}),
        set_in("accessors", 0, "sparse", []),
        set_in("bufferViews", 0, "byteLength", 10**9),
        set_in("bufferViews", 0, "byteOffset", 10**9),
        set_in("bufferViews", 0, "byteStride", 1),
        set_in("bufferViews", 0, "buffer", 3),
        set_in("bufferViews", 0, "extensions", {"EXT_meshopt_compression": {}}),
        set_in("buffers", 0, "byteLength", 10**9),
        set_in("buffers", 0, "uri", "http://example.org/a.bin"),
        set_in("buffers", 0, "uri", "missing.bin"),
        set_in("buffers", 0, "uri", "data:;base64,####"),
        set_in("buffers", 0, "uri", "/dev/zero"),
    ],
)
def test_lies_are_one_sentence(tmp_path, edit):
    content, data = edited(edit)
    with pytest.raises(KinetuneError) as caught:
        read(save_glb(tmp_path / "lie.glb", content, data))
    assert "lie.glb" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_at_the_end_of_time_is_refused(tmp_path):
    path = Scene(nodes(), [1, 3]).animate([(3, "rotation", np.array([0, 1e9]), turns(1, 2))]).save(tmp_path / "a.glb")
    with pytest.raises(MalformedFileError, match="lower rate"):
        read(path)


def test_values_that_are_not_numbers_are_refused(tmp_path):
    path = Scene(nodes(), [1, 3]).animate([(3, "rotation", TIMES, np.full((4, 4), np.nan))]).save(tmp_path / "a.glb")
    with pytest.raises(MalformedFileError, match="not a number or is far too large"):
        read(path)


def test_keys_out_of_order_are_sorted_and_reported(tmp_path):
    times = np.array([0.0, 0.5, 0.25, 0.5])
    clip = read(Scene(nodes(), [1, 3]).animate([(3, "rotation", times, turns(1, 4))]).save(tmp_path / "a.glb"))
    assert any(f.kind.startswith("repaired") for f in clip.source.findings)


def test_cut_off_files_are_said_to_be(tmp_path):
    path = write(sample_clips.clip(), tmp_path / "a.glb")
    whole = path.read_bytes()
    for length in (0, 3, 15, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(MalformedFileError):
            read(path)
    for junk in (b"\0" * 100, b"{" * 100000, b'{"asset"', b"[]", b"glTF" + b"\xff" * 60, whole[:12] + b"\xff" * 200):
        path.write_bytes(junk)
        with pytest.raises(MalformedFileError):
            read(path)


def test_a_scene_without_a_character_is_reported(tmp_path):
    with pytest.raises(MalformedFileError, match="no character"):
        read(Scene(nodes()).save(tmp_path / "a.glb"))


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "..%2Fsecret.bin",
        "below/../../secret.bin",
        "{absolute}",
        "file://{absolute}",
        "link.bin",
        "link%2Fsecret.bin",
        "a\0b",
        "x" * 5000,
    ],
    ids=range(10),
)
def test_a_file_outside_its_folder_is_refused(tmp_path, uri):
    """A stranger's scene reads nothing but what lies beside it."""
    content, data = scene_json()
    folder = tmp_path / "scene"
    (folder / "below").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(data)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "link").symlink_to(tmp_path)
    content["buffers"][0]["uri"] = uri.format(absolute=tmp_path / "secret.bin")
    (folder / "a.gltf").write_text(json.dumps(content))
    with pytest.raises(MalformedFileError, match="not in its own folder"):
        read(folder / "a.gltf")
    (folder / "below" / "own.bin").write_bytes(data)
    content["buffers"][0]["uri"] = "below/own.bin"
    (folder / "a.gltf").write_text(json.dumps(content))
    assert len(read(folder / "a.gltf")) > 1
