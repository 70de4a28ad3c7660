"""Regressed normals (Holden 2019, section 6.3) beside those of the decoded faces, on held-out takes.

The coefficients are those nearest to the true shapes, so that only compression matters, and not prediction.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.subspace_physics.datasets import Corpus, baked
from benchmarks.subspace_physics.models import trained
from benchmarks.subspace_physics.table import BASES, PRESET, SCENES
from neural_physics.datasets.takes import Dataset
from neural_physics.models.decoding import LinearDecoder
from neural_physics.models.model_file import read_model
from neural_physics.models.normals import normals_from_faces, regress_normals

EVERY = 5  # frames of a take
Floats = np.ndarray


def judge() -> dict[str, Any]:
    """Rows of the table: mean angles in degrees, and milliseconds of one shape."""
    rows = [_row(scene, corpus, bases) for scene, corpus in SCENES.items() for bases in BASES]
    return {"rows": rows}


def _row(scene: str, corpus: Corpus, bases: int) -> dict[str, Any]:
    dataset = baked(corpus)
    tensors = read_model(trained(f"{corpus.name}_{bases}", dataset.path, PRESET, bases)[0]).tensors
    decoder = LinearDecoder(tensors["mean"], tensors["basis"].astype(np.float32))
    normals = tensors["normal_mean"].astype(np.float32), tensors["normal_basis"].astype(np.float32)
    frames = [frame for take in dataset.takes("test") for frame in np.asarray(take.positions[::EVERY])]
    regressed, recomputed, ms = [], [], {"regressed": list[float](), "recomputed": list[float]()}
    for positions in frames:
        true = _of_faces(positions, dataset)
        z = decoder.project(positions)
        decoded = decoder.decode(z).copy()
        began = perf_counter()
        by_faces = _of_faces(decoded, dataset)
        between = perf_counter()
        by_regression = regress_normals(z, *normals)
        ms["recomputed"].append(1e3 * (between - began))
        ms["regressed"].append(1e3 * (perf_counter() - between))
        regressed.append(_angle(by_regression, true))
        recomputed.append(_angle(by_faces, true))
    return {
        "scene": scene,
        "bases": len(tensors["basis"]),
        "frames": len(frames),
        "regressed": float(np.mean(regressed)),
        "recomputed": float(np.mean(recomputed)),
        "ms": {name: median(found) for name, found in ms.items()},
    }


def _of_faces(positions: Floats, dataset: Dataset) -> Floats:
    return normals_from_faces(positions, dataset.mesh.corners, dataset.mesh.face_sizes)


def _angle(found: Floats, true: Floats) -> float:
    """The mean angle between unit vectors (V, 3), degrees."""
    cosines = np.clip(np.einsum("vc,vc->v", found.astype(np.float64), true), -1.0, 1.0)
    return float(np.degrees(np.arccos(cosines)).mean())
