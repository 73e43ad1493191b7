"""Files that are not read, and the nearest way to one that is."""

from __future__ import annotations

from pathlib import Path

_TABLES = "a .csv with one row a frame and three columns a joint, or an .npy array (frames, joints, 3)"
_BRIDGES = {
    (".blend",): ("a Blender file", "Export it from Blender as glTF (.glb) or BVH."),
    (".ma", ".mb", ".max", ".ztl", ".c4d", ".hip", ".lxo"): (
        "the native scene of another program",
        "Export it as FBX or glTF.",
    ),
    (".dae", ".x", ".3ds", ".abc"): ("another scene format", "Convert it to glTF (.glb) with Blender."),
    (".obj", ".stl", ".ply"): ("a mesh without motion", "Give it a skeleton in Blender and export glTF (.glb)."),
    (".usdz",): ("a packed USD scene", "Unpack it, since it is a zip archive, and read the .usdc or .usda inside."),
    (".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz"): (
        "an archive",
        "Unpack it and read the files inside; a folder can be given to doctor, batch and index.",
    ),
    (".bip", ".xaf"): ("a 3ds Max motion", "Load it in 3ds Max and export FBX or BVH."),
    (".htr", ".htr2", ".gtr"): ("a Motion Analysis recording", "Convert it to FBX or BVH with MotionBuilder."),
    (".pose", ".vpd"): ("the native pose of another program", "Apply it in that program and export FBX or BVH."),
    (".uasset", ".anim", ".prefab"): ("an asset of a game engine", "Export it from the engine as FBX."),
    (".mvnx", ".mvn"): ("an Xsens recording", "Export it from MVN as BVH or FBX."),
    (".tak", ".vsk", ".vst", ".x2d", ".xcp"): (
        "the native recording of a capture system",
        "Export it from that system as C3D, BVH or FBX.",
    ),
    (".xacro",): ("a robot template", "Convert it with: xacro robot.xacro > robot.urdf"),
    (".mjb",): ("a compiled MuJoCo model", "Save it as MJCF (.xml) with mujoco.mj_saveLastXML."),
    (".sdf", ".world"): ("a Gazebo model", "Convert it to URDF or MJCF."),
    (".trc",): (
        "a table of markers",
        "Export it as C3D, or save it as .csv with columns such as LASI.x, LASI.y, LASI.z.",
    ),
    (".mot", ".sto", ".osim"): (
        "an OpenSim file",
        "Export its joint centres from OpenSim as a table and save them as .csv with columns such as knee_r.x.",
    ),
    (".json",): (
        "a text file whose layout differs from program to program",
        f"Save its joints as {_TABLES}.",
    ),
    (".vmd", ".pmx"): ("a MikuMikuDance file", "Convert it to BVH, or to VRMA for a VRM avatar."),
    (".h5", ".hdf5", ".mat", ".parquet", ".feather", ".xlsx"): ("a table of numbers", f"Save it as {_TABLES}."),
    (".tsv", ".dat"): ("a table of numbers", f"Save it as {_TABLES}."),
    (".mp4", ".mov", ".avi", ".webm", ".gif"): ("a film", "Track it with a pose estimator and read its joints (.npy)."),
}
_PICKLES = (".pkl", ".pickle", ".p", ".joblib")
_TORCH = (".pt", ".pth", ".ckpt")
_PICKLED = "holds pickled Python objects, which are never loaded: they could run code."


def bridge(path: Path) -> tuple[str, str] | None:
    """(what a file is, what to do) for a suffix that is known but not read; None for any other."""
    suffix = path.suffix.lower()
    for known, (what, advice) in _BRIDGES.items():
        if suffix in known:
            return f"this is {what}, which is not read.", advice
    if suffix in (*_PICKLES, *_TORCH):
        return f"the file {_PICKLED}", conversion(path)
    return None


def conversion(path: Path) -> str:
    """The three statements of Python that turn a pickle which the user trusts into an ``.npz``."""
    suffix, name = path.suffix.lower(), repr(path.name)
    if suffix in _TORCH:
        load = f"import numpy as np, torch; data = torch.load({name}, map_location='cpu')"
    elif suffix == ".joblib":
        load = f"import joblib, numpy as np; data = joblib.load({name})"
    elif suffix in (".npy", ".npz"):
        item = ".item()" if suffix == ".npy" else ""
        load = f"import numpy as np; data = np.load({name}, allow_pickle=True){item}"
    else:
        load = f"import numpy as np, pickle; data = pickle.load(open({name}, 'rb'))"
    save = f"np.savez({path.stem + '_plain.npz'!r}, **{{key: np.asarray(value) for key, value in data.items()}})"
    return f"If you trust it, convert it once in Python: {load}; {save}"
