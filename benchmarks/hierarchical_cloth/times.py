"""Table 2 of Oh 2018: milliseconds of a frame, of two simulations of the fine mesh and of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.hierarchical_cloth.conjugate_gradients import ConjugateGradients
from ml_backend.methods.hierarchical_cloth.scenes import ClothScene, Fabric, grid_triangles, motions_of
from ml_backend.simulation.sparse_solve import sparse_solve
from neural_physics.methods.hierarchical_cloth.batched_perceptron import Layers
from neural_physics.methods.hierarchical_cloth.networks import LevelNetworks
from neural_physics.methods.hierarchical_cloth.triangle_forms import FORMS, OUTPUTS
from neural_physics.projective_dynamics.cloth import GRAVITY, Cloth, Load
from neural_physics.subdivision.coarsening import found_hierarchy
from neural_physics.subdivision.levels import Hierarchy

FRAMES, UNCOUNTED = 60, 2  # of each, and at its start
SIZES = (("Flag", 49, 73), ("Cloth", 25, 37))
ANOTHER = 5  # stiffnesses

Array = NDArray[np.float64]
Step = Callable[[Array, Array, Array], tuple[Array, Array]]


def judge() -> dict[str, Any]:
    """Medians of the processor's time, one after the other in one process. What networks have learned makes
    no difference to it.
    """
    return {"rows": [_row(name, columns, rows) for name, columns, rows in SIZES]}


def fine_cloth(name: str, columns: int, rows: int) -> tuple[ClothScene, Hierarchy, NDArray[np.float32]]:
    """A flag in the wind, its levels, and its rest shape (V, 3) in their order."""
    scene = ClothScene(3, "flag", Fabric(), columns, rows=rows, spacing=1.0 / (columns - 1), frames=FRAMES)
    mesh = scene.mesh()
    hierarchy = found_hierarchy(mesh, 2, name)
    return scene, hierarchy, hierarchy.sorted(mesh.rest_positions)


def random_networks(
    hierarchy: Hierarchy, rest: NDArray[np.float32], form: str, layers: int = 3, *, width: int = 32
) -> LevelNetworks:
    """Networks of a preset's structure with random weights, for timing."""
    rng = np.random.default_rng(0)
    inputs = FORMS[form].inputs
    sizes = [inputs, *[width] * (layers - 1), OUTPUTS]
    weights = [
        (0.01 * rng.normal(size=(out, into)).astype(np.float32), np.zeros(out, np.float32))
        for into, out in pairwise(sizes)
    ]
    linear = np.zeros((OUTPUTS, inputs), np.float32) if form == "local" else None
    limits = np.tile(np.array([[-1e3], [1e3]], np.float32), inputs) if form == "local" else None
    count = len(hierarchy.levels) - 1
    return LevelNetworks(hierarchy, rest, [form] * count, [Layers(weights, linear, limits)] * count)


def processor_ms(work: Callable[[], object], times: int) -> float:
    """The median of so many times; the first ones do not count."""
    taken = []
    for _ in range(times):
        before = process_time()
        work()
        taken.append(process_time() - before)
    return 1e3 * median(taken[UNCOUNTED:])


def _row(name: str, columns: int, rows: int) -> dict[str, Any]:
    scene, hierarchy, rest = fine_cloth(name, columns, rows)
    mesh, triangles = scene.mesh(), grid_triangles(columns, rows)
    coarse = hierarchy.levels[0]
    n = coarse.vertex_count
    fine = Cloth(mesh.rest_positions, triangles, np.flatnonzero(mesh.pins), scene.dt, make_solve=sparse_solve)
    level_0 = Cloth(rest[:n], coarse.triangles, np.flatnonzero(mesh.pins[hierarchy.order[:n]]), scene.dt)
    networks = {form: random_networks(hierarchy, rest, form) for form in FORMS}
    winds = motions_of(scene).wind
    ms = {
        "cg": _stepped(ConjugateGradients(scene, triangles).step, fine.rest, winds),
        "admm": _stepped(_admm(fine, scene), fine.rest, winds),
    }
    for form, run in networks.items():
        ms[form] = _stepped(_admm(level_0, scene), level_0.rest, winds, run)
        ms[f"{form} networks"] = processor_ms(partial(run, level_0.rest), FRAMES)
    others = iter(replace(scene.fabric, stretch=100.0 + k) for k in range(UNCOUNTED + ANOTHER))
    ms["another stiffness"] = processor_ms(lambda: level_0.system(next(others), False), UNCOUNTED + ANOTHER)
    return {"name": name, "masses": len(rest), "level_0": n, "ms": ms}


def _admm(cloth: Cloth, scene: ClothScene) -> Step:
    return lambda x, v, wind: cloth.step(x, v, scene.fabric, Load(wind, GRAVITY))


def _stepped(step: Step, x: Array, winds: Array, then: Callable[[Array], object] = lambda x: None) -> float:
    v, blowing = np.zeros_like(x), iter(winds)

    def frame() -> None:
        nonlocal x, v
        x, v = step(x, v, next(blowing))
        then(x)

    found = processor_ms(frame, len(winds))
    if not np.isfinite(x).all():
        raise ValueError("the cloth is nowhere")
    return found
