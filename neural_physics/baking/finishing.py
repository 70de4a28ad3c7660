"""What a bake has come to, once nothing is left to do."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..datasets.frame_checks import FALLING
from ..datasets.simulation_request import SimulationRequest
from ..datasets.take_folders import holders_folder
from ..datasets.takes import Dataset, TakeOutline, left_out, left_out_in_all
from ..errors import Problem
from ..files.looking import has_folder
from ..jobs.events import Emit, StopRequest
from ..jobs.leases import PATIENCE, RENEW_EVERY, Lease, Observer, holder_of
from .handing_over import Workplace, is_complete
from .own_files import clear_holders, clear_made_by_bakes
from .plan import FEWEST_FRAMES, BakePlan, PlannedTake
from .together import give_each_its_own
from .workers import LOOK_EVERY

LEFT = "All takes are there, but {folder} could not be deleted: a bake's files in it are not needed any more."


def result_of(plan: BakePlan, emit: Emit) -> dict[str, Any]:
    """What the "result" event says; the bake's own files are deleted if all takes are complete.

    Raises Problem("simulation_unusable" | "solver_unusable" | "springs_unusable" | "simulation_falls" |
    "poses_unusable").
    """
    takes = Dataset.open(plan.dataset).outlines()
    give_each_its_own(plan.dataset, [take.name for take in takes if take.info.complete])
    usable = sum(take.usable_frames for take in takes)
    posed = [take for take in takes if not take.moves]
    moving = [take for take in takes if take.moves]
    if not any(take.usable_frames for take in moving):
        raise _unusable(plan, moving)
    if posed and not any(take.usable_frames for take in posed):
        count, reason = sum(take.frame_count for take in posed), _reasons(posed)
        raise Problem("poses_unusable", object=plan.object, count=count, reason=reason)
    complete = {take.name for take in takes if take.info.complete}
    # Others may be begun, or planned, that were not asked for now.
    notes = [*plan.notes, *left_out_in_all(takes)]
    if len(complete) == len(takes) and complete.issuperset(take.name for take in plan.takes):
        clear_made_by_bakes(plan.dataset, plan.folder)
        if plan.folder.exists():
            notes.append(LEFT.format(folder=plan.folder))
    for take in takes:
        if take.info.excluded:
            emit({"event": "log", "text": left_out(take)})
    frames = sum(take.frame_count for take in takes)
    return {
        "dataset": str(plan.dataset),
        "takes": len(takes),
        "frames": frames,
        "excluded": frames - usable,
        "notes": notes,
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


def finish(plan: BakePlan, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """End all takes with the frames that they have, and close the bake; what `result_of` says of it.

    Waits as long as it takes to see that nobody works on a take any more.
    Raises Problem("take_held" | "stopped"), what `Workplace.take_up` does and what `result_of` does.
    """
    dataset, observer = Dataset.open(plan.dataset), Observer()
    for take in plan.takes:
        folder = holders_folder(plan.dataset, take.name)
        begun = has_folder(folder) or take.name in dataset.take_names()
        if begun and not is_complete(plan.dataset, take.name):
            _end(Workplace(dataset, take.name, _claimed(observer, folder, take.name, stop)), take)
    ended = {take.name for take in dataset.outlines()}
    kept = tuple(take for take in plan.takes if take.name in ended)
    return result_of(replace(plan, takes=kept), emit)


def _claimed(observer: Observer, folder: Path, name: str, stop: StopRequest) -> Lease:
    patience = time.monotonic() + PATIENCE + RENEW_EVERY
    while (lease := observer.claim(folder, "finish")) is None:
        stop.check()
        if time.monotonic() > patience:
            holder = holder_of(folder)
            host = holder.said.get("host") if holder else None
            raise Problem("take_held", take=name, host=host or "another computer")
        time.sleep(LOOK_EVERY)
    return lease


def _end(place: Workplace, take: PlannedTake) -> None:
    if not place.take_up():
        return
    under_way = place.under_way()
    if take.name in under_way.take_names():
        info = under_way.outline(take.name).info
        with under_way.writer(take.name, info, may_write=place.may_write) as writer:
            writer.end_here()
        if writer.count >= FEWEST_FRAMES:
            place.hand_in()
            return
    clear_holders(place.dataset.path, place.lease.folder)
