"""Kinetune in Blender: equalize, clean, blend, retarget and mend the motion of armatures.

==========  ====================================================================================
border/     what needs no Blender: arithmetic of bones, motions, the engine
actions     reads the pose of an armature and writes new actions
tasks       one edit from reading to the new action, with progress and Esc to cancel
generated   an operator for each of Kinetune's operations
operators   operators that take something from the scene: keys, the cursor, a curve, another armature
live        faders that move the pose while they are dragged
panels      the sidebar of the 3-D view and of the graph editor
settings    what scenes and armatures remember
==========  ====================================================================================
"""

from __future__ import annotations


def register() -> None:
    """Add operators, settings and panels to Blender."""
    from . import operators, panels, settings

    settings.register()
    operators.register()
    panels.register()


def unregister() -> None:
    """Remove them, and end a process that was started."""
    from . import live, operators, panels, settings, tasks

    panels.unregister()
    operators.unregister()
    settings.unregister()
    live.forget()
    tasks.close_engine()
