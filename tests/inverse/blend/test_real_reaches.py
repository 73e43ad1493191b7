"""Captured reaches through the same API."""

import numpy as np
import pytest
from benchmarks.quality_reach import HAND, leave_one_out, reach_set

from kinetune.inverse.blend.constraints import AtPoint
from kinetune.inverse.blend.inverse_blend import InverseBlend


@pytest.fixture(scope="module")
def takes(shared_data):
    files = [shared_data / "hdm05" / f"HDM_dg_grabHighR_{number:03}_120.amc" for number in (11, 13, 14, 15, 16)]
    return reach_set(files, highest=True)


def test_a_place_between_captured_grabs_is_reached(takes):
    blend = InverseBlend(takes)
    between = blend.blend(np.ones(len(takes))).joint(HAND).positions[-1]
    found = blend.solve(AtPoint(HAND, between))
    assert found.reachable
    assert np.linalg.norm(found.clip.joint(HAND).positions[-1] - between) < 1e-5
    # Bones keep their lengths: nothing was bent to get there.
    bone = (
        found.clip.positions()[:, 1:4] - found.clip.positions()[:, [found.clip.skeleton.parents[j] for j in (1, 2, 3)]]
    )
    assert np.ptp(np.linalg.norm(bone, axis=-1), axis=0).max() < 1e-9


def test_a_take_left_out_is_approached(takes):
    """Aimed at its hand, the others come nearer to it than the paper's kernel does, and stay as like the whole take."""
    _, miss, _, joints, nearest, _, kernel_miss = leave_one_out(takes).mean(axis=0)
    assert miss < 0.75 * kernel_miss
    assert joints < 1.1 * nearest
