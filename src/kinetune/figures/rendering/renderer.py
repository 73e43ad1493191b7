"""Frames of a scene as pixels: bodies on a floor, lit by a lamp and the sky."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.figures.rendering.actors import Actor, Pose, to_linear
from kinetune.figures.rendering.camera import Camera, Lens
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.figures.rendering.render_kernels")

_LIGHT_CELLS = 512  # for one body; a row of them has more
_FLOOR_CELLS = 320
_KEY_LAMPS, _SKY_LAMPS = 8, 14
_KEY_SPREAD = 0.06  # the size of the lamp, as a tangent
_KEY_DARK, _SKY_DARK = 0.4, 0.5  # how dark the floor gets without the one and the other
_GHOST_OPACITY = 0.45
_NEAR_FLOOR = 0.22


class Look(NamedTuple):
    """Colours of the scene in linear light."""

    sky: Floats
    horizon: Floats
    floor: Floats
    grid: Floats
    above: Floats
    below: Floats
    key: Floats
    haze: float
    gloss: float
    rim: float


class Lamp(NamedTuple):
    """The key light: its axes, the grid across it and how far out surfaces are on it."""

    centre: Floats
    right: Floats
    up: Floats
    towards: Floats
    cell: float
    depths: NDArray[np.float32]


class Patch(NamedTuple):
    """The part of the floor that may be in shadow: its corner, its height, the size of a cell."""

    x: float
    z: float
    height: float
    cell: float


LOOK = Look(
    sky=to_linear("#8fa0b3"),
    horizon=to_linear("#cdd5de"),
    floor=to_linear("#bcc5cf"),
    grid=to_linear("#99a5b3"),
    above=np.array([0.38, 0.42, 0.48]),
    below=np.array([0.15, 0.14, 0.14]),
    key=np.array([0.78, 0.73, 0.66]),
    haze=0.055,
    gloss=0.10,
    rim=0.16,
)


class Renderer:
    """Renders frames of actors on a floor; a frame depends on nothing but itself, so threads may each have their own.

    Parameters
    ----------
    actors : sequence of Actor
        Those that are seen in full and cast shadows.
    ghosts : sequence of Actor
        Those that are seen faintly behind them.
    camera : Camera
        What the picture shows.
    floor : float
        The height of the floor.
    """

    def __init__(self, actors: Sequence[Actor], ghosts: Sequence[Actor], camera: Camera, floor: float) -> None:
        self.actors, self.ghosts, self.camera, self.floor = tuple(actors), tuple(ghosts), camera, floor
        width, height = camera.size
        self.kernels: Any = _kernels.load()
        self.nearness = np.zeros((height, width, self.kernels.SAMPLES), np.float32)
        self.owner = np.full((height, width, self.kernels.SAMPLES), -1, np.int32)
        cells = _LIGHT_CELLS * min(3, len(self.actors))
        self.depths = np.empty((cells, cells), np.float32)
        self.shade = np.empty((_FLOOR_CELLS, _FLOOR_CELLS), np.float32)
        self.spare = np.empty_like(self.shade)
        self.stamps = np.empty((_FLOOR_CELLS, _FLOOR_CELLS), np.int32)
        self.tones = _tones()
        towards = -0.62 * camera.right - 0.55 * _level(camera.ahead) + np.array([0.0, 1.05, 0.0])
        self.towards = towards / np.linalg.norm(towards)
        self.rays, self.weights, self.tops = _lamps(self.towards)

    def frame(self, number: int) -> NDArray[np.uint8]:
        """A frame as pixels (height, width, 3)."""
        width, height = self.camera.size
        image = np.empty((height, width, 3), np.uint8)
        lens = self.camera.lens(number)
        posed = [actor.pose(number) for actor in self.actors]
        points = np.concatenate([pose.points for pose in posed])
        starts = np.cumsum([0, *(len(pose.points) for pose in posed)])
        triangles = np.concatenate([actor.triangles + s for actor, s in zip(self.actors, starts, strict=False)])
        patch = self._cast_shadow(points, triangles)
        self.kernels.paint_floor(lens, LOOK, patch, self.shade, self.tones, image)
        lamp = self._lamp(points)
        self.kernels.light_depths(points, triangles, lamp, self.depths)
        for ghost in self.ghosts:
            self._paint(ghost, ghost.pose(number), lens, lamp, _GHOST_OPACITY, image)
        for actor, pose in zip(self.actors, posed, strict=True):
            self._paint(actor, pose, lens, lamp, 1.0, image)
        return image

    def _paint(
        self,
        actor: Actor,
        pose: Pose,
        lens: Lens,
        lamp: Lamp,
        opacity: float,
        image: NDArray[np.uint8],
    ) -> None:
        screen = np.empty_like(pose.points)
        self.kernels.project(pose.points, lens, screen)
        box = self.kernels.rasterize(screen, actor.triangles, actor.one_sided, self.nearness, self.owner)
        mesh = (screen, *pose, actor.uv, actor.triangles, actor.materials)
        samples = (self.nearness, self.owner)
        self.kernels.paint_body(lens, box, samples, mesh, actor.textures, lamp, LOOK, self.tones, opacity, image)
        self.kernels.clear_samples(box, self.nearness, self.owner)

    def _lamp(self, points: Floats) -> Lamp:
        low, high = points.min(axis=0), points.max(axis=0)
        right = np.cross([0.0, 1.0, 0.0], self.towards)
        right /= np.linalg.norm(right)
        reach = float(np.linalg.norm(high - low)) + 0.1
        cell = reach / (len(self.depths) - 4)
        return Lamp(0.5 * (low + high), right, np.cross(self.towards, right), self.towards, cell, self.depths)

    def _cast_shadow(self, points: Floats, triangles: NDArray[np.int64]) -> Patch:
        low, high = points.min(axis=0), points.max(axis=0)
        rise = max(0.0, high[1] - self.floor)
        far = rise * float(np.abs(self.rays[:_KEY_LAMPS]).max())
        west, north = low[0] - far - 0.1, low[2] - far - 0.1
        size = max(high[0] - low[0], high[2] - low[2]) + 2.0 * far + 0.2
        patch = Patch(float(west), float(north), self.floor, float(size) / _FLOOR_CELLS)
        self.kernels.floor_shadow(points, triangles, self.rays, self.weights, self.tops, patch, self.stamps, self.shade)
        self.kernels.soften(self.shade, self.spare)
        return patch


def _lamps(towards: Floats) -> tuple[Floats, Floats, Floats]:
    """Points of the key light and of the sky: horizontal steps for each metre up (lamps, 2), and how much each gives.

    Of the sky, only what is near the floor keeps light away, so that feet stand on it.
    """
    golden = np.pi * (3.0 - 5.0**0.5)
    k = np.arange(_KEY_LAMPS)
    spread = _KEY_SPREAD * np.sqrt((k + 0.5) / _KEY_LAMPS)
    key = towards[[0, 2]] / towards[1] + spread[:, None] * np.stack([np.cos(k * golden), np.sin(k * golden)], axis=1)
    k = np.arange(_SKY_LAMPS)
    slope = 0.8 * np.sqrt((k + 0.5) / _SKY_LAMPS)
    sky = slope[:, None] * np.stack([np.cos(k * golden), np.sin(k * golden)], axis=1)
    weights = np.concatenate([np.full(_KEY_LAMPS, _KEY_DARK / _KEY_LAMPS), np.full(_SKY_LAMPS, _SKY_DARK / _SKY_LAMPS)])
    tops = np.concatenate([np.full(_KEY_LAMPS, np.inf), np.full(_SKY_LAMPS, _NEAR_FLOOR)])
    return np.concatenate([key, sky]), weights, tops


def _level(direction: Floats) -> Floats:
    flat = np.array([direction[0], 0.0, direction[2]])
    return flat / max(1e-9, float(np.linalg.norm(flat)))


def _tones() -> NDArray[np.uint8]:
    """Linear light as bytes of sRGB."""
    value = (np.arange(4096) + 0.5) / 4096
    encoded = np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(255.0 * encoded), np.uint8)
