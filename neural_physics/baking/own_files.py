"""What a bake has made in a dataset's `bake` folder, which the end of one deletes whole."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import Problem
from ..files.listing import entries
from ..files.looking import has_folder
from ..files.reading import read_json

PLAN = "bake.json"
# Each of them, also as it is while it is written.
FILES = (
    "scene.blend",
    "scene.new.blend",
    "scene.seal",
    "request.npz",
    "places.json",
    "guide.safetensors",
    PLAN,
)
WRITTEN = re.compile(r"(.+?)(\.new|@|1)?")
OF_HOLDERS = re.compile(r"(take|poses)_\d+|body|choice")
OF_ONE_HOLDER = re.compile(r"\d+|holder_\d+\.json(\.new)?")


def check_made_by_bakes(folder: Path) -> None:
    """Raise Problem("file_not_ours") for a folder with something in it that no bake makes.

    An artist may call a folder of textures `bake`, and a scene may name any folder beside its file. With a
    plan in it, it is a bake's. Raises what `entries` does, too.
    """
    found = entries(folder)
    if _is_plan(folder / PLAN):
        return
    for path in found:
        within = entries(path) if OF_HOLDERS.fullmatch(path.name) and has_folder(path) else None
        if within is None and not _is_ours(path):
            raise Problem("file_not_ours", path=path)
        for other in within or ():
            if not OF_ONE_HOLDER.fullmatch(other.name):
                raise Problem("file_not_ours", path=other)


def _is_plan(path: Path) -> bool:
    try:
        said = read_json(path)
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and {"object", "scene", "view_layer", "takes"} <= said.keys()


def _is_ours(path: Path) -> bool:
    name = WRITTEN.fullmatch(path.name)
    return name is not None and name[1] in FILES and not has_folder(path)
