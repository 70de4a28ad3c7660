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
    assert [name for name in texts if name.endswith(".so")] == [], "what nobody can read"
    assert list(tomllib.loads(texts["blender_manifest.toml"])["permissions"]) == ["files"]


@pytest.fixture(scope="module")
def platform_user(platform_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A user's folder in which the platform's edition was installed."""
    folder = tmp_path_factory.mktemp("platform_user")
    run(INSTALL, folder, BLENDER_USER_RESOURCES=str(folder), NEURAL_PHYSICS_ZIP=str(platform_zip))
    return str(folder)


@pytest.mark.slow
def test_the_platform_s_edition_bakes_trains_evaluates_and_plays(platform_user: str, tmp_path: Path) -> None:
    run(
        ENABLE
        + """
from inside_blender import add_example, few_vertices, ours, part, saved_scene, train_briefly
assert not part("neural_physics.edition").FULL
saved_scene()
train_briefly()
few_vertices()
sheet = add_example(take_count=3, take_frames=60, preset="preview", basis_count=8)
settings = sheet.neural_physics
assert ours.bake() == {"FINISHED"}
assert ours.train() == {"FINISHED"}
assert ours.evaluate() == {"FINISHED"}
assert ours.play() == {"FINISHED"}
bpy.context.scene.frame_set(20)
shown = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices
assert max((a.co - b.co).length for a, b in zip(shown, sheet.data.vertices)) > 1e-3

tasks = part("neural_physics.blender.tasks.object_tasks")
Problem = part("neural_physics.errors").Problem
def refused(check, *words):
    try:
        check(*words)
    except Problem as problem:
        return problem.message
settings.method = "latent_dynamics"
message = refused(tasks.require_trainer, sheet)
assert message.startswith("Training Latent Dynamics is not part of this edition"), message
assert not ours.train.poll()
settings.method, settings.simulation.kind = "subspace_physics", "SHELL"
message = refused(tasks.check_bake, bpy.context.scene, sheet)
assert message.startswith("Baking with the bundled solver is not part of this edition"), message
bpy.ops.mesh.primitive_cube_add()
assert not ours.set_up_solver.poll(), "what could not be baked is not set up"
assert not hasattr(bpy.types, "NEURAL_PHYSICS_OT_create_environment")
assert hasattr(bpy.types, "NEURAL_PHYSICS_OT_bake")
""",
        tmp_path,
        BLENDER_USER_RESOURCES=platform_user,
    )


def test_the_platform_s_panels_list_what_it_bakes_and_trains_and_say_what_a_file_of_the_full_one_is(
    platform_user: str, tmp_path: Path
) -> None:
    run(
        ENABLE
        + """
from drawn_panels import drawn
from inside_blender import add_example, ours, part
sheet = add_example()
registry = part("neural_physics.methods.registry")
panel = drawn("set_up", sheet)
assert panel.choices == [("method", name) for name, method in registry.SPECIFICATIONS.items()
                         if method.trains_in_blender]
assert len(panel.choices) == 2 and "method" not in panel.settings and "full edition" not in panel.words
panel = drawn("simulation", sheet)
assert "kind" not in panel.settings and not panel.choices, "there is but one"
assert "Physics properties" in panel.words

# As the full edition has saved them.
steps = bpy.context.window_manager.neural_physics_steps
steps.set_up = True
for method in registry.SPECIFICATIONS:
    for kind in ("SOLID", "SHELL", "ROD", "SPRINGS"):
        settings = sheet.neural_physics
        settings.method, settings.simulation.kind = method, kind
        panel = drawn("set_up", sheet)
        label = registry.SPECIFICATIONS[method].label
        said = f"{label} is trained in the full edition of Neural Physics; its models play here, too"
        assert (said in panel.icons) == (("method", method) not in panel.choices), panel.words
        panel = drawn("simulation", sheet)
        assert len(panel.icons) == 1 and "Sheet is simulated by the bundled solver" in panel.words
        assert panel.choices == [("kind", "BLENDER")] and not panel.settings and not panel.operators
        assert not bpy.types.NEURALPHYSICS_PT_simulation_advanced.poll(bpy.context)
settings.simulation.kind, settings.method = "BLENDER", "subspace_physics"
assert ours.bake.poll()
""",
        tmp_path,
        BLENDER_USER_RESOURCES=platform_user,
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
