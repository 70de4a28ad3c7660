"""Rayleigh's damping of the stiffness, as the solver has it: a quadratic form of how far a step moves."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.strands import strands_of_edges
from neural_physics.datasets.body import Body
from neural_physics.energies.rods.frames import adapted_frames


class Dissipation:
    """D = damping / (2 dt) d.K d of d = x_t - x_{t-1}, K the stiffness that the solver has at x_{t-1}.

    K is made by the solver's own terms, one shape after the other: damped bodies take longer to learn. Of
    rods it is K at held twist angles.
    """

    def __init__(self, body: Body, dt: float) -> None:
        """dt: of a step, s."""
        self._parts, self._rest = elastic_parts(body), body.rest_positions
        self._strands = strands_of_edges(body.elements) if body.settings.kind == "rod" else None
        self._factor = 0.5 * body.settings.damping / dt
        self._stencils = [torch.from_numpy(term.stencils) for term in self._parts.terms]

    def __call__(self, moved: Tensor, before: Tensor) -> Tensor:
        """(n,) J; moved, before (n, B, 3): d, that of the pinned included, and x_{t-1}, m."""
        n = len(moved)
        angles = moved.new_zeros(n, len(self._parts.rest) - self._rest.size)
        d = torch.cat([moved.reshape(n, -1), angles], 1)
        total = moved.new_zeros(n)
        for stiffness, stencils in zip(self._stiffness(before), self._stencils, strict=True):
            local = d[:, stencils.to(d.device)]
            total = total + torch.einsum("nmi,nmij,nmj->n", local, stiffness.to(d), local)
        return self._factor * total

    def _stiffness(self, before: Tensor) -> list[Tensor]:
        """(n, m, s, s) of each term, N/m."""
        q = self._parts.rest.copy()
        found: list[list[np.ndarray]] = [[] for _ in self._parts.terms]
        for shape in before.detach().cpu().double().numpy():
            q[: self._rest.size] = shape.ravel()
            if self._parts.twisting is not None and self._strands is not None:
                self._parts.twisting.frames = adapted_frames(shape, self._strands)[0]
            for term, of_term in zip(self._parts.terms, found, strict=True):
                of_term.append(term.hessian(q))
        return [torch.from_numpy(np.stack(of_term)) for of_term in found]
