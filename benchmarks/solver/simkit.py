"""The bundled solver beside simkit, of the same block: `pip install simkit`, then the part `solver`.

Both make the same steps of implicit Euler of a block of Stable Neo-Hookean tetrahedra that is thrown with a
spin, without contact and damping, which simkit has no term for: each from the same state, to the minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from neural_physics.energies.solids import stable_neo_hookean
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.masses import of_coordinates
from neural_physics.solver.system import State, System
from neural_physics.solver.terms.solids import SolidTerm

STEPS, DT = 9, 1 / 60
SPIN, SQUEEZE = 3.0, 0.9  # rad/s about the vertical; of the height, to start with
MOST_ITERATIONS = 50

Array = np.ndarray


def judge(
    vertices: Array, tetrahedra: Array, masses: Array, lame: tuple[float, float], *, tolerance: float
) -> dict[str, Any] | None:
    """Milliseconds of a step and of one of its Newton steps, medians; None where simkit is not installed.

    vertices (n, 3) m, masses (n,) kg, both Lame parameters in Pa; tolerance: of the last Newton step, m.
    """
    if find_spec("simkit") is None:
        return None
    weights = of_coordinates(masses)
    term = SolidTerm(vertices, tetrahedra, stable_neo_hookean, lame)
    ours = ImplicitEuler(System(weights, [term], np.ones(len(weights), bool)), tolerance)
    theirs = _simkit(vertices, tetrahedra, weights, lame[0], lam=lame[1], tolerance=tolerance)
    state = _thrown(vertices)
    ms: dict[str, list[float]] = {"ours": [], "simkit": []}
    iterations: dict[str, list[int]] = {"ours": [], "simkit": []}
    apart = 0.0
    for _ in range(STEPS):
        began = perf_counter()
        reached = ours.step(state, DT)
        between = perf_counter()
        q, count = theirs(state)
        ended = perf_counter()
        ms["ours"].append(1e3 * (between - began))
        ms["simkit"].append(1e3 * (ended - between))
        iterations["ours"].append(reached.iterations)
        iterations["simkit"].append(count)
        apart = max(apart, float(np.abs(q - reached.q).max()))
        state = reached
    return {
        "steps": STEPS,
        "ms": {name: median(found) for name, found in ms.items()},
        "iterations": {name: median(found) for name, found in iterations.items()},
        "iteration_ms": {name: sum(ms[name]) / sum(iterations[name]) for name in ms},
        "apart_m": apart,
    }


def _thrown(vertices: Array) -> State:
    middle = vertices.mean(0)
    squeezed = middle + (vertices - middle) * (1.0, 1.0, SQUEEZE)
    return State(squeezed.ravel(), np.cross((0.0, 0.0, SPIN), squeezed - middle).ravel())


def _simkit(
    vertices: Array, tetrahedra: Array, weights: Array, mu: float, *, lam: float, tolerance: float
) -> Callable[[State], tuple[Array, int]]:
    """Its step: where it ends, and how many Newton steps it took."""
    import scipy.sparse
    import simkit
    from simkit.energies import stable_neo_hookean as energy
    from simkit.integrators import backward_euler

    operator, volumes = simkit.deformation_jacobian(vertices, tetrahedra), simkit.volume(vertices, tetrahedra)
    # The paper's parameters, which ours are turned into, too (see `solids.stable_neo_hookean`).
    shear = np.full((len(tetrahedra), 1), 4.0 / 3.0 * mu)
    bulk = np.full((len(tetrahedra), 1), lam + 5.0 / 6.0 * mu)
    material = operator, shear, bulk, volumes.reshape(-1, 1)
    mass = scipy.sparse.diags(weights).tocsc()

    def step(state: State) -> tuple[Array, int]:
        x, found = backward_euler(
            state.q[:, None],
            (state.q - DT * state.velocity)[:, None],
            lambda x: energy.stable_neo_hookean_energy_x(x.reshape(-1, 3), *material),
            lambda x: energy.stable_neo_hookean_gradient_x(x.reshape(-1, 3), *material),
            lambda x: energy.stable_neo_hookean_hessian_x(x.reshape(-1, 3), *material),
            mass,
            DT,
            # It judges the norm over all coordinates: as strict for their root mean square as ours for each.
            tolerance=tolerance * np.sqrt(len(weights)),
            max_iter=MOST_ITERATIONS,
            return_info=True,
        )
        return x.ravel(), found["iters"] + 1

    return step
