"""Where takes lie: in the dataset's `takes` when they are handed in, before that with whoever bakes them."""

from __future__ import annotations

from pathlib import Path

from ..files.links import has_own_file, look_at
from ..files.listing import entries

TAKES = "takes"
TOGETHER = "together"
SIDE_FOLDER = "bake"  # within the dataset's folder; gone when all takes are complete


def side_folder(dataset: Path) -> Path:
    """Where a bake keeps its scenes, logs and caches, and the takes that are under way."""
    return dataset / SIDE_FOLDER


def together_folder(dataset: Path) -> Path:
    """Where the datasets are of what was baked together with a dataset's object, in folders of their own.

    Within a take the same folder has what that take holds of them, until it is complete.
    """
    return dataset / TOGETHER


def holders_folder(dataset: Path, name: str) -> Path:
    """Where those leave word that bake a take or baked it, its holders, each with a numbered folder."""
    return side_folder(dataset) / name


def last_holder(folder: Path) -> Path | None:
    """The folder of the last of a take's holders, given where they leave word."""
    return next(iter(holder_folders(folder)), None)


def holder_folders(folder: Path) -> list[Path]:
    """Those of all of a take's holders, the last one first. Raises what `entries` does."""
    numbered = [path for path in entries(folder) if path.name.isascii() and path.name.isdecimal()]
    return sorted(numbered, key=lambda path: -int(path.name))


def under_way(dataset: Path) -> dict[str, Path]:
    """The takes that were begun and not handed in, by name: the folder in which somebody has `takes`.

    Raises Problem("place_is_link") and what `entries` does.
    """
    found: dict[str, Path] = {}
    takes, side = dataset / TAKES, side_folder(dataset)
    look_at(takes)
    if look_at(side) is None:
        return found
    for folder in sorted(entries(side)):
        name = folder.name
        look_at(folder)  # before it is listed
        holder = last_holder(folder)
        if holder is None or has_own_file(takes, name, "take.json"):
            continue
        if has_own_file(folder, holder.name, TAKES, name, "take.json"):
            found[name] = holder
    return found
