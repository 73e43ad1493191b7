import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.body.skeleton import Skeleton
from kinetune.library.body_rows import (
    COLUMNS,
    POSE,
    WINDOW,
    WINDOW_COLUMNS,
    NotComparable,
    body_rows,
    mirrored,
    window_means,
    with_velocity,
)


@pytest.fixture(scope="module")
def walk():
    return kt.sample("walk")


def test_position_and_heading_do_not_matter(walk):
    moved = place(walk, rot.about_y(1.3), (4.0, 0.0, -7.0))
    assert np.abs(body_rows(moved)[0] - body_rows(walk)[0]).max() < 1e-5


def test_size_does_not_matter(walk):
    twice = walk.replace(skeleton=walk.skeleton.scaled(2.0), root=2.0 * walk.root)
    assert np.abs(body_rows(twice)[0] - body_rows(walk)[0]).max() < 1e-5


def test_names_and_extra_joints_do_not_matter():
    plain, rig, fingers = (body_rows(kt.sample(name))[0] for name in ("wave", "wave-rig", "wave-fingers"))
    assert np.abs(plain - rig)[:, :POSE].max() < 1e-4
    assert np.abs(plain - fingers)[:, :POSE].max() < 1e-4


def test_the_frame_rate_does_not_matter(walk):
    slower = body_rows(kt.Resample(fps=40.0)(walk))[0]
    ours = body_rows(walk)[0][: len(slower)]
    assert np.sqrt(np.mean(np.sum((ours - slower)[5:-5] ** 2, axis=1))) < 0.003


@pytest.mark.parametrize("name", ["walk", "kick-1", "sit-and-drink"])
def test_the_rows_of_a_mirrored_clip_are_the_mirrored_rows(name):
    clip = kt.sample(name)
    assert np.abs(body_rows(kt.Mirror()(clip))[0] - mirrored(body_rows(clip)[0])).max() < 1e-4


def test_mirroring_twice_is_nothing(walk):
    rows = with_velocity(body_rows(walk)[0])
    assert rows.shape[1] == WINDOW_COLUMNS
    assert np.array_equal(mirrored(mirrored(rows)), rows)
    assert np.abs(mirrored(with_velocity(rows[:, :COLUMNS])) - with_velocity(mirrored(rows[:, :COLUMNS]))).max() < 1e-6


def test_travel_ahead_is_the_speed_of_the_walk(walk):
    ahead = body_rows(walk)[0][:, POSE + 1] / 0.2  # a metre a second counts like 20 cm
    path = walk.positions()[:, walk.skeleton.roles["hips"]][:, [0, 2]]
    speed = np.linalg.norm(path[-1] - path[0]) / walk.duration
    assert ahead.mean() == pytest.approx(speed, rel=0.03)


def test_a_window_is_the_mean_of_its_rows(walk):
    rows = body_rows(walk)[0][: 3 * WINDOW + 2]
    windows = window_means(with_velocity(rows))
    assert len(windows) == 4
    assert np.allclose(windows[1], with_velocity(rows)[WINDOW : 2 * WINDOW].mean(axis=0), atol=1e-6)
    assert np.allclose(windows[3], with_velocity(rows)[3 * WINDOW :].mean(axis=0), atol=1e-6)


def test_a_t_pose_at_the_start_is_left_out(walk):
    rotations = np.array(walk.rotations)
    rotations[0] = rot.identity(len(walk.skeleton))
    rows, first = body_rows(walk.replace(rotations=rotations))
    assert first == 1
    assert np.abs(rows[:20] - body_rows(walk[1:])[0][:20]).max() < 1e-5


def test_a_single_frame_has_a_row_that_stands_still(walk):
    rows, _ = body_rows(walk[100:101])
    assert rows.shape == (1, COLUMNS)
    assert not rows[0, POSE + 1 :].any()


def test_a_skeleton_without_legs_is_refused():
    arm = Skeleton(("shoulder", "elbow"), [-1, 0], [(0, 1.4, 0), (0.3, 0, 0)])
    clip = kt.Clip(arm, 30.0, np.zeros((4, 3)), np.tile([1.0, 0, 0, 0], (4, 2, 1)))
    with pytest.raises(NotComparable, match=r'no joint in the role "left upper leg"'):
        body_rows(clip)
