"""What is fuzzed: each reader, valid files of our own to start from, and how they are mutated.

To add a reader, add a :class:`Reader` to :data:`READERS`; a motion format with a writer is fuzzed without that, by
bytes, from the moment it is registered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import kinetune as kt
from kinetune.formats import FORMATS, MODULES
from kinetune.formats.npz._smpl_skeleton import generic_skeleton
from kinetune.formats.npz.npz_arrays import pack_arrays
from kinetune.inverse.walk.footsteps import read_footsteps
from kinetune.signals.shaping.curve_files import list_curves, load_curve
from tests.fuzz.mutations import Mutation, mutate_bytes, mutate_glb, mutate_json, mutate_npz, mutate_text

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


def _with(name: str, *texts: str, more: Callable[[], list[Files]] | None = None) -> Callable[[], list[Files]]:
    return lambda: [*({name: text.encode()} for text in texts), *(more() if more else [])]


def _smpl_clip() -> kt.Clip:
    skeleton = generic_skeleton("SMPL")
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (3, len(skeleton), 1))
    return kt.Clip(skeleton, 30.0, np.zeros((3, 3)), rotations)


def _body_files() -> list[Files]:
    """A motion and the body model that it is read with."""
    (motion,) = _written(".amass.npz", clip=_smpl_clip)()
    joints = np.cumsum(generic_skeleton("SMPL").offsets, axis=0)
    template, regressor = np.concatenate([joints, joints]), np.eye(24, 48)
    body = pack_arrays(Path("body.npz"), {"J_regressor": regressor, "v_template": template, "shapedirs": template[..., None]})
    plain = pack_arrays(Path("body.npz"), {"J": joints})
    return [{"case.amass.npz": motion["case.amass.npz"], "body.npz": content} for content in (body, plain)]


def _read_with_body(path: Path) -> kt.Clip:
    return kt.read(path, skeleton=path.with_name("body.npz"))


def _read_curves(path: Path) -> None:
    for name in list_curves(path):
        load_curve(path, name)


_BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0.0 90.0 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0.0 20.0 0.0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0.0 10.0 0.0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0083333
0.0 90.0 0.0 1.5 2.5 3.5 4.5 5.5 6.5
0.1 90.1 0.2 1.6 2.6 3.6 4.6 5.6 6.6
0.2 90.2 0.4 1.7e0 2.7 3.7 4.7 5.7 6.7
"""
_CSV = "time,Hips.x,Hips.y,Hips.z,Spine.x,Spine.y,Spine.z,Head.x,Head.y,Head.z\n" + "".join(
    f"{k / 30:.4f},0,{0.9 + 0.01 * k},0,0,1.2,0.0{k},0,1.6,0\n" for k in range(4)
)
_SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">
<style>.a { fill: red; stroke: #00f } #b { opacity: 50% }</style>
<defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1" style="stop-color:#00ff00"/></linearGradient>
<symbol id="s" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4"/></symbol></defs>
<g transform="translate(5 5) rotate(30) scale(1.5,0.5)" fill="url(#g)">
<path class="a" d="M10 10h20v20h-20z M15,15l5,0 0,5 -5,0z"/>
<path id="b" fill-rule="evenodd" d="M 1 1 A 5 7 30 1 0 20 20 C 30 30 40 10 50 50 S 60 60 70 70 Q 1 2 3 4 T 9 9 Z"/>
<rect x="1" y="2" width="30%" height="10mm" rx="2"/><ellipse cx="50" cy="50" rx="10" ry="5"/>
<polygon points="1,1 20,1 20,20 1,20 1,1 20,20"/><polyline points="0 0 5 5 9 0" stroke="black" fill="none" stroke-width="2"/>
<use href="#s" x="20" y="20" width="30" height="30"/><use xlink:href="#b"/><line x1="0" y1="0" x2="9" y2="9" stroke="red"/>
</g></svg>
"""
_RECIPES = (
    "version: 2\nname: calmer walk\ninputs:\n  sad: clips/sad_walk.bvh\n  other:\nsteps:\n"
    "  - op: smooth\n    cutoff_hz: 6\n    joints: left arm\n  - op: mirror\n    off: true\n"
    "  - {op: equalize, gains: [1, 1.5, 2]}\n  - op: trim\n    start_s: 0.5\n",
    "steps:\n- op: shape\n  curve: &a [[-1, -1], [1, 0.5]]\n- op: shape\n  curve: *a\n",
    json.dumps({"version": 2, "steps": [{"op": "resample", "fps": 30}, {"op": "loop"}, {"op": "plant_feet"}]}),
)
_CURVES = {"version": 1, "curves": {"mine": {"points": [[-1, -1], [0.2, 0.1], [1, 0.5]]}, "two": {"points": [[0, 0], [1, 1]]}}}
_STEPS = "side,x,z,heading_deg\nleft,0.1,0.6,0\nright,-0.1,1.2,10\n# a comment\nleft,0.1,1.8,-5.5\n"
_BVH_WORDS = (*(b"HIERARCHY ROOT JOINT OFFSET CHANNELS MOTION Frames: { }".split()), b"End Site", b"Frame Time:", b"Xrotation")
_ACCLAIM_WORDS = (b":units", b":root", b":bonedata", b":hierarchy", b"begin", b"end", b"dof", b"axis", b"length", b":DEGREES")
_SVG_WORDS = (b"<g>", b"</g>", b"<path d='M0 0L", b"<use href='#s'/>", b"transform='", b"A 1 1 0 0 1 2 2", b"<!ENTITY a 'b'>")
_RECIPE_WORDS = (b"op: ", b"- ", b"steps:", b"!!python/object:x", b"&a", b"*a", b"inputs:", b"off: true", b"<<: ", b"? ", b"---\n")

_SMALL_USDA = """#usda 1.0
(
    defaultPrim = "A"
    metersPerUnit = 0.01
    upAxis = "Z"
    timeCodesPerSecond = 24
)
def SkelRoot "A"
{
    def Skeleton "S" (
        prepend apiSchemas = ["SkelBindingAPI"]
    )
    {
        uniform token[] joints = ["a", "a/b"]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,90,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,120,1))]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,90,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,30,1))]
        rel skel:animationSource = </A/M>
        rel skel:skeleton = </A/S>
    }
    def SkelAnimation "M"
    {
        uniform token[] joints = ["a", "a/b"]
        quatf[] rotations.timeSamples = { 0: [(1,0,0,0),(1,0,0,0)], 1: [(0.7,0.7,0,0),(1,0,0,0)], 3: [(1,0,0,0),(1,0,0,0)] }
        half3[] scales = [(1,1,1),(1,1,1)]
        float3[] translations.timeSamples = { 0: [(0,0,90),(0,0,30)], 3: [(9,0,90),(0,0,30)] }
    }
}
"""

READERS: dict[str, Reader] = {
    "bvh": Reader(kt.read, _with("case.bvh", _BVH, more=_written(".bvh")), (mutate_text(*_BVH_WORDS),)),
    "acclaim": Reader(kt.read, _written(".amc"), (mutate_text(*_ACCLAIM_WORDS),)),
    "asf": Reader(kt.read, lambda: [{"case.asf": _written(".amc")()[0]["case.asf"]}], (mutate_text(*_ACCLAIM_WORDS),)),
    "glb": Reader(kt.read, _written(".glb"), (mutate_glb,)),
    "gltf": Reader(kt.read, _written(".gltf"), (mutate_json, mutate_json, mutate_bytes)),
    "npz": Reader(kt.read, _written(".npz"), (mutate_npz,)),
    "amass": Reader(kt.read, _written(".amass.npz", clip=_smpl_clip), (mutate_npz,)),
    "smpl": Reader(_read_with_body, _body_files, (mutate_npz,)),
    "csv": Reader(kt.read, _with("case.csv", _CSV, more=_written(".csv")), (mutate_text(b"Hips.x", b"# kinetune parents:"),)),
    "usd": Reader(
        kt.read,
        _with("case.usda", _SMALL_USDA, more=_written(".usda", ".usdc")),
        (mutate_text(b"def Skeleton", b"timeSamples = {", b"[(1,0,0,0)]", b"@x.usda@", b"references = @case.usda@"), mutate_bytes),
    ),
    "svg": Reader(kt.read_drawing, _with("case.svg", _SVG), (mutate_text(*_SVG_WORDS, comment=b"<!--"),)),
    "recipe": Reader(kt.Recipe.read, _with("case.yaml", *_RECIPES), (mutate_text(*_RECIPE_WORDS),)),
    "shaping": Reader(_read_curves, _with("case.json", json.dumps(_CURVES)), (mutate_json, mutate_text())),
    "footsteps": Reader(read_footsteps, _with("case.csv", _STEPS), (mutate_text(b"side", b"left", b"heading"),)),
}  # fmt: skip

_COVERED = {"bvh", "amc", "asf", "gltf", "kinetune-npz", "amass", "csv", "usd"}
READERS |= {
    name: Reader(kt.read, _written(MODULES[name][1][0]))
    for name in MODULES
    if name not in _COVERED and name not in READERS and FORMATS[name].read and FORMATS[name].write
}
