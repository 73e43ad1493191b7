import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.physics.filter.filtering import run_filter
from kinetune.physics.seam_search import search_seams
from kinetune.progress import reporting


@pytest.mark.slow
def test_the_best_of_several_is_at_least_as_good_as_the_first():
    first, second = (kt.Resample(fps=60)(kt.sample(name)) for name in ("kick-1", "kick-2"))
    seen = []
    with reporting(lambda *said: seen.append(said)):
        clip, found = search_seams(first, second, tries=2, method="filter")
    single = run_filter(kt.splice(first, second), found.body)
    assert not found.tracking.fell
    assert found.tracking.trunk_deg <= single.tracking.trunk_deg + 5.0
    assert np.array_equal(found.clip.skeleton.offsets, clip.skeleton.offsets)
    assert seen[0] == (0.0, "trying seams")
    assert seen[1] == (0.0, "trying seams: filtering")


@pytest.mark.slow
def test_the_whole_method_takes_the_seam_that_moves_least():
    first, second = (kt.Resample(fps=60)(kt.sample(name)) for name in ("walk", "walk-happy"))
    _, alone = search_seams(first[:90], second[:120], tries=1)
    _, best = search_seams(first[:90], second[:120], tries=3)
    assert best.method == "whole"
    assert best.status == "corrected"
    assert best.correction.com_cm <= alone.correction.com_cm + 1.0


@pytest.mark.parametrize("tries", [0, 65])
def test_tries_out_of_range_are_refused(tries):
    with pytest.raises(ParameterError, match="tries"):
        search_seams(kt.sample("kick-1"), kt.sample("kick-2"), tries=tries)
