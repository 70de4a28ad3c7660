"""A point cache of another program, with what the object reacts to read from the scene (Jin 2022)."""

from __future__ import annotations

import argparse
from pathlib import Path

import bpy
import jiggling
import numpy as np
import pytest
import rigs
from changed_blend import open_without_frame_rate
from test_point_caches import pc2_bytes
from test_spring_play import springs, tube_on_bones

from neural_physics.blender.scene.rigs.skins import skin_of
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender
FRAMES = 120


def to_the_end(steps):
    seen = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return end.value, seen


@pytest.fixture
def simulated(tmp_path):
    """The tube on its rig, and a cache of springs about it as an integrator has them, in the tube's axes."""
    scene, _, tube = tube_on_bones()
    settings_of(tube).dataset_folder = str(tmp_path / "dataset")
    settings_of(tube).start_frame = 1
    bones = []
    for frame in range(1, 1 + FRAMES):
        scene.frame_set(frame)
        bones.append(rigs.shown(tube).astype(float))
    bones = np.stack(bones)
    x = jiggling.swung(bones, jiggling.causal_slopes(bones), *springs(bones.shape[1]))
    world = np.array(tube.matrix_world)
    local = (x - world[:3, 3]) @ np.linalg.inv(world[:3, :3]).T
    (tmp_path / "flesh.pc2").write_bytes(pc2_bytes(local.astype(np.float32)))
    return scene, tube, tmp_path / "flesh.pc2", local


def test_poses_and_weights_come_from_the_scene(simulated):
    scene, tube, cache, local = simulated
    scene.frame_set(7)
    assert object_tasks.interaction_of(tube, cache, None, False) is None  # no file could say how bones move
    name, seen = to_the_end(object_tasks.import_steps(scene, tube, cache, None, role="training"))
    assert scene.frame_current == 7
    assert seen[-1] == (FRAMES, FRAMES)
    dataset = Dataset.open(Path(settings_of(tube).dataset_folder))
    take = dataset.take(name)
    assert dataset.mesh.skin is not None
    assert np.array_equal(dataset.mesh.skin.weights, skin_of(tube).weights)
    assert np.asarray(take.positions) == pytest.approx(local, abs=1e-6)
    sampler = ChannelSampler(tube, layout_of(tube), "", {}, fps=24.0)
    for frame in (1, 50):
        scene.frame_set(frame)
        y = sampler.sample(bpy.context.evaluated_depsgraph_get(), frame)
        assert np.asarray(take.interaction[frame - 1]) == pytest.approx(y, abs=1e-6)


def test_another_object_s_axes_are_those_of_the_take(simulated):
    scene, tube, cache, local = simulated
    settings, head = settings_of(tube), bpy.data.objects.new("Head", None)
    scene.collection.objects.link(head)
    head.location, head.rotation_euler = (1.0, 2.0, 0.5), (0.3, 0.2, 0.1)
    settings.frame_object = head
    name, _ = to_the_end(object_tasks.import_steps(scene, tube, cache, None, role="training"))
    dataset = Dataset.open(Path(settings.dataset_folder))
    frame_from_object = np.linalg.inv(np.array(head.matrix_world)) @ np.array(tube.matrix_world)
    seen = local[40] @ frame_from_object[:3, :3].T + frame_from_object[:3, 3]
    assert dataset.info.reference_frame == "Head"
    assert np.asarray(dataset.take(name).positions[40]) == pytest.approx(seen, abs=1e-5)


def test_stopped_on_the_way_nothing_is_left(simulated):
    scene, tube, cache, _ = simulated
    scene.frame_set(5)
    steps = object_tasks.import_steps(scene, tube, cache, None, role="training")
    assert next(steps) == (1, FRAMES)
    steps.close()
    assert scene.frame_current == 5
    assert not (Path(settings_of(tube).dataset_folder) / "dataset.json").exists()


def test_a_mesh_without_an_armature_is_refused_before_anything_is_visited(simulated):
    scene, tube, cache, _ = simulated
    tube.modifiers.clear()
    with pytest.raises(Problem) as raised:
        to_the_end(object_tasks.import_steps(scene, tube, cache, None, role="training"))
    assert raised.value.code == "skin_missing"


def test_springs_are_found_in_what_was_imported(simulated, tmp_path):
    pytest.importorskip("torch")
    from ml_backend.commands.train import add_arguments, run
    from neural_physics.jobs.events import StopRequest
    from neural_physics.models.model_file import read_model

    scene, tube, cache, _ = simulated
    to_the_end(object_tasks.import_steps(scene, tube, cache, None, role="training"))
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    out = tmp_path / "model.safetensors"
    words = [settings_of(tube).dataset_folder, "--out", str(out), "--method=quasistatic_springs"]
    words += ["--set=settled=false", "--set=shrink=0"]
    run(parser.parse_args(words), lambda _: None, StopRequest())
    k_s, _ = springs(len(tube.data.vertices))
    off = np.abs(np.log(read_model(out).tensors["stiffness"] / k_s))
    assert np.median(off) < 0.05


def test_a_scene_without_a_frame_rate_is_refused(simulated, tmp_path):
    _, _, cache, _ = simulated
    scene = open_without_frame_rate(tmp_path / "scene.blend")
    with pytest.raises(Problem) as caught:
        to_the_end(object_tasks.import_steps(scene, bpy.data.objects["Tube"], cache, None, role="training"))
    assert caught.value.code == "frame_rate_missing"
