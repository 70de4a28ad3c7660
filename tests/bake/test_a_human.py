"""Jiggle springs on a character that nobody tuned for, and in motion that the fit has not seen (Jin 2022)."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
import human
import rigs
from bakes import command_for, run
from scenes import empty_scene, react_to, set_frame, settings_of

from neural_physics.blender.scene.rigs.skins import skin_of
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.evaluation.rollouts import rollout, rollout_errors, tile
from neural_physics.interaction.poses import pose_channel, pose_in, to_frame
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.skinning.of_skin import skinning_of

VERTICES = 1300  # of the coarse one
FRAMES = {"seen": 100, "unseen": 60}


def character(most: int | None = None) -> tuple[bpy.types.Object, bpy.types.Object]:
    """The human alone in a scene, reacting to its rig."""
    human.data()  # skip before anything is done
    empty_scene()
    flesh, rig = human.add_human(most)
    settings_of(flesh).method = "quasistatic_springs"
    react_to(flesh, rig, "KEEP")
    return flesh, rig


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_the_whole_body_is_skinned_as_by_the_armature_modifier(preserve_volume):
    flesh, rig = character()
    settings_of(flesh).simulation.kind = "SOLID"
    flesh.modifiers["Armature"].use_deform_preserve_volume = preserve_volume
    assert len(flesh.data.vertices) == 13_380 and len(rig.data.bones) == 53
    layout = layout_of(flesh)
    sampler = ChannelSampler(flesh, layout, reference_frame_of(flesh), {}, fps=24.0)
    skinning, where = skinning_of(skin_of(flesh), mesh_of(flesh).rest_positions), pose_channel(layout)[1]
    for seed in range(3):
        rigs.pose(rig, seed, turn=0.6)
        y = sampler.sample(set_frame(1), 1)
        theirs = rigs.shown(flesh)
        assert np.abs(skinning(pose_in(y[where]).moves) - theirs).max() < 3e-6 * np.ptp(theirs, axis=0).max()


def soft_human() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A coarse one as a soft body whose vertices are drawn to where its bones have them."""
    flesh, rig = character(VERTICES)
    assert 0.8 * VERTICES < len(flesh.data.vertices) < 1.2 * VERTICES
    body = flesh.modifiers.new("Softbody", "SOFT_BODY").settings
    body.use_goal, body.goal_default, body.goal_spring, body.goal_friction = True, 0.9, 0.9, 3.0
    body.use_edges, body.pull, body.push, body.damping = True, 0.3, 0.3, 5.0
    return flesh, rig


def train(dataset: Path, out: Path) -> None:
    from ml_backend.commands.train import add_arguments
    from ml_backend.commands.train import run as run_training

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset), "--out", str(out), "--method=quasistatic_springs", "--preset=preview"]
    run_training(parser.parse_args(words), lambda _: None, StopRequest())


@pytest.mark.slow
def test_springs_of_one_motion_bring_another_nearer_to_the_simulation(tmp_path):
    """Both are random keys; the other motion bends farther, and shifts less."""
    pytest.importorskip("torch")
    flesh, rig = soft_human()
    for (name, frames), seed, turn, shift in zip(
        FRAMES.items(), (1, 2), (0.3, 0.5), (0.15, 0.1), strict=True
    ):
        human.animate(rig, frames, seed, turn, shift=shift)
        bpy.context.scene.frame_set(1)
        result = run(command_for(flesh, tmp_path / name, 1, frames), timeout=600.0)
        assert result["event"] == "result", result
    train(tmp_path / "seen", tmp_path / "model.safetensors")
    model, unseen = read_model(tmp_path / "model.safetensors"), Dataset.open(tmp_path / "unseen")
    method = load_method(model)
    takes = [unseen.take(name) for name in unseen.take_names()]
    springs = rollout_errors(rollout(method), tile(takes), method.mean_shape).rms
    bones, settled = (
        off(unseen, takes, rest) for rest in (unseen.mesh.rest_positions, model.tensors["rest"])
    )
    assert 0.005 < bones < 0.1  # metres: flesh that hangs and swings, and not a puddle
    assert springs < 0.8 * min(bones, settled)


def off(dataset: Dataset, takes: list[Take], rest: np.ndarray) -> float:
    """Metres, root mean square: how far from the takes bones alone have a shape at rest."""
    skinning, where = skinning_of(dataset.mesh.skin, rest), pose_channel(dataset.info.channels)[1]
    frames = [
        (pose_in(y[where]), x)
        for take in takes
        for x, y in zip(take.positions, take.interaction, strict=True)
    ]
    squares = [np.square(to_frame(pose, skinning(pose.moves)) - x).sum(1).mean() for pose, x in frames]
    return float(np.sqrt(np.mean(squares)))
