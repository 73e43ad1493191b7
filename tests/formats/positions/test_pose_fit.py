"""Rotations from positions: rigid bodies come back, bones keep their length, nothing spins."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.formats.positions.pose_fit import fit_rotations, misfit, rest_offsets
from tests.formats import sample_clips

FPS = 30.0


def aim_along(directions):
    """The rotations of a single bone whose rest direction is +Y."""
    parents, offsets = np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1, 0]])
    positions = np.stack([np.zeros_like(directions), directions], axis=1)
    rotations = fit_rotations(parents, offsets, positions, FPS)[:, 0]
    assert np.allclose(rot.rotate(rotations, (0.0, 1.0, 0.0)), directions, atol=2e-6)
    return rotations


def twist_steps(rotations, directions):
    """The rotation about the bone from frame to frame, in degrees, beyond the least rotation that moves it."""
    least = rot.between(directions[:-1], directions[1:])
    carried = rot.multiply(least, rotations[:-1])
    return np.degrees(rot.angle_between(carried, rotations[1:]))


def test_a_rigid_body_comes_back_in_any_rest_pose():
    clip = sample_clips.clip()
    parents = clip.skeleton.parents
    for like in (None, clip.skeleton.offsets):
        offsets = rest_offsets(parents, clip.positions(), like)
        body = Skeleton(clip.skeleton.names, parents, offsets)
        rotations = fit_rotations(parents, offsets, clip.positions(), clip.fps)
        assert misfit(body, clip.root, rotations, clip.positions())[1] < 1e-9
    assert np.allclose(offsets, clip.skeleton.offsets, atol=1e-9)


def test_noise_does_not_add_up_along_a_limb():
    clip = sample_clips.clip()
    noisy = clip.positions() + np.random.default_rng(0).normal(0, 0.005, clip.positions().shape)
    parents = clip.skeleton.parents
    offsets = rest_offsets(parents, noisy)
    rotations = fit_rotations(parents, offsets, noisy, clip.fps)
    fitted, _ = forward(Skeleton(clip.skeleton.names, parents, offsets), noisy[:, 0], rotations)
    away = np.linalg.norm(fitted - noisy, axis=2).mean(axis=0)
    assert away.max() < 0.02


@pytest.mark.parametrize("near", [1e-6, 0.01, 0.05, 0.2])
def test_a_bone_that_passes_opposite_to_its_rest_does_not_spin(near):
    angle = np.linspace(-2.5, 2.5, 61)
    directions = np.stack([np.sin(angle), -np.cos(angle), np.full_like(angle, near)], axis=1)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rotations = aim_along(directions)
    assert twist_steps(rotations, directions).max() < 10.0


def test_a_bone_that_circles_opposite_to_its_rest_does_not_spin():
    angle = np.linspace(0, 12.0, 90)
    directions = np.stack([0.3 * np.cos(angle), np.full_like(angle, -1.0), 0.3 * np.sin(angle)], axis=1)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    assert twist_steps(aim_along(directions), directions).max() < 10.0


def test_a_slow_bone_does_not_twist_against_its_parent():
    angle = np.linspace(0, 1.0, 600)
    directions = np.stack([0.6 * np.cos(angle), np.ones_like(angle), 0.6 * np.sin(angle)], axis=1)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    _, twist = rot.swing_twist(aim_along(directions), (0, 1, 0))
    assert np.degrees(rot.angle(twist)).max() < 2.0
