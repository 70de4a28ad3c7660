"""No two fabrics in one dataset: whatever decides a take is compared before more are baked."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from bakes import cloth_and_ball, command_for, contents, run, soft_body_and_ball
from scenes import add_ball, add_grid, add_wind, bpy, empty_scene, react_to, set_frame, settings_of

from neural_physics.blender.baking import made_with as module
from neural_physics.blender.baking.made_with import made_with
from neural_physics.blender.scene import sources
from neural_physics.blender.scene.animation import keying
from neural_physics.datasets.dataset_info import read_info, write_info
from neural_physics.datasets.fingerprint import MADE_WITH, changed, to_text
from neural_physics.errors import Problem

FRAMES = 8


def differences(obj, change):
    """What is found changed by a change."""
    bpy.context.view_layer.update()
    before = to_text(made_with(bpy.context.scene, obj))
    change()
    bpy.context.view_layer.update()
    return changed(before, made_with(bpy.context.scene, obj))


def assign(owner, **values):
    return lambda: [setattr(owner, name, value) for name, value in values.items()]


@pytest.mark.once
def test_a_dataset_takes_no_takes_of_another_fabric(tmp_path):
    cloth = cloth_and_ball()
    run(command_for(cloth, tmp_path, 2, FRAMES))
    before = contents(tmp_path)
    settings = cloth.modifiers["Cloth"].settings
    mass = settings.mass
    settings.mass = 2.0
    for takes in (2, 3):  # with nothing left to do, and with more to bake
        with pytest.raises(Problem) as raised:
            command_for(cloth, tmp_path, takes, FRAMES)
        assert raised.value.code == "dataset_made_otherwise"
        assert raised.value.message.startswith("Cloth settings (mass) changed since Sheet was baked")
        assert "Bake Anew" in raised.value.message
    assert contents(tmp_path) == before
    settings.mass = mass
    assert run(command_for(cloth, tmp_path, 3, FRAMES))["takes"] == 3


@pytest.mark.once
def test_takes_of_earlier_versions_go_on_as_before(tmp_path):
    cloth = cloth_and_ball()
    run(command_for(cloth, tmp_path, 1, FRAMES))
    info = read_info(tmp_path)
    older = {name: text for name, text in info.provenance.items() if name != MADE_WITH}
    assert len(older) < len(info.provenance)
    write_info(tmp_path, replace(info, provenance=older))
    cloth.modifiers["Cloth"].settings.mass = 2.0
    assert run(command_for(cloth, tmp_path, 2, FRAMES))["takes"] == 2


@pytest.mark.once
def test_a_bake_that_came_to_nothing_does_not_bind_the_next(tmp_path):
    cloth = cloth_and_ball()
    command_for(cloth, tmp_path, 1, FRAMES)  # and never started
    cloth.modifiers["Cloth"].settings.mass = 2.0
    run(command_for(cloth, tmp_path, 1, FRAMES))
    known = json.loads(read_info(tmp_path).provenance[MADE_WITH])
    assert known["cloth settings"]["mass"] == 2.0


def test_whatever_decides_how_cloth_moves_is_told_apart():
    cloth = cloth_and_ball()
    modifier, scene, ball = cloth.modifiers["Cloth"], bpy.context.scene, bpy.data.objects["Ball"]
    pins = cloth.vertex_groups["Pins"]

    def stretched():
        cloth.data.vertices[0].co.x += 0.1

    for change, part in (
        (assign(modifier.settings, air_damping=4.0), "cloth settings (air damping)"),
        (assign(modifier.settings, quality=9), "cloth settings (quality)"),
        (assign(modifier.settings.effector_weights, wind=0.5), "cloth settings (field weight wind)"),
        (
            assign(modifier.collision_settings, use_self_collision=True),
            "cloth settings (collision use self collision)",
        ),
        (lambda: pins.add([0], 1.0, "REPLACE"), "pins"),
        (stretched, "mesh"),
        (assign(cloth, scale=(2.0, 1.0, 1.0)), "object (scale)"),
        (assign(scene, use_gravity=False), "scene (gravity)"),
        (assign(ball.collision, cloth_friction=20.0), "colliders"),
        (assign(ball, scale=(2.0, 2.0, 2.0)), "colliders"),
        (lambda: add_ball("Other", (5.0, 0.0, 0.0)), "colliders"),
        (lambda: add_wind("Wind"), "force fields"),
        (assign(cloth.modifiers["Cloth"].collision_settings, use_collision=False), None),
    ):
        found = differences(cloth, change)
        if part is None:
            assert set(found) == {"cloth settings (collision use collision)", "colliders"}
        else:
            assert found == [part]


def test_a_soft_body_and_a_rest_shape_too():
    jelly = soft_body_and_ball()
    assert differences(jelly, assign(jelly.modifiers[0].settings, pull=0.2)) == ["soft body settings (pull)"]
    cloth = cloth_and_ball()
    settings = cloth.modifiers["Cloth"].settings
    assert differences(cloth, lambda: cloth.shape_key_add(name="Basis")) == []
    shape = cloth.shape_key_add(name="Rest")
    assert differences(cloth, assign(settings, rest_shape_key=shape)) == ["cloth settings (rest shape key)"]


def test_what_moves_is_shown_or_named_otherwise_decides_nothing():
    cloth = cloth_and_ball()
    wind, ball, modifier = add_wind(), bpy.data.objects["Ball"], cloth.modifiers["Cloth"]
    react_to(cloth, wind)
    settings, scene = settings_of(cloth), bpy.context.scene
    for frame, strength in ((1, 0.0), (20, 50.0)):
        cloth.scale.x = 1.0 + 0.01 * frame
        cloth.keyframe_insert("scale", frame=frame)
        modifier.settings.time_scale = 1.0 + 0.01 * frame
        cloth.keyframe_insert('modifiers["Cloth"].settings.time_scale', frame=frame)
        wind.field.flow = strength
        wind.keyframe_insert("field.flow", frame=frame)

    def simulate():
        for frame in range(1, 12):
            set_frame(frame)

    for change in (
        simulate,
        assign(ball, location=(3.0, 0.0, 0.0), rotation_euler=(1.0, 0.0, 0.0), name="Sphere"),
        assign(cloth.vertex_groups["Pins"], name="Held"),
        assign(modifier, show_in_editmode=True, show_render=False),
        assign(modifier.point_cache, frame_end=999),
        assign(wind.field, strength=3.0, noise=2.0, seed=7),
        assign(scene, frame_start=5, frame_end=77),
        assign(settings, take_count=3, take_frames=50, seed=9, parallel_takes=2),
        assign(settings.interactions[0], box_high=(2.0, 2.0, 2.0), fastest=9.0),
        assign(ball, display_type="WIRE"),
    ):
        assert differences(cloth, change) == []
    assert modifier.settings.vertex_group_mass == "Held", "Blender renames it there too"


def test_the_bundled_solvers_settings_and_colliders():
    empty_scene()
    sheet, ball = add_grid("Sheet"), add_ball()
    react_to(sheet, ball)
    simulation = settings_of(sheet).simulation
    simulation.kind, simulation.pins = "SHELL", "Pins"
    assert differences(sheet, assign(simulation, bending=2e-5)) == ["simulation settings (bending)"]
    assert differences(sheet, assign(simulation, pins="")) == ["pins"]
    assert differences(sheet, assign(ball.collision, cloth_friction=20.0)) == []

    def dented():
        ball.data.vertices[0].co = (0.0, 0.0, 0.0)

    assert differences(sheet, dented) == ["colliders"]
    assert differences(sheet, assign(simulation, kind="SPRINGS"))[0] == "physics"


def test_curves_are_gone_through_once_for_all_settings(monkeypatch):
    cloth = cloth_and_ball()
    settings_of(cloth).simulation.kind = "MODIFIERS"
    cloth.keyframe_insert("location", frame=1)
    looked = []
    own = keying.curves_played
    monkeypatch.setattr(keying, "curves_played", lambda *given: looked.append(given) or own(*given))
    counts = []
    for _ in range(2):
        looked.clear()
        made_with(bpy.context.scene, cloth)
        counts.append(len(looked))
        for number in range(10):
            cloth.modifiers.new(f"Cast {number}", "CAST")
    assert counts[0] == counts[1] > 0


def test_vertex_groups_are_read_once_for_all_modifiers(monkeypatch):
    cloth = cloth_and_ball()
    settings_of(cloth).simulation.kind = "MODIFIERS"
    for number in range(5):
        group = cloth.vertex_groups.new(name=f"Part {number}")
        group.add([number], 0.5, "ADD")
        cloth.modifiers.new(f"Smooth {number}", "SMOOTH").vertex_group = group.name
    settings_of(cloth).simulation.last_modifier = "Smooth 4"
    read = []
    own = sources.members_of
    monkeypatch.setattr(module, "members_of", lambda *given: read.append(given) or own(*given))
    before = made_with(bpy.context.scene, cloth)
    assert len(read) == 1
    cloth.vertex_groups["Part 3"].add([7], 0.5, "ADD")
    assert made_with(bpy.context.scene, cloth) != before


def test_what_an_object_reacts_to_is_gone_through_once_and_not_for_each_field():
    cloth, fields = cloth_and_ball(), 3
    for _ in range(fields):
        bpy.ops.object.effector_add(type="WIND")
        react_to(cloth, bpy.context.object)
    before = made_with(bpy.context.scene, cloth)
    bpy.context.object.field.strength += 1.0  # it is reacted to
    assert made_with(bpy.context.scene, cloth) == before
    settings_of(cloth).interactions.remove(fields)
    assert made_with(bpy.context.scene, cloth) != before


def test_of_more_colliders_than_anybody_has_some_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MOST_MET", 2)
    cloth = cloth_and_ball()
    added = [add_ball(f"Ball {number}") for number in range(4)]
    before = made_with(bpy.context.scene, cloth)
    added[-1].scale = 2.0, 2.0, 2.0
    assert made_with(bpy.context.scene, cloth) == before
    added[0].scale = 2.0, 2.0, 2.0
    assert made_with(bpy.context.scene, cloth) != before
