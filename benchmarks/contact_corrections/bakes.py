# ruff: noqa: T201 (a tool that is watched)
"""What the benchmark needs of Blender: `python -m benchmarks.contact_corrections.bakes [NAME ...]`.

Of each example takes to learn from, and another interaction, with another seed, simulated by the bundled
solver as the Bake button has it done. All is kept in build/bench/contact, and what was stopped goes on where
it was.
"""

from __future__ import annotations

import os
import sys
from shutil import copyfile
from unittest.mock import patch

import bpy

from benchmarks.contact_corrections.scenes import BETWEEN, EXAMPLES, FRAMES, SCENES, TEST, Example
from neural_physics.baking.plan import PlannedTake
from neural_physics.blender.examples import build
from neural_physics.blender.examples.solids import finger, flat_jelly
from neural_physics.blender.settings.properties import settings_of
from tools import workshop

SEED = 100  # of the interaction that is tested on


def bake(example: Example) -> None:
    """An example's dataset, from its own training motion."""
    planned = [PlannedTake(name, FRAMES, number, "training") for number, name in enumerate(example.training)]
    # The example's own keys turn what turns: none where nothing is to.
    with patch.object(flat_jelly, "TURN", flat_jelly.TURN if example.turning else 0.0):
        _bake(example, [*planned, PlannedTake(TEST, FRAMES, SEED, "test")])
    if example.between:
        others = zip(finger.BALLS, example.between, strict=True)
        balls = [(name, radius, side, colour) for (name, _, side, colour), radius in others]
        with patch.object(finger, "BALLS", balls):
            folder = example.folder_of(BETWEEN)
            folder.mkdir(exist_ok=True)
            copyfile(example.folder / "body.npz", folder / "body.npz")  # each filling is another one
            _bake(example, [PlannedTake(BETWEEN, FRAMES, SEED, "test")])


def _bake(example: Example, planned: list[PlannedTake]) -> None:
    """These takes of it."""
    body = build(example.example, workshop.empty_scene())
    settings = settings_of(body)
    # One more than are learned from: the scene is kept for others as long as any is missing.
    settings.take_count, settings.take_frames = example.takes + 1, FRAMES
    item = settings.interactions[0]
    item.turning, item.turn, item.turn_axis = example.turning, example.turn, example.axis
    settings.simulation.tetrahedra = example.triangles or settings.simulation.tetrahedra
    folder = example.folder_of(planned[0].name)
    settings.dataset_folder = str(folder)
    SCENES.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder.with_suffix(".blend")))
    workshop.bake(body, f"Bake {example.name}", planned)


def main() -> None:
    """Bake the takes of the examples named on the command line, or of all."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    os.environ["PYTHONPATH"] = str(workshop.ROOT)
    known = {example.name: example for example in EXAMPLES}
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"{name} is none of them: {', '.join(known)}")
        bake(known[name])
        print(f"{name} is in {SCENES}")


if __name__ == "__main__":
    workshop.run_and_exit(main)
