"""Where the moments of a clip go: at corresponding moments, the result shows the poses of the clip."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.operations.base import collecting_results

OPERATIONS = {
    "retime": kt.Retime(speed=0.6),
    "curve of time": kt.Retime(keys=((0.0, 0.5), (2.0, 1.5), (5.0, 4.5))),
    "trim": kt.Trim(start=31, end=250),
    "loop": kt.Loop(cycles=3, amount=0.0),
    "align": kt.Align(to="other"),
    "align half": kt.Align(to="other", amount=0.5),
    "timing of a blend": kt.Blend(other="other", weight=0.0, timing=0.5),
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_the_result_shows_the_poses_of_those_moments(operation):
    clip, others = kt.sample("walk-happy"), {"other": kt.sample("walk-sad")}
    inputs = {name: others[name] for name in operation.inputs_needed()}
    with collecting_results() as results:
        result = operation(clip, **inputs)
    parts = operation.moments(clip, inputs, result, operation.report(clip, result, results))
    assert len(parts) == getattr(operation, "cycles", 1)
    for part in parts:
        assert (np.diff(part, axis=0) >= -1e-9).all(), "in order"
        own, there = np.stack([np.interp(np.linspace(0, 1, 50), np.linspace(0, 1, len(part)), row) for row in part.T])
        assert np.rad2deg(rot.angle_between(poses(clip, own), poses(result, there))).max() < 5.0, (
            "what is played faster is smoother"
        )


def poses(clip, seconds):
    """The rotations of a clip between its frames."""
    frames = np.clip(np.asarray(seconds) * clip.fps, 0.0, len(clip) - 1.0)
    first = np.minimum(frames.astype(int), len(clip) - 2)
    return rot.slerp(clip.rotations[first], clip.rotations[first + 1], (frames - first)[:, None])


def test_a_step_that_keeps_the_timing_says_so_and_a_generator_knows_of_none():
    clip = kt.sample("walk")
    (part,) = kt.Smooth(cutoff_hz=6).moments(clip, {}, clip, None)
    np.testing.assert_array_equal(part, [[0.0, 0.0], [clip.duration, clip.duration]])
    assert kt.FollowFootsteps().moments(clip, {}, clip, None) is None
