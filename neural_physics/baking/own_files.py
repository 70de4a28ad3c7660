"""What a bake has made in a dataset's `bake` folder, which the end of one deletes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from ..errors import Problem
from ..files.held_folders import HeldFolder, held
from ..files.listing import entries
from ..files.looking import has_folder
from ..files.names import is_stray

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
WRITTEN = re.compile(r"(.+?)(\.[0-9a-f]{12})?(\.new|@|1)?")
OF_SCENE = re.compile(r"blendcache_scene(\.new)?")  # what Blender caches as it saves the scene's copy
OF_JOBS = re.compile(r"(take|poses)_\d+\.(json|jsonl|stop)(\.new)?")  # of version 0.1
# In a holder's own folder.
SCENE, CACHE, STATE, MADE_BY = "take.blend", "blendcache_take", "state.npz", "made_by"
# What version 0.1 had of a begun take, beside where its holders leave word now.
OF_OLD = (SCENE, "take.seal", CACHE, "tracks.npz", STATE)
OF_HOLDERS = re.compile(r"(take|poses)_\d+|body|choice")
OF_ONE_HOLDER = re.compile(r"\d+(\.new|\.failed|\.failed\.new|\.jsonl)?|holder_\d+\.json(\.new)?")


def check_made_by_bakes(folder: Path) -> None:
    """Raise Problem("file_not_ours") for a folder with something in it that no bake makes.

    An artist may call a folder of textures `bake`, and a scene may name any folder beside its file; somebody
    else's dataset may have come there with a plan. Raises what `entries` does, too.
    """
    for path in entries(folder):
        if is_stray(path.name) or OF_SCENE.fullmatch(path.name):
            continue
        within = entries(path) if OF_HOLDERS.fullmatch(path.name) and has_folder(path) else None
        if within is None and not _is_ours(path):
            raise Problem("file_not_ours", path=path)
        for other in within or ():
            if not _is_holders(other.name) and not is_stray(other.name):
                raise Problem("file_not_ours", path=other)


def clear_made_by_bakes(root: Path, folder: Path) -> None:
    """Delete what bakes have made there, as far as it can be deleted; all else stays.

    root: what the folder is below, see `held`.
    """
    with suppress(OSError, RecursionError, Problem), held(root, folder.parent) as above:
        with above.inner(folder.name) as there:
            for path in entries(folder):
                with suppress(OSError, RecursionError, Problem):
                    if OF_HOLDERS.fullmatch(path.name) and has_folder(path):
                        _clear_holders(there, path)
                    elif OF_SCENE.fullmatch(path.name):
                        there.clear(path.name)
                    elif is_stray(path.name) or _is_ours(path):
                        there.unlink(path.name)
        above.rmdir(folder.name)


def clear_holders(root: Path, folder: Path) -> None:
    """The same of a folder where a take's holders leave word."""
    with suppress(OSError, RecursionError, Problem), held(root, folder.parent) as above:
        _clear_holders(above, folder)


def _clear_holders(there: HeldFolder, folder: Path) -> None:
    with there.inner(folder.name) as inner:
        for path in entries(folder):
            if has_folder(path) and _is_holders(path.name):
                inner.clear(path.name)
            elif _is_holders(path.name) or is_stray(path.name):
                inner.unlink(path.name)
    there.rmdir(folder.name)


def _is_holders(name: str) -> bool:
    return OF_ONE_HOLDER.fullmatch(name) is not None or name in OF_OLD


def _is_ours(path: Path) -> bool:
    name = WRITTEN.fullmatch(path.name)
    known = OF_JOBS.fullmatch(path.name) is not None or (name is not None and name[1] in FILES)
    return known and not has_folder(path)
