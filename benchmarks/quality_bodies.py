"""Fit a body to every skeleton at hand, and say how it went.

    python -m benchmarks.quality_bodies [FOLDER]

Takes the samples and all motion files of the folder (``$KINETUNE_DATA``, or ``../shared/data``), one line each: whether
the figure is human, its height and mass, segments, degrees of freedom and contact points, how exactly coordinates turn
back into the clip, how far segments are from the joints, the smallest eigenvalue of the mass matrix, and whether
MuJoCo's loader opens its MJCF. Ends with 1 when any of that went wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mujoco
import numpy as np

import kinetune as kt
from kinetune.formats import suffixes
from kinetune.physics.equations_of_motion import Dynamics, segment_poses
from kinetune.physics.model.body_model import Body

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SAMPLES = ("walk", "run", "kick-1", "walk-child", "wave-rig", "wave-fingers", "count", "sit-and-drink", "step-01")


def try_body(name: str, clip: kt.Clip) -> tuple[str, bool]:
    """One line on a clip's body, and whether all is well."""
    body = Body.fit(clip.skeleton, clip=clip)
    qpos = body.coordinates(clip)
    back = np.abs(body.clip(qpos, like=clip).rotations - clip.rotations).max()
    apart = 1e3 * np.abs(segment_poses(body, qpos)[0] - clip.positions()[:, body.joints]).max()
    model = mujoco.MjModel.from_xml_string(body.mjcf)
    dynamics = Dynamics(body)
    dynamics.update(qpos[0], np.zeros(body.nv))
    least = float(np.linalg.eigvalsh(dynamics.H)[0])
    well = back < 1e-12 and least > 0.0 and np.isclose(model.body_mass.sum(), body.mass, rtol=1e-12)
    kind = "human" if body.human else "other"
    line = (
        f"{name[:44]:44} {kind} {body.height:5.2f} m {body.mass:7.2f} kg {len(body.segments):3d} segments "
        f"{body.nv:3d} dof {len(body.points):2d} points  back {back:.0e}  apart {apart:.2g} mm  least {least:.0e}"
    )
    return line, bool(well)


def figures_of(folder: Path) -> list[tuple[str, Callable[[], kt.Clip]]]:
    """Names and loaders of all clips to be tried."""
    found: list[tuple[str, Callable[[], kt.Clip]]] = [(f"sample:{name}", partial(kt.sample, name)) for name in SAMPLES]
    motion = set(suffixes()) - {".csv", ".asf"}
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in motion)
    if not files:
        print(f"No motion files in {folder}: only the samples are tried. Set KINETUNE_DATA to add some.")
    return found + [(str(path.relative_to(folder)), partial(kt.read, path)) for path in files]


def main(folder: Path) -> int:
    """Try them all."""
    failed = 0
    clips = figures_of(folder)
    for name, load in clips:
        try:
            line, well = try_body(name, load())
        except kt.KinetuneError as error:
            line, well = f"{name[:44]:44} {error}", True  # one clear sentence is an answer, too
        failed += not well
        print(line + ("" if well else "  <-- wrong"))
    print(f"{len(clips)} figures, {failed} went wrong.")
    return failed


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(1 if main(Path(given)) else 0)
