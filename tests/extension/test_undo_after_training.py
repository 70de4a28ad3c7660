"""A bake or a training ends by itself: undo takes back what the artist did next, and nothing before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
import sys
from importlib import import_module
from pathlib import Path
sys.path[:0] = [{str(ROOT / "tests")!r}, {str(ROOT)!r}]
import synthetic
mesh = synthetic.sheet_mesh()
data = bpy.data.meshes.new("Sheet")
data.from_pydata(mesh.rest_positions.tolist(), [], mesh.corners.reshape(-1, 4).tolist())
sheet, hand = bpy.data.objects.new("Sheet", data), bpy.data.objects.new("Hand", None)
for each in (sheet, hand):
    bpy.context.scene.collection.objects.link(each)
sheet.modifiers.new("Cloth", "CLOTH")
bpy.context.view_layer.objects.active = sheet
sheet.neural_physics.enabled = True
item = sheet.neural_physics.interactions.add()
item.name, item.object = "Hand", hand
bpy.ops.ed.undo_push(message="set up")
model = synthetic.model_bytes(synthetic.make_model_info(mesh), synthetic.make_model_tensors(mesh))
paths = import_module(MODULE + ".neural_physics.blender.settings.paths")
path = paths.model_path(sheet)
path.parent.mkdir(parents=True, exist_ok=True)
path.write_bytes(model)
def play_and_undo():
    assert bpy.ops.neural_physics.play() == {{"FINISHED"}}
    bpy.ops.ed.undo_push(message="Play")
    bpy.ops.ed.undo()
    sheet = bpy.data.objects["Sheet"]
    bpy.context.view_layer.objects.active = sheet
    assert not sheet.neural_physics.playing
    return sheet
"""


def test_undo_of_play_keeps_the_model_that_training_packed(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
job_results = import_module(MODULE + ".operators.tasks.job_results")
assert job_results.trained(paths.jobs_folder(sheet), {"model": str(path)})
sheet = play_and_undo()
packing = import_module(MODULE + ".neural_physics.blender.playing.packing")
assert packing.packed_bytes(sheet) == model
path.unlink()
assert bpy.ops.neural_physics.play() == {"FINISHED"}
"""
    )


def test_undo_of_play_finds_a_model_that_was_never_packed(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
play_and_undo()
assert bpy.ops.neural_physics.play() == {"FINISHED"}
"""
    )


def test_undo_after_a_bake_leaves_the_object_that_was_baked(in_blender: Callable[..., str]) -> None:
    """The bake is a step of its own: the first undo would take the example away that was added before it."""
    in_blender(
        SCENE
        + """
bpy.ops.ed.undo_push(message="Before")
added = bpy.data.objects.new("Added", None)
bpy.context.scene.collection.objects.link(added)
bpy.ops.ed.undo_push(message="Add Example")
job_results = import_module(MODULE + ".operators.tasks.job_results")
assert job_results.baked(paths.jobs_folder(sheet), {})
bpy.ops.ed.undo()
assert "Added" in bpy.data.objects
bpy.ops.ed.undo()
assert "Added" not in bpy.data.objects
"""
    )


def test_objects_that_name_one_file_share_one_packed_model(in_blender: Callable[..., str]) -> None:
    """A scene may have any number of them, and a model may be large."""
    in_blender(
        SCENE
        + """
job_results = import_module(MODULE + ".operators.tasks.job_results")
folder = paths.dataset_folder(sheet)
sheet.neural_physics.dataset_folder, sheet.neural_physics.model_path = str(folder), str(path)
twins = []
for number in range(3):
    twin = bpy.data.objects.new(f"Twin {number}", data)
    bpy.context.scene.collection.objects.link(twin)
    twin.neural_physics.enabled = True
    twin.neural_physics.dataset_folder, twin.neural_physics.model_path = str(folder), str(path)
    line = twin.neural_physics.interactions.add()
    line.name, line.object = "Hand", hand
    twins.append(twin)
for _ in range(2):
    folders = [paths.jobs_folder(obj) for obj in (sheet, *twins)]
    assert len(set(folders)) == 1, folders
    assert job_results.trained(folders[0], {"model": str(path)})
    packed = [obj.neural_physics.model for obj in (sheet, *twins)]
    assert len(set(packed)) == 1 and None not in packed and len(bpy.data.texts) == 1, packed
    for obj in (sheet, *twins):
        bpy.context.view_layer.objects.active = obj
        assert bpy.ops.neural_physics.play() == {"FINISHED"}
        assert obj.neural_physics.playing
"""
    )


def test_a_duplicate_that_has_become_something_else_keeps_the_model_from_nobody(
    in_blender: Callable[..., str],
) -> None:
    """Whatever it is called, and so whether it is asked first."""
    in_blender(
        SCENE
        + """
job_results = import_module(MODULE + ".operators.tasks.job_results")
folder = paths.dataset_folder(sheet)
sheet.neural_physics.dataset_folder, sheet.neural_physics.model_path = str(folder), str(path)
for name in ("A Backup", "Z Backup"):
    backup = sheet.copy()
    backup.name, backup.data = name, data.copy()
    bpy.context.scene.collection.objects.link(backup)
    backup.data.vertices.add(3)
    curve = bpy.data.objects.new(name + " Curve", bpy.data.curves.new("Curve", "CURVE"))
    bpy.context.scene.collection.objects.link(curve)
    curve.neural_physics.enabled = True
    curve.neural_physics.dataset_folder, curve.neural_physics.model_path = str(folder), str(path)
assert job_results.trained(paths.jobs_folder(sheet), {"model": str(path)})
assert sheet.neural_physics.model is not None
having = [obj.name for obj in bpy.data.objects if obj.neural_physics.model is not None]
assert having == ["Sheet"], having
# Where nobody can take it, that is said.
from_nobody = False
sheet.data.vertices.add(1)
sheet.neural_physics.model = None
try:
    job_results.trained(paths.jobs_folder(sheet), {"model": str(path)})
except Exception as problem:
    from_nobody = problem.code
assert from_nobody in ("model_other_object", "no_mesh"), from_nobody
"""
    )
