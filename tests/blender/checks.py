"""Checks that run inside Blender's Python, all in one process; ``test_in_blender.py`` starts it and reads the outcome.

Usage: python checks.py ZIP OUTCOME.json [NAME ...]
"""

import json
import sys
import time
import traceback
from pathlib import Path

import bpy
import numpy as np

CHECKS = {}
FRAMES = 120


def check(function):
    """A check, by the name of its law."""
    CHECKS[function.__name__] = function
    return function


def extension(module=""):
    """The installed extension, or a module of it."""
    import importlib

    return importlib.import_module("bl_ext.user_default.kinetune" + (f".{module}" if module else ""))


def clear():
    """An empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.0


def sample_file(folder, name="walk", frames=FRAMES):
    """A sample as a BVH file."""
    import kinetune as kt

    clip = kt.sample(name)
    path = Path(folder) / f"{name}.bvh"
    if not path.exists():
        kt.write(clip[: frames * 2 : 2], path)
    return str(path)


def walker(mode="NATIVE"):
    """An armature that walks, imported from BVH as Blender does it."""
    bpy.ops.import_anim.bvh(
        filepath=sample_file(FOLDER), global_scale=0.01, update_scene_fps=True, rotate_mode=mode, use_fps_scale=False
    )
    return bpy.context.object


def read(owner, **options):
    return extension("actions").read_motion(owner, bpy.context.scene, **options)


def shown(owner, reading):
    """Positions (frames, bones, 3) as Blender evaluates them."""
    matrix = np.array(owner.matrix_world)
    heads = extension("actions")._evaluated_pose(owner, reading.rig, bpy.context.scene, reading.frames).positions
    return heads @ matrix[:3, :3].T + matrix[:3, 3]


def curves(owner, action=None):
    """Every F-curve of an action as values at every frame."""
    actions = extension("actions")
    action = action or owner.animation_data.action
    bag = actions.channelbag_of(action, actions.slot_of(owner, action))
    first, last = actions.frame_range(action)
    return {
        (c.data_path, c.array_index): np.array([c.evaluate(f) for f in range(first, last + 1)]) for c in bag.fcurves
    }


def largest_difference(a, b):
    assert a.keys() == b.keys(), a.keys() ^ b.keys()
    return max(float(np.abs(a[key] - b[key]).max()) for key in a)


@check
def every_operation_is_an_operator():
    from kinetune.operations import OPERATIONS

    missing = [tag for tag in OPERATIONS if not hasattr(bpy.types, f"KINETUNE_OT_{tag}")]
    assert not missing, missing


@check
def equalize_then_plant_makes_new_actions_and_leaves_the_original():
    owner = walker()
    before, original = curves(owner), owner.animation_data.action
    assert bpy.ops.kinetune.equalize() == {"FINISHED"}
    assert bpy.ops.kinetune.plant_feet() == {"FINISHED"}
    assert owner.animation_data.action != original
    assert largest_difference(before, curves(owner, original)) == 0.0
    assert largest_difference(before, curves(owner)) > 0.05


@check
def undo_and_redo_are_exact():
    walker()
    bpy.ops.ed.undo_push(message="imported")
    before = curves(bpy.context.object)
    bpy.ops.kinetune.smooth()
    after = curves(bpy.context.object)
    bpy.ops.ed.undo_push(message="smooth")
    bpy.ops.ed.undo()
    assert largest_difference(before, curves(bpy.context.object)) == 0.0
    assert len(bpy.data.actions) == 1
    bpy.ops.ed.redo()
    assert largest_difference(after, curves(bpy.context.object)) == 0.0


@check
def a_round_trip_without_an_edit_leaves_every_curve():
    owner = walker()
    before = curves(owner)
    reading = read(owner)
    extension("actions").write_action(owner, reading, reading.motion, "same")
    assert largest_difference(before, curves(owner)) <= 1e-6


def main():
    global FOLDER
    import addon_utils  # known once bpy is loaded

    package, outcome, *names = sys.argv[1:]
    FOLDER = Path(outcome).parent
    for module in ("io_anim_bvh", "io_scene_gltf2", "io_scene_fbx"):
        addon_utils.enable(module, default_set=True)
    bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True)
    results = {}
    for name, function in CHECKS.items():
        if names and name not in names:
            continue
        clear()
        begun = time.perf_counter()
        try:
            function()
            results[name] = ""
        except BaseException:
            results[name] = traceback.format_exc()
        print(f"{time.perf_counter() - begun:6.2f} s  {name}  {'failed' if results[name] else 'ok'}", file=sys.stderr)
    Path(outcome).write_text(json.dumps(results))


if __name__ == "__main__":
    main()
