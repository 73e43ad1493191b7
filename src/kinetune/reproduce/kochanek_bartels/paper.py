"""Kochanek and Bartels 1984, run again: Figures 1 to 24. Each part is a module."""

from __future__ import annotations

from kinetune.reproduce.experiments import Experiment, Paper
from kinetune.reproduce.kochanek_bartels._controls import (
    bias_at_a_key,
    continuity_at_a_key,
    continuity_at_all,
    default_corner,
    one_control,
    other_motion,
    similar_corners,
    tension_at_a_key,
    tension_at_all,
    together,
    two_tangents,
)
from kinetune.reproduce.kochanek_bartels._linear import catmull_rom, hermite_basis, lengths, linear, speeds
from kinetune.reproduce.kochanek_bartels._own_files import own_channels

_HALF, _NONE, _TWICE = (0.5, 0.5), (0.0, 0.0), (1.0, 1.0)
_SOURCE, _DESTINATION = (1.0, 0.0), (0.0, 1.0)

PAPER = Paper(
    name="kochanek-bartels",
    title="Interpolating splines with local tension, continuity, and bias control",
    authors="D. H. U. Kochanek and R. H. Bartels",
    where="SIGGRAPH 1984",
    experiments=(
        Experiment("Figure 1", "a corner in the direction with linear interpolation", linear),
        Experiment("Figure 2", "a jump in the speed with linear interpolation, and Equation 10", speeds),
        Experiment("Figure 3", "a length that is distorted when a rotation is linear", lengths),
        Experiment("Figure 4", "the four Hermite polynomials", hermite_basis),
        Experiment("Figure 5", "the default is the Catmull-Rom spline", catmull_rom),
        Experiment("Figure 6", "incoming and outgoing tangents of two keys", two_tangents),
        Experiment("Figure 7", "several tensions at one key", tension_at_a_key),
        Experiment("Figure 8", "default tension", one_control("tension", 0.0, _HALF, _HALF, "average of the chords")),
        Experiment("Figure 9", "tension 1 at one key", one_control("tension", 1.0, _NONE, _NONE, "length zero")),
        Experiment(
            "Figure 10", "tension -1 at one key", one_control("tension", -1.0, _TWICE, _TWICE, "twice the length")
        ),
        Experiment("Figure 11", "several tensions on all keys", tension_at_all),
        Experiment("Figure 12", "several continuities at one key", continuity_at_a_key),
        Experiment("Figure 13", "default continuity", one_control("continuity", 0.0, _HALF, _HALF, "both the same")),
        Experiment(
            "Figure 14",
            "continuity -1 at one key",
            one_control("continuity", -1.0, _SOURCE, _DESTINATION, "source chord, then destination chord"),
        ),
        Experiment(
            "Figure 15",
            "continuity 1 at one key",
            one_control("continuity", 1.0, _DESTINATION, _SOURCE, "destination chord, then source chord"),
        ),
        Experiment("Figure 16", "several continuities on all keys", continuity_at_all),
        Experiment("Figure 17", "default tension and continuity", default_corner),
        Experiment("Figure 18", "more tension, less continuity: similar paths", similar_corners),
        Experiment("Figure 19", "more tension, less continuity: different motions", other_motion),
        Experiment("Figure 20", "several biases at one key", bias_at_a_key),
        Experiment("Figure 21", "default bias", one_control("bias", 0.0, _HALF, _HALF, "weighted equally")),
        Experiment(
            "Figure 22",
            "bias -1 at one key",
            one_control("bias", -1.0, _DESTINATION, _DESTINATION, "destination chord"),
        ),
        Experiment("Figure 23", "bias 1 at one key", one_control("bias", 1.0, _SOURCE, _SOURCE, "source chord")),
        Experiment("Figure 24", "several controls together", together),
    ),
    run_files=own_channels,
)
