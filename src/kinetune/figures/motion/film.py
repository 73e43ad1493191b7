"""Films of clips: shaded bodies on a floor, rendered without a screen."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip, check_fps
from kinetune.body.feet.floor import find_floor
from kinetune.body.root_motion import place
from kinetune.body.timeline.retiming import at_times
from kinetune.errors import ParameterError, UnknownFormatError
from kinetune.figures import palette
from kinetune.figures.motion.stick_figures import points, travel_direction
from kinetune.figures.picture_files import FILM_SUFFIXES, film_bytes
from kinetune.figures.rendering.actors import Actor, SkinActor, to_linear
from kinetune.figures.rendering.camera import VIEWS, Camera, FilmView
from kinetune.figures.rendering.renderer import Renderer
from kinetune.findings import report_finding
from kinetune.formats.characters.character import character_mesh
from kinetune.formats.characters.mannequin_mesh import coloured_sides, mannequin_mesh
from kinetune.formats.characters.skinned_mesh import MeshMaterial
from kinetune.progress import report
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from PIL.Image import Image

SIZES = {".gif": (640, 360), ".png": (1920, 640)}
_SIZE = (1280, 720)
_LEAST_SIDE, _LONGEST_SIDE = 16, 8192
_MOST_FRAMES = 1_000_000
_MOST_THREADS = 4
_FINE_HEIGHT = 240  # pixels; a smaller picture shows no fingers
_GHOST_TINT = "#8a94a1"
_Pixels = NDArray[np.uint8]
FilmBody = Literal["skin", "mannequin"]


def film(
    clip: Clip,
    path: str | Path,
    *,
    ghost: Clip | None = None,
    beside: Clip | None = None,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
    view: FilmView | Sequence[float] = "three-quarter",
    follow: bool = True,
    labels: Sequence[str] = (),
    poses: int = 8,
    body: FilmBody = "skin",
) -> Path:
    """Write a film of a clip: a shaded body on a floor with its shadow, seen by a camera that follows it.

    The body is the skin of the character that the clip was read with (glTF, VRM, FBX), or a mannequin built from the
    skeleton: left forearm and shin blue, right ones yellow, the face dark.

    Parameters
    ----------
    clip : Clip
        The motion.
    path : path
        The suffix chooses the kind: .mp4, .webm, .gif, or .png for a strip of poses. The folder must exist.
    ghost : Clip, optional
        Another motion in the same scene, faint and grey, such as the clip before an edit.
    beside : Clip, optional
        Another motion in a picture of its own to the right, at the same scale and time.
    fps : float, optional
        Pictures per second, independent of the clip's rate; 30 if left out, and 25 for a GIF, whose rates are
        rounded to 100 / n.
    size : (int, int), optional
        Width and height in pixels; 1280 x 720 if left out, 640 x 360 for a GIF.
    view : {"three-quarter", "front", "side", "back", "top"} or (float, float, float)
        From where the character is seen; three numbers are a direction in the world, from the character to the camera.
    follow : bool
        Keep the character in the middle and let the floor pass by; otherwise the camera stands still.
    labels : sequence of str
        Names to write below the pictures, from left to right.
    poses : int
        How many poses a .png shows.
    body : {"skin", "mannequin"}
        The skin of the character, where the clip has one, or a mannequin in any case.

    Returns
    -------
    Path
        The file that was written.

    Notes
    -----
    Every pixel of a frame depends on that frame alone, with any number of threads. Laws
    (``tests/figures/motion/test_film.py``): a film has ``floor(duration * fps) + 1`` frames, and the body is inside
    every one of them.

    Examples
    --------
    >>> from kinetune import film, sample
    >>> film(sample("walk")[:30], "walk.gif", size=(160, 90)).name
    'walk.gif'
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (*FILM_SUFFIXES, ".png"):
        raise UnknownFormatError(
            path,
            f'films are not written to "{suffix or path.name}" files.',
            advice=f"Choose one of {', '.join((*FILM_SUFFIXES, '.png'))}.",
        )
    if isinstance(view, str) and view not in VIEWS:
        raise ParameterError(f"view must be one of {', '.join(VIEWS)} or a direction, not {view!r}.")
    size = SIZES.get(suffix, _SIZE) if size is None else size
    if len(size) != 2 or not all(_LEAST_SIDE <= side <= _LONGEST_SIDE for side in size):
        raise ParameterError(f"size must be two numbers of pixels from {_LEAST_SIDE} to {_LONGEST_SIDE:,}.")
    from kinetune.formats.atomic_write import check_folder, write_files

    check_folder(path)
    if suffix == ".png":
        if not 1 <= poses <= 100:
            raise ParameterError(f"poses must be a number from 1 to 100, not {poses}.")
        write_files({path: _png_bytes(_strip(clip, ghost, poses, size, view, body))})
        return path
    fps = (25.0 if suffix == ".gif" else 30.0) if fps is None else fps
    check_fps(fps)
    if suffix == ".gif":
        fps = 100.0 / max(2, round(100.0 / fps))
    pictures = film_frames(clip, fps, size, ghost, beside, view, follow, labels, body)
    write_files({path: film_bytes(pictures, fps, suffix)})
    return path


def film_frames(
    clip: Clip,
    fps: float,
    size: tuple[int, int],
    ghost: Clip | None = None,
    beside: Clip | None = None,
    view: FilmView | Sequence[float] = "three-quarter",
    follow: bool = True,
    labels: Sequence[str] = (),
    body: FilmBody = "skin",
) -> Iterator[_Pixels]:
    """The pictures (height, width, 3) of a film, in order; see :func:`film`. Threads render ahead of the reader."""
    shown = [each for each in (clip, ghost, beside) if each is not None]
    count = int(np.floor(max(each.duration for each in shown) * fps + 1e-6)) + 1
    if count > _MOST_FRAMES:
        raise ParameterError(
            f"The film would have {count:,} pictures; at most {_MOST_FRAMES:,} are made. Choose a lower rate."
        )
    times = np.arange(count) / fps
    sizes = [size] if beside is None else [(size[0] // 2, size[1]), (size[0] - size[0] // 2, size[1])]
    scenes = [_Scene(clip, ghost, times, fps, sizes[0], view, follow, body)]
    if beside is not None:
        scenes.append(_Scene(beside, None, times, fps, sizes[1], view, follow, body))
        distance = max(scene.camera.distance for scene in scenes)
        for scene in scenes:
            scene.camera.distance = distance
    captions = [_caption(text, size[1]) for text in labels[: len(scenes)]]
    thread = local()

    def render(number: int) -> _Pixels:
        if not hasattr(thread, "renderers"):
            thread.renderers = [scene.renderer() for scene in scenes]
        pictures = [renderer.frame(number) for renderer in thread.renderers]
        for picture, caption in zip(pictures, captions, strict=False):
            _write_on(picture, caption)
        if len(pictures) == 2:
            pictures[1][:, : max(1, size[1] // 360)] = 255
        return pictures[0] if len(pictures) == 1 else np.concatenate(pictures, axis=1)

    scenes[0].renderer()  # loads the kernels, here, where waiting is reported
    threads = min(_MOST_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, "film")
    ahead: deque[Future[_Pixels]] = deque()
    begun = 0
    try:
        for done in range(1, count + 1):
            while begun < min(count, done + 2 * threads):
                ahead.append(pool.submit(render, begun))
                begun += 1
            yield ahead.popleft().result()
            report(done / count, "filming")
    finally:
        pool.shutdown(cancel_futures=True)


class _Scene:
    """One picture of a film: a body, perhaps a ghost, and the camera."""

    def __init__(
        self,
        clip: Clip,
        ghost: Clip | None,
        times: Floats,
        fps: float,
        size: tuple[int, int],
        view: FilmView | Sequence[float],
        follow: bool,
        body: FilmBody = "skin",
    ) -> None:
        moving = at_times(clip, np.minimum(times, clip.duration), fps)
        self.actors: list[Actor] = [_actor(clip, moving, body, size)]
        self.ghosts: list[Actor] = []
        if ghost is not None:
            before = at_times(ghost, np.minimum(times, ghost.duration), fps)
            self.ghosts.append(_ghost(ghost, before, size))
        balls = _outlines([*self.actors, *self.ghosts])
        self.camera = Camera(*balls, travel_direction(clip), view, size, fps, follow)
        self.floor = _floor_height(clip)

    def renderer(self) -> Renderer:
        return Renderer(self.actors, self.ghosts, self.camera, self.floor)


def _actor(clip: Clip, shown: Clip, body: FilmBody = "skin", size: tuple[int, int] = _SIZE) -> Actor:
    """The skin of the clip's character, or a mannequin; a skin that cannot be shown is reported."""
    mesh, finding = character_mesh(clip) if body == "skin" else (None, None)
    if finding is not None:
        report_finding(finding, warn=True)
    if mesh is not None:
        return SkinActor(mesh, shown)
    made = mannequin_mesh(clip, coarse=size[1] < _FINE_HEIGHT)
    return SkinActor(coloured_sides(made, clip.skeleton), shown, one_sided=True)


def _ghost(clip: Clip, shown: Clip, size: tuple[int, int] = _SIZE) -> Actor:
    """A mannequin in one colour."""
    mesh = mannequin_mesh(clip, coarse=size[1] < _FINE_HEIGHT)
    tints = np.broadcast_to(to_linear(_GHOST_TINT), mesh.tints.shape)
    grey = replace(mesh, tints=np.ascontiguousarray(tints), materials=(MeshMaterial((1.0, 1.0, 1.0)),))
    return SkinActor(grey, shown, one_sided=True)


def _outlines(actors: Sequence[Actor]) -> tuple[Floats, Floats]:
    centres, radii = zip(*(actor.outline() for actor in actors), strict=True)
    return np.concatenate(centres, axis=1), np.concatenate(radii)


def _floor_height(clip: Clip) -> float:
    floor = find_floor(clip)
    return float(points(clip)[..., 1].min()) if floor is None else floor.height


def _strip(
    clip: Clip,
    ghost: Clip | None,
    poses: int,
    size: tuple[int, int],
    view: FilmView | Sequence[float],
    body: FilmBody,
) -> _Pixels:
    """Poses of a clip in a row, in one picture."""
    ahead = travel_direction(clip)
    shares = np.linspace(0.0, 1.0, poses) if poses > 1 else np.array([0.5])
    still = clip[:1]
    whole, reach = _actor(clip, clip[:: max(1, len(clip) // 40)], body).outline()
    across = Camera(*_actor(clip, still, body).outline(), ahead, view, size, clip.fps).right
    span = whole @ across
    step = float(np.quantile((span + reach).max(axis=1) - (span - reach).min(axis=1), 0.9)) * 1.12

    def placed(source: Clip, share: float, at: float) -> Clip:
        frame = round(share * (len(source) - 1))
        pose = source[frame : frame + 1]
        cloud = points(pose)[0]
        middle = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
        return place(pose, rot.identity(), at * across - np.array([middle[0], 0.0, middle[2]]))

    actors: list[Actor] = [_actor(clip, placed(clip, share, k * step), body) for k, share in enumerate(shares)]
    ghosts: list[Actor] = []
    if ghost is not None:
        ghosts = [_ghost(ghost, placed(ghost, share, k * step)) for k, share in enumerate(shares)]
    camera = Camera(*_outlines([*actors, *ghosts]), ahead, view, size, clip.fps)
    return Renderer(actors, ghosts, camera, _floor_height(clip)).frame(0)


def _png_bytes(pixels: _Pixels) -> bytes:
    import io

    from PIL import Image

    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="PNG", optimize=True)
    return data.getvalue()


def _caption(text: str, height: int) -> Image:
    """A label as an alpha mask."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(max(10, height // 26))
    left, top, right, bottom = font.getbbox(text)
    mask = Image.new("L", (int(right - left) + 1, int(bottom - top) + 1), 0)
    ImageDraw.Draw(mask).text((-left, -top), text, fill=255, font=font)
    return mask


def _write_on(picture: _Pixels, caption: Image) -> None:
    """A label at the lower left of a picture."""
    margin = picture.shape[0] // 24
    mask = np.asarray(caption, dtype=float)[: picture.shape[0] - margin, : picture.shape[1] - 2 * margin, None] / 255.0
    bottom = picture.shape[0] - margin
    area = picture[bottom - mask.shape[0] : bottom, margin : margin + mask.shape[1]]
    ink = np.array([int(palette.INK[k : k + 2], 16) for k in (1, 3, 5)])
    area[:] = (area + mask * (ink - area) + 0.5).astype(np.uint8)
