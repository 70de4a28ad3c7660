"""The full edition, from a repository of its own, and the one for Blender's extensions platform."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from fresh_blender import ENABLE, INSTALL, ROOT, run

sys.path.insert(0, str(ROOT))
from tools.build_zip import extension_tool

pytestmark = pytest.mark.blender


def test_the_platform_s_edition_asks_for_nothing_from_elsewhere(platform_zip: Path) -> None:
    """Words that a reviewer looks for: packages that are fetched, the network, and other folders' code."""
    unwanted = re.compile(r"torch|\bpip\b|online_access|urllib|download|sys\.path", re.IGNORECASE)
    with zipfile.ZipFile(platform_zip) as archive:
        texts = {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}
    found = [f"{name}: {m.group()}" for name, text in texts.items() for m in unwanted.finditer(text)]
    assert found == []
    assert len(texts) > 300
    assert list(tomllib.loads(texts["blender_manifest.toml"])["permissions"]) == ["files"]


def test_the_platform_s_edition_bakes_trains_evaluates_and_plays(platform_zip: Path, tmp_path: Path) -> None:
    user = str(tmp_path / "user")
    run(INSTALL, tmp_path, BLENDER_USER_RESOURCES=user, NEURAL_PHYSICS_ZIP=str(platform_zip))
    run(
        ENABLE
        + """
import importlib
from pathlib import Path
edition = importlib.import_module(MODULE + ".neural_physics.edition")
assert not edition.FULL
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(Path.cwd() / "scene.blend"))
ours = bpy.ops.neural_physics
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.take_count, settings.take_frames = 3, 60
settings.preset, settings.basis_count = "preview", 8
assert ours.bake() == {"FINISHED"}
assert ours.train() == {"FINISHED"}
assert ours.evaluate() == {"FINISHED"}
assert ours.play() == {"FINISHED"}
bpy.context.scene.frame_set(20)
shown = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices
assert max((a.co - b.co).length for a, b in zip(shown, sheet.data.vertices)) > 1e-3

tasks = importlib.import_module(MODULE + ".neural_physics.blender.tasks.object_tasks")
Problem = importlib.import_module(MODULE + ".neural_physics.errors").Problem
def refused(check, *words):
    try:
        check(*words)
    except Problem as problem:
        return problem.message
settings.method = "latent_dynamics"
message = refused(tasks.require_trainer, sheet)
assert message.startswith("Training Latent Dynamics is not part of this edition"), message
assert not ours.train.poll()
bpy.ops.mesh.primitive_cube_add()
jelly = bpy.context.active_object
assert ours.set_up_solver(kind="SOLID") == {"FINISHED"}
message = refused(tasks.check_bake, bpy.context.scene, jelly)
assert message.startswith("Baking with the bundled solver is not part of this edition"), message
assert not hasattr(bpy.types, "NEURALPHYSICS_OT_create_environment")
""",
        tmp_path,
        BLENDER_USER_RESOURCES=user,
    )


def test_the_full_edition_is_installed_from_a_repository(extension_zip: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    shutil.copy(extension_zip, repository / "neural_physics-0.zip")
    subprocess.run(
        [sys.executable, extension_tool(), "server-generate", "--repo-dir", repository], check=True
    )
    run(
        f"""
import bpy, os, sys
bpy.context.preferences.system.use_online_access = True
repos = bpy.context.preferences.extensions.repos
repos.new(name="Ours", module="ours", remote_url={(repository / "index.json").as_uri()!r})
index = list(repos).index(repos["Ours"])
assert bpy.ops.extensions.repo_sync(repo_index=index) == {{"FINISHED"}}
done = bpy.ops.extensions.package_install(repo_index=index, pkg_id="neural_physics", enable_on_install=True)
assert done == {{"FINISHED"}}
assert "bl_ext.ours.neural_physics" in bpy.context.preferences.addons.keys()
assert "ball" in bpy.ops.neural_physics.add_example.get_rna_type().properties["name"].default.lower()
""",
        tmp_path,
        BLENDER_USER_RESOURCES=str(tmp_path / "user"),
    )
