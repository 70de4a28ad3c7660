"""The example scenes do what they promise, in Blender's own simulation.

Those that the bundled solver simulates are in `test_solver_examples`.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from lengths import at_length

from neural_physics.blender.examples import EXAMPLES, build
from neural_physics.blender.scene.sources import check_target, mesh_of, read_positions
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of

NAMES = list(EXAMPLES)
BY_BLENDER = [
    "BALL_AND_SHEET",
    "FOUR_PINS",
    "FLAG",
    "SOFT_BODY_BALL",
    "CAPE",
    "SKIRT",
    "THREE_GARMENTS",
    "RIGIFY_HUMAN",
]
# One of each of Blender's two kinds: 4.5 and 5.2 simulate all six alike, to 3e-8 m.
IN_BOTH = ["BALL_AND_SHEET", "SOFT_BODY_BALL"]
IN_ONE = [pytest.param(name, marks=pytest.mark.once) for name in ("FOUR_PINS", "FLAG")]
FRAMES = at_length(100, 300)  # of the longer simulations
WORN = "CAPE", "SKIRT", "THREE_GARMENTS", "RIGIFY_HUMAN"
BY_ACTIONS = [*WORN, "SOFT_CHARACTER", "SOFT_ANIMAL"]


def opened(use_empty: bool) -> bpy.types.Scene:
    bpy.ops.wm.read_factory_settings(use_empty=use_empty)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    return bpy.context.scene


@pytest.fixture
def scene() -> bpy.types.Scene:
    return opened(use_empty=True)


def simulate(scene: bpy.types.Scene, obj: bpy.types.Object, frames: int) -> np.ndarray:
    """(frames, V, 3) in world space."""
    world = []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrix = np.array(evaluated.matrix_world)
        world.append(read_positions(evaluated.data) @ matrix[:3, :3].T + matrix[:3, 3])
    return np.array(world)


def simulate_all(scene: bpy.types.Scene, obj: bpy.types.Object, frames: int) -> np.ndarray:
    """The same, where the scene is longer than its physics' cache."""
    for modifier in obj.modifiers:
        if hasattr(modifier, "point_cache"):
            modifier.point_cache.frame_end = frames
    return simulate(scene, obj, frames)


def check_never_explodes(motion: np.ndarray) -> None:
    assert np.isfinite(motion).all()
    assert np.abs(motion).max() < 3.0
    assert np.abs(np.diff(motion, axis=0)).max() < 0.4  # metres a frame: 9.6 m/s


@pytest.mark.parametrize(
    "use_empty",
    [pytest.param(True, id="empty"), pytest.param(False, id="startup", marks=pytest.mark.once)],
)
@pytest.mark.parametrize("name", NAMES)
def test_is_ready_for_bake_and_render(name, use_empty):
    scene = opened(use_empty)
    obj = build(name, scene)
    check_target(obj)
    settings = settings_of(obj)
    assert settings.enabled
    assert (settings.simulation.kind == "BLENDER") == (name in BY_BLENDER)
    assert len(settings.interactions) > 0
    assert all(item.object.name in scene.objects for item in settings.interactions)
    assert scene.camera.name in scene.objects
    assert any(light.type == "LIGHT" for light in scene.objects)
    assert all(polygon.use_smooth for polygon in obj.data.polygons)


@pytest.mark.parametrize("name", [*IN_BOTH, *IN_ONE])
def test_moves_stays_bounded_and_holds_its_pins(scene, name):
    obj = build(name, scene)
    pinned = mesh_of(obj).pins == 1.0
    assert 0 < pinned.sum() < len(pinned)
    motion = simulate(scene, obj, 60)
    assert np.isfinite(motion).all()
    assert np.abs(motion).max() < 3.0
    assert np.abs(motion - motion[0]).max() > 0.1
    if name != "FOUR_PINS":  # whose pins are what moves
        assert np.abs(motion[:, pinned] - motion[0, pinned]).max() < 1e-3


@pytest.mark.once
def test_each_of_three_garments_collides_with_what_is_below_it_once_the_file_is_opened_again(scene, tmp_path):
    build("THREE_GARMENTS", scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    below = []
    for name in ("Skirt", "Tunic", "Cape", "Hair"):
        seen = bpy.data.objects[name].modifiers["Cloth"].collision_settings.collection
        assert seen is not None, f"{name} collides with everything"
        assert seen.all_objects.keys() == ["Body", *below]
        below.append(name)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in BY_ACTIONS])
def test_motion_of_the_scene_stays_in_the_box_it_is_trained_in(scene, name):
    obj = build(name, scene)
    for modifier in obj.modifiers:
        modifier.show_viewport = False  # only the movers matter here
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for item in settings_of(obj).interactions:
            place = item.object.matrix_world.translation
            if item.object.field is not None and item.object.field.type == "WIND":
                assert item.strength_low <= item.object.field.strength <= item.strength_high
                continue
            for low, value, high in zip(item.box_low, place, item.box_high, strict=True):
                assert low - 1e-4 <= value <= high + 1e-4


def test_ball_and_sheet_is_the_scene_that_is_measured(scene):
    sheet = build("BALL_AND_SHEET", scene)
    mesh = mesh_of(sheet)
    assert mesh.vertex_count == 1681
    assert mesh.pins.sum() == 41
    world = mesh.rest_positions @ np.array(sheet.matrix_basis)[:3, :3].T
    np.testing.assert_allclose(world.max(axis=0), [1, 0, 1], atol=1e-6)
    np.testing.assert_allclose(world.min(axis=0), [-1, 0, -1], atol=1e-6)
    assert (world[mesh.pins == 1.0, 2] > 1 - 1e-6).all()
    ball = settings_of(sheet).interactions[0].object
    corners = np.array([vertex.co for vertex in ball.data.vertices])
    np.testing.assert_allclose(np.linalg.norm(corners, axis=1), 0.3, atol=1e-6)


def test_ball_stays_outside_the_sheet(scene):
    sheet = build("BALL_AND_SHEET", scene)
    ball = settings_of(sheet).interactions[0].object
    for frame, world in enumerate(simulate(scene, sheet, 80), start=1):
        scene.frame_set(frame)
        distance = np.linalg.norm(world - np.array(ball.matrix_world.translation), axis=1)
        assert distance.min() > 0.28  # the ball's radius is 0.3 m; it is made of flat faces


def test_moving_a_pin_takes_its_corner_along(scene):
    sheet = build("FOUR_PINS", scene)
    empty = settings_of(sheet).interactions[0].object
    group = sheet.vertex_groups[empty.name].index
    corner = [v.index for v in sheet.data.vertices if any(g.group == group for g in v.groups)]
    empty.animation_data_clear()
    for frame, shift in ((1, 0.0), (10, 0.3)):
        empty.location.x = -1.0 + shift
        empty.keyframe_insert("location", frame=frame)
    motion = simulate(scene, sheet, 10)
    moved = motion[-1, corner] - motion[0, corner]
    np.testing.assert_allclose(moved, np.tile([0.3, 0.0, 0.0], (len(corner), 1)), atol=2e-3)


def test_flag_follows_the_wind(scene):
    flag = build("FLAG", scene)
    wind = settings_of(flag).interactions[0].object
    wind.animation_data_clear()
    wind.field.strength = 3500.0
    wind.rotation_euler[2] = 0.8
    towards = wind.rotation_euler.to_matrix()[1][2]
    motion = simulate(scene, flag, 60)
    assert np.sign(motion[-1, :, 1].mean()) == np.sign(towards)
    assert abs(motion[-1, :, 1].mean()) > 0.1


def test_moving_the_pole_takes_the_flag_s_edge_along(scene):
    flag = build("FLAG", scene)
    pole = settings_of(flag).interactions[1].object
    group = flag.vertex_groups["Pins"].index
    edge = [v.index for v in flag.data.vertices if any(g.group == group for g in v.groups)]
    assert len(edge) > 10
    pole.animation_data_clear()
    place = pole.location.copy()
    for frame, shift in ((1, 0.0), (10, 0.3)):
        pole.location = place
        pole.location.y += shift
        pole.keyframe_insert("location", frame=frame)
    motion = simulate(scene, flag, 10)
    moved = motion[-1, edge] - motion[0, edge]
    np.testing.assert_allclose(moved, np.tile([0.0, 0.3, 0.0], (len(edge), 1)), atol=2e-3)


def test_building_twice_gives_two_independent_examples(scene):
    first, second = build("BALL_AND_SHEET", scene), build("BALL_AND_SHEET", scene)
    assert first != second
    assert settings_of(first).interactions[0].object != settings_of(second).interactions[0].object


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("name", [*IN_BOTH, *IN_ONE])
def test_no_frame_explodes_at_training_speeds(scene, name):
    """The artist's ranges must not be ones that Blender's simulation cannot follow."""
    from neural_physics.interaction.training_motion import MotionBox, wander

    obj = build(name, scene)
    rng = np.random.default_rng(5)
    for item in settings_of(obj).interactions:
        if item.object.field and item.object.field.type == "WIND":
            continue
        box = MotionBox(
            tuple(item.box_low), tuple(item.box_high), item.shortest, item.longest, fastest=item.fastest
        )
        path = wander(box, FRAMES, 1 / 24, rng, start=tuple(item.object.location))
        item.object.animation_data_clear()
        for frame, place in enumerate(path, start=1):
            item.object.location = place
            item.object.keyframe_insert("location", frame=frame)
    check_never_explodes(simulate_all(scene, obj, FRAMES))


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("name", WORN)
def test_what_is_worn_moves_and_no_frame_explodes_in_the_actions_of_its_scene(scene, name):
    obj = build(name, scene)
    pinned = mesh_of(obj).pins == 1.0
    assert 0 < pinned.sum() < len(pinned)
    motion = simulate_all(scene, obj, FRAMES)
    check_never_explodes(motion)
    assert np.abs(motion - motion[0]).max() > 0.1
