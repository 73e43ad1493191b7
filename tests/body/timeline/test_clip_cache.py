"""What was found for clips is kept as long as they live."""

import gc

from kinetune.body.timeline._clip_cache import Remembered
from kinetune.samples import sample


def test_the_same_clips_and_options_are_found_again() -> None:
    kept: Remembered[str] = Remembered(2)
    walk, wave = sample("walk")[:3], sample("wave")[:3]
    assert kept.find((walk, wave), "all") is None
    assert kept.keep((walk, wave), "all", "both") == "both"
    assert kept.find((walk, wave), "all") == "both"
    assert kept.find((walk, wave), "strides") is None
    assert kept.find((wave, walk), "all") is None
    assert kept.find((walk,), "all") is None
    assert kept.find((walk.replace(), wave), "all") is None, "another clip, though it holds the same"


def test_the_oldest_and_those_that_have_gone_give_way() -> None:
    kept: Remembered[int] = Remembered(2)
    clips = [sample("walk")[k : k + 3] for k in range(4)]
    for number, clip in enumerate(clips):
        kept.keep((clip,), "", number)
    assert [kept.find((clip,), "") for clip in clips] == [None, None, 2, 3]
    del clip, clips[3]
    gc.collect()
    kept.keep((clips[0],), "", 0)
    assert [kept.find((clip,), "") for clip in clips] == [0, None, 2], "room is made by what has gone"
