"""What every embedded clip owes its users: names, limits, smoothness, feet above the floor, the same numbers always."""

import itertools

import numpy as np
import pytest
from tools.samples.__main__ import differences
from tools.samples.figure import figure
from tools.samples.rich_figures import child_figure, finger_figure, studio_figure

from kinetune import rotations as rot
from kinetune.body.quality.measures import measure
from kinetune.errors import UnknownNameError
from kinetune.samples import describe, sample, samples
from tests.samples.anatomy import angles, limit_of
from tests.samples.soles import lowest_points

SINGLE = [
    "walk", "walk-happy", "walk-sad", "walk-march", "walk-stagger", "run", "drumming", "arm-sway", "wave", "knock",
    "sit-and-drink", "kick-1", "kick-2", "wave-fingers", "count", "take-glass", "walk-child", "wave-rig",
]  # fmt: skip
RICH = {
    "wave-fingers": finger_figure,
    "count": finger_figure,
    "take-glass": finger_figure,
    "walk-child": child_figure,
    "wave-rig": studio_figure,
}
# The studio's figure has other names; test_rich_figures.py holds it to the plain figure, joint by joint.
WITH_ANGLES = [name for name in samples() if name != "wave-rig"]
SETS = {"reach": 16, "point": 20, "grasp": 15, "pour": 20, "step": 6}

# A kick takes the hip farther than everyday motion does; the pelvis tilts with it.
KICK_LIMITS = {"Right hip abduction": (-30, 80)}


def test_every_promised_name_is_there():
    wanted = SINGLE + [f"{kind}-{k:02}" for kind, count in SETS.items() for k in range(1, count + 1)]
    assert samples() == wanted


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(UnknownNameError, match=r'no sample "walk-hapy". Did you mean "walk-happy"'):
        sample("walk-hapy")


def test_a_sample_is_made_once_and_cannot_be_changed():
    clip = sample("wave")
    assert sample("wave") is clip
    with pytest.raises(ValueError, match="read-only"):
        clip.rotations[0, 0, 0] = 2.0


def test_the_data_are_what_the_authoring_code_makes():
    assert differences() == []


def test_each_clip_is_sound():
    for name in samples():
        clip = sample(name)
        assert clip.skeleton.same_joints(RICH.get(name, figure)()), name
        assert np.isfinite(clip.rotations).all(), name
        assert np.isfinite(clip.root).all(), name
        assert clip.fps == (120 if name.startswith("kick") else 60), name
        assert 0.5 < clip.duration < 12, name
        # quaternions follow each other without a change of sign, and no joint turns farther than a kicking shank
        assert np.all(np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1) > 0), name
        turn = np.degrees(rot.angle_between(clip.rotations[1:], clip.rotations[:-1])) * clip.fps
        assert turn.max() < 1500, name
        assert len(clip.contacts) == len(clip), name
        assert clip.contacts.joints == ("LeftFoot", "RightFoot"), name
        assert all(0 <= marker.frame < len(clip) for marker in clip.markers), name
        assert describe(name).endswith("."), name
        assert name in repr(clip), name


def test_no_joint_goes_beyond_what_people_can_do():
    for name in WITH_ANGLES:
        for joint, curve in angles(sample(name)).items():
            if joint.endswith("knee sideways"):
                assert curve.max() < 0.1, (name, joint)
                continue
            low, high = KICK_LIMITS.get(joint, limit_of(joint)) if name.startswith("kick") else limit_of(joint)
            assert curve.min() >= low, (name, joint)
            assert curve.max() <= high, (name, joint)


def test_feet_neither_sink_nor_float():
    for name in samples():
        clip = sample(name)
        lowest = lowest_points(clip)  # (frames, 2)
        assert lowest.min() > -0.002, name
        assert lowest[clip.contacts.flags].max() < 0.002, name


def test_our_own_measure_finds_the_floor_under_the_feet():
    """The figures mark their soles: nothing sinks, whether or not the clip tells its contacts."""
    for name, contacts in itertools.product(samples(), ("known", "unknown")):
        clip = sample(name) if contacts == "known" else sample(name).replace(contacts=None)
        result = measure(clip)
        assert result["floor_mm"] == 0.0, name
        assert result["floor_lean_deg"] < 0.2, name
        assert result["penetration_mm"] < 2.0, name
        assert result["flips"] == 0, name


def test_knees_do_not_pop():
    """Real walks at 60 frames a second reach 60,000 degrees/s² (CMU 07_01); a popping knee has ten times that."""
    for name in WITH_ANGLES:
        clip = sample(name)
        for side in ("Left", "Right"):
            knee = angles(clip)[f"{side} knee flexion"]
            assert np.abs(np.diff(knee, 2)).max() * clip.fps**2 < 45_000, name


def test_standing_and_seated_figures_stay_alive():
    """Nothing is frozen: the head and the hands move at every moment, if only by breathing and swaying."""
    for name in (n for n in samples() if not n.startswith(("walk", "run", "step"))):
        clip = sample(name)
        for joint in ("Head", "LeftHand"):
            moved = np.ptp(clip.joint(joint).positions, axis=0).max()
            assert moved > 0.002, name


def test_the_walking_moods_can_be_told_apart():
    """Head, trunk, arms and knees differ by far more than one walk differs from itself."""
    seen = {}
    for mood in ("walk", "walk-happy", "walk-sad", "walk-march", "walk-stagger"):
        a = angles(sample(mood))
        seen[mood] = {
            "head down": np.mean(rot.to_euler(sample(mood).world_rotations()[:, 5], "YXZ")[:, 1]) * 57.3,
            "arm swing": np.ptp(a["Right shoulder backwards"]),
            "high knee": a["Right hip flexion"].max(),
            "tipping": np.std(rot.to_euler(sample(mood).world_rotations()[:, 3], "YXZ")[:, 2]) * 57.3,
        }
    assert seen["walk-sad"]["head down"] > seen["walk"]["head down"] + 20
    assert seen["walk-happy"]["head down"] < seen["walk"]["head down"] - 4
    assert seen["walk-happy"]["arm swing"] > 1.5 * seen["walk"]["arm swing"]
    assert seen["walk-sad"]["arm swing"] < 0.7 * seen["walk"]["arm swing"]
    assert seen["walk-march"]["arm swing"] > 2.5 * seen["walk"]["arm swing"]
    assert seen["walk-march"]["high knee"] > seen["walk"]["high knee"] + 35
    assert seen["walk-stagger"]["tipping"] > 3 * seen["walk"]["tipping"]
