"""The commands: one sentence and a status other than 0 for everything that cannot be done."""

from __future__ import annotations

import re
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

COMMANDS = """
import contextlib, importlib, io
main = importlib.import_module(MODULE + ".neural_physics.blender.commands").main

def run(*words):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = main(words)
    return status, said.getvalue().strip()

def refused(status, part, *words):
    found, said = run(*words)
    assert found == status, (found, said)
    assert part in said and "Traceback" not in said and len(said.splitlines()) == 1, said
"""
EXAMPLE = """
from pathlib import Path
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
bpy.ops.wm.save_as_mainfile(filepath=str(Path("scene.blend").absolute()))
"""


def test_a_wrong_command_line_ends_with_2_and_a_sentence(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + """
refused(2, "required", )
refused(2, "invalid choice: 'cook'", "cook")
refused(2, "--speed", "bake", "--speed", "9")
refused(2, "'many'", "bake", "--takes", "many")
refused(2, "0 is not between 1 and 1000", "bake", "--takes", "0")
refused(2, "5000 is not between 1 and 1000", "bake", "--takes", "5000")
refused(2, "invalid choice", "train", "--preset", "perfect")
"""
    )


def test_a_scene_that_could_not_be_opened_ends_with_1(in_blender: Callable[..., str]) -> None:
    in_blender(COMMANDS + 'refused(1, "No scene is open", "bake")')


def test_what_cannot_be_done_ends_with_1_and_its_reason(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
refused(1, "There is no object “Curtain”", "bake", "--object", "Curtain")
refused(1, "Sheet has no takes", "train")
refused(1, "no dataset in /nowhere", "train", "--dataset", "/nowhere")
bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
refused(1, "has no model", "play")
refused(1, "does not exist", "play", "--model", "nowhere.safetensors")
refused(1, "Ball", "setup", "--object", "Ball")
""",
        NEURAL_PHYSICS_PYTHON="/nowhere/python",
    )


def test_where_nothing_is_set_up_the_way_there_is_said(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
sheet = bpy.data.objects["Sheet"]
sheet.neural_physics.interactions.clear()
sheet.neural_physics.enabled = False
refused(1, "setup --object NAME", "bake")
bpy.data.objects.remove(bpy.data.objects["Ball"])
bpy.ops.wm.save_mainfile()
out = io.StringIO()
with contextlib.redirect_stdout(out):
    assert run("setup", "--object", "Sheet") == (0, "")
assert "add a collider" in out.getvalue(), out.getvalue()
"""
    )


def test_a_bake_saves_where_its_takes_are_and_says_what_is_left_out(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
bpy.data.objects["Sheet"].neural_physics.interactions[0].motion = "KEEP"
bpy.ops.wm.save_mainfile()
out = io.StringIO()
with contextlib.redirect_stdout(out):
    assert run("bake", "--takes", "2", "--frames", "20") == (0, "")
said = out.getvalue()
assert "Only one take is baked" in said and "0 of them left out" in said, said
bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
settings = bpy.data.objects["Sheet"].neural_physics
assert settings.dataset_folder == "//neural_physics/scene/Sheet/dataset", settings.dataset_folder
assert settings.take_count == 2

commands = importlib.import_module(MODULE + ".neural_physics.blender.commands")
def saved_meanwhile(*_):
    import os
    os.utime(bpy.data.filepath, (1, 1))
    return {"takes": 1, "frames": 20, "excluded": 0, "dataset": "."}
commands._job = saved_meanwhile
refused(1, "saved by someone else", "bake")
"""
    )


def test_a_bake_that_was_prepared_is_worked_on_from_its_folder_alone(in_blender: Callable[..., str]) -> None:
    """As on another computer: no scene is open, and the folder has moved since."""
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
import shutil

def told(*words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        found = run(*words)
    assert found == (0, ""), (words, found)
    return [line for line in out.getvalue().splitlines() if not line.startswith("Info: ")]  # of Blender

def of_dataset(command, *words):
    return told(command, str(share), *words)

share = Path("neural_physics/scene/Sheet/dataset").absolute()
said = told("prepare", "--takes", "3", "--frames", "12")
assert "run work with this folder" in said[-1], said
share = share.rename(Path("elsewhere").absolute())
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
assert of_dataset("progress")[-1] == "0 of 3 takes, 0 of 36 frames"
refused(1, "has no take take_007", "work", str(share), "--take", "take_007")
assert of_dataset("work", "--take", "take_001")[-1].startswith("1 takes, 12 frames")
progress = of_dataset("progress")
assert progress[1] == "take_001: complete, 12 of 12 frames", progress
assert of_dataset("work", "--at-once", "2")[-1].startswith("3 takes, 36 frames")
assert not (share / "bake").exists()
for command in ("work", "progress", "finish"):  # closed already: a farm may start them late
    assert of_dataset(command)[-1].startswith("3 takes, 36 frames")
for take in (share / "takes").iterdir():
    shutil.rmtree(take)
refused(1, "Nothing waits to be baked", "work", str(share))
"""
    )


def test_takes_that_were_begun_end_with_the_frames_that_they_have(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
share = Path("neural_physics/scene/Sheet/dataset").absolute()
assert run("prepare", "--takes", "2", "--frames", "400") == (0, "")
datasets = MODULE + ".neural_physics.datasets."
Dataset = importlib.import_module(datasets + "takes").Dataset
TakeInfo = importlib.import_module(datasets + "dataset_info").TakeInfo
dataset = Dataset.open(share)
positions, size = dataset.mesh.rest_positions, dataset.info.channels.size
with dataset.writer("take_000", TakeInfo(400)) as writer:
    for frame in range(9):
        writer.append(positions, [float(frame)] * size)
assert run("finish", str(share)) == (0, "")
take = Dataset.open(share).outline("take_000")
assert take.info.complete and (take.frame_count, take.info.frames) == (9, 9), take
assert Dataset.open(share).take_names() == ["take_000"] and not (share / "bake").exists()
"""
    )


def test_a_failing_job_reports_its_error_once_and_only_on_stderr(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
bpy.data.objects["Sheet"].modifiers.new("Subsurf", "SUBSURF")
bpy.data.objects["Sheet"].modifiers.move(1, 0)
bpy.ops.wm.save_mainfile()
out = io.StringIO()
with contextlib.redirect_stdout(out):
    refused(1, "modifiers before the physics", "bake", "--takes", "1", "--frames", "5")
assert "modifiers before" not in out.getvalue(), out.getvalue()
"""
    )


def test_set_up_finds_what_the_cloth_reacts_to_and_saves(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
sheet = bpy.data.objects["Sheet"]
sheet.neural_physics.interactions.clear()
sheet.neural_physics.enabled = False
assert run("setup", "--object", "Sheet", "--save", "other.blend") == (0, "")
bpy.ops.wm.open_mainfile(filepath=str(Path("other.blend").absolute()))
found = bpy.data.objects["Sheet"].neural_physics.interactions
assert [item.object.name for item in found] == ["Ball"], list(found.keys())
low, high = found[0].box_low, found[0].box_high
assert all(a <= b <= c for a, b, c in zip(low, bpy.data.objects["Ball"].location, high))
"""
    )


def test_a_point_cache_of_another_program_becomes_a_take(in_blender: Callable[..., str]) -> None:
    in_blender(
        COMMANDS
        + EXAMPLE
        + """
import numpy as np
point_caches = importlib.import_module(MODULE + ".neural_physics.datasets.point_caches")
sheet = bpy.data.objects["Sheet"]
rest = np.array([v.co[:] for v in sheet.data.vertices], np.float32)
positions = rest + 0.01 * np.arange(80, dtype=np.float32)[:, None, None]
positions[60:] *= 1e4
point_caches.write_pc2(Path("other.pc2"), positions)
Path("other.csv").write_text("Ball.x,Ball.y,Ball.z\\n" + "0.5,0,0\\n" * 80)
out = io.StringIO()
with contextlib.redirect_stdout(out):
    assert run("import", "other.pc2") == (0, "")
assert "80 frames" in out.getvalue() and "left out of training (exploded" in out.getvalue(), out.getvalue()
folder = Path("neural_physics/scene/Sheet/dataset/takes/take_000")
assert np.array_equal(point_caches.read_pc2(folder / "positions.pc2"), positions)
refused(1, "does not exist", "import", "missing.pc2")
"""
    )


def test_the_table_of_operators_names_all_that_there_are_for_scripts(in_blender: Callable[..., str]) -> None:
    text = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    table = text[text.index("| operators |") : text.index("## Without Blender")]
    named = dict(re.findall(r"`(\w+)\(([\w, ]*)\)`", table))
    in_blender(
        f"""
named = {named!r}
ours = bpy.ops.neural_physics
of_a_window = {{name for name in dir(ours) if name.endswith(("environment", "environment_log"))}}
assert set(named) == set(dir(ours)) - of_a_window, set(named) ^ set(dir(ours))
for name, words in named.items():
    known = getattr(ours, name).get_rna_type().properties.keys()
    assert all(word in known for word in words.split(", ") if word), (name, known)
examples = getattr(ours, "add_example").get_rna_type().properties["name"].enum_items.keys()
assert all("`" + key + "`" in {table!r} for key in examples), examples
"""
    )


@pytest.mark.skipif(not Path("/bin/ls").exists(), reason="needs a program that is no Python")
def test_a_python_that_cannot_train_is_refused_before_the_training_starts(
    in_blender: Callable[..., str], tmp_path: Path
) -> None:
    venv.create(tmp_path / "plain", symlinks=True)
    plain = str(tmp_path / "plain" / "bin" / "python")
    in_blender(
        COMMANDS
        + EXAMPLE
        + f"""
assert run("bake", "--takes", "2", "--frames", "70") == (0, "")
refused(1, "does not work as a Python", "train")
os.environ["NEURAL_PHYSICS_PYTHON"] = {plain!r}
refused(1, "cannot train, since it lacks torch", "train")
""",
        NEURAL_PHYSICS_PYTHON="/bin/ls",
    )
