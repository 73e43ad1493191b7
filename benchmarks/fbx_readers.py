"""Where three programs put the joints of FBX files: Kinetune, ufbx and both importers of Blender.

PYTHONPATH=src .venv-bpy/bin/python benchmarks/fbx_readers.py FILE... [--json OUT] [--page docs/formats/fbx.md]

Each take of each file is compared as it is, edited and written back into its file, and edited and written as a file of
its own. The numbers are the largest distance of any joint at any frame from Kinetune, in millimetres. Needs ufbx.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

READERS = ("ufbx", "Blender", "older Blender")
MOST_FRAMES = 120
TICKS = 46_186_158_000  # in a second of FBX
CLOSE = 0.1  # millimetres
MANNERS = ("original", "written back", "written anew")


def main() -> None:
    """Compare, each file in a process of its own, since one that fails may take the others with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.one:
        gc.disable()  # scenes of ufbx do not survive being collected
        print("RESULT" + json.dumps(compare_file(options.files[0], options.verbose)), flush=True)
        os._exit(0)  # nor the end of the interpreter
    rows = []
    for path in options.files:
        command = [sys.executable, __file__, "--one", str(path), *(["--verbose"] if options.verbose else [])]
        run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if options.verbose:
            print(run.stdout.partition("RESULT")[0], run.stderr)
        found = json.loads(run.stdout.partition("RESULT")[2] or "null") or [{"file": path.name, "refused": "crashed"}]
        rows += found
        for row in found:
            print(describe(row), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    if options.page is not None:
        table = "\n".join(page_rows(rows))
        text = options.page.read_text("utf-8")
        block = f"<!-- readers -->\n{table}\n<!-- end readers -->"
        options.page.write_text(re.sub(r"<!-- readers -->.*?<!-- end readers -->", lambda _: block, text, flags=re.S))


def compare_file(path: Path, verbose: bool) -> list[dict[str, Any]]:
    """A row for each take: manner -> reader -> (millimetres or what went wrong, joints compared)."""
    import kinetune as kt

    warnings.simplefilter("ignore")
    try:
        takes = kt.read(path).source.layout.motions
    except kt.errors.KinetuneError as problem:
        return [{"file": path.name, "refused": str(problem)}]
    except AttributeError:  # a file of ours that has no character
        takes = ()
    rows = []
    for number in range(max(1, len(takes))):
        clip = kt.read(path, **({"take": number} if takes else {}))
        take = takes[number] if takes else None
        row: dict[str, Any] = {"file": path.name, "take": take, "joints": len(clip.skeleton), "frames": len(clip)}
        row["original"] = distances(path, clip, take, clip.source.layout, verbose)
        edited = edit(clip)
        with tempfile.TemporaryDirectory() as folder:
            for manner in MANNERS[1:]:
                out = Path(folder) / path.name
                character = edited.source.layout if manner == "written back" else None
                if manner == "written back" and character is None:
                    continue
                written = edited
                if character is None:
                    from dataclasses import replace

                    written = edited.replace(source=replace(edited.source, layout=None))
                kt.write(written, out)
                name = take if character is not None and take is not None else None
                row[manner] = distances(out, written, name, character, verbose)
                again = kt.read(out, **({"take": name} if name else {})).positions()
                same = again.shape == written.positions().shape
                row[manner]["Kinetune"] = 1e3 * float(np.abs(again - written.positions()).max()) if same else "shape"
        rows.append(row)
    return rows


def edit(clip: Any) -> Any:
    """The clip with every joint turned and the whole moved, each at its own rate."""
    from kinetune import rotations as rot

    phases = np.random.default_rng(0).uniform(0.0, 6.0, (1, len(clip.skeleton), 3))
    turns = rot.exp(0.2 * np.sin(0.3 * np.arange(len(clip))[:, None, None] + phases))
    return clip.replace(rotations=rot.multiply(clip.rotations, turns), root=clip.root + np.array([0.0, 0.1, 0.05]))


def distances(path: Path, clip: Any, take: str | None, character: Any, verbose: bool) -> dict[str, Any]:
    """Reader -> millimetres."""
    start = 0.0 if character is None or character.is_guest else float(character.times[0])
    shown = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), MOST_FRAMES)).round().astype(int))
    times, ours = start + shown / clip.fps, clip.positions()[shown]
    keyed = key_frames(character, times) if character is not None and not character.is_guest else None
    result: dict[str, Any] = {}
    for reader, places in (("ufbx", ufbx_places), ("Blender", blender_places), ("older Blender", older_places)):
        try:
            with contextlib.redirect_stdout(sys.stderr):
                seen = places(path, take, times, clip)
        except Exception as problem:  # whatever another reader says of a file is the result
            result[reader] = f"{type(problem).__name__}: {str(problem).strip().splitlines()[-1][:80]}"
            continue
        known = [joint for joint in range(len(clip.skeleton)) if joint in seen]
        if not known:
            result[reader] = "no joints"
            continue
        theirs, expected = np.stack([seen[joint] for joint in known], axis=1), ours[:, known]
        apart = 1e3 * np.linalg.norm(theirs - expected, axis=2)
        result[reader] = float(apart.max())
        result[f"{reader} joints"] = len(known)
        if reader == "Blender" and apart.max() > CLOSE:
            if keyed is not None:
                result["Blender at keys"] = float(apart[keyed].max()) if keyed.any() else "no frame with all keys"
            pivoted = ufbx_places(path, take, times, clip, pivots=True)
            moved = 1e3 * np.linalg.norm(theirs - np.stack([pivoted[joint] for joint in known], axis=1), axis=2)
            result["Blender at pivots"] = float(moved.max())
            if keyed is not None and keyed.any():
                result["Blender at pivots and keys"] = float(moved[keyed].max())
        if verbose and apart.max() > CLOSE:
            print(f"{path.name} {take} {reader}")
            for joint, column in zip(known, apart.T, strict=True):
                print(f"   {clip.skeleton.names[joint]:30} {column.max():10.4f} mm at {int(column.argmax())}")
    return result


def key_frames(character: Any, times: Any) -> Any:
    """Which times (n,) have a key of every curve of the joints and of what is above them, if it has several."""
    from kinetune.formats.fbx.encoding.records import FbxFile
    from kinetune.formats.fbx.fbx_reader import model_tree, scene_tree
    from kinetune.formats.fbx.scene_objects import FbxScene
    from kinetune.formats.fbx.takes import read_take

    scene = FbxScene(FbxFile(Path(character.name), character.data))
    if character.stack is None:
        return np.ones(len(times), bool)
    models, parents = model_tree(scene)
    places = {model.number: node for node, model in enumerate(models)}
    needed = scene_tree(models, parents).with_ancestors([places[number] for number in character.joints])
    numbers = {models[node].number for node in needed}
    keyed = np.ones(len(times), bool)
    for layer in read_take(scene, scene.objects[character.stack]).layers:
        for (number, _), (curves, _) in layer.tracks.items():
            for curve in curves:
                if number in numbers and curve is not None and np.ptp(curve.values) > 0:
                    keyed &= np.abs(times[:, None] - curve.times).min(axis=1) < 1e-4
    return keyed


_ALIVE: list[Any] = []


def ufbx_places(path: Path, take: str | None, times: Any, clip: Any, *, pivots: bool = False) -> dict[int, Any]:
    """Joint -> (frames, 3), as ufbx evaluates the file; with ``pivots`` about what a joint rotates, as in Blender."""
    import ufbx

    handling = ufbx.PivotHandling.ADJUST_TO_ROTATION_PIVOT if pivots else ufbx.PivotHandling.RETAIN
    scene = ufbx.load_file(str(path), pivot_handling=handling)
    _ALIVE.append(scene)
    stacks = [stack for stack in scene.anim_stacks if take is None or stack.name == take]
    anim = stacks[0].anim if stacks else scene.anim
    axes = scene.settings.axes
    stated = (int(axes.right), int(axes.up), int(axes.front))
    codes = [usual if code == 6 else code for code, usual in zip(stated, (0, 2, 4), strict=True)]
    turn = np.array([np.eye(3)[code // 2] * (-1 if code % 2 else 1) for code in codes])
    nodes = joint_nodes([node.name for node in scene.nodes], clip)
    places = np.zeros((len(times), len(scene.nodes), 3))
    for frame, time in enumerate(times):
        at = ufbx.evaluate_scene(scene, anim, round(time * TICKS) / TICKS)
        _ALIVE.append(at)
        for node in set(nodes.values()):
            corner = at.nodes[node].node_to_world.c3
            places[frame, node] = corner.x, corner.y, corner.z
    places = places @ turn.T * scene.settings.unit_meters
    return {joint: places[:, node] for joint, node in nodes.items()}


def joint_nodes(names: list[str], clip: Any) -> dict[int, int]:
    """Joint -> node of its name; the second joint of a name, "Hand#2", is the second node of it."""
    nodes, seen = {}, {}
    for joint, name in enumerate(clip.skeleton.names):
        base = name if name in names else name.rpartition("#")[0] or name
        same = [number for number, other in enumerate(names) if other == base]
        rank = seen.setdefault(base, 0)
        seen[base] += 1
        if rank < len(same):
            nodes[joint] = same[rank]
    return nodes


def blender_places(path: Path, take: str | None, times: Any, clip: Any) -> dict[int, Any]:
    """Joint -> (frames, 3), as Blender's importer in C++ makes it."""
    import bpy

    return imported(lambda: bpy.ops.wm.fbx_import(filepath=str(path)), take, times, clip)


def older_places(path: Path, take: str | None, times: Any, clip: Any) -> dict[int, Any]:
    """Joint -> (frames, 3), as Blender's importer in Python makes it."""
    import addon_utils
    import bpy

    def load() -> None:
        addon_utils.enable("io_scene_fbx", default_set=True)
        bpy.ops.import_scene.fbx(filepath=str(path))

    return imported(load, take, times, clip)


def imported(load: Any, take: str | None, times: Any, clip: Any) -> dict[int, Any]:
    """What Blender shows after an import."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = max(1, round(clip.fps))
    scene.render.fps_base = scene.render.fps / clip.fps
    load()
    choose_take(take)
    things = [thing for thing in scene.objects if thing.type == "ARMATURE"]
    holders: list[tuple[str, Any, Any]] = [
        (bone.name, thing, bone) for thing in things for bone in thing.pose.bones
    ] + [(thing.name, thing, None) for thing in scene.objects]
    listed = [name for name, _, _ in holders]
    nodes = joint_nodes([re.sub(r"\.\d{3}$", "", name) for name in listed], clip)
    nodes |= {joint: listed.index(name) for joint, name in enumerate(clip.skeleton.names) if name in listed}
    rate = scene.render.fps / scene.render.fps_base
    places = np.zeros((len(times), len(holders), 3))
    for number, time in enumerate(times):
        frame = time * rate + 1.0
        whole = int(np.floor(frame + 1e-6))
        scene.frame_set(whole, subframe=max(0.0, min(frame - whole, 0.999999)))
        for node in nodes.values():
            _, thing, bone = holders[node]
            place = thing.matrix_world @ bone.matrix.translation if bone else thing.matrix_world.translation
            places[number, node] = place.x, place.z, -place.y
    return {joint: places[:, node] for joint, node in nearest_of_a_name(nodes, listed, places, clip, times).items()}


def nearest_of_a_name(nodes: dict[int, int], names: list[str], places: Any, clip: Any, times: Any) -> dict[int, int]:
    """Joint -> node, joints of one name in the order that fits best: Blender keeps no order among armatures."""
    shown = np.unique(np.linspace(0, len(clip) - 1, len(times)).round().astype(int))
    ours, chosen = clip.positions()[shown], dict(nodes)
    groups: dict[str, list[int]] = {}
    for joint in nodes:
        groups.setdefault(clip.skeleton.names[joint].partition("#")[0], []).append(joint)
    for joints in groups.values():
        left = [nodes[joint] for joint in joints]
        for joint in joints if len(joints) > 1 else ():
            chosen[joint] = min(left, key=lambda node: float(np.abs(places[:, node] - ours[:, joint]).max()))
            left.remove(chosen[joint])
    return chosen


def choose_take(take: str | None) -> None:
    """Let every object play its action of a take: Blender names them "object|take" or "object|take|layer"."""
    import bpy

    def plays(action: Any) -> bool:
        return f"|{take}|" in f"|{action.name}|"

    for thing in bpy.data.objects:
        data = thing.animation_data
        if take is None or data is None or data.action is None or plays(data.action):
            continue
        own = [action for action in bpy.data.actions if plays(action) and action.name.startswith(f"{thing.name}|")]
        shared = [action for action in bpy.data.actions if plays(action) and action not in own]
        for action in [*own, *shared]:
            slot = next((s for s in action.slots if s.name_display == thing.name), None)
            slot = action.slots[0] if slot is None and action in own else slot
            if slot is not None:
                data.action, data.action_slot = action, slot
                break
        else:
            data.action = None  # still in this take


def describe(row: dict[str, Any]) -> str:
    """One line."""
    if "refused" in row:
        return f"{row['file']:52} refused: {row['refused']}"
    parts = [f"{row['file']:52} {str(row['take'])[:14]:14} {row['joints']:3} joints {row['frames']:4} frames"]
    for manner in MANNERS:
        found = row.get(manner, {})
        numbers = [
            f"{found[r]:.4f}" if isinstance(found.get(r), float) else str(found.get(r, "-"))
            for r in (*READERS, "Kinetune")
            if r in found
        ]
        missing = "".join(
            f" {r}:{found[f'{r} joints']}" for r in READERS if found.get(f"{r} joints", row["joints"]) != row["joints"]
        )
        why = "".join(
            f" [{key.removeprefix('Blender ')} {found[key]:.4f}]"
            if isinstance(found[key], float)
            else f" [{found[key]}]"
            for key in ("Blender at keys", "Blender at pivots", "Blender at pivots and keys")
            if key in found
        )
        parts.append(f"{manner}: {' / '.join(numbers)}{missing}{why}")
    return " | ".join(parts)


def page_rows(rows: list[dict[str, Any]]) -> list[str]:
    """How many takes each program puts where we do, and which it does not, as a table."""
    lines = ["| | ufbx | Blender | Blender's older importer |", "|---|---|---|---|"]
    for manner in MANNERS:
        cells = []
        for reader in READERS:
            read = [row for row in rows if isinstance(row.get(manner, {}).get(reader), float)]
            close = [row[manner][reader] for row in read if row[manner][reader] < CLOSE]
            cells.append(f"{len(close)} of {len(read)} takes within {max(close, default=0.0):.3f} mm")
        lines.append(f"| {manner} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main()
