"""How long a step and its decoding take: `python -m learning.evaluation.timing MODEL` prints JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter_ns

from neural_physics.errors import Problem
from neural_physics.jobs.isolated_python import clean_environment, run_module

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM")}
CALLS = 2000


def time_model(path: Path) -> dict[str, float]:
    """Medians on one thread, {"step_us", "decode_us"}: in a process of its own, as NumPy counts its
    threads once, when it is imported. Raises Problem("ended_unexpectedly")."""
    environment = {**clean_environment(), **ONE_THREAD}
    command = [*run_module(sys.executable, "learning.evaluation.timing"), str(path)]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode != 0:  # it was killed: the model has been read and rolled out before
        last = (done.stderr.splitlines() or ["there was no output"])[-1]
        raise Problem("ended_unexpectedly", status=done.returncode, said=last)
    times: dict[str, float] = json.loads(done.stdout)
    return times


def _measure(path: Path) -> dict[str, float]:
    import numpy as np

    from neural_physics.methods.registry import load_method
    from neural_physics.models.model_file import read_model

    method = load_method(read_model(path))
    y = np.zeros(method.channels.size, np.float32)
    state, steps, decodes = method.start(y), [], []
    for _ in range(CALLS):
        began = perf_counter_ns()
        state = method.step(state, y)
        stepped = perf_counter_ns()
        method.positions(state, y)
        steps.append(stepped - began)
        decodes.append(perf_counter_ns() - stepped)
    return {"step_us": float(np.median(steps)) / 1e3, "decode_us": float(np.median(decodes)) / 1e3}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measure(Path(sys.argv[1]))) + "\n")
