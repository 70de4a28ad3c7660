"""Appending frames to a take, so that a kill at any moment costs at most the frame that was being written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask
from ..errors import Problem
from ..files.atomic import writing
from ..files.flushing import flush
from ..files.links import check_no_link, has_own_file, open_own
from ..files.row_files import NPY_HEADER, npy_header
from .dataset_info import MOST_FRAMES, DatasetInfo, Exclusion, TakeInfo, read_take_info, write_take_info
from .point_caches import PC2_HEADER, pc2_header

CHECKPOINT_EVERY = 64  # frames between two rewrites of the headers
BLOCK = 1 << 24  # bytes that are looked at together
MOST_BLANK = 1 << 34  # bytes: far more than is written between two such checkpoints
SYNC_EVERY = 1.0  # seconds at least between two checkpoints that wait for the disk


class TakeWriter:
    """Appends frames; every whole frame on disk is readable whenever the process is killed."""

    def __init__(
        self,
        folder: Path,
        info: TakeInfo,
        dataset: DatasetInfo,
        body_vertex_count: int | None = None,
        *,
        may_write: Callable[[], None] = lambda: None,
    ) -> None:
        """body_vertex_count: B, where the take keeps a body's positions beside the mesh's.

        may_write: called before anything is written later on; it raises where that must not be any more, and
        then nothing is written, not even when the take is left.

        Raises Problem("place_is_link" | "place_not_own_file" | "folder_not_writable" | "disk_full" |
        "dataset_damaged").
        """
        self.folder, self.info = folder, info
        self._asked = may_write
        self._check_no_links()
        self._vertices = {"positions.pc2": dataset.vertex_count}
        if body_vertex_count is not None:
            self._vertices["body.pc2"] = body_vertex_count
        self._rows: dict[str, int] = {"interaction.npy": dataset.channels.size}
        if dataset.reference_frame:
            self._rows["frames.npy"] = 16
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if has_own_file(folder, "take.json"):
                self.info = replace(read_take_info(folder), frames=info.frames)
            self._files = {name: _open_append(folder / name) for name in [*self._vertices, *self._rows]}
            self.count = self._drop_torn_frames()
            self._synced = time.monotonic()
            self._write_headers()
            write_take_info(folder, self.info)

    def append(
        self,
        positions: Floats,
        y: Floats,
        frame: NDArray[np.floating[Any]] | None = None,
        body_positions: NDArray[np.floating[Any]] | None = None,
    ) -> None:
        """Add one frame: positions (V, 3), y (e,), frame (4, 4) where the dataset has a reference frame.

        body_positions (B, 3): where the take keeps those of a body.

        Raises Problem("disk_full"); what was written before stays readable.
        """
        self._may_write()
        rows = {"positions.pc2": positions, "interaction.npy": y}
        more = {"frames.npy": frame, "body.pc2": body_positions}
        rows.update({name: row for name, row in more.items() if row is not None})
        with self._writing():
            for name, file in self._files.items():
                _write_all(file, np.ascontiguousarray(rows[name], "<f4"))
            self.count += 1
            if self.count % CHECKPOINT_EVERY == 0:
                self._write_headers()
                if time.monotonic() - self._synced > SYNC_EVERY:
                    self._sync()

    def exclude(self, exclusions: tuple[Exclusion, ...]) -> None:
        """Set the frames that must not be learned from.

        Raises Problem("place_is_link") and what `may_write` and `writing` do.
        """
        self._may_write()
        self.info = replace(self.info, excluded=exclusions)
        with self._writing():
            write_take_info(self.folder, self.info)

    def end_here(self) -> None:
        """The take ends with the frames it has, whatever was asked for."""
        self.info = replace(self.info, frames=self.count)

    def close(self, *, finished: bool = True) -> None:
        """Leave it; it is complete if it is finished and all frames asked for are there."""
        try:
            self._may_write()
        except Problem:
            for file in self._files.values():
                file.close()
            raise
        self.info = replace(self.info, complete=finished and self.count >= self.info.frames)
        with self._writing():
            self._write_headers()
            self._sync()
            for file in self._files.values():
                file.close()
            write_take_info(self.folder, self.info)

    def _may_write(self) -> None:
        self._asked()
        self._check_no_links()

    def _check_no_links(self) -> None:
        check_no_link(self.folder.parent)
        check_no_link(self.folder)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """What `writing` does, but where the folder was moved away meanwhile by whom it is now: then that."""
        try:
            with writing(self.folder):
                yield
        except Problem:
            self._may_write()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self.close(finished=error is None)

    def _row_bytes(self, name: str) -> int:
        return 4 * (3 * self._vertices[name] if name in self._vertices else self._rows[name])

    def _offset(self, name: str) -> int:
        return PC2_HEADER.size if name in self._vertices else NPY_HEADER

    def _drop_torn_frames(self) -> int:
        """Cut the files back to the frames that are whole in all of them; how many there are."""
        counts = []
        for name, file in self._files.items():
            if file.seek(0, os.SEEK_END) < self._offset(name):
                file.truncate(0)
                file.seek(0)
                file.write(b"\0" * self._offset(name))
            counts.append((file.tell() - self._offset(name)) // self._row_bytes(name))
        count = self._whole(min(counts))
        for name, file in self._files.items():
            file.truncate(self._offset(name) + count * self._row_bytes(name))
            file.seek(0, os.SEEK_END)
        return count

    def _whole(self, count: int) -> int:
        """How many of the first frames are left without the last ones of which only the room is there.

        The power failed before these were written. Raises Problem("dataset_damaged") for more than can be.
        """
        if count > MOST_FRAMES:
            raise Problem("dataset_damaged", path=self.folder, reason=f"more than {MOST_FRAMES:,} frames")
        size = sum(map(self._row_bytes, self._vertices))
        first, step = count, max(1, BLOCK // size)
        while first:
            if (count - first) * size > MOST_BLANK:
                raise Problem("dataset_damaged", path=self.folder, reason="too many frames were not written")
            first, end = max(0, first - step), first
            found = [self._written(name, first, end) for name in self._vertices]
            written = np.flatnonzero(np.all(found, axis=0))
            if len(written):
                return first + int(written[-1]) + 1
        return 0

    def _written(self, name: str, first: int, end: int) -> Mask:
        """Of which frames a file of vertices holds more than the room."""
        file, size = self._files[name], self._row_bytes(name)
        file.seek(PC2_HEADER.size + first * size)
        data = file.read((end - first) * size).ljust((end - first) * size, b"\0")
        return np.asarray(np.frombuffer(data, np.uint32).reshape(-1, size // 4).any(axis=1))

    def _sync(self) -> None:
        """Wait until all frames are on the disk itself."""
        for file in self._files.values():
            flush(file.fileno())
        self._synced = time.monotonic()

    def _write_headers(self) -> None:
        for name, file in self._files.items():
            if name in self._vertices:
                header = pc2_header(self._vertices[name], self.count)
            else:
                header = npy_header(self.count, self._rows[name])
            file.seek(0)
            file.write(header)
            file.flush()
            file.seek(0, os.SEEK_END)


def _write_all(file: BinaryIO, rows: Floats) -> None:
    """Write all of it: a full disk may cut a write short without an error, which the next one raises."""
    left = rows.data.cast("B")
    while left:
        left = left[file.write(left) :]


def _open_append(path: Path) -> BinaryIO:
    """Open a file to go on with, made if it is not there."""
    opened = open_own(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0))
    return os.fdopen(opened, "r+b", buffering=0)
