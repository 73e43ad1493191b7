"""Results are cached for as long as their clips live."""

import gc

from kinetune.body.timeline._clip_cache import ClipCache
from kinetune.samples import sample


def test_the_same_clips_and_options_are_found_again() -> None:
    cache: ClipCache[str] = ClipCache(2)
    walk, wave = sample("walk")[:3], sample("wave")[:3]
    assert cache.get((walk, wave), "all") is None
    assert cache.put((walk, wave), "all", "both") == "both"
    assert cache.get((walk, wave), "all") == "both"
    assert cache.get((walk, wave), "strides") is None
    assert cache.get((wave, walk), "all") is None
    assert cache.get((walk,), "all") is None
    assert cache.get((walk.replace(), wave), "all") is None, "another clip, though it holds the same"


def test_the_oldest_and_those_that_have_gone_give_way() -> None:
    cache: ClipCache[int] = ClipCache(2)
    clips = [sample("walk")[k : k + 3] for k in range(4)]
    for number, clip in enumerate(clips):
        cache.put((clip,), "", number)
    assert [cache.get((clip,), "") for clip in clips] == [None, None, 2, 3]
    del clip, clips[3]
    gc.collect()
    cache.put((clips[0],), "", 0)
    assert [cache.get((clip,), "") for clip in clips] == [0, None, 2], "room is made by what has gone"
