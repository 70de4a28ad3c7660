"""What is in folders that may come from anybody: never more than they can hold."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from ..errors import Problem
from .looking import refused

MOST_ENTRIES = 10_000  # of a folder that a bake keeps; to list a million takes seconds


def entries(folder: Path, most: int = MOST_ENTRIES) -> list[Path]:
    """All that is in a folder, nothing where there is none.

    Raises Problem("place_not_readable" | "dataset_damaged").
    """
    found = first_entries(folder, most + 1)
    if len(found) > most:
        raise Problem("dataset_damaged", path=folder, reason=f"a folder has more than {most:,} files in it")
    return found


def first_entries(folder: Path, most: int | None) -> list[Path]:
    """So many of those that are in a folder, None for all. Raises Problem("place_not_readable")."""
    try:
        with os.scandir(folder) as found:
            return [folder / entry.name for entry in islice(found, most)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise refused(error, folder) from error
