"""Table 1 of Li et al. 2025: the solver beside the network, scene by scene, in one run on one thread."""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import Any

from benchmarks.latent_dynamics import datasets
from benchmarks.latent_dynamics.rollouts import load
from benchmarks.solver.solver_times import solver_ms

STEPS, FRAMES = 600, 60  # of the network, and of the solver


def judge(kept_only: bool = False) -> dict[str, Any]:
    """Milliseconds of a frame: medians. kept_only: train nothing."""
    rows = []
    for name, example in datasets.EXAMPLES.items():
        made, dataset = datasets.model(name, kept_only), datasets.learned(name)
        if made is None or dataset is None:
            continue
        method, body = load(made[0]), dataset.body
        assert body is not None
        take = dataset.takes()[0]
        state, y = method.start(take.interaction[0]), take.interaction
        integration, decoding = [], []
        for k in range(STEPS):
            each = y[k % len(y)]
            began = process_time()
            state = method.step(state, each)
            between = process_time()
            method.positions(state, each)
            decoding.append(process_time() - between)
            integration.append(between - began)
        rows.append(
            {
                "scene": name,
                "numbers": body.rest_positions.size,
                "vertices": method.vertex_count,
                "latents": len(state.z),
                "solver_ms": solver_ms(dataset, take.name, FRAMES),
                "integration_ms": 1e3 * median(integration),
                "decode_ms": 1e3 * median(decoding),
                "paper": example.paper,
            }
        )
    return {"rows": rows, "missing": datasets.missing()}
