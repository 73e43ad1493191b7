"""A corrected motion for simulators: a model with contacts and actuators, and the reference that a controller tracks.

=====================  =================================================================================
SimulationReference    qpos, qvel, feed-forward torques, contact schedule and forces of a motion
simulation_model       the body as MJCF with contacts, motors and limits
write_simulation       both as files: model.xml and reference.npz
=====================  =================================================================================

The model differs from ``body.mjcf`` in what a simulator needs: a floor and small spheres at the contact points that
collide, three motors at each ball joint (about the axes of its segment, as torques are given), limits of angle and
torque, and a time step of a millisecond. Axes stay Kinetune's: Y up.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.filter.filtering import FilterResult
from kinetune.physics.ground import FlatGround
from kinetune.physics.model.mjcf import body_name
from kinetune.rotations import Floats

_STEP_S = 0.001
_RADIUS_M = 0.008
_TORQUE_ROOM, _LEAST_TORQUE = 2.0, 20.0
_ANGLE_ROOM = float(np.deg2rad(20.0))
_LOADED_N = 1.0
_ARMATURE = 0.01  # kg m^2 of a motor's rotor: toes alone are too light for any servo


@dataclass(frozen=True, eq=False)
class SimulationReference:
    """What a tracking controller follows, (frames, ...) each, at ``fps`` frames a second.

    qpos, qvel : coordinates and central-difference velocities, as MuJoCo has them. torques : (frames, motors) newton
    metres, feed-forward. contacts : (frames, points) which points carry. forces : (frames, points, 3) newtons.
    points : their names.
    """

    fps: float
    qpos: Floats
    qvel: Floats
    torques: Floats
    contacts: NDArray[np.bool_]
    forces: Floats
    points: tuple[str, ...]

    @classmethod
    def of(cls, result: FilterResult) -> SimulationReference:
        """The reference of a corrected motion, at the rate of the solver."""
        inner = np.clip(np.arange(len(result.step_q)), 1, max(len(result.step_q) - 2, 1))  # the ends have no torques
        torques = result.step_torques[inner, 1:].reshape(len(result.step_q), -1)
        forces = result.step_forces[inner]
        contacts = np.linalg.norm(forces, axis=2) > _LOADED_N
        names = tuple(point.name for point in result.body.points)
        rate = result.simulated.fps
        return cls(rate, result.step_q, result.step_v, torques, contacts, forces, names)


def simulation_model(result: FilterResult) -> str:
    """The body as MJCF with a floor that collides, motors, and limits of angle and torque.

    A motor gives at most twice the largest torque of its joint in the motion, and 20 N m at least; a joint bends at
    most 20 degrees further than in the motion, and its motor adds an inertia of 0.01 kg m^2. Where ``torque_limit`` was
    given, it is the limit.
    """
    body, ground = result.body, result.ground
    if not isinstance(ground, FlatGround):
        raise ParameterError("The simulation model has a level floor; this motion stands on other ground.")
    top = ElementTree.fromstring(body.mjcf)
    option = top.find("option")
    assert option is not None
    option.set("timestep", repr(_STEP_S))
    option.set("integrator", "implicitfast")
    for flag in option.findall("flag"):
        option.remove(flag)
    floor = top.find("worldbody/geom")
    assert floor is not None
    floor.attrib.update(name="floor", pos=f"0 {ground.level!r} 0", size="50 50 0.1")
    friction = f"{result.settings.mu!r} 0.005 0.0001"
    floor.attrib.update(contype="1", conaffinity="1", friction=friction)
    nodes = {node.get("name"): node for node in top.iter("body")}
    for point, centre in zip(body.points, _sphere_centres(result), strict=True):
        node = nodes[body_name(body.segments[point.body - 1].name)]
        place = " ".join(repr(float(value)) for value in centre)
        ElementTree.SubElement(
            node,
            "geom",
            {"name": f"{point.name} sole", "type": "sphere", "size": repr(_RADIUS_M), "pos": place, "mass": "0"},
            contype="2",
            conaffinity="1",
            friction=friction,
            condim="3",
        )
    actuators = ElementTree.SubElement(top, "actuator")
    filter_limit = result.settings.torque_limit
    for k, segment in enumerate(body.segments[1:], start=1):
        name = body_name(segment.name)
        joint = nodes[name].find("joint")
        assert joint is not None
        turns = rot.angle(result.step_q[:, 3 + 4 * k : 7 + 4 * k])
        joint.set("armature", repr(_ARMATURE))
        joint.set("range", f"0 {min(float(turns.max()) + _ANGLE_ROOM, np.pi)!r}")
        most = np.maximum(_TORQUE_ROOM * np.abs(result.step_torques[:, k]).max(axis=0), _LEAST_TORQUE)
        if filter_limit is not None:
            most = np.minimum(most, filter_limit[3 + 3 * k : 6 + 3 * k])
        for axis, letter in enumerate("xyz"):
            gear = " ".join("1" if i == axis else "0" for i in range(3))
            force = f"{-float(most[axis])!r} {float(most[axis])!r}"
            ElementTree.SubElement(
                actuators, "motor", name=f"{name} {letter}", joint=name, gear=gear, ctrlrange=force, forcerange=force
            )
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode")


def _sphere_centres(result: FilterResult) -> Floats:
    """(points, 3) centres of spheres in the frames of their joints, so that they touch the floor where points do."""
    body = result.body
    _, turns = segment_poses(body, result.step_q)
    centres = []
    for number, point in enumerate(body.points):
        loaded = np.linalg.norm(result.step_forces[:, number], axis=1) > _LOADED_N
        chosen = turns[loaded if loaded.any() else slice(None), point.body - 1]
        up = rot.rotate(rot.inverse(chosen), np.array([0.0, 1.0, 0.0])).mean(axis=0)
        centres.append(point.position + _RADIUS_M * up / max(float(np.linalg.norm(up)), 1e-9))
    return np.array(centres)


def write_simulation(result: FilterResult, folder: str | Path) -> tuple[Path, Path]:
    """Write ``model.xml`` and ``reference.npz`` into a folder; the paths of both.

    Parameters
    ----------
    result : FilterResult
        A motion that was corrected; one that came back unchanged is refused.
    folder : path
        Made if it is not there.

    Raises
    ------
    ParameterError
        For a result without forces that make it, or on ground that is not level.

    Examples
    --------
    >>> import tempfile
    >>> from kinetune import filter_dynamics, sample
    >>> walk = filter_dynamics(sample("walk")[:60], method="whole")
    >>> [path.name for path in write_simulation(walk, tempfile.mkdtemp())]
    ['model.xml', 'reference.npz']
    """
    if result.status in ("unchanged", "fell"):
        raise ParameterError(
            f'The motion cannot be exported for simulation: its status is "{result.status}". See result.reasons and '
            "result.failures."
        )
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    model, table = place / "model.xml", place / "reference.npz"
    reference = SimulationReference.of(result)
    packed = BytesIO()
    np.savez_compressed(
        packed,
        fps=reference.fps,
        qpos=reference.qpos,
        qvel=reference.qvel,
        torques=reference.torques,
        contacts=reference.contacts,
        forces=reference.forces,
        points=np.array(reference.points),
    )
    from kinetune.formats import write_files

    write_files({model: simulation_model(result).encode(), table: packed.getvalue()})
    return model, table
