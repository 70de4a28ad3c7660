"""Render the cape as it plays in an action that was never trained on, without and with pushing it out.

`python -m benchmarks.subspace_physics.capsule_pictures PICTURE`, after the part `penetration`: the frame of
that take at which Play, left alone, shows most of it in the body, once the cape hangs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import bpy
import numpy as np
from mathutils import Vector

from benchmarks.subspace_physics import penetration
from benchmarks.subspace_physics.datasets import CAPE, baked
from benchmarks.subspace_physics.inside_body import Surface, faces_of
from benchmarks.subspace_physics.models import trained
from neural_physics.blender.playing import playback
from neural_physics.blender.scene.sources import mesh_data, read_positions
from neural_physics.blender.settings.properties import settings_of
from tools import pictures, workshop

SIZE, SAMPLES = 520, 64
CAPTIONS = ("as it was predicted", "pushed out of the capsules")
FALLING = 48  # frames in which the cape falls from the shape it was modelled in
LENS = 110.0  # millimetres; the example's camera, nearer


def main() -> None:
    """Find the worst frame, render it without and with capsules, and write both side by side."""
    obj, frames = _playing()
    scene = bpy.context.scene
    assert scene is not None
    _push(obj, False)
    frame, place = _worst(obj, range(scene.frame_start + FALLING, scene.frame_start + frames))
    camera = scene.camera
    assert camera is not None and isinstance(camera.data, bpy.types.Camera)
    camera.rotation_euler = (place - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = LENS
    pictures.use_cycles(scene, SIZE, SAMPLES)
    with TemporaryDirectory() as scratch:
        paths = []
        for pushed in (False, True):
            _push(obj, pushed)
            scene.frame_set(frame)
            paths.append(Path(scratch) / f"{pushed}.png")
            pictures.render(scene, paths[-1])
        pictures.beside(paths[0], paths[1], CAPTIONS).save(sys.argv[1], quality=85)


def _playing() -> tuple[bpy.types.Object, int]:
    """The cape, playing its model in the motion of the test take, and how many frames that has."""
    dataset = baked(CAPE)
    name = f"{CAPE.name}_{penetration.PRESET}_{penetration.BASES}"
    model, _ = trained(name, dataset.path, penetration.PRESET, penetration.BASES)
    (take,) = dataset.takes("test")
    obj = penetration.scene_of(take, dataset)
    obj.modifiers["Cloth"].show_viewport = True
    settings_of(obj).model_path = str(model)
    playback.attach(obj)
    return obj, take.info.frames


def _push(obj: bpy.types.Object, enabled: bool) -> None:
    settings_of(obj).projection.enabled = enabled


def _worst(obj: bpy.types.Object, frames: range) -> tuple[int, Vector]:
    """The frame at which most vertices are in the body, and the middle of these, in the world."""
    scene, body = bpy.context.scene, bpy.data.objects["Body"]
    assert scene is not None
    faces, most, found = faces_of(body), 0, (frames[0], Vector())
    for frame in workshop.counted("Looking for the worst frame", frames):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        cape, there = obj.evaluated_get(depsgraph), body.evaluated_get(depsgraph)
        surface = Surface(read_positions(mesh_data(there)), faces)
        to_body = np.array(there.matrix_world.inverted() @ cape.matrix_world)
        points = read_positions(mesh_data(cape)) @ to_body[:3, :3].T + to_body[:3, 3]
        inside = surface.depths(points) > 0.0
        if inside.sum() > most:
            most, found = int(inside.sum()), (frame, there.matrix_world @ Vector(points[inside].mean(0)))
    workshop.console.print(f"Frame {found[0]}: {most} vertices are in the body")
    return found


if __name__ == "__main__":
    workshop.run_and_exit(main)
