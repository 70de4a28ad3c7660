"""Measures contact corrections (Romero 2021).

`python -m benchmarks.contact_corrections.measure [PART ...]`, without Blender. The jellies' takes are baked
by `bakes.py`, in Blender, those of the peer's block here; what is missing is said. What was solved and
trained is kept in build/bench/contact, so that what was stopped goes on where it was; the figures go into
build/bench/report.json, as those of `benchmarks.bench`, or into another file, from which
`benchmarks.documents` takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contact_corrections import accuracy, decoupling, jacobians, peer, pull, times
from benchmarks.runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "contact_accuracy": accuracy.judge,
    "contact_decoupling": decoupling.judge,
    "contact_jacobians": jacobians.judge,
    "contact_pull": pull.judge,
    "contact_times": times.judge,
    "contact_peer": peer.judge,
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS)
