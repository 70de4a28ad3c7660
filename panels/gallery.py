"""The gallery of examples: a picture and a line each, below *More Examples*."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Final

import bpy

from ..neural_physics.blender.examples import EXAMPLES, GROUPS
from ..neural_physics.blender.examples.thumbnails import icon_of
from ..neural_physics.blender.jobs import programs
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..operators.examples import NEURALPHYSICS_OT_add_example

COLUMNS = min(4, max(Counter(example.group for example in EXAMPLES.values()).values()))
COLUMN, WORDS = 13, 30  # of Blender's units of width, and characters in a line of text
PICTURE = 2.4  # times an icon's size
NEEDS_MORE: Final = "PACKAGE"


class NEURALPHYSICS_PT_gallery(bpy.types.Panel):
    bl_label = "Examples"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Neural Physics"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = COLUMN * COLUMNS

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        assert layout is not None  # a panel that draws has one
        marked = not programs.has_ml_backend() and any(example.full for example in EXAMPLES.values())
        if marked:
            words = "These need a Python of their own, which the Preferences set up; the others need nothing."
            layout.label(text=words, icon=NEEDS_MORE)
        for group, label, _ in GROUPS:
            names = [name for name, example in EXAMPLES.items() if example.group == group]
            if names:
                layout.label(text=label)
                grid = layout.grid_flow(row_major=True, columns=COLUMNS, even_columns=True, align=False)
                for name in names:
                    self._draw_example(grid.row(), name, marked and EXAMPLES[name].full)
                for _ in range(-len(names) % COLUMNS):
                    grid.row()  # a group that ends early is no wider than others

    def _draw_example(self, row: bpy.types.UILayout, name: str, needs_more: bool) -> None:
        split = row.split(factor=0.2)
        split.template_icon(icon_of(name), scale=PICTURE)
        column = split.column(align=True)
        button = column.operator(
            NEURALPHYSICS_OT_add_example.bl_idname,
            text=EXAMPLES[name].label,
            icon=NEEDS_MORE if needs_more else "NONE",
        )
        button.name = name
        lines = column.column(align=True)
        lines.scale_y = 0.7
        for line in textwrap.wrap(EXAMPLES[name].description, WORDS):
            lines.label(text=line)


CLASSES = (NEURALPHYSICS_PT_gallery,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
