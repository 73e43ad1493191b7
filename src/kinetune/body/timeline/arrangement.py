"""Clips on one timeline: one after another, faded into each other where they overlap.

=========  ==================================================================================
arrange    one clip from several that lie on a timeline
TimelineClip       a clip and the frame at which it lies
=========  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.planting import keep_feet_at, with_stances
from kinetune.body.root_motion import facing, local_translations, place_character, travelling_joint
from kinetune.body.timeline.alignment import check_skeletons
from kinetune.body.timeline.clip_blending import scale_like
from kinetune.body.timeline.transitions import Frames
from kinetune.errors import ParameterError
from kinetune.rotations import Floats


@dataclass(frozen=True)
class TimelineClip:
    """A clip on a timeline.

    clip : at the frame rate of the timeline.
    at : the frame of the timeline at which it begins, 0 or later.
    name : what errors call it.
    """

    clip: Clip
    at: int
    name: str = "this"


def arrange(laid: Sequence[TimelineClip], *, join: bool = True, keep_feet: bool = False) -> Clip:
    """One clip from several on a timeline, on the skeleton of the first in the list.

    Where two overlap, the earlier fades into the later, which then goes on to its own end. In a gap the character moves
    from the last pose to the next one; before the first clip it stands in its first pose.

    Parameters
    ----------
    laid : at least one; of equal joints and frame rate.
    join : rotate and move each clip so that it continues where the one before it has arrived. Otherwise clips stay
        where they are in the world, and the character glides from one to the other.
    keep_feet : keep feet that stand from sliding where one clip fades into the next.

    Notes
    -----
    Law: a single clip at frame 0 comes out as it is (``tests/operations/test_arrange.py``).
    """
    if not laid:
        raise ParameterError("A timeline needs at least one clip that is not muted.")
    first = laid[0].clip
    check_skeletons([each.clip for each in laid], [each.name for each in laid])
    for each in laid:
        if each.at < 0 or each.clip.fps != first.fps:
            raise ParameterError(
                f'The clip "{each.name}" lies at frame {each.at} with {each.clip.fps:g} fps; frames begin at 0, and '
                f"this timeline has {first.fps:g} fps."
            )
    ordered = sorted(laid, key=lambda each: each.at)
    if len(ordered) == 1 and ordered[0].at == 0:
        return ordered[0].clip
    start = ordered[0]
    result = _held(with_stances(start.clip) if keep_feet else start.clip, start.at)
    fades = []
    for each in ordered[1:]:
        scaled = scale_like(each.clip, first)
        fades.append((min(each.at, len(result)), max(each.at, min(len(result), each.at + len(each.clip)))))
        result = _joined(result, with_stances(scaled) if keep_feet else scaled, each.at, join)
    planted = keep_feet_at(result, fades) if keep_feet else result
    return planted.replace(skeleton=first.skeleton, source=first.source, contacts=planted.contacts)


def _held(clip: Clip, frames: int) -> Clip:
    """A clip that first stands in its first pose."""
    if frames == 0:
        return clip
    index = np.maximum(np.arange(-frames, len(clip)), 0)
    markers = tuple(Marker(m.frame + frames, m.name) for m in clip.markers)
    return _made(
        clip,
        clip.root[index],
        clip.rotations[index],
        None if clip.translations is None else clip.translations[index],
        None if clip.contacts is None else clip.contacts.resample(index),
        markers,
    )


def _joined(before: Clip, after: Clip, at: int, join: bool) -> Clip:
    """The first clip until the second takes over at frame ``at``."""
    overlap = min(len(before) - at, len(after))
    if join:
        # They meet in the middle of the fade, where each counts for half.
        meeting = at + overlap // 2 if overlap > 0 else len(before) - 1
        after = _moved_to(after, max(meeting - at, 0), before, meeting)
    if overlap >= 0:
        ours, theirs = np.arange(at, at + overlap), np.arange(overlap)
    else:  # from the last pose to the first one
        ours = np.full(-overlap, len(before) - 1)
        theirs = np.zeros(-overlap, dtype=int)
    weight = _eased(len(ours))
    before_count = min(at, len(before))
    rest = slice(max(overlap, 0), None)
    moved = None
    if before.translations is not None or after.translations is not None:
        one, other = local_translations(before), local_translations(after)
        mixed = one[ours] + weight[:, None, None] * (other[theirs] - one[ours])
        moved = np.concatenate([one[:before_count], mixed, other[rest]])
    root = before.root[ours] + weight[:, None] * (after.root[theirs] - before.root[ours])
    turned = rot.normalize(rot.slerp(before.rotations[ours], after.rotations[theirs], weight[:, None]))
    markers = [m for m in before.markers if m.frame < before_count + len(ours)]
    markers += [Marker(m.frame + at, m.name) for m in after.markers]
    return _made(
        before,
        np.concatenate([before.root[:before_count], root, after.root[rest]]),
        np.concatenate([before.rotations[:before_count], turned, after.rotations[rest]]),
        moved,
        _joined_contacts(before, after, np.concatenate([np.arange(before_count), ours]), theirs, rest),
        tuple(sorted(markers, key=lambda m: m.frame)),
    )


def _joined_contacts(before: Clip, after: Clip, ours: Frames, theirs: Frames, rest: slice) -> Contacts | None:
    """The contacts of the first clip up to the middle of the fade, then those of the second; in a gap, of its poses."""
    if before.contacts is None or after.contacts is None or before.contacts.joints != after.contacts.joints:
        return None
    half = len(theirs) // 2
    second = np.concatenate([theirs[half:], np.arange(len(after))[rest]])
    return before.contacts.resample(ours[: len(ours) - len(theirs) + half]).followed_by(after.contacts.resample(second))


def _moved_to(clip: Clip, frame: int, other: Clip, there: int) -> Clip:
    """A clip turned and moved along the floor, so that it is at ``frame`` where another one is at ``there``."""
    turn = rot.about_y(facing(other)[there] - facing(clip)[frame])
    joint = travelling_joint(clip)
    shift = other.positions()[there, travelling_joint(other)] - rot.rotate(turn, clip.positions()[frame, joint])
    placed = place_character(clip, turn, shift * np.array([1.0, 0.0, 1.0]))
    return placed.replace(contacts=clip.contacts)


def _eased(count: int) -> Floats:
    """Weights (count,) that rise from just above 0 to just below 1, slowly at both ends."""
    t = (np.arange(count) + 1.0) / (count + 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def _made(
    clip: Clip,
    root: Floats,
    rotations: Floats,
    moved: Floats | None,
    contacts: Contacts | None,
    markers: tuple[Marker, ...],
) -> Clip:
    turned = rot.continuous(rotations)
    return clip.replace(root=root, rotations=turned, translations=moved, contacts=contacts, markers=markers)
