"""Pictures of line art and flat colours, traced to layers.

The picture is taken apart into its flat colours. The edge between two colours runs where the picture is half the one
and half the other, so that it is found between pixels, as anti-aliasing drew it. Colours are stacked: each layer lies
under all smaller ones, so that no gaps show between neighbours.
Why the edges come from contourpy: docs/decisions/0030-tracing-pictures.md.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.contours.colours import oklab, to_hex
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.svg._fill_rules import orient
from kinetune.errors import MalformedFileError, ParameterError
from kinetune.extras import require
from kinetune.input_files import read_input
from kinetune.rotations import Floats

require("drawings")

MOST_BYTES = 64 << 20
MOST_PIXELS = 40_000_000
_LARGEST = 1600  # pixels of the longer side: a larger picture is made smaller first
_MOST_COLOURS = 12
# Of exact pictures, and of those that compression changed: colours closer than this in OKLab are one (the eye sees
# 0.02), a flat colour that covers less of the picture is none, and a smaller speck, in square pixels, is left out.
_ALIKE = {False: 0.05, True: 0.08}
_RARE = {False: 0.0004, True: 0.003}
_SPECK = {False: 6.0, True: 20.0}
_CLOSENESS = 0.25  # pixels


def trace_picture(path: Path, tolerance: float | None = None, colours: int | None = None) -> Drawing:
    """The drawing in a PNG or JPEG file, in pixels."""
    if colours is not None and not 2 <= colours <= 64:
        raise ParameterError(f"A picture is taken apart into 2 to 64 colours, not {colours}.")
    near = _CLOSENESS if tolerance is None else tolerance
    if not near > 0:
        raise ParameterError(f"tolerance must be above 0, not {tolerance}.")
    picture, size, seen, lossy = _opened(path)
    flat, labels = _flat_colours(picture, seen, colours, lossy)
    background = _background(labels, seen)
    notes = [] if picture.shape[1] == size[0] else [f"it was made smaller, to {picture.shape[1]} pixels of width"]
    scale = size[0] / picture.shape[1]
    order = sorted((k for k in range(len(flat)) if k != background), key=lambda k: -int(np.count_nonzero(labels == k)))
    layers = []
    for number, index in enumerate(order):
        mask = _share_of(picture, flat, labels, order[number:], seen)
        contours = _edges(mask, near / scale, scale, _SPECK[lossy])
        if contours:
            layers.append(Layer(contours, f"colour {number + 1}", fill=to_hex(tuple(flat[index].tolist()))))
    if not layers:
        raise MalformedFileError(
            str(path),
            "there is nothing to trace in it: it is of one colour.",
            advice="It needs line art or flat colours.",
        )
    return Drawing(tuple(layers), (0.0, 0.0, float(size[0]), float(size[1])), path.stem, tuple(notes))


def _opened(path: Path) -> tuple[Floats, tuple[int, int], np.ndarray | None, bool]:
    """The pixels (rows, columns, 3 or 4) from 0 to 1, the size, the opacity or None, and whether it is JPEG."""
    from PIL import Image, UnidentifiedImageError

    data = read_input(path, largest=MOST_BYTES, what="a picture")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            image: Image.Image = Image.open(io.BytesIO(data), formats=("PNG", "JPEG"))
            if getattr(image, "n_frames", 1) > 1:
                raise MalformedFileError(
                    str(path), "it is an animated picture.", advice="Save one of its frames as a picture."
                )
            if image.width * image.height > MOST_PIXELS:
                raise MalformedFileError(
                    str(path), f"it has more than {MOST_PIXELS:,} pixels.", advice="Make it smaller."
                )
            size, lossy = image.size, image.format == "JPEG"
            image = image.convert("RGBA")
        except UnidentifiedImageError:
            problem = "it is empty." if not data else "it is no PNG or JPEG picture."
            raise MalformedFileError(str(path), problem, advice="Is the file whole?") from None
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as problem:
            raise MalformedFileError(
                str(path), f"its pixels cannot be read ({problem}).", advice="Is the file whole?"
            ) from None
    if max(size) > _LARGEST:
        small = _LARGEST / max(size)
        image = image.resize((max(1, round(small * size[0])), max(1, round(small * size[1]))), Image.Resampling.BOX)
    pixels = np.asarray(image, dtype=float) / 255.0
    alpha = pixels[..., 3]
    seen = None if alpha.min() > 0.996 else alpha
    return pixels[..., :3] if seen is None else pixels, size, seen, lossy


def _flat_colours(
    picture: Floats, seen: np.ndarray | None, colours: int | None, lossy: bool
) -> tuple[Floats, np.ndarray]:
    """The flat colours (n, 3) of a picture, and which of them each pixel is nearest to; where it is clear, -1."""
    rgb = picture[..., :3]
    lab = oklab(rgb.reshape(-1, 3)).reshape(rgb.shape)
    steps = np.zeros(rgb.shape[:2])
    for axis in (0, 1):
        jump = np.abs(np.diff(lab, axis=axis)).sum(axis=2)
        edges = [(0, 0), (0, 0)]
        for before in ((1, 0), (0, 1)):
            edges[axis] = before
            steps = np.maximum(steps, np.pad(jump, edges))
    even = steps < 0.06  # pixels that are like all their neighbours: anti-aliasing is not a colour
    if seen is not None:
        even &= seen > 0.99
    if np.count_nonzero(even) < 0.05 * even.size:
        even = np.ones_like(even) if seen is None else seen > 0.5
    samples = lab[even]
    centres = _clusters(samples, colours, lossy)
    nearest = _nearest(lab.reshape(-1, 3), centres).reshape(lab.shape[:2])
    flat = np.array(
        [
            rgb[even & (nearest == k)].mean(axis=0) if np.any(even & (nearest == k)) else rgb[nearest == k].mean(axis=0)
            for k in range(len(centres))
        ]
    )
    return flat, nearest if seen is None else np.where(seen > 0.5, nearest, -1)


def _clusters(samples: Floats, colours: int | None, lossy: bool) -> Floats:
    """The colours that many pixels share: the most common first, each at some distance from those before."""
    grid = np.round(samples / 0.03).astype(int) + 64  # one whole number for each cell of OKLab
    codes, counts = np.unique(grid @ np.array([1 << 16, 1 << 8, 1]), return_counts=True)
    cells = np.stack([codes >> 16, (codes >> 8) & 255, codes & 255], axis=-1) - 64
    order = np.argsort(-counts, kind="stable")
    most = _MOST_COLOURS if colours is None else colours
    least, apart = (_RARE[lossy] * len(samples), _ALIKE[lossy]) if colours is None else (0.0, 0.03)
    centres: list[Floats] = []
    for index in order:
        centre = 0.03 * cells[index]
        if len(centres) == most or (centres and counts[index] < max(least, 1.0)):
            break
        if all(np.linalg.norm(centre - other) > apart for other in centres):
            centres.append(centre)
    for _ in range(4):  # the means of the pixels that are nearest
        nearest = _nearest(samples, np.array(centres))
        centres = [samples[nearest == k].mean(axis=0) if np.any(nearest == k) else c for k, c in enumerate(centres)]
    return np.array(centres)


def _nearest(values: Floats, centres: Floats) -> np.ndarray:
    best = np.zeros(len(values), dtype=int)
    least = np.full(len(values), np.inf)
    for k, centre in enumerate(centres):
        apart = np.sum((values - centre) ** 2, axis=1)
        best, least = np.where(apart < least, k, best), np.minimum(apart, least)
    return best


def _background(labels: np.ndarray, seen: np.ndarray | None) -> int:
    """The colour along the border; none (-1) where the picture is clear there."""
    border = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    values, counts = np.unique(border, return_counts=True)
    return int(values[np.argmax(counts)])


def _share_of(picture: Floats, flat: Floats, labels: np.ndarray, inside: list[int], seen: np.ndarray | None) -> Floats:
    """How much of each pixel (0 to 1) belongs to some of the colours: of a pixel on an edge, by its colour."""
    from scipy.ndimage import maximum_filter, minimum_filter

    member = np.isin(labels, inside)
    share = member.astype(float)
    if seen is not None and not np.any((labels >= 0) & ~member):
        return np.where(np.isin(labels, [*inside, -1]), seen, share)
    edge = maximum_filter(member, 3) & ~minimum_filter(member, 3)
    rows, columns = np.nonzero(edge)
    padded = np.pad(labels, 1, mode="edge")
    near = np.stack([padded[rows + dy, columns + dx] for dy in range(3) for dx in range(3)], axis=-1)  # (n, 9)
    colour = picture[rows, columns, :3]
    one, other = _pair_across(near, np.isin(near, inside))
    a, b = flat[np.maximum(one, 0)], flat[np.maximum(other, 0)]
    way = a - b
    along = np.sum((colour - b) * way, axis=1) / np.maximum(np.sum(way * way, axis=1), 1e-9)
    known = (one >= 0) & (other >= 0)
    share[rows[known], columns[known]] = np.clip(along[known], 0.0, 1.0)
    return share


def _pair_across(near: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each pixel on an edge the most common colour inside and outside among its neighbours; -1 for none."""
    pairs = []
    for chosen in (inside, ~inside):
        labels = np.where(chosen, near, -1)
        counts = (labels[:, :, None] == labels[:, None, :]).sum(axis=2) * (labels >= 0)
        pairs.append(np.take_along_axis(labels, np.argmax(counts, axis=1)[:, None], axis=1)[:, 0])
    return pairs[0], pairs[1]


def _edges(mask: Floats, near: float, scale: float, speck: float) -> tuple[Contour, ...]:
    """The curves along which a mask is one half, without specks, in the units of the picture."""
    import contourpy
    import shapely

    padded = np.pad(mask, 1)
    at = np.arange(padded.shape[1]) - 0.5, np.arange(padded.shape[0]) - 0.5  # of the middles of pixels
    lines: Any = contourpy.contour_generator(at[0], at[1], padded).lines(0.5)
    contours = []
    for line in lines:
        if len(line) < 4:
            continue
        ring = shapely.simplify(shapely.LinearRing(np.clip(line, 0.0, [mask.shape[1], mask.shape[0]])), near)
        points = scale * np.array(ring.coords)[:-1]
        if len(points) > 2 and abs(Contour(points).area) > speck * scale * scale:
            contours.append(Contour(points))
    return orient(tuple(contours)) if contours else ()
