"""What is wrong with a motion: one set of detectors, whose findings name the operation that mends them.

================  ======================================================================================
detectors         all detectors in the order in which defects are mended, and what each measures
examination       everything that they and physics find in a clip, as one list
pipeline_checks   checks that a pipeline asks for: loop seam, root drift, gait
reading_faults   unit, up axis and frame rate that do not fit the motion
_pose_faults      stray poses, wrong frames, flips, spikes, noise, frames that hang
_stance_faults    floor, joint limits, sliding feet, bodies in the floor
_skeleton_faults  joints that are missing, swapped, stretched or never used
_physics_faults   the verdict of physics on the first seconds
================  ======================================================================================

``kinetune doctor`` reports the findings, ``kinetune clean`` and ``doctor --fix`` take the steps that they carry, and
the studio's check-up offers them. Kinds are stable names for programs; docs/findings.md has a section for each.
"""
