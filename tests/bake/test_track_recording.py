"""What is recorded of a scene for the solver, compared with Blender's own evaluation of it."""

from __future__ import annotations

import json
import sys
from math import pi
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from mathutils import Matrix
from scenes import add_ball, add_empty, add_grid, add_rig, add_wind, empty_scene, react_to
from workplaces import place_of, planned, silent

from neural_physics.baking.plan import BakePlan
from neural_physics.blender.baking import preparing
from neural_physics.blender.baking.seals import Trust
from neural_physics.blender.baking.solver_request import solver_request
from neural_physics.blender.baking.track_recording import record_tracks
from neural_physics.blender.jobs import programs
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest

FRAMES = 6


@pytest.fixture(autouse=True)
def _a_python_that_simulates(monkeypatch):
    monkeypatch.setattr(programs, "require_ml_backend", lambda _task: Path(sys.executable))


def shell(name: str = "Sheet", **simulation) -> bpy.types.Object:
    sheet = add_grid(name)
    settings_of(sheet).simulation.kind = "SHELL"
    settings_of(sheet).simulation.pins = "Pins"
    return sheet


def plan_of(obj: bpy.types.Object, folder: Path) -> BakePlan:
    settings = settings_of(obj)
    settings.dataset_folder, settings.take_count, settings.take_frames = str(folder), 1, FRAMES
    command = preparing.prepare_bake(bpy.context.scene, obj)
    return planned(command)


def recorded(obj: bpy.types.Object, folder: Path) -> tuple[SimulationRequest, Tracks]:
    """What the solver is given of a scene, which is left at the last frame."""
    plan = plan_of(obj, folder)
    place = place_of(plan)
    record_tracks(plan, place, Trust(), emit=silent, stop=StopRequest())
    return SimulationRequest.read(plan.request), Tracks.read(place.tracks)


def world_positions(name: str) -> np.ndarray:
    """Of all vertices as Blender evaluates them now, in the world's axes."""
    obj = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])


def apply(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def at_frames(index: int) -> None:
    bpy.context.scene.frame_set(1 + index)


def test_pins_go_where_hooks_and_the_object_itself_carry_them(tmp_path):
    empty_scene()
    sheet, hand = shell(), add_empty("Hand", (0.0, 0.0, 1.0))
    hook = sheet.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group, hook.falloff_type = hand, "Pins", "NONE"
    hook.matrix_inverse = Matrix.Translation((0.0, 0.0, -1.0))
    sheet.rotation_euler, sheet.scale = (0.3, 0.2, 0.1), (0.5, 2.0, 1.5)
    for frame, place in ((1, (0.0, 0.0, 1.0)), (FRAMES, (0.3, 0.2, 0.9))):
        hand.location = place
        hand.keyframe_insert("location", frame=frame)
    react_to(sheet, hand, motion="KEEP")
    request, tracks = recorded(sheet, tmp_path / "d")
    pins = np.flatnonzero(request.pins)
    assert len(pins) == 9 and tracks.pins.shape == (FRAMES, 9, 3)
    for index in range(FRAMES):
        at_frames(index)
        np.testing.assert_allclose(tracks.pins[index], world_positions("Sheet")[pins], atol=1e-6)
    assert np.ptp(tracks.pins, axis=0).max() > 1e-3, "the hand has moved"


def test_the_body_at_rest_has_the_objects_size_and_stands_where_it_does_at_the_first_frame(tmp_path):
    empty_scene()
    sheet = shell()
    sheet.location, sheet.rotation_euler, sheet.scale = (1.0, 2.0, 3.0), (0.3, -0.7, 0.1), (0.5, 2.0, -1.5)
    react_to(sheet, add_empty("Hand"), motion="KEEP")
    request, tracks = recorded(sheet, tmp_path / "d")
    rotation = tracks.world_from_rest[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(rotation) > 0.0
    at_frames(0)
    np.testing.assert_allclose(
        apply(tracks.world_from_rest, request.rest_positions), world_positions("Sheet"), atol=1e-5
    )


def test_colliders_are_where_blender_shows_them_whatever_turns_and_scales_them(tmp_path):
    empty_scene()
    sheet, ball, parent = shell(), add_ball("Ball", (0.4, -0.8, 0.1)), add_empty("Parent", (0.0, 0.5, 0.0))
    ball.parent, ball.scale = parent, (1.0, 2.0, 0.5)
    ball.modifiers.new("Bulge", "SUBSURF")
    for frame, angle in ((1, 0.0), (FRAMES, pi / 2)):
        parent.rotation_euler.z = angle
        parent.keyframe_insert("rotation_euler", frame=frame)
    react_to(sheet, parent, motion="KEEP")
    request, tracks = recorded(sheet, tmp_path / "d")
    (shape,) = request.colliders
    assert shape.name == "Ball"
    for index in range(FRAMES):
        at_frames(index)
        pose = tracks.colliders[index, 0]
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-6)
        np.testing.assert_allclose(apply(pose, shape.vertices), world_positions("Ball"), atol=1e-5)


def test_a_mirrored_collider_still_has_its_faces_outward(tmp_path):
    empty_scene()
    sheet, ball = shell(), add_ball()
    ball.scale.x = -1.0
    react_to(sheet, ball, motion="KEEP")
    request, _ = recorded(sheet, tmp_path / "d")
    a, b, c = np.moveaxis(request.colliders[0].vertices[request.colliders[0].triangles], 1, 0)
    volume = np.einsum("mc,mc->m", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(4.0 / 3.0 * pi * 0.3**3, rel=0.15)


def test_the_wind_blows_along_its_z_axis_and_positions_are_kept_in_the_objects_axes(tmp_path):
    empty_scene()
    sheet, wind = shell(), add_wind(strength=300.0)
    wind.rotation_euler.y = pi / 2
    sheet.location = (0.0, 0.0, 5.0)
    react_to(sheet, wind, motion="KEEP")
    _, tracks = recorded(sheet, tmp_path / "d")
    np.testing.assert_allclose(tracks.wind, np.tile([300.0, 0.0, 0.0], (FRAMES, 1)), atol=1e-3)
    np.testing.assert_allclose(tracks.interaction, np.tile([300.0, 0.0, 0.0], (FRAMES, 1)), atol=1e-3)
    np.testing.assert_allclose(apply(tracks.frame_from_world[0], np.array([0.0, 0.0, 5.0])), 0.0, atol=1e-6)
    assert tracks.object_from_frame is None and tracks.fps == 24.0


def test_bones_carry_what_they_hold_as_the_armature_does(tmp_path):
    empty_scene()
    rig = add_rig()
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.0, 0.0, 1.5))
    flesh = bpy.context.object
    flesh.scale = (1.0, 2.0, 1.0)
    flesh.modifiers.new("Rig", "ARMATURE").object = rig
    group = flesh.vertex_groups.new(name="upper")
    group.add(range(8), 1.0, "REPLACE")
    rig.location, rig.rotation_euler = (0.3, 0.0, 0.0), (0.0, 0.2, 0.0)
    flesh.parent = rig
    bone = rig.pose.bones["upper"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (FRAMES, 1.0)):
        bone.rotation_euler = (angle, 0.3 * angle, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    simulation = settings_of(flesh).simulation
    simulation.kind, simulation.bone_radius = "SOLID", 0.1
    react_to(flesh, rig, motion="KEEP")
    request, tracks = recorded(flesh, tmp_path / "d")
    assert request.settings.bone_radius == pytest.approx(0.1) and request.bones.shape == (2, 2, 3)
    heads = apply(tracks.world_from_rest, request.bones[:, 0])
    at_frames(0)
    rig = bpy.data.objects["Rig"]  # the bake has opened another file
    posed = [rig.matrix_world @ rig.pose.bones[name].head for name in ("lower", "upper")]
    np.testing.assert_allclose(heads, posed, atol=1e-5)
    for index in range(FRAMES):
        at_frames(index)
        carried = apply(tracks.bones[index, 1], request.rest_positions)
        np.testing.assert_allclose(carried, world_positions("Cube"), atol=1e-5)


def test_a_collider_that_deforms_is_refused_before_anything_is_simulated(tmp_path):
    empty_scene()
    sheet, ball = shell(), add_ball()
    react_to(sheet, ball, motion="KEEP")
    ball.modifiers.new("Bones", "ARMATURE").object = add_rig()
    with pytest.raises(Problem) as raised:
        plan_of(sheet, tmp_path / "d")
    assert raised.value.code == "collider_deforms" and "Bones" in raised.value.message
    ball.modifiers["Bones"].show_viewport = False
    plan_of(sheet, tmp_path / "d")


def test_a_collider_that_grows_is_refused(tmp_path):
    empty_scene()
    sheet, ball = shell(), add_ball()
    for frame, size in ((1, 1.0), (FRAMES, 1.2)):
        ball.scale = (size, size, size)
        ball.keyframe_insert("scale", frame=frame)
    react_to(sheet, ball, motion="KEEP")
    with pytest.raises(Problem) as raised:
        recorded(sheet, tmp_path / "d")
    assert raised.value.code == "collider_scales" and "Ball" in raised.value.message


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda sheet: setattr(settings_of(sheet).simulation, "pins", "Gone"), "pins_unknown"),
        (
            lambda sheet: (
                setattr(settings_of(sheet).simulation, "kind", "SOLID"),
                setattr(settings_of(sheet).simulation, "softer", "Gone"),
            ),
            "softer_unknown",
        ),
        (lambda sheet: setattr(settings_of(sheet).simulation, "kind", "ROD"), "rods_with_faces"),
        (lambda sheet: sheet.data.clear_geometry(), "mesh_without_faces"),
    ],
)
def test_a_body_that_the_solver_cannot_use_is_refused(tmp_path, spoil, code):
    empty_scene()
    sheet = shell()
    react_to(sheet, add_ball(), motion="KEEP")
    spoil(sheet)
    with pytest.raises(Problem) as raised:
        plan_of(sheet, tmp_path / "d")
    assert raised.value.code == code and "Sheet" in raised.value.message


def test_where_a_solid_is_softer_is_what_a_vertex_group_weighs():
    empty_scene()
    sheet = shell()
    simulation = settings_of(sheet).simulation
    simulation.kind, simulation.softest = "SOLID", 0.02
    assert len(solver_request(bpy.context.scene, sheet).softness) == 0
    assert solver_request(bpy.context.scene, sheet).settings.softest == 1.0
    sheet.vertex_groups.new(name="Stripes").add([1, 3], 0.5, "REPLACE")
    simulation.softer = "Stripes"
    asked = solver_request(bpy.context.scene, sheet)
    assert np.flatnonzero(asked.softness).tolist() == [1, 3] and asked.softness[1] == pytest.approx(0.5)
    assert asked.settings.softest == pytest.approx(0.02)
    simulation.kind = "SHELL"
    assert len(solver_request(bpy.context.scene, sheet).softness) == 0


def test_a_damaged_request_is_refused(tmp_path):
    empty_scene()
    sheet = shell()
    react_to(sheet, add_ball(), motion="KEEP")
    plan = plan_of(sheet, tmp_path / "d")
    whole = plan.request.read_bytes()
    for spoilt in (whole[: len(whole) // 2], b"", json.dumps({"settings": 1}).encode()):
        plan.request.write_bytes(spoilt)
        with pytest.raises(Problem) as raised:
            SimulationRequest.read(plan.request)
        assert raised.value.code == "dataset_damaged"
