"""Forward kinematics: 60 joints x 100,000 frames of local quaternions to world positions and rotations.

"Copy" is ``np.copyto`` of the input quaternions (192 MB in float64) into an array that is there already; results go
into arrays that are there already too (``out=``), because fresh memory costs the system more than either.
The layout is the public one, (frames, joints, ...) in C order, for input and output.

MuJoCo runs the same tree as a free body with ball joints, in a Python loop over frames that sets ``qpos``, calls
``mj_kinematics`` and copies positions and rotations out; the bare loop, without that call, is measured as well.
pybvh goes from Euler angles to positions by rotation matrices, all frames of a joint at once. "NumPy, joint by joint"
is the same with quaternions ready, by our own :mod:`kinetune.rotations`. These three would take long: they get 5,000
of the frames and are charged 20 times that. All positions are compared before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.harness import Claim, median_times
from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward, world_positions
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

JOINTS, FRAMES, FEWER = 60, 100_000, 5_000
SCALE = FRAMES // FEWER


def claims() -> Iterator[Claim]:
    """Measure all variants in one interleaved run, once in double and once in single precision."""
    skeleton = figure()
    root, rotations = motion()
    out = np.empty((FRAMES, JOINTS, 3)), np.empty((FRAMES, JOINTS, 4))
    copy = np.empty_like(rotations)
    variants: dict[str, Callable[[], object]] = {
        "copy": lambda: np.copyto(copy, rotations),
        "forward": lambda: forward(skeleton, root, rotations, out=out),
        "positions": lambda: world_positions(skeleton, root, rotations, out=out[0]),
    }
    peers = add_peers(skeleton, root[:FEWER], rotations[:FEWER])
    spent = median_times(variants | peers, rounds=11, budget_s=60.0)
    ours = spent["forward"]
    print(f"  forward takes {1e9 * ours / FRAMES / JOINTS:.1f} ns for a joint in a frame")
    yield Claim("forward / copy of the input", ours / spent["copy"], 2.5, at_least=False)
    yield Claim("positions only / copy of the input", spent["positions"] / spent["copy"], 2.0, at_least=False)
    if "mujoco" in spent:
        bare = SCALE * spent["mujoco, bare loop"] / ours
        print(f"  the bare Python loop around MuJoCo takes {bare:.1f} times forward")
        yield Claim("MuJoCo mj_kinematics loop / forward", SCALE * spent["mujoco"] / ours, 8.0, at_least=True)
    if "pybvh" in spent:
        yield Claim("pybvh / forward", SCALE * spent["pybvh"] / ours, 30.0, at_least=True)
    yield Claim("NumPy, joint by joint / forward", SCALE * spent["numpy"] / ours, 15.0, at_least=True)
    yield from single_precision(skeleton, root.astype(np.float32), rotations.astype(np.float32))


def single_precision(skeleton: Skeleton, root: Floats, rotations: Floats) -> Iterator[Claim]:
    """The same in float32, against a copy of half the bytes."""
    copy = np.empty_like(rotations)
    out = np.empty((FRAMES, JOINTS, 3), np.float32), np.empty((FRAMES, JOINTS, 4), np.float32)
    spent = median_times(
        {
            "copy": lambda: np.copyto(copy, rotations),
            "forward": lambda: forward(skeleton, root, rotations, out=out),
        }
    )
    yield Claim("forward / copy of the input, float32", spent["forward"] / spent["copy"], 3.0, at_least=False)


def figure() -> Skeleton:
    """Five chains on one root."""
    parents = [-1]
    for chain in range(5):
        length = JOINTS // 5 - (chain == 0)
        parents += [0, *range(len(parents), len(parents) + length - 1)]
    offsets = np.random.default_rng(0).uniform(-0.2, 0.2, (JOINTS, 3))
    return Skeleton(tuple(f"joint{k}" for k in range(JOINTS)), parents, offsets)


def motion() -> tuple[Floats, Floats]:
    """A root that wanders and joints that turn at random, as no cache or branch predictor would like it."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((FRAMES, 3)), rot.normalize(rng.standard_normal((FRAMES, JOINTS, 4)))


def add_peers(skeleton: Skeleton, root: Floats, rotations: Floats) -> dict[str, Callable[[], object]]:
    """The peers that are installed, each checked against our positions."""
    expected = world_positions(skeleton, root, rotations)
    peers: dict[str, Callable[[], object]] = {"numpy": lambda: joint_by_joint(skeleton, root, rotations)}
    check("NumPy, joint by joint", joint_by_joint(skeleton, root, rotations), expected)
    try:
        from pybvh import FkTopology, frames_to_node_positions
    except ImportError:
        print("  skip pybvh: the package is not installed")
    else:
        topology = FkTopology(skeleton.offsets, skeleton.parents, np.arange(JOINTS), ["ZXY"] * JOINTS)
        angles = rot.to_euler(rotations, "ZXY")
        check("pybvh", frames_to_node_positions(topology, root, angles), expected)
        peers["pybvh"] = lambda: frames_to_node_positions(topology, root, angles)
    try:
        import mujoco
    except ImportError:
        print("  skip MuJoCo: the package is not installed")
        return peers
    model = mujoco.MjModel.from_xml_string(mjcf(skeleton))
    data = mujoco.MjData(model)
    poses = np.concatenate([root, rotations.reshape(len(root), -1)], axis=1)
    positions, turned = np.empty((len(root), JOINTS, 3)), np.empty((len(root), JOINTS, 4))

    def run(solve: Callable[[object, object], object]) -> Floats:
        for frame, pose in enumerate(poses):
            data.qpos[:] = pose
            solve(model, data)
            positions[frame] = data.xpos[1:]
            turned[frame] = data.xquat[1:]
        return positions

    check("MuJoCo", run(mujoco.mj_kinematics), expected)
    peers["mujoco"] = lambda: run(mujoco.mj_kinematics)
    peers["mujoco, bare loop"] = lambda: run(lambda model, data: None)
    return peers


def check(name: str, positions: Floats, expected: Floats) -> None:
    apart = float(np.abs(positions - expected).max())
    if apart > 1e-9:
        raise RuntimeError(f"{name} differs from our result by {apart:.2g} m: the comparison would mean nothing")


def joint_by_joint(skeleton: Skeleton, root: Floats, rotations: Floats) -> Floats:
    """All frames of a joint at once, as one would write it."""
    positions, turned = np.empty((*rotations.shape[:2], 3)), np.empty_like(rotations)
    positions[:, 0], turned[:, 0] = root, rotations[:, 0]
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            positions[:, joint] = positions[:, parent] + rot.rotate(turned[:, parent], skeleton.offsets[joint])
            turned[:, joint] = rot.multiply(turned[:, parent], rotations[:, joint])
    return positions


def mjcf(skeleton: Skeleton) -> str:
    """The skeleton as a MuJoCo model: one body for each joint, the first one free, the others on balls."""

    def body(joint: int) -> str:
        place = "0 0 0" if joint == 0 else " ".join(repr(float(value)) for value in skeleton.offsets[joint])
        hinge = "<freejoint/>" if joint == 0 else '<joint type="ball"/>'
        inside = "".join(body(child) for child in skeleton.children[joint])
        return f'<body pos="{place}">{hinge}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{inside}</body>'

    return f"<mujoco><worldbody>{body(0)}</worldbody></mujoco>"
