import io
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import kinetune as kt
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.errors import FileError, ParameterError, UnknownFormatError
from kinetune.figures.drawings.drawing_paint import gif_bytes, paint_drawing, strip_picture
from kinetune.progress import reporting

SQUARE = Contour([[20, 20], [80, 20], [80, 80], [20, 80]])
HOLE = Contour([[40, 40], [60, 40], [60, 60], [40, 60]])
FRAMES = [
    Drawing((Layer((SQUARE.moved(SQUARE.points + shift), HOLE.moved(HOLE.points + shift)), "frame", "#ff0000"),))
    for shift in (-10.0, 0.0, 10.0)
]


def test_paint_covers_what_is_filled_and_leaves_holes():
    pixels = np.asarray(paint_drawing(FRAMES[1], 200))
    assert pixels.shape == (200, 200, 3)
    assert tuple(pixels[60, 60]) == (255, 0, 0)
    assert tuple(pixels[100, 100]) == (255, 255, 255)
    assert tuple(pixels[10, 10]) == (255, 255, 255)
    red = np.mean(pixels[..., 1] < 128)
    assert red == pytest.approx(0.36 - 0.04, abs=0.005)


def test_edges_are_smooth():
    circle = Contour(50 + 50j + 30.3 * np.exp(2j * np.pi * np.arange(200) / 200))
    pixels = np.asarray(paint_drawing(Drawing((Layer((circle,), fill="#000000"),)), 100))[..., 0]
    assert len(np.unique(pixels)) > 8
    assert np.sum(255.0 - pixels) / 255 == pytest.approx(np.pi * 30.3**2, rel=0.01)


def test_strokes_have_their_width_and_opacity():
    line = Contour([[10, 50], [90, 50]], closed=False)
    pixels = np.asarray(paint_drawing(Drawing((Layer((line,), "", None, "#000000", 10.0, 1.0, 0.5),)), 100))[..., 0]
    column = pixels[:, 50].astype(float)
    assert np.sum(255 - column) / 255 == pytest.approx(5, abs=0.3)
    assert column[50] == pytest.approx(127, abs=2)
    assert pixels[50, 5] == 255  # a butt cap


def test_a_transparent_background_stays_transparent():
    pixels = np.asarray(paint_drawing(FRAMES[1], 100, background=None))
    assert pixels[5, 5, 3] == 0
    assert tuple(pixels[30, 30]) == (255, 0, 0, 255)


def test_what_lies_off_the_page_is_cut():
    wide = Contour([[-1e9, 20], [1e9, 20], [1e9, 80], [-1e9, 80]])
    pixels = np.asarray(paint_drawing(Drawing((Layer((wide,), fill="#000000"),)), 100))
    assert np.mean(pixels[..., 0] < 128) == pytest.approx(0.6, abs=0.02)


def test_a_strip_holds_every_drawing():
    strip = strip_picture(FRAMES, 50, columns=2)
    assert strip.size == (2 * 50 + 2, 2 * 50 + 2)


def test_a_gif_has_every_frame_and_loops():
    image = Image.open(io.BytesIO(gif_bytes(FRAMES, 20, 60)))
    assert image.n_frames == 3
    assert image.info["loop"] == 0
    assert image.info["duration"] == 50


@pytest.mark.parametrize("suffix", [".svg", ".json", ".gif", ".png", ".mp4"])
@pytest.mark.parametrize("what", [FRAMES[0], FRAMES], ids=["one", "film"])
def test_every_kind_of_file_is_written(tmp_path, suffix, what):
    path = kt.write_drawing(what, tmp_path / f"out{suffix}", height=60)
    start = path.read_bytes()[:12]
    wanted = {".svg": b"<svg", ".json": b'{"v"', ".gif": b"GIF89a", ".png": b"\x89PNG", ".mp4": b"ftyp"}[suffix]
    assert wanted in start
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_film_has_its_frames_and_speed(tmp_path):
    path = kt.write_drawing(FRAMES * 4, tmp_path / "film.mp4", height=61, fps=12)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert (frames, seconds) == (12, pytest.approx(1.0))
    decode = [
        imageio_ffmpeg.get_ffmpeg_exe(),
        "-v",
        "error",
        "-i",
        str(path),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    raw = subprocess.run(decode, capture_output=True, check=True).stdout
    pictures = np.frombuffer(raw, np.uint8).reshape(12, 62, 62, 3)
    assert np.abs(pictures[1, 20, 30].astype(int) - [255, 0, 0]).max() < 20
    assert np.abs(pictures[1, 4, 4].astype(int) - 255).max() < 20


def test_a_kind_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(UnknownFormatError, match=r"\.svg, \.json"):
        kt.write_drawing(FRAMES, tmp_path / "film.avi")
    with pytest.raises(FileError, match="no folder"):
        kt.write_drawing(FRAMES, tmp_path / "none" / "film.gif")
    with pytest.raises(ParameterError, match="transparent"):
        kt.write_drawing(FRAMES, tmp_path / "film.gif", background=None)
    with pytest.raises(ParameterError, match="at least one drawing"):
        kt.write_drawing([], tmp_path / "film.gif")
    assert list(tmp_path.iterdir()) == []


def test_progress_is_reported():
    shares = []
    with reporting(lambda share, text: shares.append(share)):
        gif_bytes(FRAMES, 20, 40)
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
