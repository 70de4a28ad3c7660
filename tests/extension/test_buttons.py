"""Buttons and panels, in a Blender with the zip installed: what they refuse, ask and say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}, {str(ROOT / "tests" / "play")!r}]
import numpy as np
import play_models, synthetic
from inside_blender import ours, part, refused, saved_scene

def sheet_mesh(name):
    mesh = synthetic.sheet_mesh()
    data = bpy.data.meshes.new(name)
    faces = np.split(mesh.corners, np.cumsum(mesh.face_sizes)[:-1])
    data.from_pydata(mesh.rest_positions.tolist(), [], [face.tolist() for face in faces])
    return data

def add(name, data):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj

def model(seed):
    return play_models.model_file(synthetic.sheet_mesh(), seed=seed)

def activate(obj):
    bpy.context.view_layer.objects.active = obj

HERE = saved_scene()
sheet, hand = add("Sheet", sheet_mesh("Sheet")), add("Hand", None)
sheet.modifiers.new("Cloth", "CLOTH")
activate(sheet)
settings = sheet.neural_physics
(HERE / "first.safetensors").write_bytes(model(1))
(HERE / "second.safetensors").write_bytes(model(2))
"""


def test_models_are_imported_exported_and_unpacked_without_a_loss(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
packing = part("neural_physics.blender.playing.packing")
assert ours.import_model(filepath="//first.safetensors") == {"FINISHED"}
assert packing.packed_bytes(sheet) == model(1)
assert [(i.name, i.object) for i in settings.interactions] == [("Hand", hand)]

ours.export_model(filepath="//shirt.v2")
assert (HERE / "shirt.v2.safetensors").read_bytes() == model(1)
assert not (HERE / "shirt.safetensors").exists()
export = part("operators.share").NEURALPHYSICS_OT_export_model
chosen = SimpleNamespace(filepath="shirt.v2")
assert export.check(chosen, bpy.context) and chosen.filepath == "shirt.v2.safetensors"
assert not export.check(chosen, bpy.context)

settings.model_path = "//second.safetensors"
refused("a different model", ours.unpack)
assert settings.model is not None and (HERE / "second.safetensors").read_bytes() == model(2)
assert ours.unpack(overwrite=True) == {"FINISHED"}
assert settings.model is None and (HERE / "second.safetensors").read_bytes() == model(1)
"""
    )


def test_a_trained_model_arrives_where_it_belongs_or_waits(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
packing, paths = part("neural_physics.blender.playing.packing"), part("neural_physics.blender.settings.paths")
trained = part("operators.tasks.job_results").trained
settings.enabled = True
folder, result = paths.jobs_folder(sheet), {"model": str(HERE / "second.safetensors")}
settings.model_path = "//second.safetensors"  # chosen before the training began
settings.model_path = "//elsewhere.safetensors"  # chosen while the training ran
assert not trained(HERE / "jobs of another scene", result)
bpy.ops.object.mode_set(mode="EDIT")
assert not trained(folder, result) and settings.model is None
bpy.ops.object.mode_set(mode="OBJECT")
assert trained(folder, result)
assert packing.packed_bytes(sheet) == model(2)
"""
    )


def test_playing_is_baked_over_the_scenes_range_beside_the_model(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
commands = part("neural_physics.blender.commands")
ours.import_model(filepath="//first.safetensors")
settings.model_path = "//first.safetensors"
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 3, 12
assert not ours.stop_playing.poll(), "nothing plays"
ours.play()
assert ours.bake_playback() == {"FINISHED"}
assert (HERE / "first_playback.pc2").stat().st_size == 32 + 10 * 12 * len(sheet.data.vertices)
assert ours.stop_playing() == {"FINISHED"}
ours.play()
refused("swap the two", ours.bake_playback, first=9, last=4)
refused("is a folder", ours.bake_playback, filepath=str(HERE), first=1, last=4)
bpy.ops.wm.save_mainfile()
assert commands.main(["play", "--cache", "out.pc2", "--first", "1", "--last", "4"]) == 0
assert sheet.modifiers[0].filepath == "//out.pc2"
lamp = add("Lamp", bpy.data.lights.new("Lamp", "POINT"))
activate(lamp)
assert not ours.stop_playing.poll(), "a light simulates nothing"
"""
    )


def test_the_command_that_trains_packs_its_model_and_saves_the_scene(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
commands, packing = part("neural_physics.blender.commands"), part("neural_physics.blender.playing.packing")
ours.import_model(filepath="//first.safetensors")
settings.model_path = "//second.safetensors"
bpy.ops.wm.save_mainfile()
commands.object_tasks.train_command = lambda obj: []
commands._job = lambda *_: {"validation_error": 0.2, "reason": "all done"}
assert commands.main(["train"]) == 0
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
assert packing.packed_bytes(bpy.data.objects["Sheet"]) == model(2)
"""
    )


def test_the_command_that_plays_fails_where_something_it_reacts_to_is_missing(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
commands = part("neural_physics.blender.commands")
ours.import_model(filepath="//first.safetensors")
bpy.data.objects.remove(hand)
bpy.ops.wm.save_mainfile()
assert commands.main(["play"]) == 1
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
assert not bpy.data.objects["Sheet"].neural_physics.playing
"""
    )


def test_stepped_work_ends_cleanly_when_what_it_works_on_is_gone(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
stepping = part("operators.stepping")

class Work(stepping.SteppedButton):
    bl_label = "Catch Up"
    def __init__(self):
        self.said = []
    def report(self, kind, text):
        self.said.append(text)
    def steps(self, context):
        try:
            yield 1, 2
            hand.location.x = 1.0
            yield 2, 2
        finally:
            hand.location.x = 0.0

context = MagicMock()
work = Work()
work.begin(context)
tick = SimpleNamespace(type="TIMER")
assert work.modal(context, tick) == {"RUNNING_MODAL"}
bpy.data.objects.remove(hand)
assert work.modal(context, tick) == {"CANCELLED"}
assert "has been removed" in work.said[0]
assert context.window_manager.event_timer_remove.call_count == 1

hand = add("Hand", None)
closed = MagicMock()
work = Work()
work.begin(closed)
work.modal(closed, tick)
closed.workspace = None
bpy.data.objects.remove(hand)
work.cancel(closed)
assert closed.window_manager.event_timer_remove.call_count == 1
assert work._steps.gi_frame is None
"""
    )


def test_deleting_a_dataset_asks_with_its_folder_and_who_else_learns_from_it(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
delete = part("operators.tasks.bake").NEURALPHYSICS_OT_delete_dataset
settings.enabled = True
settings.dataset_folder = str(HERE / "takes of mine")

def asked():
    manager = MagicMock()
    class Context:
        window_manager = manager
        def __getattr__(self, name):
            return getattr(bpy.context, name)
    delete.invoke(None, Context(), None)
    return manager.invoke_confirm.call_args.kwargs["message"]

assert asked() == f"0 takes (0 B) in {HERE / 'takes of mine'}", asked()
twin = add("Twin", sheet_mesh("Twin"))
twin.neural_physics.enabled = True
twin.neural_physics.dataset_folder = settings.dataset_folder
assert asked().endswith(", also used by Twin"), asked()
"""
    )


def test_panels_draw_and_every_button_that_cannot_be_clicked_says_why(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
from drawn_panels import all_drawn

def says(words):
    assert words in all_drawn().words, all_drawn().words

all_drawn()
settings.enabled = True
says("Sheet has nothing to react to")
says("Sheet has no model: train one")
ours.import_model(filepath="//first.safetensors")
paths = part("neural_physics.blender.settings.paths")
paths.report_folder(sheet).mkdir(parents=True)
paths.report_path(sheet).touch()
bpy.context.window_manager.neural_physics_steps.train = True  # as the artist would open it
says("has not been evaluated")
assert "newer model" not in all_drawn().words
path = paths.model_path(sheet)
path.write_bytes(model(2))
later = path.stat().st_mtime + 100
import os
os.utime(path, (later, later))
says("There is a newer model than the one in the .blend")
assert ours.pack() == {"FINISHED"}
assert "newer model" not in all_drawn().words
ours.play()
all_drawn()
sheet.data = bpy.data.meshes.new("Other")
says("The mesh of Sheet has no faces")
bpy.context.scene.frame_set(2)
says("do not match the mesh the model was trained on")
"""
    )


def test_panels_draw_and_say_why_where_the_system_lets_nobody_look(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import os
from drawn_panels import all_drawn

settings.enabled = True
settings.interactions.add().object = hand
data = part("neural_physics.datasets.status")
HOME = HERE / "neural_physics"
folder = HOME / "scene" / "Sheet" / "dataset"
folder.mkdir(parents=True)

def says(reason, by_buttons=True):
    data.forget()
    assert reason in all_drawn().words, all_drawn().words
    for button in (ours.bake, ours.train, ours.show_take):
        refused(reason if by_buttons else "neural_physics", button)

(folder / "bake").symlink_to("bake")
says("bake is a link to another location")
(folder / "bake").unlink()
data.forget()
assert "is a link to another location" not in all_drawn().words

settings.dataset_folder = "//neural_physics/" + "a" * 300
says("File name too long", by_buttons=False)  # of which Blender cuts off the end
settings.dataset_folder = ""

stat, lstat, scandir = Path.stat, os.lstat, os.scandir

def ask(of, place, **options):
    if HOME in Path(place).parents:
        raise PermissionError(13, "Permission denied", str(place))
    return of(place, **options)

Path.stat = lambda place, **options: ask(stat, place, **options)
os.lstat = lambda place, **options: ask(lstat, place, **options)
os.scandir = lambda place=".": ask(scandir, place)
says("(Permission denied): c")  # "change its permissions", or "choose another one"
Path.stat, os.lstat, os.scandir = stat, lstat, scandir
"""
    )
