"""The examples of hierarchical cloth have the paper's sizes and are ready for Bake, Train and Play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy  # noqa: E402
from test_solver_examples import SOLVER_PYTHON, baked, carried  # noqa: E402

from neural_physics.blender import method_obstacles, properties  # noqa: E402
from neural_physics.blender.baking import check_bake  # noqa: E402
from neural_physics.blender.collider_meshes import check_colliders  # noqa: E402
from neural_physics.blender.examples import build, cloth_over_objects, flag_levels  # noqa: E402
from neural_physics.blender.properties import settings_of  # noqa: E402
from neural_physics.blender.sources import mesh_of  # noqa: E402
from neural_physics.fabric_ranges import drawn_fabric  # noqa: E402
from neural_physics.hierarchy.usual_levels import usual_hierarchy  # noqa: E402
from neural_physics.simulation_request import SimulationSettings  # noqa: E402

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
    method_obstacles.check_bake(obj)
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
