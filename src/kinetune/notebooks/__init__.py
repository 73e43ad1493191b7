"""Clips, drawings and films in a notebook.

======  ========================================================================================
player  a clip, or two of them, that plays in the page: orbit, scrub, ghost, contacts on the ruler
======  ========================================================================================

A clip shows itself this way when it is the last line of a cell; :func:`show` puts two side by side. Nothing is
downloaded: the player is one module of plain JavaScript that travels with the page.
"""

from __future__ import annotations

from kinetune.notebooks.player import show

__all__ = ["show"]
