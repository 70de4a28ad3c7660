# ruff: noqa: T201 (a tool that is watched)
"""`make bench`: every method, the solver and Play at reduced size, beside the last release; 5 to 20 min.

Bakes and trainings run two at a time, timings alone at the end. What is baked and trained is kept in
build/bench/quick, and made anew where its sizes or the product's code are others. The table is printed and
written to build/bench/quick.md, and the run added to benchmarks/history.jsonl. `python -m benchmarks.quick
NAME ...` runs only some, and adds nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from statistics import fmean
from time import monotonic
from typing import Any

import numpy as np

from benchmarks.code_version import code_version
from benchmarks.folders import BENCH, ROOT
from benchmarks.history import HISTORY, Run, append, last_release
from benchmarks.ratios import written
from benchmarks.registry import BENCHMARKS
from benchmarks.runner import run
from neural_physics.jobs.cores import processor, usable_cores
from neural_physics.jobs.launch import PACKAGES

QUICK, TABLE = BENCH / "quick", BENCH / "quick.md"
AT_A_TIME = 2  # bakes and trainings


def main() -> None:
    """Measure the benchmarks named on the command line, or all, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help=", ".join(BENCHMARKS))
    parser.add_argument("--release", action="store_true", help="later runs are compared with this one")
    args = parser.parse_args()
    unknown = set(args.name) - set(BENCHMARKS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: the benchmarks are {', '.join(BENCHMARKS)}")
    began = monotonic()
    names = args.name or list(BENCHMARKS)
    prepare_all([*names, *(BENCHMARKS[name].quick.after for name in names)])
    paces, figures = [_calibration()], {}
    for name in names:
        figures[name] = _measured(name)
        paces.append(_calibration())
    found = Run(
        datetime.now(UTC).isoformat(timespec="seconds"),
        version=tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"],
        commit=_git("rev-parse", "--short", "HEAD"),
        dirty=bool(_git("status", "--porcelain", "--", ".", f":!{HISTORY.relative_to(ROOT)}")),
        box=_box(),
        calibration_ms={name: _short(fmean(paces[k : k + 2])) for k, name in enumerate(names)},
        settings={name: settings_of(name) for name in names},
        figures=figures,
        release=args.release,
    )
    text = written(BENCHMARKS, found, last_release())
    if not args.name:
        append(found)
        TABLE.write_text(f"{text}\n", encoding="utf-8")
    print(f"\n{text}\n\nAll of it took {(monotonic() - began) / 60:.1f} minutes.", flush=True)


def prepare_all(names: Iterable[str], prepare: Callable[[str, int], float] | None = None) -> None:
    """Bake and train, each on a core of its own, what is not there yet of the same plan.

    prepare: does so for one benchmark on a core, and returns how many seconds of it that took; None: each is
    prepared in a process of its own.
    """
    cores: SimpleQueue[int] = SimpleQueue()
    for core in usable_cores()[:AT_A_TIME]:
        cores.put(core)
    chosen = {name: BENCHMARKS[name].quick for name in names if name}
    prepared = [name for name, quick in chosen.items() if quick.prepares]
    # What others wait for first, and those last: a worker that waits does nothing.
    awaited = {quick.after for quick in chosen.values()}
    ordered = sorted(prepared, key=lambda name: (bool(chosen[name].after), name not in awaited))
    done: dict[str, Future[None]] = {}

    def work(name: str) -> None:
        if after := BENCHMARKS[name].quick.after:
            done[after].result()
        core = cores.get()
        try:
            _prepare_one(name, core, prepare or _prepare)
        finally:
            cores.put(core)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for name in ordered:
            done[name] = pool.submit(work, name)
    for future in done.values():
        future.result()


def _prepare_one(name: str, core: int, prepare: Callable[[str, int], float]) -> None:
    folder = folder_of(name)
    ready, plan = folder / "ready.json", plan_of(name)
    if ready.is_file() and json.loads(ready.read_text(encoding="utf-8")) == plan:
        return
    begun = folder / "plan.json"
    if not begun.is_file() or json.loads(begun.read_text(encoding="utf-8")) != plan:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        begun.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
    began = monotonic()
    print(f"{name}: baking and training", flush=True)
    busy = prepare(name, core)
    shutil.copy(begun, ready)
    print(f"{name}: ready after {monotonic() - began:.0f} s, {busy:.0f} s of them on its core", flush=True)


def _prepare(name: str, core: int) -> float:
    log = folder_of(name) / "preparing.log"
    busy: float = run("benchmarks.quick:prepare_here", {"name": name}, one_thread=True, core=core, log=log)
    return busy


def prepare_here(name: str) -> float:
    """How many seconds of the processor it took, jobs included."""
    quick = BENCHMARKS[name].quick
    import_module(quick.module).prepare(folder_of(name), quick.settings)
    return sum(os.times()[:4])


def measure_here(name: str) -> dict[str, float]:
    """Measure one benchmark in this process: its figures by name."""
    quick = BENCHMARKS[name].quick
    found: dict[str, float] = import_module(quick.module).measure(folder_of(name), quick.settings)
    return found


def folder_of(name: str) -> Path:
    """The folder that keeps what one benchmark baked and trained."""
    return QUICK / name


def plan_of(name: str) -> dict[str, Any]:
    """What decides what is baked and trained: sizes, seeds, and the product's code."""
    quick = BENCHMARKS[name].quick
    needed = {"after": plan_of(quick.after)} if quick.after else {}
    settings = json.loads(json.dumps(asdict(quick.settings)))  # as it is read again
    return {"settings": settings, "code": code_version(*PACKAGES), **needed}


def settings_of(name: str) -> str:
    """A digest of a benchmark's sizes and seeds."""
    return hashlib.sha256(json.dumps(asdict(BENCHMARKS[name].quick.settings)).encode()).hexdigest()[:8]


def _measured(name: str) -> dict[str, float]:
    folder_of(name).mkdir(parents=True, exist_ok=True)
    print(f"{name}: measuring", flush=True)
    log = folder_of(name) / "measuring.log"
    core = min(usable_cores())
    found = run("benchmarks.quick:measure_here", {"name": name}, one_thread=True, core=core, log=log)
    return {figure: _short(value) for figure, value in found.items()}


def _short(value: float) -> float:
    """Four digits: no two runs have more in common."""
    return float(f"{value:.4g}")


def _calibration() -> float:
    core = min(usable_cores())
    found: float = run("benchmarks.calibration:calibration_ms", {}, one_thread=True, core=core)
    return found


def _box() -> dict[str, Any]:
    return {
        "cores": len(usable_cores()),
        "processor": processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _git(*words: str) -> str:
    """What git says, "" where this is no repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
