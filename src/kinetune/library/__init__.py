"""A searchable library of motion: an index of a folder, and what it answers.

====================================  =============================================================================
build_index, IndexReport              index a folder of motion, or bring its index up to date
MotionIndex, IndexedClip, ClipFacts   an index opened for searching, its clips, and what was measured of each
find_like, Match                      clips and parts of clips like a given one
find_text                             clips that fit a description: "walk, turning left, 1.2 m/s"
find_duplicates, Duplicate            exact, re-exported, retimed, mirrored and trimmed copies
find_transitions, Transition          where clips can pass into each other: a motion graph
transitions_between                   the same for two clips, without an index
====================================  =============================================================================

Names are loaded when they are first used. Behind them: ``body_rows`` (motion as rows that can be compared across
skeletons), ``clip_facts`` (what is measured), ``index_file`` (SQLite and mapped arrays), ``indexing``, ``similar``,
``text_query``, ``duplicates`` and ``motion_graph``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.library.clip_facts": ("ClipFacts",),
    "kinetune.library.duplicates": ("Duplicate", "find_duplicates"),
    "kinetune.library.index_file": ("IndexedClip", "MotionIndex"),
    "kinetune.library.indexing": ("IndexReport", "build_index"),
    "kinetune.library.motion_graph": ("Transition", "find_transitions", "transitions_between"),
    "kinetune.library.similar": ("Match", "find_like"),
    "kinetune.library.text_query": ("find_text",),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.library.clip_facts import ClipFacts as ClipFacts
    from kinetune.library.duplicates import Duplicate as Duplicate
    from kinetune.library.duplicates import find_duplicates as find_duplicates
    from kinetune.library.index_file import IndexedClip as IndexedClip
    from kinetune.library.index_file import MotionIndex as MotionIndex
    from kinetune.library.indexing import IndexReport as IndexReport
    from kinetune.library.indexing import build_index as build_index
    from kinetune.library.motion_graph import Transition as Transition
    from kinetune.library.motion_graph import find_transitions as find_transitions
    from kinetune.library.motion_graph import transitions_between as transitions_between
    from kinetune.library.similar import Match as Match
    from kinetune.library.similar import find_like as find_like
    from kinetune.library.text_query import find_text as find_text
