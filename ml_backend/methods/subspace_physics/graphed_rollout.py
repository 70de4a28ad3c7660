"""A window's rollout on a graphics card, recorded once and then replayed as a whole.

A window is hundreds of small products one after the other, which take the card less time than the processor
needs to start them. As a CUDA graph they are started at once; "A training step" in
docs/benchmarks/subspace_physics.md has what that gains.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from learning.methods.subspace_physics.network import Pullback
from ml_backend.methods.subspace_physics.torch_rollout import TorchRoller, as_array
from neural_physics.arrays import Floats

WARM_UPS = 3  # runs before one is recorded, as torch asks for: libraries allocate in their first


class GraphedRoller:
    """A `Roller` on a graphics card that torch calls CUDA."""

    def __init__(self, roller: TorchRoller) -> None:
        """roller: what is recorded."""
        self._roller, self.device = roller, roller.device
        self._recorded: dict[tuple[torch.Size, torch.dtype], RecordedRollout] = {}

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        return self._roller.rollout(theta, z0, z1, w)

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`. Windows of one length are recorded once."""
        given = self._roller.tensors(theta, z0, z1, w)
        key = given[-1].shape, given[0].dtype
        if key not in self._recorded:
            self._recorded[key] = RecordedRollout(self._roller.roll, given)
        recorded = self._recorded[key]

        def pullback(slope: Floats) -> Floats:
            return as_array(recorded.gradient(self._roller.tensor(slope)))

        return as_array(recorded.rollout(given)), pullback


class RecordedRollout:
    """`TorchRoller.roll` and its gradient by theta for one shape of tensors, as two CUDA graphs."""

    def __init__(self, roll: Callable[..., Tensor], given: list[Tensor]) -> None:
        stream = torch.cuda.Stream(given[0].device)
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._given = [each.clone() for each in given]
            theta = self._given[0].requires_grad_()
            for _ in range(WARM_UPS):
                rolled = roll(*self._given)
                self._slope = torch.zeros_like(rolled)
                torch.autograd.grad(rolled, theta, self._slope)
        torch.cuda.current_stream().wait_stream(stream)
        self._forward, self._backward = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._forward, stream=stream):
            self._rolled = roll(*self._given)
        with torch.cuda.graph(self._backward, pool=self._forward.pool(), stream=stream):
            (self._gradient,) = torch.autograd.grad(self._rolled, theta, self._slope)

    @torch.no_grad()
    def rollout(self, given: list[Tensor]) -> Tensor:
        """What `roll(*given)` returns, until the next call."""
        for kept, each in zip(self._given, given, strict=True):
            kept.copy_(each)
        self._forward.replay()
        return self._rolled.detach()

    @torch.no_grad()
    def gradient(self, slope: Tensor) -> Tensor:
        """The gradient by theta of the last rollout, from the slope by its states; until the next call."""
        self._slope.copy_(slope)
        self._backward.replay()
        return self._gradient
