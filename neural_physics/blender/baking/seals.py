"""Seals on scenes in a dataset: which of them this user's Blender has made, and nobody else.

A bake goes on with the scenes that it began with, which lie in the dataset, and a dataset may come from
anybody. What artists let Blender run in scenes of their own must not run in one that somebody put there.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import bpy

from ...files.atomic import write_atomically, writing
from ...files.reading import NotReadable, open_plain, read_bytes, read_json
from ..settings.own_folders import user_folder

KEY, KEY_BYTES = "scenes.key", 32  # in the user's folder
LARGEST = 1 << 20  # bytes of a seal: it names each file that a scene links


@dataclass(frozen=True)
class Trust:
    """Whether the Python of scenes may run in this bake, of those that are sealed with the key in a file.

    all_scenes: of all that are in the dataset, as whoever started the bake has said.
    """

    key: Path | None = None
    scripts: bool = False
    all_scenes: bool = False

    def is_in(self, scene: Path) -> bool:
        """Whether this scene's own Python may run."""
        return self.all_scenes or (self.scripts and self.key is not None and is_sealed(scene, self.key))

    def seal(self, scene: Path) -> None:
        """Seal a scene if its Python may run now: what may not must not later. Raises what `writing` does."""
        if self.scripts and self.key is not None and not self.all_scenes:
            seal(scene, self.key, linked_files())


def key_file() -> Path:
    """Where the user's key is, which is made at the first time. Raises what `writing` does."""
    path = user_folder() / KEY
    if not path.is_file():
        with writing(path):
            write_atomically(path, os.urandom(KEY_BYTES), private=True)
    return path


def linked_files() -> list[str]:
    """What the open file links, itself or through others, as it names them: their Python runs with it."""
    return sorted({library.filepath for library in bpy.data.libraries})


def seal(scene: Path, key: Path, linked: Sequence[str] = ()) -> None:
    """Say that a scene was made here, as it is now. Raises what `writing` does.

    linked: the files that it links, as the file that it was saved from names them.
    """
    named = [_from(scene, name) for name in linked]
    files = [[name, _digest_of(_place(scene, name))] for name in named]
    found = _digest(scene, key, files)
    if found is not None:
        with writing(scene.parent):
            write_atomically(_seal_of(scene), json.dumps({"files": files, "seal": found}).encode())


def is_sealed(scene: Path, key: Path) -> bool:
    """Whether a scene, and all that it links, is as it was when it was sealed with this key."""
    try:
        said = read_json(_seal_of(scene), LARGEST)
        files, before = said["files"], str(said["seal"])
        if any(digest is None or digest != _digest_of(_place(scene, name)) for name, digest in files):
            return False
    except (OSError, NotReadable, ValueError, TypeError, KeyError, RecursionError):
        return False
    found = _digest(scene, key, files)
    return found is not None and hmac.compare_digest(before.encode(), found.encode())


def _seal_of(scene: Path) -> Path:
    return scene.with_suffix(".seal")


def _from(scene: Path, name: str) -> str:
    """A linked file as the scene names it, once it is saved: relative where the open file had it so."""
    if not name.startswith("//"):
        return name
    return "//" + Path(os.path.relpath(bpy.path.abspath(name), scene.parent)).as_posix()


def _place(scene: Path, name: str) -> Path:
    return scene.parent / name[2:] if name.startswith("//") else Path(name)


def _digest(scene: Path, key: Path, files: object) -> str | None:
    """None where there is no key, or no such file."""
    try:
        secret = read_bytes(key, KEY_BYTES)
        if len(secret) < KEY_BYTES:
            return None
        code = hmac.new(secret, json.dumps(files).encode(), digestmod=sha256)
        _feed(code.update, scene)
    except (OSError, NotReadable):
        return None
    return code.hexdigest()


def _digest_of(path: Path) -> str | None:
    """Of a linked file; None where it is not there."""
    code = sha256()
    try:
        _feed(code.update, path)
    except (OSError, NotReadable):
        return None
    return code.hexdigest()


def _feed(update: Callable[[bytes], None], path: Path) -> None:
    with open_plain(path) as file:
        while part := file.read(1 << 20):
            update(part)
