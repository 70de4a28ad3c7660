"""The networks of latent dynamics: residual perceptrons with Swish, with or without batch normalisation."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from learning.training.tensor_files import Tensors


class ResidualNetwork(nn.Module):
    """Layers of one width with Swish (Ramachandran et al. 2017); from the second on each adds to the last.

    layers: the linear output included. normalised: batch normalisation before each Swish (Li et al. 2025,
    section 3.3). quiet: whether the output starts near zero, so that what it adds to is kept at first.
    """

    def __init__(
        self, inputs: int, outputs: int, layers: int, width: int, *, normalised: bool, quiet: bool
    ) -> None:
        super().__init__()
        sizes = [inputs, *[width] * (layers - 1)]
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        norms = [nn.BatchNorm1d(width) for _ in self.hidden]
        self.norms = nn.ModuleList(norms) if normalised else None
        self.out = nn.Linear(width, outputs)
        if quiet:
            nn.init.normal_(self.out.weight, std=0.02 / width**0.5)
            nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(n, outputs) for x (n, inputs)."""
        for k, linear in enumerate(self.hidden):
            h = linear(x)
            h = functional.silu(h if self.norms is None else self.norms[k](h))
            x = h if k == 0 else x + h
        result: Tensor = self.out(x)
        return result

    def tensors(self, name: str) -> Tensors:
        """NAME.K.weight (out, in) and NAME.K.bias, batch normalisation folded into them."""
        found: Tensors = {}
        for k, linear in enumerate([*self.hidden, self.out]):
            weight, bias = linear.weight.detach().double(), linear.bias.detach().double()
            norm = self.norms[k] if self.norms is not None and k < len(self.norms) else None
            if isinstance(norm, nn.BatchNorm1d):
                assert norm.running_mean is not None and norm.running_var is not None
                scale = norm.weight.detach().double() / torch.sqrt(norm.running_var.double() + norm.eps)
                weight = weight * scale[:, None]
                bias = (bias - norm.running_mean.double()) * scale + norm.bias.detach().double()
            found[f"{name}.{k}.weight"] = weight.float().cpu().numpy()
            found[f"{name}.{k}.bias"] = bias.float().cpu().numpy()
        return found


def module_state(module: nn.Module, name: str) -> Tensors:
    """All parameters and buffers as arrays."""
    return {
        f"{name}.{key}": tensor.detach().cpu().numpy().copy() for key, tensor in module.state_dict().items()
    }


def load_module(module: nn.Module, name: str, state: Tensors) -> None:
    """What `module_state` gave."""
    prefix = name + "."
    found = {key.removeprefix(prefix): array for key, array in state.items() if key.startswith(prefix)}
    module.load_state_dict({key: torch.from_numpy(array.copy()) for key, array in found.items()})
