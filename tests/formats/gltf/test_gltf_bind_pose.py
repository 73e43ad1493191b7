"""The rest pose of a skin is the one in which it was bound, whatever pose its nodes hold."""

import copy

import numpy as np
import pytest

from kinetune import rotations as rot
from tests.formats.gltf.gltf_scenes import TIMES, Scene, nodes, read, turns, world_matrices


def posed_and_bound():
    """The nodes as a file holds them, in the pose of some frame, and as they were at the bind."""
    bound, posed = nodes(), nodes()
    bound[3]["children"], posed[3]["children"] = [6], [6]
    for scene in (bound, posed):
        scene[4:5] = [{"name": "tip"}]
        scene.append({"name": "Head", "translation": [0.3, 0.1, 0.0]})
    posed[1]["rotation"] = rot.exp(np.array([0.3, 0.1, -0.2]))[[1, 2, 3, 0]].tolist()
    posed[3]["rotation"] = rot.multiply(rot.exp(np.array([0.9, 0.0, 0.4])), turned(bound[3]))[[1, 2, 3, 0]].tolist()
    posed[6]["rotation"] = [0.6, 0.0, 0.0, 0.8]
    return posed, bound


def turned(node):
    return rot.normalize(np.array(node.get("rotation", [0, 0, 0, 1]))[[3, 0, 1, 2]])


def skinned(scene_nodes, binds, joints=(1, 3, 6)):
    scene = Scene(copy.deepcopy(scene_nodes), list(joints))
    scene.content["nodes"][5] |= {"skin": 0}
    columns = np.array(binds).swapaxes(1, 2).reshape(-1, 16)
    scene.content["skins"][0]["inverseBindMatrices"] = scene.accessor(columns)
    scene.content["accessors"][-1]["type"] = "MAT4"
    return scene.animate([(3, "rotation", TIMES, turns(2, 4))])


def inverse_binds(bound, space):
    """Bind matrices relative to the world, or to the mesh, which hangs on the armature."""
    world = world_matrices(bound, [], [0.0])
    mesh = world[5][0] if space == "mesh" else np.eye(4)
    return [np.linalg.inv(world[joint][0]) @ mesh for joint in (1, 3, 6)]


@pytest.mark.parametrize("space", ["mesh", "world"])
@pytest.mark.parametrize("up", [None, "z"])
@pytest.mark.parametrize("unit", [1.0, 100.0])  # some skins are bound in centimetres
def test_the_rest_pose_is_that_of_the_bind(tmp_path, space, up, unit):
    posed, bound = posed_and_bound()
    matrices = [matrix @ np.diag([1 / unit, 1 / unit, 1 / unit, 1.0]) for matrix in inverse_binds(bound, space)]
    clip = read(skinned(posed, matrices).save(tmp_path / "a.glb"), up=up)
    without = Scene(posed, [1, 3, 6]).animate([(3, "rotation", TIMES, turns(2, 4))])
    at_nodes = read(without.save(tmp_path / "nodes.glb"), up=up)
    wanted = read(Scene(bound, [1, 3, 6]).save(tmp_path / "bound.glb"), up=up).skeleton.rest
    assert rot.angle_between(at_nodes.skeleton.rest, wanted).max() > 0.3
    assert rot.angle_between(clip.skeleton.rest, wanted).max() < 1e-5
    assert np.array_equal(clip.positions(), at_nodes.positions())  # the motion is what it was
    assert np.array_equal(clip.skeleton.offsets, at_nodes.skeleton.offsets)


def test_a_bind_of_other_bones_is_not_used(tmp_path):
    posed, _ = posed_and_bound()
    at_nodes = read(skinned(posed, inverse_binds(posed, "mesh")).save(tmp_path / "nodes.glb"))
    for matrices in ([np.eye(4)] * 3, [np.zeros((4, 4))] * 3, [np.full((4, 4), 1e38)] * 3):
        clip = read(skinned(posed, matrices).save(tmp_path / "a.glb"))
        assert np.allclose(clip.skeleton.rest, at_nodes.skeleton.rest, atol=1e-6)


def test_a_file_whose_bind_cannot_be_read_still_reads(tmp_path):
    posed, bound = posed_and_bound()
    scene = skinned(posed, inverse_binds(bound, "mesh"))
    scene.content["accessors"][0]["count"] = 10**6
    clip = read(scene.save(tmp_path / "a.glb"))
    (finding,) = [each for each in clip.source.findings if each.kind == "unread-bind-pose"]
    assert "The rest pose is that of the nodes." in finding.message
