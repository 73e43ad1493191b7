"""The smooth body: closed, inside out nowhere, bent by the joints that it lies round."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.formats.characters._surface_nets import DistanceGrid, ball
from kinetune.formats.characters.mannequin_mesh import mannequin_at_rest, mannequin_mesh
from kinetune.formats.characters.skinned_mesh import rest_frames
from tests.made_up import small_clip


@pytest.fixture(scope="module")
def walk():
    return kt.sample("walk")[:40]


@pytest.fixture(scope="module")
def mesh(walk):
    return mannequin_mesh(walk, coarse=True)


def posed(mesh, clip, frame):
    matrices = mesh.matrices(clip[frame : frame + 1])[0]
    blended = np.einsum("vn,vnij->vij", mesh.weights, matrices[mesh.bones])
    return np.einsum("vij,vj->vi", blended[..., :3], mesh.points) + blended[..., 3]


def edges(triangles):
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])


def test_a_ball_is_meshed_as_a_closed_ball():
    grid = DistanceGrid(np.full(3, -0.3), np.full(3, 0.3), 0.03, 0.1)
    grid.add(ball(np.zeros(3), (0.2, 0.2, 0.2)), 0.0)
    points, normals, triangles = grid.surface()
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.2, atol=2e-3)
    np.testing.assert_allclose(normals, points / 0.2, atol=0.12)
    assert len(points) - len(edges(triangles)) // 2 + len(triangles) == 2


def test_the_surface_is_closed_and_its_weights_sum_to_one(mesh):
    there = {tuple(edge) for edge in edges(mesh.triangles).tolist()}
    assert all((b, a) in there for a, b in there)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0)
    assert mesh.weights.min() >= 0.0


def test_each_side_follows_its_side(walk, mesh):
    roles = walk.skeleton.roles
    for side, sign in (("left", 1.0), ("right", -1.0)):
        limbs = [joint for role, joint in roles.items() if role.startswith(f"{side} ") and "collar" not in role]
        share = np.where(np.isin(mesh.bones, limbs), mesh.weights, 0.0).sum(axis=1)
        assert (sign * mesh.points[share > 0.5, 0]).min() > -0.05


def test_the_body_stands_round_its_bones_however_it_moves(walk, mesh):
    points = posed(mesh, walk, 39)
    joints = walk.positions()[-1]
    apart = np.linalg.norm(points[:, None] - joints[None], axis=2)
    assert apart.min(axis=0).max() < 0.14, "every joint has skin near it"
    assert apart.min(axis=1).max() < 0.28, "and no skin is far from all joints"
    assert points[:, 1].min() > joints[:, 1].min() - 0.06


def test_a_neck_of_two_joints_ends_in_the_head(walk):
    """Captures of CMU begin the neck between the shoulders, and bend its two joints against each other."""
    given, neck = walk.skeleton, walk.skeleton.index("Neck")
    order = [*range(neck + 1), neck, *range(neck + 1, len(given))]
    renumbered = {old: new for new, old in enumerate(order)}
    parents = [-1 if joint == 0 else renumbered[int(given.parents[joint])] for joint in order]
    parents[neck + 1] = neck
    offsets = given.offsets[order]
    offsets[neck] -= [0.0, 0.09, 0.0]
    offsets[neck + 1] = [0.0, 0.09, 0.0]
    names = [given.names[joint] for joint in order]
    names[neck + 1] = "Neck1"
    bent = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(names), 1))
    bent[:, neck : neck + 2, 0] = np.cos(np.radians(20.0))
    bent[:, neck : neck + 2, 1] = np.sin(np.radians(20.0)) * np.array([-1.0, 1.0])
    clip = kt.Clip(kt.Skeleton(tuple(names), parents, offsets), walk.fps, walk.root[:1], bent)
    mesh = mannequin_mesh(clip, coarse=True)
    points = posed(mesh, clip, 0)
    head = clip.skeleton.index("Head")
    made = -np.linalg.solve(mesh.binds[head][:3, :3], mesh.binds[head][:3, 3])  # where it was when it was meshed
    rim = np.linalg.norm(mesh.points - made, axis=1) < 0.06
    assert np.linalg.norm(points[rim] - clip.positions()[0, head], axis=1).max() < 0.075


def test_what_is_no_human_body_is_drawn_as_bones():
    clip = small_clip()
    mesh = mannequin_mesh(clip)
    assert np.isfinite(mesh.points).all()
    assert set(np.unique(mesh.bones)) <= set(range(len(clip.skeleton)))


def test_a_body_without_a_head_is_drawn_as_bones(walk):
    """Such as the robot G1, whose chest ends at its shoulders."""
    kept = [joint for joint, name in enumerate(walk.skeleton.names) if name not in ("Neck", "Head")]
    parents = [kept.index(int(walk.skeleton.parents[joint])) if joint else -1 for joint in kept]
    names = tuple(walk.skeleton.names[joint] for joint in kept)
    skeleton = kt.Skeleton(names, np.array(parents), walk.skeleton.offsets[kept])
    clip = kt.Clip(skeleton, walk.fps, walk.root, walk.rotations[:, kept])
    assert "left upper arm" in skeleton.roles
    assert "neck" not in skeleton.roles
    mesh = mannequin_mesh(clip, coarse=True)
    assert (mesh.weights.max(axis=1) == 1.0).all()  # bones do not bend


def hands(clip, mesh):
    """How many vertices follow a hand alone; they come last."""
    joints = [clip.skeleton.roles[f"{side} hand"] for side in ("left", "right")]
    return int(np.sum(np.isin(mesh.bones[:, 0], joints) & (mesh.weights[:, 0] == 1.0)))


def test_at_rest_it_is_the_same_body(walk, mesh):
    """Exactly so where a vertex follows one bone, and closely elsewhere; its hands alone are finer."""
    rest = mannequin_at_rest(walk, walk.root[0])
    still = rest.binds @ rest_frames(walk.skeleton, walk.root[0])
    assert np.allclose(still, np.eye(4)), "bound in the rest pose"
    assert np.allclose(np.linalg.norm(rest.normals, axis=1), 1.0)
    count = len(mesh.points) - hands(walk, mesh)
    assert hands(walk, rest) > 2 * hands(walk, mesh)
    apart = np.linalg.norm(posed(rest, walk, 39)[:count] - posed(mesh, walk, 39)[:count], axis=1)
    assert apart[mesh.weights[:count].max(axis=1) == 1.0].max() < 1e-9
    assert apart.mean() < 0.003
    assert apart.max() < 0.05


def test_a_rest_pose_in_which_nothing_stands_is_left_alone(walk, mesh):
    """Some captures have a rest pose that is no pose of a body: all its bones in some other direction."""
    skeleton, frames = walk.skeleton, rot.exp(np.random.default_rng(5).uniform(-2.5, 2.5, (len(walk.skeleton), 3)))
    frames[0] = rot.identity()
    above = frames[np.maximum(skeleton.parents, 0)]
    crooked = kt.Skeleton(skeleton.names, skeleton.parents, rot.rotate(rot.inverse(above), skeleton.offsets))
    same = kt.Clip(crooked, walk.fps, walk.root, rot.multiply(rot.inverse(above), rot.multiply(walk.rotations, frames)))
    np.testing.assert_allclose(same.positions(), walk.positions(), atol=1e-9)
    body = mannequin_at_rest(same, same.root[0])
    joints, points = same.positions()[-1], posed(body, same, len(same) - 1)
    apart = np.linalg.norm(points[:, None] - joints[None], axis=2)
    assert apart.min(axis=0).max() < 0.14
    assert apart.min(axis=1).max() < 0.28


def test_a_body_out_of_all_proportion_is_drawn_as_bones(walk):
    offsets = walk.skeleton.offsets.copy()
    offsets[walk.skeleton.roles["left lower arm"]] *= 1e6
    clip = kt.Clip(kt.Skeleton(walk.skeleton.names, walk.skeleton.parents, offsets), 30, walk.root, walk.rotations)
    assert mannequin_at_rest(clip, clip.root[0]) is None
    assert len(mannequin_mesh(clip, coarse=True).points) < 3000
