"""Huang and Kallmann 2010, run again: Figures 1 to 6, k and priorities of Section 3, the timing of Section 6.

The paper's captures are not available; our samples show the same actions. Each part is a module.
"""

from __future__ import annotations

from kinetune.reproduce.experiments import Experiment, Paper
from kinetune.reproduce.inverse_blending._own_files import own_steps
from kinetune.reproduce.inverse_blending._timing import timing
from kinetune.reproduce.inverse_blending.aiming import actions, priorities_and_k, spheres
from kinetune.reproduce.inverse_blending.walking import blend_over_time, concatenation, step_sets, walks

PAPER = Paper(
    name="inverse-blending",
    title="Motion parameterization with inverse blending",
    authors="Y. Huang and M. Kallmann",
    where="Motion in Games 2010",
    experiments=(
        Experiment("Figure 1", "pointing, pressing, pouring and grasping", actions),
        Experiment("Section 3", "priorities, and the number of examples", priorities_and_k),
        Experiment("Figure 2", "steps and what parameterizes them", step_sets),
        Experiment("Figure 3", "weights over a step, and the velocity profile", blend_over_time),
        Experiment("Figure 4", "consecutive steps", concatenation),
        Experiment("Figure 5", "walks on given footsteps", walks),
        Experiment("Figure 6", "targets on spheres, by RBF alone and by inverse blending", spheres),
        Experiment("Section 6", "the time of 5,000 problems in each of three scenarios", timing),
    ),
    run_files=own_steps,
)
