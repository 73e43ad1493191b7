"""Sets of example steps: what a walk is blended from.

============  ======================================================================================
StepSet       left and right steps of one skeleton, from any walking clips, mirrored
kind_of       whether a step is taken while walking, begins a walk, ends it, or is a single one
============  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.planting import pelvis_acceleration
from kinetune.body.feet.soles import bone_offsets
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.root_motion import carried_by_root
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.mirroring import mirror
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.inverse.steps.step_extraction import FootFrame, StepExample, prepare, sample_step
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.walk.footsteps import OTHER, Side, mirrored
from kinetune.rotations import Floats

Kind = Literal["walking", "starting", "stopping", "single"]
KINDS: tuple[Kind, ...] = ("walking", "starting", "stopping", "single")
_PACES = (0.7, 1.4)
_OFFSET_TOLERANCE = 1e-3  # of the character's height, between bones of clips of one skeleton


def kind_of(example: StepExample) -> Kind:
    """Whether a step is taken while walking, begins or ends a walk, or is a single one."""
    if example.from_standing:
        return "single" if example.to_standing else "starting"
    return "stopping" if example.to_standing else "walking"


class StepSet:
    """Steps of both feet to walk with.

    Make one with :meth:`from_clips`; ``len(steps)`` counts examples, mirrored ones included.

    Parameters
    ----------
    skeleton : Skeleton
        Theirs.
    fps : float
        The rate of walks made from them.
    frames : dict[Side, FootFrame]
        What stands still in the left and the right foot.
    examples : sequence of StepExample
        All of them, left before right.
    pelvis_acceleration : float, optional
        How fast the pelvis usually accelerates in them at most, in m/s^2.

    Examples
    --------
    >>> from kinetune import sample
    >>> steps = StepSet.from_clips([sample("walk"), sample("walk-happy")])
    >>> steps.counts["walking"] == len(steps)
    True
    """

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float,
        frames: dict[Side, FootFrame],
        examples: Sequence[StepExample],
        pelvis_acceleration: float = np.inf,
    ) -> None:
        self.skeleton = skeleton
        self.fps = fps
        self.frames = frames
        self.pelvis_acceleration = pelvis_acceleration
        self.examples = tuple(examples)
        self._pools: dict[tuple[Side, Kind], StepPool] = {}
        for side in OTHER:
            if not any(example.side == side for example in self.examples):
                raise ParameterError(f"There is no step of the {side} foot among the examples.")

    def __len__(self) -> int:
        return len(self.examples)

    def __repr__(self) -> str:
        return f"StepSet({len(self)} steps: {', '.join(f'{k} {n}' for k, n in self.counts.items() if n)})"

    @classmethod
    def from_clips(
        cls, clips: Iterable[Clip], *, mirrored: bool = True, fps: float | None = None, names: Sequence[str] = ()
    ) -> StepSet:
        """All steps of some clips of one skeleton; turns, side steps, starts and stops are welcome.

        Parameters
        ----------
        clips : Iterable[Clip]
            Wherever they take place and whichever way they face; nothing has to be aligned.
        mirrored : bool, optional
            Take each step's mirror image for the other foot as well, as [huang] does.
        fps : float or None, optional
            Frames per second of the walks; those of the first clip when left out.
        names : sequence of str, optional
            What to call the clips in reports; their files when left out.
        """
        sources = [carried_by_root(clip) for clip in clips]
        if not sources:
            raise ParameterError("There is no clip to take steps from; give at least one of a walk.")
        labels = [_label(clip, k, names) for k, clip in enumerate(sources)]
        skeleton = _plain_skeleton(sources[0])
        for clip, name in zip(sources[1:], labels[1:], strict=True):
            _check_same(skeleton, _plain_skeleton(clip), labels[0], name)
        prepared = [prepare(clip, name=name) for clip, name in zip(sources, labels, strict=True)]
        if not any(p.cuts for p in prepared):
            raise ParameterError(
                f"No step was found in {labels[0] if len(labels) == 1 else f'any of {len(labels)} clips'}: a step "
                "needs one foot that stands while the other swings, and both down before and after. Is it a walk?"
            )
        if mirrored:
            prepared += [prepare(mirror(p.clip), name=f"{p.name}, mirrored") for p in prepared if p.cuts]
        with_steps = [p for p in prepared if p.cuts]
        frames = {side: FootFrame.mean(p.frames[side] for p in with_steps) for side in OTHER}
        examples = [sample_step(p, cut, frames) for p in with_steps for cut in p.cuts]
        examples.sort(key=lambda example: example.side)
        usual = float(np.median([_usual_acceleration(clip) for clip in sources]))
        return cls(skeleton, sources[0].fps if fps is None else float(fps), frames, examples, usual)

    @cached_property
    def speed(self) -> float:
        """How fast a walk with these steps is, in m/s: the usual length of a step over its time."""
        walking = [example for example in self.examples if kind_of(example) == "walking"] or list(self.examples)
        # A step carries the character half as far as the swinging foot goes.
        return float(np.median([0.5 * _distance(example) / float(example.times[-1]) for example in walking]))

    def at_speed(self, speed: float) -> StepSet:
        """The same steps, taken faster or slower.

        Parameters
        ----------
        speed : float
            In m/s; from 0.7 to 1.4 times :attr:`speed`.
        """
        pace = float(speed) / self.speed
        if not _PACES[0] <= pace <= _PACES[1]:
            least, most = (round(self.speed * bound, 2) for bound in _PACES)
            raise ParameterError(
                f"These steps walk at {least:g} to {most:g} m/s, not at {speed:g}. Take them from another clip."
            )
        examples = [replace(example, times=example.times / pace) for example in self.examples]
        return StepSet(self.skeleton, self.fps, self.frames, examples, self.pelvis_acceleration * pace**2)

    @property
    def counts(self) -> dict[str, int]:
        """How many steps of each kind there are."""
        kinds = [kind_of(example) for example in self.examples]
        return {kind: kinds.count(kind) for kind in KINDS}

    def pool(self, side: Side, kind: Kind = "walking") -> StepPool:
        """The steps of a foot of one kind; all of that foot where there is no step of that kind."""
        if (side, kind) not in self._pools:
            of_side = [example for example in self.examples if example.side == side]
            chosen = [example for example in of_side if kind_of(example) == kind] or of_side
            self._pools[side, kind] = StepPool(
                self.skeleton, self.frames[OTHER[side]], self.frames[side], tuple(chosen)
            )
        return self._pools[side, kind]

    def has(self, side: Side, kind: Kind) -> bool:
        """Whether there is a step of that kind."""
        return any(example.side == side and kind_of(example) == kind for example in self.examples)

    @cached_property
    def natural(self) -> Floats:
        """(3,) a natural step of the left foot, seen from the right: the usual one of both sides."""
        return np.asarray(0.5 * (self.pool("left").natural + mirrored(self.pool("right").natural)))

    def as_table(self) -> list[dict[str, Any]]:
        """One JSON-ready row for each step: side, kind, length, width, turn, seconds, where it comes from."""
        rows = []
        for example in self.examples:
            x, z, heading = example.end.tolist()
            rows.append(
                {
                    "side": example.side,
                    "kind": kind_of(example),
                    "ahead_m": z,
                    "left_m": x,
                    "turn_deg": float(np.degrees(heading)),
                    "seconds": float(example.times[-1]),
                    "from": example.name,
                }
            )
        return rows


def _usual_acceleration(clip: Clip) -> float:
    """The 99th percentile of the acceleration of the pelvis, in m/s^2."""
    acceleration = pelvis_acceleration(clip[stray_frames(clip) :])
    return float(np.percentile(np.linalg.norm(acceleration, axis=1), 99.0))


def _distance(example: StepExample) -> float:
    return float(np.hypot(*(example.end[:2] - example.start[:2])))


def _label(clip: Clip, number: int, names: Sequence[str]) -> str:
    if number < len(names):
        return names[number]
    path = clip.source.path
    return path if path else clip.source.format or f"clip {number}"


def _plain_skeleton(clip: Clip) -> Skeleton:
    """The skeleton of a clip with the bone lengths it plays with, also where the clip carries its own translations."""
    skeleton = clip.skeleton
    if clip.translations is None:
        return skeleton
    offsets = np.array(bone_offsets(clip))
    hips = skeleton.roles.get("hips", 0)
    for joint in skeleton.chain(hips):  # what travels is no bone
        offsets[joint] = skeleton.offsets[joint]
    return Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.end_sites, skeleton.rest)


def _check_same(first: Skeleton, other: Skeleton, first_name: str, name: str) -> None:
    if not first.same_joints(other):
        raise SkeletonMismatchError(
            f'"{name}" has {len(other)} joints and "{first_name}" has {len(first)}, or other names: '
            "steps are blended joint by joint, so use clips of one skeleton, or retarget one of them first."
        )
    apart = np.linalg.norm(first.offsets - other.offsets, axis=1)[first.has_bone].max(initial=0.0)
    if apart > _OFFSET_TOLERANCE * max(first.height, 1e-9):
        raise SkeletonMismatchError(
            f'The bones of "{name}" and "{first_name}" differ by up to {1000.0 * apart:.0f} mm. '
            "Steps are blended on one body: use clips of one person, or retarget one of them first."
        )
