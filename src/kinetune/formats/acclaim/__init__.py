"""Acclaim skeletons and motion (``.asf``, ``.amc``).

==============  =================================================================================================
acclaim_motion  The numbers of an Acclaim motion (``.amc``) and the rotations that they mean on a body (``.asf``)
amc             Acclaim motion (``.amc``), read and written with the skeleton (``.asf``) beside it
amc_writer      Writing Acclaim motion: back into the file it came from, or onto a skeleton made for it
asf             Acclaim skeletons (``.asf``): bones with a direction, a length and axes of their own
==============  =================================================================================================
"""
