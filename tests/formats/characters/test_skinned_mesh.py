"""The surface of a character: where its points are, whatever a file does with scales, axes and units."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import kinetune as kt
from kinetune.formats.characters.character import character_mesh
from kinetune.formats.characters.skinned_mesh import smooth_normals
from kinetune.formats.fbx._fbx_mesh import _triangulate
from tests.formats.fbx.fbx_scenes import ROTATION, FbxSceneMaker
from tests.formats.fbx.fbx_scenes import world_matrices as fbx_matrices
from tests.formats.gltf.gltf_scenes import TIMES, Scene, channels, nodes, world_matrices


def skinned(mesh, clip):
    """Points (frames, vertices, 3) by linear blend skinning, all at once."""
    moved = mesh.matrices(clip)[:, mesh.bones]
    points = np.concatenate([mesh.points, np.ones((len(mesh.points), 1))], axis=1)
    return np.einsum("vn,fvnij,vj->fvi", mesh.weights, moved, points)


def gltf_hero(path, *, largest=None, **changes):
    """A skin of two joints with random points, weights and bind matrices, under an armature that turns and scales."""
    rng = np.random.default_rng(8)
    scene = Scene(nodes(), [1, 3])
    scene.content["nodes"][5]["skin"] = 0
    points, weights = rng.normal(size=(12, 3)), np.zeros((12, 4))
    weights[:, :2] = rng.dirichlet(np.ones(2), 12)
    binds = rng.normal(size=(2, 4, 4))
    binds[:, 3] = [0.0, 0.0, 0.0, 1.0]
    if largest is not None:
        binds[0, 0, 0] = largest
    owners = np.zeros((12, 4), np.uint8)
    owners[:, 1] = 1
    attributes = {
        "POSITION": scene.accessor(points),
        "JOINTS_0": scene.accessor(owners.astype(float)),
        "WEIGHTS_0": scene.accessor(weights),
    }
    scene.content["meshes"] = [{"primitives": [{"attributes": attributes, **changes}]}]
    scene.content["skins"][0]["inverseBindMatrices"] = scene.accessor(binds.swapaxes(1, 2).reshape(2, 16))
    scene.animate(channels())
    return scene.save(path), points, weights, binds


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_gltf_skin_is_where_its_matrices_put_it(tmp_path, up):
    path, points, weights, binds = gltf_hero(tmp_path / "hero.glb")
    clip = kt.read(path, up=up)
    mesh, finding = character_mesh(clip)
    assert finding is None
    moving = [(node, kind, "LINEAR", times, values) for node, kind, times, values in channels()]
    world = world_matrices(nodes(), moving, TIMES[0] + np.arange(len(clip)) / clip.fps)
    padded = np.concatenate([points, np.ones((12, 1))], axis=1)
    expected = sum(
        weights[None, :, k, None] * np.einsum("fij,vj->fvi", world[joint] @ binds[k], padded)[..., :3]
        for k, joint in enumerate((1, 3))
    )
    if up == "z":
        expected = np.stack([expected[..., 0], expected[..., 2], -expected[..., 1]], axis=-1)
    assert np.allclose(skinned(mesh, clip), expected, atol=1e-5)
    assert mesh.triangles.tolist() == np.arange(12).reshape(4, 3).tolist()


def test_a_mesh_without_a_skin_follows_the_joint_that_it_hangs_on(tmp_path):
    scene = Scene(nodes(), [1, 3])
    scene.content["nodes"][4]["mesh"] = 0
    del scene.content["nodes"][5]["mesh"]
    points = np.arange(9.0).reshape(3, 3)
    scene.content["meshes"] = [{"primitives": [{"attributes": {"POSITION": scene.accessor(points)}}]}]
    scene.animate(channels())
    clip = kt.read(scene.save(tmp_path / "prop.glb"))
    mesh, _ = character_mesh(clip)
    moving = [(node, kind, "LINEAR", times, values) for node, kind, times, values in channels()]
    world = world_matrices(nodes(), moving, TIMES[0] + np.arange(len(clip)) / clip.fps)[4]
    expected = np.einsum("fij,vj->fvi", world, np.concatenate([points, np.ones((3, 1))], axis=1))[..., :3]
    assert np.allclose(skinned(mesh, clip), expected, atol=1e-5)


def test_strips_and_fans_are_triangles(tmp_path):
    for mode, faces in ((5, [[0, 1, 2], [3, 2, 1]]), (6, [[0, 1, 2], [0, 2, 3]])):
        path, *_ = gltf_hero(tmp_path / "hero.glb", mode=mode)
        mesh, _ = character_mesh(kt.read(path))
        assert mesh.triangles[:2].tolist() == faces


def test_a_skin_that_cannot_be_read_says_why_and_the_clip_is_still_read(tmp_path):
    packed = {"extensions": {"KHR_draco_mesh_compression": {}}}
    path, *_ = gltf_hero(tmp_path / "hero.glb", **packed)
    mesh, finding = character_mesh(kt.read(path))
    assert mesh is None
    assert finding.kind == "skin-not-shown"
    assert "Draco" in finding.message
    assert character_mesh(kt.sample("walk")) == (None, None)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("largest", [np.nan, np.inf, 3e38])
def test_a_skin_with_numbers_out_of_range_is_not_shown(tmp_path, largest):
    mesh, finding = character_mesh(kt.read(gltf_hero(tmp_path / "hero.glb", largest=largest)[0]))
    assert mesh is None
    assert "not finite or far too large" in finding.message


def test_polygons_that_never_end_have_no_triangles():
    faces, polygons = _triangulate(np.zeros(4, bool))
    assert faces.shape == (0, 3)
    assert polygons.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("settings", [{}, {"UpAxis": 2, "FrontAxis": 1, "FrontAxisSign": -1}, {"FrontAxisSign": -1}])
def test_an_fbx_skin_is_where_its_bones_and_clusters_put_it(tmp_path, settings):
    """Also with Z up, and in a left-handed file, which is mirrored."""
    rng = np.random.default_rng(2)
    maker = FbxSceneMaker(**settings)
    maker.node("Armature", subtype="Null", LclScaling=(100.0,) * 3, LclRotation=(-90.0, 10.0, 0.0), InheritType=1)
    maker.node("low", "Armature", LclTranslation=(0.1, 0.2, 0.3), PreRotation=(10.0, 20.0, 30.0), InheritType=1)
    maker.node("high", "low", LclTranslation=(0.0, 0.5, 0.0), RotationOrder=2, RotationActive=1, InheritType=1)
    transforms = {bone: np.vstack([rng.normal(size=(3, 4)), [0.0, 0.0, 0.0, 1.0]]) for bone in ("low", "high")}
    maker.skin(["low", "high"], transforms)
    angles = rng.uniform(-60, 60, (3, 3))
    layer = maker.take("walk", 2 / 30)
    for bone in ("low", "high"):
        maker.curve(layer, bone, ROTATION, np.arange(3) / 30, angles)
    clip = kt.read(maker.save(tmp_path / "pair.fbx"))
    mesh, finding = character_mesh(clip)
    assert finding is None
    to_ours = 0.01 * clip.source.layout.axes
    corners = np.concatenate([np.arange(9.0).reshape(3, 3), np.ones((3, 1))], axis=1)
    for frame in range(3):
        world = fbx_matrices(maker, {bone: {"LclRotation": angles[frame]} for bone in ("low", "high")})
        expected = (
            sum(0.5 * corners @ (world[bone] @ transforms[bone]).T for bone in ("low", "high"))[:, :3] @ to_ours.T
        )
        order = np.argsort(mesh.points[:, 0])
        assert np.allclose(skinned(mesh, clip)[frame][order], expected, atol=1e-6)


def test_normals_of_a_sphere_point_outwards():
    points = np.random.default_rng(3).standard_normal((300, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    faces = ConvexHull(points).simplices
    outward = np.linalg.det(points[faces]) > 0.0
    faces = np.where(outward[:, None], faces, faces[:, ::-1])
    assert np.einsum("ij,ij->i", smooth_normals(points, faces), points).min() > 0.95
