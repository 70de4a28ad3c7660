"""`make bench`: how good, how small and how fast, into build/bench/report.json.

`python -m benchmarks.bench [PART ...]` runs only some parts. Datasets and models are kept, so that a stopped
benchmark goes on where it was and a part is cheap to repeat. `python -m benchmarks.documents` fills in
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

from benchmarks.contact_corrections import measure as contact_corrections
from benchmarks.folders import BENCH, ROOT
from benchmarks.hierarchical_cloth import measure as hierarchical_cloth
from benchmarks.latent_dynamics import measure as latent_dynamics
from benchmarks.playing import normals
from benchmarks.quasistatic_springs import measure as quasistatic_springs
from benchmarks.solver import block
from benchmarks.subspace_physics import accuracy, limit, penetration, table
from benchmarks.subspace_physics import excursion as excursions
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from tools.workshop import console, run_and_exit

REPORT = BENCH / "report.json"
PLAY_RUNS = 5
BLENDERS = {name: ROOT / ".venv" / f"blender-{name}" / "bin" / "python" for name in ("4.5", "5.2")}


def excursion() -> dict[str, Any]:
    """Of the models of `accuracy`, one for each seed."""
    models = [read_model(path) for path in accuracy.models()]
    runs = [excursions.judge(load_method(model), model.tensor("mean", -1, 3)) for model in models]
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
            found.append(_said_by("benchmarks.playing.play", name, BENCH / "play.safetensors"))
    ranked = {name: sorted(found, key=lambda run: run["speedup"]) for name, found in runs.items()}
    return {
        name: {**found[len(found) // 2], "speedups": [run["speedup"] for run in found]}
        for name, found in ranked.items()
    }


def graphics() -> dict[str, Any]:
    """What each Blender there is makes of the graphics card, beside the processor."""
    return {
        name: _said_by("benchmarks.playing.graphics_card", name)
        for name, path in BLENDERS.items()
        if path.is_file()
    }


def _said_by(module: str, blender: str, *words: Path) -> dict[str, Any]:
    """The JSON that a benchmark prints last, in a new process of a Blender."""
    argv = [BLENDERS[blender], "-m", module, *words]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "play": play,
    "graphics": graphics,
    "accuracy": accuracy.judge,
    "limit": limit.judge,
    "excursion": excursion,
    "table": table.judge,
    "normals": normals.judge,
    "penetration": penetration.judge,
    "solver": block.judge,
    **latent_dynamics.PARTS,
    **quasistatic_springs.PARTS,
    **hierarchical_cloth.PARTS,
    **contact_corrections.PARTS,
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
    run_and_exit(main)
