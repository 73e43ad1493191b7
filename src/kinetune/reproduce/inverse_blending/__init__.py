"""Huang and Kallmann 2010: motion parameterization with inverse blending.

==========  ==========================================================================================================
aiming      The inverse blending paper, part 1: aimed actions (Figure 1), k and priorities (Section 3), spheres
_own_files  Inverse blending on the user's clips: steps are cut out of them, and a walk on footsteps is made of
paper       Huang and Kallmann 2010, run again: Figures 1 to 6, k and priorities of Section 3, the timing of Section 6
_timing     The inverse blending paper, part 3: how long a problem takes (Section 6)
walking     The inverse blending paper, part 2: steps (Figure 2), their blend (3), their concatenation (4), and walks
==========  ==========================================================================================================
"""
