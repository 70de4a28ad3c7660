"""What went wrong with a take, where all computers that bake see it: after three crashes it is set aside."""

from __future__ import annotations

import json
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..files.atomic import write_atomically, writing
from ..files.listing import entries
from ..files.reading import read_json
from ..plain_text import one_line

SUFFIX = ".failed"
LARGEST, MOST = 1 << 16, 10  # bytes of each, and how many are read


@dataclass(frozen=True)
class Failure:
    """host: the computer. reason: a sentence. log: where more is to be read, as that computer names it."""

    host: str
    reason: str
    log: str


def note_failure(folder: Path, holder: int, *, reason: str, log: Path) -> None:
    """Say that a holder of a take has failed, in the folder where its holders leave word.

    Raises Problem("folder_not_writable" | "disk_full").
    """
    said = {"host": platform.node(), "reason": reason, "log": str(log)}
    with writing(folder):
        write_atomically(folder / f"{holder}{SUFFIX}", json.dumps(said).encode())


def failures(folder: Path) -> list[Failure]:
    """Those of a take, since the last bake was prepared. Raises what `entries` does."""
    found = []
    for path in sorted(path for path in entries(folder) if path.suffix == SUFFIX)[:MOST]:
        said: object = {}
        with suppress(OSError, ValueError):
            said = read_json(path, LARGEST)
        texts = said if isinstance(said, dict) else {}
        found.append(Failure(*(one_line(str(texts.get(key, ""))) for key in ("host", "reason", "log"))))
    return found


def forget_failures(folder: Path) -> None:
    """As where a bake begins again. Raises Problem("folder_not_writable")."""
    with writing(folder):
        for path in folder.glob(f"*{SUFFIX}"):
            path.unlink(missing_ok=True)
