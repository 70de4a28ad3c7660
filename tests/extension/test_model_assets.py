"""A model marked as an asset plays on the mesh it is dropped on, and nowhere else.

Blender's timers run in a window only: here `drops.play_waiting` is called where Blender would.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
import importlib
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}, {str(ROOT / "tests" / "play")!r}]
import numpy as np
import play_models, synthetic

HERE = Path.cwd()
LIBRARY = HERE / "library.blend"

def part(name):
    return importlib.import_module(MODULE + "." + name)

drops, packing = part("neural_physics.blender.assets.drops"), part("neural_physics.blender.playing.packing")
playback, errors = part("neural_physics.blender.playing.playback"), part("neural_physics.errors")
buttons = part("operators.assets")
ours = bpy.ops.neural_physics
said = []
buttons._say = said.extend

def empty():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)

def add(name, data):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    return obj

def add_sheet(name="Sheet", points=6):
    mesh, data = synthetic.sheet_mesh(points), bpy.data.meshes.new(name)
    faces = np.split(mesh.corners, np.cumsum(mesh.face_sizes)[:-1])
    data.from_pydata(mesh.rest_positions.tolist(), [], [face.tolist() for face in faces])
    return add(name, data)

def add_hand():
    hand = add("Hand", None)
    for frame, place in ((1, (0, 0, 0)), (10, (0.4, -0.2, 0.3)), (20, (-0.3, 0.1, 0.2))):
        hand.location = place
        hand.keyframe_insert("location", frame=frame)
    return hand

def model(seed=1):
    return play_models.model_file(synthetic.sheet_mesh(), seed=seed)

def sheet_with_model(seed=1):
    sheet = add_sheet()
    path = HERE / f"{{seed}}.safetensors"
    path.write_bytes(model(seed))
    assert ours.import_model(filepath=str(path)) == {{"FINISHED"}}
    return sheet

def made_library():
    '''The asset, alone in a file of its own.'''
    empty()
    sheet_with_model()
    assert ours.mark_as_asset() == {{"FINISHED"}}
    bpy.ops.wm.save_as_mainfile(filepath=str(LIBRARY))
    empty()

def bring(**how):
    '''The asset out of the library; a drop does the same to what it appends.'''
    with bpy.data.libraries.load(str(LIBRARY), assets_only=True, **how) as (there, here):
        here.node_groups = there.node_groups
    group = here.node_groups[0]
    if group.library is None:
        group.asset_clear()
    return group

def drop(obj, group):
    bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.object.modifier_add_node_group(session_uid=group.session_uid) == {{"FINISHED"}}
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Drop")

def shown(obj):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co for vertex in mesh.vertices])

def kinds(obj):
    return [modifier.name for modifier in obj.modifiers]

def is_at_rest(obj):
    rest = np.array([vertex.co for vertex in obj.data.vertices])
    return not obj.neural_physics.playing and np.array_equal(shown(obj), rest)
"""

WAYS = [{"link": False}, {"link": True}, {"link": True, "pack": True}]


@pytest.fixture(params=WAYS, ids=["append", "link", "pack"])
def way(request: pytest.FixtureRequest) -> str:
    """How a drop brings the asset into the file, as arguments."""
    if "pack" in request.param and bpy.app.version < (5, 0):
        pytest.skip("Blender packs what it links since 5.0")
    return ", ".join(f"{name}={value}" for name, value in request.param.items())


def test_a_dropped_asset_plays_what_an_imported_model_does(in_blender: Callable[..., str], way: str) -> None:
    in_blender(
        SCENE
        + f"""
made_library()
hand, imported, dropped = add_hand(), sheet_with_model(), add_sheet("Other Sheet")
bpy.context.view_layer.objects.active = imported
ours.play()
drop(dropped, bring({way}))
assert kinds(dropped) == ["Sheet Model"] and is_at_rest(dropped), "the handler changes nothing"
drops.play_waiting()
assert not said, said
assert kinds(dropped) == ["Neural Physics"]
assert [group.name for group in bpy.data.node_groups] == ["Neural Physics Play 1"]
assert packing.packed_bytes(dropped) == model()
assert [(i.name, i.object) for i in dropped.neural_physics.interactions] == [("Hand", hand)]
assert bpy.context.active_object == dropped and bpy.context.selected_objects == [dropped]
for frame in (5, 12):
    bpy.context.scene.frame_set(frame)
    assert playback.status_of(dropped).problem is None
    assert np.array_equal(shown(dropped), shown(imported))
    assert np.abs(shown(dropped) - [v.co for v in dropped.data.vertices]).max() > 1e-3
"""
    )


def test_what_comes_from_another_file_with_the_asset_on_it_was_not_dropped(
    in_blender: Callable[..., str],
) -> None:
    """Nobody has asked it to play: it came with an object."""
    in_blender(
        SCENE
        + """
made_library()
drop(add_sheet(), bring(link=False))
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "theirs.blend"))
empty()
with bpy.data.libraries.load(str(HERE / "theirs.blend"), link=False) as (there, here):
    here.objects = ["Sheet"]
bpy.context.scene.collection.objects.link(here.objects[0])
bpy.context.view_layer.update()
drops.play_waiting()
assert kinds(here.objects[0]) == ["Sheet Model"] and is_at_rest(here.objects[0])
bpy.context.view_layer.objects.active = here.objects[0]
bpy.ops.object.select_all(action="DESELECT")
here.objects[0].select_set(True)
bpy.context.view_layer.objects.active = here.objects[0]
assert bpy.ops.object.duplicate() == {"FINISHED"}
copy = bpy.context.active_object
bpy.context.view_layer.update()
drops.play_waiting()
assert copy != here.objects[0] and kinds(copy) == ["Sheet Model"] and is_at_rest(copy), "nor was it on a copy"
bpy.context.view_layer.objects.active = here.objects[0]
assert ours.play_asset() == {"FINISHED"} and here.objects[0].neural_physics.playing
"""
    )


def test_a_drop_beside_something_that_writes_on_disk_waits_for_play(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
made_library()
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "own.blend"))
add_sheet("Cloth", 4).modifiers.new("Cloth", "CLOTH").point_cache.use_disk_cache = True
add_hand()
sheet = add_sheet()
drop(sheet, bring(link=False))
drops.play_waiting()
bpy.context.scene.frame_set(9)
assert sheet.neural_physics.playing and playback.status_of(sheet).warning.code == "play_waits"
assert ours.play() == {"FINISHED"} and playback.status_of(sheet).warning.code == "catch_up_needed"
for frame in range(1, 4):
    bpy.context.scene.frame_set(frame)
assert playback.status_of(sheet).warning is None
"""
    )


def test_a_drop_is_one_step_and_undone_for_good(in_blender: Callable[..., str], way: str) -> None:
    in_blender(
        SCENE
        + f"""
made_library()
add_hand()
add_sheet()
drop(bpy.data.objects["Sheet"], bring({way}))
drops.play_waiting()

def sheet_after(step):
    assert step() == {{"FINISHED"}}
    bpy.context.view_layer.update()
    drops.play_waiting()
    return bpy.data.objects["Sheet"]

sheet = sheet_after(bpy.ops.ed.undo)
assert kinds(sheet) == ["Sheet Model"] and is_at_rest(sheet), "it is not played again"
assert ours.play_asset.poll()
sheet = sheet_after(bpy.ops.ed.undo)
assert kinds(sheet) == [] and is_at_rest(sheet) and sheet.neural_physics.model is None
sheet = sheet_after(bpy.ops.ed.redo)
assert kinds(sheet) == ["Sheet Model"] and is_at_rest(sheet)
sheet = sheet_after(bpy.ops.ed.redo)
assert sheet.neural_physics.playing and packing.packed_bytes(sheet) == model()
bpy.context.scene.frame_set(9)
assert playback.status_of(sheet).problem is None and not is_at_rest(sheet)
"""
    )


def test_on_another_mesh_it_is_taken_off_with_a_sentence(in_blender: Callable[..., str], way: str) -> None:
    in_blender(
        SCENE
        + f"""
made_library()
others = [add_sheet("Small", 5), add("Cable", bpy.data.curves.new("Cable", "CURVE"))]
asset = bring({way})
for other in others:
    drop(other, asset)
drops.play_waiting()
assert [(problem.code, problem.names["object"]) for problem in said] == [
    ("no_mesh", "Cable"), ("model_other_object", "Small")], said
for other in others:
    settings = other.neural_physics
    assert kinds(other) == [] and settings.model is None and not settings.enabled and not settings.playing
assert not bpy.data.node_groups
assert not any(packing.PROPERTY in text for text in bpy.data.texts)
"""
    )


def test_marked_again_an_asset_is_replaced_and_keeps_what_the_artist_gave_it(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
add_hand()
assert not ours.mark_as_asset.poll(), "there is no model"
sheet = sheet_with_model()
assert ours.mark_as_asset() == {"FINISHED"}
group, = bpy.data.node_groups
asset = group.asset_data
assert group.name == "Sheet Model" and group.is_modifier and group[packing.PROPERTY] == model()
assert {tag.name for tag in asset.tags} == {"Neural Physics", "Subspace Physics"}
picture = np.array(group.preview.image_pixels_float)
assert "Sheet" in asset.description and "36 vertices" in asset.description and "Hand" in asset.description
asset.tags.new("Dress")
asset.author, group.name = "Ada", "Ball Gown"

(HERE / "2.safetensors").write_bytes(model(2))
ours.import_model(filepath=str(HERE / "2.safetensors"))
assert group[packing.PROPERTY] == model(1), "until it is marked again"
ours.mark_as_asset()
assert list(bpy.data.node_groups) == [group] and group.name == "Ball Gown"
assert np.array_equal(picture, group.preview.image_pixels_float), "its picture may be the artist's"
assert group[packing.PROPERTY] == model(2)
assert asset.author == "Ada" and sorted(tag.name for tag in asset.tags) == [
    "Dress", "Neural Physics", "Subspace Physics"]

# What is dropped from the file itself stays its asset.
other = add_sheet("Other Sheet")
drop(other, group)
drops.play_waiting()
assert packing.packed_bytes(other) == model(2) and not said
assert group.asset_data is not None and group.name in bpy.data.node_groups

# Each object has its own.
ours.mark_as_asset()
assets = {group.name for group in bpy.data.node_groups if group.asset_data}
assert assets == {"Ball Gown", "Other Sheet Model"}
"""
    )


def test_its_picture_is_the_object_as_it_looks_now_in_the_colour_of_its_material(
    in_blender: Callable[..., str],
) -> None:
    """No thread of Blender's renders it: it is there at once, and nothing goes on behind the artist."""
    in_blender(
        SCENE
        + """
add_hand()
sheet = sheet_with_model()
sheet.active_material = bpy.data.materials.new("Red")
sheet.active_material.diffuse_color = 1.0, 0.0, 0.0, 1.0
ours.mark_as_asset()
preview = bpy.data.node_groups["Sheet Model"].preview
assert not bpy.app.is_job_running("RENDER_PREVIEW") and tuple(preview.image_size) == (256, 256)
pixels = np.array(preview.image_pixels_float).reshape(256, 256, 4)
covered = pixels[..., 3] == 1.0
assert 0.1 < covered.mean() < 0.9 and not pixels[..., 3][[0, -1]].any()
assert pixels[covered][:, 0].min() > 0.3 and not pixels[covered][:, 1:3].any()
# Blender's first row is the lowest: a sheet that narrows upwards is wide there.
group = bpy.data.node_groups.new("Group", "GeometryNodeTree")
tent = bpy.data.meshes.new("Tent")
tent.from_pydata([(-1, 0, 0), (1, 0, 0), (0, 0, 2)], [], [(0, 1, 2)])
part("neural_physics.blender.assets.asset_preview").draw_preview(group, add("Tent", tent))
widths = (np.array(group.preview.image_pixels_float).reshape(256, 256, 4)[..., 3] == 1.0).sum(1)
assert widths[64] > 2 * widths[192] > 0
"""
    )


def test_what_has_no_faces_has_no_picture(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
asset_preview = part("neural_physics.blender.assets.asset_preview")
strand, point = ([(0, 0, 0), (1, 0, 0)], [(0, 1)], []), ([(1, 1, 1)] * 3, [], [(0, 1, 2)])
for shape in (([], [], []), strand, point):
    data = bpy.data.meshes.new("Strand")
    data.from_pydata(*shape)
    group = bpy.data.node_groups.new("Group", "GeometryNodeTree")
    asset_preview.draw_preview(group, add("Strand", data))
    assert group.preview is None
"""
    )


def test_a_picture_is_of_what_is_far_away_too_and_of_no_more_than_it_can_show(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
asset_preview = part("neural_physics.blender.assets.asset_preview")

def covered(obj):
    group = bpy.data.node_groups.new("Group", "GeometryNodeTree")
    asset_preview.draw_preview(group, obj)
    if group.preview is None:
        return None
    return (np.array(group.preview.image_pixels_float).reshape(256, 256, 4)[..., 3] == 1.0).mean()

shape = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], [], [(0, 1, 2, 3)]
data = bpy.data.meshes.new("Square")
data.from_pydata(*shape)
square = add("Square", data)
near = covered(square)
assert near > 0.2
square.location, square.scale = (1e8, 1e8, 0.0), (1e-9, 1e-9, 1e-9)
bpy.context.view_layer.update()
assert abs(covered(square) - near) < 0.02
square.location, square.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
# One line of view: nothing is seen of it.
data = bpy.data.meshes.new("Line")
data.from_pydata([(1e10, 1e10, 0.0)] * 3, [], [(0, 1, 2)])
assert covered(add("Line", data)) is None
# Beyond some triangles the mesh before its modifiers is what is painted.
asset_preview.MOST_TRIANGLES = 50
square.modifiers.new("Fine", "SUBSURF").levels = 6
square.modifiers["Fine"].subdivision_type = "SIMPLE"
square.modifiers.new("Move", "DISPLACE")
painted = []
own = asset_preview.shape_picture

def counted(camera, triangles, *more, **named):
    painted.append(len(triangles))
    return own(camera, triangles, *more, **named)

asset_preview.shape_picture = counted
assert abs(covered(square) - near) < 0.02 and painted == [2]
bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10)
assert covered(bpy.context.object) > 0.0 and painted[1] <= 50
"""
    )


def test_a_group_that_does_something_is_not_made_an_asset(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
sheet = sheet_with_model()
ours.mark_as_asset()
theirs = bpy.data.node_groups["Sheet Model"]
theirs.asset_clear()
move = theirs.nodes.new("GeometryNodeTransform")
theirs.links.new(theirs.nodes["Group Input"].outputs[0], move.inputs["Geometry"])
theirs.links.new(move.outputs[0], theirs.nodes["Group Output"].inputs[0])
ours.mark_as_asset()
assert theirs.asset_data is None
group, = (each for each in bpy.data.node_groups if each.asset_data)
assert [node.bl_idname for node in group.nodes] == ["NodeGroupInput", "NodeGroupOutput"]
"""
    )


def test_author_and_licence_are_those_of_the_model(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import dataclasses
mesh = synthetic.sheet_mesh()
info = dataclasses.replace(synthetic.make_model_info(mesh), author="Grace", licence="CC BY 4.0")
add_hand()
sheet = add_sheet()
(HERE / "signed.safetensors").write_bytes(synthetic.model_bytes(info, synthetic.make_model_tensors(mesh)))
ours.import_model(filepath=str(HERE / "signed.safetensors"))
ours.mark_as_asset()
asset = bpy.data.node_groups["Sheet Model"].asset_data
assert (asset.author, asset.license) == ("Grace", "CC BY 4.0")
"""
    )


def test_a_strangers_asset_is_numbers_or_nothing(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
made_library()
add_hand()
sheet = add_sheet()
whole, ran = model(), HERE / "ran"
for value in (
    b"", whole[:-1], whole[:100], whole + b"0", b"open('ran', 'w')",
    whole.replace(b"subspace_physics", b"x" * 16), "bytes of text", 7, [1, 2, 3], {"model": "x"},
):
    said.clear()
    group = bring(link=False)
    group.pop(packing.PROPERTY)
    group[packing.PROPERTY] = value
    # What nodes of a stranger make of the mesh is not kept, either.
    move = group.nodes.new("GeometryNodeTransform")
    group.links.new(group.nodes["Group Input"].outputs[0], move.inputs["Geometry"])
    group.links.new(move.outputs["Geometry"], group.nodes["Group Output"].inputs[0])
    move.inputs["Translation"].default_value = (9.0, 0.0, 0.0)
    drop(sheet, group)
    drops.play_waiting()
    problem, = said
    assert problem.code in ("model_damaged", "model_method_unknown"), (value, problem)
    assert "Sheet Model" in problem.message, problem.message
    assert kinds(sheet) == [] and is_at_rest(sheet) and not sheet.neural_physics.enabled
    assert not bpy.data.node_groups
assert not ran.exists()
"""
    )


def test_an_asset_that_came_with_the_file_waits_for_the_button(in_blender: Callable[..., str]) -> None:
    """So does one that a script adds, in a Blender without a window."""
    in_blender(
        SCENE
        + """
made_library()
add_hand()
drop(add_sheet(), bring(link=False))
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
sheet = bpy.data.objects["Sheet"]
sheet.data.update_tag()
bpy.context.view_layer.update()
drops.play_waiting()
assert kinds(sheet) == ["Sheet Model"] and is_at_rest(sheet)
bpy.context.view_layer.objects.active = sheet
assert ours.play_asset() == {"FINISHED"}
assert kinds(sheet) == ["Neural Physics"] and sheet.neural_physics.playing
bpy.context.scene.frame_set(9)
assert not is_at_rest(sheet)
assert not ours.play_asset.poll()
try:
    ours.play_asset()
except RuntimeError as error:
    assert "No model asset was dropped on Sheet" in str(error), error

# Another one is noticed, beside one that is left alone.
small = add_sheet("Small", 5)
drop(small, bring(link=False))
bpy.ops.ed.undo_push(message="More")
drops.leave_alone()
drops.play_waiting()
assert kinds(small) == ["Sheet Model"]
drop(small, bring(link=False))
drops.play_waiting()
assert kinds(small) == [] and [problem.code for problem in said] == ["model_other_object"]
"""
    )


# Opens a file as somebody without the extension does.
STRANGER = """
import os, sys
import bpy
import numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "neural_physics")
sheet = bpy.data.objects["Sheet"]
assert [modifier.name for modifier in sheet.modifiers] == ["Sheet Model"]
shown = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
assert [tuple(v.co) for v in shown.vertices] == [tuple(v.co) for v in sheet.data.vertices]
sys.stdout.flush()
os._exit(0)
"""


def test_without_the_extension_it_does_nothing(in_blender: Callable[..., str], tmp_path: Path) -> None:
    in_blender(
        SCENE
        + """
made_library()
drop(add_sheet(), bring(link=False))
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
"""
    )
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, str(tmp_path / "scene.blend")],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_missing_collider_is_said_and_can_be_chosen_afterwards(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
made_library()
imported, dropped = sheet_with_model(), add_sheet("Other Sheet")
bpy.context.view_layer.objects.active = imported
ours.play()
drop(dropped, bring(link=False))
drops.play_waiting()
bpy.context.scene.frame_set(2)
messages = [playback.status_of(obj).problem for obj in (imported, dropped)]
assert [problem.code for problem in messages] == ["interaction_missing"] * 2, messages
line, = dropped.neural_physics.interactions
assert (line.name, line.object) == ("Hand", None)

ball = add_hand()
ball.name = "Ball"
line.object = ball
bpy.context.scene.frame_set(9)
assert playback.status_of(dropped).problem is None
assert np.abs(shown(dropped) - [v.co for v in dropped.data.vertices]).max() > 1e-3
"""
    )
