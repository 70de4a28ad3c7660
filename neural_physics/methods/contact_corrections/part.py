"""Some of the body's vertices, corrected: x = W Q + F r and its derivatives (Romero 2021, eqs. 1 and 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Doubles, Indices
from .handles import Handles
from .pose import Pose


class Shape(NamedTuple):
    """x (S, d) m: where vertices are. by_axis (S, d, d): F^T of each. r (S, d) m: their corrections."""

    x: Doubles
    by_axis: Doubles
    r: Doubles


class Part:
    """Some of the body's vertices, corrected."""

    def __init__(self, handles: Handles, basis: Doubles, vertices: Indices) -> None:
        self.handles = handles.at(vertices)
        self.count, d = len(vertices), handles.rest.shape[1]
        self.basis = np.ascontiguousarray(basis[:, vertices].reshape(len(basis), d * self.count).T)
        # The blend and its derivatives are one product.
        self._blend = np.concatenate(
            [self.handles.weights, self.handles.gradients.reshape(d * self.count, -1)]
        )

    def shape(self, pose: Pose) -> Shape:
        """Equation 1."""
        blend = self._blend @ pose.q
        x, by_axis = blend[: self.count], blend[self.count :].reshape(self.count, -1, pose.q.shape[1])
        r = (self.basis @ pose.c).reshape(x.shape)
        if len(pose.c):
            for axis in range(r.shape[1]):
                x += r[:, axis, None] * by_axis[:, axis]
        return Shape(x, by_axis, r)

    def positions(self, pose: Pose) -> Doubles:
        """(S, d) m: equation 1."""
        return self.shape(pose).x

    def jacobian(self, pose: Pose, slopes: Doubles, some: Indices | None = None) -> Doubles:
        """(S, d, d n): equation 3 with slopes of c (m, d n), which may be of another pose.

        Of some of its vertices (S,) only, where they are given.
        """
        handles, basis = (self.handles, self.basis) if some is None else self._only(some)
        count, n, d = len(handles.weights), handles.free, handles.rest.shape[1]
        jacobian = np.zeros((count, d, n, d))
        carried = moving_along(handles, (basis @ pose.c).reshape(count, d))
        for axis in range(d):
            jacobian[:, axis, :, axis] = carried
        found = jacobian.reshape(count, d, d * n)
        if len(pose.c):
            local = (basis @ slopes).reshape(count, d, d * n)
            found += handles.deformation(pose.q) @ local
        return found

    def pulled(self, pose: Pose, forces: Doubles, shape: Shape) -> Doubles:
        """(n, d): jacobian^T forces (S, d), without the Jacobian itself."""
        found: Doubles = moving_along(self.handles, shape.r).T @ forces
        if len(pose.c):
            turned = (shape.by_axis * forces[:, None]).sum(2)
            found += pose.pulled(turned.ravel() @ self.basis)
        return found

    def pulled_at(self, some: Indices, forces: Doubles, q: Doubles, c: Doubles) -> tuple[Doubles, Doubles]:
        """(n, d) and (m,): forces (S, d) on some of its vertices (S,) by the free rows, and by c (m,).

        With the handles at Q (h, d).
        """
        handles, basis = self._only(some)
        by_q = moving_along(handles, (basis @ c).reshape(forces.shape)).T @ forces
        return by_q, (forces[:, None] @ handles.deformation(q)).ravel() @ basis

    def _only(self, some: Indices) -> tuple[Handles, Doubles]:
        bases, axes = self.basis.shape[1], self.handles.rest.shape[1]
        basis = self.basis.reshape(self.count, axes, bases)[some].reshape(axes * len(some), bases)
        return self.handles.at(some), basis


def moving_along(handles: Handles, r: Doubles) -> Doubles:
    """(S, n): by how much vertices go along with each free row where corrections r (S, d) stay.

    U + (dF/dq) r of equation 3: what is the same for all coordinates.
    """
    n = handles.free
    found: Doubles = handles.weights[:, :n] + np.einsum("sdn,sd->sn", handles.gradients[:, :, :n], r)
    return found
