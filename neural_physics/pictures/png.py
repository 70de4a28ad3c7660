"""Pixels as a PNG that names no colour space: Blender 5.2 calls all of them sRGB, and engines go by it."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8] | NDArray[np.uint16]

ROWS = 256  # that are packed together
UP = 2  # what the format calls rows that hold their difference from the one above
COLOURS = {3: 2, 4: 6}  # and its numbers for RGB and RGBA


def png(pixels: Pixels) -> bytes:
    """What `write_png` writes."""
    file = BytesIO()
    write_png(file, pixels)
    return file.getvalue()


def write_png(file: BinaryIO, pixels: Pixels) -> None:
    """pixels (height, width, 3 or 4), the top row first. Raises OSError."""
    height, width, channels = pixels.shape
    bits = 8 * pixels.itemsize
    file.write(b"\x89PNG\r\n\x1a\n")
    file.write(_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, COLOURS[channels], 0, 0, 0)))
    packer = zlib.compressobj()
    above = np.zeros((1, width * channels * pixels.itemsize), np.uint8)
    for first in range(0, height, ROWS):
        rows = pixels[first : first + ROWS].astype(f">u{pixels.itemsize}")
        raw = rows.reshape(len(rows), -1).view(np.uint8)
        less = raw - np.concatenate([above, raw[:-1]])
        data = packer.compress(np.insert(less, 0, UP, axis=1).tobytes())
        file.write(_chunk(b"IDAT", data))
        above = raw[-1:]
    file.write(_chunk(b"IDAT", packer.flush()))
    file.write(_chunk(b"IEND", b""))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
