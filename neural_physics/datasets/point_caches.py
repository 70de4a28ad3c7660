"""Vertex animation files that other programs read and write: PC2 and MDD.

PC2: little-endian; "POINTCACHE2\\0", int32 version 1, int32 vertices, float32 first frame, float32
sampling, int32 frames; then float32 xyz per vertex and frame.
MDD: big-endian; int32 frames, int32 vertices, float32 seconds per frame; then as PC2.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..errors import Problem
from ..files.reading import map_plain, open_plain

PC2_HEADER = struct.Struct("<12siiffi")
PC2_MAGIC = b"POINTCACHE2\0"
MOST_VERTICES = 50_000_000


def pc2_header(vertex_count: int, frame_count: int, first_frame: float = 0.0) -> bytes:
    """The 32 bytes before the frames."""
    return PC2_HEADER.pack(PC2_MAGIC, 1, vertex_count, first_frame, 1.0, frame_count)


def pc2_size(path: Path) -> tuple[int, int]:
    """Frames and vertices of a PC2 file, without mapping it.

    The count of frames is what the file's size holds: a torn last frame is dropped, and a header
    left behind by a killed writer does not matter.
    Raises Problem("file_missing" | "cache_not_pc2").
    """
    header, size = _header(path, PC2_HEADER.size, "cache_not_pc2")
    magic, version, vertices, _, _, _ = PC2_HEADER.unpack(header)
    if magic != PC2_MAGIC or version != 1 or not 0 < vertices <= MOST_VERTICES:
        raise Problem("cache_not_pc2", path=path)
    return (size - PC2_HEADER.size) // (12 * vertices), vertices


def read_pc2(path: Path) -> Floats:
    """Map a PC2 file: (frames, vertices, 3) float32, metres, read-only, not loaded.

    Its frames are those of `pc2_size`. Raises Problem("file_missing" | "cache_not_pc2").
    """
    frames, vertices = pc2_size(path)
    if frames == 0:
        return np.empty((0, vertices, 3), np.float32)
    return _mapped(path, "<f4", PC2_HEADER.size, (frames, vertices, 3), code="cache_not_pc2")


def read_mdd(path: Path) -> Floats:
    """Map an MDD file: (frames, vertices, 3), big-endian float32, read-only, not loaded.

    Raises Problem("file_missing" | "cache_not_mdd").
    """
    header, size = _header(path, 8, "cache_not_mdd")
    frames, vertices = struct.unpack(">ii", header)
    sizes_fit = frames > 0 and 0 < vertices <= MOST_VERTICES
    data = 8 + 4 * frames
    if not sizes_fit or size != data + 12 * frames * vertices:
        raise Problem("cache_not_mdd", path=path)
    return _mapped(path, ">f4", data, (frames, vertices, 3), code="cache_not_mdd")


def write_pc2(path: Path, frames: Floats, first_frame: float = 0.0) -> None:
    """Write (T, V, 3) float32 positions as one PC2 file. Raises FileExistsError, as of any link there."""
    with path.open("xb") as file:
        file.write(pc2_header(frames.shape[1], len(frames), first_frame))
        for frame in frames:
            file.write(np.ascontiguousarray(frame, "<f4").data)


def _header(path: Path, count: int, code: str) -> tuple[bytes, int]:
    """The first `count` bytes, and how many the file has."""
    try:
        with open_plain(path) as file:
            header, size = file.read(count), os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise Problem("file_missing", path=path) from error
    except (OSError, ValueError) as error:
        raise Problem(code, path=path) from error
    if len(header) < count:
        raise Problem(code, path=path)
    return header, size


def _mapped(path: Path, dtype: str, offset: int, shape: tuple[int, int, int], *, code: str) -> Floats:
    try:
        return map_plain(path, dtype, offset, shape)
    except ValueError as error:  # it has become another one since it was counted
        raise Problem(code, path=path) from error
