"""Named arrays in one file, in the safetensors format, by these few lines so that no wheel is needed.

The format is eight bytes of header length, a JSON header, raw tensors. Nothing in it can run. Tests hold this
against the safetensors library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

LARGEST_HEADER = 1 << 20
MOST_NUMBERS = 1 << 40
MOST_DIMENSIONS = 8
METADATA = "__metadata__"
CUT_SHORT = "it is cut short or not a safetensors file"
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "I32": np.dtype("<i4"),
    "F16": np.dtype("<f2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}


class DamagedTensors(ValueError):
    """Bytes that are no file of tensors; its text says why, and continues “It cannot be read: ”."""


def parse_tensors(
    data: bytes | bytearray, dtypes: Mapping[str, np.dtype[Any]] = DTYPES
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The tensors by name, views of the data, and the metadata, {} without any. Raises DamagedTensors."""
    length = _header_length(data[:8])
    if length > len(data) - 8:
        raise DamagedTensors(CUT_SHORT)
    header = parse_object(data[8 : 8 + length])
    metadata = _metadata(header)
    header.pop(METADATA, None)
    return _tensors(header, memoryview(data)[8 + length :], dtypes), metadata


def read_metadata(file: BinaryIO) -> dict[str, Any]:
    """The metadata of a file alone, which is left at its beginning. Raises OSError and DamagedTensors."""
    header = parse_object(file.read(_header_length(file.read(8))))
    file.seek(0)
    return _metadata(header)


def format_tensors(tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """A file's bytes. Raises KeyError for a type of number that such files do not have."""
    names = {dtype: name for name, dtype in DTYPES.items()}
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    parts, begin = [], 0
    for name, array in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):
        whole = np.ascontiguousarray(array)
        end = begin + whole.nbytes
        kind = names[whole.dtype.newbyteorder("<")]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": (begin, end)}
        parts.append(whole.astype(DTYPES[kind], copy=False).tobytes())
        begin = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the numbers are aligned
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def parse_object(data: bytes | bytearray) -> dict[str, Any]:
    """A JSON object. Raises DamagedTensors."""
    try:
        item = json.loads(data.decode("utf-8"))
        json.dumps(item, ensure_ascii=False).encode()  # refuses half characters, which nothing could print
    except (ValueError, RecursionError) as error:
        raise DamagedTensors("its header is not JSON") from error
    if not isinstance(item, dict):
        raise DamagedTensors("its header is not a JSON object")
    return item


def _header_length(first: bytes | bytearray) -> int:
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > LARGEST_HEADER:
        raise DamagedTensors(CUT_SHORT)
    return length


def _metadata(header: dict[str, Any]) -> dict[str, Any]:
    metadata = header.get(METADATA, {})
    if not isinstance(metadata, dict):
        raise DamagedTensors("its metadata is not a JSON object")
    return metadata


def _tensors(
    header: dict[str, Any], body: memoryview, dtypes: Mapping[str, np.dtype[Any]]
) -> dict[str, NDArray[Any]]:
    tensors, covered = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: _begin(item[1])):
        try:
            dtype, shape = dtypes[entry["dtype"]], tuple(entry["shape"])
            begin, end = entry["data_offsets"]
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedTensors(f"the tensor “{name}” is not described") from error
        counts_fit = len(shape) <= MOST_DIMENSIONS and all(
            type(n) is int and 0 <= n < MOST_NUMBERS for n in (begin, end, *shape)
        )
        # NumPy refuses a shape that without its zeros would be too large.
        if not counts_fit or math.prod(n or 1 for n in shape) >= MOST_NUMBERS:
            raise DamagedTensors(f"the tensor “{name}” has the wrong size")
        if end - begin != math.prod(shape) * dtype.itemsize:
            raise DamagedTensors(f"the tensor “{name}” has the wrong size")
        if begin != covered or end > len(body):
            raise DamagedTensors("it is cut short, or its tensors overlap")
        covered = end
        tensors[name] = np.frombuffer(body[begin:end], dtype).reshape(shape)
    if covered != len(body):
        raise DamagedTensors("there is extra data after its last tensor")
    return tensors


def _begin(entry: object) -> int:
    try:
        return int(entry["data_offsets"][0])  # type: ignore[index]
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise DamagedTensors("a tensor has no offsets") from error
