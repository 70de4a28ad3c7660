"""Implicit Euler in the handles' coordinates (Romero 2021, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ...arrays import Doubles, Indices
from ..clipping import FURTHEST, within_reach
from .corrections import Corrections, Surface
from .cubature import Cubature
from .equations import Jacobian, Residual, Step, along, positive_definite
from .free_rows import FreeRows
from .handles import Handles
from .part import Part
from .pose import Pose
from .pressed import Pressed
from .self_contact import SelfContact
from .surroundings import Surroundings

MOST_HALVINGS = 6
KEPT = 0.04  # of the squared residual: while a move leaves less, the Hessian that it was made with will do
LAGGED = 0.2  # and so will the Jacobian
RIDGE = 1e-10  # of a Hessian that is singular, as a share of its largest number
TINY = 1e-30
LESS = 1e-4  # by how much the energy must fall, as a share of what the step promises
ROUNDING = 1e-12  # of the energy: what is nothing beside it


@dataclass(frozen=True)
class Motion:
    """q, u (n, d): the free handles, m and m/s; x, v (S, d): the cubature's vertices, m and m/s.

    residual: the residual of equation 6 after the step to it, over what there was at first. outside,
    too_deep: see `Pose`. settled: whether the step was solved to the tolerance.
    """

    q: Doubles
    x: Doubles
    v: Doubles
    u: Doubles
    residual: float = 0.0
    outside: float = 0.0
    too_deep: int = 0
    settled: bool = True


class Equations(Protocol):
    """What is solved in steps, and how that is calculated."""

    def pose(self, of: Dynamics, q: Doubles, around: Surroundings, turned: Doubles | None) -> Pose:
        """See `Dynamics.pose`."""

    def placement(self, of: Dynamics, q: Doubles) -> Doubles:
        """(d, d): the rotation of the handles' anchor at Q (h, d)."""

    def step(self, of: Dynamics, motion: Motion, dt: float, around: Surroundings) -> Step:
        """The equations of one step."""


class PlainEquations:
    """By NumPy: the reference."""

    def pose(self, of: Dynamics, q: Doubles, around: Surroundings, turned: Doubles | None) -> Pose:
        """See `Dynamics.pose`."""
        rows = np.concatenate([q, around.frames])
        return of.corrections.pose(rows, around.placed, around.sizes, turned)

    def placement(self, of: Dynamics, q: Doubles) -> Doubles:
        """See `Equations`."""
        return of.handles.placement(q)[0]

    def step(self, of: Dynamics, motion: Motion, dt: float, around: Surroundings) -> Step:
        """The equations of one step."""
        return PlainStep(of, motion, dt, around)


class Dynamics:
    """Steps q. gravity (d,) m/s^2; damping: Rayleigh's, of the stiffness, s; tolerance: m."""

    def __init__(
        self,
        handles: Handles,
        corrections: Corrections,
        cubature: Cubature,
        vertices: Indices,
        *,
        surface: Surface,
        gravity: Doubles,
        damping: float,
        tolerance: float,
        most_iterations: int,
        self_contact: SelfContact | None = None,
        equations: Equations | None = None,
    ) -> None:
        """self_contact: None for a body that goes through itself. equations: of a step; None for NumPy's."""
        self.corrections = corrections
        self.handles, self.rows, self.cubature = handles, FreeRows.of(handles), cubature
        self.surface, self.touching = surface.contact, len(surface.vertices)
        self.self_contact = self_contact or SelfContact.none(handles.rest.shape[1])
        self.first = self.touching + len(self.self_contact.radii)
        centres = len(handles.weights) + np.arange(len(self.self_contact.radii))
        # The surface's vertices first, then the centres of balls, then the cubature's: one product has all.
        chosen = np.concatenate([surface.vertices, centres, vertices])
        self.part = Part(*self.self_contact.joined(handles, corrections.basis), chosen)
        self.carried = np.arange(self.first, self.part.count)
        self.gravity, self.damping = gravity, damping
        self._tolerance, self._most = tolerance, most_iterations
        self._equations: Equations = equations or PlainEquations()

    def at(self, q: Doubles, around: Surroundings) -> Motion:
        """The body at rest with its free handles at q (n, d), except for those that are held."""
        q = self.rows.holding(self.rows.rigid(q), around.held, around.places)
        pose = self.pose(q, around)
        x = self.part.positions(pose)[self.first :]
        if not within_reach(q, x):
            q, x = (np.clip(np.nan_to_num(each), -FURTHEST, FURTHEST) for each in (q, x))
        still = np.zeros_like(x), np.zeros_like(q)
        return Motion(q, x, *still, outside=pose.outside, too_deep=pose.too_deep)

    def pose(self, q: Doubles, around: Surroundings, turned: Doubles | None = None) -> Pose:
        """See `Corrections.pose`."""
        return self._equations.pose(self, q, around, turned)

    def placement(self, q: Doubles) -> Doubles:
        """(d, d): the rotation of the handles' anchor at Q (h, d)."""
        return self._equations.placement(self, q)

    def step(self, motion: Motion, dt: float, around: Surroundings) -> Motion:
        """Where equation 6 holds dt seconds later, or the nearest to it that was found.

        Held handles are where they are put; the equation is that of all others. A step that leads out of
        reach, which those of no trained model do, is not taken: the body then stands still.
        """
        step = self._equations.step(self, motion, dt, around)
        # As it went on before, it is nearer to where it will be than where it is.
        q = self.rows.holding(self.rows.rigid(motion.q + dt * motion.u), around.held, around.places)
        now = step.residual(q)
        first, left, settled = 0.0, 0.0, not len(now.value)
        jacobian: Jacobian | None = None
        inverse: Doubles | None = None
        move = np.zeros_like(now.value)
        for iteration in range(self._most if len(now.value) and within_reach(q, now.x) else 0):
            fresh = jacobian is None
            if inverse is None:
                jacobian = jacobian or step.jacobian(now)
                inverse = _inverse(step.hessian(now, jacobian))
                move = -(inverse @ now.value)
            if not within_reach(move):  # there is no slope that leads on
                break
            left = float(-now.value @ move)
            first = left if iteration == 0 else first
            share = 1.0
            for _ in range(MOST_HALVINGS):
                tried = step.residual(step.moved(q, share * move))
                ahead = -(inverse @ tried.value)
                found = float(-tried.value @ ahead)
                if tried.energy <= now.energy - LESS * share * left + ROUNDING * abs(now.energy):
                    break
                share *= 0.5
            else:
                if fresh:
                    settled = self._is_small(move)
                    break
                inverse = jacobian = None  # those that were kept lead nowhere from here
                continue
            q, now = tried.q, tried
            fallen, left = found / left if left > 0.0 else 0.0, found
            # How far the next move would lead is known by now.
            settled = self._is_small(move) or self._is_small(ahead)
            if settled:
                break
            move = ahead
            if fallen > KEPT:
                inverse = None
            if fallen > LAGGED:
                jacobian = None
        x, outside, too_deep = now.x, now.outside, now.too_deep
        if not len(around.frames):  # what shows how the body is turned has moved
            pose = self.pose(q, around)
            x, outside, too_deep = self.part.positions(pose)[self.first :], pose.outside, pose.too_deep
        v, u = (x - motion.x) / dt, (q - motion.q) / dt
        if not within_reach(q, x, v, u):
            still = replace(motion, v=np.zeros_like(v), u=np.zeros_like(u))
            return replace(still, residual=0.0, settled=False)
        relative = float(np.sqrt(max(left, 0.0) / first)) if first > 0.0 else 0.0
        return Motion(q, x, v, u, relative, outside=outside, too_deep=too_deep, settled=settled)

    def _is_small(self, move: Doubles) -> bool:
        return bool(np.abs(move).max(initial=0.0) <= self._tolerance)


def _inverse(hessian: Doubles) -> Doubles:
    """hessian^-1 (m, m); of one that is a little larger where it is singular, not numbers where it has none.

    Not the pseudo-inverse: of a thousand rows that takes a minute.
    """
    try:
        return np.linalg.inv(hessian)
    except np.linalg.LinAlgError:
        ridge = max(RIDGE * float(np.abs(hessian).max()), TINY)
    try:
        return np.linalg.inv(hessian + ridge * np.eye(len(hessian)))
    except np.linalg.LinAlgError:
        return np.full_like(hessian, np.nan)


class StepOf:
    """What all steps have, however they are calculated."""

    def __init__(self, of: Dynamics, motion: Motion, dt: float, around: Surroundings) -> None:
        """x*, where the body would be by inertia (Romero 2021, eq. 5), and by its weight, too."""
        self._of, self._around, self._before = of, around, motion.x
        self._near: Indices | None = None
        self._inertia = of.cubature.masses / dt**2
        self._aim = motion.x + dt * motion.v + dt**2 * of.gravity
        # Frames are where they are at the step's end; without any, the body is turned as at its begin.
        self._turned = of.placement(np.concatenate([motion.q, around.frames]))
        self._drag = None
        if of.damping:
            self._drag = of.damping / dt * self.stiffness(motion.x, projected=True)

    def stiffness(self, x: Doubles, *, projected: bool) -> Doubles:
        """See `Cubature.stiffness`."""
        return self._of.cubature.stiffness(x, projected=projected)

    def near(self, centres: Doubles) -> Indices:
        """See `SelfContact.near`: as the step's first residual finds them, so that it has one energy."""
        if self._near is None:
            self._near = self._of.self_contact.near(centres)
        return self._near

    def moved(self, q: Doubles, move: Doubles) -> Doubles:
        """See `Step`."""
        return self._of.rows.moved(q, self._around.held, move)


@dataclass(frozen=True)
class PlainResidual(Residual):
    """With all that it was made of. pressed: by colliders, and by the body itself."""

    pose: Pose
    pressed: Sequence[Pressed]


class PlainStep(StepOf):
    """By NumPy: the reference."""

    def residual(self, q: Doubles) -> PlainResidual:
        """See `Step`."""
        of = self._of
        pose = of.pose(q, self._around, self._turned)
        shape = of.part.shape(pose)
        x = shape.x[of.first :]
        forces = np.zeros_like(shape.x)
        off = x - self._aim
        forces[of.first :] = self._inertia[:, None] * off + of.cubature.forces(x)
        energy = 0.5 * float((self._inertia[:, None] * off**2).sum()) + float(of.cubature.energies(x).sum())
        if self._drag is not None:
            moved = x - self._before
            pull = of.cubature.pulled(self._drag, moved)
            forces[of.first :] += pull
            energy += 0.5 * float((pull * moved).sum())
        pressed = self._pressed(shape.x)
        for each in pressed:
            each.push(forces)
            energy += each.energy
        value = of.part.pulled(pose, forces, shape).ravel()
        directions = of.rows.admissible_directions(q, self._around.held)
        found, inside = along(value, directions), (pose.outside, pose.too_deep)
        return PlainResidual(found, energy, q, x, *inside, directions=directions, pose=pose, pressed=pressed)

    def _pressed(self, x: Doubles) -> list[Pressed]:
        """What is pressed, with all vertices at x (S, d)."""
        of, contact = self._of, self._of.surface
        which, short, normals = contact.pressed(x[: of.touching], self._around.placed)
        corners, weights = contact.corners[which], contact.weights[which]
        pressed = [Pressed(corners, weights, short, normals, contact.stiffness)]
        centres = x[of.touching : of.first]
        if len(near := self.near(centres)):
            pressed.append(of.self_contact.pressed(centres, near, of.touching))
        return [each for each in pressed if len(each.short)]

    def jacobian(self, at: Residual) -> Jacobian:
        """See `Step`."""
        assert isinstance(at, PlainResidual)  # of this step
        of = self._of
        body = of.part.jacobian(at.pose, at.pose.slopes, of.carried)
        flat = body.reshape(-1, body.shape[-1])
        masses = (flat * np.repeat(self._inertia, body.shape[1])[:, None]).T @ flat
        return Jacobian(at.pose.slopes, of.cubature.changes(body), masses)

    def hessian(self, at: Residual, jacobian: Jacobian) -> Doubles:
        """See `Step`."""
        assert isinstance(at, PlainResidual)  # of this step
        of, rest = self._of, jacobian.masses
        for each in at.pressed:
            rest = rest + each.hessian(of.part, at.pose, jacobian.slopes)

        def whole(*, projected: bool) -> Doubles:
            stiffness = self.stiffness(at.x, projected=projected)
            if self._drag is not None:
                stiffness = stiffness + self._drag
            return rest + of.cubature.reduced(stiffness, jacobian.changes)

        return positive_definite(whole, at.directions)
