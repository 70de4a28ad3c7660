"""Strands that give a little: as stiff along themselves as a few latents can follow, and no stiffer.

What hardly stretches moves on curved paths, and in a space of a few shapes there are no such paths, but for
those that training data went through: the potential holds every other motion back (it locks). So strands
are learned from as if they gave by some percent under their own weight; they bend as they do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ml_backend.simulation.strands import strands_of_edges
from neural_physics.datasets.body import Body

GRAVITY = 9.81  # m/s^2, also where a scene has none or another: it measures stiffness only


def softened(body: Body, give: float) -> Body:
    """The body, its E A, N, no more than what makes every strand stretch by `give` if it hung at one end.

    give: a share of its length; 0, and whatever is no rod, leaves the body as it is.
    """
    if body.settings.kind != "rod" or give == 0.0:
        return body
    stiffest = _weights(body) / give
    moduli = body.moduli.copy()
    moduli[:, 0] = np.minimum(moduli[:, 0], stiffest)
    return replace(body, moduli=moduli)


def _weights(body: Body) -> np.ndarray:
    """(m,) N: that of the whole strand each edge belongs to."""
    strands = strands_of_edges(body.elements)
    number = np.cumsum(strands.places == 0) - 1
    lengths = np.linalg.norm(np.diff(body.rest_positions[strands.edges], axis=1)[:, 0], axis=1)
    # Each vertex's mass goes to its edges, by their lengths: a ring's first vertex has two of its strand.
    shares = np.zeros(body.vertex_count)
    np.add.at(shares, strands.edges.ravel(), np.repeat(lengths, 2))
    masses = (body.masses[strands.edges] * (lengths[:, None] / shares[strands.edges])).sum(1)
    weights: np.ndarray = GRAVITY * np.bincount(number, masses)[number]
    return weights
