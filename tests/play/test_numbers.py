"""What a model says of the shape on show, read by drivers and by nodes behind it."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from play_models import model_file

from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.output.numbers import COEFFICIENTS, ERROR
from neural_physics.blender.scene.sources import read_positions
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender

MESH = synthetic.sheet_mesh()


@pytest.fixture
def sheet():
    """It plays, its hand goes far outside what was trained, and the model has a second opinion."""
    play_scenes.open_scene()
    hand = play_scenes.add_hand()
    hand.parent = bpy.data.objects.new("Far", None)
    hand.parent.scale = (40.0, 40.0, 40.0)
    bpy.context.scene.collection.objects.link(hand.parent)
    sheet = play_scenes.add_sheet(hand)
    error = np.linspace(0.01, 0.02, MESH.vertex_count, dtype=np.float32)
    packing.pack(sheet, model_file(MESH, error=error, second=(0.01, 2.0)))
    sheet.scale = (2.0, 2.0, 2.0)
    settings_of(sheet).write_numbers = True
    playback.attach(sheet)
    return sheet


def driven(owner: bpy.types.Object, path: str) -> bpy.types.Object:
    """An Empty whose X is a property of an object."""
    gauge = bpy.data.objects.new("Gauge", None)
    bpy.context.scene.collection.objects.link(gauge)
    driver = gauge.driver_add("location", 0).driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = owner, path
    return gauge


def test_drivers_read_what_the_panel_says_of_the_same_frame(sheet):
    outside = driven(sheet, "neural_physics.outside_now")
    error = driven(sheet, "neural_physics.error_now")
    first = driven(sheet, f'["{COEFFICIENTS}"][0]')
    seen = []
    for frame in range(1, 40):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        status = playback.status_of(sheet)
        z = PLAYED.session_of(sheet).timeline.coefficients(frame)
        found = [
            gauge.evaluated_get(depsgraph).matrix_world.translation.x for gauge in (outside, error, first)
        ]
        assert found == pytest.approx([status.outside, status.expected_error, z[0]], abs=1e-6), frame
        assert sheet[COEFFICIENTS].to_list() == pytest.approx(z.tolist())
        seen.append(found)
    assert np.ptp(np.array(seen), axis=0).min() > 1e-3


def test_nodes_behind_it_read_how_far_off_each_vertex_may_be(sheet):
    group = bpy.data.node_groups.new("Lift", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes, links = group.nodes, group.links
    enter, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    error, lift, move = (
        nodes.new(kind)
        for kind in ("GeometryNodeInputNamedAttribute", "ShaderNodeCombineXYZ", "GeometryNodeSetPosition")
    )
    error.data_type, error.inputs["Name"].default_value = "FLOAT", ERROR
    links.new(error.outputs["Attribute"], lift.inputs["Z"])
    links.new(lift.outputs[0], move.inputs["Offset"])
    links.new(enter.outputs[0], move.inputs["Geometry"])
    links.new(move.outputs[0], leave.inputs[0])
    modifier = sheet.modifiers.new("Lift", "NODES")
    modifier.node_group = group
    for frame in (5, 30, 31):
        bpy.context.scene.frame_set(frame)
        lifted = play_scenes.shown(sheet)
        modifier.show_viewport = False
        plain = play_scenes.shown(sheet)
        modifier.show_viewport = True
        expected = 2.0 * PLAYED.session_of(sheet).error_now()  # metres of the world, twice the model's
        assert np.allclose((lifted - plain)[:, 2], expected, atol=1e-6) and expected.max() > 0.01
        assert np.array_equal(lifted[:, :2], plain[:, :2])


def test_they_are_written_where_asked_for_and_gone_when_playing_ends(sheet):
    bpy.context.scene.frame_set(20)
    assert ERROR in sheet.data.attributes and settings_of(sheet).error_now > 0.0
    playback.detach(sheet)
    assert ERROR not in sheet.data.attributes and COEFFICIENTS not in sheet.keys()  # noqa: SIM118
    assert settings_of(sheet).error_now == settings_of(sheet).outside_now == 0.0
    settings_of(sheet).write_numbers = False
    playback.attach(sheet)
    bpy.context.scene.frame_set(25)
    assert ERROR not in sheet.data.attributes and COEFFICIENTS not in sheet.keys()  # noqa: SIM118


def test_switched_off_they_go_at_the_next_frame(sheet):
    bpy.context.scene.frame_set(20)
    settings_of(sheet).write_numbers = False
    bpy.context.scene.frame_set(21)
    assert ERROR not in sheet.data.attributes and COEFFICIENTS not in sheet.keys()  # noqa: SIM118
    assert settings_of(sheet).error_now == 0.0


def test_an_attribute_of_another_kind_with_that_name_is_replaced(sheet):
    bpy.context.scene.frame_set(20)
    sheet.data.attributes.remove(sheet.data.attributes[ERROR])
    sheet.data.attributes.new(ERROR, "FLOAT_COLOR", "CORNER")
    bpy.context.scene.frame_set(21)
    assert playback.status_of(sheet).problem is None
    assert sheet.data.attributes[ERROR].data_type == "FLOAT"


def test_shapes_are_those_without_numbers(sheet):
    with_numbers = play_scenes.played(sheet, range(1, 30))
    settings_of(sheet).write_numbers = False
    bpy.context.scene.frame_set(1)
    without = play_scenes.played(sheet, range(1, 30))
    assert all(np.array_equal(with_numbers[frame], without[frame]) for frame in with_numbers)
    assert not np.array_equal(with_numbers[29], read_positions(sheet.data))
