"""Long work is watched between its parts, and stopped there."""

import numpy as np
import pytest

from kinetune.body.timeline.alignment import matching_times
from kinetune.progress import Cancelled, report, reporting, stage
from kinetune.samples import sample
from kinetune.signals.warping.time_warp import CostName, time_warp


def walks(frames: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Two signals with little in common, so that most of the table is filled."""
    chance = np.random.default_rng(1)
    return chance.standard_normal((frames, 3)), chance.standard_normal((other, 3))


def test_reports_need_no_sink() -> None:
    report(0.5, "walking")
    with stage(0, 2, "first"):
        report(0.5)


def test_stages_share_the_whole() -> None:
    shares: list[float | None] = []
    with reporting(lambda share, text: shares.append(share)):
        for number in range(2):
            with stage(number, 2):
                report(0.0)
                with stage(1, 2):
                    report(0.5)
                    report(None, "compiling")
        report(1.0)
    report(0.3)
    assert shares == [0.0, 0.375, None, 0.5, 0.875, None, 1.0]


def test_the_text_of_a_stage_goes_before_what_is_reported_inside() -> None:
    reports: list[tuple[float | None, str]] = []
    with reporting(lambda *said: reports.append(said)), stage(1, 2, "walk.bvh"):
        report(0.5, "aligning")
        with stage(0, 1, "blend"):
            report(1.0, "aligning")
    assert reports == [
        (0.5, "walk.bvh"),
        (0.75, "walk.bvh: aligning"),
        (0.5, "walk.bvh: blend"),
        (1.0, "walk.bvh: blend: aligning"),
    ]


def test_a_sink_that_reports_reaches_the_next_one_outside() -> None:
    outer: list[tuple[float | None, str]] = []
    with reporting(lambda *said: outer.append(said)), reporting(lambda share, text: report(0.5, f"inner {text}")):
        report(0.1, "work")
    assert outer == [(0.5, "inner work")]


@pytest.mark.parametrize(("cost", "frames"), [("pose", 700), ("sederberg", 2200)])
def test_a_warp_tells_how_far_it_is_and_stays_the_same(cost: CostName, frames: int) -> None:
    a, b = walks(frames, frames - 50)
    alone = time_warp(a, b, cost)
    heard: list[float] = []
    with reporting(lambda share, text: heard.append(share or 0.0)):
        watched = time_warp(a, b, cost)
    np.testing.assert_array_equal(watched.path, alone.path)
    assert len(heard) > 5
    assert 0.0 <= min(heard) < 0.2
    assert 0.8 < max(heard) <= 1.0


def test_a_warp_is_stopped_between_two_strips_and_the_next_one_is_right() -> None:
    a, b = walks(700, 650)
    alone = time_warp(a, b).path

    def show(share: float | None, text: str) -> None:
        if (share or 0.0) > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled), reporting(show):
        time_warp(a, b)
    np.testing.assert_array_equal(time_warp(a, b).path, alone)


def test_clips_with_surplus_strides_tell_the_share_of_all_attempts() -> None:
    heard: list[float] = []
    with reporting(lambda share, text: heard.append(share or 0.0)):
        matching_times(sample("walk")[10:], sample("walk-sad")[5:])
    assert heard == sorted(heard), "it never goes back"
    assert heard[0] == 0.0
    assert heard[-1] > 0.5, "the last attempt is heard of"
