"""The extension's own network among those that are compared."""

from __future__ import annotations

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats


class KeptNetwork(SubspaceNetwork):
    """`SubspaceNetwork`, of which the parameters themselves are kept, too."""

    def tensors(self, theta: Floats) -> Tensors:
        """See `SubspaceNetwork`; and "theta"."""
        return super().tensors(theta) | {"theta": theta.copy()}
