import numpy as np
import pytest
from benchmarks.planted_defects import RECORDING
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.quality.measures import labelled_speed
from kinetune.body.quality.score import quality_score
from kinetune.diagnosis.detectors import DETECTORS
from kinetune.diagnosis.examination import examine_clip
from kinetune.operations.clean import Clean
from tests.operations import making
from tests.operations.test_denoise import distance
from tests.operations.test_smooth import noisy


def tags(clip):
    return [taken.step.tag() for taken in Clean().clean(clip).steps]


@pytest.mark.slow
@pytest.mark.parametrize("name", kt.list_samples())
@settings(max_examples=1)
@given(st.floats(-180.0, 180.0), st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.booleans())
def test_a_clean_clip_stays_as_it_is(name, angle_deg, x, z, mirrored):
    """Wherever it takes place, whichever way it faces, and as seen in a mirror."""
    clip = kt.Move(x=x, z=z)(kt.Turn(angle_deg=angle_deg)(kt.sample(name)))
    clip = kt.Mirror()(clip) if mirrored and "left hand" in clip.skeleton.roles else clip
    assert distance(Clean()(clip), clip) < 0.001


@pytest.mark.slow
def test_a_noisy_walk_in_the_air_is_cleaned_in_order():
    clean = kt.sample("walk")
    spoiled = kt.Move(y=0.3)(noisy(clean, 0.02, 0.008))
    cleaning = Clean().clean(spoiled)
    assert [taken.step.tag() for taken in cleaning.steps] == ["denoise", "move", "plant_feet"]
    assert all(taken.after < taken.before for taken in cleaning.steps)
    assert distance(cleaning.clip, clean) < 0.4 * distance(noisy(clean, 0.02, 0.008), clean)


@pytest.mark.slow
def test_the_steps_as_a_recipe_make_the_same_clip():
    spoiled = kt.Move(y=0.3)(noisy(kt.sample("walk"), 0.02, 0.008))
    cleaning = Clean().clean(spoiled)
    again = kt.Recipe(steps=tuple(taken.step for taken in cleaning.steps))(spoiled)
    assert again.same_motion(cleaning.clip, 1e-9)


def test_a_t_pose_is_cut_off():
    walk = making.walker(91, 60.0)
    pose = walk[:1].replace(rotations=rot.multiply(walk.rotations[:1], rot.exp(np.full((1, 1, 3), 1.2))))
    clip = walk.replace(
        root=np.concatenate([pose.root, walk.root]), rotations=np.concatenate([pose.rotations, walk.rotations])
    )
    assert tags(clip)[0] == "trim"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "step"),
    [
        (lambda clip: kt.Reinterpret(scale=100.0)(clip), {"op": "reinterpret", "scale": 0.01}),
        (lambda clip: kt.Reinterpret(up_axis="-z")(clip), {"op": "reinterpret", "up_axis": "z"}),
        (lambda clip: kt.Reinterpret(up_axis="x", scale=0.01)(clip), {"op": "reinterpret", "scale": 100.0}),
    ],
)
def test_unit_and_up_axis_come_first_and_are_put_right(plant, step):
    walk = kt.sample("walk")
    cleaning = Clean().clean(plant(walk))
    assert cleaning.steps[0].step.as_step() == step
    assert cleaning.steps[0].before != cleaning.steps[0].after
    assert distance(cleaning.clip, walk) < 0.01


@pytest.mark.slow
def test_a_motion_at_twice_its_speed_is_slowed_down_where_that_is_certain():
    walk = kt.sample("walk-sad")
    cleaning = Clean().clean(walk.replace(fps=2.0 * walk.fps))
    assert [taken.step.as_step() for taken in cleaning.steps] == [{"op": "reinterpret", "fps": walk.fps}]
    assert cleaning.clip.same_motion(walk)


@pytest.mark.parametrize("times", [2, 3])
def test_a_motion_whose_frames_are_stored_several_times_gets_its_rate_back(times):
    walk = kt.sample("walk")[::2]
    which = np.arange(len(walk)).repeat(times)
    stored = walk.replace(fps=30.0 * times, root=walk.root[which], rotations=walk.rotations[which], contacts=None)
    cleaning = Clean().clean(stored)
    assert [taken.step.as_step() for taken in cleaning.steps] == [{"op": "resample", "fps": 30.0}]
    assert cleaning.steps[0].after == 0.0
    assert cleaning.clip.same_motion(walk)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "plant"), [("kick-1", None), ("walk-sad", "skate")])
def test_a_rate_that_may_be_right_is_left(name, plant):
    clip = kt.sample(name)
    fast = clip.replace(fps=2.0 * clip.fps) if plant is None else RECORDING[plant][0](clip, 0)
    assert Clean(feet=False)(fast).fps == fast.fps


def test_what_lies_on_the_floor_is_left_lying():
    """A crawl: the trunk is level all the time, and the lowest points of the body stay on the floor."""
    walk = kt.sample("walk")
    times = walk.times[:, None]
    rotations = np.array(np.broadcast_to(walk.rotations[:1], walk.rotations.shape))
    rotations[:, 0] = rot.multiply(rot.exp(np.array([np.pi / 2, 0.0, 0.0])), rotations[:, 0])
    arms = [walk.skeleton.index(f"{side} upper arm") for side in ("left", "right")]
    rotations[:, arms] = rot.multiply(rotations[:, arms], rot.exp(0.3 * np.sin(4.0 * times)[:, None] * [1.0, 0.0, 0.0]))
    root = np.array([0.0, 0.3, 0.0]) + times * np.array([0.0, 0.0, 0.5])
    crawl = walk.replace(root=root, rotations=rotations)
    assert not [taken for taken in Clean().clean(crawl).steps if taken.step.tag() == "reinterpret"]


@pytest.mark.slow
def test_one_spike_is_bridged_and_all_other_frames_stay():
    walk = kt.sample("walk")
    rotations = np.array(walk.rotations)
    joint = walk.skeleton.index("left lower arm")
    rotations[50:52, joint] = rot.multiply(rotations[50:52, joint], rot.exp(np.array([1.2, 0.0, 0.0])))
    cleaned = Clean()(walk.replace(rotations=rotations))
    assert rot.angle_between(cleaned.rotations, walk.rotations).max() < 0.05
    changed = np.flatnonzero((np.abs(cleaned.positions() - walk.positions()) > 1e-9).any(axis=(1, 2)))
    assert set(changed.tolist()) <= {50, 51}


@pytest.mark.slow
@pytest.mark.parametrize("defect", RECORDING)
def test_steps_come_from_the_findings_of_the_doctor(defect):
    clip = RECORDING[defect][0](kt.sample("walk")[:200], 1)
    carrying = {finding.kind: finding.step["op"] for finding in examine_clip(clip)[0] if finding.step is not None}
    first = Clean().clean(clip).steps[:1]
    assert {reason.kind for taken in first for reason in taken.reasons} <= set(carrying)
    assert first or set(carrying.values()) <= {
        "limit",
        "plant_feet",
        "keep_above_floor",
    }  # left out if they cost quality


@pytest.mark.slow
@pytest.mark.parametrize("defect", ["skate", "sink", "flips"])
def test_no_defect_is_mended_at_the_cost_of_the_rest(defect):
    spoiled = RECORDING[defect][0](kt.sample("walk")[:200], 1)
    was, now = (quality_score(kt.measure(clip)) for clip in (spoiled, Clean()(spoiled)))
    assert now > was - 1.0


@pytest.mark.slow
@pytest.mark.parametrize("defect", RECORDING)
def test_a_cleaned_clip_stays_as_it_is(defect):
    cleaned = Clean()(RECORDING[defect][0](kt.sample("walk")[:200], 1))
    assert distance(Clean()(cleaned), cleaned) < 0.001


def test_a_cleaned_clip_of_a_model_stays_as_it_is(shared_data):
    """Feet that were planted by labels do not pass for noise."""
    for file in sorted((shared_data / "kimodo").glob("*.npz")):
        cleaned = Clean()(kt.read(file))
        assert not Clean().clean(cleaned).steps, file.name


def test_a_step_that_brings_nothing_down_is_not_taken():
    """Arms tremble while the feet stand: what is denoised is planted, unless nothing slides."""
    walk = making.walker(181, 60.0)
    rotations = np.repeat(walk.rotations[:1], len(walk), axis=0)
    arms = list(walk.skeleton.select("left arm")) + list(walk.skeleton.select("right arm"))
    shake = np.deg2rad(3.0) * np.random.default_rng(0).normal(size=(len(walk), len(arms), 3))
    rotations[:, arms] = rot.multiply(rotations[:, arms], rot.exp(shake))
    standing = walk.replace(rotations=rotations, root=np.repeat(walk.root[:1], len(walk), axis=0), contacts=None)
    cleaning = Clean().clean(standing)
    assert next(taken.step.tag() for taken in cleaning.steps) == "denoise"
    assert all(round(taken.after, 3) < round(taken.before, 3) for taken in cleaning.steps)


def test_a_small_animal_keeps_its_size():
    fox = kt.Reinterpret(scale=0.4)(kt.sample("walk")[:60])
    assert "reinterpret" not in tags(fox)


def test_a_leaning_floor_is_levelled():
    from kinetune.body.feet.floor import find_floor
    from kinetune.body.root_motion import place

    lean = rot.exp(np.deg2rad([2.0, 0.0, 0.0]))
    clip = place(kt.sample("walk"), lean, np.zeros(3))
    assert find_floor(clip).lean_deg > 1.5
    assert find_floor(kt.Move(floor="level")(clip)).lean_deg < 0.3


def test_only_the_parts_that_are_wanted_are_cleaned():
    spoiled = kt.Move(y=0.3)(noisy(kt.sample("walk"), 0.02, 0.008))
    taken = Clean(noise=False, feet=False).clean(spoiled).steps
    assert {step.step.tag() for step in taken} <= {"move", "trim", "limit"}


def test_labelled_joints_of_generated_motion_stand_still(shared_data):
    files = sorted((shared_data / "kimodo").glob("*.npz"))
    speeds = []
    for file in files:
        clip = kt.read(file)
        cleaned, steps = Clean().clean(clip)
        assert {step.quantity for step in steps if step.step.tag() == "plant_feet"} <= {"mm/s"}
        speeds.append(labelled_speed(cleaned))
        for column, name in enumerate(clip.contacts.joints):
            middles = [(start + stop) // 2 for start, stop in clip.contacts.intervals(column)]
            was, now = (c.positions()[middles, clip.skeleton.index(name), 1] for c in (clip, cleaned))
            assert np.abs(now - was).max(initial=0.0) < 0.005  # no tiptoes
    assert np.mean(speeds) < 0.010
    assert max(speeds) < 0.012


def test_the_floor_is_where_planted_feet_stand():
    """Feet that slide and sink show a floor 4 cm above the one that they stand on once they are planted."""
    slid = kt.Equalize(preset="exaggerate", keep_feet=False)(kt.sample("walk-happy"))
    cleaned = kt.Clean(noise=False)(kt.Move(y=0.12)(slid))
    assert not [finding.kind for detector in DETECTORS if detector.part == "floor" for finding in detector(cleaned)]
