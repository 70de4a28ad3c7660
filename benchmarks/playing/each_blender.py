"""Play and the graphics card in each Blender that is set up, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.folders import BENCH, ROOT
from benchmarks.runner import run
from neural_physics.jobs.cores import keep_to_cores, usable_cores

RUNS, MODEL = 5, BENCH / "play.safetensors"
CORES = usable_cores()
BLENDERS = {name: ROOT / ".venv" / f"blender-{name}" / "bin" / "python" for name in ("4.5", "5.2")}


def play() -> dict[str, Any]:
    """Each Blender's run with the median speed-up, and the speed-ups of all its runs.

    calibration_ms: how quick the machine is, the mean of before and after all runs.
    """
    before = _calibrated()
    ranked = {
        name: sorted(found, key=lambda run: run["speedup"]) for name, found in runs(RUNS, MODEL).items()
    }
    speed = {"calibration_ms": (before + _calibrated()) / 2.0}
    return {
        name: {**found[len(found) // 2], "speedups": [run["speedup"] for run in found], **speed}
        for name, found in ranked.items()
    }


def runs(count: int, *words: object) -> dict[str, list[dict[str, Any]]]:
    """`count` runs of the module `play` in each Blender, in turns; 4.5 first, which can write the model.

    words: of its command line.
    """
    found: dict[str, list[dict[str, Any]]] = {name: [] for name, path in BLENDERS.items() if path.is_file()}
    for _ in range(count):
        for name, of_blender in found.items():
            of_blender.append(_said_by("benchmarks.playing.play", name, *words))
    return found


def graphics() -> dict[str, Any]:
    """What each makes of the graphics card, beside the processor."""
    return {
        name: _said_by("benchmarks.playing.graphics_card", name)
        for name, path in BLENDERS.items()
        if path.is_file()
    }


def crowd() -> dict[str, Any]:
    """A crowd that plays in each, on all cores and on one.

    calibration_ms: how quick the machine is, the mean of before and after each run.
    """
    found: dict[str, Any] = {name: [] for name, path in BLENDERS.items() if path.is_file()}
    for name, measured in found.items():
        for cores in (CORES, CORES[:1]):
            before = _calibrated()
            with _on(cores):
                figures = _said_by("benchmarks.playing.crowd", name, BENCH / "crowd")
            measured.append({**figures, "calibration_ms": (before + _calibrated()) / 2.0})
    return found


def exporting() -> dict[str, Any]:
    """Files of what plays beside Blender's own export, in each."""
    return {
        name: _said_by("benchmarks.playing.exporting", name, BENCH / "exporting")["rows"]
        for name, path in BLENDERS.items()
        if path.is_file()
    }


def _calibrated() -> float:
    """On one thread, as it is meant."""
    return float(run("benchmarks.calibration:calibration_ms", {}, one_thread=True))


@contextmanager
def _on(cores: Sequence[int]) -> Iterator[None]:
    """Let what is started meanwhile use these cores alone."""
    keep_to_cores(cores)
    try:
        yield
    finally:
        keep_to_cores(CORES)


def _said_by(module: str, blender: str, *words: object) -> dict[str, Any]:
    """The JSON that a benchmark prints last, in a new process of a Blender."""
    argv = [str(BLENDERS[blender]), "-m", module, *map(str, words)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(lines[-1])
    return found
