"""What is in folders that may come from anybody: never more than they can hold."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from ..errors import Problem

MOST_ENTRIES = 10_000  # of a folder that a bake keeps; to list a million takes seconds


def entries(folder: Path, most: int = MOST_ENTRIES) -> list[Path]:
    """All that is in a folder, nothing where there is none. Raises OSError and Problem("dataset_damaged")."""
    try:
        with os.scandir(folder) as found:
            names = [entry.name for entry in islice(found, most + 1)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    if len(names) > most:
        raise Problem("dataset_damaged", path=folder, reason=f"a folder has more than {most:,} files in it")
    return [folder / name for name in names]
