"""Small good models of every method: what version 0.1.0 trained, what is made by hand, and a fresh fit."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import synthetic
from cloth_models import LAYOUT, MESH, cloth_model_file
from contact_models import contact_model_file
from latent_models import latent_model_file
from motion_data import make_dataset
from test_stepping_many import BALLS, tensors_of
from test_stepping_many import MESH as FINE_MESH

from fuzzing.springs_model import keyed_model_file, network_of_poses_model_file
from learning.commands.train import add_arguments, run
from neural_physics.files.tensor_file import format_tensors
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import METADATA_KEY, info_to_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "version_0_1_0" / "models"


def good_models(folder: Path) -> dict[str, bytes]:
    """Files by name; folder: room for those that are trained."""
    found = {f"{path.stem} of 0.1.0": path.read_bytes() for path in sorted(FIXTURES.glob("*.safetensors"))}
    for kind in ("contact", "springs"):
        found[f"subspace_physics with {kind}"] = _physical(kind)
    found["linear_dynamics"] = _fitted(folder)
    found["latent_dynamics"] = latent_model_file(synthetic.sheet_mesh())
    found["hierarchical_cloth"] = _cloth()
    for ball in ("fixed", "sized"):
        found[f"contact_corrections, {ball} ball"] = contact_model_file(synthetic.sheet_mesh(), "Knob", ball)
    found["quasistatic_springs, shape keys"] = keyed_model_file()
    for preserve_volume in (False, True):
        name = f"quasistatic_springs{', preserving volume' if preserve_volume else ''}"
        found[name] = network_of_poses_model_file(folder / f"poses_{preserve_volume}", preserve_volume)
    return found


def _physical(kind: str) -> bytes:
    """Subspace physics with balls, with or without springs, and a second opinion."""
    channels = [Channel(f"Ball {k}", "position", 3, source=f"Ball {k}") for k in range(BALLS)]
    settings = {"activation": "silu", "physics": True}
    info = synthetic.make_model_info(FINE_MESH, ChannelLayout(tuple(channels)), settings=settings)
    tensors = tensors_of(kind)
    bases, vertices = len(tensors["start"]), FINE_MESH.vertex_count
    tensors |= {
        "normal_mean": np.tile(np.array([0.0, 1.0, 0.0], np.float16), (vertices, 1)),
        "normal_basis": np.full((bases, vertices, 3), 0.01, np.float16),
        "vertex_error": np.full(vertices, 0.01, np.float32),
        "interaction_low": np.full(info.channels.size, -1.0, np.float32),
        "interaction_high": np.full(info.channels.size, 1.0, np.float32),
    }
    return format_tensors(tensors, {METADATA_KEY: info_to_json(info)})


def _fitted(folder: Path) -> bytes:
    """Linear dynamics as its trainer leaves it, with normals, errors and the range of its interaction."""
    dataset, out = make_dataset(folder / "linear", 120), folder / "linear.safetensors"
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(out), "--method", "linear_dynamics", "--bases", "4"]
    run(parser.parse_args(words), lambda event: None, StopRequest())
    return out.read_bytes()


def _cloth() -> bytes:
    """Cloth with a ball, the ground, wind and a moving frame, whose fabric is changed while it plays."""
    kinds = ("velocity", "acceleration", "angular_velocity", "angular_acceleration", "wind")
    more = [Channel(kind, kind, 3) for kind in kinds]
    channels = (*LAYOUT.channels, Channel("Ball", "position", 3), Channel("Ground", "ground", 4), *more)
    settings = {
        "colliders": {"Ball": 0.2},
        "solid_ground": True,
        "iterations": 8,
        "gravity": [0.0, 0.0, -9.81],
    }
    return cloth_model_file(MESH, ChannelLayout(channels), **settings)
