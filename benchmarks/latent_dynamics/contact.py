"""A ball pushed through a hanging sheet: what is in the ball, with and without contact in the potential."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.latent_dynamics.rollouts import Roller, course
from benchmarks.latent_dynamics.scenes import BALL_RADIUS, LATENT, baked, cloth_and_ball
from benchmarks.latent_dynamics.training import trained
from neural_physics.capsules.projection import Capsules, push_out
from neural_physics.datasets.takes import Take

MINUTES = 3  # of the processor, of each training
LATENTS = 24  # a sheet round a ball has more shapes than one that hangs
SECOND = 30  # frames
ROUNDING = 1e-6  # m: what is pushed out of a ball is on its surface but for that
ROWS: dict[str, list[str]] = {"with the contact term": [], "without it": ["contact=false"]}

Floats = NDArray[np.floating]


def judge() -> dict[str, Any]:
    """How far vertices are inside the ball in rollouts of an unseen take, and in the solver's own frames."""
    dataset = baked(cloth_and_ball(), LATENT)
    take = dataset.takes("test")[0]
    ball = np.asarray(take.interaction[:, 3:6])
    rows: list[dict[str, Any]] = [{"name": "the solver", **inside(np.asarray(take.positions), ball)}]
    for name, changes in ROWS.items():
        folder = f"cloth_and_ball_{name.replace(' ', '_')}"
        changes = [f"minutes={MINUTES}", f"latents={LATENTS}", "patience=1000", *changes]
        path, training = trained(folder, dataset.path, 0, changes)
        roller = Roller(path, dataset)
        shown = np.concatenate(list(roller.shapes(roller.coefficients(np.asarray(take.interaction)))))
        error = course(roller, take).error(slice(2, None))
        common = {"error": error, "steps": training["steps"]}
        rows.append({"name": name, **common, **inside(shown, ball)})
        rows.append({"name": f"{name}, pushed out", "error": None, **inside(_pushed_out(shown, ball), ball)})
        near, at = _from_the_truth(roller, take)
        rows.append({"name": f"{name}, a second from the truth", "error": None, **inside(near, ball[at])})
    return {"rows": rows, "frames": len(ball), "minutes": MINUTES, "latents": LATENTS, "radius": BALL_RADIUS}


def inside(shapes: Floats, ball: Floats) -> dict[str, float]:
    """What of shapes (T, V, 3) is in a ball at (T, 3), m: shares, and depths in mm."""
    depths = BALL_RADIUS - np.linalg.norm(shapes - ball[:, None], axis=2)
    within = depths > ROUNDING
    return {
        "share": float(within.mean()),
        "frames": float(within.any(1).mean()),
        "mean_mm": float(1e3 * depths[within].mean()) if within.any() else 0.0,
        "deepest_mm": float(1e3 * max(0.0, depths.max())),
    }


def _from_the_truth(roller: Roller, take: Take) -> tuple[Floats, NDArray[np.intp]]:
    """Shapes (n, V, 3) of rollouts of a second each, from the true shapes, and their frames (n,)."""
    x, y, found, at = take.positions, take.interaction, [], []
    for first in range(2, len(y) - SECOND + 1, SECOND):
        state = roller.method.state_from(x[first - 1], x[first - 2], y[first - 1], y[first - 2])
        for t in range(first, first + SECOND):
            state = roller.method.step(state, y[t])
            found.append(roller.method.positions(state, y[t]).copy())
            at.append(t)
    return np.array(found), np.array(at)


def _pushed_out(shapes: Floats, ball: Floats) -> Floats:
    """The shapes pushed out of the ball as Play pushes vertices out of capsules."""
    radius, found = np.array([BALL_RADIUS]), []
    for shape, centre in zip(shapes, ball, strict=True):
        capsule = Capsules(centre[None], centre[None], radius, radius)
        found.append(push_out(shape.astype(np.float32), capsule, 2.0 * BALL_RADIUS).positions)
    return np.array(found)
