"""The dynamic filter for poses that come one after another, as in a game or on a stage.

==============  ==========================================================================
DynamicFilter   takes poses and gives filtered ones a moment later
StreamedFrame   one filtered pose with its forces and torques
==============  ==========================================================================

[pollard] section 6 expects that balance "could be set automatically in an on-line process with a small window of
lookahead, where expected force characteristics of the motion over the next second were known". That is what happens
here: a pose comes out when those of the next 0.8 seconds have come in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor
from kinetune.body.timeline.retiming import at_rate
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.physics.equations_of_motion import CUTOFF_HZ, smooth_coordinates
from kinetune.physics.filter.com_targets import HORIZON_S, REPLAN_S, PlannedTargets
from kinetune.physics.filter.filter_settings import FilterSettings, Gains, Mode, find_gains
from kinetune.physics.filter.preprocessing import LEAST_RATE, fit_ground
from kinetune.physics.filter.references import Feet, Reference, build_reference
from kinetune.physics.frame.tracking import TrackedStep, Tracker
from kinetune.physics.ground import ContactGround, SlopedGround, as_ground, check_friction
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

LOOKAHEAD_S = HORIZON_S + REPLAN_S
_BEHIND_S = 0.3
_SHORTEST_S = 0.2
_MEMORY_S = 5.0


class StreamedFrame(NamedTuple):
    """One filtered pose: a clip of one frame, forces (points, 3) in newtons, torques (segments, 3) in newton metres."""

    clip: Clip
    forces: Floats
    torques: Floats


class DynamicFilter:
    """Filter poses as they come.

    Parameters
    ----------
    body : Body
        The physical model.
    fps : float
        Poses per second.
    mode, mu, sides, preset, cutoff_hz
        As for :func:`kinetune.filter_dynamics`.
    ground : float, Floor or ContactGround, optional
        A height in metres, a floor, or uneven ground. By default a plane is learned from the feet as they come.
    lookahead_s : float
        How many seconds of poses are needed before one comes out.

    Notes
    -----
    The difference from filtering a whole clip: the lookahead ends sooner, there is one attempt, a capture that leans is
    not levelled but stands on the plane that the last five seconds show, and a kick that turns faster than a foot can
    pivot is not turned beforehand.
    Walks come out as they do offline; kicks on one foot are followed less closely, and some fall. The numbers are in
    docs/operations/filter_dynamics.md.
    Law: as many poses come out as go in, in order (``tests/physics/filter/test_streaming.py``).

    Examples
    --------
    >>> from kinetune import Body, sample
    >>> walk = sample("walk")[:60]
    >>> stream = DynamicFilter(Body.fit(walk.skeleton, clip=walk), fps=walk.fps)
    >>> out = stream.push(walk) + stream.finish()
    >>> len(out)
    60
    """

    def __init__(
        self,
        body: Body,
        fps: float = 60.0,
        *,
        mode: Mode = "friction",
        mu: float = 1.0,
        sides: int = 4,
        preset: str | Gains = "steady",
        cutoff_hz: float | None = CUTOFF_HZ,
        ground: float | Floor | ContactGround | None = None,
        lookahead_s: float = LOOKAHEAD_S,
    ) -> None:
        check_friction(mu, sides)
        if not (np.isfinite(fps) and fps > 0.0):
            raise ParameterError(f"fps must be a positive number, not {fps}.")
        if not (np.isfinite(lookahead_s) and lookahead_s >= _SHORTEST_S):
            raise ParameterError(
                f"lookahead_s must be {_SHORTEST_S} seconds or more to keep balance, not {lookahead_s}."
            )
        if not body.points:
            raise ParameterError("The dynamic filter finds no feet on this character, so nothing can carry it.")
        self.body, self.fps, self.cutoff_hz = body, fps, cutoff_hz
        self.every = int(np.ceil(LEAST_RATE / fps))
        self.rate = fps * self.every
        self.settings = FilterSettings(
            mode, "plan" if mode == "friction" else "none", mu, sides, gains=find_gains(preset)
        )
        self.ground = None if ground is None else as_ground(ground)
        self.ahead = max(4, round(lookahead_s * fps))
        self.chunk = max(1, round(REPLAN_S * fps))
        self._behind = round(_BEHIND_S * fps)
        self._feet = Feet.of(body)
        self._poses: list[Clip] = []
        self._kept = 0  # poses that come before the next one to be filtered
        self._tracker: Tracker | None = None
        self._seen = np.zeros((0, body.nq))  # what has been filtered lately, for the ground

    def push(self, pose: Clip) -> list[StreamedFrame]:
        """Take one pose or several; give those that are ready, often none or a few at once."""
        if not pose.skeleton.same_joints(self.body.skeleton):
            raise SkeletonMismatchError("The pose and the body of the filter have different joints.")
        self._poses += [pose[k : k + 1] for k in range(len(pose))]
        ready: list[StreamedFrame] = []
        while len(self._poses) - self._kept >= self.ahead + self.chunk:
            ready += self._advance(self.chunk)
        return ready

    def finish(self) -> list[StreamedFrame]:
        """Give all poses that are left: nothing more will come."""
        ready: list[StreamedFrame] = []
        while len(self._poses) - self._kept > 0:
            ready += self._advance(min(self.chunk, len(self._poses) - self._kept))
        return ready

    def _advance(self, count: int) -> list[StreamedFrame]:
        """Filter the next poses with what is known of the future."""
        window = self._window()
        fast = at_rate(window, self.rate) if self.every > 1 else window
        qpos = self.body.coordinates(fast)
        if self.cutoff_hz is not None and len(qpos) > 2:
            qpos = smooth_coordinates(qpos, self.rate, self.cutoff_hz)
        first = self._kept * self.every
        ground = self._learned_ground(qpos[first:], count * self.every) if self.ground is None else self.ground
        reference = build_reference(self.body, qpos, self.rate, ground, self._feet)
        targets = None
        if self.settings.mode == "friction":
            targets = PlannedTargets(self.body, reference, reference.support(self._feet, ground), self.settings.mu)
        if self._tracker is None:
            self._tracker = Tracker(self.body, self._feet, ground, self.settings, self.rate)
            self._tracker.start(reference.Q[first], reference.V[first], reference.stance[first])
        self._tracker.frames.ground = ground
        steps = [self._step(reference, min(first + k, len(reference) - 1), targets) for k in range(count * self.every)]
        poses = self._poses[self._kept : self._kept + count]
        filtered = [self._frame(step, pose) for step, pose in zip(steps[:: self.every], poses, strict=True)]
        self._kept += count
        drop = max(0, self._kept - self._behind)
        self._poses, self._kept = self._poses[drop:], self._kept - drop
        return filtered

    def _learned_ground(self, ahead: Floats, count: int) -> ContactGround:
        """The plane that the feet of the last seconds and of those to come show; ``count`` frames are filtered now."""
        shown = np.concatenate([self._seen, ahead])
        self._seen = shown[: len(self._seen) + count][-round(_MEMORY_S * self.rate) :]
        middle = shown[:, [0, 2]].mean(axis=0)
        shown[:, [0, 2]] -= middle
        level, slope = fit_ground(self.body, self._feet, shown, self.rate)
        return SlopedGround(Floor(level, slope, (float(middle[0]), float(middle[1]))))

    def _step(self, reference: Reference, t: int, targets: PlannedTargets | None) -> TrackedStep:
        assert self._tracker is not None
        step = self._tracker.step(reference, t, targets)
        if self._tracker.diverged:
            raise ParameterError(
                "The dynamic filter cannot follow this motion: the character has fallen and the simulation stopped. "
                "Start a new filter from a pose in balance."
            )
        return step

    def _window(self) -> Clip:
        first = self._poses[0]
        translations = None
        if first.translations is not None:
            translations = np.concatenate([p.translations for p in self._poses if p.translations is not None])
        return first.replace(
            fps=self.fps,
            root=np.concatenate([pose.root for pose in self._poses]),
            rotations=np.concatenate([pose.rotations for pose in self._poses]),
            translations=translations,
            markers=(),
        )

    def _frame(self, step: TrackedStep, pose: Clip) -> StreamedFrame:
        torques = np.concatenate([np.zeros((1, 3)), step.torques.reshape(-1, 3)])
        return StreamedFrame(self.body.clip(step.q[None], like=pose), step.forces, torques)
