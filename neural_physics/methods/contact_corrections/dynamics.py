"""Implicit Euler in the handles' coordinates (Romero 2021, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from ..clipping import FURTHEST, within_reach
from .corrections import Corrections, Part, Pose, Surface
from .cubature import Cubature
from .free_rows import FreeRows
from .handles import Handles
from .surroundings import Surroundings

MOST_HALVINGS = 6
LESS = 1e-4  # by how much the residual must fall, as a share of what the step promises


@dataclass(frozen=True)
class Motion:
    """q (n, d): the free handles, m; x, v (S, d): the cubature's vertices, m and m/s.

    residual: the residual of equation 6 after the step to it, over what there was at first. outside: see
    `Pose`.
    """

    q: Doubles
    x: Doubles
    v: Doubles
    residual: float = 0.0
    outside: float = 0.0


@dataclass(frozen=True)
class _Residual:
    """Equation 6 at some q: its left side (m,) N, and all that it was made of, by what is not held.

    jacobian (S, d, m). pushes (k, m): how far each pressed point moves along its normal. outside: see `Pose`.
    """

    value: Doubles
    x: Doubles
    outside: float
    jacobian: Doubles
    pushes: Doubles


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
    ) -> None:
        self.corrections = corrections
        self._handles, self._rows, self._cubature = handles, FreeRows.of(handles), cubature
        self._part = Part(handles, corrections.basis, vertices)
        self._surface, self._touching = surface, Part(handles, corrections.basis, surface.vertices)
        self._gravity, self._damping = gravity, damping
        self._tolerance, self._most = tolerance, most_iterations

    def at(self, q: Doubles, around: Surroundings) -> Motion:
        """The body at rest with its free handles at q (n, d), except for those that are held."""
        q = self._rows.holding(self._rows.rigid(q), around.held, around.places)
        pose = self.pose(q, around)
        x = self._part.positions(pose)
        if not within_reach(q, x):
            q, x = (np.clip(np.nan_to_num(each), -FURTHEST, FURTHEST) for each in (q, x))
        return Motion(q, x, np.zeros_like(x), 0.0, outside=pose.outside)

    def pose(self, q: Doubles, around: Surroundings, turned: Doubles | None = None) -> Pose:
        """See `Corrections.pose`."""
        rows = np.concatenate([q, around.frames])
        return self.corrections.pose(rows, around.placed, around.sizes, turned)

    def step(self, motion: Motion, dt: float, around: Surroundings) -> Motion:
        """Where equation 6 holds dt seconds later, or the nearest to it that was found.

        Held handles are where they are put; the equation is that of all others. A step that leads out of
        reach, which those of no trained model do, is not taken: the body then stands still.
        """
        step = _Step(self, motion, dt, around)
        q = self._rows.holding(motion.q, around.held, around.places)
        now = step.residual(q)
        first = left = 0.0
        for iteration in range(self._most if len(now.value) and within_reach(q, now.x) else 0):
            hessian = step.hessian(now)
            move = -_solved(hessian, now.value)
            if not within_reach(move):  # there is no slope that leads on
                break
            left = float(-now.value @ move)
            first = left if iteration == 0 else first
            # Equation 4 is not the derivative of x: what falls along the way is the residual, not the energy.
            share = 1.0
            for _ in range(MOST_HALVINGS):
                tried = step.residual(step.moved(q, share * move))
                found = float(tried.value @ _solved(hessian, tried.value))
                if found <= (1.0 - LESS * share) * left:
                    break
                share *= 0.5
            else:
                break
            q, now, left = step.moved(q, share * move), tried, found
            if np.abs(move).max(initial=0.0) <= self._tolerance:
                break
        x, outside = now.x, now.outside
        if not len(around.frames):  # what shows how the body is turned has moved
            pose = self.pose(q, around)
            x, outside = self._part.positions(pose), pose.outside
        v = (x - motion.x) / dt
        if not within_reach(q, x, v):
            return Motion(motion.q, motion.x, np.zeros_like(motion.x), outside=motion.outside)
        relative = float(np.sqrt(max(left, 0.0) / first)) if first > 0.0 else 0.0
        return Motion(q, x, v, relative, outside=outside)


def _solved(hessian: Doubles, right: Doubles) -> Doubles:
    """hessian^-1 right (m,); by least squares where it is singular, not numbers where it has none."""
    try:
        return np.linalg.solve(hessian, right)
    except np.linalg.LinAlgError:
        if not (np.isfinite(hessian).all() and np.isfinite(right).all()):
            return np.full_like(right, np.nan)
        nearest: Doubles = np.linalg.lstsq(hessian, right, rcond=None)[0]
        return nearest


class _Step:
    """The equations of one step."""

    def __init__(self, of: Dynamics, motion: Motion, dt: float, around: Surroundings) -> None:
        """x*, where the body would be by inertia (Romero 2021, eq. 5), and by its weight, too."""
        self._of, self._around, self._before = of, around, motion.x
        self._inertia = of._cubature.masses / dt**2
        self._aim = motion.x + dt * motion.v + dt**2 * of._gravity
        # Frames are where they are at the step's end; without any, the body is turned as at its begin.
        self._turned = of._handles.placement(np.concatenate([motion.q, around.frames]))[0]
        self._drag = None
        if of._damping:
            self._drag = of._damping / dt * of._cubature.stiffness(motion.x, projected=True)

    def moved(self, q: Doubles, move: Doubles) -> Doubles:
        """q (n, d) with what is not held moved by (m,)."""
        return self._of._rows.moved(q, self._around.held, move)

    def residual(self, q: Doubles) -> _Residual:
        """The left side of eq. 6 (Romero 2021), at free handles q (n, d)."""
        of = self._of
        pose = of.pose(q, self._around, self._turned)
        directions = of._rows.admissible_directions(q, self._around.held)
        x, jacobian = of._part.positions(pose), _along(of._part.jacobian(pose), directions)
        forces = self._inertia[:, None] * (x - self._aim) + of._cubature.forces(x)
        if self._drag is not None:
            forces += of._cubature.pulled(self._drag, x - self._before)
        value = forces.ravel() @ jacobian.reshape(x.size, jacobian.shape[-1])
        pushes, short = self._pushes(pose, directions)
        value -= of._surface.contact.stiffness * (short @ pushes)
        return _Residual(value, x, pose.outside, jacobian, pushes=pushes)

    def hessian(self, at: _Residual) -> Doubles:
        """(m, m): J^T (M / dt^2 + K) J (Romero 2021, section 3.3), positive definite."""
        of = self._of
        flat = at.jacobian.reshape(at.x.size, -1)
        rest = (flat * np.repeat(self._inertia, at.x.shape[1])[:, None]).T @ flat
        rest += of._surface.contact.stiffness * (at.pushes.T @ at.pushes)
        for projected in (False, True):
            stiffness = of._cubature.stiffness(at.x, projected=projected)
            if self._drag is not None:
                stiffness = stiffness + self._drag
            hessian: Doubles = rest + of._cubature.reduced(stiffness, at.jacobian)
            try:
                np.linalg.cholesky(hessian)
            except np.linalg.LinAlgError:
                continue
            break
        return hessian

    def _pushes(self, pose: Pose, directions: Doubles | Indices | slice) -> tuple[Doubles, Doubles]:
        """(k, m) how pressed points move along their normals, and (k,) how much too near they are, m."""
        of, contact = self._of, self._of._surface.contact
        which, short, normals = contact.pressed(of._touching.positions(pose), self._around.placed)
        if not len(which):
            return _along(np.zeros((0, of._handles.free * pose.q.shape[1])), directions), short
        corners = contact.corners[which]
        some, places = np.unique(corners, return_inverse=True)
        jacobian = _along(of._touching.jacobian(pose, some), directions)[places.reshape(corners.shape)]
        return np.einsum("pk,pd,pkdc->pc", contact.weights[which], normals, jacobian), short


def _along(jacobian: Doubles, directions: Doubles | Indices | slice) -> Doubles:
    """(..., m): a Jacobian (..., d n) by the free rows, along their directions."""
    if isinstance(directions, np.ndarray) and directions.ndim == 2:
        return jacobian @ directions
    return jacobian[..., directions]
