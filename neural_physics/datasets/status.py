"""What is in an object's dataset, for panels that are drawn often.

Its files' times and sizes are looked at once a second at most, less often where that takes long, and what is
in them when those have changed.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import Problem
from ..files.links import look_at
from ..interaction.poses import pose_channel
from .dataset_info import IMPORTED
from .fingerprint import MADE_WITH
from .take_folders import TAKES, under_way
from .takes import MOST_TAKES, Dataset, TakeOutline, check_said, entries_of

LOOK_AGAIN = 1.0  # seconds
SHARE = 0.05  # of the time may be spent on looking, as at a folder that is far away
READ = ("take.json", "positions.pc2", "interaction.npy", "frames.npy")  # of each take
BYTES_PER_VERTEX = 12  # three float32
Stamp = tuple[tuple[str, int, int], ...]
_seen: dict[Path, tuple[float, Stamp | None, DatasetStatus]] = {}  # when to look again


@dataclass(frozen=True)
class DatasetStatus:
    """takes, frames: what is there. complete: takes with all their frames. excluded: frames that are not
    learned from, and why. size: bytes of positions. changed: when positions were written last, seconds since
    1970. solver_steps: of the bundled solver in each frame, None where it has not made the takes.
    physics: what has, see `sources.physics_of`, "" if that is not known. topology: see `Mesh.topology`.
    posed: whether it is known how bones move the mesh. made_with: see `fingerprint.to_text`, "" if unknown.
    seconds_per_frame: that its simulation took, in one process, 0 if unknown. moving: takes that are no held
    poses. outlines: of these. imported: it began with takes of another program. trouble: why it cannot be
    read, None if it can."""

    takes: int = 0
    complete: int = 0
    frames: int = 0
    excluded: int = 0
    reasons: tuple[str, ...] = ()
    size: int = 0
    changed: float = 0.0
    solver_steps: int | None = None
    physics: str = ""
    topology: str = ""
    posed: bool = False
    made_with: str = ""
    seconds_per_frame: float = 0.0
    moving: int = 0
    outlines: tuple[TakeOutline, ...] = ()
    imported: bool = False
    trouble: Problem | None = None


def dataset_status(path: Path) -> DatasetStatus:
    """What is in a dataset folder."""
    begun = time.monotonic()
    again, stamp, status = _seen.get(path, (float("-inf"), None, DatasetStatus()))
    if begun >= again:
        found = _stamp(path)
        if found != stamp:
            status = _look(path)
        now = time.monotonic()
        _seen[path] = (now + max(LOOK_AGAIN, (now - begun) / SHARE), found, status)
    return status


def forget() -> None:
    """Look again the next time, because something has just changed."""
    _seen.clear()


def _stamp(path: Path) -> Stamp:
    """Name, time and size of every file that is read."""
    try:
        entries_of(path / TAKES)
        begun = under_way(path)
    except Problem as problem:
        return ((problem.message, 0, MOST_TAKES + 1),)
    files = [path / "dataset.json", path / "mesh.npz"]
    for folder in (path, *begun.values()):
        with suppress(Problem):
            files += [take / name for take in entries_of(folder / TAKES) if look_at(take) for name in READ]
    found = [(str(file), *about) for file in files if (about := _about(file))]
    return tuple(sorted(found))


def _about(file: Path) -> tuple[int, int] | None:
    """Time and size of a file; None where there is none any more."""
    try:
        about = os.lstat(file)  # where a link leads is not looked at
    except OSError:
        return None
    return (about.st_mtime_ns, about.st_size) if stat.S_ISREG(about.st_mode) else None


def _look(path: Path) -> DatasetStatus:
    try:
        begun = under_way(path)
        check_said(path, (folder / TAKES / name for name, folder in begun.items()))
        dataset = Dataset.open(path)
        takes = [*dataset.outlines(), *_begun(dataset, begun)]
        body = dataset.body
    except Problem as problem:
        return DatasetStatus(trouble=problem)
    excluded = [exclusion for take in takes for exclusion in take.info.excluded]
    return DatasetStatus(
        takes=len(takes),
        complete=sum(take.info.complete for take in takes),
        frames=sum(take.frame_count for take in takes),
        excluded=sum(take.frame_count - take.usable_frames for take in takes),
        reasons=tuple(dict.fromkeys(e.reason for e in excluded)),
        size=sum(take.frame_count for take in takes) * dataset.info.vertex_count * BYTES_PER_VERTEX,
        changed=max((_written(begun.get(take.name, path), take.name) for take in takes), default=0.0),
        solver_steps=None if body is None else body.settings.steps,
        physics=dataset.info.provenance.get("physics", ""),
        topology=dataset.info.topology,
        made_with=dataset.info.provenance.get(MADE_WITH, ""),
        seconds_per_frame=dataset.seconds_per_frame(),
        moving=sum(take.moves for take in takes),
        outlines=tuple(take for take in takes if take.moves),
        imported=dataset.info.provenance.get("program", "") == IMPORTED,
        posed=dataset.mesh.skin is not None and pose_channel(dataset.info.channels) is not None,
    )


def _begun(dataset: Dataset, begun: Mapping[str, Path]) -> Iterator[TakeOutline]:
    for name, folder in begun.items():
        with suppress(Problem):  # it was just handed in
            yield dataset.with_takes_in(folder).outline(name)


def _written(path: Path, take: str) -> float:
    try:
        return os.lstat(path / "takes" / take / "positions.pc2").st_mtime
    except OSError:  # it was just handed in, or deleted
        return 0.0
