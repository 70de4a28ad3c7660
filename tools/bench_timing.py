"""How long a model's step and decoding take on one thread: `python bench_timing.py MODEL` prints JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import perf_counter_ns
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy reads it; Holden's Table 2 is single threaded
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from neural_physics.methods import load_method
from neural_physics.model_file import Model, read_model

CALLS = 3000


def measure(model: Model) -> dict[str, Any]:
    """Medians in microseconds, and megabytes of what runs on the CPU and what could stay on a GPU."""
    method = load_method(model)
    y = np.array(model.tensor("y_mean", method.channels.size))
    state, step, decode = method.start(y), [], []
    for _ in range(CALLS):
        began = perf_counter_ns()
        state = method.step(state, y)
        stepped = perf_counter_ns()
        method.positions(state, y)
        step.append(stepped - began)
        decode.append(perf_counter_ns() - stepped)
    decoded = {"mean", "basis", "normal_mean", "normal_basis"}
    sizes = {name: array.nbytes / 1e6 for name, array in model.tensors.items()}
    return {
        "vertices": method.vertex_count,
        "bases": method.basis_count,
        "step_us": float(np.median(step)) / 1e3,
        "decode_us": float(np.median(decode)) / 1e3,
        "cpu_mb": sum(size for name, size in sizes.items() if name not in decoded),
        "decoder_mb": sum(size for name, size in sizes.items() if name in decoded),
    }


if __name__ == "__main__":
    print(json.dumps(measure(read_model(Path(sys.argv[1])))))  # noqa: T201
