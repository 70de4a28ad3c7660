"""Trains subspace neural physics (Holden 2019) with its windows rolled out on a graphics card."""

from __future__ import annotations

from functools import partial
from typing import Any

from learning.methods.subspace_physics import train as by_numpy
from learning.training.options import Options
from ml_backend.methods.subspace_physics.torch_rollout import TorchRoller
from ml_backend.training.devices import chosen_device
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, StopRequest


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """See `learning.methods.subspace_physics.train`, which also does it where there is no card.

    Raises what that does, and Problem("device_missing").
    """
    device = chosen_device(options.device)
    if device.type == "cpu":
        return by_numpy.train(dataset, options, emit, stop)
    result = by_numpy.train(dataset, options, emit, stop, roller_of=partial(TorchRoller, device=device))
    return {**result, "device": str(device)}
