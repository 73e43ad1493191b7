"""Bruderlin, run again: Figures 1 to 11 on our samples.

Their clips are not available; ours show the same actions (walks in several moods, drumming, an arm that sways, a wave,
a knock, someone who sits and drinks), so that the paper's statements can be checked in numbers.
Each part is a module.
"""

from __future__ import annotations

from kinetune.reproduce.bruderlin._blends import blend, blend_by_band, two_walks
from kinetune.reproduce.bruderlin._edits import capped_angles, displaced_clips, displacement_steps, undulations
from kinetune.reproduce.bruderlin._own_files import own_clips
from kinetune.reproduce.bruderlin._warps import correspondences, warped_knees
from kinetune.reproduce.bruderlin.bands import band_passes, gains
from kinetune.reproduce.experiments import Experiment, Paper

PAPER = Paper(
    name="bruderlin",
    title="Using signal processing for animating human figures",
    authors="A. Bruderlin",
    where="ATR Media Integration & Communications Research Laboratories",
    experiments=(
        Experiment("Figure 1", "low-pass and band-pass sequences", band_passes),
        Experiment("Figure 2", "gains of frequency bands", gains),
        Experiment("Figure 3", "drumming and swaying arms, blended", blend),
        Experiment("Figure 4", "the same, blended band by band", blend_by_band),
        Experiment("Figure 5", "two walks blended without and with correspondence in time", two_walks),
        Experiment("Figure 6", "knee angles, warped both ways", warped_knees),
        Experiment("Figure 7", "the grid of correspondences and its best path", correspondences),
        Experiment("Figure 8", "joint angles capped by a shaping function", capped_angles),
        Experiment("Figure 9", "undulations added by a shaping function", undulations),
        Experiment("Figure 10", "steps of displacement mapping", displacement_steps),
        Experiment("Figure 11", "displacement curves at work", displaced_clips),
    ),
    run_files=own_clips,
)
