"""How long the bundled solver takes for frames of a take, simulated anew."""

from __future__ import annotations

from statistics import median
from time import process_time

from ml_backend.simulation.simulation import Simulation
from neural_physics.datasets.takes import Dataset


def solver_ms(dataset: Dataset, take: str, frames: int) -> float:
    """Median of a frame, ms of the processor, of a take's first frames."""
    simulation, taken = simulation_of(dataset, take), []
    for _ in range(frames):
        began = process_time()
        simulation.advance()
        taken.append(process_time() - began)
    return 1e3 * median(taken)


def simulation_of(dataset: Dataset, take: str) -> Simulation:
    """A take of the bundled solver, from its beginning."""
    surroundings, body = dataset.surroundings(take), dataset.body
    assert surroundings is not None and body is not None
    request, tracks = surroundings
    return Simulation(request, body, tracks)
