"""Contact corrections (Romero 2021): a few handles keep their dynamics, networks add what contact dents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..energies.colliders.box import Box
from ..energies.colliders.collider import Collider
from ..energies.colliders.half_space import HalfSpace
from ..energies.colliders.sphere import Sphere
from ..model_file import Model, damaged
from ..subspace.contact import Contact
from ..subspace.corrections import Correction, Corrections, Part, Surface
from ..subspace.cubature import ENERGIES, Cubature
from ..subspace.dynamics import Around, Dynamics, Motion
from ..subspace.handles import CORNERS, Handles
from ..subspace.networks import TanhNetwork

Vector = NDArray[np.float32]
Array = NDArray[np.float64]
Indices = NDArray[np.intp]
MOST_LAYERS = 16
MOST_STEPS = 64  # in a frame


@dataclass(frozen=True, slots=True)
class HandleState:
    """q (n, 3) m: the free handles; x, v (S, 3): the cubature's vertices, m and m/s. y (e,) it came from.

    outside: the share of what the internal correction is told that is beyond its training. residual: see
    `Motion`.
    """

    q: Array
    x: Array
    v: Array
    y: Vector
    outside: float = 0.0
    residual: float = 0.0


class ContactCorrections:
    """Runs a trained model.

    Tensors (V vertices of the artist's mesh, B of the body, h rows of Q of which n free ones and then four
    for each frame, S vertices and k tetrahedra of the cubature, P points of contact, C colliders, those that
    move first, e values of y): mean (V, 3); carriers.corners, carriers.weights (V, 4); handles.weights
    (B, h), handles.gradients (B, 3, h), handles.rest (h, 3); frames.mean (e,), frames.offset (h - n, 3) and
    frames.matrix (3 (h - n), e), where there are frames; cubature.vertices, cubature.masses (S,),
    cubature.elements (k, 4), cubature.inverse_rest (k, 3, 3), cubature.volumes (k,), cubature.moduli (k, 2);
    contact.corners, contact.weights (P, 4); where there are colliders, colliders.channels (C,),
    colliders.anchors (C, 3), colliders.turns (C, 3, 3); and of each correction NAME, which is "internal" or
    "external": NAME.basis (m, B, 3), NAME.mean, scale, low, high (i,), NAME.layers.K.weight and .bias.
    Settings: free: n; elasticity; steps: of a frame; damping, s; gravity, m/s^2; tolerance, m; iterations;
    stiffness, N/m, and reach, m, of contact; fade, m; colliders: a kind and sizes in m of each.
    Raises Problem("model_damaged").
    """

    look_ahead = 0
    extrapolates = True  # how fast pins and colliders go is told from y and the one before
    decoder = None

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        self.mean_shape = model.tensor("mean", self.vertex_count, 3)
        self._settings = _Settings(model)
        self.handles = _handles(model, self._settings.free)
        count = len(self.handles.weights)
        self._frames = _frames(model, len(self.handles.rest) - self.handles.free)
        self._colliders = _PlacedColliders(model, len(self._settings.shapes))
        corners = _indices(model, "contact.corners", (-1, 4), count)
        vertices, local = np.unique(corners, return_inverse=True)
        contact = Contact(
            local.reshape(corners.shape),
            _array(model, "contact.weights", len(corners), 4),
            self._settings.stiffness,
            self._settings.reach,
            self._settings.shapes,
            self._colliders.turns,
        )
        surface = Surface(contact, vertices)
        corrections = Corrections(
            self.handles,
            _correction(model, "internal", 3 * len(self.handles.rest), count),
            _correction(model, "external", 3 * len(self.handles.places) + 1, count),
            surface,
            self._settings.fade,
        )
        chosen = _indices(model, "cubature.vertices", (-1,), count)
        self.dynamics = Dynamics(
            self.handles,
            corrections,
            _cubature(model, len(chosen), self._settings.elasticity),
            chosen,
            surface,
            self._settings.gravity,
            self._settings.damping,
            self._settings.tolerance,
            self._settings.iterations,
        )
        self.basis_count = 3 * self.handles.free
        self._whole = Part(self.handles, corrections.basis, np.arange(count))
        self._carriers = _indices(model, "carriers.corners", (self.vertex_count, 4), count)
        self._shares = _array(model, "carriers.weights", self.vertex_count, 4)
        self._shown = np.empty((self.vertex_count, 3), np.float32)

    def start(self, y: Vector) -> HandleState:
        """At rest, moved along with the frames."""
        frames, n = self._frames.rows(y), self.handles.free
        q = self.handles.rest.copy()
        q[n:] = frames
        rotation, place = self.handles.placement(q)
        middle = self.handles.rest[self.handles.anchor].mean(0)
        free = (self.handles.rest[:n] - middle) @ rotation.T + place
        return self._state(self.dynamics.at(free, self.around(y)), y)

    def state_from(
        self,
        positions: NDArray[np.float32],
        positions_before: NDArray[np.float32],
        y: Vector,
        y_before: Vector,
    ) -> HandleState:
        """The handles nearest to both shapes (V, 3)."""
        now, before = (
            self.dynamics.at(self._nearest(shape, told), self.around(told))
            for shape, told in ((positions, y), (positions_before, y_before))
        )
        return self._state(Motion(now.q, now.x, (now.x - before.x) / self.dt, 0.0, now.outside), y)

    def step(self, state: HandleState, y: Vector, ahead: Sequence[Vector] = ()) -> HandleState:
        """Implicit Euler (equation 6), in as many steps as the takes have in a frame, y going straight."""
        steps = self._settings.steps
        motion = Motion(state.q, state.x, state.v)
        for number in range(1, steps + 1):
            told = state.y + np.float32(number / steps) * (y - state.y) if number < steps else y
            motion = self.dynamics.step(motion, self.dt / steps, self.around(told))
        return self._state(motion, y)

    def positions(self, state: HandleState, y: Vector, bases: int | None = None) -> NDArray[np.float32]:
        """(V, 3) float32, metres: equation 1; reused by the next call. No use of `bases`."""
        body = self.body_positions(state, y)
        self._shown[:] = np.einsum("vk,vkd->vd", self._shares, body[self._carriers])
        return self._shown

    def body_positions(self, state: HandleState, y: Vector) -> Array:
        """(B, 3), m, of the simulated body's vertices."""
        return self._whole.positions(self.dynamics.pose(state.q, self.around(y)))

    def shapes(
        self, states: Sequence[HandleState], ys: Sequence[Vector], bases: int | None = None
    ) -> NDArray[np.float32]:
        """The positions of several states, (n, V, 3) float32, metres."""
        shapes = np.empty((len(states), self.vertex_count, 3), np.float32)
        for shape, state, y in zip(shapes, states, ys, strict=True):
            shape[:] = self.positions(state, y)
        return shapes

    def coefficients(self, state: HandleState, y: Vector) -> None:
        """None: F and r both depend on the handles."""

    def around(self, y: Vector) -> Around:
        """Where y (e,) has frames and colliders."""
        return Around(self._frames.rows(y), self._colliders.centres(y), self._settings.sizes)

    def _state(self, motion: Motion, y: Vector) -> HandleState:
        return HandleState(motion.q, motion.x, motion.v, y, motion.outside, motion.residual)

    def _nearest(self, positions: NDArray[np.float32], y: Vector) -> Array:
        """q (n, 3) whose blend is nearest to a shape (V, 3)."""
        n = self.handles.free
        weights = np.einsum("vk,vkh->vh", self._shares, self.handles.weights[self._carriers])
        left = positions.astype(np.float64) - weights[:, n:] @ self._frames.rows(y)
        q: Array = np.linalg.lstsq(weights[:, :n], left, rcond=None)[0]
        return q


class _Settings:
    """What is not in tensors, checked."""

    def __init__(self, model: Model) -> None:
        given = model.info.settings
        try:
            self.free, self.steps = int(given["free"]), int(given["steps"])
            self.iterations = int(given["iterations"])
            names = ("damping", "tolerance", "stiffness", "reach", "fade")
            numbers = [float(given[name]) for name in names]
            self.damping, self.tolerance, self.stiffness, self.reach, self.fade = numbers
            self.gravity = np.array(given["gravity"], np.float64).reshape(3)
            self.elasticity = str(given["elasticity"])
            self.shapes = [_shape(item) for item in given["colliders"]]
            fine = all(0.0 <= number < 1e12 for number in numbers) and np.isfinite(self.gravity).all()
            if not (
                fine and self.free >= 1 and 1 <= self.steps <= MOST_STEPS and 1 <= self.iterations <= 1000
            ):
                raise ValueError("values that make no sense")
            if self.tolerance <= 0.0 or self.fade <= 0.0 or self.elasticity not in ENERGIES:
                raise ValueError("values that make no sense")
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(model.path, f"its settings: {error}") from error
        moving = [at for at in model.tensors.get("colliders.channels", np.zeros(0)) if at >= 0]
        balls = self.shapes[: len(moving)]
        self.sizes = np.array([shape.radius if isinstance(shape, Sphere) else 0.0 for shape in balls])


class _Frames:
    """The frames' rows of Q, linear in y."""

    def __init__(self, mean: Array, offset: Array, matrix: Array) -> None:
        self._mean, self._offset, self._matrix = mean, offset, matrix

    def rows(self, y: Vector) -> Array:
        """(4 k, 3) m."""
        if not len(self._offset):
            return self._offset
        moved: Array = self._offset + (self._matrix @ (y - self._mean)).reshape(-1, 3)
        return moved


class _PlacedColliders:
    """Where y has each collider."""

    def __init__(self, model: Model, count: int) -> None:
        self.turns, self._anchors = np.zeros((0, 3, 3)), np.zeros((0, 3))
        self._channels = np.zeros(0, np.intp)
        if count:
            values = model.info.channels.size
            self._channels = _indices(model, "colliders.channels", (count,), values - 2, least=-1)
            self._anchors = _array(model, "colliders.anchors", count, 3)
            self.turns = _array(model, "colliders.turns", count, 3, 3)
            if (np.diff(self._channels >= 0) & (self._channels[1:] >= 0)).any():
                raise damaged(model.path, "its colliders that move do not come first")

    def centres(self, y: Vector) -> Array:
        """(C, 3) m."""
        moving = self._channels >= 0
        places = self._anchors.copy()
        places[moving] += y[self._channels[moving, None] + np.arange(3)]
        return places


def _shape(item: object) -> Collider:
    """Raises TypeError, KeyError or ValueError."""
    if not isinstance(item, dict):
        raise TypeError("a collider is no object")
    sizes = [float(size) for size in item["sizes"]]
    if not all(0.0 < size < math.inf for size in sizes):
        raise ValueError("a collider has no size")
    if item["kind"] == "sphere":
        (radius,) = sizes
        return Sphere(radius)
    if item["kind"] == "box":
        width, depth, height = sizes
        return Box((width, depth, height))
    if item["kind"] == "half_space" and not sizes:
        return HalfSpace()
    raise ValueError("a collider of an unknown kind")


def _handles(model: Model, free: int) -> Handles:
    rest = _array(model, "handles.rest", -1, 3)
    h = len(rest)
    if h < CORNERS or free > h or (h - free) % CORNERS:
        raise damaged(model.path, f"{h} rows for {free} handles")
    weights = _array(model, "handles.weights", -1, h)
    return Handles(weights, _array(model, "handles.gradients", len(weights), 3, h), rest, free)


def _frames(model: Model, rows: int) -> _Frames:
    e = model.info.channels.size
    if not rows:
        return _Frames(np.zeros(e), np.zeros((0, 3)), np.zeros((0, e)))
    return _Frames(
        _array(model, "frames.mean", e),
        _array(model, "frames.offset", rows, 3),
        _array(model, "frames.matrix", 3 * rows, e),
    )


def _cubature(model: Model, vertices: int, elasticity: str) -> Cubature:
    elements = _indices(model, "cubature.elements", (-1, 4), vertices)
    k = len(elements)
    return Cubature(
        elements,
        _array(model, "cubature.inverse_rest", k, 3, 3),
        _array(model, "cubature.volumes", k),
        _array(model, "cubature.moduli", k, 2),
        _array(model, "cubature.masses", vertices),
        ENERGIES[elasticity],
    )


def _correction(model: Model, name: str, inputs: int, vertices: int) -> Correction | None:
    if f"{name}.basis" not in model.tensors:
        return None
    layers: list[tuple[Array, Array]] = []
    size = inputs
    while f"{name}.layers.{len(layers)}.weight" in model.tensors and len(layers) < MOST_LAYERS:
        at = f"{name}.layers.{len(layers)}"
        weight = _array(model, f"{at}.weight", -1, size)
        size = len(weight)
        layers.append((weight, _array(model, f"{at}.bias", size)))
    mean, scale, low, high = (
        _array(model, f"{name}.{key}", inputs) for key in ("mean", "scale", "low", "high")
    )
    if not layers:
        raise damaged(model.path, f"the {name} correction has no network")
    return Correction(
        TanhNetwork(mean, scale, low, high, layers), _array(model, f"{name}.basis", size, vertices, 3)
    )


def _array(model: Model, name: str, *shape: int) -> Array:
    return model.tensor(name, *shape).astype(np.float64)


def _indices(model: Model, name: str, shape: tuple[int, ...], count: int, least: int = 0) -> Indices:
    """Whole numbers from `least` to below `count`."""
    array = model.tensors.get(name)
    if array is None or not np.issubdtype(array.dtype, np.integer):
        raise damaged(model.path, f"the tensor “{name}” is missing or holds no whole numbers")
    model.tensor(name, *shape)
    if array.min() < least or array.max() >= count:
        raise damaged(model.path, f"the tensor “{name}” has numbers outside of {least} to {count - 1}")
    return array.astype(np.intp)
