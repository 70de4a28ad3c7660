"""Bodies that touch each other, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from meshes import block
from test_contact_in_steps import DT, UPRIGHT, still, surroundings

from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.solids import stable_neo_hookean
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.system import State, System, gravity
from neural_physics.solver.terms.solids import SolidTerm

pytest.importorskip("ipctk")
from neural_physics.solver.contact.self_contact import SelfContact


def edges_of(triangles):
    pairs = np.sort(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
    )
    return np.unique(pairs, axis=0)


def test_a_soft_block_falls_onto_another_and_both_come_to_rest():
    below, tetrahedra = block((3, 3, 2), (0.3, 0.3, 0.2))
    above = below + np.array([0.0, 0.0, 0.25])
    vertices = np.concatenate([below + [0.0, 0.0, 0.003], above])  # noqa: RUF005 (numbers are added)
    elements = np.concatenate([tetrahedra, tetrahedra + len(below)])
    term = SolidTerm(vertices, elements, stable_neo_hookean, lame_parameters(5e4, 0.4))
    masses = of_coordinates(lumped(len(vertices), elements, 1000.0 * rest_shapes(vertices[elements])[1]))
    free = np.ones(len(masses), bool)
    triangles, _ = boundary(elements)
    contact = SelfContact(vertices, edges_of(triangles), triangles, 1e5, d_hat=0.004)
    ground = surroundings(masses, free, [("Ground", HalfSpace(3))], still(UPRIGHT), frictions=0.5)
    system = System(
        masses,
        [term],
        free,
        ground,
        self_contact=contact,
        force=gravity(masses, (0, 0, -9.81)),
        mass_damping=2.0,
        stiffness_damping=0.01,
    )
    solver, state, kinetic = ImplicitEuler(system, 1e-5), State(vertices.ravel(), np.zeros(len(masses))), []
    for _ in range(150):
        state = solver.step(state, DT)
        assert state.converged
        assert not contact.intersects(state.q)
        kinetic.append(0.5 * masses @ state.velocity**2)
    assert max(kinetic) > 4.0  # 18 kg have fallen 5 cm
    assert max(kinetic[-20:]) < 1e-3
    bottom = state.q.reshape(-1, 3)[len(below) :, 2].min()
    assert 0.1 < bottom < 0.21  # it lies on the other, not beside it


def test_a_body_that_begins_inside_another_is_refused():
    vertices, tetrahedra = block((2, 2, 2), (0.2, 0.2, 0.2))
    both = np.concatenate([vertices, vertices + 0.05])
    triangles, _ = boundary(np.concatenate([tetrahedra, tetrahedra + len(vertices)]))
    with pytest.raises(ValueError, match="passes through"):
        SelfContact(both, edges_of(triangles), triangles, 1e5, d_hat=0.004)
