import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import MalformedFileError, ParameterError, UnknownNameError
from kinetune.inverse.walk.detours import each_missing
from kinetune.inverse.walk.footstep_planners import read_path


def places(footsteps):
    return np.array([(f.x, f.z, f.heading_deg) for f in footsteps])


def test_feet_alternate_along_a_line():
    made = kt.plan_footsteps("straight", count=10, length=0.5, width=0.2, toe_out_deg=3.0, first="right")
    assert [f.side for f in made[:3]] == ["right", "left", "right"]
    assert np.allclose(places(made)[:9, 1], 0.5 * np.arange(1, 10), atol=1e-6)
    assert np.allclose([f.x for f in made], [-0.1, 0.1] * 5, atol=0.02)
    assert np.allclose([f.heading_deg for f in made], [-3.0, 3.0] * 5)


def test_a_walk_closes_beside_the_last_foot():
    made = kt.plan_footsteps("straight", count=6)
    assert np.isclose(made[-1].z, made[-2].z, atol=0.02)
    assert not np.isclose(kt.plan_footsteps("straight", count=6, close=False)[-1].z, made[-2].z, atol=0.2)


def test_a_circle_comes_back():
    made = kt.plan_footsteps("circle:r=2,turns=1", width=0.0, toe_out_deg=0.0)
    found = places(made)
    assert np.allclose(np.hypot(found[:, 0] - 2.0, found[:, 1]), 2.0, atol=1e-3)
    assert np.allclose(found[-1, :2], 0.0, atol=1e-6)
    right = places(kt.plan_footsteps("circle", r=2.0, turns=-1.0, width=0.0, toe_out_deg=0.0))
    assert np.allclose(right * [-1, 1, -1], found)


def test_bends_make_steps_shorter():
    wide, tight = (places(kt.plan_footsteps(f"circle:r={r}", width=0.0, close=False)) for r in (3.0, 0.6))
    length = [np.hypot(*np.diff(found[:, :2], axis=0).T).max() for found in (wide, tight)]
    assert length[1] < 0.75 * length[0]


def test_points_and_headings_are_followed():
    points = [(0, 0), (0, 2), (1, 4)]
    made = places(kt.plan_footsteps(points, width=0.0, toe_out_deg=0.0))
    assert np.allclose(made[-1, :2], (1, 4), atol=1e-6)
    sideways = kt.plan_footsteps([(0, 0, 90), (0, 3, 90)], toe_out_deg=0.0)
    assert np.allclose([f.heading_deg for f in sideways], 90.0)


def test_it_starts_where_it_is_told():
    made = places(kt.plan_footsteps("straight", count=4, width=0.0, toe_out_deg=0.0, start=(1.0, 2.0, 90.0)))
    assert np.allclose(made[:, 1], 2.0, atol=1e-6)
    assert np.all(made[:, 0] > 1.0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: kt.plan_footsteps("loop"), UnknownNameError, "straight, circle, slalom"),
        (lambda: kt.plan_footsteps("circle:q=2"), ParameterError, 'no parameter "q"'),
        (lambda: kt.plan_footsteps("circle:r=two"), ParameterError, "circle:r=2"),
        (lambda: kt.plan_footsteps("circle:r=-1"), ParameterError, "positive"),
        (lambda: kt.plan_footsteps("straight:length=nan"), ParameterError, "length"),
        (lambda: kt.plan_footsteps("straight", count=0), ParameterError, "count"),
        (lambda: kt.plan_footsteps("straight", first="up"), ParameterError, '"left" or "right"'),
        (lambda: kt.plan_footsteps([(0, 0)]), ParameterError, "at least two"),
        (lambda: kt.plan_footsteps([(0, 0), (0, np.nan)]), ParameterError, "at least two"),
        (lambda: kt.plan_footsteps([(1, 1), (1, 1)]), ParameterError, "different"),
        (lambda: kt.plan_footsteps("straight", length=9.0), ParameterError, "length of a step"),
        (lambda: kt.plan_footsteps("straight:length=10000", length=0.05), ParameterError, "20,000"),
    ],
)
def test_bad_ways_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("path", ["circle:r=1.1,turns=0.5", "circle:r=0.9,turns=-0.5"])
def test_a_set_can_make_the_steps_that_are_planned_for_it(path):
    steps = kt.walking.sample_steps()
    report = kt.walk(kt.plan_footsteps(path, steps=steps), steps).report
    assert not report.inserted
    assert all(step.reached for step in report.steps)


def test_points_as_text_and_as_a_file_are_the_same_path(tmp_path):
    points = [(0.0, 0.0), (0.0, 2.0), (1.0, 4.0)]
    (tmp_path / "path.csv").write_text("x,z\n" + "\n".join(f"{x},{z}" for x, z in points))
    plan = kt.plan_footsteps(points)
    assert plan == kt.plan_footsteps("points:0,0;0,2;1,4")
    assert plan == kt.plan_footsteps(read_path(tmp_path / "path.csv"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at least two points"),
        ("0,0", "at least two points"),
        ("0,0\n1", "no point of a path"),
        ("0,0\n1,x", "no point of a path"),
        ("0,0\n1,2,3", "no point of a path"),
        ("0,0\n1,nan", "no point of a path"),
    ],
)
def test_bad_path_files_are_refused(tmp_path, text, words):
    (tmp_path / "path.csv").write_text(text)
    with pytest.raises(MalformedFileError, match=words):
        read_path(tmp_path / "path.csv")


@pytest.mark.slow
def test_corners_are_rounded_as_far_as_the_steps_need():
    """Round right angles the embedded steps could not follow: they were up to a metre off."""
    corners = "points:0,0;0,3;3,3;3,6"
    steps = kt.walking.sample_steps()
    plan = kt.plan_footsteps(corners, steps=steps)
    assert max(each_missing(steps, plan[:-1])) < 0.2
    assert not any(row.missed for row in kt.walk(plan, steps).report.steps)
    middle = np.array([[f.x, f.z] for f in plan])
    assert np.linalg.norm(middle - [3.0, 6.0], axis=1).min() < 0.3


def test_a_circle_is_not_rounded_for_steps_that_can_be_bent():
    plan = kt.plan_footsteps("circle:r=2", steps=kt.walking.sample_steps(1.25))
    far = [np.hypot(foot.x - 2.0, foot.z) for foot in plan]
    assert min(far) > 1.85
    assert max(far) < 2.15
