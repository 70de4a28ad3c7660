"""Contact of vertices with moving rigid colliders, by a barrier.

Li et al. 2020, "Incremental Potential Contact".

How a collider moves within a step. The bodies' new positions are the minimum of a potential in which the
colliders stand where they are at the step's end; but a minimisation that starts from the bodies' old
positions may find colliders inside or beyond them. So the colliders are advanced along their motion during
the minimisation: before each of its iterations they go as far as the vertices in their way let them,
and the barrier pushes these aside, as everything else is felt and nothing is crossed. What the step ends
with is the minimum with all colliders at the end of their motion, whichever way it was reached, so that
momentum and energy are those of implicit Euler. `carry` makes it quicker: a guess of where to, by which
vertices that are pressed, or in the way, go along with the collider.

    contact.begin_step(q, motions)
    lead = dt * velocity, or 0; 0 after the first iteration
    while not (converged and contact.progress == 1.0):
        guess = contact.carry(q, lead)
        t = min(contact.largest_advance(q, guess), what others allow)
        q += t * guess
        contact.advance(t)
        direction = Newton's, of the sum of all terms at q
        t = min(contact.largest_step(q, direction), what others allow)
        line search from q along t * direction

What this does not see: vertices touch, not the faces between them, so a collider finer than the body's
mesh pokes through its faces; and in a step in which a round collider goes further than its own size, what
is single and off its axis may be moved around it to where inertia has it rest.

A barrier and not a penalty: forces then hold whatever comes, at any speed and stiffness, without a number
to tune for each scene; and as the force is a smooth function of positions, what rests stays at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from ...energies.colliders.collider import Collider
from .continuous_detection import KnownDistances, free_times, travel
from .rigid_motion import RigidMotion

# Contacts that begin a step closer than this share of d_hat are made stiffer for it.
TOO_CLOSE = 0.01


@dataclass(frozen=True)
class RigidCollider:
    """A shape with its motion, and its name."""

    name: str
    shape: Collider


@dataclass(frozen=True)
class Contacts:
    """k pairs of a vertex and a collider that press on each other.

    stencils (k, d): which of q; colliders (k,): which collider; normals (k, d): unit, off the collider;
    forces (k,): N; displacements (k, d): how far the collider's material there moves in the step, in m.
    """

    stencils: Indices
    colliders: Indices
    normals: Doubles
    forces: Doubles
    displacements: Doubles


def barrier(gaps: Doubles, d_hat: float) -> tuple[Doubles, Doubles, Doubles]:
    """b(d) = -(d - d_hat)^2 ln(d / d_hat) (Li et al. 2020, equation 6) and two derivatives, each (k,).

    Zero from d_hat on, infinite for gaps of zero and less. b in m^2.
    """
    held = np.clip(gaps, 0.0, d_hat)
    with np.errstate(divide="ignore"):
        logs, over = np.log(held / d_hat), d_hat / held
    short = held - d_hat
    ratio = 1.0 - over  # (d - d_hat) / d
    value = np.where(held > 0.0, -short * short * logs, np.inf)
    first = np.where(held > 0.0, -2.0 * short * logs - short * ratio, -np.inf)
    second = np.where(held > 0.0, -2.0 * logs - 4.0 * ratio + ratio * ratio, np.inf)
    return value, first, second


class RigidContact:
    """A `Term` whose elements are the pairs of a vertex and a collider that come near each other in a step.

    Pairs are taken in by `begin_step`, `largest_step` and `largest_advance`: before value, gradient or
    hessian at positions, the straight line to them was given to one of these.
    """

    def __init__(
        self,
        colliders: Sequence[RigidCollider],
        vertices: Indices,
        stiffness: Doubles,
        d_hat: float,
        *,
        offsets: Doubles | float = 0.0,
        dimension: int = 3,
    ) -> None:
        """vertices (n,): those that move freely and may touch. stiffness (n,), N/m, positive.

        The barrier's energy is stiffness * b(d). A vertex's mass / dt^2 is a good stiffness: at half d_hat
        the contact then bears the weight that 1.2 d_hat / dt^2 of acceleration gives it (7 g for 1 mm and
        1/240 s), and the barrier is no stiffer than inertia. Where a step begins with less than a hundredth
        of d_hat between vertex and collider, the pair's stiffness doubles, until they have parted: it stays
        as it is while they rest, so that what rests is not moved by it.
        d_hat: from where on contact is felt, m. offsets (n,): half the thickness of the body there, m.
        dimension: of the vertices, where there is no collider to take it from.
        """
        self.colliders = list(colliders)
        self._dimension = self.colliders[0].shape.dimension if self.colliders else dimension
        self._dofs = np.asarray(vertices, np.intp)[:, None] * self._dimension + np.arange(self._dimension)
        count = len(self._dofs)
        self._stiffness = np.asarray(stiffness, np.float64)
        self._offsets = np.broadcast_to(np.asarray(offsets, np.float64), (count,))
        self.d_hat = d_hat
        self.factors = np.ones((len(self.colliders), count))
        """(C, n): how much stiffer than at first each pair has become; with them a saved state is resumed."""
        self._active = np.zeros((len(self.colliders), count), bool)
        self._known = [KnownDistances(collider.shape, count) for collider in self.colliders]
        self._motions: list[RigidMotion] = []
        self._cached: tuple[Doubles, float, tuple[Doubles, Doubles, Doubles]] | None = None
        self.progress = 1.0
        """The share of their motion of this step that the colliders have made."""

    def begin_step(self, q: Doubles, motions: Sequence[RigidMotion]) -> None:
        """Let a step begin at q, in which each collider makes its motion.

        ValueError, naming the collider and how many vertices, where vertices are in a collider.
        """
        positions = q[self._dofs]
        self._motions, self.progress, self._cached = list(motions), 0.0, None
        for index, (collider, motion) in enumerate(zip(self.colliders, self._motions, strict=True)):
            enough = self._offsets + self.d_hat
            own = motion.start.to_own(positions)
            gaps = self._known[index].at_least(own, enough) - self._offsets
            inside = np.count_nonzero(~(gaps > 0.0))
            if inside:
                raise ValueError(f"{collider.name} starts with {inside} of the body's vertices inside it.")
            self._active[index] = gaps < self.d_hat
            factors = np.where(gaps < TOO_CLOSE * self.d_hat, 2.0, 1.0)
            self.factors[index] = np.where(self._active[index], factors * self.factors[index], 1.0)

    def largest_step(self, q: Doubles, direction: Doubles) -> float:
        """The largest t, of (0, 1], so that q + s * direction is free of contact for all s up to t.

        The colliders stand where they are. No vertex gets nearer to any than a tenth of min(its distance,
        d_hat) now. q and direction (n,).
        """
        return self._largest(q, direction, self.progress)

    def largest_advance(self, q: Doubles, direction: Doubles) -> float:
        """`largest_step` while the colliders make the share t of the rest of their motion."""
        return self._largest(q, direction, 1.0)

    def advance(self, share: float) -> None:
        """Let the colliders make this share (0 to 1) of the rest of their motion."""
        self.progress = 1.0 if share >= 1.0 else self.progress + share * (1.0 - self.progress)

    def carry(self, q: Doubles, lead: Doubles) -> Doubles:
        """(n,), the lead (n,) changed where colliders are about to be in its way.

        Vertices that are pressed keep their distance from the collider, whichever way that moves, so that
        what presses starts the step as it ended the last one. Others that would be hit go half of the way to
        where they are, then along with the collider that is there first.
        """
        lead = lead.copy()
        if self.progress == 1.0:
            return lead
        pressed = self.contacts(q)
        slips = np.einsum("kd,kd->k", lead[pressed.stencils] - pressed.displacements, pressed.normals)
        lead[pressed.stencils] -= slips[:, None] * pressed.normals
        positions, leads = q[self._dofs], lead[self._dofs]
        first = np.ones(len(positions))
        for index, motion in enumerate(self._motions):
            near, times, _ = self._free_times(index, positions, leads, 1.0, limit=None)
            hit = times < first[near]
            rows = near[hit]
            first[rows] = times[hit]
            half = 0.5 * times[hit]
            own = motion.to_own(
                positions[rows] + half[:, None] * leads[rows],
                self.progress + half * (1.0 - self.progress),
            )
            lead[self._dofs[rows]] = motion.end.to_world(own) - positions[rows]
        return lead

    def contacts(self, q: Doubles) -> Contacts:
        """What presses on what at q, with forces, for friction."""
        gradients = self._evaluate(q)[1]
        forces = np.linalg.norm(gradients, axis=1)
        pressed = forces > 0.0
        colliders, rows = (indices[pressed] for indices in np.nonzero(self._active))
        displacements = np.zeros((len(rows), self._dimension))
        for index, motion in enumerate(self._motions):
            of = colliders == index
            displacements[of] = motion.displacements(q[self._dofs[rows[of]]])
        normals = -gradients[pressed] / forces[pressed, None]
        return Contacts(self._dofs[rows], colliders, normals, forces[pressed], displacements=displacements)

    @property
    def stencils(self) -> Indices:
        """(m, d), of the pairs taken in so far in this step."""
        return self._dofs[np.nonzero(self._active)[1]]

    def value(self, q: Doubles) -> Doubles:
        """(m,) J; infinite for vertices in a convex collider."""
        return self._evaluate(q)[0]

    def gradient(self, q: Doubles) -> Doubles:
        """(m, d)."""
        return self._evaluate(q)[1]

    def hessian(self, q: Doubles) -> Doubles:
        """(m, d, d), projected."""
        return self._evaluate(q)[2]

    def _largest(self, q: Doubles, direction: Doubles, end: float) -> float:
        positions, directions = q[self._dofs], direction[self._dofs]
        limit = 1.0
        seen = []
        for index in range(len(self.colliders)):
            near, times, distances = self._free_times(index, positions, directions, end, limit=limit)
            limit = min(limit, float(times.min(initial=limit)))
            seen.append((near, distances))
        for index, (near, distances) in enumerate(seen):
            shares = (self.progress, end)
            speed, growth = travel(self._motions[index], shares, positions[near], directions[near])
            reached = distances - limit * (speed + 0.5 * limit * growth) < self.d_hat
            self._active[index, near[reached]] = True
        self._cached = None
        return limit

    def _free_times(
        self, index: int, positions: Doubles, directions: Doubles, end: float, *, limit: float | None
    ) -> tuple[Indices, Doubles, Doubles]:
        """The vertices that may get within d_hat of a collider, their times and their distances."""
        motion, shares = self._motions[index], (self.progress, end)
        speed, growth = travel(motion, shares, positions, directions)
        own = motion.at(self.progress).to_own(positions)
        enough = speed + 0.5 * growth + self.d_hat + self._offsets
        bounds = self._known[index].at_least(own, enough)
        near = np.flatnonzero(bounds < enough)
        distances = bounds[near] - self._offsets[near]
        times = free_times(
            self.colliders[index].shape,
            motion,
            shares,
            positions[near],
            directions=directions[near],
            distances=distances,
            offsets=self._offsets[near],
            d_hat=self.d_hat,
            limit=limit,
        )
        return near, times, distances

    def _evaluate(self, q: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Values, gradients and projected Hessians: all three ask the same of the shapes."""
        if self._cached and self._cached[1] == self.progress and np.array_equal(self._cached[0], q):
            return self._cached[2]
        parts = [self._evaluate_collider(index, q) for index in range(len(self.colliders))]
        d = self._dimension
        parts.append((np.zeros(0), np.zeros((0, d)), np.zeros((0, d, d))))
        values, gradients, hessians = (np.concatenate(part) for part in zip(*parts, strict=True))
        self._cached = q.copy(), self.progress, (values, gradients, hessians)
        return values, gradients, hessians

    def _evaluate_collider(self, index: int, q: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        rows = np.flatnonzero(self._active[index])
        count, d = len(rows), self._dimension
        pose = self._motions[index].at(self.progress)
        offsets = self._offsets[rows]
        reach = self.d_hat + float(offsets.max(initial=0.0))
        pieces = self.colliders[index].shape.pieces(pose.to_own(q[self._dofs[rows]]), reach)
        of = pieces.points
        value, first, second = barrier(pieces.distances - offsets[of], self.d_hat)
        stiffness = self._stiffness[rows] * self.factors[index, rows]
        scales = pieces.weights * stiffness[of]
        crossed = np.zeros(count, bool)
        crossed[of[np.isinf(value)]] = True
        scales[crossed[of]] = 0.0
        value[crossed[of]] = first[crossed[of]] = second[crossed[of]] = 0.0
        values = np.where(crossed, np.inf, np.bincount(of, scales * value, count))
        gradients, hessians = np.zeros((count, d)), np.zeros((count, d, d))
        slopes = pieces.gradients
        np.add.at(gradients, of, (scales * first)[:, None] * slopes)
        blocks = (scales * second)[:, None, None] * slopes[:, :, None] * slopes[:, None, :]
        np.add.at(hessians, of, blocks + (scales * first)[:, None, None] * pieces.hessians)
        # Turned by eigenvectors or not, a block keeps its eigenvalues, so it is projected where it is made.
        eigenvalues, vectors = np.linalg.eigh(hessians)
        hessians = (vectors * np.maximum(eigenvalues, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
        return values, pose.directions_to_world(gradients), pose.hessians_to_world(hessians)
