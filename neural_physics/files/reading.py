"""Reading files that may come from anybody: plain files alone, and no more of them than they can hold.

A pipe in place of a file is waited for without end, a device may never end or do something when it is opened,
and a few kilobytes of zeros can unpack to gigabytes.
"""

from __future__ import annotations

import json
import os
import stat
import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

LARGEST_JSON = 1 << 23  # bytes; what is read of them takes up to twenty times as much
MOST_UNPACKED = 4  # times what an archive takes on disk may come out of it
ALLOWANCE = 1 << 20  # bytes that may come out of any
KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
LONGEST_HEADER = 10_000  # bytes of an array's, as NumPy allows
LARGEST_HOLE, LEAST_SHARE, BLOCK = 1 << 28, 64, 512  # bytes; of them on disk; what systems count these in
ARCHIVE = b"PK"  # what one begins with
SUFFIX = ".npy"  # of an archive's arrays


class NotReadable(ValueError):
    """A file that is not what it should be; its text says why, and continues “It cannot be read: ”."""


class Torn(NotReadable):
    """An archive of which a part is not there, as where its writer was killed."""


def open_plain(path: Path) -> BinaryIO:
    """Open a file for reading. Raises OSError, and NotReadable for a folder, a pipe or a device."""
    _check_plain(path.stat())  # first, since a device may act as soon as it is opened
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check_plain(os.fstat(opened))  # again, as another may stand there by now
        return os.fdopen(opened, "rb")
    except BaseException:
        os.close(opened)
        raise


def read_bytes(path: Path, most: int) -> bytes:
    """All of a file, if it has at most so many bytes. Raises OSError and NotReadable."""
    with open_plain(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise NotReadable(f"it is larger than {most >> 20} MB")
    return data


def read_json(path: Path, most: int = LARGEST_JSON) -> Any:  # noqa: ANN401 (whatever is in it)
    """What a JSON file holds. Raises OSError, and ValueError for anything else."""
    try:
        return json.loads(read_bytes(path, most).decode("utf-8"))
    except RecursionError as error:
        raise NotReadable("it is nested too deeply") from error


def map_plain(path: Path, dtype: str, offset: int, shape: tuple[int, ...]) -> NDArray[Any]:
    """Map a part of a file, read-only. Raises OSError, and ValueError where it is too short."""
    with open_plain(path) as file:
        return np.memmap(cast(Any, file), dtype, "r", offset, shape)


def map_array(path: Path) -> NDArray[Any]:
    """Map the array in an .npy file, read-only. Raises OSError and ValueError."""
    with open_plain(path) as file:
        shape, fortran, dtype = _array_header(file, os.fstat(file.fileno()).st_size)
        if prod(shape) * dtype.itemsize == 0:  # which no system maps
            return np.empty(shape, dtype)
        return np.memmap(cast(Any, file), dtype, "r", file.tell(), shape, "F" if fortran else "C")


def read_arrays(path: Path, names: Sequence[str] = (), *, most: int | None = None) -> dict[str, NDArray[Any]]:
    """The arrays in an .npz file by name, all or those asked for, of which some may not be there.

    most: bytes that the file may have, where what it should hold is known.
    Raises OSError, and ValueError for anything that is no such archive: Torn where it was one.
    """
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise NotReadable("it is larger than what it should hold")
        if is_mostly_holes(file):
            raise NotReadable("most of it is not there")
        try:
            with zipfile.ZipFile(file) as archive:
                return _unpacked(archive, size, names)
        # Torn, damaged, of a later version, cut short, encrypted.
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError) as error:
            file.seek(0)
            kind = Torn if file.read(len(ARCHIVE)) == ARCHIVE else NotReadable
            raise kind(f"it is no archive of arrays ({error})") from error


def _check_plain(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotReadable("it is not a file")


def _unpacked(archive: zipfile.ZipFile, size: int, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    members = {member.filename.removesuffix(SUFFIX): member for member in archive.infolist()}
    wanted = {name: member for name, member in members.items() if not names or name in names}
    if sum(member.file_size for member in wanted.values()) > MOST_UNPACKED * size + ALLOWANCE:
        raise NotReadable("it holds far more than it should")
    if any(member.compress_type not in KNOWN for member in wanted.values()):
        raise NotReadable("it is packed in another way than such files are")
    arrays = {}
    for name, member in wanted.items():
        with archive.open(member) as file:
            arrays[name] = _array(cast(BinaryIO, file), member.file_size)
    return arrays


def _array(file: BinaryIO, size: int) -> NDArray[Any]:
    """The array at the beginning of `size` bytes."""
    shape, fortran, dtype = _array_header(file, size)
    data = file.read(prod(shape) * dtype.itemsize)
    flat = np.frombuffer(bytearray(data), dtype, prod(shape))
    return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)


def read_array_header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns come first, and type, as an array's header has them.

    Raises NotReadable, also for a header that is longer than any: NumPy reads all that it claims to be.
    """
    try:
        version = npy_format.read_magic(file)
        read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
        claimed = file.read(2 if version == (1, 0) else 4)
        length = int.from_bytes(claimed, "little")
        if length > LONGEST_HEADER:
            raise NotReadable(f"its header is of {length:,} bytes")
        return read(BytesIO(claimed + file.read(length)))
    except (zlib.error, zipfile.BadZipFile, EOFError):  # of the archive that it is in
        raise
    except Exception as error:  # NumPy reads the header with Python's own tokenizer and its errors
        raise NotReadable(f"it is no array ({error})") from error


def is_mostly_holes(file: BinaryIO) -> bool:
    """Whether a file of hundreds of megabytes takes next to none on disk: nobody has written that.

    A small one may be so new that the system has not counted what it takes.
    """
    found = os.fstat(file.fileno())
    on_disk = BLOCK * getattr(found, "st_blocks", found.st_size)  # Windows does not say
    return found.st_size > LARGEST_HOLE and on_disk * LEAST_SHARE < found.st_size


def _array_header(file: BinaryIO, size: int) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns come first, and type; believed only as far as `size` bytes go."""
    shape, fortran, dtype = read_array_header(file)
    if dtype.hasobject:
        raise NotReadable("it holds Python objects")
    if any(n < 0 for n in shape) or prod(shape) * dtype.itemsize > size:
        raise NotReadable("it is cut short")
    return shape, fortran, dtype
