"""Draw the figures of the page on wavelet contours: scales, edits, stiffness and springing curves.

python docs/pictures/contours.py [-o FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from kinetune.contours.descriptor import describe
from kinetune.contours.drawing import Contour
from kinetune.contours.editing import bend, drag, exaggerate, take_character
from kinetune.contours.sampling import sample_evenly
from kinetune.figures import save
from kinetune.figures.contour_figures import (
    draw_edits,
    draw_relaxation,
    draw_resolutions,
    draw_scales,
    draw_stiffness,
    draw_timing,
)
from kinetune.samples.drawings import sample_drawing


def deformed_hoop(rest: Contour) -> Contour:
    """The hoop pushed out of round by three waves."""
    middle = rest.centroid
    spokes = rest.points - middle
    angle = np.arctan2(spokes[:, 1], spokes[:, 0])
    radius = 1 + 0.30 * np.cos(2 * angle) + 0.18 * np.cos(3 * angle + 0.5) + 0.06 * np.cos(9 * angle + 1.0)
    return rest.moved(middle + radius[:, None] * spokes)


def stroke(wave: float, size: float, count: int = 1025) -> Contour:
    """A stroke from left to right with small waves that lean forward."""
    t = np.linspace(0, 1, count)
    phase = 2 * np.pi * wave * t
    lean = t + 0.35 / (2 * np.pi * wave) * np.cos(phase)
    return sample_evenly(Contour(np.stack([100 * lean, size * np.sin(phase)], axis=-1), closed=False), count)


def edits() -> tuple[Contour, dict[str, Contour]]:
    """A stroke bent, smoothed and dressed."""
    wavy, flat = describe(stroke(44, 2.5), levels=6), describe(stroke(70, 1.2), levels=6)
    original = wavy.contour()
    # The control points bent upwards into a half circle.
    points = wavy.control_points
    turn = np.pi * (points[:, 0] - 50) / 100
    arch = np.stack([50 + (32 + points[:, 1]) * np.sin(turn), 10 - (32 + points[:, 1]) * np.cos(turn)], axis=-1)
    middle = int(np.argmin(np.abs(wavy.control_places - len(original) / 2)))
    return original, {
        "original": original,
        "a point dragged": drag(wavy, middle, (0, -25)).contour(),
        "bent, detail turned": bend(wavy, arch).contour(),
        "bent, detail kept": bend(wavy, arch, detail="keep").contour(),
        "detail halved": exaggerate(wavy, 0.5).contour(),
        "another stroke's detail": take_character(bend(wavy, arch), flat).contour(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--folder", type=Path, default=Path(__file__).parent)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    digit = sample_drawing("digit-3").layers[0].contours[0]
    hoop = sample_drawing("hoop").layers[0].contours[0]
    pushed = deformed_hoop(hoop)
    original, edited = edits()
    pictures = {
        "contour_scales": draw_scales(digit),
        "contour_edits": draw_edits(edited, original, columns=3),
        "contour_stiffness": draw_stiffness(),
        "contour_relaxation": draw_relaxation(pushed, hoop, np.linspace(0, 0.75, 16).tolist()),
        "contour_resolutions": draw_resolutions(pushed, hoop, np.linspace(0, 0.6, 7).tolist()),
        "contour_timing": draw_timing(),
    }
    for name, figure in pictures.items():
        print(save(figure, folder / f"{name}.png"))


if __name__ == "__main__":
    main()
