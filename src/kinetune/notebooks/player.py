"""A clip that plays in a notebook, with a second one as its ghost or beside it."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_floor
from kinetune.body.root_motion import travelling_joint
from kinetune.errors import ParameterError
from kinetune.figures.motion.stick_figures import StickBone, bones, head, points
from kinetune.rotations import Floats

Layout = Literal["beside", "ghost"]

_MOST_FRAMES = 3000  # that a page carries; between them the player interpolates
_SIDES = {"left": -1, "middle": 0, "right": 1}
_LEAST_HEIGHT, _MOST_HEIGHT = 120, 2000


def show(
    clip: Clip,
    other: Clip | None = None,
    *,
    layout: Layout = "beside",
    labels: Sequence[str] = (),
    height: int = 380,
) -> Any:
    """Play a clip in a notebook, or two of them to compare.

    Drag to orbit, turn the wheel to come closer, drag on the ruler to scrub; space plays, arrow keys step. The bars on
    the ruler are the contacts of the feet: blue left, yellow right.

    Parameters
    ----------
    clip : Clip
        The motion.
    other : Clip, optional
        A second motion, such as the clip before an edit.
    layout : {"beside", "ghost"}
        Where the second motion is drawn: in a picture to the right, or faint in the same one.
    labels : sequence of str
        What is written above the motions; the names of their files if left out.
    height : int
        Of the picture, in pixels.

    Returns
    -------
    A widget whose ``seconds`` can be read and set, where the package anywidget is installed (the extra ``notebook``);
    otherwise a page that plays all the same. Notebooks that run no scripts show a table.

    Examples
    --------
    >>> import kinetune as kt
    >>> walk = kt.sample("walk")
    >>> player = kt.show(kt.Equalize(gains_hz={2: 1.6})(walk), walk, labels=["livelier", "captured"])
    """
    if layout not in ("beside", "ghost"):
        raise ParameterError(f'layout is "beside" or "ghost", not {layout!r:.60}.')
    if not _LEAST_HEIGHT <= height <= _MOST_HEIGHT:
        raise ParameterError(
            f"height is a number of pixels from {_LEAST_HEIGHT} to {_MOST_HEIGHT}, not {height!r:.60}."
        )
    clips = [clip] if other is None else [clip, other]
    if len(labels) > len(clips):
        raise ParameterError(f"{len(labels)} labels were given for {len(clips)} clip{'s' * (len(clips) != 1)}.")
    named = [*labels, *(c.source.name for c in clips[len(labels) :])]
    motions, packed = zip(*(motion_data(c, name) for c, name in zip(clips, named, strict=True)), strict=True)
    settings = {"layout": layout, "height": int(height)}
    if find_spec("anywidget") is not None:
        return _widget_class()(motions=list(motions), packed=[p.tobytes() for p in packed], settings=settings)
    return PlayerPage(list(motions), list(packed), settings)


def clip_page(clip: Clip, caption: str) -> str:
    """A clip as HTML that plays: what ``clip._repr_html_`` shows, with the caption below."""
    motion, packed = motion_data(clip, clip.source.name)
    page = PlayerPage([motion], [packed], {"layout": "ghost", "height": 320})
    return page._repr_html_() + caption


def motion_data(clip: Clip, label: str = "") -> tuple[dict[str, Any], NDArray[np.uint16]]:
    """What the player needs of a clip, and its positions packed into two bytes a number (0.2 mm over 10 m)."""
    stride = -(-len(clip) // _MOST_FRAMES)
    places = points(clip)[::stride]
    low = places.min((0, 1))
    step = max(float((places.max((0, 1)) - low).max()), 1e-6) / 65535
    skeleton = clip.skeleton
    top, floor = head(skeleton), find_floor(clip)
    motion = {
        "label": label,
        "fps": clip.fps / stride,
        "clip_fps": clip.fps,
        "frames": len(places),
        "points": places.shape[1],
        "low": low.tolist(),
        "step": step,
        "bones": [[bone.start, bone.end, _SIDES[bone.side]] for bone in bones(skeleton)],
        "head": None if top is None else list(top),
        "contacts": _contacts(clip),
        "root": travelling_joint(clip),
        "still": _still(places, bones(skeleton)),
        "floor": float(low[1]) if floor is None else float(floor.height),
    }
    return motion, np.round((places - low) / step).astype("<u2").reshape(-1)


def _still(places: Floats, lines: Sequence[StickBone], poses: int = 9) -> str:
    """A strip of poses, for pages that run no scripts."""
    chosen = places[np.linspace(0, len(places) - 1, poses).round().astype(int)]
    body = chosen - chosen[:, :1] * [1, 0, 1]
    wide = 1.3 * float(np.ptp(body[..., [0, 2]], axis=(0, 1)).max()) + 0.01
    across = body[..., 0] + 0.5 * body[..., 2] + wide * np.arange(poses)[:, None]
    low, high = float(places[..., 1].min()), float(places[..., 1].max())
    limbs = "".join(
        f'<path stroke="{line.colour}" d="'
        + "".join(
            f"M{x[line.start]:.2f} {high - y[line.start]:.2f}L{x[line.end]:.2f} {high - y[line.end]:.2f}"
            for x, y in zip(across, chosen[..., 1], strict=True)
        )
        + '"/>'
        for line in lines
    )
    left, width = across.min() - 0.1, np.ptp(across) + 0.2
    return (
        f'<svg viewBox="{left:.2f} -0.1 {width:.2f} {high - low + 0.2:.2f}" width="100%" fill="none" '
        f'stroke-width="0.03" stroke-linecap="round">{limbs}</svg>'
    )


def _contacts(clip: Clip) -> list[dict[str, Any]]:
    if clip.contacts is None:
        return []
    known = clip.contacts
    shown = []
    for foot, name in enumerate(known.joints):
        edges = np.flatnonzero(np.diff(np.r_[0, known.flags[:, foot].astype(int), 0])).reshape(-1, 2)
        side = known.sides[foot] if known.sides else ""
        spans = [[float(a / clip.fps), float((b - 1) / clip.fps)] for a, b in edges]
        shown.append({"point": clip.skeleton.index(name), "side": _SIDES.get(side, 0), "spans": spans})
    return shown


@cache
def _module() -> str:
    return resources.files("kinetune.notebooks").joinpath("player.js").read_text(encoding="utf-8")


class PlayerPage:
    """A player that needs no widgets: a page inside a frame, with everything in it."""

    def __init__(self, motions: list[dict[str, Any]], packed: list[NDArray[np.uint16]], settings: dict[str, Any]):
        self.motions = motions
        self.packed = packed
        self.settings = settings

    def document(self) -> str:
        """The page itself."""
        numbers = [base64.b64encode(p.tobytes()).decode("ascii") for p in self.packed]
        plain = [{name: value for name, value in motion.items() if name != "still"} for motion in self.motions]
        values = (json.dumps(v).replace("</", "<\\/") for v in (plain, numbers, self.settings))
        motions, packed, settings = values
        return (
            '<!doctype html><meta charset="utf-8"><title>Motion</title><style>body{margin:0}</style>'
            f'<div id="player"><noscript>{"".join(m["still"] for m in self.motions)}</noscript></div>'
            f'<script type="module">{_module()}\nmount(document.getElementById("player"), {motions}, '
            f"{packed}.map(unpack), {settings});</script>"
        )

    def _repr_html_(self) -> str:
        height = self.settings["height"] + 46
        return (
            f'<iframe title="Motion" srcdoc="{escape(self.document())}" width="100%" height="{height}" '
            'style="border:0" sandbox="allow-scripts" loading="lazy"></iframe>'
        )


@cache
def _widget_class() -> Any:
    anywidget: Any = import_module("anywidget")
    traitlets: Any = import_module("traitlets")

    class Player(anywidget.AnyWidget):  # type: ignore[misc]
        """The player as a widget: ``seconds`` follows the page, and sets it."""

        _esm = _module()
        motions = traitlets.List().tag(sync=True)
        packed = traitlets.List().tag(sync=True)
        settings = traitlets.Dict().tag(sync=True)
        seconds = traitlets.Float(0.0).tag(sync=True)

        def __repr__(self) -> str:
            return f"Player({', '.join(motion['label'] or 'clip' for motion in self.motions)})"

        def _repr_mimebundle_(self, **asked: Any) -> Any:
            """The widget, and the page for notebooks that are read without one."""
            bundle = super()._repr_mimebundle_(**asked)
            packed = [np.frombuffer(p, "<u2") for p in self.packed]
            page = PlayerPage(self.motions, packed, self.settings)._repr_html_()
            for data in bundle if isinstance(bundle, tuple) else (bundle,):
                if "application/vnd.jupyter.widget-view+json" in (data or {}):
                    data["text/html"] = page
            return bundle

    return Player
