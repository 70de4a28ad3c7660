"""Computers made of this one: each has a name, a home, processes and mounts of its own, and one share.

They are namespaces of Linux, which root may make. A host that is killed is gone at once, with all that ran on
it, as when its power fails.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import IO

# The first process of a host: it gets its name and mounts the share before the host's work begins.
BEGIN = 'hostname "$1" && mkdir -p "$3" && mount --bind "$2" "$3" && cd / && shift 3 && exec "$@"'
# With whoever started it a host ends, too.
NAMESPACES = (
    *("setpriv", "--pdeathsig", "KILL", "--"),
    *("unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"),
)


@dataclass(frozen=True)
class Host:
    """home, share: as this computer names them. at: the share as the host does. cores: it has these.

    ahead: how many seconds longer it has been running, by its own monotonic clock.
    """

    name: str
    home: Path
    share: Path
    at: Path
    cores: tuple[int, ...] = ()
    ahead: int = 0

    def start(self, *words: str | Path, out: IO[str] | int | None = None, **env: str) -> Popen[str]:
        """Switch the host on to run a command, with whose end it ends. out: where its output goes."""
        self.home.mkdir(parents=True, exist_ok=True)
        limited = ("taskset", "-c", ",".join(map(str, self.cores))) if self.cores else ()
        clock = ("--time", f"--monotonic={self.ahead}", f"--boottime={self.ahead}") if self.ahead else ()
        begin = ("sh", "-c", BEGIN, "sh", self.name, str(self.share), str(self.at))
        return Popen(
            [*limited, *NAMESPACES, *clock, *begin, *map(str, words)],
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "HOME": str(self.home), **env},
        )


def switch_off(host: Popen[str]) -> None:
    """Let the power of a host that was started fail: all that runs there ends at once."""
    for pid in first_processes(host):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    host.wait()


def first_processes(host: Popen[str]) -> list[int]:
    """The number, as this computer has it, of a host's first process, whose mounts others may join."""
    try:
        return [int(pid) for pid in Path(f"/proc/{host.pid}/task/{host.pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def freeze(host: Popen[str]) -> None:
    """Let a host stand still, as one that sleeps."""
    _send(host, signal.SIGSTOP)


def wake(host: Popen[str]) -> None:
    """Let it go on."""
    _send(host, signal.SIGCONT)


def unplug(host: Popen[str], at: Path) -> None:
    """Let the share be gone for a host; what has files of it open keeps them. at: as in `Host`."""
    _in_mounts_of(host, "umount", "--lazy", str(at))


def plug(host: Popen[str], share: Path, at: Path) -> None:
    """Give it back. share, at: as in `Host`."""
    _in_mounts_of(host, "mount", "--bind", str(share), str(at))


def lacking() -> str:
    """Why no hosts can be made here; "" where they can."""
    missing = [
        name
        for name in ("setpriv", "unshare", "nsenter", "taskset", "mount", "hostname")
        if shutil.which(name) is None
    ]
    if missing:
        return f"{', '.join(missing)} is not there"
    tried = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"namespaces are not permitted: {tried.stderr.strip()}"


def _send(host: Popen[str], number: signal.Signals) -> None:
    """To all that runs there."""
    spaces = {_space_of(pid) for pid in first_processes(host)} - {None}
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and _space_of(int(process.name)) in spaces:
            with suppress(ProcessLookupError):
                os.kill(int(process.name), number)


def _space_of(pid: int) -> Path | None:
    with suppress(OSError):  # it has just ended
        return Path(f"/proc/{pid}/ns/pid").readlink()
    return None


def _in_mounts_of(host: Popen[str], *words: str) -> None:
    for pid in first_processes(host):
        subprocess.run(["nsenter", f"--target={pid}", "--mount", "--pid", *words], check=True)
