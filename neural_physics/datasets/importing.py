"""Takes from any other program: a point cache (PC2 or MDD) and the interaction beside it."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import count, groupby
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats
from ..errors import Problem
from ..files.atomic import writing
from ..files.below import clear_below, rename_below
from ..files.links import check_no_link
from ..files.locks import one_at_a_time
from ..files.looking import has_file
from ..files.names import same_key
from ..files.reading import map_array, open_plain
from ..files.row_files import map_rows
from ..interaction.channels import SIZES, Channel, ChannelLayout, Kind
from .dataset_info import IMPORTED, MOST_FRAMES, DatasetInfo, Exclusion, Role, TakeInfo, read_take_info
from .frame_checks import bad_frames_steps
from .own_take_files import check_take_own, remove_take
from .point_caches import read_mdd, read_pc2
from .rest_mesh import Mesh
from .take_names import check_take_name
from .take_writer import TakeWriter
from .takes import Dataset

# Columns are `Ball.x`, `wind:Breeze.y`, `joints:Rig/hip.z`, `Pressure` or `Pressure.0`; object names
# may have dots themselves, as Blender's `Ball.001` has.
COLUMN = re.compile(
    r"(?:(?P<kind>[a-z_]+):)?(?P<name>.+?)(?:/(?P<joint>.+?))?(?:\.(?P<part>[xyz]|0|[1-9]\d*))?"
)
LONGEST_NAME = 1000  # characters; an object, an armature and a bone of it have 255 at most
NO_NAME = f"has a line break, or more than {LONGEST_NAME:,} characters"
# In the dataset's folder: a take that is being imported. Those in `takes` are whole, even after a kill.
SCRATCH = "import.new"
AXES = ("x", "y", "z")
OTHER_MARKS = {";": "semicolons", "\t": "tabs"}  # that spreadsheets put between columns

ImportSteps = Generator[tuple[int, int], None, str]  # frames done, their total; the take's name


@dataclass(frozen=True)
class Sampled:
    """What an object reacts to in the T frames of a cache: interaction (T, e) float32.

    reference_frame: see `DatasetInfo`; object_from_frame (T, 4, 4), None where that is the object itself.
    """

    layout: ChannelLayout
    interaction: Floats
    reference_frame: str = ""
    object_from_frame: Doubles | None = None


def read_cache(path: Path, mesh: Mesh, object_name: str) -> Floats:
    """(T, V, 3) m, mapped, of a mesh's vertices: .mdd, else PC2.

    Raises Problem("file_missing" | "cache_not_pc2" | "cache_not_mdd" | "cache_vertex_count" |
    "cache_too_long").
    """
    positions = read_mdd(path) if path.suffix.lower() == ".mdd" else read_pc2(path)
    found, expected = positions.shape[1], mesh.vertex_count
    if found != expected:
        raise Problem("cache_vertex_count", path=path, found=found, object=object_name, expected=expected)
    if len(positions) > MOST_FRAMES:
        raise Problem("cache_too_long", path=path, found=f"{len(positions):,}", allowed=f"{MOST_FRAMES:,}")
    return positions


def import_take(
    dataset_path: Path,
    mesh: Mesh,
    object_name: str,
    cache_path: Path,
    *,
    source: Path | Sampled,
    fps: float,
    role: Role = "training",
    name: str = "",
    columns: Sequence[str] = (),
    gravity: tuple[float, float, float] = DatasetInfo.gravity,
    colliders: Mapping[str, float] | None = None,
) -> ImportSteps:
    """Add a take to a dataset, which is made if it is not there; returns the take's name.

    Yields the frames done and their total after each of them, and while they are checked. Closing it leaves
    no take; until then every other import into the dataset waits, one in this process for ever.

    cache_path: .mdd, else PC2; positions in metres, in the mesh's axes. source: of the interaction: .npy
    (frames, e), else CSV whose first row names the columns, in the same axes; or what was read from a scene.
    columns: the names for an .npy; without them those of the dataset. gravity, colliders: see `DatasetInfo`.
    Raises Problem("file_missing" | "cache_not_pc2" | "cache_not_mdd" | "cache_vertex_count" |
    "cache_too_long" | "disk_full" | "interaction_shape" |
    "interaction_not_numbers" | "interaction_unnamed" | "interaction_columns" |
    "take_exists" | "take_name_unusable" | "dataset_settings_unusable" | "dataset_other_object" |
    "interaction_other_channels" | "import_lacks_body" |
    "dataset_other_fps" | ...).
    """
    if name:
        _check_name(name)
    positions = read_cache(cache_path, mesh, object_name)
    existing = Dataset.open(dataset_path) if has_file(dataset_path / "dataset.json") else None
    known = existing.info.channels if existing else None
    if isinstance(source, Path):
        sampled = Sampled(*read_interaction(source, columns, known, frames=len(positions)))
    else:
        sampled = source
    if len(sampled.interaction) != len(positions):
        raise Problem(
            "interaction_shape",
            path=source if isinstance(source, Path) else cache_path,
            found=f"{len(sampled.interaction)} rows",
            expected=f"{len(positions)}",
        )
    info = DatasetInfo(
        object=object_name,
        topology=mesh.topology(),
        vertex_count=mesh.vertex_count,
        fps=fps,
        channels=sampled.layout,
        reference_frame=sampled.reference_frame,
        provenance={"program": IMPORTED, "first file": cache_path.name},
        gravity=gravity,
        colliders=dict(colliders or {}),
    )
    try:
        dataset = Dataset.create(dataset_path, info, mesh)
    except Problem as problem:
        if problem.code != "dataset_other_channels" or not isinstance(source, Path):
            raise
        found, expected = problem.names["expected"], problem.names["found"]
        raise Problem(
            "interaction_other_channels",
            path=source,
            dataset=dataset_path,
            found=found,
            expected=expected,
        ) from problem
    if dataset.keeps_body:
        raise Problem("import_lacks_body", path=dataset_path, object=object_name)
    if abs(dataset.info.fps - fps) > 1e-6 * fps:
        raise Problem("dataset_other_fps", path=dataset_path, found=dataset.info.fps, expected=fps)
    return (yield from _write(dataset, name, role, positions, sampled=sampled))


def read_interaction(
    path: Path, columns: Sequence[str] = (), known: ChannelLayout | None = None, *, frames: int
) -> tuple[ChannelLayout, Floats]:
    """The channels of a CSV or .npy file, and y for all frames, (T, e) float32.

    known: the channels of the dataset it is for, taken where they have the same names and sizes. frames: how
    many rows an .npy must have. Of one of another shape no row is read: it may claim more than it holds.
    """
    if path.suffix.lower() == ".npy":
        mapped = _map_npy(path)
        if len(mapped) != frames:
            raise Problem(
                "interaction_shape", path=path, found=f"{len(mapped):,} rows", expected=f"{frames:,}"
            )
        if not columns and known is not None and known.size == mapped.shape[1]:
            return known, _read_npy(mapped, path)
        if not columns:
            raise Problem("interaction_unnamed", path=path, found=mapped.shape[1])
        if len(columns) != mapped.shape[1]:
            raise _other_columns(path, mapped.shape[1], columns)
        values = _read_npy(mapped, path)
    else:
        columns, values = _read_csv(path)
        if len(columns) != values.shape[1]:
            raise _other_columns(path, values.shape[1], columns)
    layout = layout_of_columns(columns, path)
    if known is not None and _named_sizes(known) == _named_sizes(layout):
        layout = known
    return layout, values


def _other_columns(path: Path, found: int, columns: Sequence[str]) -> Problem:
    return Problem("interaction_shape", path=path, found=f"{found} columns", expected=f"{len(columns)}")


def layout_of_columns(columns: Sequence[str], path: Path) -> ChannelLayout:
    """Channels from the names of the columns of y; `path` is the file named if they cannot be.

    `Ball.x, Ball.y, Ball.z` is the position of an object Ball; a kind may stand before it, such as
    `wind:Breeze.x`, and `joints:Rig/hip.x` is a joint. Any other column is a plain value.
    Raises Problem("interaction_columns").
    """
    columns = [column.strip() for column in columns]
    for number, column in enumerate(columns, 1):
        # With a line break in it, `COLUMN` would try all the ways to part a name at its slashes, for nothing.
        if len(column) > LONGEST_NAME or len(column.splitlines()) > 1:
            raise Problem("interaction_columns", path=path, reason=f"the name of column {number} {NO_NAME}")
    parsed = [_parse_column(column) for column in columns]
    groups = [list(group) for _, group in groupby(parsed, key=lambda column: (column.kind, column.name))]
    try:
        # What a file holds is checked in one place.
        return ChannelLayout.from_json(ChannelLayout(tuple(map(_channel, groups))).to_json())
    except ValueError as error:
        raise Problem("interaction_columns", path=path, reason=error) from error


class _Column(NamedTuple):
    kind: str
    name: str
    joint: str
    part: str


def _parse_column(column: str) -> _Column:
    match = COLUMN.fullmatch(column)
    if match is None or (match["kind"] and match["kind"] not in get_args(Kind)):
        match = re.fullmatch(r"(?P<name>.*)(?P<kind>)(?P<joint>)(?P<part>)", column)
        assert match is not None  # it matches anything on a line
    name, joint, part = match["name"], match["joint"] or "", match["part"] or ""
    if match["kind"] != "joints" and joint:
        name, joint = f"{name}/{joint}", ""
    return _Column(match["kind"] or ("position" if part in AXES else "value"), name, joint, part)


def _channel(columns: list[_Column]) -> Channel:
    first = columns[0]
    kind: Kind = next(kind for kind in get_args(Kind) if kind == first.kind)
    joints = tuple(dict.fromkeys(column.joint for column in columns if column.joint))
    size = 3 * len(joints) if kind == "joints" else SIZES.get(kind, len(columns))
    expected: list[str] = list(AXES) * (size // 3) if first.part in AXES else [str(i) for i in range(size)]
    parts = [column.part for column in columns]
    if parts != expected and not (size == 1 and parts == [""]):
        raise ValueError(f"{first.name} has the parts {', '.join(parts)}, not {', '.join(expected)}")
    return Channel(first.name, kind, size, "" if kind == "value" else first.name, parts=joints)


def _named_sizes(layout: ChannelLayout) -> list[tuple[str, int]]:
    return [(channel.name, channel.size) for channel in layout.channels]


def _map_npy(path: Path) -> NDArray[Any]:
    try:
        values: NDArray[Any] = map_array(path)
    except FileNotFoundError as error:
        raise Problem("file_missing", path=path) from error
    except Exception as error:  # NumPy has many errors of its own
        raise Problem(
            "interaction_shape", path=path, found="data of another kind", expected="an array of numbers"
        ) from error
    if values.ndim != 2:
        raise Problem("interaction_shape", path=path, found=f"{values.ndim} dimensions", expected="2")
    return values


def _read_npy(mapped: NDArray[Any], path: Path) -> Floats:
    try:
        values = np.asarray(mapped, np.float32)
    except (TypeError, ValueError) as error:
        raise Problem(
            "interaction_shape", path=path, found="data of another kind", expected="an array of numbers"
        ) from error
    _check_finite(values, path, 0)
    return values


def _read_csv(path: Path) -> tuple[list[str], Floats]:
    try:
        with TextIOWrapper(open_plain(path), encoding="utf-8-sig", newline="") as file:
            columns, *rows = [row for row in csv.reader(file) if row] or [[]]
    except FileNotFoundError as error:
        raise Problem("file_missing", path=path) from error
    except (OSError, ValueError, csv.Error) as error:
        raise Problem(
            "interaction_shape", path=path, found="data that is not text", expected="comma-separated text"
        ) from error
    if all(map(_is_number, columns)) and columns:
        raise Problem("interaction_columns", path=path, reason="its first row holds numbers instead of names")
    if len(columns) == 1 and (mark := next((m for m in OTHER_MARKS if m in columns[0]), None)):
        raise Problem(
            "interaction_shape",
            path=path,
            found=f"columns separated by {OTHER_MARKS[mark]}",
            expected="columns separated by commas",
        )
    values = np.empty((len(rows), len(columns)), np.float32)
    for number, row in enumerate(rows):
        if len(row) != len(columns):
            found = f"{len(row)} values in row {number + 2}"
            raise Problem("interaction_shape", path=path, found=found, expected=len(columns))
        try:
            values[number] = [float(cell) for cell in row]
        except ValueError as error:
            raise Problem("interaction_not_numbers", path=path, row=number + 2) from error
    _check_finite(values, path, 2)
    return columns, values


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _check_finite(values: Floats, path: Path, first_row: int) -> None:
    bad = np.flatnonzero(~np.isfinite(values).all(1))
    if len(bad):
        raise Problem("interaction_not_numbers", path=path, row=int(bad[0]) + first_row)


def _check_name(name: str) -> None:
    try:
        check_take_name(name)
    except ValueError as error:
        raise Problem("take_name_unusable", take=f"{name:.40}") from error


def _delete_unfinished(folder: Path, dataset: Path) -> None:
    """Make room where an import was cut short; anything else that has the name stays."""
    if not has_file(folder / "take.json") or read_take_info(folder).complete:
        raise Problem("take_exists", path=dataset, take=folder.name)
    with writing(folder):
        remove_take(dataset, folder)


def _write(
    dataset: Dataset,
    name: str,
    role: Role,
    positions: Floats,
    *,
    sampled: Sampled,
) -> ImportSteps:
    takes, scratch = dataset.path / "takes", dataset.path / SCRATCH
    with writing(dataset.path), one_at_a_time(dataset.path):
        check_no_link(takes)
        there = {same_key(path.name): path.name for path in takes.iterdir()} if takes.is_dir() else {}
        name = name or next(free for n in count() if (free := f"take_{n:03d}") not in there)
        folder = takes / name
        # Two folders whose names differ in capitals alone would be one on another computer.
        if there.get(same_key(name), name) != name:
            raise Problem("take_exists", path=dataset.path, take=there[same_key(name)])
        if folder.exists():
            _delete_unfinished(folder, dataset.path)
        discard_killed(dataset.path)
        try:
            _check_room(dataset, positions, sampled)
            info = TakeInfo(len(positions), role=role)
            yield from _write_frames(scratch, dataset, info, positions, sampled=sampled)
            takes.mkdir(exist_ok=True)
            rename_below(dataset.path, scratch, folder)
        except BaseException:
            clear_below(dataset.path, scratch)
            raise
    return name


def _check_room(dataset: Dataset, positions: Floats, sampled: Sampled) -> None:
    """Raise Problem("disk_full") where a take cannot be written: its files may claim more than they take."""
    floats = positions.size + sampled.interaction.size
    floats += 0 if sampled.object_from_frame is None else sampled.object_from_frame.size
    if 4 * floats > shutil.disk_usage(dataset.path).free:
        raise Problem("disk_full", path=dataset.path)


def _write_frames(
    folder: Path,
    dataset: Dataset,
    take: TakeInfo,
    positions: Floats,
    *,
    sampled: Sampled,
) -> Generator[tuple[int, int], None, None]:
    with TakeWriter(folder, take, dataset.info) as writer:
        for number, (shape, y) in enumerate(zip(positions, sampled.interaction, strict=True), 1):
            frame = None if sampled.object_from_frame is None else sampled.object_from_frame[number - 1]
            writer.append(shape if frame is None else _to_frame(shape, frame), y, frame)
            yield number, len(positions)
        channels, gravity = dataset.info.channels, dataset.info.gravity
        stored = read_pc2(folder / "positions.pc2"), map_rows(folder / "interaction.npy", channels.size)
        checking = bad_frames_steps(stored[0], dataset.mesh, channels, stored[1], gravity=gravity)
        writer.exclude((yield from _at_the_end(checking, len(positions))))


def _at_the_end(
    checking: Generator[int, None, tuple[Exclusion, ...]], total: int
) -> Generator[tuple[int, int], None, tuple[Exclusion, ...]]:
    """The same steps, all of them after the last frame."""
    while True:
        try:
            next(checking)
        except StopIteration as end:
            excluded: tuple[Exclusion, ...] = end.value
            return excluded
        yield total, total


def check_killed(dataset_path: Path) -> None:
    """Raise Problem("file_not_ours" | "place_is_link") for more than what a killed import has left."""
    check_take_own(check_no_link(dataset_path / SCRATCH))


def discard_killed(dataset_path: Path) -> None:
    """Delete what an import has left that was killed. Raises OSError and what `check_killed` does."""
    scratch = check_no_link(dataset_path / SCRATCH)
    if scratch.exists():
        remove_take(dataset_path, scratch)


def _to_frame(shape: Floats, object_from_frame: Doubles) -> Floats:
    """(V, 3) m in the reference frame's axes, of a shape in the object's."""
    moved = (shape - object_from_frame[:3, 3]) @ np.linalg.inv(object_from_frame[:3, :3]).T
    return moved.astype(np.float32)
