"""A method is a folder of its own in each tree, and nothing else knows of it; linear dynamics shows that."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from whole_ways import NEEDS_TORCH, TRAINING_PYTHON

ROOT = Path(__file__).resolve().parents[2]
METHOD = "linear_dynamics"
PRODUCT = ("__init__.py", "neural_physics", "operators", "panels", "learning", "ml_backend")


def tracked(*places: str) -> list[Path]:
    names = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *places]
    listed = subprocess.run(names, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def its_own(path: Path) -> bool:
    return METHOD in path.relative_to(ROOT).parts[:-1] or path.stem == METHOD


def test_no_other_file_of_the_product_names_it() -> None:
    named = re.compile(r"linear_dynamics|LinearDynamics|Linear Dynamics|interaction_history")
    others = [path for path in tracked(*PRODUCT) if path.suffix == ".py" and not its_own(path)]
    assert len(others) > 300
    assert [str(path) for path in others if named.search(path.read_text(encoding="utf-8"))] == []


def test_the_guide_lists_the_files_that_a_method_has() -> None:
    guide = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    section = guide.partition("## Adding a method")[2]
    listed = re.findall(r"^\| `([\w<>/.]+)` \|", section, re.MULTILINE)
    there = [path.relative_to(ROOT).as_posix() for path in tracked() if its_own(path)]
    without = [path for path in there if not path.endswith("__init__.py")]
    assert sorted(name.replace("<name>", METHOD) for name in listed) == sorted(without)


WAY = """
from drawn_panels import drawn
from inside_blender import add_example, few_vertices, ours, part, saved_scene, shape
HERE = saved_scene()
few_vertices()
sheet = add_example(take_count=3, take_frames=60)
settings = sheet.neural_physics

# It is in the panel's list, and so are its settings, where it is chosen.
methods = settings.bl_rna.properties["method"].enum_items
assert methods["linear_dynamics"].name == "Linear Dynamics" and methods["linear_dynamics"].value == 5
assert "interaction_history" not in drawn("train_options", sheet).settings
settings.method = "linear_dynamics"
assert {"interaction_history", "basis_count"} <= set(drawn("train_options", sheet).settings)
settings.interaction_history, settings.basis_count = 4, 8

assert ours.bake() == {"FINISHED"}
assert ours.train() == {"FINISHED"}
packing = part("neural_physics.blender.playing.packing")
model = packing.model_of(sheet)
assert model.info.method == "linear_dynamics"
assert model.tensor("interaction", 8, -1).shape[1] == 4 * len(model.tensor("interaction_basis", -1, 3))
assert 0.0 < model.info.training["validation_error"] < 2.0
assert settings.model is not None, "a trained model is packed"
assert ours.evaluate() == {"FINISHED"}
home = HERE / "neural_physics" / "scene" / "Sheet"
assert (home / "report.html").is_file()

assert ours.play() == {"FINISHED"}
assert "bases_shown" in drawn("play_advanced", sheet).settings
bpy.context.scene.frame_set(1)
forward = [shape(sheet, frame) for frame in range(1, 25)]
assert forward[20] != forward[2]
assert [shape(sheet, frame) for frame in (20, 3, 11, 24, 1)] == [forward[i - 1] for i in (20, 3, 11, 24, 1)]
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "shared.blend"))
for path in (HERE / "neural_physics").rglob("*"):
    if path.is_file():
        path.unlink()
bpy.ops.wm.open_mainfile(filepath=str(HERE / "shared.blend"))
sheet = bpy.data.objects["Sheet"]
assert shape(sheet, 20) == forward[19], "a packed scene plays the same with no further step"
"""


@pytest.mark.slow
@pytest.mark.blender
@pytest.mark.once
@NEEDS_TORCH
def test_it_is_listed_trained_packed_played_scrubbed_and_evaluated(installed: Callable[..., str]) -> None:
    installed(WAY, timeout=600, NEURAL_PHYSICS_PYTHON=str(TRAINING_PYTHON))
