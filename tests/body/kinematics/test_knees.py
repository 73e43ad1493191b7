"""Knees that pass through straight."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.knees import Leg, knee_bend, pose_leg
from kinetune.body.skeleton import Skeleton

LEG = Leg(0, 1, 2, np.array([1.0, 0.0, 0.0]))


def aside(lateral_deg):
    """The rotation of a shank out of the plane in which its knee flexes."""
    return rot.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.deg2rad(lateral_deg))


def straightening(frames, lateral_deg):
    """A leg that is stretched until its knee bends backward, its shank a little beside the plane of the thigh."""
    skeleton = Skeleton(("LeftUpLeg", "LeftLeg", "LeftFoot"), (-1, 0, 1), [[0, 0, 0], [0, -0.42, 0], [0, -0.40, 0]])
    bend = np.deg2rad(np.linspace(25.0, -10.0, frames))
    knee = rot.multiply(rot.from_axis_angle(LEG.hinge, bend), aside(np.full(frames, lateral_deg)))
    rotations = np.stack([rot.identity(frames), knee, rot.identity(frames)], axis=1)
    return Clip(skeleton, 120.0, np.tile([0.0, 0.9, 0.0], (frames, 1)), rotations)


def posed(clip, bend_deg=4.0):
    """The clip with its ankle brought to where the knee is bent a little, all along in the same direction."""
    upper, lower, bend = 0.42, 0.40, np.deg2rad(bend_deg)
    reach = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(bend))
    rotations = np.array(clip.rotations)
    foot = clip.world_rotations()[:, LEG.ankle]
    pose_leg(clip, LEG, np.tile([0.0, -reach, 0.0], (len(clip), 1)), foot, rotations)
    return clip.replace(rotations=rotations)


@pytest.mark.parametrize("lateral_deg", [0.0, 0.5, 2.0, -4.0])
def test_a_knee_that_passes_through_straight_does_not_jump(lateral_deg):
    """Twice as many frames make half as large steps: what jumps does so in one frame, however many there are."""
    steps = []
    for frames in (701, 1401):
        knee = posed(straightening(frames, lateral_deg)).positions()[:, LEG.knee]
        steps.append(np.linalg.norm(np.diff(knee, axis=0), axis=1).max())
    assert steps[1] < 0.6 * steps[0] + 1e-9
    assert steps[1] < 1e-3


def test_a_leg_that_stays_where_it_is_keeps_its_pose():
    clip = straightening(200, 2.0)
    positions = clip.positions()
    rotations = np.array(clip.rotations)
    pose_leg(clip, LEG, positions[:, 2] - positions[:, 0], clip.world_rotations()[:, 2], rotations)
    bent = knee_bend(clip, LEG) > np.deg2rad(1.0)
    assert np.allclose(clip.replace(rotations=rotations).positions()[bent], positions[bent], atol=1e-9)


def test_a_knee_that_is_bent_far_across_its_hinge_bends_on_in_its_plane():
    clip = straightening(1, 45.0)[:1]
    bend = rot.multiply(rot.from_axis_angle(LEG.hinge, np.deg2rad(5.0)), aside(45.0))
    rotations = np.array(clip.rotations)
    rotations[0, LEG.knee] = bend
    clip = clip.replace(rotations=rotations)
    hip, knee, ankle = clip.positions()[0]
    normal = np.cross(knee - hip, ankle - knee)
    rotations = np.array(clip.rotations)
    pose_leg(clip, LEG, 0.95 * (ankle - hip)[None], clip.world_rotations()[:, LEG.ankle], rotations)
    moved = clip.replace(rotations=rotations).positions()[0] - hip
    assert np.allclose(moved[LEG.ankle], 0.95 * (ankle - hip), atol=1e-3)
    out_of_plane = moved[LEG.knee] @ normal / np.linalg.norm(normal)
    assert abs(out_of_plane) < 0.015
