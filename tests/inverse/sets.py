"""Example sets for the tests, made once."""

from functools import cache

import numpy as np

from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.samples import sample

COUNTS = {"reach": 16, "point": 20, "grasp": 15, "pour": 20}


@cache
def clips(kind):
    return tuple(sample(f"{kind}-{number:02}") for number in range(1, COUNTS[kind] + 1))


@cache
def blend(kind="reach", rotations="quaternion"):
    return InverseBlend(clips(kind), rotations=rotations)


def mixtures(kind, count, seed=0, sharp=0.5):
    """Random weights (count, examples)."""
    return np.random.default_rng(seed).dirichlet(np.full(COUNTS[kind], sharp), count)
