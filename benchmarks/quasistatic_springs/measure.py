"""Measures jiggle springs (Jin et al. 2022).

`python -m benchmarks.quasistatic_springs.measure [PART ...]`, without Blender. What characters are needed
is baked by `bakes.py`, in Blender; what is missing is said. Models are kept in build/bench/springs; the
figures go into build/bench/report.json, as those of `benchmarks.bench`, or into another file, from which
`benchmarks.documents` takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.quasistatic_springs import errors, times
from benchmarks.runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "spring_errors": errors.judge,
    "spring_times": times.judge,
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS)
