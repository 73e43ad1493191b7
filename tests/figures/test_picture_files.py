"""Films in files: their colours are those of the pictures."""

import io
import subprocess

import numpy as np
import pytest
from imageio_ffmpeg import get_ffmpeg_exe

from kinetune.figures._colour_kernels import to_planes
from kinetune.figures.picture_files import film_bytes

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722  # ITU-R BT.709


def test_planes_are_luma_and_mean_chroma():
    picture = np.random.default_rng(0).integers(0, 256, (6, 10, 3), dtype=np.uint8)
    planes = to_planes(picture).astype(float)
    r, g, b = np.moveaxis(picture.astype(float), 2, 0)
    luma = RED * r + GREEN * g + BLUE * b
    chroma = [(b - luma) / (2.0 - 2.0 * BLUE), (r - luma) / (2.0 - 2.0 * RED)]
    assert np.abs(planes[:60] - (16.0 + 219.0 / 255.0 * luma).ravel()).max() < 0.51
    for part, of_pixel in zip((planes[60:75], planes[75:]), chroma, strict=True):
        mean = of_pixel.reshape(3, 2, 5, 2).mean(axis=(1, 3))
        assert np.abs(part - (128.0 + 224.0 / 255.0 * mean).ravel()).max() < 0.51


@pytest.mark.parametrize(("suffix", "close"), [(".mp4", 4), (".webm", 6), (".gif", 6)])
@pytest.mark.parametrize("size", [(48, 64), (45, 61)])
def test_a_film_has_the_colours_of_its_pictures(tmp_path, suffix, close, size):
    """As a player decodes it, which goes by what the file says of its colours."""
    bands = np.repeat(np.array([[200, 60, 40], [40, 160, 90], [60, 80, 220], [240, 240, 240]], np.uint8), 12, axis=0)
    picture = np.repeat(bands[: size[0], None], size[1], axis=1)
    path = tmp_path / f"film{suffix}"
    path.write_bytes(film_bytes([picture] * 3, 25.0, suffix))
    command = [get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-frames:v", "1", "-f", "image2", "-c:v", "ppm", "-"]
    shown = subprocess.run(command, capture_output=True, check=True).stdout
    header = io.BytesIO(shown)
    assert header.readline() == b"P6\n"
    width, height = map(int, header.readline().split())
    header.readline()
    decoded = np.frombuffer(header.read(), np.uint8).reshape(height, width, 3).astype(int)
    for band in range(3):
        row = 12 * band + 6
        assert np.abs(decoded[row, 8:-8] - picture[row, 0]).max() <= close
