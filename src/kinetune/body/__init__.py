"""Skeletons in motion.

===========  ==================================================================================
clip         The clip: a skeleton in motion, with its frame rate, contacts, markers and history
skeleton     The skeleton: joints, hierarchy, rest pose, roles
source       Where a clip came from, and what it takes to write it back faithfully
root_motion  Where the whole character is, which way it faces and where it travels
kinematics   Positions from rotations and back: forward and inverse kinematics, joint limits
roles        What joints mean: roles such as "left foot", from names, hierarchy and shape
feet         Feet on the floor: when they stand, where the floor is, and how to plant them
curves       Poses as curves: equalize, shape and displace them, set and reduce keys
timeline     Clips in time: align, blend, arrange, retime, loop, mirror, splice
quality      How good a clip is: measures, the check-up and glitches
previews     Cached work for the frames in view while a fader moves
===========  ==================================================================================

``kt.body`` offers the names that scripts need most: Clip, Skeleton, Marker, EndSite and Source, Contacts and
find_contacts, KeyedClip, keyframe and reduce_keys, measure, splice. They are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.body.clip": ("Clip", "Marker"),
    "kinetune.body.curves.key_reduction": ("KeyedClip", "reduce_keys"),
    "kinetune.body.curves.keyframes": ("keyframe",),
    "kinetune.body.feet.contacts": ("Contacts", "find_contacts"),
    "kinetune.body.quality.measures": ("measure",),
    "kinetune.body.skeleton": ("EndSite", "Skeleton"),
    "kinetune.body.source": ("Source",),
    "kinetune.body.timeline.splicing": ("splice",),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.body.clip import Clip as Clip
    from kinetune.body.clip import Marker as Marker
    from kinetune.body.curves.key_reduction import KeyedClip as KeyedClip
    from kinetune.body.curves.key_reduction import reduce_keys as reduce_keys
    from kinetune.body.curves.keyframes import keyframe as keyframe
    from kinetune.body.feet.contacts import Contacts as Contacts
    from kinetune.body.feet.contacts import find_contacts as find_contacts
    from kinetune.body.quality.measures import measure as measure
    from kinetune.body.skeleton import EndSite as EndSite
    from kinetune.body.skeleton import Skeleton as Skeleton
    from kinetune.body.source import Source as Source
    from kinetune.body.timeline.splicing import splice as splice
