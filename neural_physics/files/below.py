"""Folders below a checked one, renamed and deleted as what they are: nothing happens through links.

Others may put a link in the place of any folder on the way, at any time, where they share the checked one.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import cast

from ..errors import Problem
from .links import check_no_link
from .replacing import when_let_go

# Windows opens nothing relative to a folder; there each on the way is asked for a link just before.
HOLDS_FOLDERS = {os.open, os.mkdir, os.symlink, os.rename} <= os.supports_dir_fd
_HERE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # no link, and no change of line ends
# How things are opened in a folder that is held.
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
INNER_FOLDER = FOLDER | _HERE
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _HERE  # a pipe is waited for by nobody
CHANGED = os.O_RDWR | _HERE
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _HERE


@contextmanager
def held(root: Path, folder: Path) -> Iterator[int | None]:
    """A folder below `root`, or that itself, held open, so that what is put in its place makes no difference.

    Yields a file descriptor of it, None where the system has no such thing. Raises OSError, and
    Problem("place_is_link") where there is a link on the way.
    """
    parts = folder.relative_to(root).parts
    if not HOLDS_FOLDERS:
        for depth in range(len(parts)):
            check_no_link(root.joinpath(*parts[: depth + 1]))
        yield None
        return
    with ExitStack() as opened:
        last: int | None = os.open(root, FOLDER)
        opened.callback(os.close, cast(int, last))
        for depth in range(len(parts)):
            last = opened.enter_context(inner_folder(last, root.joinpath(*parts[: depth + 1])))
        yield last


@contextmanager
def inner_folder(opened: int | None, path: Path) -> Iterator[int | None]:
    """A folder in one that `held` has opened, held in the same way. Raises what that does."""
    if opened is None:
        check_no_link(path)
        yield None
        return
    try:
        inner = os.open(path.name, INNER_FOLDER, dir_fd=opened)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            check_no_link(path)
        raise
    try:
        yield inner
    finally:
        os.close(inner)


def remove_below(root: Path, folder: Path) -> None:
    """Delete a folder with all that is in it.

    Raises what `held` does, and OSError after deleting what it could.
    """
    with held(root, folder.parent) as opened:
        if opened is None:
            check_no_link(folder)
            when_let_go(lambda: shutil.rmtree(folder))
        else:
            when_let_go(lambda: shutil.rmtree(folder.name, dir_fd=opened))


def clear_below(root: Path, folder: Path) -> None:
    """Delete of a folder what can be deleted; the rest stays."""
    with suppress(OSError, RecursionError, Problem), held(root, folder.parent) as opened:
        if opened is None:
            check_no_link(folder)
            shutil.rmtree(folder, ignore_errors=True)
        else:
            shutil.rmtree(folder.name, ignore_errors=True, dir_fd=opened)


def remove_files_below(root: Path, folder: Path, endings: tuple[str, ...]) -> None:
    """Delete the files of a folder whose names end so. Raises OSError, and what `held` does."""
    with held(root, folder) as opened:
        with os.scandir(folder if opened is None else opened) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(endings)]
        for name in names:
            with suppress(FileNotFoundError):
                os.unlink(folder / name if opened is None else name, dir_fd=opened)


def rename_below(root: Path, path: Path, target: Path) -> None:
    """Give a file or a folder another place, where nothing is. Raises OSError, and what `held` does."""
    with held(root, path.parent) as source, held(root, target.parent) as into:
        if source is None or into is None:
            when_let_go(lambda: path.rename(target))
        else:
            when_let_go(lambda: os.rename(path.name, target.name, src_dir_fd=source, dst_dir_fd=into))
