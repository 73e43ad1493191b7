"""VRM animations: bones by what the file says, rotations from the T-pose, and everything else kept."""

import json
import struct

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import FileError, MalformedFileError
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.vrm.humanoid import REQUIRED, human_bones, stated_roles
from tests.operations import making

OWN = ["own_identity_rest", "own_rotated_rest"]


def truth(folder, name):
    """What a normalised avatar does, computed by another program."""
    return json.loads((folder / "vrm" / "golden" / f"{name}_vrma.json").read_text())["truth"]


def rewritten(path, target, change):
    """A GLB with another JSON."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    content = json.loads(data[20 : 20 + length])
    change(content)
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + length :]
    target.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return target


def as_avatar(content):
    """The same bones as a VRM 1.0 avatar."""
    bones = content["extensions"].pop("VRMC_vrm_animation")["humanoid"]
    content["extensions"]["VRMC_vrm"] = {"specVersion": "1.0", "humanoid": bones}
    content["extensionsUsed"] = ["VRMC_vrm"]


@pytest.mark.parametrize("name", OWN)
def test_bones_are_where_a_normalised_avatar_has_them(shared_data, name):
    clip = kt.read(shared_data / "vrm" / f"{name}.vrma")
    known = truth(shared_data, name)
    frames = np.round(np.array(known["times"]) * clip.fps).astype(int)
    bones = human_bones(GltfFile(shared_data / "vrm" / f"{name}.vrma"))
    joint = {node: number for number, node in enumerate(clip.source.layout.joints)}
    for bone, positions in known["positions"].items():
        assert np.allclose(clip.positions()[frames, joint[bones[bone]]], positions, atol=1e-5), bone


@pytest.mark.parametrize("name", OWN)
def test_rotations_are_written_as_turns_from_the_t_pose(shared_data, tmp_path, name):
    avatar = rewritten(shared_data / "vrm" / f"{name}.vrma", tmp_path / "avatar.vrm", as_avatar)
    clip = kt.read(kt.write(kt.read(avatar), tmp_path / "out.vrma"))
    known = truth(shared_data, name)
    frames = np.round(np.array(known["times"]) * clip.fps).astype(int)
    assert np.allclose(clip.skeleton.rest, [1.0, 0.0, 0.0, 0.0])
    for bone, xyzw in known["normalized_rotations_xyzw"].items():
        expected = np.array(xyzw)[:, [3, 0, 1, 2]]
        turned = clip.rotations[frames, clip.skeleton.names.index(bone)]
        assert rot.angle_between(turned, rot.normalize(expected)).max() < 1e-5, bone


@pytest.mark.parametrize("name", ["walk", "kick-1", "pour-01"])
def test_a_clip_of_any_humanoid_keeps_its_joints_where_they_are(tmp_path, name):
    clip = kt.sample(name)
    again = kt.read(kt.write(clip, tmp_path / "out.vrma"))
    assert again.fps == clip.fps
    assert again.markers == clip.markers
    for role, joint in again.skeleton.roles.items():
        gap = again.positions()[:, joint] - clip.positions()[:, clip.skeleton.roles[role]]
        assert np.abs(gap).max() < 1e-5, role


def test_the_rest_pose_of_a_file_is_a_t_pose_on_the_floor(tmp_path):
    again = kt.read(kt.write(kt.Turn(angle_deg=130)(kt.sample("walk")), tmp_path / "out.vrma"))
    rest, roles = again.skeleton.rest_positions + again.skeleton.offsets[0], again.skeleton.roles
    assert 0.03 < rest[roles["left foot"], 1] < 0.15
    assert rest[:, 1].min() > 0.0
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = rest[roles[f"{side} hand"]] - rest[roles[f"{side} upper arm"]]
        assert arm[0] * sign > 0.99 * np.linalg.norm(arm)
        leg = rest[roles[f"{side} upper leg"]] - rest[roles[f"{side} foot"]]
        assert leg[1] > 0.99 * np.linalg.norm(leg)
        toes = rest[roles[f"{side} toes"]] - rest[roles[f"{side} foot"]]
        assert toes[2] > 0.5 * np.linalg.norm(toes)


@pytest.mark.parametrize("name", OWN)
def test_expressions_and_gaze_survive_an_edit(shared_data, tmp_path, name):
    source = shared_data / "vrm" / f"{name}.vrma"
    clip = kt.read(source)
    written = kt.write(clip.replace(root=clip.root + 0.1), tmp_path / "out.vrma")
    before, after = GltfFile(source), GltfFile(written)
    assert after.content["extensions"] == before.content["extensions"]

    def curves(file):
        animation = file.listed("animations")[0]
        return {
            channel["target"]["node"]: file.accessor(animation["samplers"][channel["sampler"]]["output"]).tolist()
            for channel in animation["channels"]
            if channel["target"]["node"] >= 22
        }

    assert len(curves(before)) == 5
    assert curves(after) == curves(before)
    assert np.allclose(kt.read(written).positions(), clip.positions() + 0.1, atol=1e-5)


def test_what_joints_mean_comes_from_the_file(shared_data, tmp_path):
    def hands_swapped(content):
        as_avatar(content)
        bones = content["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
        bones["leftHand"], bones["rightHand"] = bones["rightHand"], bones["leftHand"]

    clip = kt.read(rewritten(shared_data / "vrm" / "own_rotated_rest.vrma", tmp_path / "avatar.vrm", hands_swapped))
    assert clip.skeleton.names[clip.joint("left hand")] == "n_rightHand"
    assert clip.skeleton.names[clip.joint("chest")] == "n_upperChest"
    assert clip.skeleton.scaled(2.0).roles == clip.skeleton.roles


def test_an_old_avatar_looks_backwards_and_its_motion_is_the_same(shared_data, tmp_path):
    """VRM 0.x: bones as a list, the rest pose along -Z; the same bones turned round give the same turns, conjugated."""

    def old(content):
        as_avatar(content)
        bones = content["extensions"].pop("VRMC_vrm")["humanoid"]["humanBones"]
        listed = [{"bone": bone, "node": item["node"]} for bone, item in bones.items()]
        content["extensions"]["VRM"] = {"humanoid": {"humanBones": listed}}
        content["extensionsUsed"] = ["VRM"]

    source = shared_data / "vrm" / "own_identity_rest.vrma"
    new = kt.read(kt.write(kt.read(rewritten(source, tmp_path / "new.vrm", as_avatar)), tmp_path / "new.vrma"))
    former = kt.read(kt.write(kt.read(rewritten(source, tmp_path / "old.vrm", old)), tmp_path / "old.vrma"))
    assert np.allclose(former.positions(), new.positions(), atol=1e-5)
    half = rot.about_y(np.pi)
    turned = rot.multiply(rot.multiply(rot.inverse(half), new.rotations[:, 1:]), half)
    assert rot.angle_between(former.rotations[:, 1:], turned).max() < 1e-5


def test_files_that_are_no_humanoid_are_refused(shared_data, tmp_path):
    with pytest.raises(FileError, match="needs joints that this skeleton does not show: hips, spine, head, left"):
        kt.write(making.pendulums(), tmp_path / "out.vrma")
    with pytest.raises(FileError, match="an avatar"):
        kt.write(kt.sample("walk"), tmp_path / "out.vrm")

    def twice(content):
        bones = content["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
        bones["head"]["node"] = bones["neck"]["node"]

    with pytest.raises(MalformedFileError, match="two human bones"):
        kt.read(rewritten(shared_data / "vrm" / "own_identity_rest.vrma", tmp_path / "bad.vrma", twice))


def test_all_real_files_are_read(shared_data):
    for path in sorted((shared_data / "vrm").glob("*.vrm*")):
        clip = kt.read(path)
        bones = human_bones(GltfFile(path))
        assert set(REQUIRED) <= set(bones)
        rank = {node: joint for joint, node in enumerate(clip.source.layout.joints)}
        assert dict(clip.skeleton.roles) == dict(stated_roles({bone: rank[node] for bone, node in bones.items()}))
