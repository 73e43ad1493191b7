"""One motion that passes into another: a double kick out of two single ones.

===========  =============================================================================
splice       two clips as one, with an automatic transition
SplicedClip  the result: a clip that also knows where its standing feet should be
===========  =============================================================================

[pollard] section 3.2: the clips are lined up at the best match of poses, eased out and in over a window of time, each
frequency band by itself, fast bands over shorter windows. A blend alone makes the standing foot slide; where it should
be is read from "a simple splice transition where the toes in the first and second motions are aligned at the
transition boundary" and kept for the dynamic filter.

The paper blends Euler angles; here it is the rotation from one clip to the other that is faded in, which neither flips
nor depends on an Euler order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.flipped_feet import unflip_feet
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.root_motion import local_translations, place_character
from kinetune.body.timeline.alignment import check_skeletons, known_contacts
from kinetune.body.timeline.clip_blending import rotations_between, scale_like
from kinetune.body.timeline.retiming import at_rate
from kinetune.body.timeline.transitions import EventChoice, Frames, Heading, Seam, find_seams, place_at, toe_joint
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import band_centres_hz, count_bands
from kinetune.signals.mixing import mix_bands

WINDOW_S = 0.3
SHIFT_S = 0.07
_SHORTEST = 0.25
"""The window of the fastest bands, as a share of the whole one."""


@dataclass(frozen=True, eq=False, repr=False)
class SplicedClip(Clip):
    """A clip made of two, with what the blend alone does not show.

    seam : where and how the second clip was put on. The marker "splice" stands at the frame.
    stance_path : (frames, feet, 3) where the toe joint of each foot of ``contacts`` should be, in metres: that of the
        first clip up to the seam and of the second one after it. Meaningful while the foot stands.

    Any other edit gives back a plain :class:`~kinetune.body.clip.Clip`, since the path would no longer belong to it.
    """

    seam: Seam | None = None
    stance_path: Floats | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stance_path is not None:
            path = np.array(self.stance_path, dtype=float)
            feet = 0 if self.contacts is None else len(self.contacts.joints)
            if path.shape != (len(self), feet, 3):
                raise ParameterError(f"stance_path must have shape ({len(self)}, {feet}, 3), not {path.shape}.")
            path.setflags(write=False)
            object.__setattr__(self, "stance_path", path)

    def plain(self) -> Clip:
        """The same motion without the seam."""
        return Clip(**{f.name: getattr(self, f.name) for f in fields(Clip)})

    def __getitem__(self, frames: slice) -> Clip:
        part = self.plain()[frames]
        if self.stance_path is None:
            return part
        values = {f.name: getattr(part, f.name) for f in fields(Clip)}
        return SplicedClip(**values, seam=self.seam, stance_path=self.stance_path[frames])

    def replace(self, **changes: Any) -> Clip:
        """A clip with some fields changed; the seam goes when the motion or its contacts change."""
        moved = {"root", "rotations", "translations", "skeleton", "fps"} & changes.keys()
        if moved or changes.get("contacts", self.contacts) is not self.contacts:
            plain_changes = {name: value for name, value in changes.items() if name not in ("seam", "stance_path")}
            return self.plain().replace(**plain_changes)
        return super().replace(**changes)


def splice(
    first: Clip,
    second: Clip,
    *,
    event: EventChoice = "auto",
    heading: Heading = "auto",
    window_s: float = WINDOW_S,
    seed: int | None = None,
    shift_s: float = SHIFT_S,
    choice: int = 0,
    leave_s: float | None = None,
    enter_s: float | None = None,
    seam: Seam | None = None,
) -> SplicedClip:
    """Let one motion pass into another, without a pose of rest between them.

    Parameters
    ----------
    first, second : Clip
        Clips with the same joints; the second takes over the first one's frame rate and bone lengths. A T-pose in the
        first frame is dropped.
    event, heading : str
        Which part of each clip to keep, and how to turn the second one: see
        :func:`~kinetune.body.timeline.transitions.find_seams`.
    window_s : float
        How long the blend of the slowest bands takes, in seconds.
    seed : int or None
        Seed of a small random shift of the boundary in each clip, for variety; None takes the best match as it is.
    shift_s : float
        How far that shift may go either way, in seconds.
    choice : int
        0 takes the best seam, 1 the second best, and so on.
    leave_s, enter_s : float or None
        When to leave the first clip and to enter the second, as a motion graph names it
        (:func:`kinetune.library.find_transitions`), in seconds; None looks for the best moment.
    seam : Seam or None
        A seam that is known already, from ``find_seams`` on these clips.

    Returns
    -------
    SplicedClip
        One clip with a marker "splice" where the second takes over, its ``seam``, and ``stance_path``: where the
        standing toes should be.

    Notes
    -----
    [pollard] section 3.2. The second clip is only moved, and turned as a whole; its heading is not aligned at the seam
    of a kick, which would ruin a roundhouse.
    Laws (``tests/body/timeline/test_splicing.py``): away from the blend the result is the first clip, and then the
    second one placed; the standing toe has no jump in ``stance_path``; the same seed gives the same bits.

    Examples
    --------
    >>> from kinetune import sample
    >>> double = splice(sample("kick-1"), sample("kick-2"), event="kick")
    >>> [marker.name for marker in double.markers if marker.frame == double.seam.first_frame]
    ['splice']
    """
    if not (np.isfinite(window_s) and 0.0 <= window_s <= 10.0):
        raise ParameterError(f"splice: window_s must lie between 0 and 10 seconds, not {window_s}.")
    check_skeletons((first, second), ("first", "second"))
    ours = _prepared(first)
    theirs = _prepared(scale_like(at_rate(second[stray_frames(second) :], first.fps), ours))
    half = 0.5 * window_s * first.fps
    if seam is None:
        seams = find_seams(
            ours,
            theirs,
            event=event,
            heading=heading,
            count=choice + 1,
            margin=int(np.ceil(half)),
            frames=(_frame_at(leave_s, "leave_s", first, ours), _frame_at(enter_s, "enter_s", second, theirs)),
        )
        seam = seams[min(choice, len(seams) - 1)]
    if not (0 <= seam.first_frame < len(ours) and 0 <= seam.second_frame < len(theirs)):
        raise ParameterError("splice: the seam lies outside of the clips; it belongs to others.")
    if seed is not None:
        seam = _shifted(ours, theirs, seam, seed, round(shift_s * first.fps))
    moved = place_character(theirs, rot.about_y(seam.turn), seam.shift)
    return _joined(ours, moved, seam, half, second)


def _frame_at(moment_s: float | None, name: str, clip: Clip, prepared: Clip) -> int | None:
    """The frame of a prepared clip at a moment of the clip itself."""
    if moment_s is None:
        return None
    if not 0.0 <= moment_s <= clip.duration + 1e-6:
        raise ParameterError(f"splice: {name} is {moment_s:g} s, but that clip lasts {clip.duration:.2f} s.")
    begun_s = stray_frames(clip) / clip.fps
    return int(np.clip(round((moment_s - begun_s) * prepared.fps), 0, len(prepared) - 1))


def _prepared(clip: Clip) -> Clip:
    motion = unflip_feet(clip[stray_frames(clip) :])
    return motion.replace(contacts=known_contacts(motion))


def _shifted(first: Clip, second: Clip, seam: Seam, seed: int, most: int) -> Seam:
    """The seam with its boundary moved by chance, but never across an event."""
    drawn = np.random.default_rng(seed).integers(-most, most + 1, size=2)
    a, b = seam.first_frame + int(drawn[0]), seam.second_frame + int(drawn[1])
    if seam.events is not None:
        a, b = max(a, seam.events[0].frame + 1), min(b, seam.events[1].frame - 1)
    a, b = int(np.clip(a, 0, len(first) - 1)), int(np.clip(b, 0, len(second) - 1))
    return place_at(first, second, seam, a, b)


def _joined(first: Clip, second: Clip, seam: Seam, half: float, named: Clip) -> SplicedClip:
    """Both clips on one time line, blended around the seam; the second is already in place."""
    a, b = seam.first_frame, seam.second_frame
    count = a + len(second) - b
    first_frames = np.clip(np.arange(count), 0, len(first) - 1)
    second_frames = np.clip(np.arange(count) - a + b, 0, len(second) - 1)
    bands, base = _weights(count, a, half, first.fps)
    before = first.rotations[first_frames]
    # Followed from the seam: a joint that its capture turns right round elsewhere does not go round in the blend.
    apart = rotations_between(before, second.rotations[second_frames], anchor=a)
    turned = mix_bands([np.zeros_like(apart), apart], bands, base=base)
    moving = first.translations is not None or second.translations is not None
    places = [local_translations(first)[first_frames], local_translations(second)[second_frames]]
    places = places if moving else [p[:, :1] for p in places]
    mixed = mix_bands(places, bands, base=base)
    contacts = _contacts(first, second, a, b)
    markers = [m for m in first.markers if m.frame < a] + [Marker(a, "splice")]
    markers += [Marker(m.frame - b + a, m.name) for m in second.markers if m.frame >= b]
    return SplicedClip(
        first.skeleton,
        first.fps,
        mixed[:, 0],
        rot.normalize(rot.multiply(before, rot.exp(turned))),
        mixed if moving else None,
        contacts,
        tuple(markers),
        first.source,
        (*first.history, {"op": "splice", "second": named.source.path or "second"}),
        seam=seam,
        stance_path=_stance_path(first, second, contacts, first_frames, second_frames, a),
    )


def _weights(count: int, seam: int, half: float, fps: float) -> tuple[Floats, Floats]:
    """Weights (bands, 2, frames) and (2, frames): each band fades within about one of its own periods."""
    bands = count_bands(count)
    periods = fps / np.maximum(band_centres_hz(bands, fps), 1e-9)
    widths = np.clip(0.5 * periods, _SHORTEST * half, half)
    frames = np.arange(count) - seam

    def fade(width: float) -> Floats:
        u = np.clip(0.5 + 0.5 * frames / max(width, 0.5), 0.0, 1.0)
        later = u * u * (3.0 - 2.0 * u)
        return np.stack([1.0 - later, later])

    return np.array([fade(w) for w in widths]).reshape(bands, 2, count), fade(half)


def _contacts(first: Clip, second: Clip, a: int, b: int) -> Contacts:
    ours, theirs = first.contacts, second.contacts
    if ours is None or theirs is None or ours.joints != theirs.joints:
        return Contacts.none(a + len(second) - b)
    return ours[:a].followed_by(theirs[b:])


def _stance_path(
    first: Clip, second: Clip, contacts: Contacts, first_frames: Frames, second_frames: Frames, seam: int
) -> Floats:
    """The toes of the first clip before the seam and of the second after it, (frames, feet, 3)."""
    skeleton = first.skeleton
    toes = [toe_joint(first, skeleton.index(n), s) for n, s in zip(contacts.joints, contacts.sides, strict=True)]
    before, after = first.positions()[first_frames][:, toes], second.positions()[second_frames][:, toes]
    return np.where((np.arange(len(first_frames)) < seam)[:, None, None], before, after)
