"""Measures hierarchical cloth (Oh 2018).

`python -m benchmarks.hierarchical_cloth.measure [PART ...]`, without Blender. What was simulated and
trained is kept in build/bench/hierarchy, so that what was stopped, or killed, goes on where it was; the
figures go into build/bench/report.json, as those of `benchmarks.bench`, or into another file, from which
`benchmarks.documents` takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.hierarchical_cloth import errors, stretched, structures, times, training_table
from benchmarks.runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "hierarchy_times": times.judge,
    "hierarchy_table": training_table.judge,
    "hierarchy_errors": errors.judge,
    "hierarchy_structures": structures.judge,
    "hierarchy_stretched": stretched.judge,
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS)
