"""What rolls a network out sooner on this computer: NumPy, or its graphics card.

Which one does depends on both, and on the network: beside a quick processor a card gains nothing with few
bases (docs/benchmarks/subspace_physics.md, "A training step"). So a few steps of each are timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from learning.methods.subspace_physics.network import Roller, SubspaceNetwork
from learning.methods.subspace_physics.presets import SubspacePreset
from neural_physics.jobs.events import Emit

SECONDS, FEWEST = 0.3, 3  # of each: how long, and at least how many steps
NO_USE = "The graphics card cannot be used ({}), so the processor trains."


def quicker_roller(
    network: SubspaceNetwork,
    preset: SubspacePreset,
    emit: Emit,
    on_card: Callable[[SubspaceNetwork], Roller],
) -> Roller:
    """The network itself, or what rolls it out on the card, if a step is sooner done there.

    A card may be listed and of no use: too old for this torch, or its memory full. The log says so.
    """
    try:
        card = on_card(network)
        by_card = _seconds(card, network, preset)
    except RuntimeError as error:  # torch's kind for whatever a card cannot do
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        emit({"event": "log", "text": NO_USE.format(reason)})
        return network
    return card if by_card < _seconds(network, network, preset) else network


def _seconds(roller: Roller, network: SubspaceNetwork, preset: SubspacePreset) -> float:
    """The median time of a window and its gradient, as a step of the training takes them."""
    random = np.random.default_rng(0)
    bases, frames = network.sizes[-1], preset.window
    numbers = (network.sizes[0] - network.states) // (2 if network.interaction_velocity else 1)
    z = random.standard_normal((frames, preset.batch, bases), np.float32)
    w = random.standard_normal((frames, preset.batch, numbers), np.float32)
    times: list[float] = []
    # The first one is not counted: a card's memory is found, and its work recorded.
    while len(times) <= FEWEST or sum(times[1:]) < SECONDS:
        begun = time.perf_counter()
        _, pullback = roller.with_pullback(network.initial, z[0], z[1], w)
        pullback(z[2:])
        times.append(time.perf_counter() - begun)
    return float(np.median(times[1:]))
