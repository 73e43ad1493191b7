import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.errors import FileError, ParameterError
from kinetune.library import find_like, find_text
from kinetune.library.body_rows import NotComparable, window_means, with_velocity
from kinetune.library.similar import query_rows, warp_match, window_distances
from tests.library.conftest import NAMES, make_library


@pytest.mark.parametrize("speed", [0.7, 1.0, 1.4])
def test_a_part_is_found_where_it_was_at_any_tempo(library, speed):
    part = kt.Retime(speed=speed)(kt.sample("sit-and-drink")[120:300])
    match = find_like(library, part)[0]
    assert match.name == "sit-and-drink.bvh"
    assert match.start_s == pytest.approx(2.0, abs=0.2)
    assert match.stop_s == pytest.approx(299 / 60, abs=0.2)
    assert match.tempo == pytest.approx(1.0 / speed, rel=0.1)
    assert not match.whole


@pytest.mark.parametrize("name", NAMES)
def test_every_clip_finds_itself(library, name):
    match = find_like(library, kt.sample(name), whole=True)[0]
    assert match.name == f"{name}.bvh"
    assert match.whole
    assert match.distance_cm < 0.1


def test_position_heading_and_skeleton_do_not_matter(library):
    for query in (place(kt.sample("wave"), rot.about_y(2.0), (3.0, 0.0, 1.0)), kt.sample("wave-rig")):
        match = find_like(library, query)[0]
        assert (match.name, round(match.distance_cm, 1)) == ("wave.bvh", 0.0)


def test_a_range_of_the_query_is_looked_for(library):
    match = find_like(library, kt.sample("kick-1"), start_s=0.8, stop_s=1.6)[0]
    assert match.name == "kick-1.bvh"
    assert (match.start_s, match.stop_s) == (pytest.approx(0.8, abs=0.05), pytest.approx(1.6, abs=0.05))


def test_mirror_images_are_found_when_asked_for(library):
    image = kt.Mirror()(kt.sample("kick-1"))
    plain, both = find_like(library, image)[0], find_like(library, image, mirror=True)[0]
    assert both.name == "kick-1.bvh"
    assert both.mirror
    assert both.distance_cm < 0.2 < plain.distance_cm


def test_only_clips_that_fit_a_text_are_looked_at(library):
    matches = find_like(library, kt.sample("walk"), stop_s=2.0, among=find_text(library, "run"))
    assert [match.name for match in matches] == ["run.bvh"]


def test_each_clip_is_given_once_and_best_first(library):
    matches = find_like(library, kt.sample("walk"), stop_s=1.0, count=50, mirror=True)
    assert len({match.name for match in matches}) == len(matches)
    assert [match.distance_cm for match in matches] == sorted(match.distance_cm for match in matches)


def test_the_scan_is_the_same_as_a_naive_one(library):
    query = window_means(with_velocity(query_rows(kt.sample("walk-happy"))))
    numbers = np.arange(0, len(library.comparable), 2)  # with gaps between them
    naive = [
        np.mean([np.linalg.norm(library.windows[slice(*clip.windows)] - row, axis=1).min() for row in query])
        for clip in library.comparable[::2]
    ]
    assert np.allclose(window_distances(library, numbers, query), naive, atol=2e-3)


def test_more_candidates_than_needed_change_nothing(library):
    query = kt.sample("walk")[:90]
    every = [warp_match(library, clip, with_velocity(query_rows(query))) for clip in library.comparable]
    best = min((match for match in every if match is not None), key=lambda match: match.distance_cm)
    assert find_like(library, query, candidates=3)[0] == best


def test_a_clip_too_short_for_the_query_is_no_match(library):
    assert "reach-01.bvh" not in {match.name for match in find_like(library, kt.sample("walk"), count=50)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start_s": 99.0}, "start of the part is 99 s, but the clip lasts 6.68 s"),
        ({"start_s": 3.0, "stop_s": 2.0}, "must end after it starts"),
        ({"count": 0}, "at least 1"),
    ],
)
def test_bad_questions_are_refused(library, options, message):
    with pytest.raises(ParameterError, match=message):
        find_like(library, kt.sample("walk"), **options)


def test_a_query_without_legs_is_refused(library, tmp_path):
    from tests.made_up import SMALL_BVH

    (tmp_path / "two.bvh").write_text(SMALL_BVH)
    with pytest.raises(NotComparable, match="cannot be compared"):
        find_like(library, kt.read(tmp_path / "two.bvh"))
    bones = make_library(tmp_path, {})
    with pytest.raises(FileError, match="no clip of this index can be compared"):
        find_like(bones, kt.sample("walk"))
