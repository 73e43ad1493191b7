import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import facing
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footsteps import Footstep
from kinetune.inverse.walk.walker import walk_on
from kinetune.samples import sample, step_clips
from tests.operations import making

PATHS = {"straight": "straight", "circle": "circle:r=2", "slalom": "slalom"}


def unaligned():
    """The six steps, each somewhere else in the world and facing another way."""
    rng = np.random.default_rng(7)
    clips = [step_clips()[f"step-{number:02}"] for number in range(1, 7)]
    return kt.walking.StepSet.from_clips(
        [making.turned(clip, rng.uniform(-3, 3), about=(*rng.uniform(-3, 3, 2), 1.0)) for clip in clips]
    )


@pytest.fixture(scope="module", params=[*PATHS, "unaligned"])
def walked(request):
    """Forty steps along a way."""
    steps = unaligned() if request.param == "unaligned" else kt.walking.sample_steps()
    footsteps = kt.plan_footsteps(PATHS.get(request.param, "circle:r=3"), count=40, steps=steps)
    return footsteps, kt.walk(footsteps, steps)


@pytest.mark.slow
def test_every_foot_stands_exactly_where_it_shall(walked):
    footsteps, walk = walked
    assert len(walk.report.steps) == len(footsteps)
    assert not walk.report.notes
    worst = walk.report.worst
    assert worst["error_mm"] < 0.01
    assert worst["heading_error_deg"] < 0.01
    assert worst["height_mm"] < 2.0
    assert worst["drift_mm"] < 0.001
    assert worst["jump_deg"] < 0.3


def test_the_report_tells_what_is_in_the_clip(walked):
    """The second algorithm: read the toe joints of the finished clip with forward kinematics of the whole figure."""
    footsteps, walk = walked
    clip = walk.clip
    for footstep, row in list(zip(footsteps, walk.report.steps, strict=True))[::5]:
        joint = clip.joint(f"{footstep.side} toes")
        place = clip.positions()[row.frame, joint]
        heading = np.degrees(rot.heading(clip.world_rotations()[row.frame, joint]))
        assert row.side == footstep.side
        assert np.hypot(place[0] - footstep.x, place[2] - footstep.z) < 1e-5
        assert abs((heading - footstep.heading_deg + 180) % 360 - 180) < 0.01


@pytest.mark.slow
def test_standing_feet_do_not_slide_or_sink(walked):
    _, walk = walked
    measured = kt.measure(walk.clip)
    assert measured["foot_slide_worst_mm"] < 1.5
    assert measured["penetration_mm"] < 1.0
    assert measured["flips"] == 0
    # Contacts that are found begin before a foot is quite down, in a walk without seams as in this one.
    found, usual = (kt.measure(clip, contacts="find")["foot_slide_mm"] for clip in (walk.clip, kt.sample("walk")))
    assert found < max(1.5 * usual, 6.5)


def test_hips_go_on_smoothly(walked):
    """Seams of steps are not felt: the hips are never thrown harder than twice as hard as in a walk without seams."""
    _, walk = walked

    def hardest(clip):
        return np.percentile(np.linalg.norm(np.diff(clip.root, 2, axis=0), axis=1) * clip.fps**2, 97)

    assert hardest(walk.clip) < 2.0 * hardest(kt.sample("walk"))


@pytest.mark.slow
def test_knees_do_not_pop(walked):
    _, walk = walked
    knees = rot.angle(walk.clip.rotations[:, [walk.clip.joint("left knee"), walk.clip.joint("right knee")]])
    assert np.degrees(np.abs(np.diff(knees, axis=0)).max()) < 15.0  # 900 degrees a second at 60 fps
    assert np.degrees(knees.min()) > 1.0


def test_the_figure_looks_where_it_walks(walked):
    footsteps, walk = walked
    for row, footstep in list(zip(walk.report.steps, footsteps, strict=True))[2:-2:7]:
        turn = np.degrees(facing(walk.clip)[row.frame]) - footstep.heading_deg
        assert abs((turn + 180) % 360 - 180) < 25.0


def test_it_begins_and_ends_standing():
    walk = kt.walk(kt.plan_footsteps("straight", count=6, steps=kt.walking.sample_steps()))
    speed = np.linalg.norm(np.diff(walk.clip.root[:, [0, 2]], axis=0), axis=1) * walk.clip.fps
    assert speed[:6].max() < 0.25
    assert speed[-6:].max() < 0.1
    assert speed[80:150].min() > 0.4
    assert walk.clip.contacts.flags[[0, -1]].all()


def test_it_can_go_on_instead():
    steps = kt.walking.sample_steps()
    walk = kt.walk(kt.plan_footsteps("straight", count=6, steps=steps, close=False), steps, stop=False)
    speed = np.linalg.norm(np.diff(walk.clip.root[:, [0, 2]], axis=0), axis=1) * walk.clip.fps
    assert speed[-6:].min() > 0.4


def test_turning_the_footsteps_turns_the_walk():
    footsteps = kt.plan_footsteps("slalom", count=8, steps=kt.walking.sample_steps())
    turned = kt.plan_footsteps("slalom", count=8, steps=kt.walking.sample_steps(), start=(2.0, -1.0, 75.0))
    one, other = kt.walk(footsteps).clip, kt.walk(turned).clip
    moved = rot.rotate(rot.about_y(np.radians(75.0)), one.root) + np.array([2.0, 0.0, -1.0])
    assert np.allclose(other.root, moved, atol=1e-4)


def test_the_contract():
    walk = kt.walk([kt.Footstep("left", x=0.1, z=0.6, heading_deg=0), kt.Footstep("right", x=-0.1, z=1.05)], steps=None)
    row = walk.report.steps[0]
    names = ("side", "frame", "error_mm", "heading_error_deg", "height_mm", "drift_mm", "jump_deg")
    assert set(names) <= set(row.as_dict())
    assert isinstance(walk.clip, kt.Clip)
    assert walk.report.steps[1].frame == len(walk.clip) - 1
    assert [p.inserted for p in walk.placements] == [False, False]


@pytest.mark.slow
def test_clips_may_be_given_as_steps():
    walk = kt.walk([("left", 0.1, 0.7, 0), ("right", -0.05, 1.35, 0)], kt.sample("walk"))
    assert walk.clip.skeleton == kt.sample("walk").skeleton
    with pytest.raises(kt.KinetuneError, match="takes a StepSet or clips"):
        kt.walk([("left", 0.1, 0.6, 0)], ["walk.bvh"])


def test_both_bodies_walk_alike(monkeypatch):
    steps = kt.walking.sample_steps()
    footsteps = kt.plan_footsteps("circle:r=3", count=4, steps=steps)
    clips = []
    for mode in ("always", "never"):
        monkeypatch.setenv("KINETUNE_COMPILED", mode)
        clips.append(walk_on(footsteps, steps).clip)
    assert clips[0].same_motion(clips[1], 1e-7)


def test_steps_in_between_arrive_though_each_is_bent_a_little():
    """The steps of a straight walk must be bent onto every arc; a foot that only lands nearby takes the rest along."""
    straight = StepSet.from_clips([sample("walk")])
    ways = [("left", 0.1, 0.6, 0.0), ("right", -0.1, 3.0, 90.0), ("left", 5.0, 2.0, 180.0), ("right", 0.0, 9.0, 0.0)]
    walk = walk_on([Footstep(*way) for way in ways], straight)
    assert len(walk.report.inserted) > 20
    assert max(step.error_mm for step in walk.report.steps) < 0.1
    assert max(step.heading_error_deg for step in walk.report.steps) < 0.1
