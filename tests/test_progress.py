"""Long work is watched between its parts, and stopped there."""

import numpy as np
import pytest

from kinetune.body.timeline.alignment import matching_times
from kinetune.progress import pause, stage, watched_by
from kinetune.samples import sample
from kinetune.signals.warping.time_warp import CostName, time_warp


class Enough(Exception):
    pass


def walks(frames: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Two signals with little in common, so that most of the table is filled."""
    chance = np.random.default_rng(1)
    return chance.standard_normal((frames, 3)), chance.standard_normal((other, 3))


def test_nobody_has_to_listen() -> None:
    pause(0.5)
    with stage(0, 2):
        pause(0.5)


def test_stages_share_the_whole() -> None:
    heard: list[float] = []
    with watched_by(heard.append):
        for number in range(2):
            with stage(number, 2):
                pause(0.0)
                with stage(1, 2):
                    pause(0.5)
        pause(1.0)
    pause(0.3)
    assert heard == [0.0, 0.375, 0.5, 0.875, 1.0]


@pytest.mark.parametrize(("cost", "frames"), [("pose", 700), ("sederberg", 2200)])
def test_a_warp_tells_how_far_it_is_and_stays_the_same(cost: CostName, frames: int) -> None:
    a, b = walks(frames, frames - 50)
    alone = time_warp(a, b, cost)
    heard: list[float] = []
    with watched_by(heard.append):
        watched = time_warp(a, b, cost)
    np.testing.assert_array_equal(watched.path, alone.path)
    assert len(heard) > 5
    assert 0.0 <= min(heard) < 0.2
    assert 0.8 < max(heard) <= 1.0


def test_a_warp_is_stopped_between_two_strips_and_the_next_one_is_right() -> None:
    a, b = walks(700, 650)
    alone = time_warp(a, b).path

    def hear(share: float) -> None:
        if share > 0.3:
            raise Enough

    with pytest.raises(Enough), watched_by(hear):
        time_warp(a, b)
    np.testing.assert_array_equal(time_warp(a, b).path, alone)


def test_clips_with_surplus_strides_tell_the_share_of_all_attempts() -> None:
    heard: list[float] = []
    with watched_by(heard.append):
        matching_times(sample("walk")[10:], sample("walk-sad")[5:])
    assert heard == sorted(heard), "it never goes back"
    assert heard[0] == 0.0
    assert heard[-1] > 0.5, "the last attempt is heard of"
