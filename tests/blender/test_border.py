"""The part of the extension that needs no Blender: rotation modes, bones, motions, and both engines."""

import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from blender.border import engine as engine_module
from blender.border import rotation_modes as modes
from blender.border.bezier_keys import fit_keys
from blender.border.bone_space import Bone, Channels, Rig, channels_for, pose_of
from blender.border.engine import Cancelled, EngineError, Inside, Job, Outside
from blender.border.motions import UnevenScaleError, channels_of, misfit, motion_of

from kinetune import rotations as rot
from tests.external.tools import CHECKOUT

ORDERS = ["".join(order) for order in permutations("XYZ")]
MODES = ["QUATERNION", "AXIS_ANGLE", *ORDERS]


def wander(seed, frames=60, size=0.6):
    """A rotation (frames, 4) that wanders far from where it starts."""
    steps = np.random.default_rng(seed).normal(size=(frames, 3)) * size
    q = rot.exp(steps)
    for frame in range(1, frames):
        q[frame] = rot.multiply(q[frame - 1], q[frame])
    return rot.normalize(q)


def turned_by(a, b):
    return rot.angle_between(a, b).max()


@pytest.mark.parametrize("mode", MODES)
def test_channels_hold_the_rotation(mode):
    q = wander(1)
    assert turned_by(modes.quaternions(modes.channels(q, mode), mode), q) < 1e-7


@pytest.mark.parametrize("mode", MODES)
def test_values_do_not_jump_between_frames(mode):
    steady = rot.exp(np.outer(np.linspace(0.0, 9.0, 400), [0.5, 0.3, -0.2]))
    values = modes.channels(steady, mode)
    assert np.abs(np.diff(values, axis=0)).max() < 0.7


@pytest.mark.parametrize("mode", MODES)
def test_an_unchanged_rotation_keeps_its_values(mode):
    turns = modes.channels(wander(2), mode)
    turns[:, 0] += 0.0 if mode == "QUATERNION" else 4 * np.pi  # two turns more are the same rotation
    assert np.array_equal(modes.channels(modes.quaternions(turns, mode), mode, turns), turns)


@pytest.mark.parametrize("order", ORDERS)
def test_gimbal_lock_is_met(order):
    angles = np.zeros((3, 3))
    angles[:, "XYZ".index(order[1])] = np.pi / 2
    angles[:, "XYZ".index(order[0])] = [0.1, 0.2, 0.3]
    q = modes.quaternions(angles, order)
    assert turned_by(modes.quaternions(modes.channels(q, order), order), q) < 1e-6


def test_many_bones_at_once_get_what_each_gets():
    q = np.stack([wander(20 + bone, size=0.1) for bone in range(len(MODES))], axis=1)
    known = [modes.channels(wander(40 + bone, size=0.1), mode) for bone, mode in enumerate(MODES)]
    before = np.stack([modes.quaternions(each, mode) for each, mode in zip(known, MODES, strict=True)], axis=1)
    q[:20] = before[:20]
    together = modes.many_channels(q, MODES, known, before)
    for bone, mode in enumerate(MODES):
        assert np.allclose(together[bone], modes.channels(q[:, bone], mode, known[bone]), atol=1e-12)


def made_up_rig(world=None, **options):
    rest = [np.eye(4), np.eye(4), np.eye(4)]
    for number, matrix in enumerate(rest):
        matrix[:3, :3] = rot.to_matrix(wander(number, 2)[1])
        matrix[:3, 3] = [0.1 * number, 0.2, 0.5 * number]
    bones = (
        Bone("hips", -1, rest[0], "XYZ"),
        Bone("knee", 0, rest[1], "QUATERNION", 0.5, **options),
        Bone("foot", 1, rest[2], "AXIS_ANGLE", 0.2),
    )
    return Rig(bones, np.eye(4) if world is None else world)


def made_up_channels(frames=30, scale=1.0):
    chance = np.random.default_rng(5)
    rotation = np.stack([wander(10 + bone, frames) for bone in range(3)], axis=1)
    return Channels(0.2 * chance.normal(size=(frames, 3, 3)), rotation, np.full((frames, 3, 3), scale))


OPTIONS = [
    {},
    {"inherit_rotation": False},
    {"local_location": False},
    {"inherit_rotation": False, "local_location": False, "inherit_scale": "NONE"},
    {"inherit_scale": "AVERAGE"},
    {"inherit_scale": "ALIGNED"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_channels_and_poses_are_inverse(options, scale):
    rig, channels = made_up_rig(**options), made_up_channels(scale=scale)
    pose = pose_of(rig, channels)
    still = channels._replace(location=0 * channels.location, rotation=np.array(modes.continuous(channels.rotation)))
    again = channels_for(rig, pose.rotations(), pose.positions, [True] * 3, still, pose)
    assert turned_by(again.rotation, channels.rotation) < 1e-6
    assert np.abs(again.location - channels.location).max() < 1e-9


def test_a_motion_leads_back_to_its_channels():
    world = np.eye(4)
    world[:3, :3] = 0.01 * rot.to_matrix(wander(3, 2)[1])
    world[:3, 3] = [1.0, -2.0, 3.0]
    rig, channels = made_up_rig(world), made_up_channels()
    pose = pose_of(rig, channels)
    again, moved = channels_of(rig, motion_of(rig, pose, 30.0), channels, pose)
    assert moved == [True, True, True]
    assert turned_by(again.rotation, channels.rotation) < 1e-6
    assert np.abs(again.location - channels.location).max() < 1e-6


def test_the_short_way_of_plain_rigs_is_the_long_way():
    world = np.eye(4)
    world[:3, :3] = 0.1 * rot.to_matrix(wander(3, 2)[1])
    rig, channels = made_up_rig(world), made_up_channels()
    location = np.array(channels.location)
    location[:, 1:] = 0.0
    channels = channels._replace(location=location)
    pose = pose_of(rig, channels)
    motion = motion_of(rig, pose, 30.0)
    motion["rotations"] = rot.multiply(motion["rotations"], rot.exp(np.full((30, 3, 3), 0.2)))
    motion["root"] = motion["root"] + 0.1
    short, _ = channels_of(rig, motion, channels, pose)
    long, _ = channels_of(rig, {**motion, "translations": long_translations(motion)}, channels, pose)
    assert turned_by(short.rotation, long.rotation) < 1e-7
    assert np.abs(short.location - long.location).max() < 1e-9


def long_translations(motion):
    places = np.array(np.broadcast_to(motion["offsets"], (*motion["rotations"].shape[:2], 3)))
    places[:, 0] = motion["root"]
    return places


def test_few_keys_stay_within_their_limit():
    dense = np.cumsum(np.random.default_rng(3).normal(size=(200, 3)), axis=0)
    smooth = np.stack([np.convolve(each, np.hanning(41) / 20, mode="same") for each in dense.T], axis=1)
    keys = fit_keys(smooth, (50, 100), lambda played: np.abs(played - smooth).max(axis=1), 0.05)
    assert np.abs(keys.play(200) - smooth).max() <= 0.05
    assert len(keys.rows) < 60


def test_up_is_up_and_a_character_looks_ahead():
    world = np.eye(4)
    world[:3, 3] = [0.0, -2.0, 1.0]  # a step ahead and up, as Blender sees it
    rig = Rig((Bone("hips", -1, np.eye(4)),), world)
    pose = pose_of(rig, Channels(np.zeros((1, 1, 3)), rot.identity(1, 1), np.ones((1, 1, 3))))
    assert motion_of(rig, pose, 30.0)["root"].tolist() == [[0.0, 1.0, 2.0]]


def test_an_uneven_scale_is_refused():
    rig = made_up_rig(np.diag([1.0, 1.0, 2.0, 1.0]))
    with pytest.raises(UnevenScaleError, match="Apply"):
        motion_of(rig, pose_of(rig, made_up_channels()), 30.0)


def bones_that_take_no_part(rig, channels):
    pose = pose_of(rig, channels)
    part = rig.with_joints((0, 2))
    motion = motion_of(part, pose, 30.0)
    return pose, channels_of(part, motion, channels, pose)[0]


def test_bones_that_take_no_part_stay():
    rig, channels = made_up_rig(), made_up_channels()
    pose, again = bones_that_take_no_part(rig, channels)
    assert np.array_equal(again.rotation[:, 1], channels.rotation[:, 1])
    assert np.abs(pose_of(rig, again).positions - pose.positions).max() < 1e-9


@pytest.fixture(scope="module")
def engines():
    """Kinetune in this process and behind a pipe."""
    outside = Outside(sys.executable, {"PYTHONPATH": str(CHECKOUT / "src")})
    yield Inside(), outside
    outside.close()


def sample_motion(frames=90):
    from kinetune.blender.clip_service import motion_from_clip
    from kinetune.samples import sample

    return motion_from_clip(sample("walk")[:frames])


def test_both_engines_give_the_same_numbers(engines):
    answers = []
    for engine in engines:
        engine.ask({"do": "open", "key": "a", "motion": sample_motion()})
        step = {"op": "equalize", "gains": [1.0, 1.0, 1.5], "keep_feet": False}
        answers.append(engine.ask({"do": "apply", "clip": "a", "steps": [step]})["motion"])
    for name in ("root", "rotations"):
        assert np.array_equal(answers[0][name], answers[1][name])


def test_both_engines_explain_a_mistake_alike(engines):
    said = []
    for engine in engines:
        engine.ask({"do": "open", "key": "a", "motion": sample_motion()})
        with pytest.raises(EngineError) as caught:
            engine.ask({"do": "apply", "clip": "a", "steps": [{"op": "smooth", "cutoff_hz": -1}]})
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "cutoff_hz" in said[0]


@pytest.mark.slow
def test_both_engines_can_be_cancelled(engines):
    for engine in engines:
        engine.ask({"do": "open", "key": "a", "motion": sample_motion()})
        job = Job(engine, {"do": "apply", "clip": "a", "steps": [{"op": "loop"}]})
        job.cancel()
        with pytest.raises(Cancelled):
            job.result()
        assert engine.ask({"do": "hello"})["version"]


@pytest.mark.slow
def test_a_preview_is_a_part_of_the_whole(engines):
    inside, _ = engines
    inside.ask({"do": "open", "key": "a", "motion": sample_motion()})
    step = {"op": "equalize", "gains": [1.0, 0.5, 2.0], "keep_feet": False, "limit_knees": False}
    whole = inside.ask({"do": "apply", "clip": "a", "steps": [step]})["motion"]
    part = inside.ask({"do": "preview", "clip": "a", "step": step, "first": 20, "last": 50})["motion"]
    assert turned_by(part["rotations"], whole["rotations"][20:50]) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("step", [{"op": "resample", "fps": 24.0}, {"op": "reinterpret", "scale": 0.5}])
def test_an_action_holds_no_other_frame_rate_and_no_other_size(engines, step):
    inside, _ = engines
    motion = sample_motion()
    inside.ask({"do": "open", "key": "a", "motion": motion})
    assert misfit(motion, inside.ask({"do": "apply", "clip": "a", "steps": [step]})["motion"])
    assert not misfit(
        motion, inside.ask({"do": "apply", "clip": "a", "steps": [{"op": "retime", "speed": 2.0}]})["motion"]
    )


@pytest.mark.slow
def test_a_part_that_is_edited_leads_into_the_rest(engines):
    inside, _ = engines
    motion = sample_motion()
    inside.ask({"do": "open", "key": "a", "motion": motion})
    step = {"op": "equalize", "gains": [1.0, 1.0, 3.0], "keep_feet": False}
    request = {"do": "apply", "clip": "a", "steps": [step], "span": [30, 60], "blend_frames": 5}
    edited = inside.ask(request)["motion"]["rotations"]
    outside = np.r_[0:30, 60:90]
    assert np.array_equal(edited[outside], motion["rotations"][outside])
    assert rot.angle_between(edited[40:50], motion["rotations"][40:50]).max() > 0.01
    assert rot.angle_between(edited[29], edited[30]).max() < 0.1


@pytest.mark.slow
def test_a_check_up_names_the_steps_that_mend_what_it_finds(engines):
    motion = sample_motion()
    raised = {**motion, "root": motion["root"] + [0.0, 0.3, 0.0]}
    for engine in engines:
        engine.ask({"do": "open", "key": "a", "motion": raised})
        answer = engine.ask({"do": "examine", "clip": "a", "physics": False})
        assert "floor-height" in [finding["kind"] for finding in answer["findings"]]
        assert [step["op"] for step in answer["steps"]] == ["clean"]


def test_a_process_that_does_not_end_by_itself_is_ended(monkeypatch):
    monkeypatch.setattr(engine_module, "PATIENCE_S", 0.05)
    outside = object.__new__(Outside)
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    outside._process = subprocess.Popen(sleep, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    outside.close()
    assert outside._process.returncode is not None
