"""What a bake has come to, once nothing is left to do."""

from __future__ import annotations

import shutil
from typing import Any

from ..datasets.frame_checks import FALLING
from ..datasets.simulation_request import SimulationRequest
from ..datasets.takes import Dataset, TakeOutline, left_out, left_out_in_all
from ..errors import Problem
from ..jobs.events import Emit
from .plan import BakePlan


def result_of(plan: BakePlan, emit: Emit) -> dict[str, Any]:
    """What the "result" event says; the bake's own files are deleted if all takes are complete.

    Raises Problem("simulation_unusable" | "solver_unusable" | "springs_unusable" | "simulation_falls" |
    "poses_unusable").
    """
    takes = Dataset.open(plan.dataset).outlines()
    usable = sum(take.usable_frames for take in takes)
    posed = [take for take in takes if take.info.kind == "quasistatic"]
    moving = [take for take in takes if take not in posed]
    if not any(take.usable_frames for take in moving):
        raise _unusable(plan, moving)
    if posed and not any(take.usable_frames for take in posed):
        count, reason = sum(take.frame_count for take in posed), _reasons(posed)
        raise Problem("poses_unusable", object=plan.object, count=count, reason=reason)
    complete = {take.name for take in takes if take.info.complete}
    # Others may be begun, or planned, that were not asked for now.
    if len(complete) == len(takes) and complete.issuperset(take.name for take in plan.takes):
        shutil.rmtree(plan.folder, ignore_errors=True)
    for take in takes:
        if take.info.excluded:
            emit({"event": "log", "text": left_out(take)})
    frames = sum(take.frame_count for take in takes)
    return {
        "dataset": str(plan.dataset),
        "takes": len(takes),
        "frames": frames,
        "excluded": frames - usable,
        "notes": [*plan.notes, *left_out_in_all(takes)],
    }


def _unusable(plan: BakePlan, takes: list[TakeOutline]) -> Problem:
    """What there is to do about takes without a usable frame."""
    reasons = {e.reason for take in takes for e in take.info.excluded}
    if reasons == {FALLING}:
        return Problem("simulation_falls", object=plan.object)
    code = "simulation_unusable"
    if plan.by_solver:
        springs = SimulationRequest.read(plan.request).settings.kind == "springs"
        code = "springs_unusable" if springs else "solver_unusable"
    return Problem(code, object=plan.object, reason=_reasons(takes))


def _reasons(takes: list[TakeOutline]) -> str:
    return ", ".join(sorted({e.reason for take in takes for e in take.info.excluded}))
