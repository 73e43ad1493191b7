"""Films of retargeting, source and result side by side: docs/pictures/retarget_*.webp.

python docs/pictures/retarget_films.py [NAME ...]

The captured walk of the first film is read from $KINETUNE_DATA, or ``shared/data`` beside the checkout; without it that
film stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune.figures.motion.film import film_frames

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "_ext"))

from operation_examples import DATA  # noqa: E402

FPS, SIZE, LONGEST_S = 12.5, (480, 230), 3.2
ROBOT = HERE / "small_robot.xml"
CAPTURED = DATA / "accad" / "Male1_B15_WalkTurnAround.bvh"


def pairs() -> dict[str, tuple[kt.Clip, kt.Clip, tuple[str, str]]]:
    """Source, result and labels of each film."""
    walk, rig, child = (kt.sample(name) for name in ("walk-happy", "wave-rig", "walk-child"))
    robot = kt.Resample(fps=60)(kt.read(ROBOT))
    march = kt.Resample(fps=60)(kt.sample("walk-march"))
    around = kt.FollowFootsteps(path="circle:r=1.5", steps="samples")(kt.sample("walk"))
    marching = kt.Retarget(to=robot)(march)
    kicking = kt.Retarget(to=robot)(kt.Resample(fps=60)(kt.sample("kick-1")))
    captured = {}
    if CAPTURED.is_file():
        turning = kt.read(CAPTURED)[1:]
        captured["rig"] = turning, kt.Retarget(to=rig)(turning), ("a captured walk", "on a game character")
    return {
        **captured,
        "child": (walk, kt.Retarget(to=child)(walk), ("a walk", "on a child")),
        "robot": (march, marching, ("a march", "on a robot")),
        "generated": (around, kt.Retarget(to=rig)(around), ("generated from footsteps", "on a game character")),
        "human": (kicking, kt.Retarget(to=child)(kicking), ("the kick of a robot", "on a child")),
    }


def main(names: list[str]) -> None:
    """Write all films, or some of them."""
    for name, (source, result, labels) in pairs().items():
        if names and name not in names:
            continue
        last = round(LONGEST_S * source.fps)
        frames = film_frames(source[:last], FPS, SIZE, beside=result[:last], labels=labels)
        pictures = [Image.fromarray(frame) for frame in frames]
        path = HERE / f"retarget_{name}.webp"
        pictures[0].save(
            path, save_all=True, append_images=pictures[1:], duration=round(1000 / FPS), loop=0, quality=55, method=6
        )
        print(f"{path.name}: {len(pictures)} frames, {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main(sys.argv[1:])
