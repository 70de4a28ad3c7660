"""`make bench`: how good, how small and how fast, into build/bench/report.json.

`python tools/bench.py [PART ...]` runs only some parts. Datasets and models are kept, so that a stopped
benchmark goes on where it was and a part is cheap to repeat. `python tools/bench_docs.py` fills in
docs/benchmarks.md from the report.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import bench_accuracy
import bench_contact
import bench_excursion
import bench_hierarchy
import bench_latent
import bench_limit
import bench_normals
import bench_penetration
import bench_solver
import bench_springs
import bench_table
from bench_datasets import BENCH
from workshop import ROOT, console, leave_after

from neural_physics.methods import load_method
from neural_physics.model_file import read_model

REPORT = BENCH / "report.json"
PLAY_RUNS = 5
BLENDERS = {name: ROOT / ".venv" / f"blender-{name}" / "bin" / "python" for name in ("4.5", "5.2")}


def excursion() -> dict[str, Any]:
    """Of the models of `accuracy`, one for each seed."""
    models = [read_model(path) for path in bench_accuracy.models()]
    runs = [bench_excursion.judge(load_method(model), model.tensor("mean", -1, 3)) for model in models]
    return {
        "runs": runs,
        "finite": all(run["finite"] for run in runs),
        "bounded": all(run["bounded"] for run in runs),
        "ratio": median(run["ratio"] for run in runs),
    }


def play() -> dict[str, Any]:
    """In each Blender there is, in turns, each time in a new process; 4.5 first, which can write the model.

    Of each, the run with the median speed-up, and the speed-ups of all.
    """
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name, path in BLENDERS.items() if path.is_file()}
    for _ in range(PLAY_RUNS):
        for name, found in runs.items():
            found.append(_said_by("bench_play.py", name, BENCH / "play.safetensors"))
    ranked = {name: sorted(found, key=lambda run: run["speedup"]) for name, found in runs.items()}
    return {
        name: {**found[len(found) // 2], "speedups": [run["speedup"] for run in found]}
        for name, found in ranked.items()
    }


def graphics() -> dict[str, Any]:
    """What each Blender there is makes of the graphics card, beside the processor."""
    return {name: _said_by("bench_gpu.py", name) for name, path in BLENDERS.items() if path.is_file()}


def _said_by(script: str, blender: str, *words: Path) -> dict[str, Any]:
    """The JSON that a script of this folder prints last, in a new process of a Blender."""
    argv = [BLENDERS[blender], Path(__file__).with_name(script), *words]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "play": play,
    "graphics": graphics,
    "accuracy": bench_accuracy.judge,
    "limit": bench_limit.judge,
    "excursion": excursion,
    "table": bench_table.judge,
    "normals": bench_normals.judge,
    "penetration": bench_penetration.judge,
    "solver": bench_solver.judge,
    **bench_latent.PARTS,
    **bench_springs.PARTS,
    **bench_hierarchy.PARTS,
    **bench_contact.PARTS,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    parts = parser.parse_args().part or list(PARTS)
    if set(parts) - set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    BENCH.mkdir(parents=True, exist_ok=True)
    for name in parts:
        found = PARTS[name]()
        report = {**_report(), "cores": len(os.sched_getaffinity(0)), name: found}
        if name == "accuracy":
            report["rollout_error"] = found["rollout_error"]
        REPORT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        console.print(f"{name}: done; the figures are in {REPORT}")


def _report() -> dict[str, Any]:
    return json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.is_file() else {}


if __name__ == "__main__":
    leave_after(main)
