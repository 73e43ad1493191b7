"""Chuang and Kuo 1996, run again: Figures 2 to 7 and 9 to 14, Tables 1 and 2, and the methods of Section 3.3.

Figure 1 is a diagram and Figure 8 is taken from a film; all other figures are made from our sample drawings and walks.
"""

from __future__ import annotations

from kinetune.reproduce.experiments import Experiment, Paper
from kinetune.reproduce.wavelets._gait import dog_resolutions, gait_cycle, gait_diagram, subcycle_a
from kinetune.reproduce.wavelets._morphs import linear_morph, timing
from kinetune.reproduce.wavelets._own_files import own_drawings
from kinetune.reproduce.wavelets._scales import coiflet_table, daubechies_table, digit_at_scales, stiffness_matrix
from kinetune.reproduce.wavelets.motion import hoop_released, hoop_resolutions, numerical_methods
from kinetune.reproduce.wavelets.tracing import limb_positions, timing_fit

PAPER = Paper(
    name="wavelets",
    title="Cartoon animation and morphing with wavelet curve descriptor",
    authors="G. C.-H. Chuang and C.-C. J. Kuo",
    where="1996",
    experiments=(
        Experiment("Figure 2", "the digit 3 at several scales", digit_at_scales),
        Experiment("Table 1", "integrals of the Daubechies wavelet D8", daubechies_table),
        Experiment("Table 2", "integrals of the coiflet K2", coiflet_table),
        Experiment("Figure 3", "the stiffness matrix of the coiflet", stiffness_matrix),
        Experiment("Section 3.3", "methods of solving the equation of motion", numerical_methods),
        Experiment("Figure 4", "a linear morph", linear_morph),
        Experiment("Figure 5", "linear morphing beside physics", timing),
        Experiment("Figure 6", "a deformed hoop is let go", hoop_released),
        Experiment("Figure 7", "the hoop at 4, 8, 16 and 32 control points", hoop_resolutions),
        Experiment("Figure 9", "the gait cycle and its symmetry", gait_diagram),
        Experiment("Figure 10", "limb positions in subcycle A", limb_positions),
        Experiment("Figure 11", "motion parameters by least squares", timing_fit),
        Experiment("Figure 12", "the gait cycle from two key drawings", gait_cycle),
        Experiment("Figure 13", "subcycle A in detail", subcycle_a),
        Experiment("Figure 14", "the walk at 4, 16 and 64 control points", dog_resolutions),
    ),
    run_files=own_drawings,
)
