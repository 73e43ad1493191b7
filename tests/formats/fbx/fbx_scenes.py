"""Small FBX scenes made by hand, and a second way to compute where their nodes are: eleven 4 x 4 matrices a node."""

import numpy as np
from scipy.spatial.transform import Rotation

from kinetune.formats.fbx.curve_records import MotionRecords, curve_record, property_record
from kinetune.formats.fbx.encoding.binary_writer import BinaryWriter
from kinetune.formats.fbx.encoding.records import FbxFile, Record
from kinetune.formats.fbx.encoding.text_writer import TextWriter
from kinetune.formats.fbx.scene_objects import TICKS

ORDERS = ("xyz", "xzy", "yzx", "yxz", "zxy", "zyx")  # lower case: extrinsic, first axis first
ROTATION, TRANSLATION, SCALING = "Lcl Rotation", "Lcl Translation", "Lcl Scaling"


class FbxSceneMaker:
    """An FBX document under construction."""

    def __init__(self, **settings):
        self.work = MotionRecords()
        self.settings = {"UpAxis": 1, "FrontAxis": 2, "CoordAxis": 0, "UnitScaleFactor": 1.0, "TimeMode": 6} | settings
        self.nodes = {}
        self.takes = []

    def add(self, kind, name, subtype, children=(), label=None):
        return self.work.add(kind, name, subtype, list(children), label)

    def node(self, name, parent=None, subtype="LimbNode", **properties):
        """A node; properties are written without spaces: LclRotation=(0, 0, 90)."""
        listed = []
        for key, value in properties.items():
            key = key.replace("Lcl", "Lcl ")
            values = value if isinstance(value, tuple) else (value,)
            listed.append(property_record(key, "x", "", "", *(v if isinstance(v, int) else float(v) for v in values)))
        number = self.add("Model", name, subtype, [Record("Version", (232,)), Record("Properties70", (), listed)])
        self.work.connect(number, np.int64(0) if parent is None else self.nodes[parent][0])
        self.nodes[name] = (number, parent, properties)
        return number

    def take(self, name, stop, start=0.0):
        layer = self.work.add_take(name, round(start * TICKS), round(stop * TICKS))
        self.takes.append((name, self.work.objects[-2].values[0], layer))
        return layer

    def layer(self, **properties):
        """Another layer on the last take."""
        layer = self.work.add_layer(self.takes[-1][1])
        listed = [property_record(name, "x", "", "", value) for name, value in properties.items()]
        self.work.objects[-1] = Record(
            "AnimationLayer", self.work.objects[-1].values, [Record("Properties70", (), listed)]
        )
        return layer

    def curve(self, layer, node, name, times, values, flags=0x4, data=(0.0, 0.0, 0.0, 0.0)):
        """Keys on the three axes of a property; values (keys, 3), and flags and data of all keys or of each."""
        target = self.nodes[node][0] if isinstance(node, str) else node
        ticks = np.round(np.asarray(times) * TICKS).astype("i8")
        values = np.asarray(values, float)
        runs = np.atleast_1d(np.array(flags, "i4"))
        counts = np.full(len(runs), len(ticks) // len(runs), "i4")
        slots = np.array(data, "f4").reshape(-1)
        curves = {a: curve_record(ticks, values[:, n], runs, slots, counts) for n, a in enumerate("XYZ")}
        self.work.add_track(layer, target, name, curves, values[0])

    def skin(self, bones, transforms=None, links=None):
        """A triangle that hangs on bones, with a material, a shape key, and a texture in the file.

        ``transforms``: from the mesh to each bone where it was bound; ``links``: where the bones were then.
        """
        mesh = self.node("body", subtype="Mesh")
        corners = [Record("Vertices", (np.arange(9.0),)), Record("PolygonVertexIndex", (np.array([0, 1, -3], "i4"),))]
        shape = self.add("Geometry", "body", "Mesh", corners)
        self.work.connect(shape, mesh)
        self.work.connect(self.add("Material", "skïn", "", [Record("ShadingModel", ("phong",))]), mesh)
        video = [Record("Content", (bytes(range(256)) * 8,))]
        self.add("Video", "picture", "Clip", video)
        skin = self.add("Deformer", "skin", "Skin", label="Deformer")
        self.work.connect(skin, shape)
        for bone in bones:
            weights = [Record("Indexes", (np.arange(3, dtype="i4"),)), Record("Weights", (np.full(3, 0.5),))]
            if transforms is not None:
                weights.append(Record("Transform", (transforms[bone].T.reshape(-1).copy(),)))
            if links is not None:
                weights.append(Record("TransformLink", (links[bone].T.reshape(-1).copy(),)))
            cluster = self.add("Deformer", bone, "Cluster", weights, "SubDeformer")
            self.work.connect(cluster, skin)
            self.work.connect(self.nodes[bone][0], cluster)
        return mesh

    def records(self):
        listed = [property_record(name, "x", "", "", value) for name, value in self.settings.items()]
        counts = {}
        for record in self.work.objects:
            counts[record.name] = counts.get(record.name, 0) + 1
        kinds = [Record("ObjectType", (name,), [Record("Count", (count,))]) for name, count in counts.items()]
        return [
            Record("FBXHeaderExtension", (), [Record("FBXHeaderVersion", (1003,)), Record("FBXVersion", (7400,))]),
            Record("GlobalSettings", (), [Record("Version", (1000,)), Record("Properties70", (), listed)]),
            Record("Definitions", (), [Record("Count", (len(self.work.objects),)), *kinds]),
            Record("Objects", (), self.work.objects),
            Record("Connections", (), self.work.connections),
        ]

    def save(self, path, version=7400, order="<", text=False):
        if text:
            top = FbxFile(path, b"; FBX 7.4.0 project file\n")
            path.write_bytes(TextWriter(7400).file(self.records(), top))
        else:
            path.write_bytes(BinaryWriter(version, order).file(self.records()))
        return path


def node_matrix(properties, **moved):
    """T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1."""
    value = lambda name, default=0.0: moved.get(name, properties.get(name, (default,) * 3))  # noqa: E731
    shift = lambda vector: np.block([[np.eye(3), np.reshape(vector, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])  # noqa: E731

    def turn(degrees, order="xyz"):
        matrix = np.eye(4)
        angles = [degrees["xyz".index(axis)] for axis in order]
        matrix[:3, :3] = Rotation.from_euler(order, angles, degrees=True).as_matrix()
        return matrix

    active = properties.get("RotationActive", 1)
    order = ORDERS[properties.get("RotationOrder", 0)] if active else "xyz"
    pre, post = (turn(value(name) if active else (0, 0, 0)) for name in ("PreRotation", "PostRotation"))
    pivot, scale_pivot = shift(value("RotationPivot")), shift(value("ScalingPivot"))
    parts = [
        shift(value("LclTranslation")),
        shift(value("RotationOffset")),
        pivot,
        pre,
        turn(value("LclRotation"), order),
        np.linalg.inv(post),
        np.linalg.inv(pivot),
        shift(value("ScalingOffset")),
        scale_pivot,
        np.diag([*value("LclScaling", 1.0), 1.0]),
        np.linalg.inv(scale_pivot),
    ]
    return np.linalg.multi_dot(parts)


def world_positions(maker, moved=None):
    """{node: (3,)} in the units of the file, parents multiplied in full."""
    return {name: matrix[:3, 3] for name, matrix in world_matrices(maker, moved).items()}


def world_matrices(maker, moved=None):
    """{node: (4, 4)}."""
    moved = moved or {}
    matrices = {}
    for name, (_, parent, properties) in maker.nodes.items():
        local = node_matrix(properties, **moved.get(name, {}))
        matrices[name] = local if parent is None else matrices[parent] @ local
    return matrices


def hero(seed=0, frames=25):
    """An armature, bones with everything that bones can have, a skin, scales, shape keys, two takes, two layers."""
    rng = np.random.default_rng(seed)
    vector = lambda size: tuple(rng.uniform(-size, size, 3).tolist())  # noqa: E731
    maker = FbxSceneMaker()
    maker.node("Armature", subtype="Null", LclScaling=(100.0,) * 3, LclRotation=(-90.0, 0.0, 0.0), InheritType=1)
    parent = "Armature"
    for number, order in enumerate(range(6)):
        name = f"rig:bone{number}"
        maker.node(
            name,
            parent,
            RotationActive=1,
            RotationOrder=order,
            InheritType=1,
            LclTranslation=vector(0.3),
            LclRotation=vector(80),
            PreRotation=vector(90),
            PostRotation=vector(40),
            RotationPivot=vector(0.1),
            RotationOffset=vector(0.1),
            ScalingPivot=vector(0.1),
            ScalingOffset=vector(0.1),
        )
        parent = name
    mesh = maker.skin(["rig:bone0", "rig:bone1"])
    times = np.arange(frames) / 30.0
    maker.take("empty", 1.0)
    layer = maker.take("walk", times[-1])
    for number in range(6):
        maker.curve(layer, f"rig:bone{number}", ROTATION, times, np.cumsum(rng.uniform(-4, 4, (frames, 3)), axis=0))
    maker.curve(layer, "rig:bone0", TRANSLATION, times, rng.uniform(-0.2, 0.2, (frames, 3)))
    maker.curve(layer, "rig:bone2", SCALING, times, np.linspace(1, 1.4, frames)[:, None] * np.ones(3))
    maker.curve(layer, mesh, TRANSLATION, times[:2], [[0, 0, 0], [5, 0, 0]])
    top = maker.layer(BlendMode=0)
    maker.curve(top, "rig:bone1", ROTATION, times, rng.uniform(-5, 5, (frames, 3)))
    return maker
