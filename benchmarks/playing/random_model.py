"""Models with random weights: how long one takes does not depend on what it has learned."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from learning.methods.subspace_physics.physical_body import POINTS
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.tensor_files import write_model
from neural_physics.blender.scene.sampling import layout_of, reference_frame_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.methods.subspace_physics.second_opinion import SECOND
from neural_physics.models.model_file import ModelInfo

PRESET = PRESETS["balanced"]
Tensors = dict[str, NDArray[Any]]


def write_random_model(
    path: Path, obj: bpy.types.Object, bases: int, *, second: bool = False, radius: float | None = None
) -> None:
    """A model of *Subspace Physics* for an object, of the size that the preset makes.

    second: with a second opinion. radius, metres: of the ball whose place y begins with; then the first guess
    has contact, and else it is equation 1.
    """
    mesh, layout, rng = mesh_of(obj), layout_of(obj), np.random.default_rng(0)
    values = layout.size
    inputs = 2 * bases + values * (2 if PRESET.interaction_velocity else 1)
    tensors: Tensors = {
        "mean": mesh.rest_positions,
        "basis": rng.normal(size=(bases, mesh.vertex_count, 3)) * 0.01,
        "start": np.zeros(bases),
        "z_low": np.full(bases, -4.0),
        "z_high": np.full(bases, 4.0),
        "y_mean": np.zeros(values),
        "interaction_basis": np.eye(values),
        "w_low": np.full(values, -3.0),
        "w_high": np.full(values, 3.0),
    }
    if radius is None:
        tensors |= _equation_1(bases) | _network(inputs, bases, rng)
    else:
        points = rng.choice(mesh.vertex_count, min(POINTS, mesh.vertex_count), replace=False)
        tensors |= {f"physics.{name}": tensor for name, tensor in _equation_1(bases).items()}
        tensors |= {
            "physics.gravity": np.zeros(bases),
            "physics.contact": 0.01 * rng.normal(size=(1, bases, bases)),
            "physics.points": np.sort(points).astype(np.int32),
            "physics.push": np.ones(1),
            "physics.centres": np.zeros(1, np.int32),
            "physics.radii": np.array([radius]),
        }
        tensors |= _network(inputs + bases, bases, rng)
    if second:
        others = _equation_1(bases) | _network(inputs, bases, rng) | {"error": np.array([0.01, 1.0])}
        tensors |= {f"{SECOND}{name}": tensor for name, tensor in others.items()}
    settings = {
        "activation": PRESET.activation,
        "interaction_velocity": PRESET.interaction_velocity,
        "physics": radius is not None,
    }
    info = ModelInfo(
        "subspace_physics",
        1 / 24,
        obj.name,
        mesh.topology(),
        vertex_count=mesh.vertex_count,
        channels=layout,
        reference_frame=reference_frame_of(obj),
        settings=settings,
    )
    write_model(path, info, {name: _stored(tensor) for name, tensor in tensors.items()})


def _equation_1(bases: int) -> Tensors:
    return {"alpha": np.full(bases, 0.95), "beta": np.full(bases, 0.8)}


def _network(inputs: int, bases: int, rng: np.random.Generator) -> Tensors:
    tensors: Tensors = {}
    sizes = [inputs, *[round(PRESET.width * bases)] * (PRESET.layers - 1), bases]
    for k, (before, after) in enumerate(pairwise(sizes)):
        tensors[f"layers.{k}.weight"] = rng.normal(size=(after, before)) / np.sqrt(before)
        tensors[f"layers.{k}.bias"] = rng.normal(size=after) * 0.1
    return tensors


def _stored(tensor: NDArray[Any]) -> NDArray[Any]:
    return tensor if np.issubdtype(tensor.dtype, np.integer) else tensor.astype(np.float32)
