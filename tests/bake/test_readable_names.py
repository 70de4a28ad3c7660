"""Names of a file that are no UTF-8: they are renamed when it is opened, and what names another finds it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import rigs
from changed_blend import open_changed
from scenes import add_cloth, add_empty, bpy, empty_scene, react_to

from neural_physics.blender.baking.made_with import made_with
from neural_physics.blender.baking.motion.training_motion import check_training_motion
from neural_physics.blender.playing import packing
from neural_physics.blender.playing.output import geometry_nodes
from neural_physics.blender.scene import references, sampling
from neural_physics.blender.scene.interaction_names import interaction_names
from neural_physics.blender.scene.modifiers import modifier_stack
from neural_physics.blender.scene.rigs.rig_actions import actions_of, actions_played, curves_of
from neural_physics.blender.scene.sources import group_weights
from neural_physics.blender.settings.from_files import readable_names
from neural_physics.blender.settings.named_places import may_name
from neural_physics.blender.settings.notes import note_text
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

MARK = "zz"  # ends the names that are changed
BAD, GOOD = b"\xff\xfe", readable_names.MARK * 2


def opened(path, *ends):
    """The file, in which names that end so are no UTF-8."""
    ends = ends or (b"\0", b'"')  # and where paths name bones
    open_changed(path, {MARK.encode() + end: BAD + end for end in ends})


def test_what_has_a_name_that_is_no_text_is_renamed_and_found_again(tmp_path):
    empty_scene()
    rig = rigs.add_rig(3, "Rigzz")
    cloth = add_cloth("Sheetzz")
    line = react_to(cloth, rig)
    line.name, line.test_action = "Linezz", "Actionzz"
    line.bones.add().name = "bone1zz"
    settings_of(cloth).simulation.pins = "Pinszz"
    cloth.vertex_groups["Pins"].name = "Pinszz"
    cloth.modifiers["Cloth"].settings.vertex_group_mass = "Pinszz"
    cloth.modifiers["Cloth"].name = "Clothzz"
    cloth.constraints.new("LIMIT_SCALE").name = "Limitzz"
    cloth.shape_key_add(name="Basiszz")
    cloth.shape_key_add(name="Bulgezz").vertex_group = "Pinszz"
    cloth.data.attributes.new("Heatzz", "FLOAT", "POINT")
    rig.data.bones["bone1"].name = "bone1zz"
    rig.pose.bones["bone1zz"].keyframe_insert("location", frame=1)
    rig.animation_data.action.name = "Actionzz"
    bpy.context.scene.name, bpy.context.view_layer.name = "Scenezz", "Layerzz"
    bpy.data.texts.new("Modelzz")
    group = bpy.data.node_groups.new("Groupzz", "GeometryNodeTree")
    group.use_fake_user = True
    group.nodes.new("NodeGroupInput").name = "Inputzz"
    group.interface.new_socket("Socketzz")
    opened(tmp_path / "scene.blend")

    cloth, rig = bpy.data.objects[f"Sheet{GOOD}"], bpy.data.objects[f"Rig{GOOD}"]
    line = settings_of(cloth).interactions[0]
    assert (line.name, line.test_action, line.object) == (f"Line{GOOD}", f"Action{GOOD}", rig)
    assert line.bones[0].name in rig.data.bones and line.bones[0].name == f"bone1{GOOD}"
    assert cloth.modifiers[f"Cloth{GOOD}"].settings.vertex_group_mass in cloth.vertex_groups
    bulge = cloth.data.shape_keys.key_blocks[f"Bulge{GOOD}"]
    assert group_weights(cloth, bulge.vertex_group, 0.0).any()
    assert f"Heat{GOOD}" in cloth.data.attributes and f"Limit{GOOD}" in cloth.constraints
    action = bpy.data.actions[line.test_action]
    assert list(actions_of(rig)) == [action]
    assert (f'pose.bones["bone1{GOOD}"].location', 0) in curves_of(action, rig)
    assert (bpy.context.scene.name, bpy.context.view_layer.name) == (f"Scene{GOOD}", f"Layer{GOOD}")
    assert f"Model{GOOD}" in bpy.data.texts
    group = bpy.data.node_groups[f"Group{GOOD}"]
    assert f"Input{GOOD}" in group.nodes and group.interface.items_tree[0].name == f"Socket{GOOD}"


def test_all_of_many_are_renamed_but_no_more_than_in_a_second(tmp_path, monkeypatch):
    empty_scene()
    for number in range(50):
        bpy.data.objects.new(f"{number}zz", None).use_fake_user = True
    opened(tmp_path / "all.blend", b"\0")
    assert sorted(bpy.data.objects.keys()) == sorted(f"{number}{GOOD}" for number in range(50))
    monkeypatch.setattr(readable_names, "MOST_RENAMED", 3)
    for obj in list(bpy.data.objects):
        obj.name = obj.name.replace(GOOD, MARK)
    opened(tmp_path / "some.blend", b"\0")
    left = {struct.as_pointer() for struct, _, _ in readable_names._unreadable()}
    assert len(left) == 47


def test_a_name_that_is_made_readable_is_none_that_a_file_could_wait_for(tmp_path):
    """A driver that names it would switch on what nothing else does."""
    empty_scene()
    cloth = add_cloth("Sheet")
    cloth.modifiers["Cloth"].name = f"Cloth{MARK}"
    opened(tmp_path / "scene.blend", b"\0")
    (modifier,) = bpy.data.objects["Sheet"].modifiers
    assert modifier.name.startswith("Cloth") and modifier.name != "Cloth\ufffd\ufffd"


@pytest.mark.parametrize("length", [50, 55, 61])
def test_nor_is_one_that_is_so_long_that_blender_cuts_it(length, tmp_path):
    """Of two that become the same, one gets a number besides."""
    empty_scene()
    cloth = add_cloth("Sheet")
    cloth.modifiers["Cloth"].name = f"{'A' * length}xx"
    cloth.modifiers.new(f"{'A' * length}yy", "SOLIDIFY")
    open_changed(tmp_path / "scene.blend", {b"Axx\0": b"A\xff\xfe\0", b"Ayy\0": b"A\xfe\xff\0"})
    names = [modifier.name for modifier in bpy.data.objects["Sheet"].modifiers]
    assert len(set(names)) == 2 and all(readable_names.MARK in name for name in names), names


def test_no_place_that_something_of_blenders_names_is_set():
    """Blender looks it up at once, and some nodes have something written beside it."""
    empty_scene()
    kind = bpy.types.MeshCacheModifier
    strings = [prop for prop in kind.bl_rna.properties if prop.type == "STRING" and not prop.is_readonly]
    places = {prop.identifier for prop in strings if prop.subtype == "FILE_PATH"}
    assert places and not places & set(readable_names._fields(kind).texts)
    bpy.data.node_groups.new("Group", "ShaderNodeTree").nodes.new("ShaderNodeScript")
    asked = [fields for each, fields in readable_names._looked_at() if isinstance(each, bpy.types.Node)]
    assert asked == [("name", "label")]


def test_a_place_that_cannot_be_read_is_not_agreed_to(tmp_path, monkeypatch):
    """On Windows Blender gives no text for it; here it does, which a read in its place makes up for."""
    theirs, field = str(tmp_path / "theirs" / "dataset"), f"{tmp_path}/{MARK}/../theirs/dataset"
    empty_scene()
    note_text(add_cloth("Sheet"), "dataset_folder", field)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"), compress=False)

    def as_on_windows(struct, name):
        value = getattr(struct, name)
        return os.fsencode(value).decode("utf-8", "surrogatepass") if isinstance(value, str) else value

    monkeypatch.setattr(readable_names, "getattr", as_on_windows, raising=False)
    open_changed(tmp_path / "scene.blend", {MARK.encode() + b"/..": BAD + b"/.."})
    readable_names.make_names_readable()
    assert not may_name(Path(theirs))
    assert settings_of(bpy.data.objects["Sheet"]).dataset_folder == ""


def test_linked_data_keeps_its_name_and_all_else_is_renamed(tmp_path):
    empty_scene()
    add_cloth("Sheetzz").modifiers["Cloth"].name = "Clothzz"
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), compress=False)
    empty_scene()
    with bpy.data.libraries.load(str(library), link=True) as (_, into):
        into.objects = ["Sheetzz"]
    bpy.context.scene.collection.objects.link(into.objects[0])
    bpy.data.objects.new("Ownzz", None).use_fake_user = True
    library.write_bytes(library.read_bytes().replace(b"Sheetzz\0", b"Sheet\xff\xfe\0"))
    opened(tmp_path / "scene.blend", b"\0")
    names = sorted(readable_names.readable_name(obj) for obj in bpy.data.objects)
    assert names == [f"Own{GOOD}", f"Sheet{GOOD}"]
    assert next(obj.name for obj in bpy.data.objects if obj.library is None) == f"Own{GOOD}"


def test_what_other_add_ons_gave_to_blenders_kinds_is_not_asked_for():
    asked = []
    bpy.types.VertexGroup.theirs = bpy.props.StringProperty(get=lambda _: asked.append(1) or "")
    try:
        empty_scene()
        add_cloth()
        readable_names.make_names_readable()
    finally:
        del bpy.types.VertexGroup.theirs
    assert not asked


def linked_hand(folder) -> bpy.types.Object:
    """Of a library in which its name is none from the next opening on."""
    empty_scene()
    add_empty("Handzz")
    library = folder / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), compress=False)
    empty_scene()
    with bpy.data.libraries.load(str(library), link=True) as (_, into):
        into.objects = ["Handzz"]
    library.write_bytes(library.read_bytes().replace(b"Handzz\0", b"Hand\xff\xfe\0"))
    return into.objects[0]


def test_a_node_group_called_like_ours_may_name_what_has_no_readable_name(tmp_path):
    """Printing such a thing ends Blender."""
    hand = linked_hand(tmp_path)
    theirs = geometry_nodes._make_group(geometry_nodes.GROUP)
    theirs.use_fake_user = True
    theirs.nodes.remove(theirs.nodes["Named Attribute"])
    theirs.nodes.new("GeometryNodeObjectInfo").inputs["Object"].default_value = hand
    opened(tmp_path / "scene.blend", b"\0")
    theirs = bpy.data.node_groups[geometry_nodes.GROUP]
    assert theirs.nodes["Object Info"].inputs["Object"].default_value is not None
    assert geometry_nodes._group(geometry_nodes.GROUP) != theirs


def test_what_is_linked_and_has_no_readable_name_is_set_up_and_named_all_the_same(tmp_path):
    """Its name cannot be changed here; nothing that asks for it ends in an exception."""
    hand = linked_hand(tmp_path)
    bpy.context.scene.collection.objects.link(hand)
    cloth = add_cloth("Cloth")
    react_to(cloth, hand)
    settings_of(cloth).frame_object = hand
    settings_of(cloth).moving_frame = True
    settings_of(cloth).interactions[0].name = ""
    opened(tmp_path / "scene.blend", b"\0")
    cloth = bpy.data.objects["Cloth"]
    name = f"Hand{GOOD}"
    line = settings_of(cloth).interactions.add()
    line.object = settings_of(cloth).interactions[0].object
    layout = sampling.layout_of(cloth)
    assert {channel.source for channel in layout.channels} == {name}
    assert sampling.reference_frame_of(cloth) == name
    assert interaction_names(cloth)[-1].startswith(name)
    assert all(bound.startswith(name) for bound in sampling.bindings_of(cloth).values())
    with pytest.raises(Problem) as refused:
        references.Named("Cloth", f"{name} [nowhere.blend]")
    assert refused.value.code == "interaction_missing"


def linked(folder, collection, made):
    """What `made` makes in a library; its name ends with the mark, and is none from the next opening on."""
    empty_scene()
    data = made()
    data.use_fake_user, name = True, data.name
    library = folder / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), compress=False)
    empty_scene()
    with bpy.data.libraries.load(str(library), link=True) as (_, into):
        setattr(into, collection, [name])
    library.write_bytes(library.read_bytes().replace(MARK.encode() + b"\0", BAD + b"\0"))
    return getattr(into, collection)[0]


def test_a_linked_node_group_without_a_readable_name_is_somebody_elses(tmp_path):
    group = linked(tmp_path, "node_groups", lambda: bpy.data.node_groups.new("Groupzz", "GeometryNodeTree"))
    cloth = add_cloth("Cloth")
    cloth.modifiers.new("Nodes", "NODES").node_group = group
    settings_of(cloth).simulation.kind, settings_of(cloth).simulation.last_modifier = "MODIFIERS", "Nodes"
    opened(tmp_path / "scene.blend", b"\0")
    cloth = bpy.data.objects["Cloth"]
    modifier_stack.check_play_place(cloth)
    assert geometry_nodes.find_modifier(cloth) is None
    said = made_with(bpy.context.scene, cloth)
    assert said != made_with(bpy.context.scene, add_cloth("Other"))


def test_a_linked_text_without_a_readable_name_is_told_as_what_it_is(tmp_path):
    text = linked(tmp_path, "texts", lambda: bpy.data.texts.new("Modelzz"))
    settings_of(add_cloth("Cloth")).model = text
    opened(tmp_path / "scene.blend", b"\0")
    with pytest.raises(Problem, match=GOOD) as caught:
        packing.model_of(bpy.data.objects["Cloth"])
    assert caught.value.code == "model_damaged"


def test_a_linked_action_without_a_readable_name_is_played_and_kept_for_testing(tmp_path):
    def made():
        rig = rigs.add_rig(2, "Rig")
        rig.pose.bones["bone1"].keyframe_insert("location", frame=1)
        rig.animation_data.action.name = "Actionzz"
        return rig.animation_data.action

    linked(tmp_path, "actions", made).use_fake_user = True
    rig = rigs.add_rig(2, "Rig")
    line = react_to(add_cloth("Cloth"), rig)
    line.motion, line.test_action = "ACTIONS", "Actionzz"
    rig.animation_data_create().action = bpy.data.actions[0]
    opened(tmp_path / "scene.blend", b"\0")
    cloth = bpy.data.objects["Cloth"]
    line = settings_of(cloth).interactions[0]
    assert [action.library is None for action in actions_of(line.object)] == [False]
    assert actions_played(line, "test") and line.test_action == f"Action{GOOD}"
    with pytest.raises(Problem) as caught:
        check_training_motion(cloth)
    assert caught.value.code == "test_action_alone"


def test_names_within_what_is_linked_can_be_read(tmp_path):
    """Blender lets them be changed until the library is read anew."""

    def made():
        body = add_cloth("Body")
        body.modifiers["Cloth"].name = "Clothzz"
        body.vertex_groups["Pins"].name = "Pinszz"
        return body

    body = linked(tmp_path, "objects", made)
    bpy.context.scene.collection.objects.link(body)
    add_empty("Ownzz")
    opened(tmp_path / "scene.blend", b"\0")
    (body,) = (obj for obj in bpy.data.objects if obj.library is not None)
    assert [modifier.name for modifier in body.modifiers] == [f"Cloth{GOOD}"]
    assert [group.name for group in body.vertex_groups] == [f"Pins{GOOD}"]


def test_a_cache_keeps_its_name_as_blender_would_rename_its_frames_on_disk(tmp_path):
    empty_scene()
    cloth = add_cloth("Cloth")
    cloth.modifiers["Cloth"].point_cache.name = "Framezz"
    opened(tmp_path / "scene.blend", b"\0")
    with pytest.raises(UnicodeDecodeError):
        _ = bpy.data.objects["Cloth"].modifiers["Cloth"].point_cache.name
