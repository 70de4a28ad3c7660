"""Seals on scenes in a dataset: which of them this user's Blender has made, and nobody else.

A bake goes on with the scenes that it began with, which lie in the dataset, and a dataset may come from
anybody. What artists let Blender run in scenes of their own must not run in one that somebody put there.
"""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ...files.atomic import write_atomically, writing
from ...files.reading import NotReadable, open_plain, read_bytes
from ..settings.own_folders import user_folder

KEY, KEY_BYTES = "scenes.key", 32  # in the user's folder


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
            seal(scene, self.key)


def key_file() -> Path:
    """Where the user's key is, which is made at the first time. Raises what `writing` does."""
    path = user_folder() / KEY
    if not path.is_file():
        with writing(path):
            write_atomically(path, os.urandom(KEY_BYTES), private=True)
    return path


def seal(scene: Path, key: Path) -> None:
    """Say that a scene was made here, as it is now. Raises what `writing` does."""
    found = _digest(scene, key)
    if found is not None:
        with writing(scene.parent):
            write_atomically(_seal_of(scene), found)


def is_sealed(scene: Path, key: Path) -> bool:
    """Whether a scene is as it was when it was sealed with this key."""
    try:
        said = read_bytes(_seal_of(scene), 2 * sha256().digest_size)
    except (OSError, NotReadable):
        return False
    found = _digest(scene, key)
    return found is not None and hmac.compare_digest(said, found)


def _seal_of(scene: Path) -> Path:
    return scene.with_suffix(".seal")


def _digest(scene: Path, key: Path) -> bytes | None:
    """None where there is no key, or no such file."""
    try:
        secret = read_bytes(key, KEY_BYTES)
        if len(secret) < KEY_BYTES:
            return None
        code = hmac.new(secret, digestmod=sha256)
        with open_plain(scene) as file:
            while part := file.read(1 << 20):
                code.update(part)
    except (OSError, NotReadable):
        return None
    return code.hexdigest().encode()
