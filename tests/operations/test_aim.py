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


def test_strict_refuses_what_is_out_of_reach():
    far = (0.0, 1.0, 4.0)
    assert aimed(at=far).positions()[-1, HAND, 2] > 0.5
    with pytest.raises(KinetuneError, match=r"out of reach of these 16 examples.* mm"):
        aimed(at=far, strict=True)


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"angle_deg": 20.0}, "give facing"),
        ({"facing": (0, 0, 0)}, "is none"),
        ({"facing": (0, 0, 1), "turned": (1, 0, 0, 0)}, "not both"),
        ({"at": (0, 0)}, "at"),
        ({"at": (0, 0, float("nan"))}, "at"),
        ({"facing": (0, 0, 1), "axis": "0,zero,1"}, "axis is"),
    ],
)
def test_knobs_that_cannot_be_are_told(knobs, words):
    with pytest.raises(ParameterError, match=words):
        kt.Aim(**knobs)


def test_a_frame_out_of_range_is_told():
    with pytest.raises(ParameterError, match="no frame 99"):
        aimed(at=(-0.3, 1.25, 0.42), frame=99)
