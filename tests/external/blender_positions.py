"""Run by Blender's Python: import glTF and FBX files and print where Blender puts every bone, in our axes, as JSON.

Usage: python blender_positions.py FPS FILE...
The output has, for each file, {"names": [...], "positions": [frame][bone][x, y, z], "triangles": how many are drawn}.
"""

import json
import sys

import bpy


def positions(path, fps):
    """What Blender makes of one file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = round(fps)
    scene.render.fps_base = round(fps) / fps
    if path.endswith(".fbx"):
        bpy.ops.wm.fbx_import(filepath=path)
    else:
        bpy.ops.import_scene.gltf(filepath=path)
    armature = next(thing for thing in scene.objects if thing.type == "ARMATURE")
    meshes = [thing for thing in scene.objects if thing.type == "MESH" and thing.find_armature() is armature]
    start, end = (round(edge) for edge in armature.animation_data.action.frame_range)
    frames = []
    for frame in range(start, end + 1):
        scene.frame_set(frame)
        placed = (armature.matrix_world @ bone.matrix.translation for bone in armature.pose.bones)
        frames.append([[p.x, p.z, -p.y] for p in placed])
    names = [bone.name for bone in armature.pose.bones]
    drawn = sum(len(mesh.data.polygons) for mesh in meshes)
    return {"names": names, "positions": frames, "triangles": drawn}


if __name__ == "__main__":
    rate = float(sys.argv[1])
    print("RESULT" + json.dumps([positions(path, rate) for path in sys.argv[2:]]))
