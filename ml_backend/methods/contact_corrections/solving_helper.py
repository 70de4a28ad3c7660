"""A process that solves for the shapes at rest of some of a training's states: see `shared_solving`."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import numpy as np

from learning.training.array_streams import receive, send
from learning.training.spans import split
from ml_backend.methods.contact_corrections.placed_handles import PlacedHandle, placed_handle
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import ROWS, OfState
from ml_backend.methods.contact_corrections.scene import contact_scene
from ml_backend.methods.contact_corrections.shapes_at_rest import ShapeSolver
from neural_physics.arrays import Doubles
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.processes import POLITE

NONE = np.zeros(0, np.float32)


@dataclass(frozen=True)
class Asked:
    """A state whose shapes are asked for. seeds: of the places where colliders are pressed in.

    positions (B, d): of the body, m. y: of its interaction. pressed: whether colliders are pressed in.
    """

    seeds: Sequence[int]
    positions: Doubles
    y: Doubles
    pressed: bool

    def solved(self, solver: ShapeSolver) -> OfState:
        """Its shapes at rest."""
        rng = np.random.default_rng(self.seeds)
        return solver.of_state(self.positions, self.y, rng if self.pressed else None)

    def send(self, helper: IO[bytes]) -> None:
        """Ask a helper for them. Raises OSError where it has ended."""
        send(helper, np.array(self.seeds), self.positions, self.y, np.array(self.pressed))


def helper_words(dataset: Path, preset: ContactPreset, placed: Sequence[PlacedHandle]) -> list[str]:
    """What a helper is told when it is started. placed: the handles that the artist has placed."""
    return [str(dataset), json.dumps(asdict(preset)), *(handle.word for handle in placed)]


def main(path: str, preset: str, *placed: str) -> None:
    """Serve on standard input and output. Whoever is asked to stop is the training, and not its helpers."""
    for asked in POLITE:
        signal.signal(asked, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    chosen, dataset = ContactPreset(**json.loads(preset)), Dataset.open(Path(path))
    body = dataset.body
    if body is None:
        return
    own = tuple(placed_handle(word) for word in placed)
    scene = contact_scene(dataset, body, split(dataset)[0], chosen.handles, placed=own)
    serve(ShapeSolver(scene, chosen), sys.stdin.buffer, answers)


def serve(solver: ShapeSolver, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Solve for what is asked for again and again, until nobody asks any more."""
    try:
        while True:
            seeds, positions, y, pressed = (receive(asked) for _ in range(4))
            found = Asked(seeds.tolist(), positions, y, bool(pressed)).solved(solver)
            send(answers, np.array(found.unsettled), *(found.rows.get(name, NONE) for name in ROWS))
    except (OSError, EOFError):  # the training has ended
        return


def answer(process_output: IO[bytes]) -> OfState:
    """What it has found. Raises OSError and EOFError where it has ended."""
    unsettled, *rows = (receive(process_output) for _ in range(1 + len(ROWS)))
    return OfState({name: row for name, row in zip(ROWS, rows, strict=True) if len(row)}, int(unsettled))


if __name__ == "__main__":
    main(*sys.argv[1:])
