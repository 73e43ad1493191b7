"""The verdict: captured-like motion passes, planted defects are named with their frames."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from benchmarks.planted_defects import PHYSICS, float_up, glide

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.floor import find_ground
from kinetune.body.root_motion import place
from kinetune.body.skeleton import EndSite
from kinetune.physics._motion_evidence import MotionEvidence, root_wrench
from kinetune.physics.equations_of_motion import euler_velocities, segment_poses
from kinetune.physics.verdict import TESTS, judge_motion
from tests.body.people import random_clip, random_tree
from tests.physics.figures import required_forces, still, walker, walker_body

DATA = Path(os.environ.get("KINETUNE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["walk", "run", "kick-1", "sit-and-drink", "wave", "walk-child"])
def test_samples_are_plausible(name):
    assert judge_motion(kt.sample(name)).verdict == "plausible"


@pytest.mark.slow
@pytest.mark.parametrize("defect", PHYSICS)
def test_planted_defects_are_caught(defect):
    judged = judge_motion(PHYSICS[defect](kt.sample("walk")))
    assert judged.verdict != "plausible"
    assert all(reason.kind.startswith("physics-") and reason.message for reason in judged.reasons)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("defect", "kind"),
    [
        ("upside down", "physics-up-axis"),
        ("float 25 cm", "physics-hover"),
        ("glide 0.5 m/s", "physics-glide"),
        ("jitter 2 degrees", "physics-jitter"),
        ("double speed", "physics-too-fast"),
        ("jolt", "physics-jolt"),
    ],
)
def test_the_reason_names_the_defect(defect, kind):
    reasons = judge_motion(PHYSICS[defect](kt.sample("walk"))).reasons
    assert kind in {reason.kind for reason in reasons}


def test_a_leg_without_a_body_is_not_called_impossible():
    """Captures of one limb are common in gait laboratories; nothing is known of what stands on it."""
    walk = kt.sample("walk")
    joints = [walk.skeleton.roles[f"left {part}"] for part in ("upper leg", "lower leg", "foot")]
    offsets = np.array(walk.skeleton.offsets[joints])
    rotations = np.array(walk.rotations[:, joints])
    rotations[:, 0] = walk.world_rotations()[:, joints[0]]
    leg = kt.Skeleton(
        ("Leg", "Knee", "Foot"),
        (-1, 0, 1),
        offsets * [[0.0], [1.0], [1.0]],
        (EndSite(2, np.array([0.0, -0.05, 0.15])),),
    )
    judged = judge_motion(kt.Clip(leg, walk.fps, walk.positions()[:, joints[0]], rotations))
    assert judged.verdict == "plausible"
    assert any("part of a body" in note for note in judged.notes)


def evidence_of(clip):
    return MotionEvidence(clip, kt.Body.fit(clip.skeleton, clip=clip), find_ground(clip), cutoff_hz=None)


def test_steps_take_half_as_long_at_double_speed_and_a_belt_does_not_count():
    walk = kt.sample("walk")
    times = evidence_of(walk).step_times
    assert len(times) >= 4
    assert 1.2 < np.median(times) < 2.6
    hurried = evidence_of(kt.Resample(fps=60.0)(walk).replace(fps=120.0)).step_times  # judged at 60 frames a second
    assert np.median(hurried) == pytest.approx(0.5 * np.median(times), rel=0.05)
    assert len(evidence_of(kt.sample("wave")).step_times) == 0
    travel = np.outer(np.linspace(0.0, 1.0, len(walk)), (walk.root[-1] - walk.root[0]) * [1.0, 0.0, 1.0])
    in_place = evidence_of(walk.replace(root=walk.root - travel)).step_times
    assert np.median(in_place) == pytest.approx(np.median(times), rel=0.1)


def test_a_float_is_found_where_it_is():
    clip = float_up(kt.sample("wave"), 0.25)
    hover = next(reason for reason in judge_motion(clip).reasons if reason.kind == "physics-hover")
    first, last = hover.frame
    assert 0.25 * len(clip) < first < last < 0.75 * len(clip)
    assert hover.severity == "error"


@pytest.mark.slow
def test_turning_and_moving_the_scene_changes_no_verdict():
    clip = glide(kt.sample("walk")[:240], 0.2)
    elsewhere = place(clip, rot.about_y(1.1), np.array([3.0, 0.0, -2.0]))
    one, other = judge_motion(clip), judge_motion(elsewhere)
    assert one.verdict == other.verdict
    assert [reason.kind for reason in one.reasons] == [reason.kind for reason in other.reasons]


def test_the_wrench_of_all_frames_is_that_of_the_equations_of_motion():
    """Another route: MuJoCo's inverse dynamics frame by frame. Both are second order in the time step."""
    clip, body = kt.Resample(fps=240.0)(walker()[:30]), walker_body()
    qpos = body.coordinates(clip)
    com, acceleration, moment = root_wrench(body, segment_poses(body, qpos), clip.fps)
    velocity, change = euler_velocities(body, qpos, 1.0 / clip.fps)
    need = required_forces(body, qpos[1:-1], 0.5 * (velocity[:-1] + velocity[1:]), change)
    force = body.mass * (acceleration + np.array([0.0, 9.81, 0.0]))
    root, axes = qpos[1:-1, :3], rot.to_matrix(qpos[1:-1, 3:7])
    about = np.einsum("fij,fj->fi", axes, need[:, 3:6]) - np.cross(com[1:-1] - root, need[:, :3])
    inner = slice(5, -5)
    assert np.abs(force[1:-1] - need[:, :3])[inner].max() < 0.02 * body.weight
    assert np.abs(moment[1:-1] * body.weight - about)[inner].max() < 0.01 * body.weight


def test_who_stands_on_the_hands_or_lies_down_is_not_upside_down():
    figure = still(120)
    arms = np.array(figure.rotations)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joint = figure.skeleton.roles[f"{side} upper arm"]
        along = figure.positions()[0, figure.skeleton.roles[f"{side} hand"]] - figure.positions()[0, joint]
        turn = np.arctan2(1.0, 0.0) - np.arctan2(along[1], abs(along[0]))
        arms[:, joint] = rot.multiply(rot.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * turn), arms[:, joint])
    raised = figure.replace(rotations=arms)
    assert raised.joint("left hand").positions[0, 1] > raised.joint("head").positions[0, 1] + 0.3

    def turned(clip, axis, degrees):
        return judge_motion(place(clip, rot.from_axis_angle(np.array(axis), np.deg2rad(degrees)), np.zeros(3))).values

    assert turned(figure, [0.0, 0.0, 1.0], 180.0)["up-axis"] == 1.0
    assert turned(raised, [0.0, 0.0, 1.0], 180.0)["up-axis"] == 0.0
    assert turned(figure, [1.0, 0.0, 0.0], -100.0)["up-axis"] == 0.0  # on the back, the legs a little up


def test_a_mean_over_a_moment_says_less():
    """The beginning of a glide and all of it: the same drift, and less of a proof."""
    clip = glide(kt.sample("walk"), 0.5)
    whole, start = (judge_motion(each).values["glide"] for each in (clip, clip[: round(0.5 * clip.fps)]))
    assert 0.0 < start < 0.7 * whole


@pytest.mark.slow
def test_standing_still_is_plausible_and_leaning_is_not():
    assert judge_motion(still(120)).verdict == "plausible"
    leaning = place(still(120), [np.cos(0.2), 0.0, 0.0, np.sin(0.2)], np.zeros(3))
    assert judge_motion(leaning).verdict == "impossible"


def test_what_cannot_be_judged_is_noted():
    coarse = kt.Resample(fps=12.0)(kt.sample("walk"))
    assert any("too coarse" in note for note in judge_motion(coarse).notes)
    tree = random_tree(7, seed=3)
    judged = judge_motion(random_clip(tree, frames=40, seed=1))
    assert any("thresholds come from captured humans" in note for note in judged.notes)


@pytest.mark.parametrize("frames", [3, 5, 8])
def test_short_clips_get_a_verdict(frames):
    assert judge_motion(kt.sample("walk")[:frames]).verdict == "plausible"


@pytest.mark.slow
def test_the_card_carries_verdict_and_reasons_and_writes_them():
    card = kt.physics_report(glide(kt.sample("walk")[:200], 0.5))
    assert card.verdict == "impossible"
    assert card.reasons
    facts = json.loads(json.dumps(card.as_dict()))
    assert facts["verdict"] == "impossible"
    assert facts["reasons"][0]["kind"].startswith("physics-")
    assert set(facts["tests"]) <= set(TESTS)


@pytest.mark.parametrize("file", ["cmu/83_15.bvh", "cmu_asfamc/02_03.amc", "accad/Male1_C11_RunTurnLeft90.bvh"])
def test_captured_steps_and_runs_are_plausible(file):
    if not (DATA / file).is_file():
        pytest.skip("needs captured clips (KINETUNE_DATA)")
    assert judge_motion(kt.read(DATA / file)).verdict == "plausible"


def test_the_page_lists_every_test_with_its_threshold():
    page = Path(__file__).resolve().parents[2] / "docs" / "verdict.md"
    text = page.read_text(encoding="utf-8")
    for test in TESTS.values():
        unit = "" if test.unit == "1" else f" {test.unit}"
        assert f"| `physics-{test.name}` | {test.measures} | {test.threshold:g}{unit} |" in text
