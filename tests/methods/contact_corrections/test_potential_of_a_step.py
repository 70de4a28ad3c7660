"""What a step makes vanish is the gradient of one energy, of bodies made by chance: by finite differences."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from random_bodies import made

from neural_physics.methods.contact_corrections.dynamics import Motion
from neural_physics.methods.contact_corrections.equations import along

BODIES, DT, H = 30, 1.0 / 48.0, 1e-6


def potential(dynamics, motion, around, q):
    """J: of inertia and weight, of elements, of what damps them, and of contact, with the handles at q."""
    turned = dynamics.placement(np.concatenate([motion.q, around.frames]))
    shape = dynamics.part.positions(dynamics.pose(q, around, turned))
    x, cubature, surface = shape[dynamics.first :], dynamics.cubature, dynamics.surface
    aim = motion.x + DT * motion.v + DT**2 * dynamics.gravity
    energy = 0.5 * (cubature.masses[:, None] * (x - aim) ** 2).sum() / DT**2 + cubature.energies(x).sum()
    drag = dynamics.damping / DT * cubature.stiffness(motion.x, projected=True)
    moved = (x - motion.x)[cubature.elements]
    edges = (moved[:, 1:] - moved[:, :1]).swapaxes(1, 2) @ cubature.inverse_rest
    change = edges.reshape(len(edges), -1)
    energy += 0.5 * np.einsum("ka,kab,kb->", change, drag, change)
    _, short, _ = surface.pressed(shape[: dynamics.touching], around.placed)
    energy += 0.5 * surface.stiffness * (short**2).sum()
    of, itself = shape[dynamics.touching : dynamics.first], dynamics.self_contact
    pairs = {*combinations(range(len(itself.radii)), 2)} - {tuple(sorted(pair)) for pair in itself.neighbours}
    for a, b in pairs:
        overlap = max(itself.radii[a] + itself.radii[b] - np.linalg.norm(of[a] - of[b]), 0.0)
        energy += 0.5 * itself.stiffness * overlap**2
    return float(energy)


def test_what_vanishes_is_the_gradient_of_the_incremental_potential():
    """Else no step along it need lead anywhere: with equation 4 in place of 3, 29 of these bodies are off."""
    random, dents, off = np.random.default_rng(11), 0, []
    for _ in range(BODIES):
        dynamics, around, q = made(random, inside_out=0.0)
        at = dynamics.at(q, around)
        v = np.random.default_rng(5).normal(size=at.x.shape)
        motion = Motion(at.q, at.x, v, np.zeros_like(at.q))
        residual = dynamics._equations.step(dynamics, motion, DT, around).residual(q)
        flat = q.ravel()
        slopes = [
            (
                potential(dynamics, motion, around, (flat + s).reshape(q.shape))
                - potential(dynamics, motion, around, (flat - s).reshape(q.shape))
            )
            / (2.0 * H)
            for s in H * np.eye(flat.size)
        ]
        expected = along(np.array(slopes), residual.directions)
        dents += len(residual.pose.dents) > 0
        off.append(np.abs(residual.value - expected).max(initial=0.0) / np.abs(expected).max(initial=1.0))
    assert dents > 5
    assert max(off) < 1e-5, off
