"""What rolls a network out on a device of torch's, by its initial model."""

from __future__ import annotations

import torch

from learning.methods.subspace_physics.initial_model import EachBasisByItself
from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.physical_model import PhysicalModel
from ml_backend.methods.subspace_physics.torch_physical_rollout import PhysicalRoller
from ml_backend.methods.subspace_physics.torch_rollout import RecurrenceRoller, TorchRoller


def torch_roller(network: SubspaceNetwork, device: torch.device) -> TorchRoller:
    """The one that fits the network. Raises TypeError where torch has no such initial model."""
    initial_model = network.initial_model
    if isinstance(initial_model, PhysicalModel):
        return PhysicalRoller(network, initial_model, device)
    if isinstance(initial_model, EachBasisByItself):
        return RecurrenceRoller(network, initial_model, device)
    raise TypeError(f"no roller for {type(initial_model).__name__}")
