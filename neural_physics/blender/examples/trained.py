"""The examples that come with a trained model, so that they move at once: *Try It*."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy
from mathutils import Vector

from ..playing import playback
from ..scene.rigs.main_control import hold_bone
from ..scene.targets import channel_objects
from ..settings.properties import settings_of
from ..tasks.object_tasks import use_model
from . import build, own_scene

FOLDER = Path(__file__).with_name("models")


@dataclass(frozen=True)
class Trained:
    """An example with a model. hint: what the viewport says until its mover is in the artist's hand. bone: of
    a character, the one to begin with."""

    title: str
    hint: str
    bone: str = ""


TRAINED = {
    "BALL_AND_SHEET": Trained("Ball & Sheet", "Press G and move the ball"),
    "SKIRT": Trained("Skirt", "Press R and turn the hips", "hips"),
}


def model_path(name: str) -> Path:
    """The model of an example of `TRAINED`."""
    return FOLDER / f"{name.lower()}.safetensors"


def open_trained(context: bpy.types.Context, name: str) -> bpy.types.Object:
    """Add an example as a scene of its own, playing its model, what moves it selected; the simulated object.

    Raises what `use_model` and `playback.attach` do.
    """
    scene = own_scene(context, name)
    obj = build(name, scene)
    layer = scene.view_layers[0]
    layer.update()
    use_model(obj, model_path(name))
    settings_of(obj).hint = TRAINED[name].hint
    settings_of(obj).projection.show = False
    playback.attach(obj)
    mover = channel_objects(obj)[0]
    for other in layer.objects:
        other.select_set(other == mover, view_layer=layer)
        other.hide_set(other.type in ("CAMERA", "LIGHT"), view_layer=layer)
    layer.objects.active = mover
    if isinstance(mover.data, bpy.types.Armature):
        hold_bone(mover, TRAINED[name].bone)
    return obj


def look_as_the_camera(space: bpy.types.SpaceView3D, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Turn a viewport to what the camera sees, around the object, free to be turned further."""
    view, camera = space.region_3d, scene.camera
    if view is None or camera is None or not isinstance(camera.data, bpy.types.Camera):
        return
    view.view_perspective = "PERSP"
    view.view_rotation = camera.matrix_world.to_quaternion()
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    view.view_location = middle = sum(corners, Vector()) / len(corners)
    distance = (camera.matrix_world.translation - middle).length
    view.view_distance = distance * space.lens / camera.data.lens
    space.shading.type = "SOLID"
