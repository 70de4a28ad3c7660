"""The equations of a step, calculated by the library in C; NumPy's `Step` is the reference."""

from __future__ import annotations

import ctypes
from threading import Lock

import numpy as np

from ....arrays import Doubles, Indices
from ....native.finding import library_here
from ..dynamics import (
    Dynamics,
    Jacobian,
    Motion,
    PlainEquations,
    Residual,
    Step,
    StepOf,
    along,
    positive_definite,
)
from ..networks import TanhNetwork
from ..pose import Dent, Pose, Rest
from ..surroundings import Surroundings
from .library import Acting, CompiledBody


def equations_here() -> PlainEquations | CompiledEquations:
    """The quickest there are on this computer, of one body."""
    library = library_here()
    return PlainEquations() if library is None else CompiledEquations(library)


class CompiledEquations:
    """Those of one body, whose arrays and room are made once."""

    def __init__(self, library: ctypes.PyDLL) -> None:
        self._library = library
        self._body: CompiledBody | None = None
        self._lock = Lock()  # frames are visited by renders, too, which have threads of their own

    def pose(self, of: Dynamics, q: Doubles, around: Surroundings, turned: Doubles | None) -> Pose:
        """See `Dynamics.pose`."""
        with self._lock:
            body, rows = self.body(of), np.concatenate([q, around.frames])
            rotation = body.placement(rows) if turned is None else turned
            given = _Given(around, rotation, 0.0)
            body.last = None
            body.pose(given.acting, np.ascontiguousarray(q))
            return _pose(of, body, rotation)

    def placement(self, of: Dynamics, q: Doubles) -> Doubles:
        """See `Equations`."""
        with self._lock:
            return self.body(of).placement(q)

    def step(self, of: Dynamics, motion: Motion, dt: float, around: Surroundings) -> Step:
        """The equations of one step."""
        with self._lock:
            body = self.body(of)
        return CompiledStep(of, motion, dt, around, body=body, lock=self._lock)

    def body(self, of: Dynamics) -> CompiledBody:
        """The arrays of a body, which is the same each time."""
        if self._body is None:
            self._body = CompiledBody(self._library, of)
        return self._body


class _Given:
    """What acts, as the library has it; the arrays are kept for as long as this is."""

    def __init__(
        self,
        around: Surroundings,
        rotation: Doubles,
        rate: float,
        of_step: tuple[Doubles, ...] = (),
    ) -> None:
        """rate: 1 / dt^2. of_step: aim, before, and drag where there is any."""
        placed = around.placed
        scales = np.ones(len(placed.centres)) if placed.scales is None else placed.scales
        given = [placed.centres, placed.turns, scales, around.frames, around.sizes, rotation, *of_step]
        self._kept = [np.ascontiguousarray(each, np.float64) for each in given]
        at = [each.ctypes.data for each in self._kept]
        self.acting = Acting(len(around.sizes), rate, tuple(at[:3]), *at[3:])
        self._near = np.zeros((0, 2), np.int64)

    def keep_apart(self, near: Indices) -> bool:
        """The pairs (p, 2) of balls that push in the step; whether there are any."""
        self._near = np.ascontiguousarray(near, np.int64)
        self.acting.near, self.acting.pairs = self._near.ctypes.data, len(near)
        return len(near) > 0


class CompiledStep(StepOf):
    """The equations of one step."""

    def __init__(
        self,
        of: Dynamics,
        motion: Motion,
        dt: float,
        around: Surroundings,
        *,
        body: CompiledBody,
        lock: Lock,
    ) -> None:
        self._body, self._lock = body, lock
        super().__init__(of, motion, dt, around)
        of_step = (self._aim, motion.x) if self._drag is None else (self._aim, motion.x, self._drag)
        self._given = _Given(around, self._turned, 1.0 / dt**2, of_step)

    def stiffness(self, x: Doubles, *, projected: bool) -> Doubles:
        """See `Cubature.stiffness`."""
        return self._body.stiffness(x, projected=projected)

    def residual(self, q: Doubles) -> Residual:
        """See `Step`."""
        of, body = self._of, self._body
        directions = of.rows.admissible_directions(q, self._around.held)
        with self._lock:
            body.residual(self._given.acting, np.ascontiguousarray(q))
            if self._near is None and self._given.keep_apart(self.near(self._centres())):
                body.residual(self._given.acting, np.ascontiguousarray(q))
            value, x, out = body.found["value"], body.found["shape"][of.first :], body.out
            found = along(value.reshape(-1).copy(), directions)
            body.last = Residual(
                found, out.energy, q, x.copy(), out.outside, out.too_deep, directions=directions
            )
            return body.last

    def _centres(self) -> Doubles:
        found: Doubles = self._body.found["shape"][self._of.touching : self._of.first]
        return found

    def jacobian(self, at: Residual) -> Jacobian:
        """See `Step`."""
        with self._lock:
            self._be_at(at)
            return Jacobian(*self._body.jacobian(self._given.acting))

    def hessian(self, at: Residual, jacobian: Jacobian) -> Doubles:
        """See `Step`."""
        of_jacobian = jacobian.slopes, jacobian.changes, jacobian.masses

        def whole(*, projected: bool) -> Doubles:
            with self._lock:
                self._be_at(at)
                return self._body.hessian(self._given.acting, of_jacobian, projected=projected)

        return positive_definite(whole, at.directions)

    def _be_at(self, at: Residual) -> None:
        """Have the library's room of this residual again, where it is of another."""
        if at is not self._body.last:
            self._body.residual(self._given.acting, np.ascontiguousarray(at.q))
            self._body.last = at


def _pose(of: Dynamics, body: CompiledBody, rotation: Doubles) -> Pose:
    """The pose that the library has left."""
    corrections, found, out = of.corrections, body.found, body.out
    rest, dents = None, list[Dent]()
    if corrections.internal is not None:
        network = corrections.internal.network
        layers = _layers(network, found["rest"].copy())
        rest = Rest(network, found["features"].copy(), layers, rotation)
    for k in range(out.dents):
        assert corrections.external is not None  # else there is none
        network, point = corrections.external.network, found["dent_points"][k]
        dents.append(
            Dent(
                float(found["shares"][k]),
                float(found["steepness"][k]),
                network,
                found["dent_features"][k].copy(),
                _layers(network, found["dent_found"][k].copy()),
                found["moved"][k].copy(),
                corners=of.surface.corners[point],
                weights=of.surface.weights[point],
                normal=found["dent_normals"][k].copy(),
            )
        )
    q, c = found["q"].copy(), found["c"].copy()
    return Pose(q, c, out.outside, corrections, rest, dents=dents, too_deep=out.too_deep)


def _layers(network: TanhNetwork, found: Doubles) -> list[Doubles]:
    """What each layer gives, apart."""
    layers, begin = [], 0
    for _, bias in network.layers:
        layers.append(found[begin : begin + len(bias)])
        begin += len(bias)
    return layers
