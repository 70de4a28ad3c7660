"""Folders below a checked one, held open while something is done in them, so that no link leads elsewhere.

Others may put a link in the place of any folder on the way, at any time, where they share the checked one.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import Problem
from .flushing import flush
from .links import check_no_link, check_unmoved, resolved
from .replacing import when_let_go

# Windows opens nothing relative to a folder: there each on the way is asked for a link just before.
HOLDS_FOLDERS = {os.open, os.mkdir, os.symlink, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd
BLOCK = 1 << 20  # bytes that are copied at a time
_HERE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # no link, and no change of line ends
_FOLDER_ALONE = getattr(os, "O_DIRECTORY", 0)
FOLDER = os.O_RDONLY | _FOLDER_ALONE
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _HERE  # a pipe is waited for by nobody
CHANGED = os.O_RDWR | _HERE
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _HERE
PASSED = getattr(os, "O_PATH", 0)  # through a folder that one may not look into


@dataclass(frozen=True)
class HeldFolder:
    """A folder below `root`, or that itself. descriptor: of it while it is open, None where nothing can be.

    All that is done by names is done in this folder. All methods raise OSError, and Problem("place_is_link")
    where nothing can be held and there is a link on the way.
    """

    root: Path
    path: Path
    descriptor: int | None

    def mode(self, name: str) -> int:
        """Of what kind something in it is, as `os.lstat` says; 0 where there is nothing."""
        try:
            return os.stat(self._place(name), dir_fd=self.descriptor, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return 0

    def names(self) -> list[str]:
        """Of what is in it."""
        with os.scandir(self._checked() if self.descriptor is None else self.descriptor) as entries:
            return [entry.name for entry in entries]

    @contextmanager
    def inner(self, name: str) -> Iterator[HeldFolder]:
        """A folder in it. Raises Problem("place_is_link") for a link."""
        path = self.path / name
        if self.descriptor is None:
            yield HeldFolder(self.root, Path(check_no_link(path)), None)
            return
        try:
            opened = os.open(name, FOLDER | _HERE, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and stat.S_ISLNK(self.mode(name)):
                raise Problem("place_is_link", path=path) from error
            raise
        try:
            yield HeldFolder(self.root, path, opened)
        finally:
            os.close(opened)

    @contextmanager
    def made(self, name: str) -> Iterator[HeldFolder]:
        """A new folder in it, where nothing is called so."""
        os.mkdir(self._place(name), dir_fd=self.descriptor)
        with self.inner(name) as inner:
            yield inner

    def opened(self, name: str, flags: int) -> BinaryIO:
        """A file in it, opened by the `READ`, `NEW` or `CHANGED` of this module."""
        file = os.open(self._place(name), flags, 0o666, dir_fd=self.descriptor)
        return cast(BinaryIO, os.fdopen(file, {READ: "rb", NEW: "wb"}.get(flags, "rb+")))

    def flush(self, name: str) -> None:
        """Wait until a file in it is on the disk itself."""
        with self.opened(name, CHANGED) as file:
            flush(file.fileno())

    def link_of(self, name: str) -> str:
        """Where a link in it leads."""
        return os.readlink(self._place(name), dir_fd=self.descriptor)

    def make_link(self, name: str, target: str) -> None:
        """A new link in it."""
        os.symlink(target, self._place(name), dir_fd=self.descriptor)

    def unlink(self, name: str) -> None:
        """Delete a file or a link in it; harmless where there is none."""
        place = self._place(name)
        with suppress(FileNotFoundError):
            when_let_go(lambda: os.unlink(place, dir_fd=self.descriptor))

    def rmdir(self, name: str) -> None:
        """Delete an empty folder in it."""
        os.rmdir(self._place(name), dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Delete a folder in it with all that is in that; raises OSError after deleting what it could."""
        place = self._place(name)
        if self.descriptor is None:
            check_no_link(Path(place))
            when_let_go(lambda: shutil.rmtree(place))
        else:
            when_let_go(lambda: shutil.rmtree(place, dir_fd=self.descriptor))

    def clear(self, name: str) -> None:
        """Delete of a folder in it what can be deleted; the rest stays."""
        place = self._place(name)
        if self.descriptor is None:
            shutil.rmtree(check_no_link(Path(place)), ignore_errors=True)
        else:
            shutil.rmtree(place, ignore_errors=True, dir_fd=self.descriptor)

    def rename(self, name: str, folder: HeldFolder, to: str) -> None:
        """Give something in it another place, where nothing is. Raises FileExistsError where something is."""
        place, target = self._place(name), folder._place(to)
        if folder.mode(to):  # POSIX systems would replace it
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder.path / to))
        when_let_go(
            lambda: os.rename(place, target, src_dir_fd=self.descriptor, dst_dir_fd=folder.descriptor)
        )

    def replace(self, name: str, folder: HeldFolder, to: str) -> None:
        """Give something in it another place, whatever file is there."""
        place, target = self._place(name), folder._place(to)
        when_let_go(
            lambda: os.replace(place, target, src_dir_fd=self.descriptor, dst_dir_fd=folder.descriptor)
        )

    def receive(self, path: Path) -> None:
        """A file from somewhere else, which is gone there then.

        Copied: one that is renamed may be read by whom it was where it comes from, and not as here.
        """
        with path.open("rb") as there, self.opened(path.name, NEW) as here:
            shutil.copyfileobj(there, here, BLOCK)
        path.unlink()

    def _place(self, name: str) -> str | Path:
        return self._checked() / name if self.descriptor is None else name

    def _checked(self) -> Path:
        parts = self.path.relative_to(self.root).parts
        for depth in range(len(parts)):
            check_no_link(self.root.joinpath(*parts[: depth + 1]))
        return self.path


@contextmanager
def held(root: Path, folder: Path) -> Iterator[HeldFolder]:
    """A folder below `root`, or that itself. root: resolved when it was chosen.

    Raises OSError, and Problem("place_is_link") where there is a link on the way, or in the root's by now.
    """
    check_unmoved(root)
    with ExitStack() as opened:
        descriptor = None
        if HOLDS_FOLDERS:
            descriptor = _opened(root)
            opened.callback(os.close, descriptor)
        here = HeldFolder(root, root, descriptor)
        for part in folder.relative_to(root).parts:
            here = opened.enter_context(here.inner(part))
        yield here


def _opened(root: Path) -> int:
    """A folder, through no link: part by part where the system passes through folders that cannot be read.

    Raises what `held` does.
    """
    if not PASSED:
        return os.open(root, FOLDER | _HERE)
    here = os.open(root.anchor, PASSED)
    for number, part in enumerate(root.parts[1:], 2):
        flags = FOLDER if number == len(root.parts) else PASSED | _FOLDER_ALONE
        try:
            inner = os.open(part, flags | _HERE, dir_fd=here)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and resolved(root) != root:
                raise Problem("place_is_link", path=root) from error
            raise
        finally:
            os.close(here)
        here = inner
    return here if len(root.parts) > 1 else os.open(root, FOLDER)
