"""What becomes what: layers, curves and points of two drawings.

=====================  ===========================================================================================
correspondence         Which point of one outline becomes which point of the other
curve_pairing          Which curve of one layer becomes which curve of another: alike in place and size, no curve
elastic_match          Elastic matching of two curves: each may run slower and faster along itself, so that like
elastic_match_kernels  The cheapest path of an elastic match, compiled
layer_matching         Which layer of one drawing becomes which layer of another
outline_alignment      Where one outline begins on another, and by how much it is turned: correlation with the FFT
pins                   Pins: points of two drawings that must become each other
=====================  ===========================================================================================
"""
