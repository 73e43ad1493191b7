"""Chuang and Kuo 1996: cartoon animation and morphing with a wavelet curve descriptor.

==========  ==========================================================================================================
_gait       The wavelet paper, part 5: a walking dog (Figures 9 and 12 to 14)
_morphs     The wavelet paper, part 3: morphs by coefficients (Figure 4) and by physics (Figure 5)
motion      The wavelet paper, part 2: numerical methods (Section 3.3), and a hoop that is let go (Figures 6 and 7)
_own_files  The wavelet paper on the user's files: drawings are split, let go and morphed, walks are traced and
paper       Chuang and Kuo 1996, run again: Figures 2 to 7 and 9 to 14, Tables 1 and 2, and the methods of Section 3.3
_scales     The wavelet paper, part 1: the descriptor at several scales (Figure 2), Tables 1 and 2, and stiffness
tracing     The wavelet paper, part 4: legs traced over a swing (Figure 10) and what fits them (Figure 11)
==========  ==========================================================================================================
"""
