"""What is in a take's folder, which is deleted whole: nothing but what writes takes."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import Problem
from ..files.below import remove_below
from ..files.listing import entries
from ..files.names import is_stray
from .take_folders import TOGETHER
from .takes import OF_TAKE

WRITTEN = re.compile(r"(.+?)(\.[0-9a-f]{12})?(\.new)?")  # also as they are while they are written


def check_take_own(folder: Path) -> None:
    """Raise Problem("file_not_ours") for a take's folder with something else in it.

    An artist's mocap may lie where somebody else's dataset has come to. Raises what `entries` does, too.
    """
    for path in entries(folder):
        name = WRITTEN.fullmatch(path.name)
        ours = path.name == TOGETHER or (name is not None and name[1] in OF_TAKE)
        if not ours and not is_stray(path.name):
            raise Problem("file_not_ours", path=path)


def remove_take(root: Path, folder: Path) -> None:
    """Delete a take in a dataset below `root`. Raises what `check_take_own` and `remove_below` do."""
    check_take_own(folder)
    remove_below(root, folder)
