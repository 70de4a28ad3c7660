"""The processor's cores: which this process may use, and keeping it to some of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

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
