"""Where a soak works: folders of its own, where mounting is allowed on disks small enough to be filled."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.soak.marks import MARK, marked

DISK = 512  # MiB
FILLED_AFTER = 100  # tries, while others write, too
OWN_MOUNTS = "NEURAL_PHYSICS_SOAK_MOUNTS"  # set where this process may mount, and nobody else sees it
# A root that permissions hold for: of all that it may do, not to ignore them.
ORDINARY = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--")
TRY_TO_WRITE = "import sys, pathlib; pathlib.Path(sys.argv[1], 'x').touch()"


def with_own_mounts() -> None:
    """Start this program again where what it mounts is gone when it ends, if the system allows that."""
    if os.environ.get(OWN_MOUNTS) is not None or sys.platform != "linux":
        return
    words = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    with TemporaryDirectory() as folder:
        trial = [*words, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
        allowed = shutil.which("unshare") and _succeeds(trial)
    os.environ[OWN_MOUNTS] = "yes" if allowed else ""
    if allowed:
        os.execvp(words[0], [*words, sys.executable, *sys.orig_argv[1:]])


def permissions_hold() -> tuple[str, ...] | None:
    """The words before a command for which a folder may be read-only; None where there is no such way."""
    for words in ((), ORDINARY):
        python = [*words, sys.executable, "-c"]
        with TemporaryDirectory() as folder:
            Path(folder).chmod(0o555)
            if _succeeds([*python, ""]) and not _succeeds([*python, TRY_TO_WRITE, folder]):
                return words
    return None


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


@dataclass(frozen=True)
class Place:
    """A folder to work in, and beside it what its commands have printed and Blender's folder of a user.

    mounted: whether `disk` is one of its own, which holds nothing else.
    """

    root: Path
    mounted: bool

    @classmethod
    def make(cls, root: Path) -> Place:
        """Begin with an empty place; with a disk of its own where `with_own_mounts` may mount one."""
        shutil.rmtree(root, ignore_errors=True)
        (root / "disk").mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m,mode=755", "tmpfs", str(root / "disk")]
        return cls(root, bool(os.environ.get(OWN_MOUNTS)) and _succeeds(mount))

    @property
    def disk(self) -> Path:
        """What may be full."""
        return self.root / "disk"

    @property
    def work(self) -> Path:
        """The folder that the activity works in."""
        return self.disk / "work"

    @property
    def user(self) -> Path:
        """Where Blender keeps what belongs to its user."""
        return self.root / "user"

    def environment(self, mark: str) -> dict[str, str]:
        """That of commands of this place: without what would change how Python starts, and marked."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        own = {MARK: mark, "BLENDER_USER_RESOURCES": str(self.user), "OPENBLAS_NUM_THREADS": "1"}
        kept.pop("NEURAL_PHYSICS_PYTHON", None)
        return {**kept, **own}

    def fill(self, left: int, mark: str) -> None:
        """Leave no more than so many bytes: of the disk, else for each file of what runs with this mark."""
        if not self.mounted:
            for pid in marked(mark):
                most = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (left, most))
            return
        with (self.disk / "filler").open("wb") as file:
            for _ in range(FILLED_AFTER):
                size = shutil.disk_usage(self.disk).free - left
                try:
                    os.posix_fallocate(file.fileno(), 0, max(1, size))
                    return
                except OSError:  # what is being broken was faster
                    continue

    def make_room(self) -> None:
        """Undo `fill`; where there is no disk of its own, what was limited has ended."""
        (self.disk / "filler").unlink(missing_ok=True)
