"""Small glTF scenes made by hand, and a second way to compute where their nodes are: 4 x 4 matrices, node by node."""

import base64
import json
import struct

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from kinetune.formats import gltf
from kinetune.formats.format import ReadOptions

TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Scene:
    """A glTF document under construction."""

    def __init__(self, nodes, joints=None):
        self.content = {"asset": {"version": "2.0"}, "nodes": nodes, "accessors": [], "bufferViews": []}
        self.data = b""
        if joints is not None:
            self.content["skins"] = [{"joints": joints}]

    def view(self, array):
        data = np.ascontiguousarray(array).tobytes()
        self.content["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data + bytes(-len(data) % 4)
        return len(self.content["bufferViews"]) - 1

    def accessor(self, values, kind="f4", normalized=False, **more):
        array = np.asarray(values)
        width = 1 if array.ndim == 1 else array.shape[1]
        accessor = {"componentType": COMPONENTS[kind], "type": TYPES[width], "count": len(array), **more}
        if normalized:
            accessor["normalized"] = True
        if "sparse" not in more:
            accessor["bufferView"] = self.view(array.astype("<" + kind))
        self.content["accessors"].append(accessor)
        return len(self.content["accessors"]) - 1

    def animate(self, channels, name=None, interpolation="LINEAR"):
        """``channels``: (node, path, times, values or accessor)."""
        animation = {"samplers": [], "channels": []}
        if name:
            animation["name"] = name
        for node, path, times, values in channels:
            output = values if isinstance(values, int) else self.accessor(values)
            animation["samplers"].append(
                {"input": self.accessor(times), "output": output, "interpolation": interpolation}
            )
            animation["channels"].append(
                {"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}}
            )
        self.content.setdefault("animations", []).append(animation)
        return self

    def save(self, path, outside=None):
        buffer = {"byteLength": len(self.data)}
        if path.suffix == ".glb":
            text = json.dumps({**self.content, "buffers": [buffer]}).encode()
            text += b" " * (-len(text) % 4)
            chunks = struct.pack("<I4s", len(text), b"JSON") + text
            chunks += struct.pack("<I4s", len(self.data), b"BIN\0") + self.data
            path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
            return path
        if outside:
            (path.parent / outside).write_bytes(self.data)
            buffer["uri"] = outside.replace(" ", "%20")
        else:
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        path.write_text(json.dumps({**self.content, "buffers": [buffer]}))
        return path


def node_matrix(node, **animated):
    if "matrix" in node and not animated:
        return np.array(node["matrix"], float).reshape(4, 4).T
    m = np.eye(4)
    turned = Rotation.from_quat(animated.get("rotation", node.get("rotation", [0, 0, 0, 1]))).as_matrix()
    m[:3, :3] = turned * np.asarray(animated.get("scale", node.get("scale", [1, 1, 1])))
    m[:3, 3] = animated.get("translation", node.get("translation", [0, 0, 0]))
    return m


def sampled(path, interpolation, times, values, at):
    """A channel's value at a time, by scipy's slerp and plain formulas."""
    at = min(max(at, times[0]), times[-1])
    if len(times) == 1:
        return values[0]
    if interpolation == "STEP":
        return values[int(np.searchsorted(times, at + 1e-9, side="right")) - 1]
    if interpolation == "CUBICSPLINE":
        into, value, out = values[0::3], values[1::3], values[2::3]
        k = min(int(np.searchsorted(times, at, side="right")) - 1, len(times) - 2)
        d = times[k + 1] - times[k]
        t = (at - times[k]) / d
        h = np.array([2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t, -2 * t**3 + 3 * t**2, t**3 - t**2])
        mixed = h[0] * value[k] + d * h[1] * out[k] + h[2] * value[k + 1] + d * h[3] * into[k + 1]
        return mixed / np.linalg.norm(mixed) if path == "rotation" else mixed
    if path == "rotation":
        return Slerp(times, Rotation.from_quat(values))([at])[0].as_quat()
    return np.array([np.interp(at, times, values[:, i]) for i in range(values.shape[1])])


def world_positions(nodes, channels, at):
    """{node: (times, 3)}; channels are (node, path, interpolation, times, values)."""
    return {node: matrices[:, :3, 3] for node, matrices in world_matrices(nodes, channels, at).items()}


def world_matrices(nodes, channels, at):
    """{node: (times, 4, 4)}."""
    parents = {child: parent for parent, node in enumerate(nodes) for child in node.get("children", ())}
    result = {n: [] for n in range(len(nodes))}
    for time in at:
        moved = {}
        for node, path, interpolation, times, values in channels:
            moved.setdefault(node, {})[path] = sampled(path, interpolation, times, values, time)
        local = [node_matrix(node, **moved.get(n, {})) for n, node in enumerate(nodes)]
        for n in range(len(nodes)):
            m, up = local[n], n
            while up in parents:
                up = parents[up]
                m = local[up] @ m
            result[n].append(m)
    return {n: np.array(p) for n, p in result.items()}


HALF = 0.5**0.5


def read(path, **options):
    return gltf.read(path, ReadOptions(**options))


def write(clip, path):
    for target, data in gltf.write(clip, path).items():
        target.write_bytes(data)
    return path


def nodes():
    """An armature that turns and scales, a helper between two joints, an end node, a mesh."""
    return [
        {"name": "Armature", "children": [1, 5], "rotation": [-HALF, 0, 0, HALF], "scale": [0.5, 0.5, 0.5]},
        {"name": "Hips", "children": [2], "translation": [0.1, 2.0, 1.8]},
        {"name": "helper", "children": [3], "translation": [0, 0.2, 0], "rotation": [0, 0, HALF, HALF]},
        {"name": "Chest", "children": [4], "translation": [0.6, 0, 0.05], "rotation": [0.1, 0.2, 0.3, 0.927]},
        {"name": "tip", "translation": [0.4, 0, 0]},
        {"name": "body", "mesh": 0},
    ]


def turns(seed, count):
    q = np.random.default_rng(seed).standard_normal((count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


TIMES = np.array([0.0, 0.5, 0.75, 1.25])


def channels():
    rng = np.random.default_rng(3)
    return [
        (1, "translation", TIMES, rng.uniform(-1, 1, (4, 3))),
        (1, "rotation", TIMES, turns(1, 4)),
        (3, "rotation", TIMES, turns(2, 4)),
        (0, "rotation", TIMES[:2], turns(3, 2)),
    ]
