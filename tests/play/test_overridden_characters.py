"""A character that a shot links and overrides finds its own parts, whatever they are called there."""

from __future__ import annotations

from pathlib import Path

import bpy
import play_scenes
import pytest
import synthetic
from test_shared_meshes import same, shapes

from neural_physics.blender.modelling.layer_editing import add_layers
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.scene.layers import layers_below, layers_problem
from neural_physics.blender.settings.properties import settings_of
from neural_physics.interaction.channels import Channel, ChannelLayout

pytestmark = pytest.mark.blender

CHARACTER = "Character"  # the name of the collection, and of what carries all of it
LAYOUT = ChannelLayout(
    (
        Channel("Hand", "position", 3, source="Hand"),
        Channel("Frame velocity", "velocity", 3, source=CHARACTER),
    )
)


@pytest.fixture
def at_home(tmp_path):
    """What a skirt shows in its own file, `asset.blend`: worn over a body, carried by another object."""
    play_scenes.open_scene()
    hand, carrier = play_scenes.add_hand("Hand", 0), play_scenes.add_hand(CHARACTER, 1)
    mesh = synthetic.sheet_mesh()
    skirt, body = play_scenes.add_sheet(hand, "Skirt", mesh), play_scenes.add_object("Body", mesh)
    about = synthetic.make_model_info(mesh, LAYOUT, reference_frame=CHARACTER)
    packing.pack(skirt, synthetic.model_bytes(about, synthetic.make_model_tensors(mesh, channels=6)))
    settings = settings_of(skirt)
    settings.frame_object, settings.moving_frame = carrier, True
    for pointing in (settings.capsules.add(), settings.handles.add()):
        pointing.name = "Of the carrier"
    settings.capsules[0].source = settings.handles[0].object = carrier
    add_layers(skirt, [body])
    collection = bpy.data.collections.new(CHARACTER)
    bpy.context.scene.collection.children.link(collection)
    for obj in (hand, carrier, skirt, body):
        bpy.context.scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
    playback.attach(skirt)
    (shown,) = shapes([skirt])
    playback.detach(skirt)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "asset.blend"))
    return shown


def in_a_shot(path: Path) -> bpy.types.Object:
    """The skirt of a character that was linked, instanced and overridden as an artist does it."""
    play_scenes.open_scene()
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = [CHARACTER]
    instance = bpy.data.objects.new(CHARACTER, None)
    instance.instance_type, instance.instance_collection = "COLLECTION", wanted.collections[0]
    bpy.context.scene.collection.objects.link(instance)
    instance.select_set(True)
    bpy.context.view_layer.objects.active = instance
    assert bpy.ops.object.make_override_library() == {"FINISHED"}
    return skirt_of_the_shot()


def skirt_of_the_shot() -> bpy.types.Object:
    return bpy.context.scene.objects["Skirt"]


def test_it_plays_where_the_instance_has_taken_the_name_of_its_reference_frame(at_home, tmp_path):
    skirt = in_a_shot(tmp_path / "asset.blend")
    assert settings_of(skirt).frame_object.name != CHARACTER
    playback.attach(skirt)
    (shown,) = shapes([skirt])
    assert playback.status_of(skirt).problem is None
    assert same(shown, at_home)


def test_all_that_its_settings_point_to_is_the_shots_own_before_and_after_it_is_opened(at_home, tmp_path):
    playback.attach(in_a_shot(tmp_path / "asset.blend"))
    for _ in range(2):
        skirt = skirt_of_the_shot()
        settings = settings_of(skirt)
        pointed = [
            settings.frame_object,
            settings.interactions[0].object,
            settings.capsules[0].source,
            settings.handles[0].object,
            settings.layers_below[0].object,
        ]
        assert [obj.library for obj in pointed] == [None] * 5
        assert layers_problem(skirt) is None
        assert layers_below(skirt) == [bpy.context.scene.objects["Body"]]
        (shown,) = shapes([skirt])
        assert playback.status_of(skirt).problem is None and same(shown, at_home)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))


def test_a_shot_that_lost_them_when_it_was_opened_in_an_earlier_version_has_them_again(at_home, tmp_path):
    skirt = in_a_shot(tmp_path / "asset.blend")
    playback.attach(skirt)
    settings = settings_of(skirt)
    owners = settings, settings.capsules[0], settings.handles[0], settings.layers_below[0]
    names = "frame_object", "source", "object", "object"
    for owner, name in zip(owners, names, strict=True):
        setattr(owner, name, getattr(owner, name).override_library.reference)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    skirt = skirt_of_the_shot()
    settings = settings_of(skirt)
    owners = settings, settings.capsules[0], settings.handles[0], settings.layers_below[0]
    found = [getattr(owner, name) for owner, name in zip(owners, names, strict=True)]
    assert all(bpy.context.scene in obj.users_scene for obj in found), found
    (shown,) = shapes([skirt])
    assert playback.status_of(skirt).problem is None and same(shown, at_home)


def test_a_layer_can_be_switched_off_and_chosen_anew_in_a_shot(at_home, tmp_path):
    skirt = in_a_shot(tmp_path / "asset.blend")
    settings_of(skirt).layers_below[0].object = play_scenes.add_object("Other", synthetic.sheet_mesh())
    settings_of(skirt).layer_gap = 0.01
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    skirt = skirt_of_the_shot()
    assert layers_below(skirt) == [bpy.data.objects["Other"]]
    assert settings_of(skirt).layer_gap == pytest.approx(0.01)
    settings_of(skirt).use_layers = False
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert not settings_of(skirt_of_the_shot()).use_layers


def test_what_is_linked_without_an_override_is_not_mistaken_for_another_of_its_name(at_home, tmp_path):
    play_scenes.open_scene()
    still = play_scenes.add_hand("Hand", None)
    with bpy.data.libraries.load(str(tmp_path / "asset.blend"), link=True) as (_, wanted):
        wanted.objects = ["Hand"]
    (linked,) = wanted.objects
    bpy.context.scene.collection.objects.link(linked)
    sheets = [play_scenes.add_sheet(hand, name) for hand, name in ((linked, "Moved"), (still, "Unmoved"))]
    for sheet in sheets:
        playback.attach(sheet)
    moved, unmoved = shapes(sheets)
    assert not same(moved, unmoved)
    assert playback.status_of(sheets[0]).problem is None
    bpy.context.scene.collection.objects.unlink(linked)
    bpy.context.view_layer.update()
    assert playback.status_of(sheets[0]).problem.code == "interaction_missing"
    assert playback.status_of(sheets[1]).problem is None
