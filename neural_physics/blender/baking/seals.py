"""Seals on scenes in a dataset: which of them this user's Blender has made, and nobody else.

A bake goes on with the scenes that it began with, which lie in the dataset, and a dataset may come from
anybody. What artists let Blender run in scenes of their own must not run in one that somebody put there.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, BinaryIO, cast

import bpy

from ...files.atomic import write_atomically, writing
from ...files.blenders_places import is_blenders
from ...files.reading import NotReadable, open_plain, read_bytes, read_json
from ..settings.own_folders import user_folder

KEY, KEY_BYTES = "scenes.key", 32  # in the user's folder
LARGEST = 1 << 20  # bytes of a seal: it names each file that a scene links
Content = list[int | str]  # a file's size in bytes, and its digest


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

    def seal(self, scene: Path, content: Content | None) -> None:
        """Seal a scene if its Python may run now: what may not must not later. Raises what `writing` does.

        content: as it was written here; None where that isn't known.
        """
        if self.scripts and self.key is not None and not self.all_scenes and content is not None:
            seal(scene, content, self.key, linked_files())


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


def seal(scene: Path, own: Content, key: Path, linked: Sequence[str] = ()) -> None:
    """Say that a scene was made here, with this content. Raises what `writing` does.

    linked: the files that it links, as the file that it was saved from names them.
    """
    names = [_from(scene, name) for name in linked]
    files = [[name, _content(_place(scene, name))] for name in names]
    code = _code(key, own, files)
    if code is not None:
        said = {"scene": own, "files": files, "seal": code}
        with writing(scene.parent):
            write_atomically(_seal_of(scene), json.dumps(said).encode())


def is_sealed(scene: Path, key: Path) -> bool:
    """Whether a scene, and all that it links, is as it was when it was sealed with this key.

    Nothing but the seal is looked at before that is known to be of this key: one of somebody else's may name
    any file, as often as it likes. What Blender would look for in another place than here is not sealed.
    """
    try:
        said = read_json(_seal_of(scene), LARGEST)
        own, files = said["scene"], said["files"]
        code = _code(key, own, files)
        if code is None or not hmac.compare_digest(str(said["seal"]).encode(), code.encode()):
            return False
    except (OSError, NotReadable, ValueError, TypeError, KeyError, RecursionError):
        return False
    places = [(scene, own), *((_place(scene, name), content) for name, content in files)]
    return all(
        content is not None and is_blenders(place) and _holds(place, content) for place, content in places
    )


def _seal_of(scene: Path) -> Path:
    return scene.with_suffix(".seal")


def _from(scene: Path, name: str) -> str:
    """A linked file as the scene names it, once it is saved: relative where the open file had it so."""
    if not name.startswith("//"):
        return name
    return "//" + Path(os.path.relpath(bpy.path.abspath(name), scene.parent)).as_posix()


def _place(scene: Path, name: str) -> Path:
    if not name.startswith("//"):
        return Path(name)
    # As Blender finds it, in the text of the path; the system would go up from where a link leads.
    return Path(os.path.abspath(scene.parent / name[2:]))  # noqa: PTH100


def _code(key: Path, own: object, files: object) -> str | None:
    """Of what a seal says; None where there is no key."""
    try:
        secret = read_bytes(key, KEY_BYTES)
    except (OSError, NotReadable):
        return None
    if len(secret) < KEY_BYTES:
        return None
    return hmac.new(secret, json.dumps([own, files]).encode(), digestmod=sha256).hexdigest()


def content_of(file: BinaryIO) -> Content:
    """What is in an open file."""
    return [_size(file), _digest(file)]


def _content(path: Path) -> Content | None:
    """What is in a file; None where it is not there."""
    try:
        with open_plain(path) as file:
            return content_of(file)
    except (OSError, NotReadable):
        return None


def _holds(path: Path, content: Content) -> bool:
    """Whether a file is what was sealed; one of another size, such as a huge one of holes, is not read."""
    size, digest = content
    try:
        with open_plain(path) as file:
            return _size(file) == size and _digest(file) == digest
    except (OSError, NotReadable):
        return False


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _digest(file: BinaryIO) -> str:
    return file_digest(cast(Any, file), "sha256").hexdigest()
