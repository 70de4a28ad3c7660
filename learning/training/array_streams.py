"""Arrays from process to process, through pipes."""

from __future__ import annotations

import struct
from io import BytesIO
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SIZE = struct.Struct("<Q")  # of what follows, bytes


def send(stream: IO[bytes], *arrays: Array) -> None:
    """Send arrays of numbers, in NumPy's own format. Raises OSError where nobody reads any more."""
    for array in arrays:
        # Not to the pipe itself: NumPy asks a file where it is, which a pipe cannot say.
        message = BytesIO()
        np.lib.format.write_array(message, array, allow_pickle=False)
        stream.write(SIZE.pack(message.tell()))
        stream.write(message.getbuffer())
    stream.flush()


def receive(stream: IO[bytes]) -> Array:
    """The next array. Raises EOFError where nobody sends any more."""
    (size,) = SIZE.unpack(_read(stream, SIZE.size))
    array: Array = np.lib.format.read_array(BytesIO(_read(stream, size)), allow_pickle=False)
    return array


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
