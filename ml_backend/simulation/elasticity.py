"""The elastic part of a body's system: its terms, and what its entries of q are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ml_backend.simulation.strands import strands_of_edges
from neural_physics.arrays import Doubles, Mask
from neural_physics.datasets.body import Body
from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.solver.masses import of_coordinates
from neural_physics.solver.terms.rods import RodBendTwistTerm, rod_terms
from neural_physics.solver.terms.shells import HingeTerm, MembraneTerm, MidedgeTerm
from neural_physics.solver.terms.solids import SolidEnergy, SolidTerm
from neural_physics.solver.terms.term import Term

ENERGIES: dict[str, SolidEnergy] = {
    "stable_neo_hookean": stable_neo_hookean,
    "stvk": stvk,
    "corotational": corotational,
}


@dataclass(frozen=True)
class ElasticParts:
    """q (n,): the body's B vertices as `Body.coordinates` has them, then the angle of each edge of rods, or
    the turn of each edge's normal.

    rest (n,). masses (n,): kg, of angles kg m^2. free (n,). reach (n,): see `System`. twisting: of rods, the
    term whose frames are part of the state.
    """

    terms: Sequence[Term]
    rest: Doubles
    masses: Doubles
    free: Mask
    reach: Doubles
    twisting: RodBendTwistTerm | None = None


def elastic_parts(body: Body) -> ElasticParts:
    """Raises ValueError for a shape at rest that has no energy, such as a strand that is folded back."""
    return {"solid": _solid, "shell": _shell, "rod": _rod}[body.settings.kind](body)


def _solid(body: Body) -> ElasticParts:
    mu, lam = body.moduli.T
    term = SolidTerm(body.rest, body.elements, ENERGIES[body.settings.elasticity], (mu, lam))
    return _parts(body, [term])


def _shell(body: Body) -> ElasticParts:
    """Bent at hinges, which takes a third of the time, or by mid-edge normals (docs/solver.md)."""
    settings, rest = body.settings, body.rest_positions
    terms: list[Term] = [
        MembraneTerm(body.elements, rest, settings.thickness, settings.young, poisson=settings.poisson)
    ]
    if settings.bending <= 0.0:
        return _parts(body, terms)
    mesh = triangle_edges(body.elements)
    if settings.bending_model == "hinges":
        return _parts(body, [*terms, HingeTerm(mesh, rest, settings.bending)])
    places = rest.size + np.arange(len(mesh.edges))
    bend = MidedgeTerm(mesh, rest, settings.bending, settings.poisson, xi_places=places)
    # Where all around an edge is held, its normal is too: else a clamp would be soft.
    turns = np.zeros(len(places), bool)
    turns[mesh.sides[~body.pinned[body.elements].all(axis=1)]] = True
    lengths = np.linalg.norm(np.diff(rest[mesh.edges], axis=1)[:, 0], axis=1)
    return _with_turns(_parts(body, [*terms, bend]), np.zeros(len(places)), turns, lengths)


def _rod(body: Body) -> ElasticParts:
    rest, radius = body.rest_positions, body.settings.radius
    strands = strands_of_edges(body.elements)
    lengths = np.linalg.norm(np.diff(rest[strands.edges], axis=1)[:, 0], axis=1)
    places = rest.size + np.arange(len(lengths))
    stretching, bending, twisting = body.moduli.T
    of_joints = np.stack([bending, bending, twisting], 1)[strands.joints].mean(axis=1)
    stretch, bend = rod_terms(
        strands, places, rest, np.zeros(len(lengths)), stretching=stretching, bending_and_twisting=of_joints
    )
    inertia = 0.5 * body.settings.density * np.pi * radius**4 * lengths
    # An edge with both ends held is clamped: it does not turn about itself either.
    turns = ~body.pinned[strands.edges].all(axis=1)
    return replace(_with_turns(_parts(body, [stretch, bend]), inertia, turns, lengths), twisting=bend)


def _with_turns(positions: ElasticParts, inertia: Doubles, free: Mask, lengths: Doubles) -> ElasticParts:
    """What q has for the vertices, and after it the turn of each edge: its inertia, kg m^2, and length, m."""
    return ElasticParts(
        positions.terms,
        np.concatenate([positions.rest, np.zeros(len(lengths))]),
        np.concatenate([positions.masses, inertia]),
        np.concatenate([positions.free, free]),
        reach=np.concatenate([positions.reach, 0.5 * lengths]),
    )


def _parts(body: Body, terms: Sequence[Term]) -> ElasticParts:
    """The parts of a body whose q has the vertices' coordinates and nothing else."""
    d = body.coordinates.dimension
    masses, free = of_coordinates(body.masses, d), np.repeat(~body.pinned, d)
    return ElasticParts(terms, body.rest.ravel(), masses, free, reach=np.ones(len(masses)))
