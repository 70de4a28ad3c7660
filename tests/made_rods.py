"""Strands and sections of rods, as tests ask for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from neural_physics.arrays import Doubles
from neural_physics.energies.rods.frames import Strands


def strands_of(vertex_counts: ArrayLike, closed: ArrayLike, first_vertex: int = 0) -> Strands:
    """Strands whose vertices follow one another, one strand after the other.

    vertex_counts (S,) int: vertices of each strand. closed (S,) bool: whether its last vertex has an edge
    to its first. first_vertex: the first strand's first.
    """
    counts, rings = np.asarray(vertex_counts, np.intp), np.asarray(closed, bool)
    edge_counts = np.where(rings, counts, counts - 1)
    strand = np.repeat(np.arange(len(counts)), edge_counts)
    first_edges = (np.cumsum(edge_counts) - edge_counts)[strand]
    starts = first_vertex + (np.cumsum(counts) - counts)[strand]
    numbers = np.arange(len(strand))
    places = numbers - first_edges
    edges = np.column_stack([starts + places, starts + (places + 1) % counts[strand]])
    followed = rings[strand] | (places + 1 < edge_counts[strand])
    following = first_edges + (places + 1) % edge_counts[strand]
    return Strands(edges, np.column_stack([numbers, following])[followed], places)


def elliptic_stiffness(
    young_modulus: ArrayLike, poisson_ratio: ArrayLike, a: ArrayLike, b: ArrayLike
) -> tuple[Doubles, Doubles]:
    """Stiffnesses of a rod with an elliptic cross-section, of radii a along m1 and b along m2, in metres.

    young_modulus in Pa; all of one shape or broadcast to one, (...).
    Returns E A (...), N, and (E I1, E I2, G J) (..., 3), N m^2. J = pi a^3 b^3 / (a^2 + b^2) is Saint-
    Venant's (Timoshenko and Goodier, "Theory of Elasticity", chapter 10): the polar moment for a circle only.
    """
    e, nu, a, b = np.broadcast_arrays(*(np.asarray(x, float) for x in (young_modulus, poisson_ratio, a, b)))
    shear_modulus = e / (2.0 * (1.0 + nu))
    torsion_constant = np.pi * a**3 * b**3 / (a**2 + b**2)
    bending = e * np.pi / 4.0 * np.stack([a**3 * b, a * b**3])
    return e * np.pi * a * b, np.stack([*bending, shear_modulus * torsion_constant], axis=-1)
