import json

import pytest

from kinetune.errors import FileError, MalformedFileError, ParameterError, UnknownNameError
from kinetune.signals.shaping.curve_files import delete_curve, list_curves, load_curve, save_curve
from kinetune.signals.shaping.shaping_curve import ShapingCurve


def test_curves_come_back_by_name(tmp_path):
    file = tmp_path / "mine.json"
    droop = ShapingCurve(((-1.0, -1.0), (0.2, 0.0, 0.5, 0.0, -0.2), (1.0, 0.4)), ends="zero")
    save_curve(file, "droop", droop)
    save_curve(file, "hard", ShapingCurve.cap(-0.3, 0.3))
    assert list_curves(file) == ["droop", "hard"]
    assert load_curve(file, "droop") == droop
    save_curve(file, "droop", ShapingCurve.cosine())
    assert load_curve(file, "droop") == ShapingCurve.cosine()
    delete_curve(file, "droop")
    assert list_curves(file) == ["hard"]
    assert [p.name for p in tmp_path.iterdir()] == ["mine.json"]


def test_unknown_names_offer_the_nearest(tmp_path):
    file = save_curve(tmp_path / "mine.json", "droop", ShapingCurve.cosine())
    with pytest.raises(UnknownNameError, match='Did you mean "droop"'):
        load_curve(file, "drop")
    with pytest.raises(UnknownNameError):
        delete_curve(file, "drop")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "This is not JSON"),
        ("[" * 100_000, "This is not JSON"),
        ("[]", "no file of curves"),
        ('{"version": 2, "curves": {}}', "version 1"),
        ('{"version": 1, "curves": {"a": {"points": [[0, 0]]}}}', '"a": A shaping curve has 2 to'),
        ('{"version": 1, "curves": {"a": 3}}', '"a": points is a list'),
    ],
)
def test_malformed_files_are_told(tmp_path, text, words):
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(MalformedFileError, match=words):
        load_curve(file, "a")


def test_missing_files_and_names_are_told(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        load_curve(tmp_path / "none.json", "a")
    with pytest.raises(FileError, match="cannot be written"):
        save_curve(tmp_path / "none" / "mine.json", "a", ShapingCurve.cosine())
    with pytest.raises(ParameterError, match="must not be empty"):
        save_curve(tmp_path / "mine.json", " ", ShapingCurve.cosine())


def test_a_file_is_plain_json(tmp_path):
    file = save_curve(tmp_path / "mine.json", "line", ShapingCurve(((-1.0, -1.0), (1.0, 0.5))))
    assert json.loads(file.read_text()) == {"version": 1, "curves": {"line": {"points": [[-1.0, -1.0], [1.0, 0.5]]}}}
