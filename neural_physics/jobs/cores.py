"""The processor: what it is called, which of its cores this process may use, and keeping to some of them."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

if sys.platform == "linux":

    def usable_cores() -> list[int]:
        """The cores that this process may use."""
        return sorted(os.sched_getaffinity(0))

    def keep_to_cores(cores: Iterable[int]) -> None:
        """Let this process, and the threads that it starts from now on, run on these cores only."""
        os.sched_setaffinity(0, cores)

else:

    def usable_cores() -> list[int]:
        """The cores that this process may use."""
        return list(range(os.cpu_count() or 1))

    def keep_to_cores(cores: Iterable[int]) -> None:
        """Nothing to do: this system tells no process where to run, or has no such call in Python."""


def processor() -> str:
    """The processor's model, where the system says it."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8", errors="replace").splitlines() if about.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def system_and_processor() -> str:
    """What, beside programs, decides how sums come out to the bit: “Linux x86_64, AMD EPYC”."""
    return f"{platform.system()} {platform.machine()}, {processor()}"
