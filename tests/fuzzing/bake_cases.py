"""A bake that several computers share, whose folders and files somebody else has put there."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import synthetic

from fuzzing.file_mutations import mutate_file
from fuzzing.watching import Watch
from neural_physics.baking.finishing import finish
from neural_physics.baking.gathering import states
from neural_physics.baking.handing_over import gather
from neural_physics.baking.plan import BakePlan, plan_takes
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.status import dataset_status, forget
from neural_physics.datasets.take_folders import holders_folder, under_way
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.leases import Observer, holder_of

FRAMES, THERE = 6, 4
DONE, BEGUN, LEFT = "take_000", "take_001", "take_002"
NAMES = (
    *("٣", "-1", "007", "1", "3", "1.new", "9" * 200, "x\x1b[2J", "take.json", "takes", "bake.json"),
    *("holder_000001.json", "holder_000009.json", "holder_999999.json", f"holder_{'9' * 200}.json"),
    *("1.failed", "made_by", "body", "take_000", "take_001", "take_003", "positions.pc2"),
)


def good_bake(folder: Path) -> Path:
    """A dataset with a take that is complete, one that was begun and one that another computer had begun."""
    dataset = synthetic.make_dataset(folder, (), points=3)
    BakePlan(folder, "Sheet", "Scene", "Layer", takes=plan_takes({}, 3, FRAMES, 0), makes="a kind").write()
    for name, count in ((DONE, FRAMES), (BEGUN, THERE), (LEFT, THERE)):
        with dataset.writer(name, TakeInfo(FRAMES)) as writer:
            for _ in range(count):
                writer.append(dataset.mesh.rest_positions, [0.0, 0.0, 0.0])
    holders = holders_folder(folder, LEFT)
    (holders / "2" / "takes").mkdir(parents=True)
    (folder / "takes" / LEFT).rename(holders / "2" / "takes" / LEFT)
    (holders / "2" / "made_by").write_text("a kind")
    said = {"token": "a", "counter": 3, "released": True, "computer": "another", "host": "it", "process": 7}
    for number in (1, 2):
        (holders / f"holder_00000{number}.json").write_text(json.dumps(said))
    failure = {"host": "it", "reason": "It ended.", "log": "blender.jsonl"}
    (holders / "1.failed").write_text(json.dumps(failure))
    return folder


def go_on(good: Path, folder: Path, chance: random.Random, watch: Watch) -> None:
    """Change the bake, and look at it, take up what is under way and end it; nothing else is touched."""
    own = good.with_name("somebodys own")
    if not own.exists():
        shutil.copytree(good, own)
    shutil.copytree(good, folder, dirs_exist_ok=True)
    before = _contents(own)
    places = sorted(
        path for part in ("bake", "takes") for path in (folder / part, *(folder / part).rglob("*"))
    )
    for place in chance.sample(places, chance.choice((1, 1, 2, 3))):
        _change(place, own / place.relative_to(folder), own, chance)
    try:
        _use(folder, watch)
    finally:
        changed = _contents(own) != before
        shutil.rmtree(own)  # the next one gets a new one
        assert not changed, "files of somebody's own were changed"


def _use(folder: Path, watch: Watch) -> None:
    forget()
    watch(dataset_status, folder)
    plan = watch(BakePlan.of_dataset, folder)
    for state in watch(states, plan):
        assert state.sentence.isprintable(), state.sentence
    dataset = Dataset.open(folder)
    watch(gather, dataset, {*(take.name for take in plan.takes), *watch(under_way, folder)})
    observer = Observer()
    held = (holders_folder(folder, take.name) for take in plan.takes)
    if all(observer.is_free(each, holder_of(each)) for each in held):  # else it waits
        watch(finish, plan, _silent, StopRequest())


def _change(place: Path, same: Path, own: Path, chance: random.Random) -> None:
    """Another name, another kind of thing, or other bytes. same: its like in somebody's own folder."""
    if not place.exists() or place.resolve().is_relative_to(own.resolve()):  # by what was changed before
        return
    roll = chance.random()
    if roll < 0.3 and place.is_file():
        mutate_file(place, chance)
    elif roll < 0.5:
        target = place.with_name(chance.choice(NAMES))
        if not os.path.lexists(target):
            place.rename(target)
    elif roll < 0.6 and place.is_file():
        target = place.with_name(chance.choice(NAMES))
        if not os.path.lexists(target):
            shutil.copy(place, target)
    else:
        _replace(
            place, same if chance.random() < 0.5 else chance.choice([own, *sorted(own.rglob("*"))]), chance
        )


def _replace(place: Path, there: Path, chance: random.Random) -> None:
    """By a link or a second name of what is there, a pipe, a folder or a file."""
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    match chance.randrange(6):
        case 0 | 1 | 2:
            place.symlink_to(there)
        case 3 if there.is_file():
            place.hardlink_to(there)
        case 4:
            os.mkfifo(place)
        case 5:
            place.mkdir()
        case _:
            place.write_bytes(chance.randbytes(chance.choice((0, 1, 5000))))


def _contents(folder: Path) -> dict[Path, tuple[int, bytes]]:
    """The files below a folder: their times and bytes."""
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }


def _silent(event: dict[str, Any]) -> None:
    """Nobody listens."""
