"""Files of a scene that was baked before it was saved: moved beside it by a click, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender, pytest.mark.once]

SCENE = """
import errno, importlib, json, shutil, subprocess, time
from pathlib import Path
from unittest.mock import MagicMock

HERE = Path.cwd()
ours = bpy.ops.neural_physics

def part(name):
    return importlib.import_module(MODULE + "." + name)

paths, host = part("neural_physics.blender.settings.paths"), part("neural_physics.blender.jobs.host")
object_tasks = part("neural_physics.blender.tasks.object_tasks")
UNSAVED = part("neural_physics.blender.settings.own_folders").unsaved_folder()

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.take_count, settings.take_frames = 1, 8

def save(name="scene.blend"):
    bpy.ops.wm.save_as_mainfile(filepath=str(HERE / name))

def takes(folder):
    return part("neural_physics.datasets.takes").Dataset.open(folder).take_names()

def contents(folder):
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

def refused(words):
    '''The move is refused with these words, and has moved nothing.'''
    before = contents(ROOT)
    try:
        ours.move_files()
    except RuntimeError as error:
        assert words in str(error), error
    else:
        raise AssertionError("it was not refused")
    assert contents(ROOT) == before and Path(settings.dataset_folder).is_relative_to(UNSAVED)

class Window:
    region = MagicMock(width=300)
    preferences = MagicMock()
    preferences.system.ui_scale = 1.0

    def __getattr__(self, name):
        return getattr(bpy.context, name)

def offered():
    layout = MagicMock()
    for name in ("column", "row"):
        getattr(layout, name).return_value = layout
    kind = bpy.types.NEURALPHYSICS_PT_bake
    helpers = {name: value for name, value in vars(kind).items() if name.startswith("_draw_")}
    kind.draw_for(type("Drawn", (), helpers)(), layout, Window(), sheet)
    return any(call.args[0] == "neural_physics.move_files" for call in layout.operator.call_args_list)
"""
BAKED = (
    SCENE
    + """
assert ours.bake() == {"FINISHED"}
ROOT = Path(settings.dataset_folder).parent
assert ROOT.parent == UNSAVED
"""
)


def test_files_are_moved_by_a_click_after_saving_and_everything_finds_them(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        BAKED
        + """
assert not offered() and not ours.move_files.poll(), "the scene has no file yet"
(ROOT / "model.safetensors").write_bytes(b"a model")
ours.show_take()
copy = next(obj for obj in bpy.data.objects if "take_000" in obj.name and obj.modifiers)
twin = bpy.data.objects.new("Twin", None)
bpy.context.scene.collection.objects.link(twin)
twin.neural_physics.model_path = settings.model_path
before = contents(ROOT)
save()
assert offered() and ROOT.is_dir() and not (HERE / "neural_physics").exists(), "nothing moves unasked"
assert takes(paths.dataset_folder(sheet)) == ["take_000"]

bpy.context.view_layer.objects.active = sheet
assert ours.move_files() == {"FINISHED"}
home = HERE / "neural_physics" / "scene" / "Sheet"
assert not ROOT.exists() and contents(home) == before
assert settings.dataset_folder == "//neural_physics/scene/Sheet/dataset"
assert settings.model_path == "//neural_physics/scene/Sheet/model.safetensors"
assert settings.model_path == twin.neural_physics.model_path
assert paths.dataset_folder(sheet) == home / "dataset"
assert paths.model_path(sheet) == home / "model.safetensors"
assert Path(bpy.path.abspath(copy.modifiers[0].filepath)) == home / "dataset/takes/take_000/positions.pc2"
assert not offered() and not ours.move_files.poll()
settings.take_count = 2
assert ours.bake() == {"FINISHED"} and takes(home / "dataset") == ["take_000", "take_001"]
"""
    )


def test_what_is_there_already_is_left_alone_and_another_disk_is_copied_to(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        BAKED
        + """
from unittest.mock import patch
save()
home = HERE / "neural_physics" / "scene" / "Sheet"
home.mkdir(parents=True)
(home / "mine.txt").write_text("mine")
(HERE / "elsewhere.txt").write_text("not to be copied")
(ROOT / "link.txt").symlink_to(HERE / "elsewhere.txt")
before, rename = contents(ROOT), Path.rename

def over_disks(path, to):
    if path == ROOT:
        raise OSError(errno.EXDEV, "Invalid cross-device link")
    return rename(path, to)

with patch.object(Path, "rename", over_disks):
    with patch.object(shutil, "disk_usage", lambda path: MagicMock(free=10)):
        refused("disk of")
    def fails(folder, to, **more):
        to.mkdir()
        raise OSError(errno.EIO, "Input/output error")
    with patch.object(part("neural_physics.blender.tasks.moving_files"), "copy_whole_folder", fails):
        refused("cannot be written to")
    assert [path.name for path in (HERE / "neural_physics" / "scene").iterdir()] == ["Sheet"]
    assert ours.move_files() == {"FINISHED"}
moved = HERE / "neural_physics" / "scene" / "Sheet 2"
assert contents(moved) == before and not ROOT.exists()
assert (moved / "link.txt").is_symlink() and (HERE / "elsewhere.txt").read_text() == "not to be copied"
assert contents(home) == {"mine.txt": b"mine"}
assert settings.dataset_folder == "//neural_physics/scene/Sheet 2/dataset"
"""
    )


def test_what_works_there_is_waited_for(in_blender: Callable[..., str]) -> None:
    in_blender(
        BAKED
        + """
save()
wait = [sys.executable, "-c", "import time; time.sleep(60)"]
host.start(paths.jobs_folder(sheet), "train", wait, "Sheet")
refused("busy with its training")
for _ in range(2):
    host.stop(paths.jobs_folder(sheet), "train")
while host.state_of(paths.jobs_folder(sheet), "train").active:
    time.sleep(0.1)

bake = ROOT / "dataset" / "bake"
bake.mkdir()
process = part("neural_physics.jobs.process")
outlived = process.JobProcess(process.JobFiles(bake, "take_001"))  # a worker of another Blender's bake
outlived.start(wait, dict(os.environ))
refused("busy with its bake")
outlived.stop()
outlived.stop()
while outlived.state.active:
    outlived.poll()
    time.sleep(0.1)
assert ours.move_files() == {"FINISHED"}
assert host.state_of(paths.jobs_folder(sheet), "bake").phase == "finished"
"""
    )


def test_links_are_not_followed(in_blender: Callable[..., str]) -> None:
    in_blender(
        BAKED
        + """
save()
away = HERE.with_name(HERE.name + " away")
away.mkdir()
(HERE / "neural_physics").symlink_to(away)
refused("outside the folder neural_physics")
assert not list(away.iterdir())
(HERE / "neural_physics").unlink()

real = ROOT.with_name("real")
ROOT.rename(real)
ROOT.symlink_to(real)
refused("outside the folder neural_physics")
ROOT.unlink()
outside = HERE.with_name(HERE.name + " outside")
real.rename(outside)
ROOT.symlink_to(outside)
assert not ours.move_files.poll() and (outside / "dataset" / "dataset.json").is_file()
settings.dataset_folder = settings.model_path = "//mine/dataset"
assert not ours.move_files.poll(), "only what scenes without a file have left is moved"
ROOT.unlink()
"""
    )


@pytest.mark.slow
def test_a_bake_that_was_stopped_goes_on_after_the_move(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
settings.take_frames = 120
argv = object_tasks.bake_command(bpy.context.scene, sheet)
ROOT = Path(settings.dataset_folder).parent
positions = ROOT / "dataset" / "bake" / "take_000" / "1" / "takes" / "take_000" / "positions.pc2"
bake = subprocess.Popen([*argv, "--stop-file", str(HERE / "stop")], stdout=subprocess.DEVNULL)
while not positions.is_file() or positions.stat().st_size < 32 + 12 * 12 * len(sheet.data.vertices):
    assert bake.poll() is None
    time.sleep(0.01)
(HERE / "stop").touch()
bake.wait()
kept = (ROOT / "dataset" / "takes" / "take_000" / "positions.pc2").read_bytes()[32:]
assert len(kept) < 120 * 12 * len(sheet.data.vertices), "it was stopped too late"
save()
assert ours.move_files() == {"FINISHED"}
assert ours.bake() == {"FINISHED"}
moved = paths.dataset_folder(sheet) / "takes" / "take_000"
assert (moved / "positions.pc2").read_bytes()[32:].startswith(kept)
about = json.loads((moved / "take.json").read_text())
assert about["complete"] and about["frames"] == 120 and not about["excluded"]
assert not ROOT.exists()
"""
    )
