"""Handing a bake or a training to other computers: what is written, copied, said and refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender, pytest.mark.once]

SCENE = """
import shlex
from pathlib import Path
from types import SimpleNamespace
import drawn_panels
from inside_blender import add_example, few_vertices, ours, part, refused, saved_scene, train_briefly
here = saved_scene()
few_vertices()
sheet = add_example(take_count=2, take_frames=12)
settings = sheet.neural_physics
paths, tasks = part("neural_physics.blender.settings.paths"), part("neural_physics.blender.tasks.submitting")
plans = part("neural_physics.baking.plan")
root = part("neural_physics.blender.settings.own_folders").EXTENSION_ROOT

def submit(kind, **chosen):
    '''What is said of it, and what is copied, which is no more than a word for a Blender without a window.'''
    assert getattr(ours, f"submit_{kind}")(**chosen) == {"FINISHED"}
    made = tasks.submission_of(sheet, {"bake": "bake", "training": "train"}[kind])
    return made.said, made.copied

def drawn(panel):
    part("neural_physics.datasets.status").forget()
    return drawn_panels.drawn(panel, sheet)
"""


def test_a_bake_is_prepared_and_every_engine_gets_its_file_and_its_command(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
# Blender asks twice whether it may: what a panel has seen must not grow old between.
part("neural_physics.datasets.status").LOOK_AGAIN = 1e9
folder = paths.dataset_folder(sheet)
said, copied = submit("bake", engine="FLAMENCO")
job = folder / "farm" / "neural_physics_bake.js"
assert job.name in said and copied == str(folder) and not (folder / "bake").exists(), "its job prepares"
assert job.read_bytes() == (root / "farm" / "flamenco" / job.name).read_bytes()

said, copied = submit("bake", engine="TERMINAL")
assert shlex.split(copied) == ["blender", "-b", "--command", "neural_physics", "work", str(folder)]
assert len(plans.BakePlan.of_dataset(folder).takes) == 2 and not list((folder / "takes").iterdir())
assert part("neural_physics.blender.tasks.object_tasks").running(sheet) == "", "nothing was started"
panel = drawn("bake")
assert said in panel.words and ("neural_physics.submit_bake", None) in panel.buttons
assert ours.copy_submission(kind="bake") == {"FINISHED"}
refused("was submitted", ours.copy_submission, kind="train")

said, copied = submit("bake", engine="SLURM", computers=7)
script = folder / "farm" / "bake.sh"
assert shlex.split(copied) == ["sbatch", "--array=1-7", str(script), str(folder)]
assert script.read_bytes() == (root / "farm" / "slurm" / "bake.sh").read_bytes()

said, copied = submit("bake", engine="OPENJD", computers=3)
template = folder / "farm" / "bake.yaml"
words = ["openjd", "run", str(template), "-p", f"Dataset={folder}", "-p", "Workers=3"]
assert shlex.split(copied) == words and template.is_file()

# What was copied does what it says: this computer is another one, too.
assert part("neural_physics.blender.commands").main(["work", str(folder)]) == 0
refused("All takes of Sheet are baked", ours.submit_bake)
settings.take_count = 3
assert submit("bake", engine="TERMINAL")
bpy.ops.wm.save_mainfile()
bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
assert not tasks._submissions
sheet = bpy.data.objects["Sheet"]
assert ours.delete_dataset() == {"FINISHED"} and not (folder / "farm").exists()
"""
    )


def test_a_training_is_of_the_saved_scene(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
refused("has no takes to learn from", ours.submit_training)
assert ours.bake() == {"FINISHED"}
bpy.ops.wm.save_mainfile()
folder = paths.dataset_folder(sheet)
said, copied = submit("training", engine="TERMINAL")
assert "open the scene again" in said
blender, *words = shlex.split(copied)
where = [bpy.data.filepath, "--command", "neural_physics"]
assert (blender, words[:4]) == ("blender", ["-b", *where])
assert words[4:] == ["train", "--dataset", str(folder), "--object=Sheet"]
said, copied = submit("training", engine="SLURM")
script = folder / "farm" / "train.sh"
assert shlex.split(copied) == ["sbatch", str(script), bpy.data.filepath, str(folder), "blender", "Sheet"]
assert script.read_bytes() == (root / "farm" / "slurm" / "train.sh").read_bytes()
said, copied = submit("training", engine="OPENJD")
openjd, run, template, *parameters = shlex.split(copied)
assert template == str(folder / "farm" / "bake_and_train.yaml") and Path(template).is_file()
given = dict(word.split("=", 1) for word in parameters if word != "-p")
where = {"Scene": bpy.data.filepath, "Dataset": str(folder), "Object": "Sheet"}
assert given == {**where, "Takes": "2", "Preset": settings.preset}
for name in given:  # that the template knows them
    assert f"  - name: {name}" in Path(template).read_text().splitlines()
assert "Sheet" in submit("training", engine="FLAMENCO")[1]
assert said in drawn("train").words or "Manager" in drawn("train").words
unsaved = SimpleNamespace(filepath=bpy.data.filepath, is_dirty=True)
tasks.bpy = SimpleNamespace(data=unsaved, app=SimpleNamespace(background=False))  # as in a window
refused("changes that are not in its file", ours.submit_training)
assert "changes that are not in its file" in drawn("train").words
"""
    )


def test_what_other_computers_could_not_do_is_refused_with_its_reason(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
folder = paths.dataset_folder(sheet)
folder.mkdir(parents=True)
elsewhere = here / "elsewhere"
elsewhere.mkdir()
(folder / "farm").symlink_to(elsewhere)
refused("is a link", ours.submit_bake, engine="SLURM")
assert not list(elsewhere.iterdir())
(folder / "farm").unlink()
(folder / "farm").mkdir()
(folder / "farm" / "bake.sh").symlink_to(elsewhere / "overwritten")
refused("is a link", ours.submit_bake, engine="SLURM")
assert not list(elsewhere.iterdir())

evil = here / "$(touch ran)"
settings.dataset_folder = str(evil)
refused("cannot be pasted", ours.submit_bake, engine="TERMINAL")
settings.dataset_folder = "//../outside"
named = part("neural_physics.blender.settings.named_places")
named._agreed_now.clear()  # as where a stranger's scene names it
(part("neural_physics.blender.settings.own_folders").user_folder() / named.MEMORY).unlink()
refused("outside the folder neural_physics", ours.submit_bake)
settings.dataset_folder = ""
settings.interactions.clear()
refused("nothing to react to", ours.submit_bake)

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
sheet = add_example(take_count=2, take_frames=12)
refused("before its scene has a file", ours.submit_bake)
panel = drawn("bake")
assert "before its scene has a file" in panel.words and "neural_physics.bake" in panel.operators
"""
    )
