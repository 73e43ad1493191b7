"""An operation of one's own: it works in recipes and on the command line from the moment it is declared.

Run it with ``python examples/own_operation.py OUT``.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

import kinetune as kt
from kinetune.operations import OPERATIONS, Operation
from kinetune.operations.base import parameter


class Hop(Operation):
    """Lift the figure in a smooth wave, some times over the clip."""

    op: Literal["hop"] = "hop"
    height_m: float = parameter(0.1, "How high.", unit="m", ge=0.0, le=5.0)
    times: int = parameter(3, "How often.", unit="", ge=1, le=100)

    @classmethod
    def neutral(cls) -> "Hop":
        return cls(height_m=0.0)

    def apply(self, clip: kt.Clip, inputs: Mapping[str, kt.Clip]) -> kt.Clip:
        phase = np.linspace(0.0, self.times, len(clip))
        lift = self.height_m * np.sin(np.pi * phase) ** 2
        return clip.replace(root=clip.root + lift[:, None] * [0.0, 1.0, 0.0], contacts=None)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    OPERATIONS["hop"] = Hop
    recipe = kt.Recipe.parse("steps:\n  - op: hop\n    height_m: 0.2\n  - op: smooth\n    cutoff_hz: 8\n")
    hopping = recipe(kt.sample("walk"))
    print(f"the hips rise to {hopping.root[:, 1].max():.2f} m")
    kt.write(hopping, folder / "hop.bvh")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/hop"))
