"""Handles with a radius: what the solver is asked for, and what the training is given."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from scenes import add_empty, add_rig, bpy, empty_scene, settings_of

from neural_physics.blender.baking.solver_request import solver_request
from neural_physics.blender.scene.artist_handles import add_handles, handle_arguments


@pytest.fixture
def body():
    """A turned, moved and scaled block with a bone and an Empty in it, each with a radius, and a point."""
    empty_scene()
    rig, ball, grip = add_rig(), add_empty("Ball"), add_empty("Grip")
    rig.location, rig.rotation_euler, rig.scale = (1.0, 0.0, 0.5), (0.2, 0.0, 0.4), (0.5, 0.5, 0.5)
    ball.location, grip.location = (1.2, 0.1, 0.6), (0.9, 0.0, 0.6)
    rig.data.bones.active = rig.data.bones["upper"]
    bpy.ops.mesh.primitive_cube_add(location=(1.0, 0.0, 1.0), rotation=(0.0, 0.3, 0.1), scale=(0.5, 0.5, 1.5))
    block = bpy.context.object
    settings = settings_of(block)
    settings.simulation.kind, settings.method = "SOLID", "contact_corrections"
    add_handles(block, [rig, ball, grip])
    settings.handles["Rig/upper"].radius, settings.handles["Ball"].radius = 0.1, 0.2
    bpy.context.view_layer.update()
    return block


def test_cores_are_where_bones_are_at_rest_and_empties_are_now(body):
    rig = bpy.data.objects["Rig"]
    rig.pose.bones["upper"].rotation_mode = "XYZ"
    rig.pose.bones["upper"].rotation_euler = (1.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    asked = solver_request(bpy.context.scene, body)
    bone, ball = asked.cores
    assert (bone.name, ball.name) == ("Rig/upper", "Ball")
    assert (bone.radius, ball.radius) == pytest.approx((0.1, 0.2))
    # Places of the mesh at rest and in the world, which differ by a turn and a shift.
    at_rest = asked.rest_positions
    world = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices])
    ends = [
        rig.matrix_world @ end
        for end in (rig.data.bones["upper"].head_local, rig.data.bones["upper"].tail_local)
    ]
    for place, core_end in (
        *zip(ends, bone.ends, strict=True),
        (bpy.data.objects["Ball"].location, ball.ends[0]),
    ):
        expected = np.linalg.norm(world - np.array(place), axis=1)
        assert np.linalg.norm(at_rest - core_end, axis=1) == pytest.approx(expected, abs=1e-5)
    assert np.array_equal(ball.ends[0], ball.ends[1])


def test_training_is_given_cores_by_name_and_points_by_position(body):
    words = handle_arguments(body)
    given = dict(word.split("=") for word in words[1::2])
    assert words[::2] == ["--handle"] * 3
    assert given["Rig/upper"] == given["Ball"] == "core" and len(given["Grip"].split(",")) == 3


def test_other_methods_have_no_cores(body):
    settings_of(body).method = "subspace_physics"
    assert solver_request(bpy.context.scene, body).cores == ()
