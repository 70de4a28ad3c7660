"""What Blender does not evaluate of a file is not brought into it by us where something writes on disk."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from scenes import add_ball, add_cloth, empty_scene

from neural_physics.blender.display import evaluation, takes
from neural_physics.blender.playing import handlers, playback
from neural_physics.blender.scene.evaluated import may_be_named
from neural_physics.blender.scene.setting_up import find_movers, list_unbound
from neural_physics.blender.scene.sources import mesh_data
from neural_physics.blender.settings.overridden import misdirected
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout


@pytest.fixture
def cloth(tmp_path):
    """Beside a ball; nothing writes on disk yet."""
    empty_scene()
    cloth = add_cloth(points=5)
    add_ball()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.context.view_layer.update()
    return cloth


def let_something_write() -> None:
    """On disk, as frames are visited."""
    other = add_cloth("Other", points=3)
    other.modifiers["Cloth"].point_cache.use_disk_cache = True


def hide(obj, how: str) -> None:
    collection = bpy.data.collections.new("Hidden")
    scene = bpy.context.scene
    if how == "disabled":
        obj.hide_viewport = True
        return
    scene.collection.objects.unlink(obj)
    if how == "in no scene":
        return
    scene.collection.children.link(collection)
    collection.objects.link(obj)
    if how == "excluded":
        bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True
    collection.hide_viewport = how == "collection disabled"


@pytest.mark.parametrize("how", ["disabled", "excluded", "collection disabled"])
@pytest.mark.parametrize("writes", [False, True])
def test_a_hidden_collider_is_listed_only_where_nothing_writes(cloth, how, writes):
    ball, scene = bpy.data.objects["Ball"], bpy.context.scene
    if writes:
        let_something_write()
    assert ball in find_movers(cloth, scene)
    hide(ball, how)
    assert (ball in find_movers(cloth, scene)) is not writes


def test_a_collider_of_another_view_layer_is_listed_only_where_nothing_writes(cloth):
    """Nothing has it simulated as long as nobody goes to that layer."""
    ball, scene = bpy.data.objects["Ball"], bpy.context.scene
    scene.view_layers.new("Other")
    hide(ball, "excluded")
    assert ball in find_movers(cloth, scene)
    let_something_write()
    assert ball not in find_movers(cloth, scene)


@pytest.mark.parametrize("how", ["disabled", "excluded", "collection disabled", "in no scene"])
def test_an_object_that_a_model_names_is_chosen_only_where_it_is_evaluated(cloth, how):
    ball = bpy.data.objects["Ball"]
    layout = ChannelLayout((Channel("Ball", "position", 3, source="Ball"),))
    let_something_write()
    assert may_be_named(ball)
    ball.use_fake_user = True
    hide(ball, how)
    list_unbound(cloth, layout)
    (line,) = settings_of(cloth).interactions
    assert line.name == "Ball" and line.object is None


def test_what_is_hidden_is_not_copied_where_something_writes(cloth):
    cloth.hide_viewport = True
    let_something_write()
    for show in (takes.show_take, evaluation.show_evaluation):
        with pytest.raises(Problem) as refused:
            show(bpy.context.scene, cloth)
        assert refused.value.code == "object_hidden"
    bpy.data.objects["Other"].modifiers["Cloth"].point_cache.use_disk_cache = False
    with pytest.raises(Problem) as refused:
        takes.show_take(bpy.context.scene, cloth)
    assert refused.value.code == "not_baked"


def test_the_material_of_a_comparison_is_none_that_a_file_calls_so(cloth):
    theirs = bpy.data.materials.new(evaluation.MATERIAL)
    mesh = mesh_data(cloth)
    evaluation._colour(mesh, np.zeros(len(mesh.vertices), np.float32))
    assert mesh.materials[0] != theirs and mesh.materials[0].name.startswith(evaluation.MATERIAL)


@pytest.mark.parametrize(("writes", "hidden"), [(False, False), (True, False), (False, True), (True, True)])
def test_settings_name_an_override_once_motion_is_asked_for_and_no_hidden_one_where_something_writes(
    tmp_path, writes, hidden
):
    library, shot = str(tmp_path / "library.blend"), str(tmp_path / "shot.blend")
    empty_scene()
    character = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(character)
    for name in ("Body", "Frame"):
        character.objects.link(bpy.data.objects.new(name, None))
    settings_of(bpy.data.objects["Body"]).frame_object = bpy.data.objects["Frame"]
    bpy.ops.wm.save_as_mainfile(filepath=library)
    empty_scene()
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    if writes:
        let_something_write()
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.collections = ["Character"]
    scene, layer = bpy.context.scene, bpy.context.view_layer
    into.collections[0].override_hierarchy_create(scene, layer, do_fully_editable=True)
    body, frame = (own(name) for name in ("Body", "Frame"))
    settings_of(body).frame_object = frame.override_library.reference
    frame.hide_viewport = hidden
    bpy.ops.wm.save_mainfile()
    handlers.register()
    try:
        bpy.ops.wm.open_mainfile(filepath=shot)
        body, frame = (own(name) for name in ("Body", "Frame"))
        assert (settings_of(body).frame_object == frame) is not writes
        assert bool(misdirected()) is writes
        playback.go_on()
        assert (settings_of(body).frame_object == frame) is not (writes and hidden)
    finally:
        handlers.unregister()


def own(name: str) -> bpy.types.Object:
    return next(obj for obj in bpy.data.objects if obj.override_library and obj.name.startswith(name))
