"""How long FBX takes, in one interleaved run: our reader and writer, both importers and the exporter of Blender, ufbx.

PYTHONPATH=src .venv-bpy/bin/python benchmarks/blender_fbx.py [--rounds 5] [--page docs/formats/fbx.md]

With ``--page`` the table between the comments "speed" and "end speed" is written anew. ufbx is timed where its Python
binding is installed (pip install ufbx). Times are CPU times, medians over the rounds.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy
import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton

JOINTS, FRAMES = 60, 2_000


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        seconds = measure(Path(name), options.rounds)
    table = describe(seconds)
    print(table)
    if options.page is not None:
        block = f"<!-- speed -->\n{table}\n<!-- end speed -->"
        text = options.page.read_text("utf-8")
        text = re.sub(r"<!-- speed -->.*?<!-- end speed -->", lambda _: block, text, flags=re.DOTALL)
        options.page.write_text(text, "utf-8")


def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Seconds of CPU time of each job, the jobs in turn."""
    import addon_utils  # there once bpy is

    clip, path, out = make_clip(), folder / "clip.fbx", folder / "out.fbx"
    kt.write(clip, path)
    alive: list[Any] = []  # scenes of ufbx, which must outlast what points into them
    jobs: dict[str, Callable[[], Any]] = {
        "read": lambda: kt.read(path),
        "read, angles compiled": lambda: read_compiled(path),
        "Blender, importer in C++": lambda: bpy.ops.wm.fbx_import(filepath=str(path)),
        "Blender, older importer": lambda: bpy.ops.import_scene.fbx(filepath=str(path)),
        "Blender, exporter": lambda: bpy.ops.export_scene.fbx(filepath=str(out), bake_anim_simplify_factor=0.0),
        "write": lambda: kt.write(clip, out),
    }
    try:
        ufbx = import_module("ufbx")
        jobs["ufbx, loading alone"] = lambda: alive.append(ufbx.load_file(str(path)))
        jobs["ufbx, loading and a transform of every joint at every frame"] = lambda: bake(ufbx, path, alive)
    except ImportError:
        pass
    os.environ["KINETUNE_COMPILED"] = "never"
    taken: dict[str, list[float]] = {job: [] for job in jobs}
    for round_number in range(rounds + 1):  # the first warms up
        for job, run in jobs.items():
            if "importer" in job:
                bpy.ops.wm.read_factory_settings(use_empty=True)
                addon_utils.enable("io_scene_fbx", default_set=True)
                bpy.context.scene.frame_end = FRAMES
            begun = time.process_time()
            run()
            if round_number:
                taken[job].append(time.process_time() - begun)
    return {job: statistics.median(times) for job, times in taken.items()}


def read_compiled(path: Path) -> Clip:
    """As in a process that has read a dozen such files: until then NumPy turns the angles."""
    os.environ["KINETUNE_COMPILED"] = "always"
    try:
        return kt.read(path)
    finally:
        os.environ["KINETUNE_COMPILED"] = "never"


def bake(ufbx: Any, path: Path, alive: list[Any]) -> None:
    """The whole motion by ufbx, as much as our reader gives."""
    scene = ufbx.load_file(str(path))
    alive += [scene, ufbx.bake_anim(scene, scene.anim)]


def make_clip() -> Clip:
    """A body of as many joints, none of them still."""
    dice = np.random.default_rng(0)
    offsets = dice.uniform(-0.1, 0.1, (JOINTS, 3))
    offsets[0] = 0.0
    parents = np.array([-1, *(max(0, joint - 1 - 3 * (joint % 4 == 0)) for joint in range(1, JOINTS))])
    seconds = np.arange(FRAMES)[:, None, None] / 30.0
    rates, phases = dice.uniform(0.2, 2.0, (JOINTS, 3)), dice.uniform(0.0, 6.0, (JOINTS, 3))
    turns = rot.exp(0.6 * np.sin(2 * np.pi * rates * seconds + phases))
    root = np.concatenate([0.5 * seconds, 1.0 + 0.1 * np.sin(seconds), 0.0 * seconds], axis=2)[:, 0]
    return Clip(Skeleton(tuple(f"joint{n}" for n in range(JOINTS)), parents, offsets), 30.0, root, turns)


def describe(seconds: dict[str, float]) -> str:
    """The times as a table."""
    rows = [f"| {JOINTS} joints, {FRAMES:,} frames | CPU time | against Kinetune | compiled |", "|---|---|---|---|"]
    for job, taken in seconds.items():
        ours = seconds["write" if job in ("write", "Blender, exporter") else "read"]
        name = f"Kinetune, {job}" if job.startswith(("read", "write")) else job
        compiled = "" if ours == seconds["write"] else f"{taken / seconds['read, angles compiled']:.1f}"
        rows.append(f"| {name} | {1e3 * taken:.0f} ms | {taken / ours:.1f} | {compiled} |")
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    rows.append(f"| measured in | Blender {bpy.app.version_string}, {load} | | |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
