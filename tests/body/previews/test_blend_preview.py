"""Blends for the frames in view."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.previews.blend_preview import BlendPreview
from kinetune.body.timeline.clip_blending import BlendPart, blend, cached_match
from kinetune.operations.blend import Blend
from kinetune.samples import sample


@pytest.fixture(scope="module")
def clips():
    return [sample("walk"), sample("walk-sad")]


@pytest.mark.parametrize(
    "knobs",
    [
        {"weight": 0.3},
        {"weight": 0.7, "align": "scale"},
        {"weight": 0.5, "place": False, "align": "none"},
        {"weight_keys": [[0.0, 0.0], [3.0, 1.0]]},
        {"weight": 0.6, "joints": "left arm"},
        {"weight": 0.2, "groups": {"right arm": 1.0}},
    ],
)
def test_a_part_is_close_to_that_of_the_whole(clips, knobs):
    step = Blend(other="sad", keep_feet=False, **knobs)
    whole = step(clips[0], sad=clips[1])
    options = {"align": step.align, "place": step.place, "ends": step.ends}
    desk = BlendPreview(clips, step.parts(clips[0].skeleton), **options)
    part, start, frames = desk.mix(step.parts(clips[0].skeleton), lambda count: (count // 3, count // 3 + 60))
    assert (start, frames, len(part)) == (len(whole) // 3, len(whole), 60)
    there = slice(start, start + 60)
    assert np.abs(part.positions() - whole.positions()[there]).max() < 0.005
    apart = rot.log(rot.multiply(rot.inverse(whole.rotations[there]), part.rotations))
    assert np.degrees(np.linalg.norm(apart, axis=-1)).max() < 0.5
    assert (part.contacts.flags == whole.contacts.flags[there]).mean() > 0.95


def test_clips_are_aligned_once(clips, monkeypatch):
    from kinetune.body.timeline import clip_blending as blending

    fresh = [clip.replace(contacts=clip.contacts) for clip in clips]
    half = [BlendPart(tuple(range(len(fresh[0].skeleton))), lambda times: np.full((2, len(times)), 0.5))]
    blend(fresh, half)
    options = {"align": "warp", "cost": "pose", "band_s": None, "ends": "strides"}

    def again(*_, **__):
        raise AssertionError("it was aligned again")

    monkeypatch.setattr(blending, "match", again)
    cached_match(fresh, **options)
    blend(fresh, half)
    with pytest.raises(AssertionError, match="aligned again"):
        cached_match(fresh, **{**options, "ends": "all"})
    with pytest.raises(AssertionError, match="aligned again"):
        cached_match(fresh[::-1], **options)
