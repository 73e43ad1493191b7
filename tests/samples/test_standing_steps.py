import numpy as np
import pytest
from tools.samples import standing_steps

import kinetune as kt
from kinetune.samples.sample_walk import as_steps, sample_steps
from tests.samples.soles import slides

PLANS = [*standing_steps.starts(), *standing_steps.stops()]


@pytest.mark.parametrize("plan", PLANS[::3])
def test_feet_go_where_they_shall_and_do_not_slide(plan):
    clip = standing_steps.perform(plan)
    ball = clip.joint("RightToeBase").positions
    assert np.allclose(ball[0, [0, 2]], plan.start[:2], atol=2e-3)
    assert np.allclose(ball[-1, [0, 2]], plan.end[:2], atol=2e-3)
    assert max(slides(clip, "Left") + slides(clip, "Right")) < 0.002
    assert kt.measure(clip)["penetration_mm"] < 1.0


@pytest.mark.parametrize("plan", PLANS[::6])
def test_one_end_is_at_rest_and_the_other_walks(plan):
    clip = standing_steps.perform(plan)
    speed = np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=-1) * clip.fps
    rest, walks = (speed[:6], speed[-4:]) if plan.kind == "start" else (speed[-6:], speed[:4])
    assert rest.max() < 0.12
    assert walks.min() > 0.25


def test_a_joined_step_ends_with_hips_where_the_next_begins():
    """Seen in the mirror, the hips of an even walk's step are over the new foot as they began over the old one."""
    from tools.samples import steps

    plan = steps.steps()[3]
    hips = {}
    for joined in (False, True):
        clip = steps.perform(plan, joined=joined)
        foot = clip.joint("RightToeBase").positions[-1]
        hips[joined] = abs((clip.root[-1, 0] - foot[0]) + clip.root[0, 0])  # mirrored: left becomes right
    assert hips[True] < 0.02 < hips[False]


def test_the_embedded_set_has_all_kinds():
    counts = sample_steps().counts
    assert counts == {"walking": 28, "starting": 14, "stopping": 14, "single": 0}
    assert as_steps(None) is sample_steps()
