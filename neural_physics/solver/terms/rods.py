"""Rods as terms of the solver: the positions of vertices in q, then one theta for each edge."""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles, Indices
from ...energies.rods.frames import ReferenceFrames, Strands, adapted_frames, transported_frames
from ...energies.rods.rods import bend_twist_energy, bend_twist_gradient, bend_twist_hessian, rod_strains
from ...energies.rods.stretching import stretching_energy, stretching_gradient, stretching_hessian

POSITIONS = [0, 1, 2, 4, 5, 6, 8, 9, 10]
THETAS = [3, 7]


def rod_terms(
    strands: Strands,
    theta_places: Indices,
    rest_positions: Doubles,
    rest_thetas: Doubles,
    *,
    stretching: Doubles | float,
    bending_and_twisting: Doubles,
    directions: Doubles | None = None,
) -> tuple[RodStretchTerm, RodBendTwistTerm]:
    """The terms of strands whose simulation starts at rest, in a shape that may be curved and twisted.

    theta_places (n,): where in q each edge's theta is. rest_positions (V, 3), metres; rest_thetas (n,),
    radians from frames as `adapted_frames` makes them with `directions`. stretching: E A (n,) or one, N.
    bending_and_twisting: E I1, E I2, G J, (m, 3) or (3,), N m^2.
    Raises ValueError where an edge has no length, a direction is along its edge or a joint is folded back.
    """
    frames, _ = adapted_frames(rest_positions, strands, directions)
    lengths = np.linalg.norm(np.diff(rest_positions[strands.edges], axis=1)[:, 0], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest_strains = rod_strains(rest_positions[strands.corners], rest_thetas[strands.joints], frames)
    if not np.isfinite(rest_strains).all():
        raise ValueError("a joint is folded back onto itself")
    voronoi_lengths = lengths[strands.joints].mean(axis=1)
    return (
        RodStretchTerm(strands, lengths, stretching),
        RodBendTwistTerm(
            strands,
            theta_places,
            frames,
            rest_strains,
            voronoi_lengths=voronoi_lengths,
            stiffness=bending_and_twisting,
        ),
    )


class RodStretchTerm:
    """Stretching of every edge: s = 6, of its two ends."""

    def __init__(self, strands: Strands, rest_lengths: Doubles, stiffness: Doubles | float) -> None:
        """rest_lengths (n,), metres; stiffness: E A (n,) or one, N."""
        self._stencils = _coordinates(strands.edges).reshape(-1, 6)
        self._constants = (rest_lengths, stiffness)

    @property
    def stencils(self) -> Indices:
        """See `Term`."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return stretching_energy(self._ends(q), *self._constants)

    def gradient(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return stretching_gradient(self._ends(q), *self._constants)

    def hessian(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return stretching_hessian(self._ends(q), *self._constants, projected=True)

    def exact_hessian(self, q: Doubles) -> Doubles:
        """See `WithExactHessian`."""
        return stretching_hessian(self._ends(q), *self._constants)

    def _ends(self, q: Doubles) -> Doubles:
        return q[self._stencils].reshape(-1, 2, 3)


class RodBendTwistTerm:
    """Bending and twisting at every joint: s = 11, x_{i-1}, theta^{i-1}, x_i, theta^i, x_{i+1}.

    The two are one term, as they share all that is costly, and what twisting lacks of being positive
    semi-definite bending often makes up for.

    The reference frames are part of the state: the time integrator calls `accept` with each state
    that a step ends with, and not in between, as within a step the energy has to be one function of q.
    Thetas go on as they are. A state's energy and torques are the same before and after; its forces are the
    same where torques vanish, as it is with other frames that thetas are held while positions move.
    `frames` may be read and set, to go back to an earlier state or to start from a stored one.
    A clamped end is two vertices and the theta between them whose places in q do not change.
    """

    def __init__(
        self,
        strands: Strands,
        theta_places: Indices,
        frames: ReferenceFrames,
        rest_strains: Doubles,
        *,
        voronoi_lengths: Doubles,
        stiffness: Doubles,
    ) -> None:
        """theta_places (n,): where in q each edge's theta is. frames: at the state of the start.

        rest_strains (m, 5): curvatures and twist at rest. voronoi_lengths (m,), metres.
        stiffness: E I1, E I2, G J, (m, 3) or (3,), N m^2.
        """
        x, theta = _coordinates(strands.corners), theta_places[strands.joints]
        self._stencils = np.concatenate([x[:, 0], theta[:, :1], x[:, 1], theta[:, 1:], x[:, 2]], axis=1)
        self._constants = (rest_strains, voronoi_lengths, stiffness)
        self.frames = frames

    @property
    def stencils(self) -> Indices:
        """See `Term`."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return bend_twist_energy(*self._state(q), self.frames, *self._constants)

    def gradient(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return bend_twist_gradient(*self._state(q), self.frames, *self._constants)

    def hessian(self, q: Doubles) -> Doubles:
        """See `Term`."""
        return bend_twist_hessian(*self._state(q), self.frames, *self._constants, projected=True)

    def exact_hessian(self, q: Doubles) -> Doubles:
        """See `WithExactHessian`. Where strands bend sharply, projected ones take ten times as many steps."""
        return bend_twist_hessian(*self._state(q), self.frames, *self._constants)

    def accept(self, q: Doubles) -> None:
        """Move the reference frames to q, which a step ended with; the energy at q stays as it is."""
        self.frames = transported_frames(self.frames, self._state(q)[0])

    def _state(self, q: Doubles) -> tuple[Doubles, Doubles]:
        """Positions (m, 3, 3) and thetas (m, 2)."""
        local = q[self._stencils]
        return local[:, POSITIONS].reshape(-1, 3, 3), local[:, THETAS]


def _coordinates(vertices: Indices) -> Indices:
    """Where in q the coordinates of vertices (...) are, (..., 3)."""
    return 3 * vertices[..., None] + np.arange(3)
