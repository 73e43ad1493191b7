"""How motions come out on robots: contacts, limits, orientations, smoothness and speed, beside a solver of each frame.

    python -m benchmarks.quality_robots [FOLDER] [--half seen|unseen] [--clips N] [--robot FILE]

FOLDER holds the clips and, in ``robots``, the robot; left out, it is $KINETUNE_DATA, or ``shared/data`` beside the
checkout. Clips are split in two halves by a seeded draw: weights were chosen on the "seen" half. At most 8 seconds of
each are taken, at 30 frames a second, without stray first frames.

The peer, where the packages mink and daqp are installed, solves each frame by itself from the frame before, as General
Motion Retargeting (GMR) does: differential inverse kinematics with mink, a task for each link, two tables of costs
after GMR's for Unitree's G1, at most ten rounds each, with joint limits. It is fed the same targets, feet as they are,
and is timed in turns with ours on the same clips; its time does not include making the targets, ours does, and is given
once more without. GMR itself is not run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.robots.robot import Z_UP, Robot, RobotLayout
from kinetune.errors import KinetuneError
from kinetune.formats.robots.robot_files import robot_clip
from kinetune.kernels.loader import warm_up
from kinetune.retarget.fits.robot_fit import RobotFit, fit_robot
from kinetune.retarget.retargeting import Retargeted, retarget
from kinetune.retarget.robot_report import report_robot

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
_SEED, _FPS, _LONGEST_S = 20, 30.0, 8.0
_KINDS = ("accad/*.bvh", "cmu/*.bvh", "hdm05/*.bvh", "kimodo/soma*.npz", "odd_bvh/bandai*.bvh", "gltf/*.glb")
_KINDS += ("odd_bvh/*.bvh", "cmu_asfamc/*.amc")
_SPEEDS = "unitree_g1_29dof_rev_1_0.urdf"  # MJCF names no speeds
# Position and orientation costs of the two passes, by part.
_FIRST = {"hips": (100.0, 10.0), "foot": (100.0, 10.0)}
_SECOND = {"hips": (100.0, 5.0), "foot": (50.0, 10.0)}
_MOST_ROUNDS, _ENOUGH, _DAMPING = 10, 1e-3, 0.5
FIGURES = ("contact_speed_m_s", "contact_speed_worst_m_s", "penetration_mm", "orientation_deg", "acceleration_rad_s2")
FIGURES += ("overlap_mm",)
COUNTS = ("range_violations", "speed_violations")


def clips(folder: Path, half: str, count: int) -> list[tuple[str, Clip]]:
    """Clips of one half, in the order of the draw."""
    files = [path for kind in _KINDS for path in sorted(folder.glob(kind))]
    order = np.random.default_rng(_SEED).permutation(len(files))
    seen, unseen = ([files[k] for k in order[first::2]] for first in (0, 1))
    chosen: list[tuple[str, Clip]] = []
    for path in seen if half == "seen" else [path for path in dict.fromkeys(unseen) if path not in seen]:
        if len(chosen) == count:
            break
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clip = kt.read(path)
                clip = kt.Resample(fps=_FPS)(clip) if abs(clip.fps - _FPS) > 0.1 else clip
        except KinetuneError:
            continue
        if len(clip) > _FPS and {"left foot", "right foot", "left hand"} <= clip.skeleton.roles.keys():
            first = stray_frames(clip)
            chosen.append((path.stem, clip[first : first + round(_LONGEST_S * _FPS)]))
    return chosen


def robot_with_speeds(path: Path) -> Clip:
    """The robot, with the speed limits of its URDF where the file has none."""
    body = kt.read(path)
    layout = body.source.layout
    assert isinstance(layout, RobotLayout)
    robot = layout.robot
    other = path.parent / _SPEEDS
    if path.suffix == ".urdf" or not other.exists():
        return body
    known = {joint.name: joint.velocity for joint in kt.read(other).source.layout.robot.joints}  # type: ignore[union-attr]
    joints = tuple(replace(joint, velocity=known.get(joint.name, np.inf)) for joint in robot.joints)
    faster = replace(robot, joints=joints)
    return robot_clip(faster, faster.home[None], _FPS, replace(body.source, layout=RobotLayout(faster)))


class FramePeer:
    """Differential inverse kinematics of each frame, from the frame before."""

    def __init__(self, path: Path) -> None:
        import mink
        import mujoco

        self.mink = mink
        tree = ElementTree.parse(path).getroot()
        for parent in list(tree.iter()):
            for child in list(parent):
                if child.tag == "mesh" or (child.tag == "geom" and child.get("mesh")):
                    parent.remove(child)
        for sensor in tree.findall("sensor"):
            tree.remove(sensor)
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree, encoding="unicode"))
        self.limits = [mink.ConfigurationLimit(self.model)]

    def solve(self, result: Retargeted, robot: Robot) -> np.ndarray[Any, Any]:
        """Rows of joint values (frames, size)."""
        mink, transfer, fit = self.mink, result.transfer, result.robot
        assert transfer is not None
        assert fit is not None
        roles = transfer.target.roles
        tables = []
        for costs, others in ((_FIRST, (0.0, 10.0)), (_SECOND, (10.0, 5.0))):
            tasks = []
            for role in fit.roles:
                place, turn = costs.get(role, costs.get(role.partition(" ")[2], others))
                name = robot.skeleton.names[roles[role]]
                tasks.append(mink.FrameTask(name, "body", position_cost=place, orientation_cost=turn, lm_damping=1.0))
            tables.append(tasks)
        configuration = mink.Configuration(self.model)
        goals = {}
        for role in fit.roles:
            _, centre = transfer.target.centre(role)
            turned = transfer.orientations[role]
            at = transfer.points[role] - rot.rotate(turned, centre)
            goals[role] = rot.rotate(rot.inverse(Z_UP), at), rot.multiply(rot.inverse(Z_UP), turned)
        rows = []
        dt = self.model.opt.timestep
        for frame in range(len(result.clip)):
            for tasks in tables:
                for role, task in zip(fit.roles, tasks, strict=True):
                    place, turn = goals[role]
                    pose = mink.SE3(np.concatenate([turn[frame], place[frame]]))
                    task.set_target(pose)
                before = self._error(tasks, configuration)
                for _ in range(_MOST_ROUNDS):
                    speed = mink.solve_ik(configuration, tasks, dt, "daqp", _DAMPING, limits=self.limits)
                    configuration.integrate_inplace(speed, dt)
                    after = self._error(tasks, configuration)
                    if before - after < _ENOUGH:
                        break
                    before = after
            rows.append(configuration.q.copy())
        return np.array(rows)

    @staticmethod
    def _error(tasks: list[Any], configuration: Any) -> float:
        return float(np.linalg.norm(np.concatenate([task.compute_error(configuration) for task in tasks])))


def _peer(path: Path) -> FramePeer | None:
    if path.suffix != ".xml":
        return None
    try:
        return FramePeer(path)
    except ImportError as missing:
        print(f"skip peer: {missing}", file=sys.stderr)
        return None


def _judged(result: Retargeted, rows: np.ndarray[Any, Any], robot: Robot) -> dict[str, Any]:
    """The figures of other joint values for the same motion; feet as the source has them."""
    fit, transfer = result.robot, result.transfer
    assert fit is not None
    assert transfer is not None
    clip = robot_clip(robot, rows, result.clip.fps, result.clip.source)
    other = RobotFit(clip, rows, fit.problem, fit.problem.unknowns(rows), transfer.feet, fit.roles)
    return report_robot(other, transfer)


def main() -> None:
    """Print the figures of ours and of the peer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=os.environ.get("KINETUNE_DATA", str(_BESIDE)))
    parser.add_argument("--half", choices=("seen", "unseen"), default="unseen")
    parser.add_argument("--clips", type=int, default=12)
    parser.add_argument("--robot", default="unitree_g1.xml")
    options = parser.parse_args()
    path = Path(options.folder) / "robots" / options.robot
    if not path.exists():
        print(f"skip robots: there is no {path}", file=sys.stderr)
        return
    body = robot_with_speeds(path)
    robot = body.source.layout.robot  # type: ignore[union-attr]
    peer = _peer(path)
    rows: dict[str, list[dict[str, Any]]] = {"ours": [], "frame by frame": []}
    chosen = clips(Path(options.folder), options.half, options.clips)
    retarget(chosen[0][1][:40], body)
    warm_up()  # nothing is compiled or loaded while the clock runs
    for _, clip in chosen:
        start = time.process_time()
        result = retarget(clip, body)
        spent = time.process_time() - start
        assert result.robot is not None
        assert result.transfer is not None
        start = time.process_time()
        fit_robot(clip, result.transfer, robot)
        solving = time.process_time() - start
        speeds = {"frames_s": len(clip) / spent, "solving_s": len(clip) / solving}
        rows["ours"].append(report_robot(result.robot, result.transfer) | speeds)
        if peer is not None:
            start = time.process_time()
            values = peer.solve(result, robot)
            spent = time.process_time() - start
            rows["frame by frame"].append(_judged(result, values, robot) | {"frames_s": len(clip) / spent})
    print(f"{robot.name}, {len(chosen)} clips of the {options.half} half, {sum(len(c) for _, c in chosen)} frames")
    for name, figures in rows.items():
        if figures:
            means = {key: float(np.mean([row[key] for row in figures])) for key in FIGURES}
            sums = {key: sum(row[key] for row in figures) for key in COUNTS}
            listed = ", ".join(f"{key} {value:.4g}" for key, value in (means | sums).items())
            speeds = {"frames/s": "frames_s", "frames/s from given targets": "solving_s"}
            for text, key in speeds.items():
                if key in figures[0]:
                    listed += f", {text} {float(np.median([row[key] for row in figures])):.0f}"
            print(f"{name}: {listed}")


if __name__ == "__main__":
    main()
