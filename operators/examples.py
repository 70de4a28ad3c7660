"""Add > Mesh > Neural Physics: scenes that are ready for Bake."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..neural_physics.blender import examples
from ..neural_physics.blender.examples import trained
from ..neural_physics.blender.examples.rigify.generating import Generation
from ..neural_physics.blender.scene.selecting import select_only
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from .play import start_animation
from .support import Button, OperatorReturnItems, scene_of
from .waiting import WaitingButton

ITEMS = [(name, example.label, example.tooltip) for name, example in examples.EXAMPLES.items()]

TRAINED_ITEMS = [(name, each.title, each.hint) for name, each in trained.TRAINED.items()]


class NEURALPHYSICS_OT_add_example(WaitingButton, bpy.types.Operator):
    bl_idname = "neural_physics.add_example"
    bl_label = "Add Neural Physics Example"
    bl_description = "Add a small scene, with camera and lights, that is ready to bake"
    bl_options = {"REGISTER", "UNDO"}

    name: EnumProperty(name="Example", items=ITEMS)

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        return f"{examples.EXAMPLES[properties.name].tooltip}. It is added as a scene of its own"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave Edit Mode first.")
        return context.mode == "OBJECT"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        background = examples.EXAMPLES[self.name].background
        return self.execute(context) if background is None else self.begin(context, background.begin)

    def run(self, context: bpy.types.Context) -> None:
        background = examples.EXAMPLES[self.name].background
        if background is None:
            self._select(context, examples.build(self.name, examples.own_scene(context, self.name)))
            return
        process = background.begin()
        try:
            process.wait()
            self.go_on(context, process)
        finally:
            process.close()

    def go_on(self, context: bpy.types.Context, made: Generation) -> None:
        background = examples.EXAMPLES[self.name].background
        assert background is not None  # else nothing was begun
        made.check()  # before there is a scene for it
        self._select(context, background.finish(examples.own_scene(context, self.name), made))

    def _select(self, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        context.view_layer.update()
        select_only(obj)
        _look(context, obj)


class NEURALPHYSICS_OT_try_it(Button, bpy.types.Operator):
    bl_idname = "neural_physics.try_it"
    bl_label = "See It Move"
    bl_description = "Open an example that is trained already, as a scene of its own, and play it"
    bl_options = {"REGISTER", "UNDO"}

    name: EnumProperty(name="Example", items=TRAINED_ITEMS)

    def run(self, context: bpy.types.Context) -> None:
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        obj = trained.open_trained(context, self.name)
        _look(context, obj)
        if context.active_object is not None and context.active_object.type == "ARMATURE":
            bpy.ops.object.mode_set(mode="POSE")
        start_animation()


def _look(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Turn the viewport in which it was clicked to the example."""
    space = context.space_data
    if isinstance(space, bpy.types.SpaceView3D):
        trained.look_as_the_camera(space, scene_of(context), obj)


class NEURALPHYSICS_MT_examples(bpy.types.Menu):
    bl_idname = "NEURALPHYSICS_MT_examples"
    bl_label = "Neural Physics"

    def draw(self, context: bpy.types.Context) -> None:
        for identifier, example in examples.EXAMPLES.items():
            row = self.layout.operator(NEURALPHYSICS_OT_add_example.bl_idname, text=example.label)
            row.name = identifier


CLASSES = (NEURALPHYSICS_OT_add_example, NEURALPHYSICS_OT_try_it, NEURALPHYSICS_MT_examples)


def _draw_in_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    menu.layout.menu(NEURALPHYSICS_MT_examples.bl_idname, icon="MOD_CLOTH")


def register() -> None:
    register_classes(CLASSES)
    bpy.types.VIEW3D_MT_mesh_add.append(_draw_in_menu)


def unregister() -> None:
    bpy.types.VIEW3D_MT_mesh_add.remove(_draw_in_menu)
    unregister_classes(CLASSES)
