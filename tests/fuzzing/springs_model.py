"""Models of quasistatic springs: with shape keys, and with a random network of held poses."""

from __future__ import annotations

from pathlib import Path

import jiggling
import keyed
import numpy as np
import posing

from learning.training.spans import split_poses
from ml_backend.methods.quasistatic_springs.pose_data import prepare
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes
from neural_physics.files.tensor_file import format_tensors
from neural_physics.methods.quasistatic_springs.pose_network import NETWORK
from neural_physics.methods.quasistatic_springs.skin_tensors import skin_tensors
from neural_physics.models.model_file import METADATA_KEY, ModelInfo, info_to_json

HIDDEN = 6


def keyed_model_file() -> bytes:
    """Springs about a strip on two bones, whose shape two keys change."""
    mesh = keyed.strip()
    assert mesh.skin is not None
    k_s, k_d = jiggling.springs(mesh)
    tensors = {
        "rest": mesh.rest_positions,
        "mean": mesh.rest_positions,
        **skin_tensors(mesh.skin),
        "stiffness": k_s.astype(np.float32),
        "damping": k_d.astype(np.float32),
    }
    about = ModelInfo(
        "quasistatic_springs",
        jiggling.DT,
        "Strip",
        mesh.topology(),
        vertex_count=mesh.vertex_count,
        channels=keyed.LAYOUT,
        settings={"preserve_volume": False},
    )
    return format_tensors(tensors, {METADATA_KEY: info_to_json(about)})


def network_of_poses_model_file(folder: Path, preserve_volume: bool) -> bytes:
    """Its bases are those of a few poses of a strip on six bones, its springs soft."""
    dataset = posing.make_dataset(folder, counts=(40, 10), frames=(40, 20), preserve_volume=preserve_volume)
    rig = RigTakes.of(dataset)
    training, held = split_poses(dataset)
    data = prepare(rig, training, held, 2, bones=3, seed=0, report=lambda _: None)
    regions, inputs, modes = *data.inputs.shape[1:], data.wanted.shape[2]
    chance = np.random.default_rng(0)
    layers = {
        "linear": 0.01 * chance.normal(size=(regions, modes, inputs)),
        "0.weight": chance.normal(size=(regions, HIDDEN, inputs)) / np.sqrt(inputs),
        "0.bias": np.zeros((regions, HIDDEN)),
        "1.weight": 0.01 * chance.normal(size=(regions, modes, HIDDEN)),
        "1.bias": np.zeros((regions, modes)),
    }
    info, count = dataset.info, dataset.info.vertex_count
    tensors = {
        "rest": rig.rest,
        "mean": rig.rest,
        **skin_tensors(rig.skin),
        "stiffness": np.linspace(60.0, 900.0, count, dtype=np.float32),
        "damping": np.linspace(2.0, 20.0, count, dtype=np.float32),
        **{NETWORK + name: array for name, array in data.tensors().items()},
        **{NETWORK + name: array.astype(np.float32) for name, array in layers.items()},
    }
    about = ModelInfo(
        "quasistatic_springs",
        info.dt,
        info.object,
        info.topology,
        vertex_count=count,
        channels=info.channels,
        settings={"preserve_volume": preserve_volume},
    )
    return format_tensors(tensors, {METADATA_KEY: info_to_json(about)})
