"""When things happen in a film of drawings.

===========  ==================================================================
eases        how time runs between two keys
film_timing  several keys, holds, drawings on twos, layers that start later
===========  ==================================================================
"""
