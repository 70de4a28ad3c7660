"""Takes that tests bake by themselves, without the job that hands them out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neural_physics.baking.handing_over import Workplace, workplace
from neural_physics.baking.plan import BakePlan
from neural_physics.baking.programs import Programs
from neural_physics.baking.work import Work
from neural_physics.datasets.take_folders import holders_folder, last_holder
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.isolated_python import run_module
from neural_physics.jobs.leases import Observer


def silent(_event: object) -> None:
    """Ignore every event."""


def planned(command: Sequence[str]) -> BakePlan:
    """What a bake's job will do."""
    return BakePlan.read(Path(command[-1]) / "bake" / "bake.json")


def place_of(plan: BakePlan, name: str = "take_000") -> Workplace:
    """Where this process bakes the take, its first holder."""
    folder = holders_folder(plan.dataset, name)
    if not folder.is_dir():
        lease = Observer().claim(folder)
        assert lease is not None
        place = workplace(plan, name, lease.number)
        place.take_up()
        place.folder.mkdir(parents=True, exist_ok=True)  # also where the take is there, complete
    return workplace(plan, name, 1)


def take_folder(dataset: Path, name: str = "take_000") -> Path:
    """Where a take is now: handed in, or under way."""
    holder = last_holder(holders_folder(dataset, name))
    under_way = (dataset if holder is None else holder) / "takes" / name
    return under_way if under_way.is_dir() else dataset / "takes" / name


def baked_here(plan: BakePlan, emit: Emit = silent) -> dict[str, Any]:
    """What a bake of a plan comes to, by the solver of this Python; Blender is not to be needed."""
    solver = (*run_module(sys.executable, "ml_backend"), "simulate", "--json")
    for take in plan.takes:
        if holders_folder(plan.dataset, take.name).is_dir():
            place_of(plan, take.name).lease.release()  # nobody is to wait for `place_of`
    return Work(plan, Programs(("false",), solver), emit, StopRequest()).run()


def simulated(
    plan: BakePlan, name: str = "take_000", emit: Emit = silent, stop: StopRequest | None = None
) -> dict[str, Any]:
    """Let the bundled solver simulate a take whose tracks are there, and hand it in; what that said."""
    from ml_backend.simulation.poses.pose_recording import settle_poses
    from ml_backend.simulation.recording import simulate_take

    simulate = settle_poses if plan.take(name).kind == "quasistatic" else simulate_take
    place = place_of(plan, name)
    result = simulate(plan, place, emit, stop or StopRequest())
    place.hand_in()
    return result
