"""Soft blocks with handles, without corrections: what Play steps, made by hand."""

from __future__ import annotations

import numpy as np
from bake_requests import cuboid, jelly, request

from ml_backend.methods.contact_corrections.handle_fitting import fit_handles, pin_groups, spread_points
from ml_backend.simulation.bodies import make_body
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.methods.contact_corrections.contact import Contact, Placed
from neural_physics.methods.contact_corrections.corrections import Corrections, Surface
from neural_physics.methods.contact_corrections.cubature import ENERGIES, Cubature
from neural_physics.methods.contact_corrections.dynamics import Dynamics


def block(low=(-0.3, -0.2, 0.0), high=(0.3, 0.2, 0.3), pins=(), **settings):
    """A solid of about 150 tetrahedra."""
    return make_body(request(jelly(**settings), cuboid(low, high), pins=pins))


def handles_of(body, points):
    groups = pin_groups(body.elements, body.pinned)
    chosen = spread_points(body.rest_positions, points, body.pinned)
    return fit_handles(body.rest_positions, body.elements, chosen, groups)


def whole(body):
    """Every tetrahedron, with weight 1."""
    inverse, volumes = rest_shapes(body.rest_positions[body.elements])
    energy = ENERGIES[body.settings.elasticity]
    elements = body.elements.astype(np.intp)
    return Cubature(elements, inverse, volumes, body.moduli, masses=body.masses, energy=energy)


def surface_of(body, shapes=(), stiffness=1e4, reach=1e-3):
    vertices = np.arange(body.vertex_count)
    corners, weights = np.repeat(vertices[:, None], 4, 1), np.tile([1.0, 0.0, 0.0, 0.0], (len(vertices), 1))
    return Surface(Contact(corners, weights, stiffness, reach, shapes=shapes), vertices)


def placed(*centres):
    """Colliders that are not turned."""
    return Placed(np.array(centres, float).reshape(-1, 3), np.tile(np.eye(3), (len(centres), 1, 1)))


def dynamics_of(body, handles, gravity=(0.0, 0.0, 0.0), shapes=(), tolerance=1e-10, iterations=30, **contact):
    surface = surface_of(body, shapes, **contact)
    corrections = Corrections(handles, None, None, surface, reference_depth=1.0, oriented=False)
    vertices = np.arange(body.vertex_count)
    damping = body.settings.damping
    return Dynamics(
        handles,
        corrections,
        whole(body),
        vertices,
        surface=surface,
        gravity=np.array(gravity, float),
        damping=damping,
        tolerance=tolerance,
        most_iterations=iterations,
    )
