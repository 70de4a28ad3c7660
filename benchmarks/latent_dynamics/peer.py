"""The cantilever in latents that no data made (Sharp et al. 2023), beside ours; one step after the other.

N. Sharp, C. Romero, A. Jacobson, E. Vouga, P. Kry, D. I. W. Levin and J. Solomon, *Data-Free Learning of
Reduced-Order Kinematics*, SIGGRAPH 2023: a network from latents to shapes is trained on nothing but the
potential energy and on keeping distances, and each step is solved for its latents when it is asked for. This
is a small version of our own, from the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.latent_dynamics import ablations
from benchmarks.latent_dynamics.data_free_subspace import LATENTS, MINUTES, data_free
from benchmarks.latent_dynamics.rollouts import Roller, course
from benchmarks.latent_dynamics.scenes import LATENT, baked, cantilever
from benchmarks.solver.solver_times import solver_ms
from ml_backend.methods.latent_dynamics.minimum import minimise
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential, Step
from neural_physics.datasets.takes import Take
from neural_physics.energies.air import AIR_DENSITY
from neural_physics.models.model_file import read_model

CPU = torch.device("cpu")
FRAMES = 150
SIGMA = 0.05  # m: what a unit of z moves the beam by; its own weight bends it by twice to thrice that
EVALUATIONS, SEARCH_TOLERANCE = 100, 1e-7  # in a step; of the weight times a metre
Decode = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Subspace:
    """Shapes (n, B, 3), m, of latents (n, L), float64; start (L,): those that a rollout begins with."""

    decode: Decode
    start: Tensor


class StepSolver:
    """Implicit Euler's steps, each solved for its latents by BFGS on energies of the whole body.

    It begins with the latents of the step before, and with the inverse Hessian of a step at rest.
    """

    def __init__(self, subspace: Subspace, potential: IncrementalPotential, unit: float) -> None:
        """unit: J, what is taken for the size of energies."""
        self._decode, self._potential, self._unit = subspace.decode, potential, unit
        self.z = subspace.start[None]
        rest = subspace.decode(self.z).detach()
        resting = _step(rest, rest)
        hessian = torch.autograd.functional.hessian(
            lambda z: potential(subspace.decode(z[None]), resting)[0], self.z[0]
        )
        values, vectors = torch.linalg.eigh(hessian)
        self._inverse = (vectors / values.clamp(min=1e-6 * float(values.max()))) @ vectors.T

    def solved(self, step: Step) -> Tensor:
        """x (1, B, 3) at the minimum that is found."""
        predicted = self._potential.predicted(step)

        def energies(z: Tensor, numbers: Tensor) -> Tensor:
            return self._potential(self._decode(z), step, predicted)

        self.z, _ = minimise(
            energies, self.z, self._inverse, SEARCH_TOLERANCE * self._unit, evaluations=EVALUATIONS
        )
        with torch.no_grad():
            return self._decode(self.z)


def judge() -> dict[str, Any]:
    """Milliseconds, the gap of the potential and the error of a rollout, for each way to step."""
    torch.set_num_threads(1)
    dataset = baked(cantilever(), LATENT)
    body, take = dataset.body, dataset.takes("training")[0]
    assert body is not None and take.body_positions is not None
    true = torch.from_numpy(np.asarray(take.body_positions[:FRAMES], np.float64))
    unit = float(body.masses.sum() * np.linalg.norm(body.gravity))  # J: its weight, times a metre
    potential = IncrementalPotential(body, dataset.info.dt, AIR_DENSITY, 0.0, contact=None, device=CPU)
    path, _ = ablations.model("cantilever", "solved", 0)
    roller = Roller(path, dataset)
    made = data_free(body, SIGMA, LATENT / "models" / "data_free" / "model.safetensors")
    subspaces = {
        "data-free subspace (Sharp et al.), solved": Subspace(
            made, torch.zeros(LATENTS, dtype=torch.float64)
        ),
        "our latents, solved in the same way": _ours(roller, path, take.interaction[0]),
    }
    with torch.no_grad():
        least = [float(potential(true[t, None], _before(true, t))[0]) for t in range(2, FRAMES)]
    rows = [
        {
            "name": "the solver, in full space",
            "ms": solver_ms(dataset, take.name, 100),
            "gap_mm": 0.0,
            "error": 0.0,
        }
    ]
    for name, subspace in subspaces.items():
        solver = StepSolver(subspace, potential, unit)
        found = [solver.solved(_before(true, t)) for t in range(2, FRAMES)]
        with torch.no_grad():
            energies = [float(potential(x, _before(true, t))[0]) for t, x in enumerate(found, 2)]
        ms, error = _rolled(StepSolver(subspace, potential, unit), subspace, true)
        rows.append({"name": name, "ms": ms, "gap_mm": _gap(energies, least, unit), "error": error})
    energies = [float(potential(x, _before(true, t))[0]) for t, x in _predicted(roller, take)]
    ms = _step_ms(roller, take.interaction)
    error = course(roller, take, FRAMES).error(slice(2, FRAMES))
    rows.append({"name": "our network", "ms": ms, "gap_mm": _gap(energies, least, unit), "error": error})
    return {"rows": rows, "frames": FRAMES, "minutes": MINUTES, "latents": LATENTS}


def _gap(energies: Sequence[float], least: Sequence[float], unit: float) -> float:
    """Median of how far above the full-space minimum, as the height in mm that lifts the body as much."""
    return 1e3 * median(a - b for a, b in zip(energies, least, strict=True)) / unit


def _ours(roller: Roller, path: Path, y: np.ndarray) -> Subspace:
    """The model's decoder in torch, with the pins where y has them."""
    model, moved = read_model(path), roller.moved
    tensors = {name: torch.from_numpy(np.array(each, np.float64)) for name, each in model.tensors.items()}
    method = roller.method
    carried = method.coefficients(method.start(y), y)[:moved].astype(np.float64)
    mean = torch.from_numpy(roller.mean + np.tensordot(carried, roller.basis[:moved], 1))
    basis = torch.from_numpy(roller.basis[moved:])
    last = max(
        int(name.split(".")[1]) for name in tensors if name.startswith("decoder.") and "weight" in name
    )

    def decode(z: Tensor) -> Tensor:
        x = z
        for k in range(last + 1):
            h = x @ tensors[f"decoder.{k}.weight"].T + tensors[f"decoder.{k}.bias"]
            h = h if k == last else torch.nn.functional.silu(h)
            x = x + h if 0 < k < last else h
        features = x + z @ tensors["decoder.around"].T
        return mean + torch.einsum("nk,kvd->nvd", features, basis)

    return Subspace(decode, tensors["start_latents"])


def _before(true: Tensor, t: int) -> Step:
    return _step(true[t - 1, None], true[t - 2, None])


def _step(before: Tensor, earlier: Tensor) -> Step:
    """A step of a body whose pins stand still, (1, B, 3)."""
    return Step(before, earlier, torch.zeros(1, 3).double(), before, poses=torch.zeros(1, 0, 4, 4).double())


def _rolled(solver: StepSolver, subspace: Subspace, true: Tensor) -> tuple[float, float]:
    """Median ms of a step, and the error of a rollout relative to the start's shape."""
    with torch.no_grad():
        earlier = before = subspace.decode(subspace.start[None])
    taken, away = [], []
    for t in range(1, len(true)):
        began = process_time()
        x = solver.solved(_step(before, earlier))
        taken.append(process_time() - began)
        before, earlier = x, before
        away.append(float(((x[0] - true[t]) ** 2).sum(1).mean()))
    rest = ((true[1:] - true[0]) ** 2).sum(2).mean(1)
    return 1e3 * median(taken), float(np.sqrt(np.mean(away) / float(rest.mean())))


def _predicted(roller: Roller, take: Take) -> Iterator[tuple[int, Tensor]]:
    """What the network makes of the two true shapes before each frame."""
    x, y = take.positions, take.interaction
    for t in range(2, FRAMES):
        state = roller.method.state_from(x[t - 1], x[t - 2], y[t - 1], y[t - 2])
        state = roller.method.step(state, y[t])
        shape = next(roller.shapes(roller.method.coefficients(state, y[t])[None]))
        yield t, torch.from_numpy(shape)


def _step_ms(roller: Roller, y: np.ndarray) -> float:
    """Median of integration and decoding together."""
    state, taken = roller.method.start(y[0]), []
    for each in y:
        began = process_time()
        state = roller.method.step(state, each)
        roller.method.positions(state, each)
        taken.append(process_time() - began)
    return 1e3 * median(taken)
