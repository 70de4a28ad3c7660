"""A subspace of shapes that is learned without data (Sharp et al. 2023, *Data-Free Learning of Reduced-Order
Kinematics*): a small version of our own, from the paper, for the comparison in `peer`.

x(z) = rest + network(z) - network(0) at the free vertices. Its loss, over random z and z' of unit spread, is

    V(x(z)) / w + weight (log (|x(z) - x(z')|_M / (sigma |z - z'|)))^2,

V the elastic energy and that of weight, w the weight of the body times a metre, |.|_M the mean distance by
mass: without the second term all latents would mean the shape of least energy.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time

import numpy as np
import torch
from torch import Tensor, nn

from learning.training.tensor_files import read_tensors, write_tensors
from ml_backend.methods.latent_dynamics.networks import load_module, module_state
from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy
from neural_physics.datasets.body import Body

LATENTS, WIDTH, BATCH = 8, 128, 32
MINUTES = 3.0  # of the processor
EXPANSION = 1.0  # weight of the second term
RATE = 1e-3
DTYPE = torch.float64
NAME = "subspace"  # of its tensors in a file


class DataFreeSubspace(nn.Module):
    """A map from z (n, L) to positions (n, B, 3), m."""

    rest: Tensor
    free: Tensor

    def __init__(self, body: Body) -> None:
        super().__init__()
        self.register_buffer("rest", torch.from_numpy(body.rest_positions))
        self.register_buffer("free", torch.from_numpy(np.flatnonzero(~body.pinned)))
        sizes = [LATENTS, WIDTH, WIDTH, WIDTH]
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers += [nn.Linear(before, after), nn.ELU()]
        self.network = nn.Sequential(*layers, nn.Linear(WIDTH, 3 * len(self.free))).to(DTYPE)

    def forward(self, z: Tensor) -> Tensor:
        """(n, B, 3) m for z (n, L); z = 0 is the rest shape, and pinned vertices never move."""
        moved = self.network(z) - self.network(torch.zeros_like(z[:1]))
        x: Tensor = self.rest.expand(len(z), -1, 3).clone()
        x[:, self.free] += moved.view(len(z), -1, 3)
        return x


def data_free(body: Body, sigma: float, path: Path) -> DataFreeSubspace:
    """Trained on one thread, or read from `path`. sigma: metres, what one unit of z moves the body by."""
    torch.manual_seed(0)
    model = DataFreeSubspace(body)
    kept = read_tensors(path)
    if kept is not None:
        load_module(model, NAME, kept[0])
        return model.eval()
    loss = _loss(body, sigma, model)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    generator = torch.Generator().manual_seed(1)
    started, share, step = process_time(), 0.0, 0
    while share < 1.0:
        share = (process_time() - started) / (60.0 * MINUTES)
        # The latents grow from nothing: the network first learns what is near the shape at rest.
        reach = min(1.0, 0.05 + 2.0 * share)
        z, other = reach * torch.randn(2, BATCH, LATENTS, generator=generator, dtype=DTYPE)
        for group in optimiser.param_groups:
            group["lr"] = RATE * 0.5 * (1.0 + np.cos(np.pi * min(share, 1.0)))
        value = loss(z, other)
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % 500 == 0:
            print(f"data-free subspace: {step} steps, loss {value.item():.3f}", flush=True)  # noqa: T201
    write_tensors(path, module_state(model, NAME), {})
    return model.eval()


def _loss(body: Body, sigma: float, model: DataFreeSubspace) -> Callable[[Tensor, Tensor], Tensor]:
    elastic = BodyEnergy(body, torch.device("cpu"), DTYPE)
    masses = torch.from_numpy(np.where(body.pinned, 0.0, body.masses))
    pull = masses[:, None] * torch.from_numpy(np.asarray(body.gravity, np.float64))
    unit = float(pull.norm(dim=1).sum())

    def loss(z: Tensor, other: Tensor) -> Tensor:
        x, y = model(z), model(other)
        potential = elastic(x) - (pull * (x - model.rest)).sum((1, 2))
        apart = (((x - y) ** 2).sum(2) @ masses / masses.sum()).sqrt()
        stretched = torch.log(apart / (sigma * (z - other).norm(dim=1)))
        return (potential / unit).mean() + EXPANSION * (stretched**2).mean()

    return loss
