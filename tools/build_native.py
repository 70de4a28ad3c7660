"""Build what is calculated in C, for this computer: `python -m tools.build_native`.

The extension runs without it, by NumPy. For Linux on x86-64 alone, where it is tested; one library for all
processors, and one for those with AVX2 and FMA. Without a compiler, or elsewhere, one sentence says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from neural_physics.native.finding import LEVELS, library_path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "native"
PROCESSORS = (("-msse4.2", "-mpopcnt"), ("-mavx2", "-mfma", "-mbmi2", "-mpopcnt"))  # of each level
# Sums may be taken in another order; what is no number, or without end, stays that.
FLAGS = (
    *("-std=gnu11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-s"),
    *("-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros", "-fassociative-math"),
    *("-freciprocal-math", "-ffp-contract=fast"),
)
console = Console()


def main() -> None:
    """Build both libraries, or say why not."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    newest = max(path.stat().st_mtime for path in [*SOURCE.iterdir(), Path(__file__)])
    units = sorted(map(str, SOURCE.glob("*.c")))
    for level, processor in zip(LEVELS, PROCESSORS, strict=True):
        path = library_path(level)
        if path is None or compiler is None:
            console.print("Nothing is built in C here: Contact Corrections are calculated by NumPy.")
            return
        if path.is_file() and path.stat().st_mtime > newest:
            continue
        scratch = path.with_suffix(".new")
        words = [*FLAGS, *processor, *units, "-o", str(scratch), "-lm"]
        if subprocess.run([compiler, *words], check=False).returncode:
            sys.exit(f"{compiler} could not build what is in {SOURCE.relative_to(ROOT)}.")
        scratch.replace(path)


if __name__ == "__main__":
    main()
