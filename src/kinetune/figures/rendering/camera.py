"""A camera that frames a motion and follows it: the body is inside the picture in every frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

FilmView = Literal["front", "side", "three-quarter", "back", "top"]
VIEWS: dict[FilmView, tuple[float, float]] = {  # degrees from ahead of the character to its left, and upwards
    "front": (0.0, 9.0),
    "three-quarter": (40.0, 11.0),
    "side": (90.0, 9.0),
    "back": (180.0, 11.0),
    "top": (0.0, 72.0),
}
_FIELD_DEG = 30.0  # from the bottom to the top of the picture
_MARGIN = 0.06  # of the picture, on every side
_EASE_S = 1.0
_STEEPEST = 1e-3


class Lens(NamedTuple):
    """Where a camera is and how it sees, as the kernels take it: axes of unit length, pixels."""

    eye: Floats
    right: Floats
    up: Floats
    ahead: Floats
    focal: float
    middle_x: float
    middle_y: float


class Camera:
    """A camera for clouds of points (frames, points, 3), each inside of a ball.

    Parameters
    ----------
    points : array
        What must stay in the picture.
    reach : array, shape (points,)
        The radii of the balls.
    ahead : array, shape (3,)
        Which way the character goes or looks.
    view : str or (float, float, float)
        From where it is seen: by name, or along a direction in the world from the character to the camera.
    size : (int, int)
        Width and height of the picture in pixels.
    fps : float
        Of the points, for a smooth ride.
    follow : bool
        Move with the character, or stand where all of the motion is in sight.
    """

    def __init__(
        self,
        points: Floats,
        reach: Floats,
        ahead: Floats,
        view: FilmView | Sequence[float],
        size: tuple[int, int],
        fps: float,
        follow: bool = True,
    ) -> None:
        self.ahead = -_towards_camera(view, ahead)
        self.right = np.cross(self.ahead, [0.0, 1.0, 0.0])
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(self.right, self.ahead)
        self.size = size
        self.focal = 0.5 * size[1] / np.tan(0.5 * np.radians(_FIELD_DEG))
        low, high = (points - reach[:, None]).min(axis=1), (points + reach[:, None]).max(axis=1)
        middle = 0.5 * (low + high)
        if follow:
            self.target = _eased(middle, fps)
        else:
            self.target = np.repeat(0.5 * (low.min(axis=0) + high.max(axis=0))[None], len(points), axis=0)
        self.distance = self._least_distance(points, reach)

    def _least_distance(self, points: Floats, reach: Floats) -> float:
        """The nearest that keeps every ball in the picture: each side of the frustum is a plane through the eye."""
        seen = points - self.target[:, None]
        depth = seen @ self.ahead
        least = float((0.5 + reach - depth).max())
        for axis, pixels in ((self.right, self.size[0]), (self.up, self.size[1])):
            slope = (0.5 - _MARGIN) * pixels / self.focal
            off = np.abs(seen @ axis) + reach * np.hypot(1.0, slope)
            least = max(least, float((off / slope - depth).max()))
        return least

    def lens(self, frame: int) -> Lens:
        """The camera at a frame."""
        eye = self.target[frame] - self.distance * self.ahead
        return Lens(eye, self.right, self.up, self.ahead, self.focal, 0.5 * self.size[0], 0.5 * self.size[1])


def _towards_camera(view: FilmView | Sequence[float], ahead: Floats) -> Floats:
    """The unit vector from the character to the camera."""
    if isinstance(view, str):
        yaw, pitch = np.radians(VIEWS[view])
        left = np.cross([0.0, 1.0, 0.0], ahead)
        level = np.cos(yaw) * ahead + np.sin(yaw) * left
        return np.asarray(np.cos(pitch) * level + np.sin(pitch) * np.array([0.0, 1.0, 0.0]))
    way = np.asarray(view, dtype=float)
    size = float(np.linalg.norm(way)) if way.shape == (3,) and np.isfinite(way).all() else 0.0
    if size < 1e-9:
        raise ParameterError(f"view must be one of {', '.join(VIEWS)} or a direction of three numbers, not {view!r}.")
    way = way / size
    if np.hypot(way[0], way[2]) < _STEEPEST:  # straight above: what is ahead points up in the picture
        way = way - _STEEPEST * ahead
        way /= np.linalg.norm(way)
    return way


def _eased(path: Floats, fps: float) -> Floats:
    """A path without the bob of every step: a moving average, twice, ends held."""
    half = max(1, int(0.5 * _EASE_S * fps))
    window = np.bartlett(2 * half + 1)
    window /= window.sum()
    padded = np.concatenate([np.repeat(path[:1], half, axis=0), path, np.repeat(path[-1:], half, axis=0)])
    return np.stack([np.convolve(padded[:, k], window, mode="valid") for k in range(3)], axis=1)
