import json
import warnings

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.formats import gltf
from kinetune.formats.characters.character import character_mesh
from kinetune.formats.characters.mannequin_mesh import mannequin_at_rest
from kinetune.formats.stick_figure_mesh import build_stick_figure
from tests.formats import sample_clips
from tests.formats.gltf.gltf_scenes import read, write
from tests.operations import making


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("kind", [{}, {"turned": True}, {"turned": True, "moving": True}, {"frames": 1}])
def test_our_own_file_reads_back(tmp_path, suffix, kind):
    clip = sample_clips.clip(fps=59.94, **kind)
    back = read(write(clip, tmp_path / f"a{suffix}"))
    assert back.fps == clip.fps
    assert back.skeleton.same_joints(clip.skeleton)
    assert np.array_equal(back.skeleton.offsets, clip.skeleton.offsets)
    assert back.skeleton.end_sites == clip.skeleton.end_sites
    assert np.allclose(back.skeleton.rest, clip.skeleton.rest, atol=1e-15)
    assert (back.translations is None) == (clip.translations is None)
    assert back.same_motion(clip, 1e-6)
    assert np.max(rot.angle_between(back.rotations, clip.rotations)) < 1e-6
    assert back.source.findings == ()


def test_notes_travel_in_extras(tmp_path):
    clip = sample_clips.full_clip()
    back = read(write(clip, tmp_path / "a.glb"))
    assert back.markers == clip.markers
    assert back.history == clip.history
    other = clip.replace(root=clip.root + 1, skeleton=clip.skeleton)
    assert np.allclose(read(write(other, tmp_path / "a.glb")).skeleton.offsets[0], clip.skeleton.offsets[0])


@pytest.mark.slow
def test_several_roots_and_many_joints_read_back(tmp_path):
    count = 300
    parents = np.arange(-1, count - 1)
    parents[150] = -1
    body = Skeleton(tuple(f"j{i}" for i in range(count)), parents, np.full((count, 3), 0.01))
    q = rot.exp(np.random.default_rng(0).uniform(-0.1, 0.1, (3, count, 3)))
    clip = Clip(body, 30, np.zeros((3, 3)), q)
    back = read(write(clip, tmp_path / "a.glb"))
    assert back.skeleton == body
    assert back.same_motion(clip, 1e-5)


def test_tiny_and_giant_figures_keep_their_size(tmp_path):
    for factor in (0.01, 50.0):
        clip = sample_clips.clip()
        clip = clip.replace(skeleton=clip.skeleton.scaled(factor), root=clip.root * factor)
        back = read(write(clip, tmp_path / "a.glb"))
        assert np.allclose(back.positions(), clip.positions(), atol=1e-6 * factor)


def test_signs_of_rotations_never_jump(tmp_path):
    clip = sample_clips.clip()
    flips = np.where(np.arange(len(clip)) % 2, -1.0, 1.0)[:, None, None]
    scene = json.loads(
        gltf.write(clip.replace(rotations=clip.rotations * flips), tmp_path / "a.gltf")[tmp_path / "a.gltf"]
    )
    assert scene["animations"][0]["channels"]
    back = read(write(clip.replace(rotations=clip.rotations * flips), tmp_path / "a.gltf"))
    assert np.all(np.sum(back.rotations[1:] * back.rotations[:-1], axis=-1) > 0)


def test_another_library_opens_it(tmp_path):
    from pygltflib import GLTF2

    clip = sample_clips.clip(turned=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene = GLTF2().load(str(write(clip, tmp_path / "a.glb")))
    assert [scene.nodes[j].name for j in scene.skins[0].joints] == list(clip.skeleton.names)
    assert scene.asset.generator == "Kinetune"


def test_the_figure_is_closed_and_looks_outward():
    body = sample_clips.skeleton(turned=True)
    root = np.array([0.0, 0.95, 2.0])
    figure = build_stick_figure(body, root)
    assert np.allclose(np.linalg.norm(figure.normals, axis=1), 1.0)
    assert figure.triangles.max() < len(figure.points)
    a, b, c = (figure.points[figure.triangles[:, i]] for i in range(3))
    flat = np.cross(b - a, c - a)
    assert np.all(np.linalg.norm(flat, axis=1) > 0)
    shading = figure.normals[figure.triangles].mean(axis=1)
    assert np.all(np.sum(flat * shading, axis=1) > 0)
    places = body.rest_positions + root
    assert np.all(np.linalg.norm(figure.points - places[figure.joints], axis=1) < 1.2)


def test_a_human_motion_is_shown_by_a_body_that_bends(tmp_path):
    """As any reader sees it: with the notes gone that make the file ours."""
    walk = kt.sample("walk")[:20]
    path = kt.write(walk, tmp_path / "a.gltf")
    scene = json.loads(path.read_text())
    del scene["extras"]
    path.write_text(json.dumps(scene))
    seen = read(path)
    mesh, finding = character_mesh(seen)
    assert finding is None
    body = mannequin_at_rest(walk, walk.root[0])
    assert np.array_equal(mesh.triangles, body.triangles)
    assert np.sum(mesh.weights > 0, axis=1).max() == 4
    for frame in (0, 19):
        points = [
            np.einsum("vn,vnij,vj->vi", each.weights, each.matrices(clip[frame : frame + 1])[0][each.bones], at)
            for each, clip in ((mesh, seen), (body, walk))
            for at in [np.c_[each.points, np.ones(len(each.points))]]
        ]
        assert np.abs(points[0] - points[1]).max() < 0.003
    assert scene["meshes"][0]["primitives"][0]["attributes"].keys() >= {"COLOR_0", "NORMAL"}


def test_no_bone_is_drawn_to_a_joint_that_travels():
    body = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 0.9, 0], [0, 0.7, 0]]))
    whole = build_stick_figure(body, np.zeros(3))
    loose = build_stick_figure(body, np.zeros(3), {1})
    assert len(loose.points) < len(whole.points)


def test_a_root_above_the_body_is_not_drawn():
    walk = making.walker(3)
    below = making.below_still_root(walk, (2.0, 0.9, 0.0)).skeleton
    alone, shown = build_stick_figure(walk.skeleton, np.zeros(3)), build_stick_figure(below, np.zeros(3))
    assert np.allclose(shown.points - [2.0, 0.9, 0.0], alone.points)
    assert np.array_equal(shown.joints, alone.joints + 1)


# --- bad input
