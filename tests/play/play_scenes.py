"""A sheet that plays a small model, and the hand it reacts to."""

from __future__ import annotations

import bpy
import numpy as np
import synthetic
from numpy.typing import NDArray
from play_models import model_file

from neural_physics.blender.playing import handlers, packing, playback
from neural_physics.blender.scene.sources import read_positions
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.rest_mesh import Mesh

LAST = 200


def open_scene(fps: int = 24, fps_base: float = 1.0) -> bpy.types.Scene:
    """An empty scene, with settings and handlers registered."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    if handlers.on_frame_change not in bpy.app.handlers.frame_change_post:
        handlers.register()
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = fps, fps_base
    scene.frame_start, scene.frame_end = 1, LAST
    scene.frame_set(1)
    return scene


def add_object(name: str, mesh: Mesh) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    faces = np.split(mesh.corners, np.cumsum(mesh.face_sizes)[:-1])
    data.from_pydata(mesh.rest_positions.tolist(), [], [face.tolist() for face in faces])
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def add_hand(name: str = "Hand", seed: int | None = 0) -> bpy.types.Object:
    """An Empty, wandering if it has a seed."""
    hand = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(hand)
    if seed is not None:
        fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        rng = np.random.default_rng(seed)
        for second in range(11):  # keys at the same times at every frame rate
            hand.location = rng.uniform(-0.5, 0.5, 3)
            hand.keyframe_insert("location", frame=1 + second * fps)
    return hand


def add_sheet(
    hand: bpy.types.Object,
    name: str = "Sheet",
    mesh: Mesh | None = None,
    reference_frame: str = "",
    seed: int = 0,
) -> bpy.types.Object:
    """A sheet with a cloth modifier and a packed model that reacts to the hand."""
    mesh = mesh or synthetic.sheet_mesh()
    sheet = add_object(name, mesh)
    sheet.modifiers.new("Cloth", "CLOTH")
    settings = settings_of(sheet)
    settings.enabled = True
    item = settings.interactions.add()
    item.name, item.object = "Hand", hand
    packing.pack(sheet, model_file(mesh, reference_frame, seed))
    return sheet


def playing_sheet(fps: int, model: bytes) -> tuple[bpy.types.Scene, bpy.types.Object, bpy.types.Object]:
    """A scene, a hand, and a sheet that plays a model of it."""
    scene = open_scene(fps)
    hand = add_hand()
    sheet = add_sheet(hand)
    packing.pack(sheet, model)
    playback.attach(sheet)
    return scene, hand, sheet


def places_of(obj: bpy.types.Object, frames: range) -> NDArray[np.float64]:
    """(T, 3): where an object is at each frame, which the scene is left at."""
    places = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        places.append(np.array(obj.matrix_world.translation))
    return np.array(places)


def every_half_second(sheet: bpy.types.Object, fps: int, seconds: int) -> NDArray[np.float32]:
    """(2 seconds, V, 3): what is shown, from frame 1 on."""
    poses = []
    for half in range(2 * seconds):
        bpy.context.scene.frame_set(1 + half * fps // 2)
        poses.append(shown(sheet))
    return np.stack(poses)


def shown(obj: bpy.types.Object) -> NDArray[np.float32]:
    """The positions that the viewport shows."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return read_positions(evaluated.data)


def played(obj: bpy.types.Object, frames: range) -> dict[int, NDArray[np.float32]]:
    """The positions shown at each frame, visited in this order."""
    poses = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        poses[frame] = shown(obj)
    return poses
