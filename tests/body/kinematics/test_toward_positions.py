import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.body.kinematics.toward_positions import turn_toward
from tests.operations import making

EVERY = np.ones(len(making.walker(2, 60.0).skeleton), dtype=bool)


def bent(clip, degrees, seed=0):
    """The clip with all joints turned at random."""
    turns = np.deg2rad(degrees) * np.random.default_rng(seed).normal(size=(*clip.rotations.shape[:2], 3))
    return clip.replace(rotations=rot.multiply(clip.rotations, rot.exp(turns)), contacts=None)


def apart(clip, positions):
    return float(np.sqrt(np.mean(np.sum((clip.positions() - positions) ** 2, axis=-1))))


def naive(clip, positions, free, known):
    """Frame by frame, with matrices: world rotations of the joints that are free, each a least-squares turn."""
    skeleton, result = clip.skeleton, np.array(clip.rotations)
    stiffness = (0.06 * skeleton.height) ** 2
    for t in range(len(clip)):
        for joint in np.flatnonzero(free).tolist():
            root = positions[t : t + 1, 0]
            places, world = forward(skeleton, root, result[t : t + 1])
            below = [c for c in range(len(skeleton)) if known[c] and holder(skeleton, c, free) == joint]
            bones, asked = places[0, below] - places[0, joint], positions[t, below] - places[0, joint]
            square = sum((r @ r * np.eye(3) - np.outer(r, r) for r in bones), stiffness * np.eye(3))
            pull = sum((np.cross(r, m) for r, m in zip(bones, asked, strict=True)), np.zeros(3))
            turned = rot.multiply(rot.exp(np.linalg.solve(square, pull)), world[0, joint])
            parent = skeleton.parents[joint]
            result[t, joint] = turned if parent < 0 else rot.multiply(rot.inverse(world[0, parent]), turned)
    return result


def holder(skeleton, joint, free):
    above = skeleton.parents[joint]
    while above >= 0 and not free[above]:
        above = skeleton.parents[above]
    return above


@pytest.mark.parametrize("stiff", [(), (0,), (1, 4, 5)])
def test_each_joint_makes_the_turn_of_least_squares(stiff):
    clip = bent(making.walker(5, 60.0), 2.0, seed=2)
    aims = bent(clip, 4.0).positions() + np.random.default_rng(1).normal(scale=0.01, size=(5, len(EVERY), 3))
    free, known = EVERY.copy(), EVERY.copy()
    free[list(stiff)], known[[3, 7]] = False, False
    turned = turn_toward(clip, aims, free, known)
    expected = naive(clip, aims, free, known)
    assert np.allclose(rot.angle_between(turned.rotations, expected), 0.0, atol=1e-7)
    assert np.array_equal(turned.rotations[:, ~free], clip.rotations[:, ~free])
    assert np.array_equal(turned.root, aims[:, 0])


def test_positions_of_the_clip_itself_change_nothing():
    clip = making.walker(20, 60.0)
    turned = turn_toward(clip, np.array(clip.positions()), EVERY, EVERY)
    assert np.allclose(turned.rotations, clip.rotations, atol=1e-12)


def test_most_of_the_way_to_another_pose_is_made():
    clip = bent(making.walker(20, 60.0), 2.0, seed=2)
    aims = np.array(bent(clip, 5.0).positions())
    assert apart(turn_toward(clip, aims, EVERY, EVERY), aims) < 0.2 * apart(clip, aims)


def test_joints_that_the_file_moves_keep_their_offsets():
    clip = making.walker(20, 60.0)
    moves = np.repeat(clip.skeleton.offsets[None], 20, axis=0)
    moves[:, 0] = clip.root
    moves[:, 3] += 0.01 * np.sin(np.arange(20.0))[:, None]
    clip = clip.replace(translations=moves, contacts=None)
    aims = clip.positions() + np.array([0.0, 0.05, 0.0])
    turned = turn_toward(clip, aims, EVERY, EVERY)
    assert np.array_equal(turned.translations[:, 1:], moves[:, 1:])
    assert np.allclose(turned.positions(), aims, atol=1e-12)


def test_a_hinge_stays_a_hinge():
    """A knee that turns about one slanting axis only, in a leg that has another rest pose."""
    clip = making.walker(40, 60.0)
    knee = clip.skeleton.roles["left lower leg"]
    axis, rest = np.array([0.6, 0.0, 0.8]), rot.exp(np.array([0.3, 0.2, 0.0]))
    rotations = np.array(clip.rotations)
    rotations[:, knee] = rot.multiply(rot.exp(np.sin(np.arange(40.0) / 5.0)[:, None] * axis), rest)
    hinged = clip.replace(rotations=rotations, contacts=None)
    aims = np.array(bent(hinged, 5.0).positions())
    turned = turn_toward(hinged, aims, EVERY, EVERY)
    vectors = rot.log(rot.multiply(turned.rotations[:, knee], rot.inverse(rest)))
    assert np.abs(np.cross(vectors, axis)).max() < 1e-9
    assert np.abs(rot.angle_between(turned.rotations[:, knee], rotations[:, knee])).max() > 0.01
    assert apart(turned, aims) < 0.5 * apart(hinged, aims)
