import pytest

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.library import ClipFacts, find_text
from kinetune.library.text_query import parse_text


def facts(**values):
    return ClipFacts(300, 60.0, 5.0, 22, "x", 1.75, **values)


WALK_LEFT = facts(walk=0.9, speed_m_s=1.2, turn_left_deg=88.0, foot_slide_mm=4.0)
RUN = facts(run=1.0, speed_m_s=3.0)
KICK = facts(kicks=1, turn_right_deg=50.0, still=0.6)


def fits(text, clip):
    return all(condition.test(clip) is not None for condition in parse_text(text))


@pytest.mark.parametrize(
    ("text", "clip", "expected"),
    [
        ("walk, turning left, 1.2 m/s", WALK_LEFT, True),
        ("walk, turning right", WALK_LEFT, False),
        ("walking and turning", WALK_LEFT, True),
        ("walk turning left", WALK_LEFT, True),
        ("walk at 1.25m/s", WALK_LEFT, True),
        ("run at 1.2 m/s", WALK_LEFT, False),
        ("Walk; under 5 km/h", WALK_LEFT, True),
        ("turn left 90 deg", WALK_LEFT, True),
        ("turn left 45 degrees", WALK_LEFT, False),
        ("turn right 40 to 60 deg", KICK, True),
        ("straight", RUN, True),
        ("straight", WALK_LEFT, False),
        ("not straight", WALK_LEFT, True),
        ("run, over 2 m/s", RUN, True),
        ("faster than 4 m/s", RUN, False),
        ("1 to 1.3 m/s", WALK_LEFT, True),
        ("no kick", WALK_LEFT, True),
        ("kick, no jump, still", KICK, True),
        ("5 s", RUN, True),
        ("longer than 6 s", RUN, False),
        ("at least 0.05 min", RUN, True),
        ("4 to 6 seconds long", RUN, True),
        ("1.75 m tall", RUN, True),
        ("under 150 cm tall", RUN, False),
        ("slide under 5 mm", WALK_LEFT, True),
        ("slide under 5 mm", RUN, False),
        ("backwards", RUN, False),
    ],
)
def test_texts_mean_what_they_say(text, clip, expected):
    assert fits(text, clip) is expected


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("wlak", UnknownNameError, 'no word for motion "wlak". Did you mean "walk"'),
        ("walk, dance", UnknownNameError, 'no word for motion "dance". Known are walk, run'),
        ("5 bananas", UnknownNameError, 'no word for motion "bananas"'),
        ("", ParameterError, "The text is empty"),
        (" , ", ParameterError, "The text is empty"),
        ("not", ParameterError, "says nothing to look for"),
        ("left", ParameterError, 'such as "turning left"'),
        ("1.8 m", ParameterError, "1.8 m tall"),
        ("3 to 1 s", ParameterError, "goes down"),
        ("walk, sliding", ParameterError, '"sliding" goes with a number'),
        ("tall", ParameterError, '"tall" goes with a number'),
        ("run faster", ParameterError, '"run faster" is not understood: "faster" goes with a number'),
        ("over m/s", ParameterError, '"over" goes with a number'),
        ("walk 1.2.3 m/s", ParameterError, '"walk 1.2.3 m/s" is not understood'),
        ("1e9 m/s", ParameterError, '"1e9 m/s" is not understood'),
        ("not not walk", ParameterError, "is not understood"),
    ],
)
def test_what_is_not_understood_is_said(text, error, message):
    with pytest.raises(error, match=message):
        parse_text(text)


def test_the_nearest_to_the_numbers_come_first(library):
    names = [clip.name for clip in find_text(library, "walk, 0.5 to 2 m/s")]
    assert names == ["walk-sad.bvh", "walk.bvh"]
    assert [clip.name for clip in find_text(library, "about 0.9 m/s")] == ["walk-sad.bvh"]
    assert [clip.name for clip in find_text(library, "run")] == ["run.bvh"]
    assert [clip.name for clip in find_text(library, "low")] == ["sit-and-drink.bvh"]
    assert find_text(library, "walk, run") == []
