"""Datasets on disk: a folder of takes that survives kill -9 and may be larger than memory.

`docs/file_formats.md` describes the folder for those who write their own.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self, get_args

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from .channels import ChannelLayout
from .errors import Problem
from .point_caches import PC2_HEADER, pc2_header, pc2_size, read_pc2

SCHEMA = 1
NPY_HEADER = 128  # bytes; room for any shape, so that it can be rewritten in place
CHECKPOINT_EVERY = 64  # frames between two rewrites of the headers
SYNC_EVERY = 1.0  # seconds at least between two checkpoints that wait for the disk
REPLACE_WITHIN = 1.0  # seconds in which a file that is held open must be let go

Role = Literal["training", "validation", "test"]
TakeKind = Literal["dynamic", "quasistatic", "contact"]


@dataclass(frozen=True)
class Mesh:
    """The simulated mesh at rest.

    rest_positions (V, 3) float32, metres. corners: the faces' vertex indices one after the other,
    int32; face_sizes (F,) int32. pins (V,) float32: 1 where pinned, 0 where free.
    """

    rest_positions: NDArray[np.float32]
    corners: NDArray[np.int32]
    face_sizes: NDArray[np.int32]
    pins: NDArray[np.float32]

    @property
    def vertex_count(self) -> int:
        return len(self.rest_positions)

    def topology(self) -> str:
        """A hash of the vertex count and the faces; what a model is bound to."""
        return topology_hash(self.vertex_count, self.corners, self.face_sizes)

    def edges(self) -> NDArray[np.int32]:
        """(E, 2) int32: the edges of all faces, each once."""
        following = np.arange(1, len(self.corners) + 1)
        ends = np.cumsum(self.face_sizes)
        following[ends - 1] = ends - self.face_sizes
        pairs = np.stack([self.corners, self.corners[following]], axis=1)
        return np.unique(np.sort(pairs, axis=1), axis=0)


def topology_hash(vertex_count: int, corners: NDArray[np.int32], face_sizes: NDArray[np.int32]) -> str:
    """A hash that two meshes share if they have the same vertex count and faces."""
    digest = hashlib.sha256(str(vertex_count).encode())
    digest.update(np.ascontiguousarray(corners, "<i4").data)
    digest.update(np.ascontiguousarray(face_sizes, "<i4").data)
    return digest.hexdigest()[:32]


@dataclass(frozen=True)
class DatasetInfo:
    """What `dataset.json` says.

    object: the name of the mesh object. topology: see `Mesh.topology`. fps: of the baked scene;
    dt = 1 / fps seconds. reference_frame: the object or bone ("Rig/neck") in whose axes positions
    and channels are given, "" for the object itself. provenance: free text pairs.
    For the evaluation: gravity, m/s^2 in those axes, where no ground channel says how they turn;
    colliders: radii in metres of the spheres at the position channels of these names.
    """

    object: str
    topology: str
    vertex_count: int
    fps: float
    channels: ChannelLayout
    reference_frame: str = ""
    provenance: dict[str, str] = field(default_factory=dict)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    colliders: dict[str, float] = field(default_factory=dict)

    @property
    def dt(self) -> float:
        return 1.0 / self.fps


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


@dataclass(frozen=True)
class Take:
    """One continuous simulation. Arrays are memory maps.

    positions (T, V, 3) float32, metres, in the reference frame; interaction (T, e) float32;
    frames (T, 4, 4) float32: object_from_frame, None where the reference frame is the object.
    """

    name: str
    info: TakeInfo
    positions: NDArray[np.float32]
    interaction: NDArray[np.float32]
    frames: NDArray[np.float32] | None

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
    def usable_frames(self) -> int:
        """How many frames may be learned from."""
        return sum(stop - start for start, stop in _segments(self.info, self.frame_count))


def left_out(take: TakeOutline) -> str:
    """A sentence about what of a take is not learned from, and why."""
    lost = take.frame_count - take.usable_frames
    reasons = ", ".join(sorted({e.reason for e in take.info.excluded}))
    return f"{take.name}: {lost} of {take.frame_count} frames are left out of training ({reasons})."


def _segments(info: TakeInfo, frames: int) -> list[tuple[int, int]]:
    usable = np.ones(frames, bool)
    for excluded in info.excluded:
        usable[excluded.first : excluded.last + 1] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[0], usable.astype(np.int8), [0]])))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


class Dataset:
    """A dataset folder, open for reading."""

    def __init__(self, path: Path, info: DatasetInfo, mesh: Mesh) -> None:
        self.path, self.info, self.mesh = path, info, mesh

    @classmethod
    def open(cls, path: Path) -> Self:
        """Raises Problem("dataset_missing" | "dataset_damaged" | "dataset_newer")."""
        if not (path / "dataset.json").is_file():
            raise Problem("dataset_missing", path=path)
        info = _read_info(path)
        mesh = read_mesh(path / "mesh.npz")
        if mesh.topology() != info.topology or mesh.vertex_count != info.vertex_count:
            raise Problem("dataset_damaged", path=path, reason="mesh.npz does not belong to dataset.json")
        return cls(path, info, mesh)

    @classmethod
    def create(cls, path: Path, info: DatasetInfo, mesh: Mesh) -> Self:
        """Make the folder, or open one that holds the same object and channels.

        Raises Problem("dataset_settings_unusable" | "dataset_other_object" | "dataset_other_channels" |
        "folder_not_writable" | "disk_full").
        """
        try:
            _check_info(info)
        except (TypeError, ValueError) as error:
            raise Problem("dataset_settings_unusable", path=path, reason=error) from error
        if (path / "dataset.json").is_file():
            dataset = cls.open(path)
            dataset.check_matches(info)
            return dataset
        with writing(path):
            (path / "takes").mkdir(parents=True, exist_ok=True)
            arrays = BytesIO()
            np.savez(arrays, **asdict(mesh))
            write_whole(path / "mesh.npz", arrays.getvalue())
            # Last, so that a folder with a dataset.json is always whole.
            _write_json(path / "dataset.json", _info_to_json(info))
        return cls(path, info, mesh)

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

    def take_names(self) -> list[str]:
        """All takes that were begun, in order; they may have no frames yet."""
        takes = self.path / "takes"
        return (
            sorted(p.name for p in takes.iterdir() if (p / "take.json").is_file()) if takes.is_dir() else []
        )

    def take(self, name: str) -> Take:
        """Map one take. Raises Problem("dataset_damaged")."""
        folder = self.path / "takes" / name
        info = self.outline(name).info
        positions = read_pc2(folder / "positions.pc2")
        interaction = _map_rows(folder / "interaction.npy", self.info.channels.size)
        counts = [len(positions), len(interaction)]
        frames = None
        if self.info.reference_frame:
            frames = _map_rows(folder / "frames.npy", 16).reshape(-1, 4, 4)
            counts.append(len(frames))
        # Counted again, since a bake may be writing them.
        whole = min(counts)
        return Take(
            name, info, positions[:whole], interaction[:whole], None if frames is None else frames[:whole]
        )

    def takes(self, *roles: Role) -> list[Take]:
        """Map all takes, or those of the given roles. Each holds two or three files open."""
        names = self.take_names()
        return [self.take(name) for name in names if not roles or self._info(name).role in roles]

    def outline(self, name: str) -> TakeOutline:
        """What can be said of a take without mapping it. Raises Problem("dataset_damaged")."""
        folder, info = self.path / "takes" / name, self._info(name)
        frames, vertices = pc2_size(folder / "positions.pc2")
        if vertices != self.info.vertex_count:
            raise Problem("dataset_damaged", path=folder, reason="its positions have another vertex count")
        counts = [frames, _row_count(folder / "interaction.npy", self.info.channels.size)[0]]
        if self.info.reference_frame:
            counts.append(_row_count(folder / "frames.npy", 16)[0])
        return TakeOutline(name, info, min(counts))

    def outlines(self) -> list[TakeOutline]:
        """Of all takes, however many they are."""
        return [self.outline(name) for name in self.take_names()]

    def _info(self, name: str) -> TakeInfo:
        return read_take_info(self.path / "takes" / name)

    def writer(self, name: str, info: TakeInfo) -> TakeWriter:
        """Append to a take, from its last whole frame if it was begun before."""
        return TakeWriter(self.path / "takes" / name, info, self.info)


class TakeWriter:
    """Appends frames; every whole frame on disk is readable whenever the process is killed."""

    def __init__(self, folder: Path, info: TakeInfo, dataset: DatasetInfo) -> None:
        self.folder, self.info = folder, info
        self._vertex_count = dataset.vertex_count
        self._rows: dict[str, int] = {"interaction.npy": dataset.channels.size}
        if dataset.reference_frame:
            self._rows["frames.npy"] = 16
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / "take.json").is_file():
                self.info = replace(read_take_info(folder), frames=info.frames)
            self._files = {name: _open_append(folder / name) for name in ["positions.pc2", *self._rows]}
            self.count = self._drop_torn_frames()
            self._synced = time.monotonic()
            self._write_headers()
            write_take_info(folder, self.info)

    def append(
        self,
        positions: NDArray[np.float32],
        y: NDArray[np.float32],
        frame: NDArray[np.floating[Any]] | None = None,
    ) -> None:
        """Add one frame: positions (V, 3), y (e,), frame (4, 4) where the dataset has a reference frame.

        Raises Problem("disk_full"); what was written before stays readable.
        """
        rows = {"positions.pc2": positions, "interaction.npy": y}
        if frame is not None:
            rows["frames.npy"] = frame
        with writing(self.folder):
            for name, file in self._files.items():
                _write_all(file, np.ascontiguousarray(rows[name], "<f4"))
            self.count += 1
            if self.count % CHECKPOINT_EVERY == 0:
                self._write_headers()
                if time.monotonic() - self._synced > SYNC_EVERY:
                    self._sync()

    def exclude(self, exclusions: tuple[Exclusion, ...]) -> None:
        """Set the frames that must not be learned from."""
        self.info = replace(self.info, excluded=exclusions)
        with writing(self.folder):
            write_take_info(self.folder, self.info)

    def end_here(self) -> None:
        """The take ends with the frames it has, whatever was asked for."""
        self.info = replace(self.info, frames=self.count)

    def close(self, *, finished: bool = True) -> None:
        """Leave it; it is complete if it is finished and all frames asked for are there."""
        self.info = replace(self.info, complete=finished and self.count >= self.info.frames)
        with writing(self.folder):
            self._write_headers()
            self._sync()
            for file in self._files.values():
                file.close()
            write_take_info(self.folder, self.info)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self.close(finished=error is None)

    def _row_bytes(self, name: str) -> int:
        return 4 * (3 * self._vertex_count if name == "positions.pc2" else self._rows[name])

    def _offset(self, name: str) -> int:
        return PC2_HEADER.size if name == "positions.pc2" else NPY_HEADER

    def _drop_torn_frames(self) -> int:
        """Cut the files back to the frames that are whole in all of them; how many there are."""
        counts = []
        for name, file in self._files.items():
            if file.seek(0, os.SEEK_END) < self._offset(name):
                file.truncate(0)
                file.seek(0)
                file.write(b"\0" * self._offset(name))
            counts.append((file.tell() - self._offset(name)) // self._row_bytes(name))
        count = min(counts)
        while count and self._is_blank(count - 1):
            count -= 1
        for name, file in self._files.items():
            file.truncate(self._offset(name) + count * self._row_bytes(name))
            file.seek(0, os.SEEK_END)
        return count

    def _is_blank(self, number: int) -> bool:
        """Whether only the room for a frame is there: the power failed before it was written."""
        file, size = self._files["positions.pc2"], self._row_bytes("positions.pc2")
        file.seek(PC2_HEADER.size + number * size)
        return not any(file.read(size))

    def _sync(self) -> None:
        """Wait until all frames are on the disk itself."""
        for file in self._files.values():
            os.fsync(file.fileno())
        self._synced = time.monotonic()

    def _write_headers(self) -> None:
        for name, file in self._files.items():
            if name == "positions.pc2":
                header = pc2_header(self._vertex_count, self.count)
            else:
                header = _npy_header(self.count, self._rows[name])
            file.seek(0)
            file.write(header)
            file.flush()
            file.seek(0, os.SEEK_END)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's refusals into Problem("disk_full" | "folder_not_writable")."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Problem("disk_full", path=path) from error
        raise Problem("folder_not_writable", path=path, reason=error.strerror or error) from error


def write_whole(path: Path, data: bytes) -> None:
    """All or nothing, even if the power fails: a reader sees the old file or the new one.

    Raises OSError; then the old file is as it was.
    """
    scratch = path.with_name(path.name + ".new")
    try:
        scratch.write_bytes(data)
        put_in_place(scratch, path)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise


def put_in_place(scratch: Path, path: Path) -> None:
    """Let a file that is finished take the place of another, once it is on the disk itself."""
    with scratch.open("rb+") as file:
        os.fsync(file.fileno())
    patience = time.monotonic() + REPLACE_WITHIN
    while True:
        try:
            scratch.replace(path)
            return
        except PermissionError:
            # Windows refuses while a panel, an indexer or a virus scanner has the old file open.
            if time.monotonic() > patience:
                raise
            time.sleep(0.02)


def read_take_info(folder: Path) -> TakeInfo:
    """Read `take.json`. Raises Problem("dataset_damaged")."""
    item = _read_json(folder / "take.json", folder)
    try:
        if item.pop("schema") > SCHEMA:
            raise Problem("dataset_newer", path=folder)
        excluded = tuple(Exclusion(int(a), int(b), str(reason)) for a, b, reason in item.pop("excluded", ()))
        info = TakeInfo(**item, excluded=excluded)
        _check_take_info(info)
        return info
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Problem("dataset_damaged", path=folder, reason=f"take.json: {error}") from error


def _check_take_info(info: TakeInfo) -> None:
    if info.role not in get_args(Role) or info.kind not in get_args(TakeKind):
        raise ValueError(f"there is no role “{info.role}”, or no kind “{info.kind}”")
    if not isinstance(info.frames, int) or not isinstance(info.complete, bool):
        raise ValueError("frames must be a whole number, complete true or false")
    if not all(0 <= e.first <= e.last for e in info.excluded):
        raise ValueError("an excluded run of frames does not go from a first to a later last")


def write_take_info(folder: Path, info: TakeInfo) -> None:
    """Write `take.json`, all or nothing."""
    item = {"schema": SCHEMA, **asdict(info)}
    item["excluded"] = [[e.first, e.last, e.reason] for e in info.excluded]
    _write_json(folder / "take.json", item)


def _meaning(layout: ChannelLayout) -> list[tuple[object, ...]]:
    """What makes two layouts the same; an object may have been renamed since."""
    return [(c.name, c.kind, c.size, c.parts) for c in layout.channels]


def _described(info: DatasetInfo) -> str:
    """The channels in words, with all in which they may differ from others of the same name."""
    frame = f", seen from {info.reference_frame}" if info.reference_frame else ""
    return ", ".join(f"{c.name}: {c.kind}, {c.size} numbers" for c in info.channels.channels) + frame


def _info_to_json(info: DatasetInfo) -> dict[str, Any]:
    return {"schema": SCHEMA, **asdict(info), "channels": info.channels.to_json()}


def _read_info(path: Path) -> DatasetInfo:
    item = _read_json(path / "dataset.json", path)
    try:
        if item.pop("schema") > SCHEMA:
            raise Problem("dataset_newer", path=path)
        channels = ChannelLayout.from_json(item.pop("channels"))
        x, y, z = item.pop("gravity", DatasetInfo.gravity)
        info = DatasetInfo(**item, channels=channels, gravity=(float(x), float(y), float(z)))
        _check_info(info)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Problem("dataset_damaged", path=path, reason=f"dataset.json: {error}") from error
    return info


def _check_info(info: DatasetInfo) -> None:
    if not 0 < info.fps < 1e6 or not isinstance(info.vertex_count, int) or info.vertex_count < 1:
        raise ValueError("fps and vertex_count must be above 0")
    if not all(isinstance(text, str) for text in (info.object, info.topology, info.reference_frame)):
        raise ValueError("object, topology and reference_frame must be texts")
    if not isinstance(info.provenance, dict) or not np.isfinite(info.gravity).all():
        raise ValueError("provenance must be texts by name, and gravity finite numbers")
    _check_colliders(info)


def _check_colliders(info: DatasetInfo) -> None:
    if not isinstance(info.colliders, dict):
        raise ValueError("colliders must be radii by name")
    positions = [c.name for c in info.channels.channels if c.kind == "position"]
    for name, radius in info.colliders.items():
        if name not in positions:
            known = ", ".join(positions) or "there are none"
            raise ValueError(f"the collider “{name}” is not one of the position channels ({known})")
        if not 0 < radius < float("inf"):
            raise ValueError(f"the radius of the collider “{name}” must be above 0")


def read_mesh(path: Path) -> Mesh:
    """Read a `mesh.npz`. Raises Problem("dataset_damaged")."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            mesh = Mesh(
                np.ascontiguousarray(arrays["rest_positions"], np.float32),
                np.ascontiguousarray(arrays["corners"], np.int32),
                np.ascontiguousarray(arrays["face_sizes"], np.int32),
                np.ascontiguousarray(arrays["pins"], np.float32),
            )
            _check_mesh(mesh)
            return mesh
    except Exception as error:  # zip, zlib and NumPy all have errors of their own
        raise Problem("dataset_damaged", path=path.parent, reason=f"{path.name}: {error}") from error


def _check_mesh(mesh: Mesh) -> None:
    count, corners = mesh.vertex_count, mesh.corners
    if mesh.rest_positions.shape != (count, 3) or mesh.pins.shape != (count,):
        raise ValueError("rest_positions must be (V, 3) and pins (V,)")
    if not np.isfinite(mesh.rest_positions).all() or not np.isfinite(mesh.pins).all():
        raise ValueError("rest_positions and pins must be finite numbers")
    sizes_fit = mesh.face_sizes.ndim == corners.ndim == 1 and mesh.face_sizes.sum() == len(corners)
    if not sizes_fit or (mesh.face_sizes < 3).any():
        raise ValueError("face_sizes must be at least 3 each and add up to the number of corners")
    if len(corners) and not 0 <= corners.min() <= corners.max() < count:
        raise ValueError("corners must be vertex indices")


def _read_json(path: Path, named: Path) -> dict[str, Any]:
    try:
        item = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Problem("dataset_damaged", path=named, reason=f"{path.name}: {error}") from error
    if not isinstance(item, dict):
        raise Problem("dataset_damaged", path=named, reason=f"{path.name} is not a JSON object")
    return item


def _write_json(path: Path, item: dict[str, Any]) -> None:
    write_whole(path, (json.dumps(item, indent=1) + "\n").encode())


def _npy_header(rows: int, columns: int) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    body = text.ljust(NPY_HEADER - 11) + "\n"
    return npy_format.MAGIC_PREFIX + b"\x01\x00" + len(body).to_bytes(2, "little") + body.encode("latin1")


def _row_count(path: Path, columns: int) -> tuple[int, int]:
    """How many rows an .npy has, which is what the file's size holds, and where the first begins."""
    try:
        with path.open("rb") as file:
            version = npy_format.read_magic(file)
            read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
            shape, fortran, dtype = read(file)
            offset = file.tell()
    except Exception as error:  # NumPy reads the header with Python's own tokenizer and its errors
        raise Problem("dataset_damaged", path=path, reason=str(error)) from error
    if fortran or dtype != np.dtype("<f4") or len(shape) != 2 or shape[1] != columns:
        raise Problem("dataset_damaged", path=path, reason=f"it is not float32 with {columns} columns")
    return (path.stat().st_size - offset) // (4 * columns), offset


def _map_rows(path: Path, columns: int) -> NDArray[np.float32]:
    """Map an .npy of rows."""
    rows, offset = _row_count(path, columns)
    if rows == 0:
        return np.empty((0, columns), np.float32)
    return np.memmap(path, "<f4", "r", offset, (rows, columns))


def _write_all(file: BinaryIO, rows: NDArray[np.float32]) -> None:
    """On a disk that fills up a write may be cut short without an error; the next one then raises it."""
    left = rows.data.cast("B")
    while left:
        left = left[file.write(left) :]


def _open_append(path: Path) -> BinaryIO:
    path.touch()
    return path.open("r+b", buffering=0)
