"""The picture of docs/blender.md, rendered by Blender with the extension: a walk before and after an edit.

Run by docs/build.py; without a Python that has bpy (KINETUNE_BPY, or ``make blender-env``) the committed one stays.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GREY, ORANGE = (0.32, 0.36, 0.42, 1.0), (0.95, 0.38, 0.06, 1.0)
SHOWN = (10, 34, 58, 82, 106)


def main() -> None:
    """Edit a walk and render it."""
    import addon_utils
    import bpy

    import kinetune as kt
    from kinetune.blender.extension_files import pack

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        addon_utils.enable("io_scene_gltf2", default_set=True)
        package = str(pack(folder / "kinetune.zip", [], folder / "files"))
        bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True)
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.context.scene.render.fps = 30
        kt.write(kt.sample("walk")[:240:2], folder / "walk.glb")
        bpy.ops.import_scene.gltf(filepath=str(folder / "walk.glb"))
    owner = next(each for each in bpy.data.objects if each.type == "ARMATURE")
    body = next(each for each in bpy.data.objects if each.type == "MESH" and each.parent == owner)
    bpy.context.view_layer.objects.active = owner
    poses(bpy, body, GREY, 0.0)
    bpy.ops.kinetune.equalize(preset="exaggerate")
    bpy.ops.kinetune.plant_feet()
    poses(bpy, body, ORANGE, 1.9)
    for each in (owner, *[o for o in bpy.data.objects if o.type == "MESH" and not o.name.startswith("pose")]):
        each.hide_render = True
    stage(bpy)
    camera(bpy, (7.2, -2.05, 2.3), (0.0, -2.05, 0.95), 6.6, (1000, 460))
    render(bpy, "blender_walk.webp", 24)


def poses(bpy: Any, body: Any, colour: tuple[float, ...], aside: float) -> None:
    """Copies of the figure at some frames."""
    for frame in SHOWN:
        bpy.context.scene.frame_set(frame)
        seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = bpy.data.meshes.new_from_object(seen)
        mesh.materials.clear()
        mesh.materials.append(material(bpy, colour))
        copy = bpy.data.objects.new(f"pose {frame} {aside}", mesh)
        copy.matrix_world = seen.matrix_world
        copy.location.x -= aside
        bpy.context.collection.objects.link(copy)


def material(bpy: Any, colour: tuple[float, ...]) -> Any:
    """A plain material."""
    made = bpy.data.materials.new("plain")
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = colour
    shader.inputs["Roughness"].default_value = 0.7
    return made


def stage(bpy: Any) -> None:
    """A floor, daylight, a sun."""
    bpy.ops.mesh.primitive_plane_add(size=200)
    bpy.context.object.data.materials.append(material(bpy, (0.85, 0.84, 0.82, 1.0)))
    bpy.ops.object.light_add(type="SUN", rotation=(0.5, 0.35, 0.9))
    bpy.context.object.data.energy, bpy.context.object.data.angle = 2.5, 0.3
    world = bpy.context.scene.world or bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.96, 0.96, 0.97, 1.0)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.8


def camera(bpy: Any, place: Any, towards: Any, width: float, size: tuple[int, int]) -> None:
    """An orthographic camera."""
    from mathutils import Vector

    data = bpy.data.cameras.new("camera")
    data.type, data.ortho_scale = "ORTHO", width
    made = bpy.data.objects.new("camera", data)
    made.location = place
    made.rotation_euler = (Vector(towards) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(made)
    scene = bpy.context.scene
    scene.camera = made
    scene.render.resolution_x, scene.render.resolution_y = size


def render(bpy: Any, name: str, samples: int) -> None:
    """Write the picture, by Cycles on the CPU."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", samples, True
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.file_format = "WEBP"
    scene.render.image_settings.quality = 80
    scene.render.filepath = str(HERE / name)
    bpy.ops.render.render(write_still=True)
    print(HERE / name)


def start() -> None:
    """Run in Blender's Python, wherever this was started."""
    try:
        import bpy  # noqa: F401
    except ImportError:
        asked = os.environ.get("KINETUNE_BPY", str(ROOT / ".venv-bpy" / "bin" / "python"))
        if not Path(asked).is_file():
            print("no Blender here (make blender-env): its picture stays as it is")
            return
        user = tempfile.mkdtemp()
        settings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "BLENDER_USER_RESOURCES": user}
        subprocess.run([asked, __file__], check=True, env=settings)
        return
    main()


if __name__ == "__main__":
    sys.exit(start())
