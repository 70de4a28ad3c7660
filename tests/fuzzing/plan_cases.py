"""The plan of a bake that another has left in the dataset."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, replace
from pathlib import Path

from fuzzing.json_mutations import mutated_json_bytes
from fuzzing.watching import Watch
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.baking.surface_places import Places
from neural_physics.datasets.take_folders import holders_folder

TAKES = (
    PlannedTake("take_000", 100, 3, "training"),
    PlannedTake("take_001", 100, 4, "validation"),
    PlannedTake("poses_000", 50, 5, "training", "quasistatic"),
)
PLAN = BakePlan(Path("dataset"), "Sheet", "Scene", "View Layer", takes=TAKES, notes=("a",))
PLAN_FILE = json.dumps({k: v for k, v in asdict(PLAN).items() if k != "dataset"}).encode()
PLACES = Places("Sheet", "edges", (0, 4, 7), 20)


def read_plan(folder: Path, chance: random.Random, watch: Watch) -> None:
    """Read the plan, and ask it what a bake asks."""
    path, places = folder / "bake.json", folder / "places.json"
    path.write_bytes(mutated_json_bytes(PLAN_FILE, chance))
    places.write_bytes(mutated_json_bytes(json.dumps(asdict(PLACES)).encode(), chance))
    watch(Places.read, places)
    plan = watch(BakePlan.read, path)
    for take in plan.takes:
        assert plan.take(take.name) and take.frames > 0
        assert holders_folder(plan.dataset, take.name).parent == plan.folder, take.name
    f"{plan.object} {plan.scene} {plan.view_layer} {' '.join(plan.notes)}".encode()
    assert plan.motions >= 1 and plan.parallel >= 0 and isinstance(plan.by_solver, bool)
    here = replace(plan, dataset=folder)  # nothing is to be written where a stranger's plan says
    here.write()
    assert BakePlan.read(here.path) == here
