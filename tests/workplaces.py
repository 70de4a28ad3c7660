"""Takes that tests bake by themselves, without the job that hands them out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from neural_physics.baking.handing_over import Workplace, lease_folder, workplace
from neural_physics.baking.plan import BakePlan
from neural_physics.files.leases import Observer
from neural_physics.jobs.events import Emit, StopRequest


def silent(_event: object) -> None:
    """Ignore every event."""


def planned(command: Sequence[str]) -> BakePlan:
    """What a bake's job will do."""
    return BakePlan.read(Path(command[-1]) / "bake" / "bake.json")


def place_of(plan: BakePlan, name: str = "take_000") -> Workplace:
    """Where this process bakes the take, its first holder."""
    folder = lease_folder(plan.dataset, name)
    if not folder.is_dir():
        lease = Observer().claim(folder)
        assert lease is not None and Workplace(workplace(plan, name, 1).dataset, name, lease).take_up()
    return workplace(plan, name, 1)


def simulated(
    plan: BakePlan, name: str = "take_000", emit: Emit = silent, stop: StopRequest | None = None
) -> None:
    """Let the bundled solver simulate a take whose tracks are there, and hand it in."""
    from ml_backend.simulation.poses.pose_recording import settle_poses
    from ml_backend.simulation.recording import simulate_take

    simulate = settle_poses if plan.take(name).kind == "quasistatic" else simulate_take
    place = place_of(plan, name)
    simulate(plan, place, emit, stop or StopRequest())
    place.hand_in()
