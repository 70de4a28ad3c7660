"""Shells and cloth as terms of the solver: the positions of vertices in q, and one xi for each edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Indices
from ...energies.shells import dihedral, hinge_bending, membrane, midedge_bending
from ...energies.shells.triangle_edges import TriangleEdges
from ...energies.solids.lame import plane_stress_lame_parameters


class MembraneTerm:
    """Stretching and shearing of every triangle: s = 9."""

    def __init__(
        self,
        triangles: NDArray[np.integer],
        rest_positions: Doubles,
        thickness: float | Doubles,
        young: float | Doubles,
        *,
        poisson: float | Doubles,
    ) -> None:
        """triangles (m, 3); rest_positions (V, 3), metres; thickness in metres, Young's modulus in Pa and
        Poisson's ratio, one or (m,). ValueError where a triangle has no area, or the material is not stable.
        """
        self._stencils = _coordinates(triangles)
        inverse_rest, areas = membrane.rest_shape(rest_positions[triangles])
        self._constants = (inverse_rest, thickness * areas, *plane_stress_lame_parameters(young, poisson))

    @property
    def stencils(self) -> Indices:
        """See `Term`."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """See `Term`."""
        energies: Doubles = membrane.value(self._corners(q), *self._constants)
        return energies

    def gradient(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return membrane.gradient(self._corners(q), *self._constants)

    def hessian(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return membrane.projected_hessian(self._corners(q), *self._constants)

    def _corners(self, q: Doubles) -> Doubles:
        return q[self._stencils].reshape(-1, 3, 3)


class HingeTerm:
    """Bending of every hinge between two triangles: s = 12, in the order of `TriangleEdges.hinges`."""

    def __init__(self, mesh: TriangleEdges, rest_positions: Doubles, plate: float | Doubles) -> None:
        """rest_positions (V, 3), metres, flat or curved; plate: the bending stiffness D in N m, one or (h,).

        ValueError where a hinge's triangles have no area.
        """
        self._stencils = _coordinates(mesh.hinges)
        at_rest = rest_positions[mesh.hinges]
        self._constants = (dihedral.angle(at_rest), hinge_bending.hinge_stiffness(at_rest, plate))

    @property
    def stencils(self) -> Indices:
        """See `Term`."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """See `Term`."""
        energies: Doubles = hinge_bending.value(self._hinges(q), *self._constants)
        return energies

    def gradient(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return hinge_bending.gradient(self._hinges(q), *self._constants)

    def hessian(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return hinge_bending.projected_hessian(self._hinges(q), *self._constants)

    def _hinges(self, q: Doubles) -> Doubles:
        return q[self._stencils].reshape(-1, 4, 3)


class MidedgeTerm:
    """Bending of every triangle by its mid-edge normals: s = 21, six vertices and the xi of three edges.

    Every xi is 0 at rest. None of them has a mass: they are where the energy is least.
    """

    def __init__(
        self,
        mesh: TriangleEdges,
        rest_positions: Doubles,
        plate: float | Doubles,
        poisson: float | Doubles,
        *,
        xi_places: Indices,
    ) -> None:
        """rest_positions (V, 3), metres, flat or curved; plate: the bending stiffness D in N m, and
        Poisson's ratio, one or (m,). xi_places (e,): where in q each edge's xi is.
        ValueError where a triangle has no area.
        """
        vertices = midedge_bending.stencil_vertices(mesh)
        self._stencils = np.concatenate([_coordinates(vertices), xi_places[mesh.sides]], 1)
        self._constants = (
            mesh.signs,
            (mesh.opposite >= 0).astype(np.float64),
            midedge_bending.dihedral_angles(rest_positions[vertices]),
            midedge_bending.angle_stiffness(rest_positions[mesh.triangles], plate, poisson),
        )

    @property
    def stencils(self) -> Indices:
        """See `Term`."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """See `Term`."""
        energies: Doubles = midedge_bending.value(*self._state(q), *self._constants)
        return energies

    def gradient(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return midedge_bending.gradient(*self._state(q), *self._constants)

    def hessian(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return midedge_bending.projected_hessian(*self._state(q), *self._constants)

    def _state(self, q: Doubles) -> tuple[Doubles, Doubles]:
        own = q[self._stencils]
        return own[:, :18].reshape(-1, 6, 3), own[:, 18:]


def _coordinates(vertices: NDArray[np.integer]) -> Indices:
    """(m, 3 k): the places of the coordinates of (m, k) vertices."""
    places: Indices = (3 * vertices.astype(np.intp)[:, :, None] + np.arange(3)).reshape(len(vertices), -1)
    return places
