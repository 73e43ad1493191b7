"""Robots as skeletons: MuJoCo's MJCF, URDF, and their motion as qpos.

==============  =======================================================================================
robot_files     ``.xml``, ``.mjcf`` and ``.urdf`` files as a clip of one frame, and :func:`read_robot`
_mjcf_reader    Bodies and joints of an MJCF file, with default classes and includes
_urdf_reader    Links and joints of a URDF file
body_tree       Bodies of either file, put together as a robot
xml_nodes       XML from strangers: bounded, without entities
qpos            Motion of a robot as joint values a frame: ``.qpos.csv``, ``.qpos.npz``, ``.npz``
==============  =======================================================================================
"""

from kinetune.body.robots.robot import Robot, RobotJoint
from kinetune.formats.robots.robot_files import read_robot

__all__ = ["Robot", "RobotJoint", "read_robot"]
