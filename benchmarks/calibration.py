"""How quick the box is: a fixed piece of work that no change of the program makes quicker or slower."""

from __future__ import annotations

from statistics import median
from time import process_time

import numpy as np

ROUNDS = 200


def calibration_ms() -> float:
    """The median time of the work, ms of the processor.

    It is what networks, decoders and solvers ask of NumPy: products that fit the cache, one that does not,
    and reading and adding at places all over an array.
    """
    rng = np.random.default_rng(0)
    layer = rng.normal(size=(192, 192)).astype(np.float32) / 14.0
    basis = rng.normal(size=(64, 30_000)).astype(np.float32)
    places = rng.integers(0, 30_000, 60_000)
    taken = []
    for _ in range(ROUNDS):
        x = np.full(192, 0.1, np.float32)
        began = process_time()
        for _ in range(150):
            x = np.tanh(layer @ x)
        shape = x[:64] @ basis
        np.bincount(places, shape[places] ** 2, len(shape))
        taken.append(process_time() - began)
    return 1e3 * median(taken[ROUNDS // 4 :])
