"""Operators that take something from the scene, and the list of all operators."""

from __future__ import annotations

from typing import Any

import bpy

from . import live
from .generated import catalogue, make_operator
from .tasks import PROBLEMS, EditOperator


class KINETUNE_OT_faders(bpy.types.Operator):
    """Give the armature faders, one for each band of frequencies, and a new action for what they do."""

    bl_idname = "kinetune.faders"
    bl_label = "Start Faders"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: Any) -> bool:
        return EditOperator.poll.__func__(cls, context)

    def execute(self, context: Any) -> set[str]:
        try:
            live.start(context.object, context.scene)
        except PROBLEMS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


_made: list[type] = []


def register() -> None:
    """Register all operators."""
    _made.extend([KINETUNE_OT_faders, *(make_operator(operation) for operation in catalogue())])
    for each in _made:
        bpy.utils.register_class(each)


def unregister() -> None:
    """Remove them."""
    while _made:
        bpy.utils.unregister_class(_made.pop())
