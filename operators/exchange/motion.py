"""Motion that plays, as a file for other programs."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...neural_physics.blender.exchange.formats import FORMATS, NEEDS, built_in, ending_of, glob_of
from ...neural_physics.blender.exchange.recording import MOST_SAMPLES, Sampling
from ...neural_physics.blender.exchange.writing import motion_steps, playing_objects
from ...neural_physics.blender.playing import playback
from ...neural_physics.blender.scene.simulation_caches import check_visits
from ...neural_physics.blender.settings.paths import playback_path
from ...neural_physics.blender.settings.properties import settings_of
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.errors import Problem
from ...neural_physics.files.names import portable
from ...neural_physics.plain_text import displayable
from ..stepping import FileButton, SteppedButton, Steps
from ..support import OperatorReturnItems, scene_of, set_up_target, target

CHOICES = {  # by how names end
    ".abc": "Alembic",
    ".usdc": "USD",
    ".glb": "glTF",
    "_vat.png": "Texture (PNG)",
    "_vat.exr": "Texture (EXR)",
}
OFFERED = [(end, name, NEEDS[FORMATS[end]]) for end, name in CHOICES.items() if end in built_in()]


class MotionButton(SteppedButton):
    """Writes what plays to a file."""

    filepath: StringProperty(
        name="File",
        description="PC2, Alembic, USD, glTF or a vertex animation texture, as its name ends. "
        "If empty, a PC2 file beside the model",
        subtype="FILE_PATH",
        options={"SKIP_SAVE", "PATH_SUPPORTS_BLEND_RELATIVE"},
    )
    filter_glob: StringProperty(default=glob_of("PC2", "ALEMBIC", "USD"), options={"HIDDEN"})
    first: IntProperty(name="First Frame", description="If not set, the scene's", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="If not set, the scene's", options={"SKIP_SAVE"})
    samples: IntProperty(
        name="Samples per Frame",
        description="More than one for motion blur in other programs; not in PC2",
        default=1,
        min=1,
        max=MOST_SAMPLES,
        options={"SKIP_SAVE"},
    )
    all_objects: BoolProperty(
        name="All That Plays",
        description="All objects that play into one file: Alembic, USD and glTF alone",
        options={"SKIP_SAVE"},
    )
    overlap: IntProperty(
        name="Loop Overlap",
        description="Vertex animation textures alone: so many frames are played beyond the last one and "
        "blended into the first ones, so that the motion repeats without a jump; 0 for no loop",
        min=0,
        options={"SKIP_SAVE"},
    )
    error: FloatProperty(
        name="Max Error",
        description="glTF alone: how far any vertex may be off in any frame; less takes more shape keys",
        default=Sampling.error,
        min=0.0,
        precision=4,
        subtype="DISTANCE",
        unit="LENGTH",
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if not settings_of(obj).playing:
            raise Problem("not_playing", object=obj.name)

    def steps(self, context: bpy.types.Context) -> Steps:
        """What was not given is the scene's range, and a file beside the model."""
        check_visits()  # before anything is shown that waited
        playback.go_on()
        scene, given, obj = scene_of(context), self.properties.is_property_set, target(context)
        first = self.first if given("first") else scene.frame_start
        last = self.last if given("last") else scene.frame_end
        path = Path(bpy.path.abspath(self.filepath)) if self.filepath else playback_path(obj)
        objects = playing_objects(scene) if self.all_objects else [obj]
        sampling = Sampling(first, last, self.samples, self.error, self.overlap)
        said = yield from motion_steps(scene, objects, path, sampling, show=self.shows)
        self.report({"INFO"}, f"Frames {first} to {last} are in {displayable(path)}{said and f': {said}'}")

    @property
    def shows(self) -> bool:
        """Whether the file is shown from now on."""
        return True


class NEURALPHYSICS_OT_bake_playback(MotionButton, bpy.types.Operator):
    bl_idname = "neural_physics.bake_playback"
    bl_label = "Bake Playback"
    bl_description = (
        "Write the motion to a file and show that instead, for rendering and for people without the "
        "extension; Esc stops"
    )


class NEURALPHYSICS_OT_export_motion(MotionButton, FileButton, bpy.types.Operator):
    bl_idname = "neural_physics.export_motion"
    bl_label = "Export Motion"
    bl_description = (
        "Write the motion as Alembic or USD for other programs, or as glTF or a vertex animation texture for "
        "game engines, as it looks with all modifiers; Esc stops"
    )

    filter_glob: StringProperty(default=glob_of("ALEMBIC", "USD", "GLTF", "TEXTURE"), options={"HIDDEN"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})  # the dialog says what is there
    show: BoolProperty(
        name="Show the File",
        description="Show the file in the object's place from now on, instead of playing; a vertex animation "
        "texture is shown beside it",
        options={"SKIP_SAVE"},
    )

    ending: EnumProperty(
        name="Format",
        description="What kind of file it is: the name ends so",
        items=OFFERED,
        options={"SKIP_SAVE"},
    )

    _chosen = ""  # ending, when the name was last looked at

    @property
    def shows(self) -> bool:
        return self.show

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        given, scene = self.properties.is_property_set, scene_of(context)
        if not given("first"):
            self.first = scene.frame_start
        if not given("last"):
            self.last = scene.frame_end
        if not self.filepath:
            beside = "//" if bpy.data.filepath else ""
            self.filepath = beside + portable(target(context).name) + self.ending
        self._follow_name()
        return super().invoke(context, event)

    def check(self, _context: bpy.types.Context) -> bool:
        """What is chosen, and how the name ends, stay the same: whichever was changed last decides."""
        before, named = (self.filepath, self.ending), ending_of(self.filepath)
        if self.ending != self._chosen or not named:
            self.filepath = self.filepath[: len(self.filepath) - len(named)] + self.ending
            self._chosen = self.ending
        self._follow_name()
        return (self.filepath, self.ending) != before

    def _follow_name(self) -> None:
        named, offered = ending_of(self.filepath), [each[0] for each in OFFERED]
        if named in offered:
            self.ending = named
        elif named and FORMATS[named] != FORMATS[self.ending]:
            alike = (each for each in offered if FORMATS[each] == FORMATS[named])
            self.ending = next(alike, self.ending)
        self._chosen = self.ending

    def draw(self, _context: bpy.types.Context) -> None:
        """Only what the chosen kind of file knows."""
        layout, kind = self.layout, FORMATS[self.ending]
        layout.use_property_split, layout.use_property_decorate = True, False
        of_kind = {"GLTF": ("all_objects", "error"), "TEXTURE": ("overlap", "show")}
        for name in ("ending", "first", "last", "samples", *of_kind.get(kind, ("all_objects", "show"))):
            layout.prop(self, name)


CLASSES = (NEURALPHYSICS_OT_bake_playback, NEURALPHYSICS_OT_export_motion)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
