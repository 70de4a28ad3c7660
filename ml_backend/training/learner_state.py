"""What learners keep in checkpoints: their parameters and their optimiser's moments, as named arrays."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from learning.training.tensor_files import Tensors


def parameters_state(parameters: Sequence[Tensor]) -> Tensors:
    """Each as parameter.K."""
    return {f"parameter.{k}": each.detach().cpu().numpy().copy() for k, each in enumerate(parameters)}


def load_parameters(parameters: Sequence[Tensor], state: Tensors) -> None:
    """What `parameters_state` gave."""
    with torch.no_grad():
        for k, each in enumerate(parameters):
            each.copy_(torch.from_numpy(state[f"parameter.{k}"].copy()))


def optimiser_state(optimiser: torch.optim.Optimizer, name: str) -> Tensors:
    """Adam's moments and step counts as arrays."""
    found: Tensors = {}
    for number, moments in optimiser.state_dict()["state"].items():
        found |= {f"{name}.{number}.{key}": tensor.cpu().numpy().copy() for key, tensor in moments.items()}
    return found


def load_optimiser(optimiser: torch.optim.Optimizer, name: str, state: Tensors) -> None:
    """What `optimiser_state` gave."""
    moments: dict[int, dict[str, Tensor]] = {}
    for key, array in state.items():
        if key.startswith(name + "."):
            number, what = key.removeprefix(name + ".").split(".")
            moments.setdefault(int(number), {})[what] = torch.from_numpy(array.copy())
    optimiser.load_state_dict({**optimiser.state_dict(), "state": moments})
