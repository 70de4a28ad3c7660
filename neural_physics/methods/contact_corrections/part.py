"""Some of the body's vertices, corrected: x = W Q + F r and its derivatives (Romero 2021, eqs. 1 and 4)."""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles, Indices
from .handles import Handles
from .pose import Pose


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

    def shape(self, pose: Pose) -> tuple[Doubles, Doubles]:
        """(S, d) m: equation 1; and F^T of each vertex, (S, d, d)."""
        blend = self._blend @ pose.q
        x, by_axis = blend[: self.count], blend[self.count :].reshape(self.count, -1, pose.q.shape[1])
        if len(pose.c):
            r = (self.basis @ pose.c).reshape(self.count, -1)
            for axis in range(r.shape[1]):
                x += r[:, axis, None] * by_axis[:, axis]
        return x, by_axis

    def positions(self, pose: Pose) -> Doubles:
        """(S, d) m: equation 1."""
        return self.shape(pose)[0]

    def jacobian(self, pose: Pose, slopes: Doubles, some: Indices | None = None) -> Doubles:
        """(S, d, d n): U + F dr/dq (equation 4) with slopes of c (m, d n), which may be of another pose.

        Of some of its vertices (S,) only, where they are given.
        """
        handles, basis = (self.handles, self.basis) if some is None else self._only(some)
        count, n, d = len(handles.weights), handles.free, handles.rest.shape[1]
        jacobian = np.zeros((count, d, n, d))
        for axis in range(d):
            jacobian[:, axis, :, axis] = handles.weights[:, :n]
        found = jacobian.reshape(count, d, d * n)
        if len(pose.c):
            local = (basis @ slopes).reshape(count, d, d * n)
            found += handles.deformation(pose.q) @ local
        return found

    def pulled(self, pose: Pose, forces: Doubles, by_axis: Doubles) -> Doubles:
        """(n, d): jacobian^T forces (S, d), without the Jacobian itself. by_axis: see `shape`."""
        found = self.pulled_handles(forces)
        if len(pose.c):
            turned = (by_axis * forces[:, None]).sum(2)
            found += pose.pulled(turned.ravel() @ self.basis)
        return found

    def pulled_handles(self, forces: Doubles, some: Indices | None = None) -> Doubles:
        """(n, d): U^T forces (S, d), on all of its vertices or on some."""
        weights = self.handles.weights if some is None else self.handles.weights[some]
        found: Doubles = weights[:, : self.handles.free].T @ forces
        return found

    def pulled_coefficients(self, q: Doubles, forces: Doubles, some: Indices) -> Doubles:
        """(m,): (F basis)^T forces (S, d) on some of its vertices (S,), with the handles at Q (h, d)."""
        handles, basis = self._only(some)
        found: Doubles = (forces[:, None] @ handles.deformation(q)).ravel() @ basis
        return found

    def _only(self, some: Indices) -> tuple[Handles, Doubles]:
        bases, axes = self.basis.shape[1], self.handles.rest.shape[1]
        basis = self.basis.reshape(self.count, axes, bases)[some].reshape(axes * len(some), bases)
        return self.handles.at(some), basis
