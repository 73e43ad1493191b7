"""Join two kicks and make the result obey physics.

Run it with ``python examples/obey_physics.py OUT``.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    joined = kt.splice(kt.sample("kick-1"), kt.sample("kick-2"))
    body = kt.Body.fit(joined.skeleton, mass=70)
    filtered = kt.filter_dynamics(joined, body, mode="friction", mu=0.8)

    print(f"{len(joined)} frames, {len(filtered.failures)} places where the filter gave up")
    pushes = abs(filtered.forces).sum(axis=(1, 2))
    print(f"the ground pushes in {(pushes > 0).mean():.0%} of the frames")
    kt.write(filtered.clip, folder / "double_kick.glb")
    figures.save(figures.draw_strip(filtered.clip, before=joined), folder / "double_kick.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/physics"))
