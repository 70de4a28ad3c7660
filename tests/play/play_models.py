"""A model that something can be seen to play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import synthetic
from numpy.typing import NDArray

from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.models.trained_range import HIGH, LOW
from neural_physics.models.vertex_error import VERTEX_ERROR


def model_file(
    mesh: Mesh,
    reference_frame: str = "",
    seed: int = 0,
    trained: tuple[Sequence[float], Sequence[float]] | None = None,
    error: NDArray[np.float32] | None = None,
    second: tuple[float, float] | None = None,
    basis: NDArray[np.float32] | None = None,
) -> bytes:
    """A model that swings and settles well inside its clip ranges, so that every y matters for long.

    trained: the least and the largest y that it says it has seen. error: of its vertices, as it says.
    second: what it expects of a second opinion, which reacts to the same twice as much. basis (5, V, 3): what
    it mixes.
    """
    info = synthetic.make_model_info(mesh, reference_frame=reference_frame)
    tensors = synthetic.make_model_tensors(mesh, seed=seed)
    tensors["alpha"][:], tensors["beta"][:] = 0.96, 0.85
    tensors["layers.1.weight"] *= 0.1
    tensors["layers.1.bias"][:] = 0.0
    if basis is not None:
        tensors["basis"] = basis
    if trained is not None:
        for name, values in zip((LOW, HIGH), trained, strict=True):
            tensors[name] = np.array(values, np.float32)
    if error is not None:
        tensors[VERTEX_ERROR] = error
    if second is not None:
        names = [name for name in tensors if name.startswith(("layers.", "alpha", "beta"))]
        tensors |= {f"second.{name}": tensors[name].copy() for name in names}
        tensors["second.layers.1.weight"] *= 2.0
        tensors["second.error"] = np.array(second, np.float32)
    return synthetic.model_bytes(info, tensors)
