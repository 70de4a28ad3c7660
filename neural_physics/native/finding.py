"""The library that was built for this computer."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache
from pathlib import Path

FOLDER, CPUINFO = Path(__file__).parent, Path("/proc/cpuinfo")
LEVELS = ("v2", "v3")  # of processors: all that Blender runs on, and those with what is `NEEDED`
VERSION = 8  # of what the library is called with
NEEDED = {"avx2", "fma", "bmi2", "popcnt"}  # of the quicker one


def library_path(level: str) -> Path | None:
    """Where the library for such a computer is, of a level of processors; None where none is ever built."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None  # it has run nowhere else
    return FOLDER / f"neural_physics_linux_x86_64_{level}.so"


@cache
def library_here() -> ctypes.PyDLL | None:
    """None where there is none."""
    path = library_path(level_here())
    if path is None:
        return None
    try:
        return load(path)
    except OSError:
        return None


def level_here() -> str:
    """What this computer's processor can do, by the names that compilers have for it."""
    if not CPUINFO.is_file():
        return "v2"
    said = CPUINFO.read_text(encoding="utf-8", errors="replace")
    flags = next((line for line in said.splitlines() if line.startswith("flags")), "")
    return "v3" if set(flags.split()) >= NEEDED else "v2"


def load(path: Path) -> ctypes.PyDLL:
    """The library. Raises OSError where it is none for this computer, or of another version."""
    library = ctypes.PyDLL(str(path))  # calls take milliseconds
    library.native_version.restype = ctypes.c_int64
    if library.native_version() != VERSION:
        raise OSError(f"{path.name} is of another version")
    return library
