"""How closely poses are followed as they come, beside the same clip filtered whole: walks, and kicks on one foot.

    python -m benchmarks.quality_stream [FOLDER]

FOLDER holds the clips (``cmu/16_17.bvh`` ...); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout.
Nothing is timed here. Every clip is brought to 60 frames a second, filtered whole by :func:`kinetune.filter_dynamics`
and pose by pose by :class:`kinetune.DynamicFilter`, both with mu = 1 and without a search; a clip that falls when it
is filtered whole is tried again with one.

Both are compared with the clip as it was given: "pose" is the root mean square of the joints' errors in degrees,
"joints" their mean distance in the room in centimetres (a capture on a leaning floor is levelled when it is filtered
whole, which moves it), "head" how far the head is off at worst. A fall: the head more than 35 cm too low, or a
simulation that broke off.
The files of CMU 74 and 143 say 120 frames a second but hold 60 of them, and are read so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.physics.filter.streaming import StreamedFrame

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
FPS = 60
FALLEN_M = 0.35
WALKS = ("16_17", "07_01")
KICKS = ("74_03", "74_04", "74_05", "74_06", "143_24")


class Apart(NamedTuple):
    """How far a result is from its clip; ``end`` is the frame at which it broke off, or None."""

    pose_deg: float
    joints_cm: float
    head_cm: float
    fell: bool
    end: int | None

    def __str__(self) -> str:
        told = f"{self.pose_deg:8.2f} {self.joints_cm:9.1f} {self.head_cm:8.1f} "
        return told + ("  falls" if self.fell else "  -    ")


def main(folder: Path) -> int:
    """Print the table; the number of walks that fall."""
    columns = "pose deg joints cm  head cm   falls"
    print(f"{'':13} {'the whole clip':36}{'as it comes'}")
    print(f"{'clip':13} {columns}  {columns}")
    fallen = 0
    for name, clip in clips(folder):
        whole, stream = apart(clip, kt.filter_dynamics(clip, method="filter").clip, None), streamed(clip)
        print(f"{name:13} {whole}  {stream}".rstrip(), flush=True)
        if stream.end is not None:
            print(f"{'':49} breaks off at {stream.end / FPS:.1f} of {len(clip) / FPS:.1f} s")
        if whole.fell:
            print(f"  with search {apart(clip, kt.filter_dynamics(clip, search=True).clip, None)}".rstrip(), flush=True)
        fallen += stream.fell and name in ("walk", *(f"CMU {one}" for one in WALKS))
    claim = Claim("walks that fall as they come", fallen, 0, at_least=False)
    print(claim)
    return int(not claim.holds)


def streamed(clip: Clip) -> Apart:
    """A clip handed over pose by pose."""
    stream = kt.physics.DynamicFilter(kt.Body.fit(clip.skeleton, clip=clip), fps=clip.fps)
    found: list[StreamedFrame] = []
    end = None
    try:
        for frame in range(len(clip)):
            found += stream.push(clip[frame : frame + 1])
        found += stream.finish()
    except ParameterError:  # it has fallen, and says so
        end = len(found)
    made = clip[: len(found)].replace(
        root=np.concatenate([one.clip.root for one in found]),
        rotations=np.concatenate([one.clip.rotations for one in found]),
    )
    return apart(clip[: len(found)], made, end)


def apart(clip: Clip, made: Clip, end: int | None) -> Apart:
    """How far a motion is from the clip that it follows."""
    turns = rot.angle_between(made.rotations[:, 1:], clip.rotations[:, 1:])
    off = made.positions() - clip.positions()
    away = np.linalg.norm(off, axis=2)
    head = clip.skeleton.roles["head"]
    fell = end is not None or bool(np.any(-off[:, head, 1] > FALLEN_M))
    pose = float(np.rad2deg(np.sqrt(np.mean(turns**2))))
    return Apart(pose, 100.0 * float(away.mean()), 100.0 * float(away[:, head].max()), fell, end)


def clips(folder: Path) -> Iterator[tuple[str, Clip]]:
    """Walks and kicks, at 60 frames a second; the samples alone where the data are not at hand."""
    to_60 = kt.Resample(fps=FPS)
    yield "walk", to_60(kt.sample("walk"))
    for name in (*WALKS, *KICKS):
        path = folder / "cmu" / f"{name}.bvh"
        if path.is_file():
            yield f"CMU {name}", to_60(kt.read(path, fps=FPS if name in KICKS else None)[1:])
        else:
            print(f"{path.name} is not at hand.")
    for name in ("kick-1", "kick-2"):
        yield name, to_60(kt.sample(name))


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(1 if main(Path(given)) else 0)
