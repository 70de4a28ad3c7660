"""`python -m tools.soak.scenes FOLDER`: the scenes that a soak bakes, as small as still takes a moment."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np

from neural_physics.blender.scene.sources import mesh_data
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.point_caches import write_pc2
from tools.workshop import empty_scene, run_and_exit

POINTS = 9
CLOTH, JELLY, WAVES = "cloth", "jelly", "waves"  # folders; in the last one is a cache to import
SCENE, CACHE = "scene.blend", "cache.pc2"
CLOTH_FRAMES, JELLY_FRAMES, CACHE_FRAMES = 300, 30, 3000


def main() -> None:
    """Write the scenes and the cache, each into a folder of its own."""
    folder = Path(sys.argv[1])
    for name, make in ((CLOTH, add_cloth), (JELLY, add_jelly)):
        empty_scene()
        obj = make()
        settings = settings_of(obj)
        settings.enabled, settings.take_count = True, 2
        settings.dataset_folder, settings.model_path = "//dataset", "//model.safetensors"
        (folder / name).mkdir(parents=True)
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / name / SCENE))
    write_waves(folder / WAVES)


def add_cloth() -> bpy.types.Object:
    """A sheet of 2 m that hangs from its upper edge, and a ball that wanders into it."""
    rows = [-1.0 + 2.0 * i / (POINTS - 1) for i in range(POINTS)]
    corners = [row * POINTS + column for row in range(POINTS - 1) for column in range(POINTS - 1)]
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata(
        [(x, 0.0, z) for z in rows for x in rows],
        [],
        [(c, c + 1, c + POINTS + 1, c + POINTS) for c in corners],
    )
    sheet = bpy.data.objects.new("Sheet", mesh)
    collection = bpy.context.collection
    assert collection is not None  # that of the scene
    collection.objects.link(sheet)
    sheet.vertex_groups.new(name="Pins").add(list(range(POINTS * (POINTS - 1), POINTS**2)), 1.0, "REPLACE")
    modifier = sheet.modifiers.new("Cloth", "CLOTH")
    assert isinstance(modifier, bpy.types.ClothModifier)
    cloth = modifier.settings
    cloth.vertex_group_mass, cloth.quality = "Pins", 3
    react_to_a_ball(sheet, (0.0, -0.8, 0.0), ((-0.8, -0.9, -0.8), (0.8, 0.9, 0.4)))
    settings_of(sheet).take_frames = CLOTH_FRAMES
    return sheet


def add_jelly() -> bpy.types.Object:
    """A cube that stands fast, for the bundled solver, and a ball that wanders into it."""
    bpy.ops.mesh.primitive_cube_add(size=0.6)
    cube = bpy.context.object
    assert cube is not None  # it was just added
    feet = [vertex.index for vertex in mesh_data(cube).vertices if vertex.co.z < 0.0]
    cube.vertex_groups.new(name="Pins").add(feet, 1.0, "REPLACE")
    simulation = settings_of(cube).simulation
    simulation.kind, simulation.pins = "SOLID", "Pins"
    simulation.young, simulation.filling, simulation.tetrahedra = 5e4, "cage", 300
    react_to_a_ball(cube, (0.0, -0.9, 0.2), ((-0.6, -0.9, 0.0), (0.6, 0.9, 0.8)), radius=0.2)
    settings_of(cube).take_frames = JELLY_FRAMES
    return cube


def react_to_a_ball(
    obj: bpy.types.Object,
    place: tuple[float, float, float],
    box: tuple[tuple[float, float, float], tuple[float, float, float]],
    radius: float = 0.3,
) -> None:
    """Add a ball that collides and wanders in a box, and let an object react to it."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=radius, location=place)
    ball = bpy.context.object
    assert ball is not None  # it was just added
    ball.name = "Ball"
    ball.modifiers.new("Collision", "COLLISION")
    assert ball.collision is not None  # its modifier brings it
    ball.collision.thickness_outer = 0.05
    item = settings_of(obj).interactions.add()
    item.name, item.object, item.motion = ball.name, ball, "WANDER"
    item.box_low, item.box_high = box


def write_waves(folder: Path) -> None:
    """A point cache of the sheet and, beside it, what it reacts to: waves that follow a ball."""
    time = np.arange(CACHE_FRAMES) / 24.0
    ball = np.stack([np.sin(time), np.cos(0.7 * time), np.sin(1.3 * time)], 1).astype(np.float32)
    across, up = np.meshgrid(np.linspace(-1.0, 1.0, POINTS), np.linspace(-1.0, 1.0, POINTS))
    sheet = np.stack([across, np.zeros_like(up), up], -1).reshape(-1, 3).astype(np.float32)
    shapes = np.repeat(sheet[None], CACHE_FRAMES, 0)
    shapes[:, :, 1] += 0.1 * (1.0 - sheet[:, 2]) * ball[:, 1:2]
    folder.mkdir(parents=True)
    write_pc2(folder / CACHE, shapes)
    np.save((folder / CACHE).with_suffix(".npy"), ball)


if __name__ == "__main__":
    run_and_exit(main)
