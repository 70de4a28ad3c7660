"""What acts on a body from outside: colliders, other parts of itself, gravity and air."""

from __future__ import annotations

import sys

import numpy as np

from ml_backend.simulation.contact_points import shared_out
from ml_backend.simulation.motions import TrackedMotion
from neural_physics.arrays import Doubles, Indices
from neural_physics.datasets.body import Body
from neural_physics.energies.air import strand_forces, wind_forces
from neural_physics.errors import Problem
from neural_physics.solver.contact.embedded import Carrier, EmbeddedContact
from neural_physics.solver.contact.rigid import RigidContact
from neural_physics.solver.contact.self_contact import SelfContact
from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.system import Force, Surroundings

REACH = 1e-3  # of the body's diagonal: from where on contact is felt
# Of a vertex' mass / dt^2: at half the reach a contact then bears some ten times what falls in a step.
CONTACT_STIFFNESS = 10.0
LEAST_GAP = 0.25  # of the shortest edge: what neighbours keep from each other is no contact


def surface_of(body: Body) -> Indices:
    """The triangles (m, 3) that touch and that air presses on, of solids turned outwards; none of rods.

    Of flat solids the edges (m, 2) of their outline, which touch.
    """
    if body.settings.kind == "rod":
        return np.empty((0, 3), np.intp)
    return boundary(body.elements)[0] if body.settings.kind == "solid" else body.elements.astype(np.intp)


def make_contact(body: Body, motion: TrackedMotion, dt: float, carrier: Carrier | None) -> RigidContact:
    """Contact of the body's free outer vertices, or of the points it carries. dt: of a step, s."""
    if carrier is not None:
        stiffness = CONTACT_STIFFNESS * shared_out(body.masses, carrier) / dt**2
        points = np.arange(len(stiffness))
        return RigidContact(motion.colliders, points, stiffness, _reach(body), dimension=carrier.dimension)
    outer = np.unique(surface_of(body)) if body.settings.kind == "solid" else np.arange(body.vertex_count)
    free = outer[~body.pinned[outer]]
    stiffness = CONTACT_STIFFNESS * body.masses[free] / dt**2
    return RigidContact(motion.colliders, free, stiffness, _reach(body), offsets=half_thickness(body))


def make_surroundings(
    body: Body, motion: TrackedMotion, contact: RigidContact, carrier: Carrier | None
) -> Surroundings:
    """What touches a body in its takes: the colliders, how they move, and their friction."""
    frictions = np.full(len(motion.colliders), body.settings.friction)
    touching = contact if carrier is None else EmbeddedContact(contact, carrier)
    return Surroundings(touching, motion.motions, frictions)


def make_self_contact(body: Body, name: str, dt: float) -> SelfContact | None:
    """None where it is not asked for. Raises Problem("touches_itself" | "self_contact_missing")."""
    if not body.settings.self_contact:
        return None
    triangles = surface_of(body)
    pairs = body.elements if body.settings.kind == "rod" else triangles[:, [[0, 1], [1, 2], [2, 0]]]
    edges = np.unique(np.sort(pairs.reshape(-1, 2), axis=1), axis=0)
    lengths = np.linalg.norm(np.diff(body.rest_positions[edges], axis=1)[:, 0], axis=1)
    reach = min(_reach(body), LEAST_GAP * float(lengths.min()))
    # As contact with colliders is, for the mass that is above each piece of surface.
    area = _area(body, triangles) if len(triangles) else 2.0 * body.settings.radius * float(lengths.sum())
    stiffness = CONTACT_STIFFNESS * float(body.masses.sum()) / area * reach / dt**2
    try:
        return SelfContact(
            body.rest_positions,
            edges,
            triangles,
            stiffness,
            d_hat=reach,
            thickness=2.0 * half_thickness(body),
        )
    except ImportError as error:
        raise Problem("self_contact_missing", object=name, path=sys.executable) from error
    except ValueError as error:
        raise Problem("touches_itself", object=name) from error


def half_thickness(body: Body) -> float:
    """How far off its vertices the body is felt, m."""
    settings = body.settings
    return {"solid": 0.0, "shell": 0.5 * settings.thickness, "rod": settings.radius}[settings.kind]


def make_force(body: Body, motion: TrackedMotion, dt: float, air_density: float) -> Force:
    """Gravity, wind, and the drag of air that stands still; of flat solids gravity along their plane."""
    weight = (body.masses[:, None] * motion.coordinates.along(body.gravity)).ravel()
    if body.flat:  # air is of space: along an outline there is none
        return lambda q, velocity, time: weight
    if body.settings.kind == "rod":
        edges = body.elements.astype(np.intp)
        shares = body.masses / np.bincount(edges.ravel(), minlength=body.vertex_count)

        def of_air(x: Doubles, v: Doubles, wind: Doubles) -> Doubles:
            edge_masses = shares[edges].sum(1)
            return strand_forces(
                x,
                v,
                edges,
                edge_masses,
                radius=body.settings.radius,
                wind=wind,
                dt=dt,
                air_density=air_density,
            )
    else:
        triangles, closed = surface_of(body), body.settings.kind == "solid"
        # Of the inner vertices of a solid, which no triangle has, the share is not used.
        shares = body.masses / np.maximum(np.bincount(triangles.ravel(), minlength=body.vertex_count), 1)

        def of_air(x: Doubles, v: Doubles, wind: Doubles) -> Doubles:
            masses = shares[triangles].sum(1)
            return wind_forces(
                x, v, triangles, masses, wind=wind, dt=dt, air_density=air_density, closed=closed
            )

    def force(q: Doubles, velocity: Doubles, time: float) -> Doubles:
        total = np.zeros_like(q)
        x, v = (values[: weight.size].reshape(-1, 3) for values in (q, velocity))
        total[: weight.size] = weight + of_air(x, v, motion.wind(time)).ravel()
        return total

    return force


def _reach(body: Body) -> float:
    return REACH * float(np.linalg.norm(np.ptp(body.rest_positions, axis=0)))


def _area(body: Body, triangles: Indices) -> float:
    sides = body.rest_positions[triangles[:, 1:]] - body.rest_positions[triangles[:, :1]]
    return 0.5 * float(np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum())
