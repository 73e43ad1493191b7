"""Pollard and Reitsma: dynamic motion filtering with a physically plausible contact model.

==========  ===================================================================================================
forces      The dynamic filter paper, part 2: forces and tracking errors of both double kicks (Figures 4 and 5)
kicks       The dynamic filter paper, part 1: two double kicks out of single ones, and how each is filtered
_own_files  The dynamic filter on the user's clips: judged, filtered and judged again
paper       Pollard and Reitsma, run again: Figures 2 to 6 on a double kick made of our two samples of a kick
==========  ===================================================================================================
"""
