"""A search whose workers are killed now and then, beside one long training of the same processor time."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.folders import BENCH, ROOT
from benchmarks.records import recorded
from benchmarks.subspace_physics.small_sheet import make_takes
from learning.methods.subspace_physics.presets import SEARCHED
from neural_physics.models.model_file import read_model

SEEDS = (0, 1, 2)
TRIALS, WORKERS = 30, 2
TRIAL_STEPS = 600
KILL_AFTER = (5.0, 20.0)  # seconds from one kill to the next, at least and at most
BASES = "bases=4,8,16"
SETTINGS = ["minutes=0", "second=false", "batch=32", "validate_every=20", "patience=1000000"]
TICKS = os.sysconf("SC_CLK_TCK")  # of processor time, in a second


def judge() -> dict[str, Any]:
    """Both errors for each seed."""
    return {"rows": [recorded(f"search/seed{seed}", partial(_row, seed)) for seed in SEEDS]}


def _row(seed: int) -> dict[str, Any]:
    folder = BENCH / "search" / f"seed{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    make_takes(folder / "dataset", seed)
    searched = _searched(folder, seed)
    usual = ["--bases=8"]
    start = _trained(folder, "start", seed, usual, steps=1)["processor_seconds"]
    short = _trained(folder, "short", seed, usual, steps=TRIAL_STEPS)
    per_step = (short["processor_seconds"] - start) / TRIAL_STEPS
    steps = round((searched["processor_seconds"] - start) / per_step)
    found = [_option(*each.split(" ")) for each in searched["settings"].split(", ")]
    return {
        "seed": seed,
        "search": {**searched, **_errors(folder, "best")},
        "short": {**short, **_errors(folder, "short")},
        "long": {**_trained(folder, "long", seed, usual, steps=steps), **_errors(folder, "long")},
        "found": {**_trained(folder, "found", seed, found, steps=steps), **_errors(folder, "found")},
    }


def _option(name: str, value: str) -> str:
    return f"--bases={value}" if name == "bases" else f"--set={name}={value}"


def _searched(folder: Path, seed: int) -> dict[str, Any]:
    """Let two workers search, of which one is killed and replaced again and again."""
    over = [BASES, *(each for each in SEARCHED if not each.startswith(("bases", "physics")))]
    words = [
        f"--trials={TRIALS}",
        f"--out={folder / 'best.safetensors'}",
        *(f"--over={each}" for each in over),
    ]
    command = [*_command("ml_backend", "search", folder, seed, steps=TRIAL_STEPS), *words]
    chance, began, orphans, kills = random.Random(seed), time.monotonic(), 0.0, 0
    before = _of_children()
    with (folder / "search.log").open("ab") as log:
        workers = [_started(command, log) for _ in range(WORKERS)]
        while any(worker.poll() is None for worker in workers):
            time.sleep(chance.uniform(*KILL_AFTER))
            number = chance.randrange(WORKERS)
            if workers[number].poll() is None:
                orphans += _of_processes_below(workers[number].pid)
                workers[number].kill()
                workers[number].wait()
                workers[number] = _started(command, log)
                kills += 1
    failed = [worker.returncode for worker in workers if worker.returncode]
    if failed:
        raise SystemExit(f"the search failed: see {folder / 'search.log'}")
    said = (folder / "search.log").read_text(encoding="utf-8").splitlines()
    result = json.loads(next(line for line in reversed(said) if '"result"' in line))
    names = ("trials", "given_up", "failed", "settings", "trial")
    return {
        **{name: result[name] for name in names},
        "kills": kills,
        "seconds": time.monotonic() - began,
        "processor_seconds": _of_children() - before + orphans,
    }


def _trained(folder: Path, name: str, seed: int, settings: list[str], *, steps: int) -> dict[str, Any]:
    """One training of so many steps."""
    before = _of_children()
    words = [*_command("learning", "train", folder, seed, steps=steps), *settings, "--out"]
    with (folder / f"{name}.log").open("ab") as log:
        done = _started([*words, str(folder / f"{name}.safetensors")], log).wait()
    if done:
        raise SystemExit(f"the training failed: see {folder / name}.log")
    return {"steps": steps, "processor_seconds": _of_children() - before}


def _errors(folder: Path, name: str) -> dict[str, float]:
    """Of a model on the validation take, by which it was chosen, and on the test take, which nothing saw."""
    model, out = folder / f"{name}.safetensors", folder / f"{name}.evaluation"
    out.mkdir(exist_ok=True)
    with (folder / f"{name}.log").open("ab") as log:
        words = [str(model), str(folder / "dataset"), f"--out={out}", "--json"]
        _started([sys.executable, "-m", "learning", "evaluate", *words], log).wait()
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    return {
        "validation_error": read_model(model).info.training["validation_error"],
        "test_error": report["rollout_error"],
    }


def _command(program: str, command: str, folder: Path, seed: int, *, steps: int) -> list[str]:
    settings = [f"--set={each}" for each in (*SETTINGS, f"steps={steps}")]
    where = [command, str(folder / "dataset"), f"--seed={seed}", "--device=cpu", "--json"]
    return [sys.executable, "-m", program, *where, *settings]


def _started(command: list[str], log: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 (a file)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env=environment)


def _of_children() -> float:
    """Seconds of the processor that processes took which this one has waited for, and those that they did."""
    used = os.times()
    return used.children_user + used.children_system


def _of_processes_below(process: int) -> float:
    """The same of those that a process would have waited for, and that now end without it."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    found = 0.0
    for child in children:
        words = Path(f"/proc/{child}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        found += (int(words[11]) + int(words[12])) / TICKS
    return found
