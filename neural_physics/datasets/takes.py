"""Datasets on disk: a folder of takes that survives kill -9 and may be larger than memory.

`docs/file_formats.md` describes the folder for those who write their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from ..arrays import Floats, Indices
from ..errors import Problem
from ..files.atomic import writing
from ..files.links import check_unmoved, has_own_file, look_at, resolved
from ..files.listing import first_entries
from ..files.row_files import map_rows, row_count
from ..interaction.channels import ChannelLayout
from .body import Body
from .dataset_info import (
    DatasetInfo,
    Role,
    TakeInfo,
    TakeKind,
    check_info,
    read_info,
    read_take_info,
    write_info,
)
from .pace import read_pace
from .point_caches import pc2_size, read_pc2
from .rest_mesh import Mesh, read_mesh, write_mesh
from .simulation_request import SimulationRequest, Tracks, check_tracks
from .take_folders import TAKES
from .take_writer import TakeWriter

BODY = "body.npz"
OF_DATASET = ("dataset.json", "mesh.npz", BODY)
MOST_TAKES = 5000  # each is looked at by whoever shows a dataset
LARGEST_SAID = 1 << 23  # bytes of all `take.json` together
# Of each take of the bundled solver: what it was asked for, and how all that it reacted to moved.
REQUEST, TRACKS = "request.npz", "tracks.npz"
OF_OUTLINE = ("take.json", "positions.pc2", "interaction.npy", "frames.npy", "body.pc2")
OF_TAKE = (*OF_OUTLINE, REQUEST, TRACKS)


@dataclass(frozen=True)
class Take:
    """One continuous simulation or, of kind "quasistatic", held poses, each on its own.

    Arrays are memory maps.

    positions (T, V, 3) float32, metres, in the reference frame; interaction (T, e) float32;
    frames (T, 4, 4) float32: object_from_frame, None where the reference frame is the object.
    body_positions (T, B, 3) float32, as positions: of the simulated body's vertices, which are the mesh's own
    for shells and rods; None where the dataset has no body.
    """

    name: str
    info: TakeInfo
    positions: Floats
    interaction: Floats
    frames: Floats | None
    body_positions: Floats | None = None

    def segments(self) -> list[tuple[int, int]]:
        """Runs [start, stop) of usable frames; windows must not cross their ends."""
        return _segments(self.info, len(self.positions))

    @property
    def usable_frames(self) -> int:
        """How many frames may be learned from."""
        return sum(stop - start for start, stop in self.segments())


@dataclass(frozen=True)
class TakeOutline:
    """What is known of a take from its `take.json` and the sizes of its files. frame_count: frames there."""

    name: str
    info: TakeInfo
    frame_count: int

    @property
    def moves(self) -> bool:
        """Whether it is of motion, and not of held poses."""
        return self.info.kind != "quasistatic"

    @cached_property
    def usable_frames(self) -> int:
        """How many frames may be learned from."""
        return sum(stop - start for start, stop in _segments(self.info, self.frame_count))

    @property
    def is_kept(self) -> bool:
        """Whether a bake keeps it, or goes on with it, and does not begin it anew."""
        return bool(self.usable_frames if self.info.complete else self.frame_count)

    @cached_property
    def planned_runs(self) -> Indices:
        """How long the runs of usable frames are, once all frames are there that were asked for."""
        frames = self.frame_count if self.info.complete else self.info.frames
        return np.array([stop - start for start, stop in _segments(self.info, frames)], np.intp)


def is_there(path: Path) -> bool:
    """Whether a dataset is in this folder, and can be reached."""
    with suppress(Problem):
        return has_own_file(path, "dataset.json")
    return False


def check_there(path: Path) -> None:
    """Raises Problem("dataset_missing" | "place_is_link" | "place_not_readable")."""
    if not has_own_file(path, "dataset.json"):
        raise Problem("dataset_missing", path=path)


def left_out(take: TakeOutline) -> str:
    """A sentence about what of a take is not learned from, and why."""
    lost = take.frame_count - take.usable_frames
    reasons = ", ".join(sorted({e.reason for e in take.info.excluded}))
    return f"{take.name}: {lost} of {take.frame_count} frames are left out of training ({reasons})."


def left_out_in_all(takes: Sequence[TakeOutline]) -> list[str]:
    """The same of any number of takes in one sentence; none where all of them is learned from."""
    some = [take for take in takes if take.info.excluded]
    if len(some) < 2:
        return [left_out(take) for take in some]
    lost = sum(take.frame_count - take.usable_frames for take in some)
    reasons = ", ".join(sorted({e.reason for take in some for e in take.info.excluded}))
    frames = f"{lost:,} of {sum(take.frame_count for take in takes):,} frames"
    return [
        f"In {len(some)} of {len(takes)} takes, {frames} are left out of training ({reasons}): "
        "the log of the bake lists the takes."
    ]


def _segments(info: TakeInfo, frames: int) -> list[tuple[int, int]]:
    # Frames are not listed one by one: of a file with holes there may be billions.
    found, start = [], 0
    for excluded in sorted(info.excluded, key=lambda each: each.first):
        found.append((start, min(excluded.first, frames)))
        start = max(start, excluded.last + 1)
    found.append((start, frames))
    return [(start, stop) for start, stop in found if start < stop]


def entries_of(takes: Path) -> list[Path]:
    """What is in a dataset's folder of takes.

    Raises Problem("place_is_link" | "place_not_readable"), and Problem("dataset_damaged") for what nobody has
    baked.
    """
    look_at(takes)
    entries = first_entries(takes, MOST_TAKES + 1)
    if len(entries) > MOST_TAKES:
        raise Problem("dataset_damaged", path=takes.parent, reason=f"it has more than {MOST_TAKES:,} takes")
    return entries


def check_said(dataset: Path, takes: Iterable[Path]) -> None:
    """Raise Problem("dataset_damaged") where takes, by their folders, say more of themselves than anybody
    reads who only shows a dataset.
    """
    said = sum(found.st_size for take in takes if (found := look_at(take / "take.json")) is not None)
    if said > LARGEST_SAID:
        reason = f"its takes say more than {LARGEST_SAID >> 20} MB of themselves"
        raise Problem("dataset_damaged", path=dataset, reason=reason)


def _check_own(folder: Path, names: Iterable[str]) -> None:
    """Raise Problem("place_is_link") where something in a dataset's folder is a link to what may be private.

    What a training learns, and an evaluation copies, goes to whoever the dataset came from.
    """
    for name in names:
        look_at(folder / name)


class Dataset:
    """A dataset folder, open for reading."""

    def __init__(self, path: Path, info: DatasetInfo, mesh: Mesh) -> None:
        self.path, self.info, self.mesh = path, info, mesh
        self._body: Body | None = None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open what is there.

        Raises Problem("dataset_missing" | "place_not_readable" | "dataset_damaged" | "dataset_newer" |
        "place_is_link").
        """
        path = resolved(path)  # where it is now, also if somebody exchanges it for a link
        check_there(path)
        _check_own(path, (TAKES, *OF_DATASET))
        info = read_info(path)
        mesh = read_mesh(path / "mesh.npz")
        if mesh.topology() != info.topology or mesh.vertex_count != info.vertex_count:
            raise Problem("dataset_damaged", path=path, reason="mesh.npz does not belong to dataset.json")
        return cls(path, info, mesh)

    @classmethod
    def create(cls, path: Path, info: DatasetInfo, mesh: Mesh) -> Self:
        """Make the folder, or open one that holds the same object and channels.

        Raises Problem("dataset_settings_unusable" | "dataset_other_object" | "dataset_other_channels" |
        "file_not_ours" | "place_is_link" | "place_not_readable" | "folder_not_writable" | "disk_full").
        """
        try:
            check_info(info)
        except (TypeError, ValueError) as error:
            raise Problem("dataset_settings_unusable", path=path, reason=error) from error
        if has_own_file(path, "dataset.json"):
            dataset = cls.open(path)
            dataset.check_matches(info)
            return dataset
        _check_free(path)
        with writing(path):
            (path / "takes").mkdir(parents=True, exist_ok=True)
            write_mesh(path / "mesh.npz", mesh)
            # Last, so that a folder with a dataset.json is always whole.
            write_info(path, info)
        return cls(resolved(path), info, mesh)

    def with_takes_in(self, folder: Path) -> Dataset:
        """The same dataset with other takes, those in a folder `takes` of another one. Raises as `body`."""
        other = Dataset(folder, self.info, self.mesh)
        other._body = self.body
        return other

    def describe_anew(self, info: DatasetInfo, mesh: Mesh) -> None:
        """Replace what the dataset says of itself, while it holds no takes.

        Raises Problem("place_is_link" | "folder_not_writable" | "disk_full").
        """
        check_unmoved(self.path)
        with writing(self.path):
            write_mesh(self.path / "mesh.npz", mesh)
            write_info(self.path, info)
        self.info, self.mesh = info, mesh

    def check_matches(self, info: DatasetInfo) -> None:
        """Raise the Problem that says why takes of `info` do not belong in this dataset."""
        if info.topology != self.info.topology:
            raise Problem("dataset_other_object", path=self.path, object=info.object)
        same_channels = _meaning(info.channels) == _meaning(self.info.channels)
        if not same_channels or info.reference_frame != self.info.reference_frame:
            raise Problem(
                "dataset_other_channels",
                path=self.path,
                found=_described(self.info),
                expected=_described(info),
            )

    @property
    def body(self) -> Body | None:
        """What the bundled solver simulated; None where it did not.

        Raises Problem("dataset_damaged" | "place_is_link").
        """
        # A bake that has begun may just have made it.
        if self._body is None and has_own_file(self.path, BODY):
            body = Body.read(self.path / BODY)
            if len(body.carried(body.rest_positions)) != self.info.vertex_count:
                raise Problem("dataset_damaged", path=self.path, reason=f"{BODY} belongs to another mesh")
            self._body = body
        return self._body

    @property
    def _body_vertices(self) -> int | None:
        """B, where takes keep the body's positions beside the mesh's."""
        body = self.body
        return None if body is None or body.embedding_corners is None else body.vertex_count

    @property
    def keeps_body(self) -> bool:
        """Whether each take has the positions of a body beside those of the mesh."""
        return self._body_vertices is not None

    def take_names(self) -> list[str]:
        """All takes that were begun, in order; they may have no frames yet.

        Raises what `entries_of` and `check_said` do.
        """
        takes = self.path / TAKES
        names = sorted(p.name for p in entries_of(takes) if has_own_file(takes, p.name, "take.json"))
        check_said(self.path, (takes / name for name in names))
        return names

    def take(self, name: str) -> Take:
        """Map one take. Raises Problem("dataset_damaged" | "place_is_link")."""
        folder = self.path / TAKES / name
        _check_own(self.path, (TAKES, f"{TAKES}/{name}", *(f"{TAKES}/{name}/{file}" for file in OF_TAKE)))
        info = self.outline(name).info
        positions = read_pc2(folder / "positions.pc2")
        interaction = map_rows(folder / "interaction.npy", self.info.channels.size)
        counts = [len(positions), len(interaction)]
        frames = None
        if self.info.reference_frame:
            frames = map_rows(folder / "frames.npy", 16).reshape(-1, 4, 4)
            counts.append(len(frames))
        body_positions = None
        if self._body_vertices is not None:
            body_positions = read_pc2(folder / "body.pc2")
            counts.append(len(body_positions))
        # Counted again, since a bake may be writing them.
        whole = slice(min(counts))
        positions = positions[whole]
        if body_positions is not None:
            body_positions = body_positions[whole]
        elif self.body is not None:
            body_positions = positions
        return Take(
            name,
            info,
            positions,
            interaction[whole],
            frames=None if frames is None else frames[whole],
            body_positions=body_positions,
        )

    def surroundings(self, name: str) -> tuple[SimulationRequest, Tracks] | None:
        """What the bundled solver was asked for in a take, and the motion of all that the body reacts to.

        None where Blender made the take. Raises Problem("dataset_damaged" | "place_is_link").
        """
        folder = self.path / "takes" / name
        if not has_own_file(folder, REQUEST) or not has_own_file(folder, TRACKS):
            return None
        request, tracks = SimulationRequest.read(folder / REQUEST), Tracks.read(folder / TRACKS)
        try:
            check_tracks(request, tracks)
            if len(request.rest_positions) != self.info.vertex_count:
                raise ValueError("its vertices are not those of the mesh")
        except ValueError as error:
            raise Problem("dataset_damaged", path=folder, reason=f"{REQUEST}, {TRACKS}: {error}") from error
        return request, tracks

    def keep_surroundings(self, name: str, request: SimulationRequest, tracks: Tracks) -> None:
        """Add what `surroundings` gives to a take that was begun. Raises what writing files does."""
        folder = self.path / "takes" / name
        request.write(folder / REQUEST)
        tracks.write(folder / TRACKS)

    def takes(self, *roles: Role, kind: TakeKind = "dynamic") -> list[Take]:
        """Map all takes of a kind, or those of the given roles. Each holds two or three files open.

        Of motion where nothing else is asked for: what learns from one frame after the other, or is measured
        on it, must not see poses that have nothing to do with each other.
        """
        found = []
        for name in self.take_names():
            info = self._info(name)
            if info.kind == kind and (not roles or info.role in roles):
                found.append(self.take(name))
        return found

    def outline(self, name: str) -> TakeOutline:
        """What can be said of a take without mapping it.

        Raises Problem("dataset_damaged" | "place_is_link").
        """
        folder = self.path / TAKES / name
        _check_own(folder, OF_OUTLINE)
        info = self._info(name)
        counts = [_frame_count(folder / "positions.pc2", self.info.vertex_count)]
        counts.append(row_count(folder / "interaction.npy", self.info.channels.size)[0])
        if self.info.reference_frame:
            counts.append(row_count(folder / "frames.npy", 16)[0])
        if self._body_vertices is not None:
            counts.append(_frame_count(folder / "body.pc2", self._body_vertices))
        return TakeOutline(name, info, min(counts))

    @property
    def moving_takes(self) -> int:
        """How many takes are of motion, and not of held poses."""
        return sum(take.moves for take in self.outlines())

    def outlines(self) -> list[TakeOutline]:
        """The outlines of all takes, however many they are."""
        return [self.outline(name) for name in self.take_names()]

    def _info(self, name: str) -> TakeInfo:
        return read_take_info(self.path / "takes" / name)

    def seconds_per_frame(self) -> float:
        """That its simulations of motion took, in one process; 0 where it is not known."""
        return read_pace(self.path)

    def writer(
        self, name: str, info: TakeInfo, *, may_write: Callable[[], None] = lambda: None
    ) -> TakeWriter:
        """Append to a take, from its last whole frame if it was begun before. may_write: see `TakeWriter`."""
        folder = self.path / "takes" / name
        return TakeWriter(folder, info, self.info, self._body_vertices, may_write=may_write)


def _check_free(path: Path) -> None:
    """Raise Problem("file_not_ours" | "place_is_link") where a new dataset's mesh would replace a file."""
    mesh = path / "mesh.npz"
    if look_at(mesh) is not None:  # of a dataset that was being made when its maker was killed
        try:
            read_mesh(mesh)
        except Problem as problem:
            raise Problem("file_not_ours", path=mesh) from problem


def _frame_count(path: Path, vertex_count: int) -> int:
    frames, vertices = pc2_size(path)
    if vertices != vertex_count:
        reason = f"{path.name} has a different vertex count from the mesh or the body"
        raise Problem("dataset_damaged", path=path.parent, reason=reason)
    return frames


def _meaning(layout: ChannelLayout) -> list[tuple[object, ...]]:
    """What makes two layouts the same; an object may have been renamed since."""
    return [(c.name, c.kind, c.size, c.parts) for c in layout.channels]


def _described(info: DatasetInfo) -> str:
    """The channels in words, with all in which they may differ from others of the same name."""
    frame = f", seen from {info.reference_frame}" if info.reference_frame else ""
    return ", ".join(f"{c.name}: {c.kind}, {c.size} numbers" for c in info.channels.channels) + frame
