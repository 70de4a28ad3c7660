"""Arrays of float32 that grow row by row in an .npy file; how many rows there are is what its size holds."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

from ..arrays import Floats
from ..errors import Problem
from .reading import map_plain, open_plain, read_array_header

NPY_HEADER = 128  # bytes; room for any shape, so that it can be rewritten in place


def npy_header(rows: int, columns: int) -> bytes:
    """The NPY_HEADER bytes before the rows."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    body = text.ljust(NPY_HEADER - 11) + "\n"
    return npy_format.MAGIC_PREFIX + b"\x01\x00" + len(body).to_bytes(2, "little") + body.encode("latin1")


def row_count(path: Path, columns: int) -> tuple[int, int]:
    """How many rows an .npy has, which is what the file's size holds, and where the first begins.

    Raises Problem("dataset_damaged").
    """
    try:
        with open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            shape, fortran, dtype = read_array_header(file)
            offset = file.tell()
    except (OSError, EOFError, ValueError) as error:
        raise Problem("dataset_damaged", path=path, reason=str(error)) from error
    if fortran or dtype != np.dtype("<f4") or len(shape) != 2 or shape[1] != columns:
        raise Problem("dataset_damaged", path=path, reason=f"it is not float32 with {columns} columns")
    return (size - offset) // (4 * columns), offset


def map_rows(path: Path, columns: int) -> Floats:
    """Map an .npy of rows: (rows, columns), read-only. Raises Problem("dataset_damaged")."""
    rows, offset = row_count(path, columns)
    if rows == 0:
        return np.empty((0, columns), np.float32)
    return _mapped(path, offset, (rows, columns))


def _mapped(path: Path, offset: int, shape: tuple[int, int]) -> Floats:
    try:
        return map_plain(path, "<f4", offset, shape)
    except ValueError as error:  # it has become another one since it was counted
        raise Problem("dataset_damaged", path=path, reason=str(error)) from error
