import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.curves.keyframes import keyframe, pose, stand
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.formats.acclaim.amc import read as read_amc
from kinetune.formats.format import ReadOptions
from kinetune.signals.splines.rotation_tcb import RotationTCB
from kinetune.signals.splines.tcb import TCB
from kinetune.signals.splines.tcb_presets import preset


@pytest.fixture
def figure():
    """Hips with a leg and two arms; the right arm hangs down at rest."""
    rest = rot.identity(5)
    rest[4] = rot.from_euler(np.radians([-80, 0, 0]), "ZXY")
    return Skeleton(
        ("Hips", "Spine", "LeftLeg", "LeftArm", "RightArm"),
        [-1, 0, 0, 1, 1],
        [(0, 0, 0), (0, 0.3, 0), (0.1, -0.4, 0), (0.2, 0.2, 0), (-0.2, 0.2, 0)],
        (EndSite(2, (0, -0.5, 0)),),
        rest,
    )


def degrees(clip, joint, order="ZXY"):
    return np.degrees(rot.to_euler(clip.rotations[:, clip.skeleton.index(joint)], order))


def test_key_poses_are_met_at_their_frames_and_the_rest_is_at_rest(figure):
    clip = keyframe(figure, [{}, {"LeftArm": (90, 0, 0)}, {"LeftArm": (0, 40, 10)}], [0, 0.5, 1.5], fps=30)
    assert len(clip) == 46
    assert clip.fps == 30
    assert np.allclose(degrees(clip, "LeftArm")[[0, 15, 45]], [(0, 0, 0), (90, 0, 0), (0, 40, 10)], atol=1e-9)
    for joint in ("Hips", "Spine", "LeftLeg", "RightArm"):
        still = figure.rest[figure.index(joint)]
        assert np.max(rot.angle_between(clip.rotations[:, figure.index(joint)], still)) < 1e-12


def test_frames_are_those_of_the_rotation_curve(figure):
    keys = rot.normalize(rot.identity(4, 5) + 0.5 * np.random.default_rng(0).standard_normal((4, 5, 4)))
    times = np.array([1.0, 1.4, 2.3, 3.0])
    knobs = {"tension": [0, 0.1, 0.2, 0], "continuity": -0.3, "bias": 0.4, "ends": ("zero", "chord"), "step": "none"}
    clip = keyframe(figure, keys, times, fps=50, **knobs)
    curve = RotationTCB(times, keys, **knobs)
    assert np.max(rot.angle_between(clip.rotations, curve(1 + clip.times))) < 1e-7
    assert np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1).min() > 0


def test_poses_may_be_mappings_or_arrays_in_quaternions_or_degrees(figure):
    mapping = [{"LeftArm": (30, 20, 10), "Spine": (0, 5, 0)}, {"LeftArm": 2 * rot.exp([0.1, 0.5, 0.2])}]
    quaternions = np.stack([pose(figure, p) for p in mapping])
    by_mapping = keyframe(figure, mapping, [0, 1])
    by_array = keyframe(figure, quaternions, [0, 1])
    mixed = keyframe(figure, [mapping[0], quaternions[1]], [0, 1])
    by_degrees = keyframe(figure, np.degrees(rot.to_euler(quaternions, "XYZ")), [0, 1], order="xyz")
    for other in (by_array, mixed, by_degrees):
        assert np.max(rot.angle_between(by_mapping.rotations, other.rotations)) < 1e-7


def test_joints_may_be_called_by_role(figure):
    by_role = keyframe(figure, [{}, {"hips": (0, 0, 45)}], [0, 1])
    assert degrees(by_role, "Hips")[-1] == pytest.approx((0, 0, 45))


def test_planar_motion_is_the_same_in_both_representations(figure):
    poses = [{"LeftArm": (a, 0, 0)} for a in (0, 80, -20, 60)]
    times = [0, 0.3, 0.9, 1.2]
    knobs = preset("overshoot")
    turned = keyframe(figure, poses, times, **knobs)
    euler = keyframe(figure, poses, times, **knobs, representation="euler")
    assert np.max(rot.angle_between(turned.rotations, euler.rotations)) < 1e-7
    angle = TCB(times, [0, 80, -20, 60], **knobs)(turned.times)
    assert np.allclose(degrees(turned, "LeftArm")[:, 0], angle)


def test_euler_channels_spin_as_often_as_the_degrees_say(figure):
    poses = [{"Spine": (0, 0, 0)}, {"Spine": (0, 0, 720)}]
    clip = keyframe(figure, poses, [0, 1], fps=100, representation="euler")
    yaw = np.unwrap(np.radians(degrees(clip, "Spine", "YXZ")[:, 0]))
    assert np.degrees(yaw[-1]) == pytest.approx(720)
    assert np.max(rot.angle(keyframe(figure, poses, [0, 1]).rotations[:, 1])) < 1e-7


def test_euler_channels_of_quaternion_keys_do_not_flip(figure):
    angles = np.array([[0.0, 0, 0], [100, 20, 0], [190, -10, 5], [260, 0, 0]])
    poses = [{"Spine": rot.from_euler(np.radians(a), "ZXY")} for a in angles]
    clip = keyframe(figure, poses, np.arange(4), representation="euler")
    steps = rot.angle_between(clip.rotations[1:, 1], clip.rotations[:-1, 1])
    curve = TCB(np.arange(4), np.radians(angles))(clip.times)
    assert np.max(rot.angle_between(clip.rotations[:, 1], rot.from_euler(curve, "ZXY"))) < 1e-7
    assert steps.max() < np.radians(4)


def test_unmentioned_joints_may_move_on_between_their_own_keys(figure):
    poses = [{"LeftArm": (0, 0, 0), "Spine": (0, 0, 0)}, {"LeftArm": (90, 0, 0)}, {"Spine": (0, 30, 0)}]
    times = [0, 0.5, 1.5]
    for representation in ("quaternion", "euler"):
        clip = keyframe(figure, poses, times, fps=30, unmentioned="between", representation=representation)
        assert np.allclose(degrees(clip, "Spine")[:, 1], 20 * clip.times)
        assert np.allclose(degrees(clip, "LeftArm")[15:, 0], 90)
        assert np.max(rot.angle_between(clip.rotations[:, 4], figure.rest[4])) < 1e-12
    at_rest = keyframe(figure, poses, times, fps=30)
    assert np.allclose(degrees(at_rest, "Spine")[15], 0, atol=1e-9)


def test_the_root_stands_on_the_floor_or_goes_where_it_is_told(figure):
    assert np.allclose(stand(figure), (0, 0.9, 0))
    clip = keyframe(figure, [{}, {}], [0, 1], fps=10)
    assert np.array_equal(clip.root, np.tile(stand(figure), (11, 1)))
    assert np.array_equal(keyframe(figure, [{}, {}], [0, 1], fps=10, root=(1, 2, 3)).root, [(1, 2, 3)] * 11)
    places = [(0, 1, 0), (0, 1.2, 1), (1, 1, 2)]
    knobs = {"tension": 0.3, "bias": [0, 0.5, 0]}
    walked = keyframe(figure, [{}] * 3, [0, 1, 3], root=places, **knobs)
    assert np.allclose(walked.root, TCB([0, 1, 3], places, **knobs)(walked.times))
    own = TCB([0, 0.2, 3], places, tension=-1)
    assert np.allclose(keyframe(figure, [{}] * 3, [0, 1, 3], root=own).root, own(walked.times))


@pytest.mark.parametrize("representation", ["quaternion", "euler"])
def test_a_closed_cycle_joins_in_pose_and_speed_and_travels_on(figure, representation):
    swing = [{"LeftArm": (a, 0, 0), "Spine": (0, 0, b)} for a, b in ((20, 0), (-30, 120), (10, 240), (20, 360))]
    places = [(0, 1, 0), (0, 1.1, 0.5), (0, 0.95, 0.9), (0, 1, 1.5)]
    clip = keyframe(figure, swing, [0, 0.5, 1, 1.5], fps=200, closed=True, root=places, representation=representation)
    assert clip.duration == 1.5
    assert np.max(rot.angle_between(clip.rotations[0], clip.rotations[-1])) < 1e-7
    assert np.allclose(clip.root[[0, -1]], [places[0], places[-1]])
    first, last = np.diff(clip.root, axis=0)[[0, -1]]
    assert np.allclose(first, last, atol=2e-4)
    turn = rot.log(rot.multiply(rot.inverse(clip.rotations[:-1]), clip.rotations[1:]))
    assert np.allclose(turn[0], turn[-1], atol=2e-3)
    assert np.allclose(turn[:, 1], np.radians((0, 240 / 200, 0)), atol=1e-9)  # the spine spins evenly


def test_a_cycle_may_be_closed_by_its_period(figure):
    poses = [{"Spine": (0, 0, a)} for a in (0, 120, 240)]
    for representation in ("quaternion", "euler"):
        clip = keyframe(figure, poses, [0, 1, 2], fps=10, closed=True, period=3, representation=representation)
        assert len(clip) == 31
        assert np.allclose(degrees(clip, "Spine", "YXZ")[10:15, 0], [120, 132, 144, 156, 168])
        again = keyframe(figure, poses, [0, 1, 2, 3], fps=10, closed=True, representation=representation)
        assert clip.same_motion(again, 1e-7)
    in_place = keyframe(figure, poses, [0, 1, 2], fps=10, closed=True, root=[(0, 1, 0), (0, 1, 1), (0, 2, 0)])
    assert np.allclose(in_place.root[0], in_place.root[-1])


def test_one_pose_is_one_frame(figure):
    clip = keyframe(figure, [{"Spine": (0, 10, 0)}], [2.5])
    assert len(clip) == 1
    assert np.allclose(degrees(clip, "Spine"), [(0, 10, 0)])


def test_times_between_frames_end_before_the_last_key(figure):
    assert len(keyframe(figure, [{}, {}], [0, 0.99], fps=10)) == 10
    assert len(keyframe(figure, [{}, {}], [0.1, 0.1 + 0.3], fps=10)) == 4  # 0.1 + 0.3 is not exactly 0.4 in binary


def test_holds_keep_a_joint_still(figure):
    poses = [{}, {"LeftArm": (60, 0, 0)}, {"LeftArm": (60, 0, 0)}, {}]
    for representation in ("quaternion", "euler"):
        free = keyframe(figure, poses, np.arange(4), representation=representation)
        flat = keyframe(figure, poses, np.arange(4), representation=representation, holds="flat")
        assert degrees(free, "LeftArm")[60:121, 0].max() > 67
        assert np.allclose(degrees(flat, "LeftArm")[60:121, 0], 60)


def test_printed_steps_count_the_frames_of_the_clip(figure):
    poses = [{"LeftArm": (a, 0, 0)} for a in (0, 55, 85)]
    times = np.array([0, 11, 17]) / 24
    clip = keyframe(figure, poses, times, fps=24, step="printed")
    assert np.allclose(degrees(clip, "LeftArm")[:, 0], TCB([0, 11, 17], [0, 55, 85], step="printed")(np.arange(18)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"poses": [{"Spine": (0, 1)}]}, r'Pose 0, "Spine": got shape \(2,\)'),
        ({"poses": [{"Spine": (0, 0, 0, 0)}]}, r"a quaternion of zeros is no rotation"),
        ({"poses": [{"Spine": (0, np.nan, 0)}]}, r'Pose 0, "Spine" must be finite'),
        ({"poses": [{"Spine": (0, 0, 0), "spine": (1, 0, 0)}]}, r'Pose 0 rotates joint "Spine" twice'),
        ({"poses": [{3: (0, 0, 0)}]}, r"called by name, not by 3"),
        ({"poses": [np.zeros((3, 4))]}, r"An array pose has shape \(5, 4\)"),
        ({"poses": {"Spine": (0, 0, 0)}}, r"a list with one pose per key"),
        ({"poses": []}, r"a list with one pose per key"),
        ({"poses": [{}, {}]}, r"1 times for 2 keys"),
        ({"poses": [{}, {}], "times": [1, 0]}, r"times must increase"),
        ({"poses": [{}, {}], "times": [0, 1e9]}, r"Are the times in seconds\?"),
        ({"poses": [{}], "fps": 0}, r"fps must be a positive number"),
        ({"poses": [{}], "order": "ZX"}, r"full Euler order"),
        ({"poses": [{}], "representation": "matrix"}, r"one of quaternion, euler"),
        ({"poses": [{}], "unmentioned": "zero"}, r"one of rest, between"),
        ({"poses": [{}], "ends": ("zero", (1, 2, 3))}, r"are names"),
        ({"poses": [{}], "root": [(0, 1, 0)] * 3}, r"root must have shape \(1, 3\)"),
        ({"poses": [{}], "root": TCB([0, 1], [0, 1])}, r"root curve must carry \(x, y, z\)"),
    ],
)
def test_mistakes_are_explained(figure, arguments, words):
    with pytest.raises(ParameterError, match=words):
        keyframe(figure, **{"times": [0], **arguments})


def test_an_unknown_joint_offers_the_nearest(figure):
    with pytest.raises(UnknownNameError, match='Did you mean "LeftArm"'):
        keyframe(figure, [{"LeftAmr": (0, 0, 0)}], [0])


def test_the_front_door_has_it():
    assert kt.keyframe is keyframe


def test_a_real_walk_keyed_every_tenth_frame_stays_close(shared_data):
    source = shared_data / "cmu_asfamc" / "02_01.amc"
    if not source.exists():
        pytest.skip(f"{source.name} is not among the real clips here")
    clip = read_amc(source, ReadOptions())
    keys = np.arange(0, len(clip), 10)
    kept = clip[: keys[-1] + 1]
    for representation in ("quaternion", "euler"):
        made = keyframe(
            clip.skeleton,
            clip.rotations[keys],
            keys / clip.fps,
            fps=clip.fps,
            root=clip.root[keys],
            representation=representation,
        )
        assert len(made) == len(kept)
        assert np.max(rot.angle_between(made.rotations[keys], clip.rotations[keys])) < 1e-6
        assert np.mean(np.degrees(rot.angle_between(made.rotations, kept.rotations))) < 1.0
        assert np.max(np.linalg.norm(made.positions() - kept.positions(), axis=-1)) < 0.03
