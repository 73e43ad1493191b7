"""Lottie in: frames as drawings, key drawings with their times, and one message for what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.reading.drawing_reader import read_key_drawings
from kinetune.errors import FileError, MalformedFileError, ParameterError
from kinetune.figures.drawings.drawing_files import write_drawing
from kinetune.figures.drawings.drawing_paint import paint_drawing
from kinetune.samples.drawings import sample_drawing
from tests.contours.reading.lottie_files import document, everything, moving_square, path, shape_layer


def saved(folder: Path, content: Any, name: str = "film.json") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_a_frame_is_what_a_player_shows(tmp_path: Path) -> None:
    file = saved(tmp_path, moving_square())
    (layer,) = kt.read_drawing(file, frame=12).layers
    assert layer.contours[0].bounds() == pytest.approx((30, 0, 50, 20))
    assert (layer.fill, layer.stroke, layer.stroke_width) == ("#808000", "#0000ff", 4)
    assert (layer.stroke_opacity, layer.stroke_cap, layer.name) == (0.5, "round", "box")
    assert kt.read_drawing(file).layers[0].fill == "#ff0000"


def test_key_drawings_have_the_times_of_the_keys(tmp_path: Path) -> None:
    drawings, times = read_key_drawings(saved(tmp_path, moving_square()))
    assert times == [0.0, 1.0]
    assert [drawing.layers[0].contours[0].bounds()[0] for drawing in drawings] == pytest.approx([0, 60])


def test_parents_compositions_masks_and_gradients_are_drawn(tmp_path: Path) -> None:
    drawing = kt.read_drawing(saved(tmp_path, everything()))
    picture = np.asarray(paint_drawing(drawing, 200, background="white")).astype(int)

    def at(x: float, y: float) -> list[int]:
        return picture[int(2 * y), int(2 * x)].tolist()

    assert at(50, 52) == pytest.approx([228, 0, 27], abs=8)  # turned by 90 degrees, the gradient runs down
    assert at(50, 68) == pytest.approx([27, 0, 228], abs=8)
    assert at(20, 80) == [255, 0, 0]  # the rectangle
    assert at(80, 80) == [255, 255, 255]  # the star is masked
    assert at(5, 5) == pytest.approx([255, 255, 128], abs=2)  # half transparent
    assert drawing.notes == ()


def test_what_we_write_is_read_back(tmp_path: Path) -> None:
    drawing = sample_drawing("face-happy")
    write_drawing(drawing, tmp_path / "still.json")
    back = kt.read_drawing(tmp_path / "still.json")
    one, other = (np.asarray(paint_drawing(each, 200)).astype(int) for each in (drawing, back))
    assert (np.abs(one - other[:, : one.shape[1]]).max(axis=2) > 64).mean() < 0.005


def test_what_a_drawing_cannot_hold_is_named(tmp_path: Path) -> None:
    film = moving_square()
    film["layers"].append({"ty": 5, "nm": "text", "ip": 0, "op": 25})
    film["layers"][0]["shapes"][0]["it"].append({"ty": "tm"})
    assert set(kt.read_drawing(saved(tmp_path, film)).notes) == {
        "text in it are not drawn",
        "trimmed paths are not drawn as such",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "it is empty"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "no list of layers"),
        ({"layers": [], "w": 9}, "no width and height"),
        (document(), "it has no layers"),
        (document(shape_layer({"ty": "gr", "it": [{"ty": "sh", "ks": {"k": {"v": 3}}}]})), "not as Lottie has them"),
        (document(shape_layer({"ty": "gr", "it": [{"ty": "sh", "ks": {"k": path([[1, 1]])}}]})), "nothing to draw"),
    ],
)
def test_a_broken_file_gets_one_message(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        kt.read_drawing(saved(tmp_path, content))


def test_a_composition_in_itself_is_not_drawn(tmp_path: Path) -> None:
    inner = {"ty": 0, "refId": "a", "ip": 0, "op": 25}
    film = moving_square() | {"assets": [{"id": "a", "layers": [inner]}]}
    film["layers"].append(inner)
    assert any("is not drawn" in note for note in kt.read_drawing(saved(tmp_path, film)).notes)


def test_frames_and_colours_belong_to_their_files(tmp_path: Path) -> None:
    file = saved(tmp_path, moving_square())
    with pytest.raises(ParameterError, match="frames 0 to 24"):
        kt.read_drawing(file, frame=99)
    with pytest.raises(ParameterError, match="Only pictures"):
        kt.read_drawing(file, colours=3)
    with pytest.raises(ParameterError, match="Only Lottie"):
        kt.read_drawing(saved(tmp_path, "<svg/>", "a.svg"), frame=2)
    with pytest.raises(FileError):
        kt.read_drawing(tmp_path / "no.json")
