"""The mass matrix and the bias forces against Pinocchio, another library of rigid-body dynamics.

Pinocchio builds its own model here, joint by joint, from the body's segments; none of MuJoCo's numbers enter. The two
disagree on one convention: the velocity of a free joint. MuJoCo's linear part is the velocity of the root's origin in
world axes; Pinocchio's is in the axes of the root. ``v_pinocchio = T v_mujoco`` with T turning the first three.
"""

from __future__ import annotations

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import Dynamics
from tests.physics.figures import bent, walker_body

pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install pin")


def build(body):
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, -9.81, 0.0])
    joints = []
    for k, segment in enumerate(body.segments):
        parent = 0 if k == 0 else joints[int(body.parents[k])]
        kind = pinocchio.JointModelFreeFlyer() if k == 0 else pinocchio.JointModelSpherical()
        offset = np.zeros(3) if k == 0 else body.offsets[k]
        joint = model.addJoint(parent, kind, pinocchio.SE3(np.eye(3), offset), segment.name)
        model.appendBodyToJoint(
            joint, pinocchio.Inertia(segment.mass, segment.centre, segment.inertia), pinocchio.SE3.Identity()
        )
        joints.append(joint)
    return model


def coordinates(q):
    """Pinocchio's quaternions are xyzw."""
    turned = [np.roll(q[at : at + 4], -1) for at in range(3, len(q), 4)]
    return np.concatenate([q[:3], *turned])


@pytest.mark.parametrize("seed", range(5))
def test_mass_matrix_and_bias_agree(seed):
    body = walker_body()
    q = bent(body, seed, 0.7)
    v = np.random.default_rng(seed).standard_normal(body.nv)
    dynamics = Dynamics(body)
    dynamics.update(q, v)
    model = build(body)
    data = model.createData()
    axes = rot.to_matrix(q[3:7])
    turn = np.eye(body.nv)
    turn[:3, :3] = axes.T
    theirs = coordinates(q)
    mass = pinocchio.crba(model, data, theirs)
    mass = np.triu(mass) + np.triu(mass, 1).T
    assert np.abs(turn.T @ mass @ turn - dynamics.H).max() < 1e-11
    # Accelerations: d/dt (T v) = T a + T' v, and T' v = -w x (R^T v) for the linear part.
    spun = np.zeros(body.nv)
    spun[:3] = -np.cross(v[3:6], axes.T @ v[:3])
    bias = turn.T @ pinocchio.rnea(model, data, theirs, turn @ v, spun)
    assert np.abs(bias - dynamics.C).max() < 1e-9
