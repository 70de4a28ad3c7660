"""PNG files of 16 bits, read by what their specification says and nothing of ours."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np


def read_png(path: Path) -> np.ndarray:
    """(H, W, 3) uint16, the top row first."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, []
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        content = data[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", data, place + 8 + length) == (zlib.crc32(kind + content),)
        chunks.append((kind, content))
        place += 12 + length
    assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
    width, height, bits, colours, *ways = struct.unpack(">IIBBBBB", chunks[0][1])
    assert (bits, colours, ways) == (16, 2, [0, 0, 0])  # RGB, not interlaced
    raw = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    lines = np.frombuffer(raw, np.uint8).reshape(height, 1 + 6 * width)
    rows, above = [], np.zeros(6 * width, np.uint8)
    for filtered, line in zip(lines[:, 0], lines[:, 1:], strict=True):
        assert filtered in (0, 2)  # as it is, or what it has more than the row above
        above = line + above if filtered else line
        rows.append(above)
    return np.array(rows).view(">u2").reshape(height, width, 3).astype(np.uint16)
