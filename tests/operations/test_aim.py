import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import KinetuneError, ParameterError
from tests.inverse.sets import clips

HAND = 13
NAMES = tuple(f"r{k}" for k in range(1, 16))


def aimed(**knobs):
    return kt.Aim(others=NAMES, joint="RightHand", **knobs)(
        clips("reach")[0], **dict(zip(NAMES, clips("reach")[1:], strict=True))
    )


def test_the_hand_meets_the_point():
    clip = aimed(at=(-0.3, 1.25, 0.42))
    assert np.linalg.norm(clip.positions()[-1, HAND] - (-0.3, 1.25, 0.42)) < 1e-5
    assert clip.history[-1]["op"] == "aim"


def test_line_and_frame():
    clip = aimed(line=(-0.3, 0.0, 0.3, 0.0, 1.0, 0.0), frame=50)
    assert np.allclose(clip.positions()[50, HAND, [0, 2]], (-0.3, 0.3), atol=1e-5)


def test_facing_with_a_typed_axis():
    clip = aimed(line=(-0.3, 0.0, 0.42, 0.0, 1.0, 0.0), facing=(0.0, 0.0, 1.0), axis="-1,0,0")
    along = kt.Aim(others=NAMES, joint="RightHand", facing=(0.0, 0.0, 1.0)).constraints()[0]
    assert along.kind == kt.Facing("RightHand", toward=(0, 0, 1), axis=(-1, 0, 0)).kind
    assert np.linalg.norm(clip.positions()[-1, HAND, [0, 2]] - (-0.3, 0.42)) < 0.12


@pytest.mark.slow
def test_strict_refuses_what_is_out_of_reach():
    far = (0.0, 1.0, 4.0)
    assert aimed(at=far).positions()[-1, HAND, 2] > 0.5
    with pytest.raises(KinetuneError, match=r"out of reach of these 16 examples.* by 2\.\d+ m"):
        aimed(at=far, strict=True)


def test_several_joints_are_aimed_in_one_step():
    hand, head = (
        kt.sample("reach-04").joint("RightHand").positions[-1],
        kt.sample("reach-04").joint("Head").positions[30],
    )
    clip = aimed(
        targets=[
            {"joint": "RightHand", "at": tuple(hand)},
            {"joint": "head", "line": (*head, 0.0, 1.0, 0.0), "frame": 30},
            {"joint": "RightHand", "heading_deg": 0.0, "axis": "ahead", "frame": [10, 20], "priority": 0.0},
        ]
    )
    assert np.linalg.norm(clip.positions()[-1, HAND] - hand) < 1e-4
    assert np.linalg.norm((clip.joint("Head").positions[30] - head)[[0, 2]]) < 1e-4


def test_the_short_form_and_a_target_are_the_same():
    short = aimed(line=(-0.3, 0.0, 0.42, 0.0, 1.0, 0.0), look_at=(0.0, 1.0, 3.0), frame=50)
    long = aimed(
        targets=[
            {"joint": "RightHand", "line": (-0.3, 0.0, 0.42, 0.0, 1.0, 0.0), "frame": 50},
            {"joint": "RightHand", "look_at": (0.0, 1.0, 3.0), "axis": "along", "frame": 50},
        ]
    )
    assert np.array_equal(short.rotations, long.rotations)


@pytest.mark.slow
def test_the_target_with_priority_is_met_where_both_cannot_be():
    """Two places for one hand: it stands between them where their priorities say, as squares add."""
    near, far = np.array([-0.3, 1.2, 0.42]), np.array([-0.3, 1.25, 0.42])

    def misses(first, second):
        clip = aimed(
            targets=[
                {"joint": "RightHand", "at": tuple(near), "priority": first},
                {"joint": "RightHand", "at": tuple(far), "priority": second},
            ]
        )
        hand = clip.positions()[-1, HAND]
        return np.linalg.norm(hand - near), np.linalg.norm(hand - far)

    assert misses(1.0, 1.0) == pytest.approx((0.025, 0.025), abs=1e-4)
    assert misses(1.0, 0.25) == pytest.approx((0.01, 0.04), abs=1e-4)
    assert misses(1.0, 0.0) == pytest.approx((0.0, 0.05), abs=1e-5)


def test_targets_go_through_a_recipe():
    step = kt.Aim(targets=[{"joint": "head", "turned": (1.0, 0.0, 0.0, 0.0), "priority": 0.5}]).as_step()
    target = {"joint": "head", "turned": [1.0, 0.0, 0.0, 0.0], "priority": 0.5}
    assert step == {"op": "aim", "targets": [target], "keep_feet": True}
    knobs = {name: value for name, value in step.items() if name != "op"}
    assert kt.Aim(**knobs).as_step() == step


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"angle_deg": 20.0}, "give facing"),
        ({"facing": (0, 0, 0)}, "is none"),
        ({"facing": (0, 0, 1), "turned": (1, 0, 0, 0)}, "not both"),
        ({"at": (0, 0)}, "at"),
        ({"at": (0, 0, float("nan"))}, "at"),
        ({"facing": (0, 0, 1), "axis": "0,zero,1"}, "axis is"),
        ({"targets": [{"joint": "head"}]}, "none of them"),
        ({"targets": [{"at": (0, 0, 0), "turned": (1, 0, 0, 0)}]}, "at and turned"),
        ({"targets": [{"look_at": (0, 0, 0), "angle_deg": 20}]}, "give facing"),
        ({"targets": [{"at": (0, 0, 0), "priority": 1.5}]}, "priority in target 1 of targets"),
        ({"targets": [{"line": (0, 0, 0, 0, 0, 0)}]}, "is none"),
        ({"targets": [{"at": (0, 0, 0), "frame": []}]}, "frame"),
    ],
)
def test_knobs_that_cannot_be_are_told(knobs, words):
    with pytest.raises(ParameterError, match=words):
        kt.Aim(**knobs)


def test_a_frame_out_of_range_is_told():
    with pytest.raises(ParameterError, match="no frame 99"):
        aimed(at=(-0.3, 1.25, 0.42), frame=99)


def test_feet_that_stand_are_kept_and_the_target_is_still_met():
    drifting = [
        c.replace(root=c.root + 0.03 * np.linspace(0.0, 1.0, len(c))[:, None] * [1, 0, 0]) for c in clips("reach")
    ]
    others = dict(zip(NAMES, drifting[1:], strict=True))
    at = (-0.3, 1.25, 0.42)
    bare, kept = (
        kt.Aim(others=NAMES, joint="RightHand", at=at, keep_feet=keep)(drifting[0], **others) for keep in (False, True)
    )
    np.testing.assert_allclose(kept.positions()[:, HAND], bare.positions()[:, HAND], atol=1e-9)
    slides = [np.ptp(each.joint("left toes").positions[:, 0]) for each in (bare, kept)]
    assert slides[0] > 0.029
    assert slides[1] < 0.003


def test_an_aimed_leg_is_not_held_back():
    assert not kt.Aim(joint="left foot", at=(0.0, 0.1, 0.3)).keeps_feet_of(clips("reach")[0].skeleton)
    assert kt.Aim(joint="RightFingertips", at=(0.0, 1.1, 0.3)).keeps_feet_of(clips("reach")[0].skeleton)
