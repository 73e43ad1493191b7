"""What is wrong with a knob is told in the user's words: which operation, which key, what is allowed."""

import pytest

from kinetune.errors import ParameterError
from kinetune.operations import find_operation


@pytest.mark.parametrize(
    ("tag", "knobs", "words"),
    [
        ("equalize", {"gain_keys": {"3": [[-5, 1]]}}, 'time of key 1 of "3" in gain_keys is -5, but it must be'),
        ("equalize", {"gain_keys": {3: [[0, 1], [5, 999]]}}, 'number 2 of key 2 of "3" in gain_keys is 999, but it'),
        ("equalize", {"gain_keys": {"3": 3}}, '"3" in gain_keys is 3, but it must be a list'),
        ("equalize", {"gain_keys": {"x": [[0, 1]]}}, "gain_keys is {'x': [[0, 1]]}, but 'x' is no band; bands have"),
        ("equalize", {"amount_keys": [[0, 1], [2]]}, "key 2 of amount_keys is too short: number 2 is missing"),
        ("equalize", {"amount_keys": [[0, 1], [-2, 3]]}, "time of key 2 of amount_keys is -2, but it must be at least"),
        ("equalize", {"gains": {"3": 1000}}, '"3" in gains is 1000, but it must be at most 100'),
        ("equalize", {"gains": [1, 2, "x"]}, "gain 3 of gains is 'x', but it must be a number"),
        ("equalize", {"groups": {"left arm": [1, 200]}}, 'gain 2 of "left arm" in groups is 200, but it must be'),
        (
            "equalize",
            {"groups": {"legs": [1], "left arm": {"gain_keys": {"all": [[-1, 2]]}}}},
            'time of key 1 of "all" in gain_keys in "left arm" in groups is -1, but it must be at least 0',
        ),
        ("equalize", {"joints": ["Hips", 3]}, "joint 2 of joints is 3, but it must be text"),
        ("equalize", {"joints": 3}, "joints is 3, but it must be text or a list"),
        ("equalize", {"preset": "loud"}, "preset is 'loud', but it must be 'exaggerate', 'nervous'"),
        ("displace", {"keys": [{"frame": 3}, {"frme": 3}]}, 'key 2 of keys has no "frme". Did you mean "frame"? It'),
        ("displace", {"keys": [{"frame": "x"}]}, "frame in key 1 of keys is 'x', but it must be a whole number"),
        ("displace", {"keys": 3}, "keys is 3, but it must be a list"),
        ("displace", {"keys": [3]}, "key 1 of keys is 3, but it must be a mapping"),
        ("blend", {"weights": [1, 9]}, "weight 2 of weights is 9, but it must be at most 3"),
        ("blend", {"groups": {"arms": 9}}, '"arms" in groups is 9, but it must be at most 3'),
        ("blend", {"bands": [0.5, [9, 1]]}, "number 1 of band 2 of bands is 9, but it must be at most 3"),
        ("shape", {"axes": []}, "axes is [], but it needs at least 1"),
        ("shape", {"axes": ["w"]}, "axis 1 of axes is 'w', but it must be 'x', 'y', 'z' or 'main'"),
        ("limit", {"limits": [{}]}, 'limit 1 of limits needs a value for "joint"'),
        ("aim", {"targets": [{"at": [1, 2]}]}, "at in target 1 of targets is too short: number 3 is missing"),
        ("resample", {"fps": 0}, "fps is 0, but it must be at least 0.001"),
        ("trim", {"start": 1.5}, "start is 1.5, but it must be a whole number"),
    ],
)  # fmt: skip
def test_the_place_of_a_fault_is_named(tag, knobs, words):
    with pytest.raises(ParameterError) as told:
        find_operation(tag)(**knobs)
    assert str(told.value).startswith(f"{tag}: {words}")
    assert str(told.value).endswith(".")
