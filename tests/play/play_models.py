"""A model that something can be seen to play."""

from __future__ import annotations

import synthetic

from neural_physics.datasets.rest_mesh import Mesh


def model_file(mesh: Mesh, reference_frame: str = "", seed: int = 0) -> bytes:
    """A model that swings and settles well inside its clip ranges, so that every y matters for long."""
    info = synthetic.make_model_info(mesh, reference_frame=reference_frame)
    tensors = synthetic.make_model_tensors(mesh, seed=seed)
    tensors["alpha"][:], tensors["beta"][:] = 0.96, 0.85
    tensors["layers.1.weight"] *= 0.1
    tensors["layers.1.bias"][:] = 0.0
    return synthetic.model_bytes(info, tensors)
