# ruff: noqa: T201 (a tool that is watched)
"""What `bench_contact.py` needs of Blender: `python tools/contact_bakes.py [NAME ...]`.

Of each jelly takes to learn from, and another interaction, with another seed, simulated by the bundled
solver as the Bake button has it done. All is kept in build/bench/contact, and what was stopped goes on where
it was.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import workshop
from contact_scenes import FRAMES, JELLIES, SCENES, TEST, TRAINING, Jelly

from neural_physics.bake_plan import PlannedTake
from neural_physics.blender.examples import build
from neural_physics.blender.properties import settings_of

SEED = 100  # of the interaction that is tested on


def bake(jelly: Jelly) -> None:
    """A jelly's dataset, from its example's own training motion."""
    body = build(jelly.example, workshop.empty_scene())
    settings = settings_of(body)
    settings.take_count, settings.take_frames = len(TRAINING), FRAMES
    settings.interactions[0].turning = jelly.turning
    settings.dataset_folder = str(jelly.folder)
    SCENES.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(SCENES / f"{jelly.name}.blend"))
    planned = [PlannedTake(name, FRAMES, number, "training") for number, name in enumerate(TRAINING)]
    workshop.bake(body, f"Bake {jelly.name}", [*planned, PlannedTake(TEST, FRAMES, SEED, "test")])


def main() -> None:
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    os.environ["PYTHONPATH"] = str(workshop.ROOT)
    known = {jelly.name: jelly for jelly in JELLIES}
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"{name} is none of them: {', '.join(known)}")
        bake(known[name])
        print(f"{name} is in {SCENES}")


if __name__ == "__main__":
    workshop.leave_after(main)
