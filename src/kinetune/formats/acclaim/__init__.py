"""Acclaim skeletons and motion (``.asf``, ``.amc``).

===========  ======================================================================================
asf          Acclaim skeletons: bones with a direction, a length and axes of their own
amc          Acclaim motion, read with the skeleton beside it
amc_motion   what such a file holds, as rotations and translations of joints
_amc_writer  Acclaim motion, written back into the file it came from or onto a skeleton made for it
===========  ======================================================================================
"""
