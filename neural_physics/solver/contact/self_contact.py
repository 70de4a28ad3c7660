"""Contact of surfaces with themselves and each other: a barrier between vertices, edges and faces.

A thin layer over the IPC Toolkit (`ipctk`), which is needed for nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Doubles


class SelfContact:
    """The barrier potential of a set of surfaces (Li et al. 2020), weighted by area so that it converges.

    For solids their surface's triangles, for shells all of theirs, for rods edges only, in two dimensions
    the outline's edges; several bodies may be one set. Not a `Term`: which vertices interact changes with
    every position, and the toolkit sums them itself, so it has one value, one gradient and one sparse
    Hessian. Like a barrier with rigid colliders it asks that each straight line that positions are on was
    given to `largest_step` first: the pairs in reach are sought there, once for the whole line.
    """

    def __init__(
        self,
        rest_positions: Doubles,
        edges: NDArray[np.integer],
        triangles: NDArray[np.integer],
        stiffness: float,
        *,
        d_hat: float,
        thickness: float = 0.0,
    ) -> None:
        """rest_positions (V, d) m: of all vertices, as q has them; edges (E, 2), with all triangles' edges.

        triangles (T, 3), or (0, 3). stiffness in Pa: at half d_hat, flat sheets press each other with 4 to
        7 times this. d_hat: from where on contact is felt, m, beyond thickness. thickness, m: no two parts
        that are not neighbours come closer than this; a shell's own.

        At rest parts that share no vertex should be further apart than d_hat + thickness, or contact is felt
        at rest. ImportError where the toolkit is missing. ValueError where at rest parts pass through each
        other, or are closer than thickness.
        """
        self._ipctk = _import_ipctk()
        rest = np.asfortranarray(rest_positions, np.float64)
        self._shape = rest.shape
        self._mesh = self._ipctk.CollisionMesh.build_from_full_mesh(
            rest,
            np.asfortranarray(edges, np.int32).reshape(-1, 2, order="F"),
            np.asfortranarray(triangles, np.int32).reshape(-1, 3, order="F"),
        )
        self.d_hat, self.thickness = d_hat, thickness
        self._potential = self._ipctk.BarrierPotential(d_hat, stiffness, use_physical_barrier=True)
        # The toolkit's other detection is exact, but took minutes where this takes milliseconds.
        self._ccd = self._ipctk.AdditiveCCD()
        self._candidates = self._ipctk.Candidates()
        self._check(rest.ravel())

    def begin_step(self, q: Doubles) -> None:
        """Let a step begin at q: seek the pairs in reach there.

        ValueError where parts of the bodies pass through each other or are closer than thickness.
        """
        self._check(q)
        self._candidates.build(self._mesh, self._surface(self._positions(q)), self._reach)

    def largest_step(self, q: Doubles, direction: Doubles) -> float:
        """The largest t, of [0, 1], so that nothing passes through anything from q to q + t * direction.

        Nor comes closer than thickness. Conservative (Li et al. 2021, additive CCD): a tenth of each
        distance is kept. q and direction (n,).
        """
        before, after = (self._surface(self._positions(x)) for x in (q, q + direction))
        self._candidates.build(self._mesh, before, after, self._reach)
        step: float = self._candidates.compute_collision_free_stepsize(
            self._mesh, before, after, self.thickness, self._ccd
        )
        return step

    def value(self, q: Doubles) -> float:
        """J. Infinite where parts touch."""
        surface = self._surface(self._positions(q))
        energy: float = self._potential(self._collisions(surface), self._mesh, surface)
        return energy if np.isfinite(energy) else np.inf

    def gradient(self, q: Doubles) -> Doubles:
        """(n,)."""
        surface = self._surface(self._positions(q))
        gradient = self._potential.gradient(self._collisions(surface), self._mesh, surface)
        full = np.zeros(len(q))
        full[: self._shape[0] * self._shape[1]] = self._mesh.to_full_dof(gradient)
        return full

    def sparse_hessian(self, q: Doubles) -> sparse.csc_matrix:
        """(n, n), the sum of the pairs' Hessians, each projected to be positive semi-definite."""
        surface = self._surface(self._positions(q))
        hessian = self._potential.hessian(
            self._collisions(surface), self._mesh, surface, self._ipctk.PSDProjectionMethod.CLAMP
        )
        full = sparse.csc_matrix(self._mesh.to_full_dof(hessian))
        full.resize((len(q), len(q)))
        return full

    def intersects(self, q: Doubles) -> bool:
        """Whether parts of the bodies pass through each other at q."""
        found: bool = self._ipctk.has_intersections(self._mesh, self._surface(self._positions(q)))
        return found

    @property
    def _reach(self) -> float:
        """The margin by which the toolkit inflates the boxes of both parts of a pair."""
        return 0.5 * (self.d_hat + self.thickness)

    def _positions(self, q: Doubles) -> Doubles:
        return np.asfortranarray(q[: self._shape[0] * self._shape[1]].reshape(self._shape))

    def _surface(self, positions: Doubles) -> Doubles:
        surface: Doubles = self._mesh.vertices(positions)
        return surface

    def _collisions(self, surface: Doubles) -> Any:  # noqa: ANN401 (a type of the toolkit's)
        """The pairs that are in reach at these positions, of those along the line."""
        collisions = self._ipctk.NormalCollisions()
        collisions.use_area_weighting = True
        # Each sheet of surface in reach counts once, however many triangles it has there.
        collisions.collision_set_type = self._ipctk.NormalCollisions.IMPROVED_MAX_APPROX
        collisions.build(self._candidates, self._mesh, surface, self.d_hat, self.thickness)
        return collisions

    def _check(self, q: Doubles) -> None:
        if self.intersects(q):
            raise ValueError("The body passes through itself or through another.")
        surface = self._surface(self._positions(q))
        collisions = self._ipctk.NormalCollisions()
        collisions.build(self._mesh, surface, self.d_hat, self.thickness)
        if self.thickness > 0.0 and not collisions.empty():
            nearest = np.sqrt(collisions.compute_minimum_distance(self._mesh, surface))
            if nearest <= self.thickness:
                raise ValueError("Parts of the body that are not neighbours are closer than its thickness.")


def _import_ipctk() -> Any:  # noqa: ANN401 (a module)
    try:
        import ipctk
    except ImportError as error:
        raise ImportError("Self-contact needs the package ipctk, which is not installed.") from error
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    return ipctk
