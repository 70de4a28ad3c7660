"""Q, which maps z to the vertex normals (Holden 2019, section 6.3)."""

from __future__ import annotations

import numpy as np

from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.models.normals import normals_from_faces

NORMALS = "Learning the normals"  # the stage
MOST_FRAMES = 1500  # more hardly change a linear fit of this size


def normal_tensors(spans: list[Span], z: Floats, mesh: Mesh, emit: Emit, *, stop: StopRequest) -> Tensors:
    """What `fit_normals` finds, as a model file has it."""
    mean, q = fit_normals(spans, z, mesh, emit, stop=stop)
    # Half precision is far finer than the fit, and halves what they add to a packed .blend.
    return {"normal_mean": mean.astype(np.float16), "normal_basis": q.astype(np.float16)}


def fit_normals(
    spans: list[Span], z: Floats, mesh: Mesh, emit: Emit, *, stop: StopRequest
) -> tuple[Floats, Floats]:
    """n_mu (V, 3) and Q (u, V, 3) of n = normalise(n_mu + Q z), by least squares (Holden 2019, section 6.3).

    z (N, u): of all frames of the spans, one after the other.
    """
    every = max(1, len(z) // MOST_FRAMES)
    progress, done, first = Progress(emit, NORMALS, len(z)), 0, 0
    u, d = z.shape[1], 3 * mesh.vertex_count
    gram, products = np.zeros((u + 1, u + 1)), np.zeros((u + 1, d))
    for span in spans:
        used = z[first : first + len(span) : every]
        for chunk in span.chunks(every):
            stop.check()
            normals = normals_from_faces(chunk.reshape(len(chunk), -1, 3), mesh.corners, mesh.face_sizes)
            inputs = np.concatenate([np.ones((len(chunk), 1)), used[: len(chunk)]], 1)
            used = used[len(chunk) :]
            gram += inputs.T @ inputs
            products += inputs.T @ normals.reshape(len(chunk), -1)
            done += len(chunk) * every
            progress.at(min(done, len(z)))
        first += len(span)
    solution = np.linalg.lstsq(gram, products, rcond=None)[0].astype(np.float32)
    return solution[0].reshape(-1, 3), solution[1:].reshape(u, -1, 3)
