"""Choosing the motion of new takes: of several for each, those on which the trained model is least sure.

Nothing is simulated for it: the scene is only read, and the model plays what it reads.

Of the computers that bake a dataset one chooses, and the others wait for it: `choice/holder_000002.json` says
which (see `jobs.leases`), and in `choice/2` is what the second of them found. Who takes over from one that is
gone goes on from that.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..datasets.take_folders import holder_folders, holders_folder, last_holder
from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.links import is_link
from ..files.listing import entries
from ..files.looking import has_folder
from ..files.reading import NotReadable, read_bytes, read_json
from ..jobs.cores import core_for_another
from ..jobs.events import Emit, Progress, StopRequest
from ..jobs.leases import Lease, Observer, holder_of
from ..jobs.process import JobFiles, JobProcess
from ..plain_text import one_line
from ..wording import distance, plural
from .plan import BakePlan, PlannedTake
from .programs import Programs
from .workers import LOOK_EVERY, POLL_EVERY, TRIES, end, most_at_once, start_blender

STAGE = "Choosing takes"
WAITING = "Waiting while {host} chooses takes"
LARGEST_SQUARE = 1e12  # m^2, of an error that anybody can have
TASK = "choice_"  # before the number of a share, as the name of a worker's task
SUFFIX = ".scores"
CHOSEN = (
    "The motion of {takes} was chosen from {motions}, where the model is least sure: there it expects to be "
    "{chosen} off, in all of them {all}."
)
NOT_CHOSEN = "The new takes move at random, as the motion for them could not be chosen (log: {path})."


def candidates(plan: BakePlan, stop: StopRequest | None = None) -> list[PlannedTake]:
    """What may be baked: in place of each take whose motion is open, `plan.motions` with seeds of their own.

    The first of them is the take as it was planned. No two have the same seed.
    Raises Problem("stopped") where that is asked for meanwhile.
    """
    stop = stop or StopRequest()
    still_open = open_takes(plan)
    decided = set(plan.takes).difference(still_open)
    used = {take.seed for take in decided}
    drawn: dict[int, PlannedTake] = {}
    for take in still_open:
        stop.check()  # there may be half a million motions
        for seed in (take.seed, *_more_seeds(take.seed, plan.motions - 1)):
            if seed not in used:
                drawn.setdefault(seed, replace(take, seed=seed))
    return list(drawn.values())


def open_takes(plan: BakePlan) -> list[PlannedTake]:
    """The takes whose motion can still be chosen. What a model is judged by is left to chance."""
    begun = plan.dataset / "takes"
    return [
        take
        for take in plan.takes
        if take.role == "training"
        and take.kind == "dynamic"
        and not has_folder(begun / take.name)
        and last_holder(holders_folder(plan.dataset, take.name)) is None
    ]


def choose(plan: BakePlan, programs: Programs, emit: Emit, stop: StopRequest) -> BakePlan:
    """The plan with the motion of its new takes chosen, here or by another computer; it is then on disk, too.

    A choice that was stopped goes on where it was.

    Raises Problem("stopped" | "folder_not_writable" | "disk_full" | "place_is_link" | "dataset_damaged").
    """
    observer, waiting = Observer(), None
    while plan.motions > 1:
        stop.check()
        lease = observer.claim(_choosers(plan), platform.node())
        plan = _as_it_is_now(plan)  # after the claim: until then another one may have chosen
        if lease is not None:
            plan = _chosen_under(lease, plan, programs, emit, stop=stop)
        elif plan.motions > 1:
            asked, scored, stage = candidates(plan, stop), read_scores(plan), WAITING.format(host=_host(plan))
            waiting = waiting or Progress(emit, stage, sum(take.frames for take in asked))
            waiting.stage = stage
            waiting.at(sum(take.frames for take in asked if take.seed in scored))
            time.sleep(LOOK_EVERY)
    return plan


def _chosen_under(
    lease: Lease, plan: BakePlan, programs: Programs, emit: Emit, *, stop: StopRequest
) -> BakePlan:
    """The plan as it is chosen here; as it is, where another one has taken over meanwhile."""
    try:
        return _chosen(lease, plan, programs, emit, stop=stop) if plan.motions > 1 else plan
    except Problem as problem:
        if problem.code != "taken_over":
            raise
        return plan
    finally:
        lease.release()


def _chosen(lease: Lease, plan: BakePlan, programs: Programs, emit: Emit, *, stop: StopRequest) -> BakePlan:
    asked = candidates(plan, stop)
    if not asked:
        return replace(plan, motions=1)
    shares = range(min(most_at_once(plan), len(asked)))
    for _ in range(TRIES):
        processes: list[JobProcess] = []
        taken: list[int] = []
        for share in shares:
            taken.append(core_for_another(taken))
            processes.append(_process(plan, programs, lease, _task(share, len(shares)), core=taken[-1]))
        failed = _run(processes, asked, lease, emit, stop=stop)
        if failed is None:
            break
    scores = {} if failed is not None else read_scores(plan)
    if any(take.seed not in scores for take in asked):
        note = NOT_CHOSEN.format(path=failed or plan.folder)
    else:
        picked = _least_sure(plan, asked, scores)
        note = CHOSEN.format(
            takes=plural(len(picked), "new take"),
            motions=len(asked),
            chosen=_expected(scores[take.seed] for take in picked),
            all=_expected(scores[take.seed] for take in asked),
        )
        plan = replace(plan, takes=_with_motion_of(plan, picked))
    plan = replace(plan, motions=1, notes=(*plan.notes, note))
    lease.check()
    plan.write()
    return plan


def write_guide(plan: BakePlan, model: bytes) -> None:
    """Put the model where the workers read it; what another one has found is forgotten.

    Raises Problem("folder_not_writable" | "disk_full" | "dataset_damaged").
    """
    with writing(plan.folder):
        plan.folder.mkdir(parents=True, exist_ok=True)
        if not _holds(plan.guide, model):
            for scores in _scores_files(plan):
                scores.unlink()
            write_atomically(plan.guide, model)


def share_of(plan: BakePlan, task: str) -> list[PlannedTake]:
    """The candidates that a worker's task, choice_K_of_N, is to score."""
    share, count = (int(number) for number in task.removeprefix(TASK).split("_of_"))
    return candidates(plan)[share::count]


def write_scores(plan: BakePlan, task: str, holder: int, scores: Mapping[int, float]) -> None:
    """What a worker of a chooser found, by seed: mean squares of the errors that the model expects, m^2.

    Raises Problem("folder_not_writable" | "disk_full").
    """
    folder = _choosers(plan) / str(holder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        found = json.dumps({str(seed): score for seed, score in scores.items()}).encode()
        write_atomically(folder / f"{task}{SUFFIX}", found)


def read_scores(plan: BakePlan) -> dict[int, float]:
    """What all workers of all choosers found so far: a motion has the same score wherever it is read.

    Raises Problem("folder_not_writable" | "dataset_damaged").
    """
    scores: dict[int, float] = {}
    for path in _scores_files(plan):
        with suppress(OSError, ValueError, TypeError, AttributeError, OverflowError):
            found = {int(seed): float(score) for seed, score in read_json(path).items()}
            scores |= {seed: score for seed, score in found.items() if 0.0 <= score < LARGEST_SQUARE}
    return scores


def _choosers(plan: BakePlan) -> Path:
    """Where those leave word that choose."""
    return plan.folder / "choice"


def _scores_files(plan: BakePlan) -> list[Path]:
    with writing(plan.folder):
        folders = [folder for folder in holder_folders(_choosers(plan)) if not is_link(folder)]
        found = [path for folder in folders for path in sorted(entries(folder))]
    return [path for path in found if path.name.startswith(TASK) and path.suffix == SUFFIX]


def _as_it_is_now(plan: BakePlan) -> BakePlan:
    """What is on disk; where others have finished the bake meanwhile, nothing is left to choose."""
    try:
        return BakePlan.of_dataset(plan.dataset)
    except Problem as problem:
        if problem.code != "not_prepared":
            raise
        return replace(plan, motions=1)


def _host(plan: BakePlan) -> str:
    holder = holder_of(_choosers(plan))
    return one_line(holder.said.get("host", "")) if holder else "another computer"


def _holds(path: Path, data: bytes) -> bool:
    """Whether a file is these bytes."""
    try:
        return read_bytes(path, len(data)) == data
    except (OSError, NotReadable):
        return False


def _more_seeds(seed: int, count: int) -> list[int]:
    return [int(number) for number in np.random.SeedSequence([seed, 1]).generate_state(count)]


def _task(share: int, count: int) -> str:
    return f"{TASK}{share}_of_{count}"


def _process(plan: BakePlan, programs: Programs, lease: Lease, task: str, *, core: int) -> JobProcess:
    files = JobFiles(lease.folder / str(lease.number), task)
    return start_blender(plan, programs, files, task, core=core, holder=lease.number)


def _run(
    processes: list[JobProcess], asked: list[PlannedTake], lease: Lease, emit: Emit, *, stop: StopRequest
) -> Path | None:
    """Wait for all of them; the log of one that failed."""
    progress = Progress(emit, STAGE, sum(take.frames for take in asked))
    try:
        while any(process.state.active for process in processes):
            stop.check()
            lease.renew()
            time.sleep(POLL_EVERY)
            for process in processes:
                process.poll()
            progress.at(sum(process.state.done for process in processes))
    finally:
        end(processes)
    failed = [process.files.log for process in processes if process.state.phase != "finished"]
    return failed[0] if failed else None


def _least_sure(plan: BakePlan, asked: list[PlannedTake], scores: Mapping[int, float]) -> list[PlannedTake]:
    """As many as there are takes to choose, in the order in which they were drawn."""
    most = sorted(asked, key=lambda take: -scores[take.seed])[: len(open_takes(plan))]
    seeds = {take.seed for take in most}
    return [take for take in asked if take.seed in seeds]


def _with_motion_of(plan: BakePlan, picked: list[PlannedTake]) -> tuple[PlannedTake, ...]:
    seeds = dict(zip((take.name for take in open_takes(plan)), (take.seed for take in picked), strict=True))
    return tuple(replace(take, seed=seeds.get(take.name, take.seed)) for take in plan.takes)


def _expected(squares: Iterable[float]) -> str:
    return distance(float(np.sqrt(np.mean(list(squares)))))
