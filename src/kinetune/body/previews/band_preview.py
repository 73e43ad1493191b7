"""The equalizer for the frames in view: bands are split once and mixed as often as a fader moves.

:func:`kinetune.body.curves.pose_equalizer.equalize_joints` edits a whole clip. A hand on a fader looks at a few seconds
of it, and the bands of a motion do not depend on the gains: so :class:`BandPreview` keeps the bands of those seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import Kind, RootChannels, pose_curves
from kinetune.body.curves.pose_equalizer import JointGains
from kinetune.body.root_motion import is_cycle, slow_travel, travelling_joint
from kinetune.signals.bands.gains import Ends, bands_of_window


class BandPreview:
    """The bands of a few frames of a clip.

    Parameters
    ----------
    clip : the whole motion, without a stray first frame.
    start, stop : the frames in view.
    kind, orders, ends : as in :func:`kinetune.body.curves.pose_equalizer.equalize_joints`.

    Notes
    -----
    Law: what it mixes is the part of the equalized whole, to rounding (``tests/body/previews/test_band_preview.py``).
    """

    def __init__(
        self,
        clip: Clip,
        start: int,
        stop: int,
        *,
        kind: Kind = "log",
        orders: Sequence[str] | None = None,
        ends: Ends = "held",
    ) -> None:
        closed = ends == "cycle" and is_cycle(clip)
        travel = slow_travel(clip, steady=closed)
        seen = pose_curves(clip, range(len(clip.skeleton)), kind=kind, orders=orders, travel=travel)
        self.start, self.stop, self.carrier = start, stop, travel.joint
        self.clip = clip[start:stop]
        self._seen = seen.window(start, stop)
        self._curves = np.stack(bands_of_window(seen.curves, start, stop, ends=ends, closed=closed))
        sway = clip.positions()[:, travel.joint] - travel.path
        self._sway = np.stack(bands_of_window(sway, start, stop, ends=ends, closed=closed))

    @staticmethod
    def suits(clip: Clip) -> bool:
        """Whether this is the whole of an equalizer's work on a clip: not if joints but the root move by themselves."""
        return travelling_joint(clip) == 0 and clip.translations is None and len(clip) > 1

    def mix(self, parts: Sequence[JointGains], *, root: RootChannels = "height") -> Clip:
        """The frames in view with their bands turned up or down.

        Parameters
        ----------
        parts : groups of joints with their gains, (bands, 1) or (bands, frames of the whole clip).
        """
        curves = np.array(self._seen.curves)
        place = np.array(self.clip.root)
        for joints, gains in parts:
            if not len(joints):
                continue
            g = gains if gains.shape[1] == 1 else gains[:, self.start : self.stop]
            every = len(joints) == curves.shape[1]
            chosen: slice | list[int] = slice(None) if every else list(joints)
            sways = root != "none" and self.carrier in joints
            for band in np.flatnonzero(np.any(g != 1.0, axis=1)).tolist():
                extra = g[band] - 1.0  # (1,) or (frames,)
                curves[:, chosen] += extra[:, None, None] * self._curves[band][:, chosen]
                if sways:
                    change = extra[:, None] * self._sway[band]
                    if root == "height":
                        change[:, [0, 2]] = 0.0
                    place += change
        rotations = rot.continuous(self._seen.rotations(curves))
        return self.clip.replace(root=place, rotations=rotations, contacts=self.clip.contacts)
