import numpy as np
import pytest

from kinetune.body.timeline.cycles import find_cycle
from kinetune.errors import ParameterError
from tests.operations import making


@pytest.mark.parametrize("fps", [24.0, 60.0, 119.88])
@pytest.mark.parametrize("period", [0.7, 1.3])
def test_the_period_of_a_walk(fps, period):
    found = find_cycle(making.walker(int(3.2 * period * fps), fps, period=period))
    assert (found.end - found.start) / fps == pytest.approx(period, abs=1.0 / fps)
    assert found.gap_mm < 40


def test_one_stride_rather_than_two():
    clip = making.walker(301)
    found = find_cycle(clip)
    assert found.end - found.start == 60
    assert found.score < 1e-9


def test_where_the_figure_goes_does_not_matter():
    clip = making.walker(151, drift=0.05)
    one, other = find_cycle(clip), find_cycle(making.turned(clip, 2.0, about=(5.0, 0.0, 1.0)))
    assert (one.start, one.end) == (other.start, other.end)


def test_standing_still_is_not_taken_for_a_cycle():
    """After the walk the figure stands for as long; standing repeats perfectly, and nobody means it."""
    walk = making.walker(151, drift=0.03)
    held = np.repeat(walk.rotations[-1:], 150, axis=0)
    root = np.repeat(walk.root[-1:], 150, axis=0)
    clip = walk.replace(
        root=np.concatenate([walk.root, root]), rotations=np.concatenate([walk.rotations, held]), contacts=None
    )
    found = find_cycle(clip)
    assert found.end - found.start == 60
    assert found.end <= 151


def test_an_end_that_is_given_is_kept():
    clip = making.walker(151)
    assert find_cycle(clip, start=17).start == 17
    assert find_cycle(clip, start=17).end == 77
    assert find_cycle(clip, end=101).start == 41
    assert find_cycle(clip, start=3, end=90).end == 90


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: find_cycle(making.walker(10)), "lasts 0.15 s, but a cycle takes at least 19 frames and 0.3 s"),
        (lambda: find_cycle(making.walker(50)), "No part of the clip repeats itself"),
        (lambda: find_cycle(making.walker(50), start=50), "start is frame 50, but the clip has frames 0 to 49"),
        (lambda: find_cycle(making.walker(50), start=9, end=9), "must end after it starts; got frames 9 to 9"),
    ],
)
def test_where_there_is_none_it_is_told(make, words):
    with pytest.raises(ParameterError, match=words):
        make()
