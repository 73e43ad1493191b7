"""Draw the figures of the page on wavelet contours: scales, edits, stiffness and springing curves.

python docs/pictures/contours.py [-o FOLDER]
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path

import numpy as np

from kinetune.contours.descriptor.scale_editing import bend, drag, exaggerate, take_character
from kinetune.contours.descriptor.wavelet_descriptor import describe
from kinetune.contours.drawing import Contour
from kinetune.contours.elastic.materials import PRESETS
from kinetune.contours.elastic.stiffness import off_diagonal_energy, refinement_integrals, stiffness
from kinetune.contours.sampling import sample_evenly
from kinetune.figures import save
from kinetune.figures.drawings.contour_figures import (
    draw_edits,
    draw_relaxation,
    draw_resolutions,
    draw_scales,
    draw_stiffness,
    draw_timing,
)
from kinetune.reproduce.wavelets._scales import TABLE_1, TABLE_2, printed
from kinetune.samples.drawings import sample_drawing
from kinetune.signals.wavelets import synthesis_matrix


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
    tables = {
        "contour_tables": integral_tables(),
        "contour_conditions": condition_table(),
        "contour_energies": energy_table(),
        "contour_materials": material_table(),
    }
    for name, rows in tables.items():
        (folder / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def integral_tables() -> list[str]:
    """The integrals of db4 and coif2, ours beside those of the paper; of db4 as fractions too."""
    mu, _ = refinement_integrals("db4")
    rows = ["| l | $\\mu_l$, db4 | $\\mu_l / \\mu_0$ | paper, Table 1 |", "|---|---|---|---|"]
    for lag, (value, theirs) in enumerate(zip(mu, printed(TABLE_1)[:, 1], strict=False)):
        rows.append(f"| {lag} | {fraction(float(value))} | {value / mu[0]:.12f} | {theirs:.12f} |")
    mu, _ = refinement_integrals("coif2")
    rows += ["", "| l | $\\mu_l / \\mu_0$, coif2 | paper, Table 2 |", "|---|---|---|"]
    for lag, theirs in enumerate(printed(TABLE_2)[:6, 1]):
        rows.append(f"| {lag} | {mu[lag] / mu[0]:.12f} | {theirs:.12f} |")
    return rows


def fraction(value: float) -> Fraction:
    """An integral of db4 as the fraction that it is; all have one denominator."""
    ratio = Fraction(round(value * 17_272_080), 17_272_080)
    if abs(float(ratio) - value) > 1e-12:
        raise RuntimeError(f"{value} is no such fraction")
    return ratio


def condition_table() -> list[str]:
    """How much the spline transforms may enlarge an error, level by level, on 256 samples."""
    levels = range(1, 7)
    rows = [f"| condition at level | {' | '.join(map(str, levels))} |", f"|---|{'---|' * len(levels)}"]
    for name in ("spline", "spline8"):
        numbers = [float(np.linalg.cond(synthesis_matrix(256, name, level).toarray())) for level in levels]
        rows.append(f"| `{name}` | {' | '.join(f'{number:.1f}' for number in numbers)} |")
    return rows


def energy_table() -> list[str]:
    """What lies off the diagonal of the stiffness, 64 samples on two levels."""
    rows = ["| off the diagonal | squares | absolute values |", "|---|---|---|"]
    for name in ("db4", "coif2", "db5", "db8"):
        matrix = stiffness(64, name, 2)
        shares = off_diagonal_energy(matrix), off_diagonal_energy(matrix, squared=False)
        rows.append(f"| {name} | {shares[0]:.2%} | {shares[1]:.0%} |")
    return rows


def material_table() -> list[str]:
    """The presets, and how they feel."""
    rows = ["| preset | $e_0$ | $s_1$ | $s_2$ | bounciness | settles in |", "|---|---|---|---|---|---|"]
    for name, material in PRESETS.items():
        feel = f"{material.bounciness:.2f} | {material.settle_s:.2f} s"
        rows.append(f"| {name} | {material.e0:.4g} | {material.s1:g} | {material.s2:g} | {feel} |")
    return rows


if __name__ == "__main__":
    main()
