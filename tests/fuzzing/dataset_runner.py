"""A dataset is used for what panels, commands and the first stages of all trainings use one for."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.interactions import ordinary
from fuzzing.watching import Watch, finite
from learning.commands import check, evaluate, train
from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.physical_body import physical_body
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.mirror import find_mirrors
from learning.training.spans import split, split_poses
from learning.training.subspace_data import prepare
from ml_backend.methods.contact_corrections.scene import contact_scene
from ml_backend.methods.hierarchical_cloth.pairs import Shapes, pairs_of
from ml_backend.methods.latent_dynamics import data as latent_data
from ml_backend.methods.quasistatic_springs import pose_data
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes
from neural_physics.baking.fabric_ranges import fabric_of
from neural_physics.datasets import status
from neural_physics.datasets.takes import Dataset, left_out_in_all
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.subdivision.usual_levels import usual_hierarchy

BASES = 4


def use(name: str, folder: Path, model: Path, chance: random.Random, watch: Watch) -> None:
    """Look at it, then one of the stages below.

    name: which of the good datasets it was; model: one of linear dynamics that fits that.
    """
    look(folder, watch)
    dataset = watch(Dataset.open, folder)
    chance.choice((*STAGES, *2 * FURTHER[name]))(dataset, model, watch)


def fitted_model(folder: Path, out: Path) -> Path:
    """A small model of linear dynamics."""
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    words = [str(folder), "--out", str(out), "--method", "linear_dynamics", "--bases", str(BASES)]
    train.run(parser.parse_args(words), _silent, StopRequest())
    return out


def look(folder: Path, watch: Watch) -> None:
    """What a panel shows of it, and all of its numbers."""
    status.forget()
    watch(status.dataset_status, folder)
    dataset = watch(Dataset.open, folder)
    takes = watch(dataset.outlines)
    left_out_in_all(takes)
    dataset.mesh.edges()
    for name in dataset.take_names():
        take = watch(dataset.take, name)
        take.segments()
        watch(lambda take=take: np.asarray(take.positions).sum() + np.asarray(take.interaction).sum())
        watch(dataset.surroundings, name)
    watch(fabric_of, dataset)


def _check(dataset: Dataset, model: Path, watch: Watch) -> None:
    watch.job(check.run, argparse.Namespace(dataset=dataset.path), _silent, StopRequest())


def _subspace(dataset: Dataset, model: Path, watch: Watch) -> None:
    """All of subspace physics before its first step."""
    training, validation = split(dataset)
    mirrors = watch(find_mirrors, dataset.mesh, dataset.info, training, validation)
    data = watch(
        prepare, training, validation, dataset.info, BASES, mirrors=mirrors, emit=_silent, stop=StopRequest()
    )
    finite("bases", data.basis)
    finite("coefficients", data.training.z)
    finite("interaction", data.training.w)
    data = data.in_relative_scale()
    body = watch(physical_body, data, dataset.mesh, dataset.info)
    watch(SubspaceNetwork, data, PRESETS["preview"], 0, body)


def _linear(dataset: Dataset, model: Path, watch: Watch) -> None:
    """A whole training of linear dynamics, whose model must play."""
    path = watch.job(fitted_model, dataset.path, dataset.path / "model.safetensors")
    method = watch(load_method, read_model(path))
    y = ordinary(method.channels, 0)
    finite("positions", method.positions(method.step(method.start(y), y), y))


def _evaluation(dataset: Dataset, model: Path, watch: Watch) -> None:
    out = dataset.path / "report"
    args = argparse.Namespace(model=model, dataset=dataset.path, out=out, frames=30)
    watch.job(evaluate.run, args, _silent, StopRequest())


def _springs(dataset: Dataset, model: Path, watch: Watch) -> None:
    rig = RigTakes.of(dataset)
    training, _ = split(dataset)
    finite("settled shapes", watch(rig.settled_rest, training[:1]))
    poses, held = split_poses(dataset)
    if poses and held:
        prepared = watch(pose_data.prepare, rig, poses, held, 2, bones=3, seed=0, report=lambda _: None)
        finite("displacements", prepared.wanted)


def _solid(dataset: Dataset, model: Path, watch: Watch) -> None:
    body = dataset.body
    if body is None or body.settings.kind != "solid":
        return
    training, _ = split(dataset)
    scene = watch(contact_scene, dataset, body, training, 6)
    finite("weights", scene.handles.weights)


def _latent(dataset: Dataset, model: Path, watch: Watch) -> None:
    body = dataset.body
    if body is None:
        return
    spans = [latent_data.of_body(some) for some in split(dataset)]
    watch(latent_data.colliders_of, dataset, body)
    data = watch(latent_data.prepare, *spans, dataset, body, bases=BASES, emit=_silent, stop=StopRequest())
    finite("coefficients", data.training.c)


def _cloth(dataset: Dataset, model: Path, watch: Watch) -> None:
    hierarchy = watch(usual_hierarchy, dataset.mesh, dataset.info.object)
    training, _ = split(dataset)
    frames = np.asarray(training[0].take.positions[:3])
    shapes = [Shapes(hierarchy, dataset.mesh.rest_positions, frames)]
    watch(pairs_of, shapes, 1, "local", 100, seed=0)


def _silent(event: dict[str, Any]) -> None:
    """Nobody listens."""


Stage = Callable[[Dataset, Path, Watch], None]
STAGES: tuple[Stage, ...] = (_check, _subspace, _linear, _evaluation)
FURTHER: dict[str, tuple[Stage, ...]] = {
    "sheet": (_cloth,),
    "poses": (_springs,),
    "jiggling": (_springs,),
    "keyed": (_springs,),
    "solid": (_solid, _latent),
    "flat": (_solid,),
    "shell": (_cloth, _latent),
}
