"""The processor: what it is called, which of its cores this process may use, and keeping to some of them."""

from __future__ import annotations

import os
import platform
import random
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

LOOK_FOR = 0.1  # seconds: ten of the ticks that Linux counts in

if sys.platform == "linux":

    def usable_cores() -> list[int]:
        """The cores that this process may use."""
        return sorted(os.sched_getaffinity(0))

    def keep_to_cores(cores: Iterable[int]) -> None:
        """Let this process, and the threads that it starts from now on, run on these cores only."""
        os.sched_setaffinity(0, cores)

    def _idle() -> dict[int, int]:
        """How long each core has had nothing to do, in ticks of the system."""
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
        named = [line.split() for line in lines if line.startswith("cpu") and line[3].isdigit()]
        return {int(fields[0][3:]): int(fields[4]) for fields in named}

else:

    def usable_cores() -> list[int]:
        """The cores that this process may use."""
        return list(range(os.cpu_count() or 1))

    def keep_to_cores(cores: Iterable[int]) -> None:
        """Nothing to do: this system tells no process where to run, or has no such call in Python."""

    def _idle() -> dict[int, int]:
        """Not asked: no process is kept to a core."""
        return {}


def core_for_another(taken: Sequence[int] = ()) -> int:
    """The core to keep one process more to, beside those of this program's that are kept to `taken`.

    Of the cores that fewest of them have, the one that has least to do now: processes of other programs, of
    another bake among them, are kept to cores as well.
    """
    usable = usable_cores()
    fewest = min(map(taken.count, usable))
    free = [core for core in usable if taken.count(core) == fewest]
    if len(free) == 1:
        return free[0]
    random.shuffle(free)  # two programs that ask at once are not to be told the same
    before = _idle()
    time.sleep(LOOK_FOR)
    after = _idle()
    return max(free, key=lambda core: after.get(core, 0) - before.get(core, 0))


def processor() -> str:
    """The processor's model, where the system says it."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8", errors="replace").splitlines() if about.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def system_and_processor() -> str:
    """What, beside programs, decides how sums come out to the bit: “Linux x86_64, AMD EPYC”."""
    return f"{platform.system()} {platform.machine()}, {processor()}"
