# ruff: noqa: T201 (a tool that is watched)
"""What `bench_contact.py` needs of Blender: `python tools/contact_bakes.py [NAME ...]`.

Of each example takes to learn from, and another interaction, with another seed, simulated by the bundled
solver as the Bake button has it done. All is kept in build/bench/contact, and what was stopped goes on where
it was.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import workshop
from contact_scenes import EXAMPLES, FRAMES, SCENES, TEST, Example

from neural_physics.bake_plan import PlannedTake
from neural_physics.blender.examples import build, flat_jelly
from neural_physics.blender.properties import settings_of

SEED = 100  # of the interaction that is tested on


def bake(example: Example) -> None:
    """An example's dataset, from its own training motion."""
    # The example's own keys turn what turns: none where nothing is to.
    with patch.object(flat_jelly, "TURN", flat_jelly.TURN if example.turning else 0.0):
        body = build(example.example, workshop.empty_scene())
    settings = settings_of(body)
    settings.take_count, settings.take_frames = example.takes, FRAMES
    item = settings.interactions[0]
    item.turning, item.turn, item.turn_axis = example.turning, example.turn, example.axis
    settings.simulation.tetrahedra = example.triangles or settings.simulation.tetrahedra
    settings.dataset_folder = str(example.folder)
    SCENES.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(SCENES / f"{example.name}.blend"))
    planned = [PlannedTake(name, FRAMES, number, "training") for number, name in enumerate(example.training)]
    workshop.bake(body, f"Bake {example.name}", [*planned, PlannedTake(TEST, FRAMES, SEED, "test")])


def main() -> None:
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    os.environ["PYTHONPATH"] = str(workshop.ROOT)
    known = {example.name: example for example in EXAMPLES}
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"{name} is none of them: {', '.join(known)}")
        bake(known[name])
        print(f"{name} is in {SCENES}")


if __name__ == "__main__":
    workshop.leave_after(main)
