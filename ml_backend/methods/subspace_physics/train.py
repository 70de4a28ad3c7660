"""Trains subspace neural physics (Holden 2019) with its windows rolled out on a graphics card."""

from __future__ import annotations

from typing import Any, cast

from learning.methods.subspace_physics import train as by_numpy
from learning.methods.subspace_physics.network import Roller, SubspaceNetwork
from learning.methods.subspace_physics.presets import SubspacePreset
from learning.training.options import Options
from ml_backend.methods.subspace_physics.chosen_roller import quicker_roller
from ml_backend.training.torch_build import built_for_cards
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, StopRequest


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """See `learning.methods.subspace_physics.train`, which also does it where the card does not gain.

    Raises what that does, and Problem("device_missing").
    """
    if options.device == "cpu" or (options.device == "auto" and not built_for_cards()):
        return by_numpy.train(dataset, options, emit, stop)  # without the seconds that loading torch takes
    from ml_backend.methods.subspace_physics.graphed_rollout import GraphedRoller
    from ml_backend.methods.subspace_physics.torch_rollers import torch_roller
    from ml_backend.training.devices import chosen_device

    device = chosen_device(options.device)
    preset = cast(SubspacePreset, options.preset)

    def on_card(network: SubspaceNetwork) -> Roller:
        return GraphedRoller(torch_roller(network, device))

    def roller_of(network: SubspaceNetwork) -> Roller:
        if device.type == "cpu":
            return network
        return (
            on_card(network) if options.device == "cuda" else quicker_roller(network, preset, emit, on_card)
        )

    return by_numpy.train(dataset, options, emit, stop, roller_of=roller_of)
