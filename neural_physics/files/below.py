"""What is below a checked folder, renamed and deleted as what it is: nothing happens through links."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from ..errors import Problem
from .flushing import flush
from .held_folders import NEW, held


def remove_below(root: Path, folder: Path) -> None:
    """Delete a folder with all that is in it.

    Raises what `held` does, and OSError after deleting what it could.
    """
    with held(root, folder.parent) as above:
        above.remove(folder.name)


def clear_below(root: Path, folder: Path) -> None:
    """Delete of a folder what can be deleted; the rest stays."""
    with suppress(OSError, RecursionError, Problem), held(root, folder.parent) as above:
        above.clear(folder.name)


def remove_files_below(root: Path, folder: Path, endings: tuple[str, ...]) -> None:
    """Delete the files of a folder whose names end so. Raises what `held` does."""
    with held(root, folder) as there:
        for name in there.names():
            if name.endswith(endings):
                there.unlink(name)


def write_below(root: Path, path: Path, data: bytes) -> None:
    """All or nothing, as `write_atomically`, in a folder that may be exchanged. Raises what `held` does."""
    scratch = f"{path.name}.{uuid4().hex[:12]}.new"
    with held(root, path.parent) as folder:
        try:
            with folder.opened(scratch, NEW) as file:
                file.write(data)
                flush(file.fileno())
            folder.replace(scratch, folder, path.name)
        except OSError:
            folder.unlink(scratch)
            raise


def rename_below(root: Path, path: Path, target: Path) -> None:
    """Give a file or a folder another place, where nothing is. Raises what `held` does."""
    with held(root, path.parent) as source, held(root, target.parent) as into:
        source.rename(path.name, into, target.name)
