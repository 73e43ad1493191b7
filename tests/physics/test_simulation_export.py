"""Laws of the export for simulators, and of tracking with the engine's own contact."""

import mujoco
import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.physics.simulation.contact_replay import track
from kinetune.physics.simulation.simulation_export import simulation_model, write_simulation


@pytest.fixture(scope="module")
def walk():
    return kt.filter_dynamics(kt.sample("walk")[:90], method="whole")


@pytest.mark.slow
def test_the_model_has_a_motor_for_every_torque_and_contacts_that_collide(walk):
    model = mujoco.MjModel.from_xml_string(simulation_model(walk))
    assert model.nu == model.nv - 6
    assert np.isclose(model.body_mass.sum(), walk.body.mass)
    data = mujoco.MjData(model)
    data.qpos[:] = walk.step_q[5]
    data.qpos[1] -= 0.01
    mujoco.mj_forward(model, data)
    assert data.ncon > 0


def test_a_motor_turns_its_joint_by_the_torque_that_was_exported(walk):
    model = mujoco.MjModel.from_xml_string(simulation_model(walk))
    data = mujoco.MjData(model)
    data.qpos[:] = walk.step_q[5]
    data.ctrl[:] = np.clip(walk.step_torques[5, 1:].ravel(), *model.actuator_forcerange.T)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.qfrc_actuator[6:], data.ctrl, atol=1e-9)


def test_the_written_reference_is_the_motion(walk, tmp_path):
    model, table = write_simulation(walk, tmp_path / "out")
    mujoco.MjModel.from_xml_path(str(model))
    with np.load(table) as arrays:
        assert np.array_equal(arrays["qpos"], walk.step_q)
        assert arrays["contacts"].shape == (len(walk.step_q), len(walk.body.points))
        assert arrays["torques"].shape[1] == walk.body.nv - 6


@pytest.mark.slow
def test_a_corrected_walk_is_tracked_to_its_end(walk):
    run = track(walk)
    assert not run.fell
    assert run.com_cm < 5.0


def test_a_motion_that_came_back_unchanged_is_not_exported(tmp_path):
    from dataclasses import replace

    still = kt.filter_dynamics(kt.sample("walk")[:20], method="whole")
    with pytest.raises(ParameterError, match="unchanged"):
        write_simulation(replace(still, status="unchanged"), tmp_path)
