"""Somebody else's scene or dataset runs no code, and has nothing written but where the artist agreed to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from whole_ways import NEEDS_TORCH, TRAINING_PYTHON

pytestmark = pytest.mark.blender

# Modules that any Python program imports sooner or later, or that are run by name.
TRAPS = """
from pathlib import Path
import importlib, json
sys.path = [entry for entry in sys.path if entry]  # this program is not the one that is to be tested
HERE = Path.cwd()
RAN = HERE / "ran"
TRAP = f"open({str(RAN)!r}, 'a').write(__file__ + chr(10))\\n"

def part(name):
    return importlib.import_module(MODULE + "." + name)

def plant(folder):
    '''Everything that a stranger could put into a folder to be loaded as code.'''
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("numpy", "json", "argparse", "sitecustomize", "usercustomize", "torch", "safetensors"):
        (folder / f"{name}.py").write_text(TRAP)
    for name in ("ml_backend", "neural_physics"):
        for place in (folder / name, folder / name / "blender"):
            place.mkdir(exist_ok=True)
            for module in ("__init__", "__main__", "environment_check", "environment_create", "errors"):
                (place / f"{module}.py").write_text(TRAP)
    (folder / "matplotlibrc").write_text("backend: module://json\\n")
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\\n")

def plant_all(scene):
    data = scene / "neural_physics" / "scene" / "Sheet" / "dataset"
    for folder in (HERE, scene, data, data / "jobs", data / "bake", data / "takes", data / "jobs" / "traps"):
        plant(folder)
    plan = {"object": "Sheet", "scene": "Scene", "view_layer": "ViewLayer", "takes": []}
    (data / "bake" / "bake.json").write_text(json.dumps(plan))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), str(data / "jobs"), ""])
    os.environ["PYTHONSTARTUP"] = str(HERE / "json.py")
    os.environ["PYTHONHOME"] = str(HERE)
    return data

def ran():
    return RAN.read_text() if RAN.exists() else ""

scene = HERE / "project"
scene.mkdir()
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(scene / "scene.blend"))
"""

JOBS = (
    TRAPS
    + """
bpy.ops.neural_physics.add_example(name="EXAMPLE")
sheet = bpy.context.active_object
sheet.name = "Sheet"
settings = sheet.neural_physics
settings.take_count, settings.take_frames, settings.parallel_takes = 2, 4, 1
bpy.ops.wm.save_mainfile()
data = plant_all(scene)
jobs, tasks = part("neural_physics.blender.jobs.host"), part("neural_physics.blender.tasks.object_tasks")
paths = part("neural_physics.blender.settings.paths")

try:
    bpy.ops.neural_physics.bake()
except RuntimeError as error:
    assert "was not made by Neural Physics" in str(error), error
else:
    raise AssertionError("it was baked in a folder with other files")
assert not ran(), ran()
# As if they had come there after that was looked at.
part("neural_physics.blender.baking.preparing").check_made_by_bakes = lambda folder: None
assert bpy.ops.neural_physics.bake() == {"FINISHED"}
assert not ran(), ran()
assert (data / "takes" / "take_001" / "take.json").is_file()
"""
)


@pytest.mark.slow
@NEEDS_TORCH
def test_no_job_loads_code_from_a_dataset_the_scene_or_the_environment(installed: Callable[..., str]) -> None:
    installed(
        JOBS.replace("EXAMPLE", "BALL_AND_SHEET")
        + """
import shutil
tasks.check_train = lambda obj: None  # the panel refuses takes that are too short before any job runs
state = jobs.run_blocking(paths.jobs_folder(sheet), tasks.TRAIN, tasks.train_command(sheet))
assert state.code == "dataset_too_short", (state.code, state.message, state.log)
assert not ran(), ran()

# A model that does not fit is read and refused, by the program that was to run.
where = paths.model_path(sheet)
where.parent.mkdir(parents=True, exist_ok=True)
where.write_bytes(b"nothing")
state = jobs.run_blocking(paths.jobs_folder(sheet), tasks.EVALUATE, tasks.evaluate_command(sheet))
assert state.code == "model_damaged", (state.code, state.message, state.log)
assert not ran(), ran()

environment = part("neural_physics.blender.jobs.training_environment")
state = jobs.run_blocking(environment.jobs_folder(), environment.CHECK, environment.check_command())
assert state.phase == "finished", state
part("neural_physics.jobs.environment").ROOM_NEEDED = 0
state = jobs.run_blocking(
    environment.jobs_folder(), environment.CREATE, environment.create_command("--no-index --no-such-option"))
assert state.code in ("environment_failed", "environment_no_room"), state
assert not ran(), ran()

cache = HERE / "walk.pc2"
shutil.copy(data / "takes" / "take_000" / "positions.pc2", cache)
shutil.copy(data / "takes" / "take_000" / "interaction.npy", HERE / "walk.npy")
assert bpy.ops.neural_physics.import_take(filepath=str(cache)) == {"FINISHED"}
assert not ran(), ran()
""",
        timeout=300,
        NEURAL_PHYSICS_PYTHON=str(TRAINING_PYTHON),
    )


@pytest.mark.slow
@pytest.mark.once  # the solver's Python is the same
@NEEDS_TORCH
def test_no_bake_of_the_solver_loads_code_from_a_dataset(installed: Callable[..., str]) -> None:
    installed(JOBS.replace("EXAMPLE", "CANTILEVER"), timeout=300, NEURAL_PHYSICS_PYTHON=str(TRAINING_PYTHON))


@pytest.mark.parametrize("named", ["//python", "python", "./python"])
def test_the_python_that_trains_is_not_looked_for_beside_the_scene(
    installed: Callable[..., str], named: str
) -> None:
    installed(
        TRAPS
        + f"""
for folder in (HERE, scene):
    (folder / "python").write_text("#!/bin/sh\\n" + "touch " + str(RAN) + "\\n")
    (folder / "python").chmod(0o755)
bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
bpy.context.preferences.addons[MODULE].preferences.training_python = {named!r}
environment, errors = part("neural_physics.blender.jobs.training_environment"), part("neural_physics.errors")
for ask in (environment.check_python, environment.working_python, environment.check_command):
    try:
        ask()
    except errors.Problem as problem:
        assert problem.code == "training_python_relative", problem
    else:
        raise AssertionError("it was taken")
assert not ran()
"""
    )


STRANGER = """
import importlib
from pathlib import Path
from unittest.mock import MagicMock, patch
sys.path[:0] = [ROOT, ROOT + "/tests", ROOT + "/tests/play"]
import numpy as np
import play_models, synthetic

HERE = Path.cwd()
HOME = HERE / "home"
SCENE = HOME / "downloads" / "scene"

def part(name):
    return importlib.import_module(MODULE + "." + name)

packing, paths = part("neural_physics.blender.playing.packing"), part("neural_physics.blender.settings.paths")
properties, errors = part("neural_physics.blender.settings.properties"), part("neural_physics.errors")
MODEL = play_models.model_file(synthetic.sheet_mesh(), seed=1)

def make(model_path, dataset="", data=MODEL, folder=SCENE):
    '''The scene as a stranger sends it, opened: no file that is opened was agreed to.'''
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    mesh, shape = synthetic.sheet_mesh(), bpy.data.meshes.new("Sheet")
    faces = np.split(mesh.corners, np.cumsum(mesh.face_sizes)[:-1])
    shape.from_pydata(mesh.rest_positions.tolist(), [], [face.tolist() for face in faces])
    sheet, hand = bpy.data.objects.new("Sheet", shape), bpy.data.objects.new("Hand", None)
    for obj in (sheet, hand):
        bpy.context.scene.collection.objects.link(obj)
    sheet.modifiers.new("Cloth", "CLOTH")
    settings = sheet.neural_physics
    settings.enabled = True
    packing.pack(sheet, MODEL)
    settings.model.pop(packing.PROPERTY)
    settings.model[packing.PROPERTY] = data
    with patch.object(properties, "agree", create=True):
        settings.model_path, settings.dataset_folder = str(model_path), str(dataset)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "scene.blend"))
    sheet = bpy.data.objects["Sheet"]
    bpy.context.view_layer.objects.active = sheet
    return sheet

def refused(operator, **options):
    try:
        done = operator(**options)
    except RuntimeError as error:
        return str(error)
    raise AssertionError(f"it was not refused, but {done}")

def files():
    return {str(path): path.read_bytes() for path in HOME.rglob("*") if path.is_file()}

class Window:
    region = MagicMock(width=300)
    preferences = MagicMock()
    preferences.system.ui_scale = 1.0

    def __getattr__(self, name):
        return getattr(bpy.context, name)

def draw_all():
    '''Draw every panel as Blender would.'''
    for kind in bpy.types.Panel.__subclasses__():
        if kind.__name__.startswith("NEURALPHYSICS_PT") and hasattr(kind, "draw_for"):
            drawn = MagicMock(layout=MagicMock())
            drawn.on_disk = kind.on_disk
            drawn.layout.panel_prop.return_value = drawn.layout, drawn.layout
            drawn.draw_for.side_effect = lambda *a, kind=kind, drawn=drawn: kind.draw_for(drawn, *a)
            kind.draw(drawn, Window())

ours = bpy.ops.neural_physics
"""
SCENE = f"ROOT = {str(Path(__file__).resolve().parents[2])!r}\n" + STRANGER


def test_unpack_writes_nothing_but_models_and_nowhere_but_below_the_scene(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
startup = HOME / ".config" / "blender" / "4.5" / "scripts" / "startup"
CODE = b"open('ran', 'w')"
for path, data, folder, reason in [
    ("//../../.config/blender/4.5/scripts/startup/model.py", CODE, SCENE, "outside the folder"),
    ("//../../.config/blender/4.5/scripts/startup/model.safetensors", MODEL, SCENE, "outside the folder"),
    (startup / "model.safetensors", MODEL, SCENE, "outside the folder"),
    ("//.config/blender/4.5/scripts/startup/model.safetensors", MODEL, HOME, "outside the folder"),
    ("//sub/../../other/model.safetensors", MODEL, SCENE, "outside the folder"),
    ("//neural_physics/model.py", MODEL, SCENE, "does not end in .safetensors"),
    ("//neural_physics/model.safetensors.py", MODEL, SCENE, "does not end in .safetensors"),
    ("//neural_physics/model", MODEL, SCENE, "does not end in .safetensors"),
    ("//neural_physics/model.safetensors", CODE, SCENE, "cannot be read"),
    ("//neural_physics/model.safetensors", MODEL[:-1], SCENE, "cannot be read"),
    ("relative.safetensors", MODEL, SCENE, "outside the folder"),
    ("//assets/hero.safetensors", MODEL, SCENE, "outside the folder"),  # the artist's own, perhaps
]:
    sheet = make(path, data=data, folder=folder)
    startup.mkdir(parents=True, exist_ok=True)
    before = files()
    for overwrite in (False, True):
        said = refused(ours.unpack, overwrite=overwrite)
        assert reason in said and len(said.strip().splitlines()) == 1, (path, said)
    try:
        packing.file_of(sheet)  # what Evaluate writes for other programs
    except errors.Problem:
        pass
    else:
        raise AssertionError(path)
    draw_all()
    assert files() == before, (path, files().keys() - before.keys())
    assert not ours.pack.poll() and not ours.train.poll() and not ours.evaluate.poll()

sheet = make("//neural_physics/model.safetensors")
assert ours.unpack() == {"FINISHED"}
assert (SCENE / "neural_physics" / "model.safetensors").read_bytes() == MODEL
"""
    )


def test_nothing_is_written_through_a_link(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
victim, folder = HOME / "diary.txt", HOME / "photos"
folder.mkdir(parents=True, exist_ok=True)
victim.write_text("dear diary")
OWN = SCENE / "neural_physics"
OWN.mkdir(parents=True)

# A folder on the way to the model is a link.
(OWN / "models").symlink_to(folder)
sheet = make("//neural_physics/models/model.safetensors")
assert "outside the folder" in refused(ours.unpack)

# The model is a link, or the file it is written to first is one.
sheet = make("//neural_physics/model.safetensors")
(OWN / "model.safetensors").symlink_to(victim)
assert refused(ours.unpack, overwrite=True)
(OWN / "model.safetensors").unlink()
(OWN / "model.safetensors.new").symlink_to(victim)
assert ours.unpack(overwrite=True) == {"FINISHED"}
assert (OWN / "model.safetensors").read_bytes() == MODEL

# What lies beside the model, and the jobs of the dataset.
sheet = make("//neural_physics/model.safetensors", "//neural_physics/dataset")
named = {
    paths.playback_path: "model_playback.pc2", paths.best_so_far_path: "model.partial.safetensors",
    paths.checkpoint_path: "model.safetensors.training", paths.report_path: "report.html",
    paths.jobs_folder: "dataset/jobs",
}
(OWN / "dataset").mkdir()
for function, name in named.items():
    (OWN / name).symlink_to(folder if "." not in name or name.endswith("training") else victim)
    try:
        function(sheet)
    except errors.Problem as problem:
        assert problem.code == "place_is_link", (name, problem)
    else:
        raise AssertionError(name)
    draw_all()
    (OWN / name).unlink()
process = part("neural_physics.jobs.process")
logs = OWN / "dataset" / "jobs"
logs.mkdir()
(logs / "train.jsonl").symlink_to(victim)
try:
    part("neural_physics.blender.jobs.host").start(logs, "train", [sys.executable, "-c", "print(1)"])
except errors.Problem as problem:
    assert problem.code == "place_is_link", problem
else:
    raise AssertionError("written through a link")
assert victim.read_text() == "dear diary" and not any(folder.iterdir())
"""
    )


def test_a_scene_that_keeps_its_files_elsewhere_is_asked_about_once(
    installed: Callable[..., str], tmp_path: Path
) -> None:
    first = """
other = HOME / "studio"
sheet = make(other / "model.safetensors", other / "dataset")
dataset_status = part("neural_physics.datasets.status")
looked = []
dataset_status._stamp = lambda path: looked.append(path) or ()
draw_all()
assert not looked, "a place that was not agreed to was looked at"
for button in (ours.bake, ours.train, ours.evaluate, ours.unpack, ours.delete_dataset, ours.pack):
    assert not button.poll()
assert "click Allow" in refused(ours.unpack)

# What another button writes down about the object's files is no agreement to those that the scene names.
part("neural_physics.blender.settings.paths").keep_together(sheet)
for button in (ours.bake, ours.train, ours.evaluate, ours.unpack):
    assert not button.poll()
assert ours.allow_places.poll()

# What is packed plays all the same.
assert ours.play() == {"FINISHED"}
bpy.context.scene.frame_set(5)
assert part("neural_physics.blender.playing.playback").status_of(sheet).problem is None

assert ours.allow_places.poll() and ours.allow_places() == {"FINISHED"}
assert not ours.allow_places.poll()
assert ours.unpack() == {"FINISHED"}
assert (other / "model.safetensors").read_bytes() == MODEL
draw_all()
assert looked
"""
    installed(SCENE + first)
    again = """
other = HOME / "studio"
sheet = make(other / "model.safetensors", other / "dataset")
assert ours.unpack.poll(), "what was allowed is remembered"
for name in ("studio/other.safetensors", "model.safetensors", "studio/dataset/model.safetensors"):
    make(HOME / name)
    assert not ours.unpack.poll(), "one place was allowed, and no other"

# What the artist types or chooses is agreed to by that.
sheet = make(HOME / "mine.safetensors")
sheet.neural_physics.model_path = str(HOME / "chosen.safetensors")
assert ours.unpack() == {"FINISHED"} and (HOME / "chosen.safetensors").is_file()
"""
    installed(SCENE + again)
    somebody_else = """
make(HOME / "studio" / "model.safetensors")
assert not ours.unpack.poll(), "another user has not agreed"
"""
    installed(SCENE + somebody_else, BLENDER_USER_RESOURCES=str(tmp_path / "other_user"))
    moved = """
(HOME / "studio").rename(HOME / "moved")
(HOME / "studio").symlink_to(HOME / "moved")
make(HOME / "studio" / "model.safetensors")
assert not ours.unpack.poll(), "what was allowed is another place now"
"""
    installed(SCENE + moved)


def test_a_folder_beside_the_scene_that_is_a_link_is_not_agreed_to_by_another_button(
    installed: Callable[..., str],
) -> None:
    installed(
        SCENE
        + """
other = HOME / "film"
sheet = make(HOME / "m.safetensors")
home = Path(bpy.data.filepath).parent / "neural_physics"
(other / "Sheet" / "dataset").mkdir(parents=True)
home.mkdir(exist_ok=True)
paths = part("neural_physics.blender.settings.paths")
paths.home_folder(sheet).parent.parent.mkdir(parents=True, exist_ok=True)
paths.home_folder(sheet).parent.symlink_to(other)
sheet.neural_physics.dataset_folder = ""
try:
    paths.keep_together(sheet)
except Exception as error:
    assert error.code == "place_elsewhere", error
else:
    raise AssertionError("it was agreed to")
assert not sheet.neural_physics.dataset_folder
assert part("neural_physics.blender.settings.paths").places_to_allow(sheet)
"""
    )


def test_a_log_that_came_with_the_scene_brings_in_no_model_from_elsewhere(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
trained = part("operators.tasks.job_results").trained
elsewhere = HOME / "secret.safetensors"
HOME.mkdir()
elsewhere.write_bytes(play_models.model_file(synthetic.sheet_mesh(), seed=2))
sheet = make("//model.safetensors", "//dataset")
try:
    trained(paths.jobs_folder(sheet), {"model": str(elsewhere)})
except errors.Problem as problem:
    assert problem.code == "place_elsewhere", problem
else:
    raise AssertionError("it was taken")
assert packing.packed_bytes(sheet) == MODEL
"""
    )


def test_a_log_is_opened_as_a_copy_that_is_a_text_whatever_it_is(installed: Callable[..., str]) -> None:
    installed(
        SCENE
        + """
support, folders = part("operators.support"), part("neural_physics.blender.settings.own_folders")
opened = []
support.open_file = opened.append
program = HERE / "train.desktop"
program.write_bytes(b"[Desktop Entry]\\nExec=touch ran\\n")
support.open_as_text(program)
copy, = opened
assert copy.suffix == ".txt" and copy.is_relative_to(folders.scratch_folder())
assert copy.read_bytes() == program.read_bytes() and not copy.stat().st_mode & 0o111

(HERE / "link").symlink_to(program)
os.mkfifo(HERE / "pipe")
with (HERE / "huge").open("wb") as huge:
    huge.truncate(support.LARGEST_TEXT + 1)
for name, code in (("link", "place_is_link"), ("pipe", "file_missing"), ("huge", "file_missing")):
    try:
        support.open_as_text(HERE / name)
        raise AssertionError(f"{name} was opened")
    except part("neural_physics.errors").Problem as problem:
        assert problem.code == code, (name, problem.code)
assert opened == [copy]
"""
    )


def test_whatever_the_log_of_an_evaluation_says_its_panel_is_drawn(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
import json
from drawn_panels import drawn
from inside_blender import add_example, part, saved_scene
saved_scene()
sheet = add_example()
host = part("neural_physics.blender.jobs.host")
logs = part("neural_physics.blender.settings.paths").jobs_folder(sheet)
logs.mkdir(parents=True)
about = {"pid": 1, "host": "x", "argv": [], "delivered": True}
(logs / "evaluate.json").write_text(json.dumps(about))
for said in ("0.1", [1], {"a": 1}, True, None, 1e308, 10**400):
    result = {"event": "result", "verdict": said, "grade": said, "detail": said, "rollout_error": said}
    (logs / "evaluate.jsonl").write_text(json.dumps(result | {"mean_error": 0.25}))
    host.let_go(logs)
    panel = drawn("evaluate", sheet)
    assert "A shape that stands still: 0.25" in panel.words and "Error of" not in panel.words, said
"""
    )
