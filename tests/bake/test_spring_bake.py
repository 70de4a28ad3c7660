"""Spring cloth baked as the artist bakes it: another fabric in every take, recorded in channels of y."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [
    pytest.mark.blender,
    pytest.mark.once,
    pytest.mark.usefixtures("a_python_that_simulates"),
]

from bakes import command_for, contents, run
from scenes import add_ball, add_empty, add_grid, bpy, empty_scene, react_to, settings_of

from neural_physics.baking.fabric_ranges import drawn_fabric, fabric_of
from neural_physics.blender.baking.preparing import check_bake, prepare_bake
from neural_physics.blender.settings.properties import METHODS
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

FRAMES = 12


@pytest.fixture
def cloth():
    """A grid held by its upper edge, in front of a ball that keeps its animation, of a range of fabrics."""
    empty_scene()
    grid, ball = add_grid("Sheet", 9), add_ball("Ball", (0.0, -0.45, 0.0), 0.3)
    for frame, y in ((1, -0.45), (FRAMES, 0.2)):
        ball.location.y = y
        ball.keyframe_insert("location", frame=frame)
    simulation = settings_of(grid).simulation
    simulation.kind, simulation.pins = "SPRINGS", "Pins"
    react_to(grid, ball, "KEEP")
    return grid


@pytest.mark.slow
def test_every_take_has_a_fabric_of_its_own_and_says_so(cloth, tmp_path):
    result = run(command_for(cloth, tmp_path, 3, FRAMES, seed=5))
    assert (result["takes"], result["frames"], result["excluded"]) == (3, 3 * FRAMES, 0)
    dataset = Dataset.open(tmp_path)
    assert dataset.body is None and [c.name for c in dataset.info.channels.channels] == [
        "Ball",
        "stretch",
        "bending",
    ]
    assert dataset.info.colliders == {"Ball": pytest.approx(0.3, rel=1e-3)}
    fabric = fabric_of(dataset)
    assert (fabric.stretch, fabric.bending) == pytest.approx((100.0**0.5 * 1000.0**0.5, 1e-4 * 2**0.5))
    places, fabrics = dataset.info.channels.slices(), []
    for name in dataset.take_names():
        take = dataset.take(name)
        values = np.column_stack([take.interaction[:, places[n]] for n in ("stretch", "bending")])
        assert (values == values[0]).all(), "one fabric in all of a take"
        made, _ = dataset.surroundings(name)
        drawn = drawn_fabric(made.settings, take.info.seed)
        assert values[0] == pytest.approx([drawn["stretch"], drawn["bending"]], rel=1e-6)
        fabrics.append(values[0])
    assert len({tuple(values) for values in np.round(fabrics, 6)}) == 3
    shapes = [np.asarray(dataset.take(name).positions) for name in dataset.take_names()]
    assert np.abs(shapes[0] - shapes[1])[-1].max() > 1e-3  # nothing else differs between them
    pins = dataset.mesh.pins > 0
    assert np.abs(shapes[0][:, pins] - dataset.mesh.rest_positions[pins]).max() < 1e-6

    before = contents(tmp_path)
    result = run(command_for(cloth, tmp_path, 4, FRAMES, seed=5))
    assert result["takes"] == 4
    after = contents(tmp_path)
    assert all(after[name] == before[name] for name in before)
    settings_of(cloth).simulation.stretch_high = 2000.0
    with pytest.raises(Problem, match=r"Simulation settings \(stretch high\) changed"):
        command_for(cloth, tmp_path, 5, FRAMES)


def test_one_fabric_has_no_channels_and_a_moving_pin_is_followed(tmp_path):
    empty_scene()
    grid, hand = add_grid("Sheet", 9), add_empty("Hand", (0.0, 0.0, 1.0))
    hook = grid.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group, hook.falloff_type = hand, "Pins", "NONE"
    bpy.context.view_layer.update()
    hook.matrix_inverse = hand.matrix_world.inverted()
    for frame, y in ((1, 0.0), (FRAMES, 0.3)):
        hand.location.y = y
        hand.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    react_to(grid, hand, "KEEP")
    simulation = settings_of(grid).simulation
    simulation.kind, simulation.pins = "SPRINGS", "Pins"
    simulation.stretch_low = simulation.stretch_high = 400.0
    simulation.bending_low = simulation.bending_high = 1e-4
    assert run(command_for(grid, tmp_path, 1, FRAMES))["frames"] == FRAMES
    take = Dataset.open(tmp_path).take("take_000")
    assert take.interaction.shape == (FRAMES, 3)
    held = take.positions[:, -9:] - take.interaction[:, None]
    assert np.abs(held - held[0]).max() < 1e-5 and np.ptp(take.interaction, axis=0).max() > 0.05


def test_ranges_given_the_wrong_way_round_are_the_same_ranges(cloth, tmp_path):
    simulation = settings_of(cloth).simulation
    simulation.stretch_low, simulation.stretch_high = 900.0, 300.0
    settings_of(cloth).dataset_folder, settings_of(cloth).take_frames = str(tmp_path), FRAMES
    prepare_bake(bpy.context.scene, cloth)
    settings = SimulationRequest.read(tmp_path / "bake" / "request.npz").settings
    assert (settings.stretch_low, settings.stretch_high) == (300.0, 900.0)


def test_a_collider_may_have_the_name_of_what_a_channel_is_called(cloth, tmp_path):
    settings_of(cloth).interactions[0].name = "stretch"
    settings_of(cloth).dataset_folder = str(tmp_path)
    prepare_bake(bpy.context.scene, cloth)
    names = [channel.name for channel in Dataset.open(tmp_path).info.channels.channels]
    assert names == ["stretch 2", "stretch", "bending"]


def test_a_collider_that_is_not_round_is_refused_when_the_bake_begins(cloth, tmp_path):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.5, 0.0))
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    bpy.context.view_layer.update()
    check_bake(bpy.context.scene, cloth)
    last = run(command_for(cloth, tmp_path, 1, FRAMES))
    assert last["code"] == "collider_not_round" and "Cube" in last["message"]


def test_the_method_that_these_takes_are_for_is_offered(cloth):
    assert "hierarchical_cloth" in [identifier for identifier, *_ in METHODS]
    settings_of(cloth).simulation.pins = "None such"
    with pytest.raises(Problem, match="None such"):
        check_bake(bpy.context.scene, cloth)
