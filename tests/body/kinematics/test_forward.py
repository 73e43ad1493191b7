import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import (
    forward,
    jacobian,
    tips,
    world_positions,
)
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.formats import read
from tests.body.people import adult, random_clip, random_rotations, random_tree


def by_matrices(skeleton, root, rotations, translations=None):
    """An independent computation: one frame and one joint at a time, with scipy's 4 x 4 transforms."""
    frames, joints = rotations.shape[:2]
    positions, turned = np.zeros((frames, joints, 3)), np.zeros((frames, joints, 4))
    for f in range(frames):
        world = []
        for j, parent in enumerate(skeleton.parents):
            step = skeleton.offsets[j] if translations is None else translations[f, j]
            local = np.eye(4)
            local[:3, :3] = Rotation.from_quat(rotations[f, j], scalar_first=True).as_matrix()
            local[:3, 3] = root[f] if j == 0 else step
            world.append(local if parent < 0 else world[parent] @ local)
            positions[f, j] = world[j][:3, 3]
            turned[f, j] = Rotation.from_matrix(world[j][:3, :3]).as_quat(scalar_first=True)
    return positions, turned


@pytest.fixture(params=["always", "never"])
def body(request, monkeypatch):
    monkeypatch.setenv("KINETUNE_COMPILED", request.param)
    return request.param


@pytest.mark.parametrize("joints", [1, 2, 3, 8, 31])
@pytest.mark.parametrize("frames", [1, 3, 4, 5, 9])
def test_forward_agrees_with_matrices(body, joints, frames):
    skeleton = random_tree(joints, roots=min(joints, 2))
    rng = np.random.default_rng(2)
    root, moved = rng.standard_normal((frames, 3)), rng.standard_normal((frames, joints, 3))
    rotations = random_rotations(frames, joints)
    for translations in (None, moved):
        positions, turned = forward(skeleton, root, rotations, translations)
        expected = by_matrices(skeleton, root, rotations, translations)
        assert np.allclose(positions, expected[0], atol=1e-12)
        assert rot.angle_between(turned, expected[1]).max() < 1e-7


@pytest.mark.parametrize(
    "name",
    [
        "cmu/07_01.bvh",
        "accad/Male1_B3_Walk.bvh",
        "hdm05/HDM_bd_grabHighR_001_120.amc",
        "odd_bvh/makehuman_walk1_zup.bvh",
        "odd_bvh/pybvh_rotation_first_root.bvh",
        "gltf/Fox.glb",
    ],
)
def test_real_clips_agree_with_matrices(name, shared_data):
    clip = read(shared_data / name)[:6]
    expected, _ = by_matrices(clip.skeleton, clip.root, clip.rotations, clip.translations)
    assert np.abs(clip.positions() - expected).max() < 1e-9


@given(
    joints=st.integers(1, 12),
    frames=st.integers(1, 18),
    roots=st.integers(1, 3),
    seed=st.integers(0, 1000),
    single=st.booleans(),
    moving=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_both_bodies_give_the_same_bits(joints, frames, roots, seed, single, moving):
    skeleton = random_tree(joints, seed, min(roots, joints))
    dtype = np.float32 if single else np.float64
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((frames, 3)).astype(dtype)
    moved = rng.standard_normal((frames, joints, 3)).astype(dtype) if moving else None
    rotations = random_rotations(frames, joints, seed=seed).astype(dtype)
    results = {}
    for mode in ("always", "never"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KINETUNE_COMPILED", mode)
            results[mode] = [
                *forward(skeleton, root, rotations, moved),
                world_positions(skeleton, root, rotations, moved),
            ]
    for fast, plain in zip(results["always"], results["never"], strict=True):
        assert fast.dtype == plain.dtype == dtype
        assert np.array_equal(fast, plain)


@pytest.mark.parametrize("frames", [4, 6, 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("joints", [2, 5, 6])
def test_writing_around_the_cache_changes_nothing(monkeypatch, frames, dtype, joints):
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    skeleton = random_tree(joints)
    root, rotations = np.zeros((frames, 3), dtype), random_rotations(frames, joints).astype(dtype)
    plain = forward(skeleton, root, rotations)
    monkeypatch.setattr("kinetune.body.kinematics.forward._STREAM_FROM", 0)
    out = np.zeros((frames, joints, 3), dtype), np.zeros((frames, joints, 4), dtype)
    streamed = forward(skeleton, root, rotations, out=out)
    unaligned = np.zeros(frames * joints * 3 + 1, dtype)[1:].reshape(frames, joints, 3)
    odd = world_positions(skeleton, root, rotations, out=unaligned)
    assert streamed[0] is out[0]
    assert np.array_equal(streamed[0], plain[0])
    assert np.array_equal(streamed[1], plain[1])
    assert np.array_equal(odd, plain[0])


def test_the_rest_pose_is_where_the_skeleton_says(body):
    skeleton = adult(random_rotations(21))
    rest = np.repeat(skeleton.rest[None], 5, axis=0)
    positions, turned = forward(skeleton, np.zeros((5, 3)), rest)
    assert np.allclose(positions[3], skeleton.rest_positions, atol=1e-15)
    assert np.allclose(turned[3], skeleton.rest_rotations, atol=1e-15)


def test_a_further_root_sits_at_its_offset_or_translation(body):
    skeleton = Skeleton(("a", "b", "c"), [-1, -1, 1], [[9, 9, 9], [1, 2, 3], [0, 1, 0]])
    root, still = np.full((4, 3), 7.0), rot.identity(4, 3)
    moved = np.arange(36.0).reshape(4, 3, 3)
    assert np.array_equal(forward(skeleton, root, still)[0][0], [[7, 7, 7], [1, 2, 3], [1, 3, 3]])
    placed = forward(skeleton, root, still, moved)[0][1]
    assert np.array_equal(placed, [[7, 7, 7], moved[1, 1], moved[1, 1] + moved[1, 2]])


def test_sliced_and_whole_number_inputs_are_taken_as_they_are(body):
    skeleton = random_tree(5)
    rotations = random_rotations(20, 5)
    root = np.arange(60).reshape(20, 3)
    every = forward(skeleton, root[::2], rotations[::2])[0]
    assert every.dtype == np.float64
    assert np.array_equal(every, forward(skeleton, root.astype(float), rotations)[0][::2])


def test_q_and_minus_q_are_the_same_motion(body):
    skeleton = random_tree(9)
    rotations = random_rotations(6, 9)
    flipped = rotations.copy()
    flipped[::2, ::3] *= -1
    root = np.zeros((6, 3))
    assert np.allclose(forward(skeleton, root, rotations)[0], forward(skeleton, root, flipped)[0], atol=1e-14)


def test_wrong_shapes_are_explained():
    skeleton = random_tree(3)
    with pytest.raises(ParameterError, match=r"rotations must have the shape \(2, 3, 4\), not \(2, 4, 4\)"):
        forward(skeleton, np.zeros((2, 3)), rot.identity(2, 4))
    with pytest.raises(ParameterError, match="translations must have the shape"):
        forward(skeleton, np.zeros((2, 3)), rot.identity(2, 3), np.zeros((2, 3)))
    with pytest.raises(ParameterError, match="out: the positions need a writable C-ordered float64"):
        forward(skeleton, np.zeros((2, 3)), rot.identity(2, 3), out=(np.zeros((2, 3, 3), "f4"), np.zeros((2, 3, 4))))


def test_tips_hang_on_their_joints():
    clip = random_clip(adult())
    ends = tips(clip)
    assert ends.shape == (len(clip), len(clip.skeleton.end_sites), 3)
    for k, site in enumerate(clip.skeleton.end_sites):
        away = np.linalg.norm(ends[:, k] - clip.positions()[:, site.parent], axis=1)
        assert np.allclose(away, np.linalg.norm(site.offset))
    assert tips(Clip(random_tree(2), 30, np.zeros((3, 3)), rot.identity(3, 2))).shape == (3, 0, 3)


# --- Jacobians


def turned(skeleton, rotations, joint, vector, axes):
    """The pose after a small turn of one joint, by its definition."""
    result = rotations.copy()
    if axes == "local":
        result[:, joint] = rot.multiply(rotations[:, joint], rot.exp(vector))
        return result
    world = forward(skeleton, np.zeros((len(rotations), 3)), rotations)[1]
    parent = skeleton.parents[joint]
    above = rot.identity(len(rotations)) if parent < 0 else world[:, parent]
    wanted = rot.multiply(np.broadcast_to(rot.exp(vector), above.shape), world[:, joint])
    result[:, joint] = rot.multiply(rot.inverse(above), wanted)
    return result


@pytest.mark.parametrize("axes", ["world", "local"])
@pytest.mark.parametrize("point", [(0.0, 0.0, 0.0), (0.1, -0.2, 0.3)])
def test_jacobian_is_the_derivative(axes, point):
    skeleton = random_tree(9, seed=5, roots=2)
    root, rotations = np.random.default_rng(1).standard_normal((3, 3)), random_rotations(3, 9, seed=2)
    joint, step = 8, 1e-6

    def place(start, pose):
        where, how = forward(skeleton, start, pose)
        return where[:, joint] + rot.rotate(how[:, joint], np.array(point))

    exact = jacobian(skeleton, root, rotations, joint, point=point, axes=axes)
    assert exact.shape == (3, 3, 3 * 9 + 3)
    for j in range(9):
        for k in range(3):
            vector = step * np.eye(3)[k]
            ahead = place(root, turned(skeleton, rotations, j, vector, axes))
            behind = place(root, turned(skeleton, rotations, j, -vector, axes))
            assert np.allclose(exact[:, :, 3 * j + k], (ahead - behind) / (2 * step), atol=1e-8)
    for k in range(3):
        shift = step * np.eye(3)[k]
        by_root = (place(root + shift, rotations) - place(root - shift, rotations)) / (2 * step)
        assert np.allclose(exact[:, :, 27 + k], by_root, atol=1e-8)


def test_jacobian_over_a_chain_has_the_columns_of_the_whole():
    skeleton = adult()
    clip = random_clip(skeleton, 4)
    hand = skeleton.index("LeftHand")
    chain = [skeleton.index(n) for n in ("LeftLowerArm", "LeftUpperArm", "RightFoot")]
    whole = jacobian(skeleton, clip.root, clip.rotations, hand)
    part = jacobian(skeleton, clip.root, clip.rotations, hand, chain=chain)
    columns = [3 * j + k for j in chain for k in range(3)] + [63, 64, 65]
    assert np.array_equal(part, whole[:, :, columns])
    assert not np.any(part[:, :, 6:9])


def test_unknown_axes_are_explained():
    with pytest.raises(ParameterError, match='axes must be "world" or "local", not "body"'):
        jacobian(random_tree(2), np.zeros((1, 3)), rot.identity(1, 2), 1, axes="body")
