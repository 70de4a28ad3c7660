"""Images that hold numbers rather than colours: PNG of 16 bits, and OpenEXR of single precision."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

ROWS = 16  # that OpenEXR compresses together
ZIP = 3  # what it calls that
FLOAT = 2  # and numbers of single precision
LEVEL = 6  # of compression

Report = Callable[[int], None]


def write_png(file: BinaryIO, pixels: NDArray[np.uint16], report: Report) -> None:
    """pixels (H, W, 3) as RGB, the top row first; report: called with the rows that are done."""
    height, width, _ = pixels.shape
    file.write(b"\x89PNG\r\n\x1a\n")
    file.write(_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)))
    packer = zlib.compressobj(LEVEL)
    for rows in _bands(height):
        # What a texel has more than the one above it, the frame before, takes fewest bytes.
        raw = pixels[rows].astype(">u2").reshape(len(rows), -1).view(np.uint8)
        above = pixels[rows[0] - 1].astype(">u2").reshape(-1).view(np.uint8) if rows[0] else 0 * raw[0]
        less = raw - np.vstack([above[None], raw[:-1]])
        data = packer.compress(np.hstack([np.full((len(rows), 1), 2, np.uint8), less]).tobytes())
        if data:
            file.write(_chunk(b"IDAT", data))
        report(rows[-1] + 1)
    file.write(_chunk(b"IDAT", packer.flush()))
    file.write(_chunk(b"IEND", b""))


def write_exr(file: BinaryIO, pixels: Floats, report: Report) -> None:
    """The same of float32 pixels, with an alpha of 1: not all programs read images of three such channels."""
    height, width, _ = pixels.shape
    file.write(_exr_header(width, height))
    table, place = file.tell(), np.empty(-(-height // ROWS), "<u8")
    file.write(place.tobytes())
    for block, rows in enumerate(_bands(height)):
        # Channels are in the order of their names: A, B, G, R.
        lines = np.ones((len(rows), 4, width), "<f4")
        lines[:, 1:] = pixels[rows, :, ::-1].transpose(0, 2, 1)
        raw = lines.tobytes()
        packed = _exr_packed(raw)
        data = packed if len(packed) < len(raw) else raw
        place[block] = file.tell()
        file.write(struct.pack("<ii", rows[0], len(data)) + data)
        report(rows[-1] + 1)
    file.seek(table)
    file.write(place.tobytes())


def _bands(height: int) -> Iterator[range]:
    for first in range(0, height, ROWS):
        yield range(first, min(first + ROWS, height))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _exr_header(width: int, height: int) -> bytes:
    channels = b"".join(name + struct.pack("<xiB3xii", FLOAT, 1, 1, 1) for name in (b"A", b"B", b"G", b"R"))
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    attributes = (
        (b"channels", b"chlist", channels + b"\0"),
        (b"compression", b"compression", bytes([ZIP])),
        (b"dataWindow", b"box2i", window),
        (b"displayWindow", b"box2i", window),
        (b"lineOrder", b"lineOrder", b"\0"),  # the top row first
        (b"pixelAspectRatio", b"float", struct.pack("<f", 1.0)),
        (b"screenWindowCenter", b"v2f", struct.pack("<ff", 0.0, 0.0)),
        (b"screenWindowWidth", b"float", struct.pack("<f", 1.0)),
    )
    header = struct.pack("<II", 20000630, 2)
    for name, kind, value in attributes:
        header += name + b"\0" + kind + b"\0" + struct.pack("<I", len(value)) + value
    return header + b"\0"


def _exr_packed(raw: bytes) -> bytes:
    """Bytes of even places first, then what each is more than the one before, then compressed."""
    taken = np.frombuffer(raw, np.uint8)
    taken = np.concatenate([taken[::2], taken[1::2]])
    differences = taken.copy()
    differences[1:] = taken[1:] - taken[:-1] + np.uint8(128)
    return zlib.compress(differences.tobytes(), LEVEL)
