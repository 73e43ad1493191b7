"""Walks on footsteps: plan them, walk them, report how each came out.

=================  =============================================================================
footsteps          Footstep, reading footsteps, and positions on the floor seen from a foot
footstep_planners  Footsteps along a path: straight, circle, slalom, or any points
walker             Walker: takes one footstep after another
walk_values        Walk and its steps
walk_preview       A walk that is being edited: only the steps from the moved footprint on are recomputed
walk_report        How each footstep came out, and messages about those out of reach
detours            Steps inserted before a footstep that is too far, or on the wrong side
_settling          Feet brought onto footsteps just out of reach, and a pelvis that does not lurch
_dubins            The shortest path between two headings that never turns tighter than a radius
=================  =============================================================================
"""
