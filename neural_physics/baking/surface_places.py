"""Where an artist's mesh keeps it from being filled: recorded by a bake, shown in Blender's Edit Mode."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from ..files.atomic import write_atomically, writing
from ..files.reading import read_json

Kind = Literal["vertices", "edges", "faces"]
MOST = 20_000  # elements that are recorded; more than that nobody mends one by one
LARGEST = 1 << 18  # bytes, which they fit into; a panel reads them as often as it is drawn


@dataclass(frozen=True)
class Places:
    """Elements of the mesh of an object. indices: of as many as the mesh has of that kind, `count`.

    Of more than `MOST` the first are written.
    """

    object: str
    kind: Kind
    indices: tuple[int, ...]
    count: int

    def write(self, path: Path) -> None:
        """All or nothing. Raises Problem("folder_not_writable" | "disk_full")."""
        with writing(path.parent):
            kept = replace(self, indices=self.indices[:MOST])
            write_atomically(path, (json.dumps(asdict(kept)) + "\n").encode())

    @staticmethod
    def read(path: Path) -> Places | None:
        """None where there are none, or none that can be read: the next bake records them again."""
        try:
            item = read_json(path, LARGEST)
            places = Places(str(item["object"]), item["kind"], tuple(item["indices"]), int(item["count"]))
        except (OSError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
            return None
        known = places.kind in get_args(Kind)
        inside = all(isinstance(i, int) and 0 <= i < places.count for i in places.indices)
        return places if known and inside else None
