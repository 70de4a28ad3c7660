"""What went wrong with a take, where all computers that bake see it: after three crashes it is set aside."""

from __future__ import annotations

import json
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..files.atomic import write_atomically, writing
from ..files.below import remove_files_below, rename_below
from ..files.links import check_no_link, is_link
from ..files.listing import entries
from ..files.reading import read_json
from ..plain_text import one_line

SUFFIX, LOG_SUFFIX = ".failed", ".jsonl"
LARGEST, MOST = 1 << 13, 10  # bytes of each, and how many are read


@dataclass(frozen=True)
class Failure:
    """host: the computer. reason: a sentence. log: where more is to be read, in the shared folder."""

    host: str
    reason: str
    log: Path


def note_failure(root: Path, folder: Path, holder: int, *, reason: str, log: Path) -> None:
    """Say that a holder of a take has failed, in the folder where its holders leave word.

    root: what that is below, see `held`. log: below that folder. It is moved there: whoever tries next begins
    one of the same name.
    Raises Problem("place_is_link" | "folder_not_writable" | "disk_full").
    """
    said = {"host": platform.node(), "reason": reason}
    with writing(folder):
        with suppress(FileNotFoundError):
            rename_below(root, log, folder / f"{holder}{LOG_SUFFIX}")
        write_atomically(check_no_link(folder) / f"{holder}{SUFFIX}", json.dumps(said).encode())


def failures(folder: Path) -> list[Failure]:
    """Those of a take, since the last bake was prepared; the last one last. Raises what `entries` does."""
    there = [
        path
        for path in entries(folder)
        if path.suffix == SUFFIX and path.stem.isascii() and path.stem.isdecimal()
    ]
    found = []
    for path in sorted(there, key=lambda path: (len(path.stem), path.stem))[-MOST:]:
        said: object = {}
        with suppress(OSError, ValueError):
            said = {} if is_link(path) else read_json(path, LARGEST)
        texts = said if isinstance(said, dict) else {}
        host, reason = (one_line(texts.get(key, "")) for key in ("host", "reason"))
        found.append(Failure(host, reason, path.with_suffix(LOG_SUFFIX)))
    return found


def forget_failures(root: Path, folder: Path) -> None:
    """As where a bake begins again; harmless where the folder is gone. root: what it is below, see `held`.

    Raises Problem("place_is_link" | "folder_not_writable").
    """
    with writing(folder), suppress(FileNotFoundError):
        remove_files_below(root, folder, (SUFFIX, LOG_SUFFIX))
