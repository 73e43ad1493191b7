"""BVH files: 60 joints x 20,000 frames, text to numbers and back, the file in the page cache.

"Read" goes from the file's path to the array of channels, header included. NumPy and polars get only the block of
numbers as a file of its own, and polars the types of its columns. Most BVH libraries would take minutes: they are
ranked on 1,000 of the frames, and the fastest reads all 20,000. Each array is compared before anything is measured.
Printing is compared with ``"%.6f"`` on whole rows, the quickest way to format in Python, on 1,000 frames and scaled.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Claim, median_times
from kinetune.formats import read, write
from kinetune.formats.bvh.channels import Channels
from kinetune.formats.bvh.hierarchy import parse_header
from kinetune.formats.bvh.motion_rows import MotionReader
from kinetune.formats.text.number_text import print_numbers
from kinetune.rotations import Floats

JOINTS, FRAMES, FEWER = 60, 20_000, 1_000
SCALE = FRAMES // FEWER
HEAD = 1 << 16


def claims() -> Iterator[Claim]:
    """Measure reading, exact reading and writing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = motion()
        yield from reading_claims(folder, values)
        yield from exact_claims(folder, values)
        yield from writing_claims(folder, values)


def motion() -> Floats:
    """Smooth curves of the size of joint angles, (frames, channels)."""
    rng = np.random.default_rng(0)
    width = 3 + 3 * JOINTS
    time = np.linspace(0.0, 160.0, FRAMES)[:, None]
    waves = [np.sin(time * rng.uniform(0.5, 8.0, width) + rng.uniform(0, 6, width)) for _ in range(3)]
    return rng.uniform(-40, 40, width) + rng.uniform(2, 40, width) * sum(waves)


def hierarchy(joints: int, limb: int = 10) -> str:
    """A root with limbs of ten joints each."""
    lines = ["HIERARCHY", "ROOT joint0", "{", "\tOFFSET 0.0 0.0 0.0"]
    lines += ["\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"]
    for first in range(1, joints, limb):
        nested = range(first, min(first + limb, joints))
        for depth, joint in enumerate(nested, start=1):
            tab = "\t" * depth
            lines += [f"{tab}JOINT joint{joint}", f"{tab}{{", f"{tab}\tOFFSET {depth}.5 10.0 0.0"]
            lines += [f"{tab}\tCHANNELS 3 Zrotation Xrotation Yrotation"]
        tab = "\t" * (len(nested) + 1)
        lines += [f"{tab}End Site", f"{tab}{{", f"{tab}\tOFFSET 0.0 5.0 0.0", f"{tab}}}"]
        lines += ["\t" * depth + "}" for depth in range(len(nested), 0, -1)]
    return "\n".join([*lines, "}", "MOTION\n"])


def put(path: Path, values: Floats, form: str) -> Path:
    """Write a file with the numbers in the given format."""
    line = " ".join([form] * values.shape[1])
    text = "\n".join([line % tuple(row) for row in values.tolist()])
    path.write_text(f"{hierarchy(JOINTS)}Frames: {len(values)}\nFrame Time: 0.008333\n{text}\n")
    path.with_suffix(".txt").write_text(text + "\n")
    return path


def channels_of(path: Path) -> Floats:
    """From a path to the array of channels, as ``kinetune.read`` does it."""
    with open(path, "rb", buffering=0) as file:
        header = parse_header(file.read(HEAD), str(path))
        return MotionReader(header, Channels(header.channels), str(path), False).read(file, path.stat().st_size).values


def polars_reader(block: Path, width: int) -> Callable[[], Floats] | None:
    try:
        import polars
    except ImportError:
        print("  skip polars: the package is not installed")
        return None
    schema = {f"c{k}": polars.Float64 for k in range(width)}
    return lambda: polars.read_csv(block, separator=" ", has_header=False, schema=schema).to_numpy()


def library_readers(path: Path) -> dict[str, Callable[[], Any]]:
    """Readers of other libraries, each from a path to whatever it offers as frames."""
    found: dict[str, Callable[[], Any]] = {}
    try:
        import pybvh

        found["pybvh"] = lambda: pybvh.read_bvh_file(path)
    except ImportError:
        print("  skip pybvh: the package is not installed")
    try:
        import bvhsdk

        found["bvhsdk"] = lambda: bvhsdk.ReadFile(str(path))
    except ImportError:
        print("  skip bvhsdk: the package is not installed")
    try:
        import bvh

        found["bvh"] = lambda: np.array(bvh.Bvh(path.read_text()).frames, dtype=float)
    except ImportError:
        print("  skip bvh: the package is not installed")
    try:
        import bvhio

        found["bvhio"] = lambda: bvhio.readAsBvh(str(path))
    except ImportError:
        print("  skip bvhio: the package is not installed")
    return found


def same(name: str, found: Floats, wanted: Floats) -> None:
    if not np.array_equal(found, wanted):
        raise RuntimeError(f"{name} reads other numbers: the comparison would mean nothing")


def reading_claims(folder: Path, values: Floats) -> Iterator[Claim]:
    path = put(folder / "six.bvh", values, "%.6f")
    block = path.with_suffix(".txt")
    wanted = channels_of(path)
    same("np.loadtxt", np.loadtxt(block), wanted)
    variants: dict[str, Callable[[], object]] = {
        "bytes": lambda: np.fromfile(path, np.uint8),
        "read()": path.read_bytes,
        "ours": lambda: channels_of(path),
        "clip": lambda: read(path, unit="cm", up="y"),
        "loadtxt": lambda: np.loadtxt(block),
    }
    polars = polars_reader(block, values.shape[1])
    if polars is not None:
        same("polars", polars(), wanted)
        variants["polars"] = polars
    spent = median_times(variants, rounds=9, budget_s=60.0)
    bare = min(spent["bytes"], spent["read()"])
    print(f"  read: {1e3 * spent['ours']:.0f} ms, bare read of {path.stat().st_size / 1e6:.0f} MB: {1e3 * bare:.0f} ms")
    yield Claim("read of the channels / bare read of the bytes", spent["ours"] / bare, 3.0, at_least=False)
    yield Claim("whole clip with rotations / read of the channels", spent["clip"] / spent["ours"], 3.0, at_least=False)
    yield Claim("np.loadtxt / read", spent["loadtxt"] / spent["ours"], 15.0, at_least=True)
    if polars is not None:
        yield Claim("polars / read", spent["polars"] / spent["ours"], 4.0, at_least=True)
    short = put(folder / "short.bvh", values[:FEWER], "%.6f")
    costs = median_times(library_readers(short), rounds=3, budget_s=60.0)
    if not costs:
        return
    ranked = sorted(costs, key=lambda name: costs[name])
    listed = ", ".join(f"{name} {SCALE * costs[name] / spent['ours']:.0f}x" for name in ranked)
    print(f"  libraries on {FEWER} frames, scaled to {FRAMES}, against ours on all: {listed}")
    fastest = library_readers(path)[ranked[0]]
    whole = median_times({ranked[0]: fastest, "ours": lambda: channels_of(path)}, rounds=7, budget_s=30.0)
    yield Claim(f"{ranked[0]}, the fastest BVH library / read", whole[ranked[0]] / whole["ours"], 20.0, at_least=True)


def exact_claims(folder: Path, values: Floats) -> Iterator[Claim]:
    part = values[: FRAMES // 4]
    path = put(folder / "seventeen.bvh", part, "%.17g")
    if not np.array_equal(channels_of(path), part):
        raise RuntimeError("17 digits must give every number back")
    polars = polars_reader(path.with_suffix(".txt"), values.shape[1])
    if polars is None:
        return
    apart = int(np.count_nonzero(polars() != part))
    if apart:
        print(f"  polars misses the last bit of {apart} of {part.size} numbers of 17 digits; ours of none")
    spent = median_times({"ours": lambda: channels_of(path), "polars": polars}, rounds=9)
    yield Claim("polars / read, 17 digits", spent["polars"] / spent["ours"], 1.0, at_least=True)


def writing_claims(folder: Path, values: Floats) -> Iterator[Claim]:
    line = " ".join(["%.6f"] * values.shape[1]) + "\n"
    ties = np.round(values * 64) / 64 + np.ldexp(1.0, -7)
    for numbers in (values, ties):
        some = numbers[:: FRAMES // 200]
        if bytes(print_numbers(some, 6)) != "".join([line % tuple(row) for row in some.tolist()]).encode():
            raise RuntimeError("print_numbers must print what % prints")
    few = values[:FEWER]
    clip = read(folder / "six.bvh", unit="cm", up="y")
    spent = median_times(
        {
            "ours": lambda: print_numbers(values, 6),
            "file": lambda: write(clip, folder / "out.bvh"),
            "percent": lambda: "".join([line % tuple(row) for row in few.tolist()]).encode(),
            "savetxt": lambda: np.savetxt(folder / "out.txt", few, fmt="%.6f"),
        },
        rounds=7,
        budget_s=30.0,
    )
    print(f"  print: {1e3 * spent['ours']:.0f} ms; a whole file, compared and written: {1e3 * spent['file']:.0f} ms")
    yield Claim("%-formatting / print", SCALE * spent["percent"] / spent["ours"], 15.0, at_least=True)
    yield Claim("np.savetxt / print", SCALE * spent["savetxt"] / spent["ours"], 15.0, at_least=True)
