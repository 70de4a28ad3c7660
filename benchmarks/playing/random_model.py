"""Models that have learned nothing, as large as those that the preset `balanced` makes.

How long a model takes depends on its size, and on how many vertices its guess finds in a ball.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.physical_body import physical_body
from learning.methods.subspace_physics.presets import PRESETS
from learning.methods.subspace_physics.second_opinion import of_second, second_tensors
from learning.methods.subspace_physics.train import SCHEMA, model_settings
from learning.training.subspace_data import Sequences, SubspaceData
from learning.training.tensor_files import write_model
from neural_physics.blender.scene.sampling import layout_of, reference_frame_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.models.model_file import ModelInfo

PRESET = PRESETS["balanced"]
FRAMES, FPS = 300, 24.0
SIZE = 0.01  # metres: how far each basis moves a vertex


def write_random_model(path: Path, obj: bpy.types.Object, bases: int, *, radius: float | None = None) -> None:
    """A model of *Subspace Physics* for an object, with its second opinion, before the first training step.

    radius, metres: of the ball whose place y begins with; then the first guess is a physical one, and else it
    is equation 1.
    """
    mesh, layout = mesh_of(obj), layout_of(obj)
    info = DatasetInfo(obj.name, mesh.topology(), mesh.vertex_count, FPS, layout, reference_frame_of(obj))
    if radius is not None:
        info.colliders[layout.channels[0].name] = radius
    data = _data(mesh, bases, layout.size)
    network = SubspaceNetwork(data, PRESET, 0, physical_body(data, mesh, info) if info.colliders else None)
    other = SubspaceNetwork(data, of_second(PRESET), 1)
    tensors = data.model_tensors() | network.tensors(network.initial)
    tensors |= second_tensors(other.tensors(other.initial))
    model = ModelInfo(
        "subspace_physics",
        info.dt,
        obj.name,
        info.topology,
        vertex_count=info.vertex_count,
        channels=layout,
        reference_frame=info.reference_frame,
        settings=model_settings(PRESET, physical=bool(info.colliders)),
        schema=SCHEMA,
    )
    write_model(path, model, tensors)


def _data(mesh: Mesh, bases: int, values: int) -> SubspaceData:
    """Of motion that is noise; values: length of y."""
    rng = np.random.default_rng(0)
    z, y = (rng.standard_normal((FRAMES, count), np.float32) for count in (bases, values))
    basis = SIZE * rng.standard_normal((bases, mesh.vertex_count, 3), np.float32)
    noise = Sequences(z, y, np.square(np.tensordot(z, basis, 1)).sum((1, 2)), np.array([FRAMES]))
    return SubspaceData(
        mean=mesh.rest_positions,
        basis=basis,
        deviations=np.sqrt(np.square(basis).sum((1, 2))),
        captured=1.0,
        y_mean=np.zeros(values, np.float32),
        interaction_basis=np.eye(values, dtype=np.float32),
        start=np.zeros(bases, np.float32),
        training=noise,
        validation=noise,
    )
