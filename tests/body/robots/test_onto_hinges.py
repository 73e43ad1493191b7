import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.robots.onto_hinges import bring_onto_hinges
from kinetune.body.robots.robot import RobotLayout
from kinetune.body.source import Source
from tests.body.robots.test_hinge_problem import arm


def swinging(robot, frames=40):
    rows = np.tile(robot.home, (frames, 1))
    rows[:, 1] = 1.0
    rows[:, 7] = 0.5 * np.sin(np.linspace(0, 6, frames))
    rows[:, 10] = 0.3
    root, rotations, translations = robot.pose(rows)
    return kt.Clip(robot.skeleton, 30.0, root, rotations, translations, source=Source(layout=RobotLayout(robot)))


def test_a_motion_that_hinges_can_do_is_not_touched():
    robot = arm()
    clip = swinging(robot)
    assert bring_onto_hinges(clip, robot).clip is clip


def test_an_axis_that_is_missing_is_made_up_for_by_the_others():
    robot = arm()
    clip = swinging(robot)
    turned = np.array(clip.rotations)
    turned[:, 3] = rot.multiply(turned[:, 3], rot.exp(np.tile([0.2, 0.0, 0.0], (len(clip), 1))))
    edited = clip.replace(rotations=turned)
    result = bring_onto_hinges(edited, robot)
    assert robot.qpos(result.clip)[1].max() < 1e-9
    assert 0.0 < result.turned < 0.25
    assert result.moved_m < 0.1
    assert "mm" in result.summary()


def test_an_edit_that_leaves_the_range_comes_back_into_it(tmp_path):
    robot = arm(lower=-0.3, upper=0.4)
    limited = kt.Limit()(swinging(robot))
    rows = robot.qpos(limited)[0]
    assert rows[:, [7, 8, 10]].min() >= -0.3
    assert rows[:, [7, 8, 10]].max() <= 0.4
