"""The limit of predictability of the paper's scenes: the same take, and a body that is 0.01 % larger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.latent_dynamics import datasets
from benchmarks.latent_dynamics.scenes import LATENT
from ml_backend.simulation.simulation import Simulation
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import Dataset

LARGER = 1.0001
DIMENSIONS = {"solid": 3, "shell": 2, "rod": 1}

Array = NDArray[np.float64]


def twin(name: str, kept_only: bool = False) -> tuple[Dataset, str, Array] | None:
    """A dataset, the take that is done again, and the twin's shapes (T, B, 3) in the take's axes.

    The first take that is kept for testing, or else the first; None where there is no dataset yet.
    kept_only: None, too, where it is not simulated yet.
    """
    dataset = datasets.found(datasets.EXAMPLES[name].dataset)
    if dataset is None:
        return None
    take = (dataset.takes("test") or dataset.takes())[0].name
    kept = LATENT / "limit" / f"{datasets.EXAMPLES[name].dataset}.npy"
    if kept_only and not kept.is_file():
        return None
    if not kept.is_file():
        print(f"simulating the twin of {name}", flush=True)  # noqa: T201 (a tool that is watched)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, _simulated(dataset, take).astype(np.float32))
    return dataset, take, np.load(kept).astype(np.float64)


def larger(body: Body, request: SimulationRequest) -> tuple[Body, SimulationRequest]:
    """Both as seen from the pins' middle; masses as the size has them."""
    middle = body.rest_positions[body.pinned].mean(0)
    heavier = body.masses * LARGER ** DIMENSIONS[body.settings.kind]
    rest = middle + LARGER * (body.rest_positions - middle)
    asked = middle + LARGER * (request.rest_positions - middle)
    return replace(body, rest_positions=rest, masses=heavier), replace(request, rest_positions=asked)


def _simulated(dataset: Dataset, take: str) -> Array:
    surroundings, body = dataset.surroundings(take), dataset.body
    assert surroundings is not None and body is not None
    request, tracks = surroundings
    body, request = larger(body, request)
    simulation, shapes = Simulation(request, body, tracks), []
    for t, axes in enumerate(tracks.frame_from_world):
        if t:
            simulation.advance()
        shapes.append(simulation.positions @ axes[:3, :3].T + axes[:3, 3])
    return np.array(shapes)
