"""A process that rolls out a share of a training's windows: see `shared_rolling`."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.network_for_dataset import network_for
from learning.methods.subspace_physics.presets import SubspacePreset
from learning.training.array_streams import receive, send
from learning.training.subspace_data import SubspaceData
from learning.training.tensor_files import read_tensors
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.processes import POLITE


def helper_words(dataset: Path, subspace: Path, preset: SubspacePreset, seed: int) -> list[str]:
    """What a helper is told when it is started. subspace: the file in which the training keeps its data."""
    return [str(dataset), str(subspace), json.dumps(asdict(preset)), str(seed)]


def main(dataset: str, subspace: str, preset: str, seed: str) -> None:
    """Serve on standard input and output. Whoever is asked to stop is the training, and not its helpers."""
    for asked in POLITE:
        signal.signal(asked, signal.SIG_IGN)
    chosen, kept = SubspacePreset(**json.loads(preset)), read_tensors(Path(subspace))
    if kept is None:
        return
    data = SubspaceData.from_tensors(kept[0])
    if chosen.relative_scale:
        data = data.in_relative_scale()
    network = network_for(data, Dataset.open(Path(dataset)), chosen, int(seed))
    serve(network, sys.stdin.buffer, sys.stdout.buffer)


def serve(network: SubspaceNetwork, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Roll out what is asked for, and back, again and again, until nobody asks any more."""
    try:
        while True:
            states, pullback = network.with_pullback(*(receive(asked) for _ in range(4)))
            send(answers, states)
            send(answers, pullback(receive(asked)))
    except (OSError, EOFError):  # the training has ended
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
