"""What is fuzzed: each reader, valid files of our own to start from, and how they are mutated.

To add a reader, add a :class:`Reader` to :data:`READERS`; a motion format with a writer is fuzzed without that, by
bytes, from the moment it is registered.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kinetune as kt
from kinetune.batch._manifest import FOLDER, Manifest
from kinetune.batch.work import BatchOutcome
from kinetune.doctor.limits import CheckLimits
from kinetune.errors import FileError
from kinetune.formats import FORMATS, MODULES
from kinetune.formats.characters.character import character_mesh
from kinetune.formats.npz._smpl_skeleton import generic_skeleton
from kinetune.formats.npz.npz_arrays import pack_arrays
from kinetune.inverse.walk.footsteps import read_footsteps
from kinetune.library.index_file import index_folder
from kinetune.retarget.bone_map import find_bone_map, read_bone_map, write_bone_map
from kinetune.signals.shaping.curve_files import list_curves, load_curve
from kinetune.studio.documents._folder_index import FolderIndex
from kinetune.studio.documents._history import Entry, History
from kinetune.studio.documents.autosave import DataFolder
from kinetune.studio.documents.drawing_state import DrawingState, KeyDrawing
from kinetune.studio.documents.open_documents import Document, Library
from kinetune.studio.documents.origins import Origin
from kinetune.studio.documents.stack import Stack
from tests.contours.reading.lottie_files import everything, moving_square
from tests.formats.c3d.c3d_bytes import c3d_bytes
from tests.formats.characters.test_skinned_mesh import gltf_hero
from tests.formats.fbx.fbx_scenes import hero
from tests.formats.learned.test_learned import CHARACTER, FRAMES, kimodo_arrays
from tests.fuzz.mutations import Mutation, mutate_bytes, mutate_glb, mutate_json, mutate_npz, mutate_text

_OWN = Path(__file__).parent / "seeds"
Files = Mapping[str, bytes]
"""The files of a case by name; the first is the one that is read, the others lie beside it."""


@dataclass(frozen=True)
class Reader:
    """One reader to be fuzzed.

    Parameters
    ----------
    read : callable
        Takes the path of the first file. It may raise a ``KinetuneError`` and nothing else.
    seeds : callable
        Valid files; they are ours, or made here by hand.
    mutations : tuple of callable
        One of them is chosen for each case.
    """

    read: Callable[[Path], Any]
    seeds: Callable[[], list[Files]]
    mutations: tuple[Mutation, ...] = (mutate_bytes,)

    def case(self, name: str, number: int) -> Files:
        """The files of a case: the same for the same number."""
        rng = Random(f"{name} {number}")
        files = dict(rng.choice(_seeds(self)))
        chosen = rng.choice(list(files))
        files[chosen] = rng.choice(self.mutations)(files[chosen], rng)
        return files


@cache
def _seeds(reader: Reader) -> list[Files]:
    return reader.seeds()


def use(result: Any) -> None:
    """What anybody does with a clip that was read: look at it, smooth it, measure it, write it."""
    if isinstance(result, kt.Clip):
        result.positions()
        if len(result) * len(result.skeleton) < 3000:
            kt.find_contacts(result)
            kt.measure(kt.Smooth(cutoff_hz=6.0)(result))


def _clip() -> kt.Clip:
    return kt.sample("walk")[100:103]


def _headless_clip() -> kt.Clip:
    """The same without a head, so that scenes show a stick figure: half as large as a body, and as easy to damage."""
    clip = _clip()
    body = clip.skeleton
    return clip.replace(
        skeleton=kt.Skeleton(body.names, body.parents, body.offsets, body.end_sites, body.rest, (("hips", 0),))
    )


def _written(*suffixes: str, clip: Callable[[], kt.Clip] = _clip) -> Callable[[], list[Files]]:
    """A small sample of ours in a format."""

    def seeds() -> list[Files]:
        found = []
        for suffix in suffixes:
            path = Path(f"case{suffix}")
            writer = next(FORMATS[n].write for n in _formats_of(suffix) if FORMATS[n].write is not None)
            assert writer is not None
            found.append({file.name: bytes(content) for file, content in writer(clip(), path).items()})
        return found

    return seeds


def _formats_of(suffix: str) -> list[str]:
    return sorted((n for n, (_, known) in MODULES.items() if suffix in known), key=lambda n: MODULES[n][1][0] != suffix)


def _files(*names: str, more: Callable[[], list[Files]] = list) -> Callable[[], list[Files]]:
    """Small files that were made by hand."""
    return lambda: [*({f"case{Path(name).suffix}": (_OWN / name).read_bytes()} for name in names), *more()]


def _smpl_clip() -> kt.Clip:
    skeleton = generic_skeleton("SMPL")
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (3, len(skeleton), 1))
    return kt.Clip(skeleton, 30.0, np.zeros((3, 3)), rotations)


def _lottie_files() -> list[Files]:
    return [{"case.json": json.dumps(film).encode()} for film in (moving_square(), everything())]


def _picture_files() -> list[Files]:
    """A ring in red on white, and one on nothing."""
    from PIL import Image

    x, y = np.meshgrid(np.arange(24) - 11.5, np.arange(24) - 11.5)
    ring = np.abs(np.hypot(x, y) - 7) < 3
    files = []
    for suffix, mode in (("png", "RGBA"), ("png", "RGB"), ("jpg", "RGB")):
        paper = np.full((24, 24, 4), (255, 255, 255, 0 if mode == "RGBA" else 255), dtype=np.uint8)
        paper[ring] = (200, 30, 30, 255)
        data = io.BytesIO()
        Image.fromarray(paper).convert(mode).save(data, format={"png": "PNG", "jpg": "JPEG"}[suffix])
        files.append({f"case.{suffix}": data.getvalue()})
    return files


def _fbx_files() -> list[Files]:
    """A character with all that bones can have, in each spelling, and a file that we write."""
    spellings: list[dict[str, Any]] = [{}, {"version": 7700}, {"order": ">"}, {"text": True}]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.fbx"
        made = [{"case.fbx": hero(frames=4).save(path, **spelling).read_bytes()} for spelling in spellings]
    return [*made, *_written(".fbx")()]


def _skinned_files() -> list[Files]:
    """Characters whose skins are read too."""
    with TemporaryDirectory() as folder:
        glb = gltf_hero(Path(folder) / "case.glb")[0].read_bytes()
        fbx = hero(frames=2).save(Path(folder) / "case.fbx").read_bytes()
    return [{"case.glb": glb}, {"case.fbx": fbx}]


def _read_skin(path: Path) -> Any:
    return character_mesh(kt.read(path))


def _body_files() -> list[Files]:
    """A motion and the body model that it is read with."""
    (motion,) = _written(".amass.npz", clip=_smpl_clip)()
    joints = np.cumsum(generic_skeleton("SMPL").offsets, axis=0)
    template, regressor = np.concatenate([joints, joints]), np.eye(24, 48)
    shaped = {"J_regressor": regressor, "v_template": template, "shapedirs": template[..., None]}
    body = pack_arrays(Path("body.npz"), shaped)
    plain = pack_arrays(Path("body.npz"), {"J": joints})
    return [{"case.amass.npz": motion["case.amass.npz"], "body.npz": content} for content in (body, plain)]


def _read_with_body(path: Path) -> kt.Clip:
    return kt.read(path, skeleton=path.with_name("body.npz"))


def _qpos_files() -> list[Files]:
    rows, robot = (_OWN / "rows.qpos.csv").read_bytes(), (_OWN / "small.xml").read_bytes()
    return [{"case.qpos.csv": rows, "robot.xml": robot}]


def _read_qpos(path: Path) -> kt.Clip:
    return kt.read(path, skeleton=path.with_name("robot.xml"), fps=30)


def _position_files() -> list[Files]:
    positions, plain = _clip().positions(), io.BytesIO()
    np.save(plain, positions.astype("f4"))
    return [
        {"case.npy": plain.getvalue()},
        {"case.npz": pack_arrays(Path("case.npz"), {"positions": positions, "fps": np.array(60)})},
    ]


def _c3d_files() -> list[Files]:
    labels, points = list("ABCDE"), np.random.default_rng(0).normal(0, 500, (7, 5, 3))
    return [{"case.c3d": c3d_bytes(labels, points, processor=processor)} for processor in ("intel", "dec", "sgi")]


def _kimodo_files() -> list[Files]:
    return [{"case.npz": pack_arrays(Path("case.npz"), kimodo_arrays(3)[1])}]


def _deepmimic_files() -> list[Files]:
    motion = json.dumps({"Loop": "wrap", "Frames": FRAMES}).encode()
    return [{"case.txt": motion, "character.txt": json.dumps(CHARACTER).encode()}]


def _read_positions(path: Path) -> kt.Clip:
    return kt.read(path, joints=",".join(_clip().skeleton.names))


def _read_curves(path: Path) -> None:
    for name in list_curves(path):
        load_curve(path, name)


def _manifest_files() -> list[Files]:
    """The record of a batch with three clips."""
    with TemporaryDirectory() as folder:
        with Manifest(Path(folder)) as manifest:
            for name in "abc":
                manifest.note(BatchOutcome(name, name, f"{name}.bvh", "done", key="k", sha="s"), f"{name}.bvh")
        path = Path(folder) / FOLDER / "manifest.sqlite"
        with closing(sqlite3.connect(path)) as record:
            record.execute("update clips set run = 1")  # it is the time otherwise, and cases are the same each time
            record.commit()
        return [{"case.sqlite": path.read_bytes()}]


def _read_manifest(path: Path) -> None:
    """What a batch that goes on asks of its record."""
    with TemporaryDirectory() as folder:
        (Path(folder) / FOLDER).mkdir()
        (Path(folder) / FOLDER / "manifest.sqlite").write_bytes(path.read_bytes())
        with Manifest(Path(folder), resume=True) as manifest:
            for name in "abc":
                manifest.known(f"{folder}/{name}.bvh")
            manifest.note(BatchOutcome("d", "d", f"{folder}/d.bvh", "done"))
            assert len(list(manifest.outcomes())) == 1


def _document_files() -> list[Files]:
    """Documents of the studio: a motion with a step, and a film of two drawings."""
    motion, _ = Stack(Origin("sample:wave")).add(kt.Mirror())
    film = DrawingState((KeyDrawing(Origin("drawing:dog-1")), KeyDrawing(Origin("drawing:dog-2"))))
    made = Document("case", "motion", "a", History([Entry("Open", motion, 0.0)])).as_plain()
    drawn = Document("case", "drawing", "b", History([Entry("Open", film, 0.0)])).as_plain()
    return [{"case.json": json.dumps(plain | {"changed": 0.0}).encode()} for plain in (made, drawn)]


def _read_document(path: Path) -> None:
    """A studio that starts: it always does, and names what it had to set aside."""
    with TemporaryDirectory() as folder:
        data = DataFolder(Path(folder))
        (Path(folder) / "documents" / "case.json").write_bytes(path.read_bytes())
        library = Library(data)
        library.close()
    for problem in data.problems:
        raise FileError(path, problem.replace(folder, ""))
    assert len(library) == 1


def _index_files() -> list[Files]:
    """The index of a folder with two clips."""
    with TemporaryDirectory() as folder:
        for name, first in (("a", 100), ("b", 200)):
            kt.write(kt.sample("walk")[first : first + 40], Path(folder) / f"{name}.bvh")
        kt.library.build_index(folder, jobs=1)
        home = Path(folder) / FOLDER
        with closing(sqlite3.connect(home / "index.sqlite")) as record:
            record.execute("update clips set stamp = '1'")  # cases are the same each time
            record.execute("update about set value = 'clips' where name = 'folder'")
            record.commit()
        names = ("index.sqlite", "index.sqlite.rows-0.f32", "index.sqlite.windows-0.f32")
        return [{name: (home / name).read_bytes() for name in names}]


def _read_index(path: Path) -> None:
    """What the list of files of the studio asks of a folder that comes with an index, and a search."""
    with TemporaryDirectory() as folder:
        (Path(folder) / FOLDER).mkdir()
        for file in path.parent.iterdir():
            (Path(folder) / FOLDER / file.name).write_bytes(file.read_bytes())
        index_folder(Path(folder) / FOLDER / "index.sqlite")
        index = kt.library.MotionIndex.open(folder)
        described = FolderIndex.open(Path(folder))
        described.search(Path(folder), "a")
        for clip in index.clips:
            described.about(Path(folder) / clip.name)
            index.seconds(clip, 1.0)
        if index.comparable:
            kt.library.find_like(index, kt.sample("walk")[100:130])
        kt.library.find_text(index, "walk over 1 m/s")


def _bone_map_files() -> list[Files]:
    pair = [kt.sample(name).skeleton for name in ("walk", "walk-child")]
    with TemporaryDirectory() as folder:
        return [{"case.yaml": write_bone_map(find_bone_map(*pair), Path(folder) / "case.yaml").read_bytes()}]


_ACCLAIM = mutate_text(*b":units :root :bonedata :hierarchy begin end dof axis length :DEGREES".split())
_BVH = mutate_text(
    *b"HIERARCHY ROOT JOINT OFFSET CHANNELS MOTION Frames: { } Xrotation".split(), b"End Site", b"Frame Time:"
)
_RECIPE = mutate_text(
    b"op: ", b"- ", b"steps:", b"!!python/object:x", b"&a", b"*a", b"inputs:", b"off: true", b"? ", b"---\n"
)
_SVG = mutate_text(
    b"<g>",
    b"</g>",
    b"<path d='M0 0L",
    b"<use href='#s'/>",
    b"transform='",
    b"A 1 1 0 0 1 2 2",
    b"<!ENTITY a 'b'>",
    b"utf-7",
)
_FBX = mutate_text(
    b"Model: 9,", b"KeyTime: *3 {", b"a: ", b'C: "OO",1,2', b'P: "Lcl Rotation"', b"{", b"}", b'"', comment=b";"
)
_ROBOT = mutate_text(
    b"<body>",
    b"</body>",
    b"<joint type='ball'/>",
    b"quat='0 0 0 0'",
    b"<include file='case.xml'/>",
    b"<link name='base'/>",
)
_USD = mutate_text(
    b"def Skeleton", b"timeSamples = {", b"[(1,0,0,0)]", b"subLayers = [@x.usda@]", b"references = @case.usda@"
)

READERS: dict[str, Reader] = {
    "bvh": Reader(kt.read, _files("small.bvh", more=_written(".bvh")), (_BVH,)),
    "acclaim": Reader(kt.read, _written(".amc"), (_ACCLAIM,)),
    "asf": Reader(kt.read, lambda: [{"case.asf": _written(".amc")()[0]["case.asf"]}], (_ACCLAIM,)),
    "glb": Reader(kt.read, _written(".glb", clip=_headless_clip), (mutate_glb,)),
    "gltf": Reader(kt.read, _written(".gltf", clip=_headless_clip), (mutate_json, mutate_json, mutate_bytes)),
    "vrma": Reader(kt.read, _written(".vrma"), (mutate_glb,)),
    "glb-skin": Reader(_read_skin, lambda: _skinned_files()[:1], (mutate_glb,)),
    "fbx-skin": Reader(_read_skin, lambda: _skinned_files()[1:]),
    "npz": Reader(kt.read, _written(".npz"), (mutate_npz,)),
    "amass": Reader(kt.read, _written(".amass.npz", clip=_smpl_clip), (mutate_npz,)),
    "smpl": Reader(_read_with_body, _body_files, (mutate_npz,)),
    "csv": Reader(
        kt.read, _files("small.csv", more=_written(".csv")), (mutate_text(b"Hips.x", b"# kinetune parents:"),)
    ),
    "usd": Reader(
        kt.read,
        _files("small.usda", more=_written(".usda", ".usdc", clip=_headless_clip)),
        (_USD, mutate_bytes),
    ),
    "svg": Reader(kt.read_drawing, _files("small.svg", "features.svg"), (_SVG,)),
    "lottie": Reader(kt.read_drawing, _lottie_files, (mutate_json, mutate_json, mutate_text())),
    "picture": Reader(kt.read_drawing, _picture_files),
    "recipe": Reader(kt.Recipe.read, _files("calmer.yaml", "shape.yaml", "loop.json"), (_RECIPE,)),
    "shaping": Reader(_read_curves, _files("curves.json"), (mutate_json, mutate_text())),
    "fbx": Reader(kt.read, _files("small.fbx"), (_FBX,)),
    "fbx-binary": Reader(kt.read, _fbx_files, (mutate_bytes,)),
    "c3d": Reader(kt.read, _c3d_files),
    "robot": Reader(kt.read, _files("small.urdf", "small.xml"), (_ROBOT,)),
    "qpos": Reader(_read_qpos, _qpos_files, (mutate_text(), _ROBOT)),
    "kimodo": Reader(kt.read, _kimodo_files, (mutate_npz,)),
    "deepmimic": Reader(kt.read, _deepmimic_files, (mutate_json, mutate_json, mutate_text())),
    "positions": Reader(_read_positions, _position_files, (mutate_bytes, mutate_npz)),
    "manifest": Reader(_read_manifest, _manifest_files),
    "document": Reader(_read_document, _document_files, (mutate_json, mutate_json, mutate_text())),
    "index": Reader(_read_index, _index_files),
    "bone-map": Reader(read_bone_map, _bone_map_files, (_RECIPE,)),
    "limits": Reader(CheckLimits.read, _files("limits.yaml"), (_RECIPE,)),
    "footsteps": Reader(read_footsteps, _files("footsteps.csv"), (mutate_text(b"side", b"left", b"heading"),)),
}

_COVERED = {"bvh", "amc", "asf", "gltf", "kinetune-npz", "amass", "csv", "usd"}
"""Formats that have a reader above, under another name."""

READERS |= {
    name: Reader(kt.read, _written(MODULES[name][1][0]))
    for name in MODULES
    if name not in _COVERED and name not in READERS and FORMATS[name].read and FORMATS[name].write
}
