"""Pictures in: edges between pixels, flat colours as layers, and one message for what cannot be traced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import kinetune as kt
from kinetune.errors import MalformedFileError, ParameterError
from kinetune.figures.drawings.drawing_paint import paint_drawing
from kinetune.samples.drawings import sample_drawing


@pytest.mark.slow
def test_a_disc_is_traced_to_a_tenth_of_a_pixel(tmp_path: Path) -> None:
    x, y = np.meshgrid(*[(np.arange(3200) + 0.5) / 16] * 2)
    fine = np.where(np.hypot(x - 100, y - 100) < 60, 0, 255)
    Image.fromarray(fine.reshape(200, 16, 200, 16).mean(axis=(1, 3)).astype(np.uint8)).save(tmp_path / "a.png")
    (layer,) = kt.read_drawing(tmp_path / "a.png", tolerance=0.02).layers
    radii = np.linalg.norm(layer.contours[0].points - 100, axis=1)
    assert np.abs(radii - 60).max() < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_a_picture_of_a_drawing_is_that_drawing(tmp_path: Path, suffix: str) -> None:
    picture = paint_drawing(sample_drawing("face-happy"), 480, background="white")
    picture.save(tmp_path / f"face{suffix}", quality=85)
    traced = paint_drawing(kt.read_drawing(tmp_path / f"face{suffix}"), 480, background="white")
    off = np.abs(np.asarray(picture).astype(int) - np.asarray(traced).astype(int)).max(axis=2) > 64
    assert off.mean() < 0.003


def test_holes_specks_and_clear_pixels(tmp_path: Path) -> None:
    pixels = np.zeros((60, 80, 4), dtype=np.uint8)
    pixels[10:50, 10:50] = (200, 30, 30, 255)
    pixels[20:40, 20:40, 3] = 0
    pixels[5, 70] = (200, 30, 30, 255)
    Image.fromarray(pixels).save(tmp_path / "ring.png")
    drawing = kt.read_drawing(tmp_path / "ring.png")
    (layer,) = drawing.layers
    assert [np.sign(contour.area) for contour in layer.contours] == [1, -1]
    assert layer.contours[0].bounds() == pytest.approx((10, 10, 50, 50), abs=0.01)
    assert (layer.fill, drawing.view_box) == ("#c81e1e", (0, 0, 80, 60))


def test_the_number_of_colours_can_be_asked_for(tmp_path: Path) -> None:
    ramp = np.repeat(np.linspace(0, 255, 90).astype(np.uint8)[None, :], 60, axis=0)
    Image.fromarray(np.stack([ramp] * 3, axis=-1)).save(tmp_path / "ramp.png")
    assert len(kt.read_drawing(tmp_path / "ramp.png", colours=4).layers) == 3  # and the background
    with pytest.raises(ParameterError, match="2 to 64"):
        kt.read_drawing(tmp_path / "ramp.png", colours=1)


def test_pictures_that_cannot_be_traced_get_one_message(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    frames[0].save(tmp_path / "animated.png", save_all=True, append_images=frames[1:], duration=100)
    frames[0].save(tmp_path / "blank.png")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.jpg").write_text("hello")
    (tmp_path / "cut.png").write_bytes((tmp_path / "blank.png").read_bytes()[:50])
    for name, message in (
        ("animated.png", "animated"),
        ("blank.png", "one colour"),
        ("empty.png", "it is empty"),
        ("text.jpg", "no PNG or JPEG"),
        ("cut.png", "pixels cannot be read|no PNG"),
    ):
        with pytest.raises(MalformedFileError, match=message):
            kt.read_drawing(tmp_path / name)
