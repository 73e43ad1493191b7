"""What a scene and an armature remember: the range and the bones to work on, faders, and the last result."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

WHOLE_BODY = "whole body"


def _moved(settings: Any, context: Any) -> None:
    from . import live

    live.fader_moved(settings.id_data)


def _groups(settings: Any, context: Any) -> list[tuple[str, str, str]]:
    names = settings.group_names.split("\n") if settings.group_names else [WHOLE_BODY]
    _groups.items = [(name, name.capitalize(), "") for name in names]  # type: ignore[attr-defined]
    return _groups.items  # type: ignore[attr-defined, no-any-return]


def _engine_chosen(preferences: Any, context: Any) -> None:
    from . import live, tasks

    live.forget()
    tasks.close_engine()


class KinetuneFader(bpy.types.PropertyGroup):
    """One band of one group of joints."""

    group: StringProperty(default=WHOLE_BODY)
    hz: FloatProperty()
    title: StringProperty()
    gain: FloatProperty(
        name="Gain",
        description="How strong this band is: 1 as recorded, 0 silent, 2 twice as large",
        default=1.0,
        soft_min=0.0,
        soft_max=4.0,
        min=-10.0,
        max=10.0,
        step=5,
        update=_moved,
    )


class KinetuneObject(bpy.types.PropertyGroup):
    """The equalizer of an armature.

    source : the action that it equalizes. result : the action that it writes.
    """

    source: PointerProperty(type=bpy.types.Action)
    result: PointerProperty(type=bpy.types.Action)
    faders: CollectionProperty(type=KinetuneFader)
    group_names: StringProperty()
    group: EnumProperty(name="Group", description="The joints that these faders move", items=_groups)
    amount: FloatProperty(
        name="Amount",
        description="How much of the edit to take",
        default=1.0,
        min=0.0,
        max=10.0,
        soft_max=2.0,
        update=_moved,
    )
    keep_feet: BoolProperty(
        name="Keep feet", description="Keep feet that stand where they stand", default=True, update=_moved
    )


class KinetuneMessage(bpy.types.PropertyGroup):
    """One line about the last result."""

    text: StringProperty()
    severity: StringProperty(default="info")
    frame: IntProperty(default=-1)


class KinetuneScene(bpy.types.PropertyGroup):
    """How operators work in a scene."""

    span: EnumProperty(
        name="Frames",
        description="Which frames to edit; the rest of the action stays as it is",
        items=[
            ("ACTION", "Whole action", ""),
            ("SCENE", "Scene range", ""),
            ("PREVIEW", "Preview range", ""),
        ],
    )
    seam: IntProperty(
        name="Seam", description="Frames over which an edited range leads into the rest", default=5, min=0, max=100
    )
    selected_only: BoolProperty(name="Selected bones only", description="Change only the bones that are selected")
    bones: EnumProperty(
        name="Bones",
        description="The bones that make up the character",
        items=[("ALL", "All bones", ""), ("DEFORM", "Deforming bones", "Bones that move a mesh; for control rigs")],
    )
    keys: EnumProperty(
        name="Keys",
        description="What the new action gets",
        items=[
            ("BAKED", "Every frame", "A key at every frame, exactly as computed"),
            ("FEW", "Few keys", "Bezier keys where the motion needs them, to edit by hand"),
        ],
    )
    tolerance_mm: FloatProperty(
        name="Tolerance (mm)",
        description="How far few keys may lead a joint from its path",
        default=5.0,
        min=0.1,
        max=1000.0,
    )
    messages: CollectionProperty(type=KinetuneMessage)
    remedies: StringProperty()


class KinetunePreferences(bpy.types.AddonPreferences):
    """Where Kinetune runs."""

    bl_idname = __package__
    engine: EnumProperty(
        name="Kinetune runs",
        items=[
            ("AUTO", "Where it can", "In Blender, or in a process where Blender's NumPy is too old"),
            ("INSIDE", "In Blender", ""),
            ("PROCESS", "In a process of its own", "Blender stays responsive during long edits"),
        ],
        update=_engine_chosen,
    )
    python: StringProperty(
        name="Python",
        description="A Python that has Kinetune, for the process; empty for the one that installed this add-on",
        subtype="FILE_PATH",
        update=_engine_chosen,
    )

    def draw(self, context: Any) -> None:
        """Both settings."""
        self.layout.prop(self, "engine")
        if self.engine != "INSIDE":
            self.layout.prop(self, "python")


CLASSES = (KinetunePreferences, KinetuneFader, KinetuneObject, KinetuneMessage, KinetuneScene)


def register() -> None:
    """Add the settings to scenes and objects."""
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.kinetune = PointerProperty(type=KinetuneScene)
    bpy.types.Object.kinetune = PointerProperty(type=KinetuneObject)


def unregister() -> None:
    """Remove them."""
    del bpy.types.Scene.kinetune
    del bpy.types.Object.kinetune
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
