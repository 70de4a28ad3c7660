"""Takes of whatever an object's modifiers show: simulations of Geometry Nodes, caches of other programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from bakes import BOX, command_for, run
from scenes import add_empty, add_grid, empty_scene, react_to, set_frame, settings_of

from neural_physics.blender.baking.made_with import made_with
from neural_physics.blender.scene.modifiers.modifier_stack import restore_physics, switch_off_physics
from neural_physics.blender.scene.sources import check_target, read_positions
from neural_physics.datasets.fingerprint import to_text
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

SHARE = 0.25  # of the way to the hand that the sheet goes in each frame


def follower(hand: bpy.types.Object) -> bpy.types.NodeTree:
    """A simulation that keeps how far a mesh was moved: in each frame by a share of the way to the hand."""
    group = bpy.data.node_groups.new("Follow", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes, links = group.nodes, group.links
    enter, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    begin, end = nodes.new("GeometryNodeSimulationInput"), nodes.new("GeometryNodeSimulationOutput")
    begin.pair_with_output(end)
    end.state_items.new("VECTOR", "Offset")
    info = nodes.new("GeometryNodeObjectInfo")
    info.transform_space = "RELATIVE"
    info.inputs["Object"].default_value = hand
    mix, move = nodes.new("ShaderNodeMix"), nodes.new("GeometryNodeSetPosition")
    mix.data_type = "VECTOR"
    mix.inputs["Factor"].default_value = SHARE
    a, b, result = (
        next(s for s in sockets if s.name == name and s.type == "VECTOR")
        for sockets, name in ((mix.inputs, "A"), (mix.inputs, "B"), (mix.outputs, "Result"))
    )
    links.new(enter.outputs[0], begin.inputs["Geometry"])
    links.new(begin.outputs["Geometry"], end.inputs["Geometry"])
    links.new(begin.outputs["Offset"], a)
    links.new(info.outputs["Location"], b)
    links.new(result, end.inputs["Offset"])
    links.new(end.outputs["Geometry"], move.inputs["Geometry"])
    links.new(end.outputs["Offset"], move.inputs["Offset"])
    links.new(move.outputs["Geometry"], leave.inputs[0])
    return group


@pytest.fixture
def sheet():
    empty_scene()
    hand, sheet = add_empty("Hand"), add_grid("Sheet", 5)
    sheet.modifiers.new("Follow", "NODES").node_group = follower(hand)
    sheet.modifiers.new("Smooth", "SMOOTH")
    simulation = settings_of(sheet).simulation
    simulation.kind = "MODIFIERS"
    assert simulation.last_modifier == "Smooth"
    simulation.last_modifier = "Follow"
    react_to(sheet, hand, **BOX)
    bpy.context.view_layer.update()
    return sheet


def bake_nodes(sheet: bpy.types.Object, target: str, folder: Path) -> None:
    """What was baked before, 50 frames of it, in the file or in a folder that its modifier names."""
    modifier = sheet.modifiers["Follow"]
    modifier.bake_target, modifier.bake_directory = target, str(folder)
    (bake,) = modifier.bakes
    bpy.context.scene.frame_end = 50
    with bpy.context.temp_override(object=sheet, active_object=sheet):
        bpy.ops.object.geometry_node_bake_single(
            session_uid=sheet.session_uid, modifier_name="Follow", bake_id=bake.bake_id
        )


def add_hidden_scatter() -> None:
    """An object that is switched off, with a simulation of its own."""
    hidden = add_grid("Scatter", 3)
    hidden.modifiers.new("Nodes", "NODES").node_group = bpy.data.node_groups["Follow"]
    hidden.hide_viewport = True


def add_overridden_scatter(folder: Path) -> None:
    """An object of another file, overridden here, with a simulation that was baked into a folder there."""
    here = folder / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(here))
    empty_scene()
    scatter = add_grid("Scatter", 3)
    scatter.modifiers.new("Follow", "NODES").node_group = follower(add_empty("Their Hand"))
    collection = bpy.data.collections.new("Theirs")
    collection.objects.link(scatter)
    bpy.context.scene.collection.children.link(collection)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "theirs.blend"))
    bake_nodes(scatter, "DISK", folder / "theirs")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(here))
    with bpy.data.libraries.load(str(folder / "theirs.blend"), link=True) as (_, wanted):
        wanted.collections = ["Theirs"]
    wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    assert any(obj.override_library for obj in bpy.context.view_layer.objects)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("target", ["PACKED", "DISK"])
def test_a_simulation_of_geometry_nodes_is_baked_with_new_motion(sheet, target, tmp_path):
    precious = tmp_path / "precious"
    bake_nodes(sheet, target, precious)
    baked_before = files(precious)
    assert bool(baked_before) == (target == "DISK")
    add_hidden_scatter()
    assert run(command_for(sheet, tmp_path / "d", takes=2, frames=40))["event"] == "result"
    assert files(precious) == baked_before, "nothing of the artist's is deleted"
    dataset = Dataset.open(tmp_path / "d")
    rest = dataset.mesh.rest_positions
    assert dataset.info.provenance["physics"] == "modifiers, the last nodes"
    hands = []
    for take in dataset.takes():
        offset, hand = np.zeros(3), np.asarray(take.interaction)
        hands.append(hand)
        for frame in range(40):
            if frame:  # in the first one nothing has been simulated yet
                offset = (1.0 - SHARE) * offset + SHARE * hand[frame]
            assert np.abs(take.positions[frame] - rest - offset).max() < 1e-5, frame
    assert np.abs(hands[0] - hands[1]).max() > 0.1


def test_what_an_overridden_object_simulates_is_left_to_its_own_file(sheet, tmp_path):
    add_overridden_scatter(tmp_path)
    theirs = files(tmp_path / "theirs")
    assert theirs
    last = run(command_for(bpy.data.objects["Sheet"], tmp_path / "d", takes=1, frames=10))
    assert last["event"] == "result", last
    assert files(tmp_path / "theirs") == theirs


def test_what_is_learned_rests_while_something_stands_in_for_it_and_what_carries_it_goes_on(sheet):
    sheet.modifiers.new("Hook", "HOOK")
    sheet.modifiers.move(sheet.modifiers.find("Hook"), 0)
    switch_off_physics(sheet)
    assert [modifier.show_viewport for modifier in sheet.modifiers] == [True, False, True]
    restore_physics(sheet)
    assert all(modifier.show_viewport for modifier in sheet.modifiers)


def test_a_modifier_that_is_gone_is_asked_for_and_one_that_is_off_is_said(sheet):
    sheet.modifiers["Follow"].name = "Other"
    with pytest.raises(Problem, match="has none called “Follow”: choose the last one"):
        check_target(sheet)
    settings_of(sheet).simulation.last_modifier = "Other"
    check_target(sheet)
    sheet.modifiers["Other"].show_viewport = False
    with pytest.raises(Problem, match="Other"):
        check_target(sheet)


def test_a_modifier_that_changes_the_topology_in_some_frames_ends_in_a_sentence(sheet, tmp_path):
    subdivided = sheet.modifiers.new("Subdivision", "SUBSURF")
    subdivided.levels = 0
    subdivided.keyframe_insert("levels", frame=1)
    subdivided.levels = 1
    subdivided.keyframe_insert("levels", frame=9)
    settings_of(sheet).simulation.last_modifier = "Subdivision"
    last = run(command_for(sheet, tmp_path / "d", takes=1, frames=20))
    assert last["code"] == "vertex_count_changes" and "Sheet" in last["message"]


def waving(frames: int) -> bpy.types.Object:
    """A sheet that a Wave modifier moves, and what it shows in each frame."""
    empty_scene()
    sheet = add_grid("Sheet", 9)
    wave = sheet.modifiers.new("Wave", "WAVE")
    wave.height, wave.width, wave.use_normal = 0.3, 0.8, False
    bpy.context.scene.frame_end = frames
    return sheet


def shapes(obj: bpy.types.Object, frames: int) -> np.ndarray:
    return np.array(
        [read_positions(obj.evaluated_get(set_frame(frame)).data) for frame in range(1, frames + 1)]
    )


def exported(folder: Path, kind: str) -> Path:
    path = folder / f"sheet.{kind}"
    if kind == "abc":
        bpy.ops.wm.alembic_export(filepath=str(path), as_background_job=False, start=1, end=30)
    else:
        bpy.ops.wm.usd_export(filepath=str(path), export_animation=True)
    return path


@pytest.mark.parametrize("kind", ["abc", "usdc"])
def test_a_cache_of_another_program_is_read_as_it_is(kind, tmp_path):
    sheet = waving(30)
    theirs = shapes(sheet, 30)
    assert np.abs(theirs - theirs[0]).max() > 0.1
    path = exported(tmp_path, kind)
    empty_scene()
    bpy.context.scene.frame_end = 30
    if kind == "abc":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    else:
        bpy.ops.wm.usd_import(filepath=str(path))
    (sheet,) = [obj for obj in bpy.data.objects if obj.type == "MESH"]
    (cache,) = sheet.modifiers
    assert cache.type == "MESH_SEQUENCE_CACHE"
    settings_of(sheet).simulation.kind = "MODIFIERS"
    hand = add_empty("Hand")
    for frame, x in ((1, 0.0), (30, 1.0)):
        hand.location.x = x
        hand.keyframe_insert("location", frame=frame)
    react_to(sheet, hand, "KEEP")
    run(command_for(sheet, tmp_path / "d", takes=4, frames=30))
    (take,) = Dataset.open(tmp_path / "d").takes()
    assert np.abs(np.asarray(take.positions) - theirs).max() < 1e-6


def test_what_decides_the_takes_is_told_from_what_is_only_shown(sheet):
    scene, follow = bpy.context.scene, sheet.modifiers["Follow"]
    sheet.modifiers.new("Hook", "HOOK")
    sheet.modifiers.move(sheet.modifiers.find("Hook"), 0)
    socket = follow.node_group.interface.new_socket("Strength", in_out="INPUT", socket_type="NodeSocketFloat")
    before = made_with(scene, sheet)
    to_text(before)
    follow.show_expanded, sheet.modifiers["Smooth"].factor = False, 0.1
    switch_off_physics(sheet)
    assert made_with(scene, sheet) == before
    restore_physics(sheet)
    if hasattr(follow, "properties"):
        getattr(follow.properties.inputs, socket.identifier).value = 2.0
    else:
        follow[socket.identifier] = 2.0
    changed = made_with(scene, sheet)
    assert changed["modifiers"].pop("Follow: input Strength") == 2.0
    assert before["modifiers"].pop("Follow: input Strength") == 0.0
    assert changed == before
    follow.show_viewport = False
    assert made_with(scene, sheet)["modifiers"]["Follow: is on"] is False


def test_the_attribute_that_an_input_reads_decides_the_takes(sheet):
    follow, scene = sheet.modifiers["Follow"], bpy.context.scene
    new = follow.node_group.interface.new_socket
    strength, again = (new("Strength", in_out="INPUT", socket_type="NodeSocketFloat") for _ in "ab")
    before = made_with(scene, sheet)["modifiers"]
    if hasattr(follow, "properties"):
        reads = getattr(follow.properties.inputs, again.identifier)
        reads.type, reads.attribute_name = "ATTRIBUTE", "Pins"
    else:
        follow[f"{again.identifier}_use_attribute"] = True
        follow[f"{again.identifier}_attribute_name"] = "Pins"
    after = made_with(scene, sheet)["modifiers"]
    assert after.pop(f"Follow: input Strength ({again.identifier})") == "attribute Pins"
    assert before.pop(f"Follow: input Strength ({again.identifier})") == 0.0
    assert after == before and strength.identifier != again.identifier


def test_modifiers_of_every_type_can_be_learned_from(sheet):
    known = bpy.types.Modifier.bl_rna.properties["type"].enum_items.keys()
    tried = 0
    for kind in known:
        sheet.modifiers.clear()
        modifier = sheet.modifiers.new("Last", kind)
        if modifier is not None:  # what is for other objects than meshes cannot be added
            settings_of(sheet).simulation.last_modifier = "Last"
            assert to_text(made_with(bpy.context.scene, sheet))
            tried += 1
    assert tried > 40


def test_the_vertex_group_of_a_modifier_and_how_much_it_counts_are_told_apart(sheet):
    modifier = sheet.modifiers.new("Decimate", "DECIMATE")
    settings_of(sheet).simulation.last_modifier = "Decimate"
    sheet.vertex_groups.new(name="Kept").add([1, 2], 1.0, "REPLACE")
    seen = []
    for group, factor in (("", 1.0), ("Kept", 1.0), ("Kept", 0.5)):
        modifier.vertex_group, modifier.vertex_group_factor = group, factor
        seen.append(to_text(made_with(bpy.context.scene, sheet)))
    assert len(set(seen)) == 3


@pytest.mark.skipif(bpy.app.version >= (5,), reason="since Blender 5 inputs have the types of their sockets")
@pytest.mark.parametrize("value", [{"a": 1}, {"1": 2}, ["a", "b"], [b"x"], b"x", [{"a": 1}]], ids=str)
def test_an_input_of_another_type_decides_nothing(sheet, value):
    follow = sheet.modifiers["Follow"]
    socket = follow.node_group.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketInt")
    follow.pop(socket.identifier, None)
    follow[socket.identifier] = value
    assert "Follow: input Count" not in made_with(bpy.context.scene, sheet)["modifiers"]
