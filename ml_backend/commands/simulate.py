"""`simulate PLAN body`, `simulate PLAN TAKE`: what the bake job asks of the bundled solver."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ml_backend.commands.environment_check import missing
from neural_physics.errors import Problem
from neural_physics.jobs.cores import keep_to_cores
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.overdue import end_when_overdue

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "solver.txt"
BODY = "body"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `simulate`."""
    parser.add_argument("plan", type=Path, help="the bake.json file of a bake")
    parser.add_argument("task", metavar="TAKE", help=f"a take whose tracks are recorded, or “{BODY}”")
    parser.add_argument("--holder", type=int, default=0, help="whose take it is, by number")
    parser.add_argument("--core", type=int, help="the CPU core to run on")
    parser.add_argument("--coordinator", type=int, default=0, help="id of the process to exit with")


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Returns what the "result" event says.

    Raises Problem("simulating_python_lacks"), and what `prepare_body`, `simulate_take` and `settle_poses` do.
    """
    stop.follow(args.coordinator)
    if args.coordinator:  # else this process is somebody's own
        end_when_overdue(stop)
    if args.core is not None:
        keep_to_cores([args.core])  # before NumPy starts its threads
    try:
        from neural_physics.baking.handing_over import workplace
        from neural_physics.baking.plan import BakePlan

        plan = BakePlan.read(args.plan)
        if args.task == BODY:
            from ml_backend.simulation.preparing import prepare_body

            return prepare_body(plan, emit)
        place = workplace(plan, args.task, args.holder)
        if plan.take(args.task).kind == "quasistatic":
            from ml_backend.simulation.poses.pose_recording import settle_poses

            return settle_poses(plan, place, emit, stop)
        from ml_backend.simulation.recording import simulate_take

        return simulate_take(plan, place, emit, stop)
    except ImportError as error:
        lacking = missing(REQUIREMENTS) if REQUIREMENTS.is_file() else []
        reason = ", ".join(lacking) or error.name or error
        raise Problem("simulating_python_lacks", path=sys.executable, missing=reason) from error
