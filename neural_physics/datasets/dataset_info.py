"""What `dataset.json` and `take.json` say, read and written with all checks."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ..errors import Problem
from ..files.atomic import write_atomically
from ..files.reading import LARGEST_JSON, read_json
from ..interaction.channels import ChannelLayout

SCHEMA = 1
MOST_COLLIDERS = 200  # as many as an object's list has lines
MOST_FRAMES = 1_000_000  # of a take that is baked or imported
LARGEST_TAKE, MOST_EXCLUDED = 1 << 20, 10_000  # bytes of a take.json, and runs of frames in it
IMPORTED = "imported"  # the program of takes that came from others, in a dataset's provenance
ONLY_CHANNELS_ACT, YES = "only_channels_act", "yes"  # of a dataset's provenance

Role = Literal["training", "validation", "test"]
TakeKind = Literal["dynamic", "quasistatic", "contact"]
Gravity = tuple[float, float, float]


@dataclass(frozen=True)
class DatasetInfo:
    """What `dataset.json` says.

    object: the name of the mesh object. topology: see `Mesh.topology`. fps: of the baked scene;
    dt = 1 / fps seconds. reference_frame: the object or bone ("Rig/neck") in whose axes positions
    and channels are given, "" for the object itself. provenance: free text pairs.
    For the evaluation, and to know what falls: gravity, m/s^2 in those axes, where no ground channel says
    how they turn; colliders: radii in metres of the spheres at the position channels of these names.
    """

    object: str
    topology: str
    vertex_count: int
    fps: float
    channels: ChannelLayout
    reference_frame: str = ""
    provenance: dict[str, str] = field(default_factory=dict)
    gravity: Gravity = (0.0, 0.0, -9.81)
    colliders: dict[str, float] = field(default_factory=dict)

    @property
    def dt(self) -> float:
        """Seconds between two frames."""
        return 1.0 / self.fps

    @property
    def only_balls_act(self) -> bool:
        """Whether nothing but gravity and balls in known places acts on a body that is alike all over."""
        balls = all(c.name in self.colliders for c in self.channels.channels if c.kind == "position")
        kinds = {channel.kind for channel in self.channels.channels}
        return self.provenance.get(ONLY_CHANNELS_ACT) == YES and balls and kinds <= {"position", "size"}


@dataclass(frozen=True)
class Exclusion:
    """Frames first..last (inclusive, counted from 0 in the take) that must not be learned from."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True)
class TakeInfo:
    """What `take.json` says. `frames` is what was asked for; fewer are there until `complete`."""

    frames: int
    kind: TakeKind = "dynamic"
    role: Role = "training"
    seed: int = 0
    complete: bool = False
    excluded: tuple[Exclusion, ...] = ()


def read_info(path: Path) -> DatasetInfo:
    """Read `dataset.json`. Raises Problem("dataset_damaged" | "dataset_newer")."""
    item = _read_json(path / "dataset.json", path)
    try:
        if item.pop("schema") > SCHEMA:
            raise Problem("dataset_newer", path=path)
        channels = ChannelLayout.from_json(item.pop("channels"))
        x, y, z = item.pop("gravity", DatasetInfo.gravity)
        info = DatasetInfo(**item, channels=channels, gravity=(float(x), float(y), float(z)))
        check_info(info)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Problem("dataset_damaged", path=path, reason=f"dataset.json: {error}") from error
    return info


def write_info(path: Path, info: DatasetInfo) -> None:
    """Write `dataset.json`, all or nothing. Raises OSError."""
    _write_json(
        path / "dataset.json", {"schema": SCHEMA, **asdict(info), "channels": info.channels.to_json()}
    )


def check_info(info: DatasetInfo) -> None:
    """Raises ValueError or TypeError for what no dataset is like."""
    if not 0 < info.fps < 1e6 or not isinstance(info.vertex_count, int) or info.vertex_count < 1:
        raise ValueError("fps and vertex_count must be above 0")
    if not all(isinstance(text, str) for text in (info.object, info.topology, info.reference_frame)):
        raise ValueError("object, topology and reference_frame must be strings")
    said = info.provenance
    texts = isinstance(said, dict) and all(isinstance(each, str) for pair in said.items() for each in pair)
    if not texts or not np.isfinite(info.gravity).all():
        raise ValueError("provenance must map names to strings, and gravity must be finite numbers")
    _check_colliders(info)


def _check_colliders(info: DatasetInfo) -> None:
    if not isinstance(info.colliders, dict):
        raise ValueError("colliders must map names to radii")
    if len(info.colliders) > MOST_COLLIDERS:
        raise ValueError(f"{len(info.colliders):,} colliders are more than {MOST_COLLIDERS}")
    positions = [c.name for c in info.channels.channels if c.kind == "position"]
    for name, radius in info.colliders.items():
        if name not in positions:
            known = ", ".join(positions) or "there are none"
            raise ValueError(f"the collider “{name}” is not one of the position channels ({known})")
        if not 0 < radius < float("inf"):
            raise ValueError(f"the radius of the collider “{name}” must be above 0")


def read_take_info(folder: Path) -> TakeInfo:
    """Read `take.json`. Raises Problem("dataset_damaged" | "dataset_newer")."""
    item = _read_json(folder / "take.json", folder, LARGEST_TAKE)
    try:
        if item.pop("schema") > SCHEMA:
            raise Problem("dataset_newer", path=folder)
        runs = item.pop("excluded", ())
        if len(runs) > MOST_EXCLUDED:
            raise ValueError(f"more than {MOST_EXCLUDED:,} runs of frames are excluded")
        excluded = tuple(Exclusion(int(a), int(b), str(reason)) for a, b, reason in runs)
        known = {field.name for field in fields(TakeInfo)}  # a later version may say more
        info = TakeInfo(**{name: item[name] for name in item if name in known}, excluded=excluded)
        _check_take_info(info)
        return info
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Problem("dataset_damaged", path=folder, reason=f"take.json: {error}") from error


def write_take_info(folder: Path, info: TakeInfo) -> None:
    """Write `take.json`, all or nothing. Raises OSError."""
    item = {"schema": SCHEMA, **asdict(info)}
    item["excluded"] = [[e.first, e.last, e.reason] for e in info.excluded]
    _write_json(folder / "take.json", item)


def _check_take_info(info: TakeInfo) -> None:
    if info.role not in get_args(Role) or info.kind not in get_args(TakeKind):
        raise ValueError(f"there is no role “{info.role}”, or no kind “{info.kind}”")
    if not isinstance(info.frames, int) or not isinstance(info.complete, bool):
        raise ValueError("frames must be a whole number, complete true or false")
    if not isinstance(info.seed, int):
        raise ValueError("a seed must be a whole number")
    if not all(0 <= e.first <= e.last for e in info.excluded):
        raise ValueError("an excluded run of frames does not go from a first to a later last")


def _read_json(path: Path, named: Path, most: int = LARGEST_JSON) -> dict[str, Any]:
    try:
        item = read_json(path, most)
    except (OSError, ValueError) as error:
        raise Problem("dataset_damaged", path=named, reason=f"{path.name}: {error}") from error
    if not isinstance(item, dict):
        raise Problem("dataset_damaged", path=named, reason=f"{path.name} is not a JSON object")
    return item


def _write_json(path: Path, item: dict[str, Any]) -> None:
    write_atomically(path, (json.dumps(item, indent=1) + "\n").encode())
