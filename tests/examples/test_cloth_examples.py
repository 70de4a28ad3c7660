"""The examples of hierarchical cloth have the paper's sizes and are ready for Bake, Train and Play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from test_solver_examples import SOLVER_PYTHON, baked, carried

from neural_physics.baking.fabric_ranges import drawn_fabric
from neural_physics.blender.baking.preparing import check_bake
from neural_physics.blender.examples import build
from neural_physics.blender.examples.cloth import cloth_over_objects, flag_levels
from neural_physics.blender.scene.collider_meshes import check_colliders
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import facts
from neural_physics.datasets.simulation_request import SimulationSettings
from neural_physics.subdivision.usual_levels import usual_hierarchy

SIZES = {"FLAG_LEVELS": [247, 925, 3577], "CLOTH_OVER_OBJECTS": [70, 247, 925]}


def opened(name: str) -> bpy.types.Object:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    obj = build(name, bpy.context.scene)
    bpy.context.view_layer.update()
    return obj


@pytest.mark.skipif(not SOLVER_PYTHON.exists(), reason="a bake asks for the environment: make setup")
@pytest.mark.parametrize("name", SIZES)
def test_levels_are_of_the_paper_s_sizes_and_nothing_stands_in_the_way_of_a_bake(name, monkeypatch):
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", str(SOLVER_PYTHON))
    obj = opened(name)
    levels = usual_hierarchy(mesh_of(obj), name).levels
    assert [level.vertex_count for level in levels] == SIZES[name]
    facts.check_object(bpy.context.scene, obj)
    check_bake(bpy.context.scene, obj)
    check_colliders(bpy.context.scene, obj)
    settings = settings_of(obj)
    assert (settings.method, settings.simulation.kind) == ("hierarchical_cloth", "SPRINGS")


@pytest.mark.skipif(not SOLVER_PYTHON.exists(), reason="needs the environment with the solver: make setup")
@pytest.mark.parametrize("name", SIZES)
def test_moves_stays_bounded_and_is_held_where_its_pins_are_carried(name, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", str(SOLVER_PYTHON))
    for module in (flag_levels, cloth_over_objects):
        monkeypatch.setattr(module.build, "__defaults__", ((19, 13),))
    obj = opened(name)
    settings_of(obj).take_count = 1
    pins = mesh_of(obj).pins > 0.0
    assert 0 < pins.sum() < len(pins)
    take = baked(obj, tmp_path / "d")
    np.testing.assert_allclose(take.positions[:, pins], carried(obj)[:, pins], atol=1e-4)
    free = take.positions[:, ~pins]
    assert np.abs(free - free[0]).max() > 0.05
    assert np.abs(free).max() < 3.0
    assert take.interaction[0, -2] == pytest.approx(
        drawn_fabric(SimulationSettings("springs"), take.info.seed)["stretch"]
    )


MESHES = {
    "grid": lambda: bpy.ops.mesh.primitive_grid_add(x_subdivisions=5, y_subdivisions=3),
    "cylinder": lambda: bpy.ops.mesh.primitive_cylinder_add(vertices=7, end_fill_type="TRIFAN"),
    "icosphere": lambda: bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=1),
}


@pytest.mark.parametrize("add", MESHES.values(), ids=MESHES)
def test_what_blender_has_subdivided_has_the_levels_it_was_made_of(add):
    """Edge > Subdivide, which is what the messages advise."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    add()
    obj, counts = bpy.context.object, []
    for _ in range(2):
        counts.append(len(obj.data.vertices))
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide(number_cuts=1)
        bpy.ops.object.mode_set(mode="OBJECT")
    found = usual_hierarchy(mesh_of(obj), obj.name)
    coarse = set(found.order[: found.levels[0].vertex_count].tolist())
    assert coarse == set(range(counts[0])), "Blender adds new vertices after those that were there"
    assert found.levels[-1].vertex_count == len(obj.data.vertices)
