"""Figures and films in files."""

from __future__ import annotations

import contextlib
import io
import subprocess
import tempfile
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import KinetuneError, UnknownFormatError, excerpt
from kinetune.formats import write_files
from kinetune.kernels.loader import Kernels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure to a file.

    Parameters
    ----------
    figure : matplotlib Figure
        As the ``draw_`` functions return it.
    path : path
        The suffix decides the kind: .png, .svg or .pdf.

    Returns
    -------
    Path
        The file that was written.
    """
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UnknownFormatError(path, f'pictures are written to .png, .svg or .pdf, not to "{path.suffix}".')
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower())
    write_files({path: picture.getvalue()})
    return path


_kernels = Kernels("kinetune.figures._colour_kernels")
_BT709 = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
_RAW = {"yuv420p": ["-pix_fmt", "yuv420p", *_BT709], "pal8": ["-pix_fmt", "rgb24"]}
_TAGS = {"yuv420p": _BT709, "pal8": []}
_X264 = "mbtree=1:rc-lookahead=10"  # as small as the preset veryfast, for two thirds of its time
_CODECS = {  # suffix to codec, pixel format and options
    ".mp4": ("libx264", "yuv420p", f"-preset superfast -x264-params {_X264} -crf 19 -movflags +faststart"),
    ".webm": ("libvpx-vp9", "yuv420p", "-deadline realtime -cpu-used 6 -row-mt 1 -crf 30 -b:v 0"),
    ".gif": (
        "gif",
        "pal8",
        "-filter_complex split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=5",
    ),
}
FILM_SUFFIXES = tuple(_CODECS)


_LEAST_DELAY = 2  # hundredths of a second: browsers show pictures with a shorter one five times as long


def gif_delays(count: int, fps: float) -> tuple[list[int], list[int]]:
    """Which of some pictures a GIF shows, and for how many hundredths of a second each.

    Delays differ by one so that the film keeps its speed; above 50 pictures a second, some are left out.
    """
    shown, starts = [0], [0]
    for number in range(1, count):
        start = round(100.0 * number / fps)
        if start - starts[-1] >= _LEAST_DELAY:
            shown.append(number)
            starts.append(start)
    end = max(round(100.0 * count / fps), starts[-1] + _LEAST_DELAY)
    return shown, np.diff([*starts, end]).tolist()


def film_bytes(pictures: Iterable[NDArray[np.uint8]], fps: float, suffix: str) -> bytes:
    """A film of pictures (height, width, 3) of one size as bytes of an MP4 (H.264), a WebM (VP9) or an animated GIF.

    Odd sides are made even, as the codecs want them, by repeating the last row or column.
    """
    from imageio_ffmpeg import get_ffmpeg_exe

    codec, pixels, options = _CODECS[suffix]
    rate = str(Fraction(fps).limit_denominator(100_000))
    if suffix == ".gif" and fps * _LEAST_DELAY > 100:
        options = f"-r {100 // _LEAST_DELAY} {options}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film{suffix}"
        encoder = None
        try:
            for picture in pictures:
                odd = [(0, side % 2) for side in picture.shape[:2]]
                even = np.pad(picture, [*odd, (0, 0)], mode="edge") if any(more for _, more in odd) else picture
                if encoder is None:
                    size = f"{even.shape[1]}x{even.shape[0]}"
                    given = ["-f", "rawvideo", *_RAW[pixels], "-s", size]
                    made = ["-an", "-vcodec", codec, "-pix_fmt", pixels, *_TAGS[pixels], *options.split(), str(path)]
                    command = [get_ffmpeg_exe(), "-y", "-v", "error", *given, "-r", rate, "-i", "-", *made]
                    encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
                assert encoder.stdin is not None
                raw = _kernels.load().to_planes(even) if pixels == "yuv420p" else np.ascontiguousarray(even)
                encoder.stdin.write(raw.data)
            said = b"" if encoder is None else encoder.communicate()[1]
        except BrokenPipeError:  # the encoder has stopped, and says why
            assert encoder is not None
            assert encoder.stderr is not None
            said = encoder.stderr.read()
        finally:
            if encoder is not None:
                _stop(encoder)
        if encoder is None or encoder.returncode != 0:
            reason = said.decode(errors="replace").strip().splitlines()[-1:] or ["there are no pictures"]
            raise KinetuneError(f"The film could not be encoded: {excerpt(reason[0])}. Is there room on the disk?")
        return path.read_bytes()


def _stop(encoder: subprocess.Popen[bytes]) -> None:
    """Wait for an encoder that was given everything; end one that was not."""
    if encoder.stdin is not None and not encoder.stdin.closed:
        encoder.kill()
    encoder.wait()
    for pipe in (encoder.stdin, encoder.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
