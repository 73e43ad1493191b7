"""Figures of the Blender extension, measured inside Blender: how soon a fader shows, how exact a round trip is.

PYTHONPATH=src .venv-bpy/bin/python benchmarks/blender_figures.py [--page docs/blender.md]

With ``--page`` the table between the comments "blender" and "end blender" is written anew.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
MOVES = 60


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--first", action="store_true", help="only the first edit")
    options = parser.parse_args()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        use_extension(folder)
        figures: dict[str, Any] = {"blender": bpy.app.version_string, "numpy": np.__version__}
        figures["load"] = f"{os.getloadavg()[0]:.0f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else "?"
        figures["first edited action"] = first_edit(folder, begun)
        if options.first:
            print(json.dumps(figures["first edited action"]))
            return
        figures["first edited action, compiled first"] = first_edit_compiled(folder)
        figures["fader, 300 frames"] = fader(folder, 300)
        figures["fader, 10,000 frames"] = fader(folder, 10_000)
        figures["round trip"] = round_trip(folder)
        figures["carriers, mm"] = carriers(folder)
    print(json.dumps(figures, indent=2))
    if options.page is not None:
        write_table(options.page, figures)


def write_table(page: Path, figures: dict[str, Any]) -> None:
    """Put the figures into a page."""
    rows = ["| | |", "|---|---|"]
    for name in ("fader, 300 frames", "fader, 10,000 frames"):
        if name in figures:
            each = figures[name]
            shown = f"{each['median ms']} ms in the median, {each['median ms of CPU time']} ms of it CPU time"
            rows.append(f"| {name}, {each['channels']} channels: to the new pose | {shown} |")
    for name, when in (
        ("first edited action", ""),
        ("first edited action, compiled first", ", right after installing"),
    ):
        seconds, work = figures[name].values()
        shown = f"{seconds} s, {work} s of it CPU time"
        rows.append(f"| from the start of Blender to the first edited action with planted feet{when} | {shown} |")
    rows.append(f"| round trip without an edit: an F-curve differs by at most | {figures['round trip']:.2g} |")
    carried = ", ".join(f"{suffix} {off:.2g}" for suffix, off in figures["carriers, mm"].items() if off is not None)
    rows.append(f"| joints after a file as the carrier: off by at most, in mm | {carried} |")
    rows.append(f"| measured in | Blender {figures['blender']}, NumPy {figures['numpy']}, load {figures['load']} |")
    block = "\n".join(["<!-- blender -->", *rows, "<!-- end blender -->"])
    text = re.sub(r"<!-- blender -->.*?<!-- end blender -->", lambda _: block, page.read_text("utf-8"), flags=re.DOTALL)
    page.write_text(text, "utf-8")


def use_extension(folder: Path) -> None:
    """Install the extension as a user would, and the importers of Blender."""
    import addon_utils

    from kinetune.blender.extension_files import pack

    for module in ("io_anim_bvh", "io_scene_gltf2", "io_scene_fbx"):
        addon_utils.enable(module, default_set=True)
    package = pack(folder / "kinetune.zip", [], folder / "files")
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)


def extension(module: str) -> Any:
    """A module of the installed extension."""
    import importlib

    return importlib.import_module(f"bl_ext.user_default.kinetune.{module}")


def walker(folder: Path, frames: int) -> Any:
    """An armature that walks for so many frames, imported from BVH."""
    import kinetune as kt

    bpy.ops.wm.read_homefile(use_empty=True)
    walk = kt.sample("walk")
    path = folder / f"walk-{frames}.bvh"
    if frames > len(walk):
        cycle = kt.Loop(keep_feet=False)(walk)
        walk = kt.Loop(cycle="whole", cycles=1 + frames // (len(cycle) - 1), keep_feet=False)(cycle)
    kt.write(walk[:frames], path)
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, update_scene_fps=True)
    return bpy.context.object


def first_edit(folder: Path, begun: float) -> dict[str, float]:
    """From the start of this process, Blender's included, to the first edited action."""
    walker(folder, 300)
    bpy.ops.kinetune.equalize()
    bpy.ops.kinetune.plant_feet()
    return {"seconds": round(time.perf_counter() - begun, 1), "CPU seconds": round(time.process_time(), 1)}


def first_edit_compiled(folder: Path) -> dict[str, float]:
    """The same in a new process that has no compiled code yet, as after an installation."""
    new = {name: str(folder / name) for name in ("NUMBA_CACHE_DIR", "BLENDER_USER_RESOURCES")}
    done = subprocess.run(
        [sys.executable, __file__, "--first"], env={**os.environ, **new}, capture_output=True, text=True, check=True
    )
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def fader(folder: Path, frames: int) -> dict[str, Any]:
    """From a moved fader to the new pose: the frames in view are written and the scene is evaluated."""
    owner = walker(folder, frames)
    scene = bpy.context.scene
    scene.frame_set(frames // 2)
    bpy.ops.kinetune.faders()
    swing = next(each for each in owner.kinetune.faders if each.title == "swing")
    bone = owner.pose.bones["RightArm"]
    times, work, poses = [], [], set()
    for move in range(MOVES):
        begun, used = time.perf_counter(), time.process_time()
        swing.gain = 1.0 + 0.02 * (1 + move)
        bpy.context.view_layer.update()
        times.append(1000 * (time.perf_counter() - begun))
        work.append(1000 * (time.process_time() - used))
        poses.add(tuple(np.round(np.array(bone.matrix), 6).ravel()))
    if len(poses) != MOVES:
        raise SystemExit("A fader moved and the pose did not.")
    actions = extension("actions")
    action = owner.animation_data.action
    channels = len(actions.channelbag_of(action, actions.slot_of(owner, action)).fcurves)
    begun = time.perf_counter()
    extension("live").settle(owner, scene)
    whole = time.perf_counter() - begun
    return {
        "channels": channels,
        "median ms": round(statistics.median(times), 1),
        "median ms of CPU time": round(statistics.median(work), 1),
        "90% ms": round(sorted(times)[int(0.9 * MOVES)], 1),
        "first ms": round(times[0], 1),
        "whole action with feet, s": round(whole, 2),
    }


def round_trip(folder: Path) -> float:
    """How far F-curves are off after reading and writing without an edit."""
    owner = walker(folder, 300)
    actions = extension("actions")
    before, original = sampled(owner), owner.animation_data.action
    reading = actions.read_motion(owner, bpy.context.scene)
    actions.write_action(owner, reading, reading.motion, "same")
    after = sampled(owner)
    assert owner.animation_data.action != original
    return max(float(np.abs(before[key] - after[key]).max()) for key in before)


def sampled(owner: Any) -> dict[Any, np.ndarray]:
    """The values of every F-curve at every frame."""
    actions = extension("actions")
    action = owner.animation_data.action
    bag = actions.channelbag_of(action, actions.slot_of(owner, action))
    first, last = actions.frame_range(action)
    frames = range(first, last + 1)
    return {(c.data_path, c.array_index): np.array([c.evaluate(f) for f in frames]) for c in bag.fcurves}


def carriers(folder: Path) -> dict[str, float | None]:
    """How far joints are from where they were, written by Kinetune, imported by Blender, read by the extension."""
    import kinetune as kt
    from kinetune.blender.clip_service import clip_from_motion

    clip = kt.sample("walk")[:120]
    imports = {
        "bvh": lambda path: bpy.ops.import_anim.bvh(filepath=path, global_scale=0.01, update_scene_fps=True),
        "glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
        "fbx": lambda path: bpy.ops.import_scene.fbx(filepath=path),
        "usda": lambda path: bpy.ops.wm.usd_import(filepath=path),
    }
    bpy.utils.expose_bundled_modules()  # USD's own, which write the file
    off: dict[str, float | None] = {}
    for suffix, load in imports.items():
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.context.scene.render.fps = 60
        path = folder / f"carrier.{suffix}"
        try:
            kt.write(clip, path)
        except kt.KinetuneError:  # an extra that is not installed
            off[suffix] = None
            continue
        load(str(path))
        owner = next(each for each in bpy.data.objects if each.type == "ARMATURE")
        read = clip_from_motion(extension("actions").read_motion(owner, bpy.context.scene).motion)
        order = [read.skeleton.names.index(joint) for joint in clip.skeleton.names]
        away = np.linalg.norm(read.positions()[:, order] - clip.positions(), axis=-1)
        off[suffix] = float(f"{1000 * away.max():.2g}")
    return off


if __name__ == "__main__":
    main()
