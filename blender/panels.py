"""The panels in the sidebar of the 3-D view and of the graph editor."""

from __future__ import annotations

from typing import Any

import bpy

GROUPS = {
    "Check": ("doctor", "mend", "physics_check"),
    "Clean": ("clean", "smooth", "denoise", "keep_above_floor", "limit", "filter_dynamics", "reduce_keys"),
    "Combine": ("blend", "align", "splice", "retarget_from"),
    "Time": ("loop", "retime", "trim"),
    "Change": ("displace_keys", "pin", "aim", "mirror", "shape", "walk", "in_place", "turn", "move", "recipe"),
}
"""The operators of each panel."""
_ICONS = {"info": "INFO", "warning": "ERROR", "error": "CANCEL"}


class Sidebar:
    """What all panels share."""

    bl_region_type = "UI"
    bl_category = "Kinetune"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"


class Start(Sidebar):
    """Range, bones, and the two buttons that most people want."""

    bl_label = "Kinetune"
    bl_options = set()  # noqa: RUF012

    def draw(self, context: Any) -> None:
        settings, layout = context.scene.kinetune, self.layout
        column = layout.column(align=True)
        column.scale_y = 1.3
        column.operator("kinetune.equalize", icon="SEQ_HISTOGRAM")
        column.operator("kinetune.plant_feet", icon="SNAP_FACE")
        layout.use_property_split = True
        layout.prop(settings, "span")
        if settings.span != "ACTION":
            layout.prop(settings, "seam")
        layout.prop(settings, "bones")
        layout.prop(settings, "selected_only")
        layout.prop(settings, "keys")
        if settings.keys == "FEW":
            layout.prop(settings, "tolerance_mm")


class Faders(Sidebar):
    """The equalizer."""

    bl_label = "Faders"

    def draw(self, context: Any) -> None:
        layout, faders = self.layout, context.object.kinetune
        playing = context.object.animation_data and context.object.animation_data.action
        if faders.result is None or faders.result != playing:
            layout.operator("kinetune.faders", icon="SEQ_HISTOGRAM")
            return
        layout.prop(faders, "group")
        column = layout.column(align=True)
        for fader in faders.faders:
            if fader.group == faders.group:
                column.prop(fader, "gain", text=f"{fader.hz:.2g} Hz  {fader.title}", slider=True)
        layout.prop(faders, "amount", slider=True)
        layout.prop(faders, "keep_feet")


class Results(Sidebar):
    """What the last edit reported."""

    bl_label = "Result"

    def draw(self, context: Any) -> None:
        column = self.layout.column()
        for message in context.scene.kinetune.messages:
            column.label(text=message.text, icon=_ICONS.get(message.severity, "INFO"))


def _operations_panel(title: str, tags: tuple[str, ...]) -> type:
    def draw(self: Any, context: Any) -> None:
        column = self.layout.column(align=True)
        for tag in tags:
            column.operator(f"kinetune.{tag}")

    return type(title, (Sidebar,), {"bl_label": title, "draw": draw})


_made: list[type] = []


def register() -> None:
    """Add the panels to both editors."""
    panels = [Start, Faders, *(_operations_panel(title, tags) for title, tags in GROUPS.items()), Results]
    for space, short in (("VIEW_3D", "view"), ("GRAPH_EDITOR", "graph")):
        for number, panel in enumerate(panels):
            name = f"KINETUNE_PT_{short}_{panel.__name__.lower()}"
            fields = {"bl_space_type": space, "bl_idname": name, "bl_order": number}
            made = type(name, (panel, bpy.types.Panel), fields)
            bpy.utils.register_class(made)
            _made.append(made)


def unregister() -> None:
    """Remove them."""
    while _made:
        bpy.utils.unregister_class(_made.pop())
