"""What a file holds, in a few letters that are the same wherever it lies."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from .reading import open_plain

BLOCK = 1 << 16  # bytes that are read in one place
PLACES = 64  # in a file, the first and the last of its bytes among them
DIGEST = 16  # bytes


def sampled_digest(path: Path) -> str:
    """Of a file's size and of its bytes: of all where it has at most PLACES blocks, else of so many of them.

    Files of many gigabytes so take a few milliseconds. A larger file in which something was changed in place
    has the same digest where none of it is in one of these blocks, which lie at equal distances.

    Raises OSError, and NotReadable for what is no plain file.
    """
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        digest = blake2b(str(size).encode(), digest_size=DIGEST)
        last = max(size - BLOCK, 0)
        for place in range(PLACES):
            file.seek(place * BLOCK if size <= PLACES * BLOCK else place * last // (PLACES - 1))
            digest.update(file.read(BLOCK))
    return digest.hexdigest()
