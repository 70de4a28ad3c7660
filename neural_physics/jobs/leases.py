"""Who may work on something in a folder that many computers share, without locks and without a common clock.

Holders are numbered. Whoever makes the file of the next number is the holder from then on, which the file
system lets one of them do. A holder renews its own file alone. Before each thing that is written for it, one
looks whether there is a higher number: then somebody has taken over, and it stops for good. An observer takes
a holder for gone whose file has not changed for `PATIENCE`, by the observer's own clock.

A holder that was only stopped may still write one more thing after it has been given up. So each writes in a
folder of its own, and whoever takes over copies from there what it goes on with.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import stat
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.links import check_no_link, is_link, open_own
from ..files.listing import entries
from ..files.looking import look
from ..files.reading import read_json
from .processes import FIRST, LAST, Watched

PATIENCE = 60.0  # seconds without a change until a holder is taken for gone
RENEW_EVERY = 10.0  # seconds
LARGEST = 4096  # bytes of a holder's file
FORMER = 8  # holders before that are kept, for those that looked a while ago
PREFIX, SUFFIX, DIGITS = "holder_", ".json", 6

Clock = Callable[[], float]


@dataclass(frozen=True)
class Holder:
    """The last one that a thing had. number: from 1 on. said: what its file says, {} if it cannot be read.

    Of that is only believed whether it changes, whether it let go, and its process on this computer.
    """

    number: int
    said: dict[str, object]

    @property
    def has_let_go(self) -> bool:
        """Whether it said so, after all that worked for it had ended."""
        return self.said.get("released") is True

    @property
    def is_gone(self) -> bool:
        """Whether it let go, or was a process of this computer that has ended."""
        if self.has_let_go:
            return True
        process = self.said.get("process")
        return (
            self.said.get("computer") == _this_computer()
            and type(process) is int
            and FIRST <= process <= LAST
            and Watched(process).is_gone()
        )


@dataclass
class Lease:
    """A thing that this process holds, or the one that it works for. number: which holder that is.

    about: for people who look. undisturbed: whether nobody can still write for the holder before.
    """

    folder: Path
    number: int
    about: str = ""
    clock: Clock = time.monotonic
    undisturbed: bool = False
    _token: str = field(default_factory=lambda: secrets.token_hex(8))
    _counter: int = 0
    _renewed: float = 0.0

    def __post_init__(self) -> None:
        self._renewed = self.clock()

    def check(self) -> None:
        """To be called before each write, also by processes that work for the holder.

        Raises Problem("taken_over") where another one has taken over, or even finished and tidied up, and
        Problem("place_not_readable").
        """
        later, own = (look(_path(self.folder, number)) for number in (self.number + 1, self.number))
        if later is not None or own is None:
            raise Problem("taken_over", path=self.folder)

    def renew(self) -> None:
        """Say that the holder is still there, where it is time for that.

        Raises Problem("taken_over" | "disk_full" | "folder_not_writable").
        """
        if self.clock() - self._renewed >= RENEW_EVERY:
            self.check()
            self._counter += 1
            with writing(self.folder):
                write_atomically(_path(self.folder, self.number), self.text())
            self._renewed = self.clock()

    def release(self) -> None:
        """Let go, so that the next one need not wait, once nothing that worked for the holder runs any more.

        Where that cannot be said, the next one waits.
        """
        with suppress(OSError):
            write_atomically(_path(self.folder, self.number), self.text(released=True))

    def forget_former(self) -> None:
        """Delete the files of holders long before, where there would be many; nobody asks for them."""
        with suppress(OSError, Problem):  # they do no harm
            for path in entries(check_no_link(self.folder)):
                if 0 < _number(path.name) < self.number - FORMER:
                    path.unlink(missing_ok=True)

    def text(self, *, released: bool = False) -> bytes:
        """What its file says."""
        said = {
            "token": self._token,
            "counter": self._counter,
            "released": released,
            "computer": _this_computer(),
            "host": platform.node(),
            "process": os.getpid(),
            "about": self.about,
        }
        return (json.dumps(said) + "\n").encode()


class Observer:
    """Knows how long it has seen each holder unchanged; so it must live longer than `PATIENCE`."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[Path, tuple[Holder, float]] = {}

    def is_free(self, folder: Path, holder: Holder | None) -> bool:
        """Whether nobody holds it, or a holder that is gone. holder: what `holder_of` has just said."""
        return holder is None or holder.is_gone or self._silent(folder, holder)

    def claim(self, folder: Path, about: str = "") -> Lease | None:
        """Hold a thing that is free; None where it is not, or another one was quicker.

        Raises Problem("place_is_link" | "disk_full" | "folder_not_writable").
        """
        holder = holder_of(folder)
        if not self.is_free(folder, holder):
            return None
        number = 1 if holder is None else holder.number + 1
        undisturbed = holder is not None and holder.has_let_go
        lease = Lease(folder, number, about, self._clock, undisturbed=undisturbed)
        check_no_link(folder)
        with writing(folder):
            if not _is_made(folder):
                return None
            try:
                with open(_path(folder, lease.number), "xb", opener=open_own) as file:
                    file.write(lease.text())
            except (FileExistsError, FileNotFoundError):  # another one held it, or was done, before
                return None
            # A number that had been taken, and whose file was deleted since, is nobody's any more.
            latest = holder_of(folder)
            if latest is not None and latest.number > number:
                _path(folder, number).unlink(missing_ok=True)
                return None
        return lease

    def _silent(self, folder: Path, holder: Holder) -> bool:
        before, since = self._seen.get(folder, (None, 0.0))
        if before != holder:
            self._seen[folder] = (holder, self._clock())
            return False
        return self._clock() - since >= PATIENCE


def holder_of(folder: Path) -> Holder | None:
    """The last holder, None where there has been none. Raises what `entries` does."""
    number = max((_number(path.name) for path in entries(folder)), default=0)
    if not number:
        return None
    try:
        path = _path(folder, number)
        said = {} if is_link(path) else read_json(path, LARGEST)
    except (OSError, ValueError):
        said = {}
    return Holder(number, said if isinstance(said, dict) else {})


def _is_made(folder: Path) -> bool:
    """Make it; False where another one that was done with it removed it in that moment. Raises OSError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        with suppress(FileNotFoundError):
            if not stat.S_ISDIR(os.lstat(error.filename).st_mode):
                raise
        return False
    return True


def _path(folder: Path, number: int) -> Path:
    return folder / f"{PREFIX}{number:0{DIGITS}d}{SUFFIX}"


def _number(name: str) -> int:
    """Of a holder's file; 0 of any other."""
    digits = name.removeprefix(PREFIX).removesuffix(SUFFIX)
    is_number = digits.isascii() and digits.isdecimal() and len(digits) >= DIGITS
    return int(digits) if is_number and _path(Path(), int(digits)).name == name else 0


@cache
def _this_computer() -> str:
    """What no other computer says of itself, and no container on it, nor this one before it was restarted."""
    said = [platform.node(), f"{uuid.getnode():x}"]
    with suppress(OSError):  # Linux says it
        said.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        said.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(said)
