"""Contact corrections (Romero 2021): a few handles keep their dynamics, networks add what contact dents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Doubles, Floats
from ...models.model_file import Model
from ..clipping import LOST, bounded, keep_within_reach
from .compiled.step import equations_here
from .contact import Contact
from .corrections import Corrections, Surface
from .dynamics import Dynamics, Equations, Motion
from .locator import feature_count
from .model_reading import (
    Settings,
    array,
    colliders_of,
    coordinates_of,
    correction_of,
    cubature_of,
    frames_of,
    handles_of,
    held_of,
    self_contact_of,
    widths_of,
)
from .part import Part
from .surroundings import Surroundings, Unlearned
from .work import check_size, check_work

LEAST_SEEN = 0.01  # of how much handles move what is seen, as a share of what moves it the most


@dataclass(frozen=True, slots=True)
class HandleState:
    """q, u (n, d): the free handles, m and m/s; x, v (S, d): the cubature's vertices, m and m/s. y (e,) it
    came from.

    outside: the share of the internal correction's inputs, and of the sizes and depths of colliders, that is
    beyond what was trained. residual: see `Motion`. settled: whether all steps of the frame were solved.
    """

    q: Doubles
    x: Doubles
    v: Doubles
    u: Doubles
    y: Floats
    outside: float = 0.0
    residual: float = 0.0
    settled: bool = True


class ContactCorrections:
    """Runs a trained model.

    Tensors (d coordinates, V vertices of the artist's mesh, B of the body, h rows of Q of which n free ones
    and then d + 1 for each frame, S vertices and k tetrahedra of the cubature, P points of contact, C
    colliders, those that move first, g handles that can be held, and e values of y before those that only
    Play adds, which are sizes of colliders, then the four of each handle): mean (V, 3); plane.origin (3,)
    and plane.axes (3, 2), where the body is flat and d is 2, not 3; carriers.corners, carriers.weights (V,
    d + 1); handles.weights (B, h), handles.gradients (B, d, h), handles.rest (h, d); frames.mean (e,),
    frames.offset (h - n, d) and frames.matrix (d (h - n), e), where there are frames; cubature.vertices,
    cubature.masses (S,), cubature.elements (k, d + 1), cubature.inverse_rest (k, d, d), cubature.volumes
    (k,), cubature.moduli (k, 2); contact.corners, contact.weights (P, d + 1); where there are such handles,
    handles.held (g,), handles.aside (g, d); where it touches itself, by b balls, self_contact.corners,
    self_contact.weights (b, d + 1), self_contact.radii (b,) and self_contact.neighbours (l, 2); where there
    are colliders, colliders.channels (C,), colliders.anchors (C, d), colliders.turning (C,), colliders.axes
    (C, 3, d), and where y has sizes colliders.scaling (C,), see `FollowedColliders`; and of each correction
    NAME, which is "internal" or "external": NAME.basis (m, B, d), NAME.mean, scale, low, high, margin (i,),
    NAME.layers.K.weight and .bias.
    Settings: free: n; loose: how many frames' corners are the last of the n; elasticity; steps: of a frame;
    damping, s; gravity (d,), m/s^2; tolerance, m; iterations; stiffness, N/m, and reach, m, of contact;
    self_contact_stiffness, N/m, of a pair of balls; reference_depth, m; deepest, m: how deep colliders were
    pressed in for r_ext, where it says so; colliders: a kind and sizes in m of each, of a polygon all
    coordinates of its corners; widths, m: how wide each object was whose size y has.
    Raises Problem("model_damaged").
    """

    look_ahead = 0
    extrapolates = True  # the speed of pins and colliders follows from y and the one before
    decoder = None

    def __init__(self, model: Model, equations: Equations | None = None) -> None:
        """equations: None for the quickest there are on this computer. Raises Problem("model_damaged")."""
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        self.mean_shape = model.tensor("mean", self.vertex_count, 3)
        self._coordinates = coordinates_of(model)
        d = self._coordinates.dimension
        self._settings = Settings(model, d)
        check_size(model)
        self.handles = handles_of(model, self._settings.free, self._settings.loose, d)
        count = len(self.handles.weights)
        self._frames = frames_of(model, len(self.handles.rest) - self.handles.free, d)
        self._held = held_of(model, self._settings.free, self._coordinates.axes)
        self.widths = widths_of(model, self._settings.widths)
        self._colliders = colliders_of(model, self._settings.shapes, self._coordinates.axes)
        corners = model.indices("contact.corners", -1, d + 1, below=count)
        vertices, local = np.unique(corners, return_inverse=True)
        chosen = model.indices("cubature.vertices", -1, below=count)
        itself = self_contact_of(model, count, self._settings.self_stiffness, d)
        check_work(
            model,
            self._settings,
            d=d,
            vertices=len(vertices) + len(itself.radii) + len(chosen),
            elements=len(model.indices("cubature.elements", -1, d + 1, below=len(chosen))),
            points=len(corners),
            pairs=itself.most_near,
        )
        contact = Contact(
            local.reshape(corners.shape),
            array(model, "contact.weights", len(corners), d + 1),
            self._settings.stiffness,
            self._settings.reach,
            shapes=self._settings.shapes,
        )
        surface = Surface(contact, vertices)
        oriented = self._colliders.oriented
        # Of a collider: where it is and how it is turned, then its size. Those that move are all alike.
        inputs = 1 + (feature_count(contact.shapes[0], oriented=oriented) if contact.shapes else d)
        internal = correction_of(model, "internal", self.handles.rest.size, (count, d))
        external = correction_of(model, "external", inputs, (count, d))
        self._clipped = internal.network.varying if internal else 0  # how many numbers r_int may have clipped
        self._learns_dents = external is not None
        corrections = Corrections(
            self.handles,
            internal,
            external,
            surface,
            reference_depth=self._settings.reference_depth,
            oriented=oriented,
            deepest=self._settings.deepest,
        )
        self.dynamics = Dynamics(
            self.handles,
            corrections,
            cubature_of(model, len(chosen), self._settings.elasticity, d),
            chosen,
            surface=surface,
            gravity=self._settings.gravity,
            damping=self._settings.damping,
            tolerance=self._settings.tolerance,
            most_iterations=self._settings.iterations,
            self_contact=itself,
            equations=equations or equations_here(),
        )
        self.basis_count = d * self.handles.free
        self._whole = Part(self.handles, corrections.basis, np.arange(count))
        self._carriers = model.indices("carriers.corners", self.vertex_count, d + 1, below=count)
        self._shares = array(model, "carriers.weights", self.vertex_count, d + 1)
        self._shown = np.empty((self.vertex_count, 3), np.float32)
        self._size = float(np.linalg.norm(np.ptp(self.mean_shape, axis=0)))

    def start(self, y: Floats) -> HandleState:
        """See `Method`: at rest, moved along with the frames."""
        y = bounded(y)
        q = self._carried(y)[: self.handles.free]
        return self._state(self.dynamics.at(q, self.surroundings(y)), y)

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> HandleState:
        """The handles nearest to both shapes (V, 3)."""
        y, y_before = bounded(y), bounded(y_before)
        now, before = (
            self.dynamics.at(self._nearest(shape, y_then), self.surroundings(y_then))
            for shape, y_then in ((positions, y), (positions_before, y_before))
        )
        speeds = (now.x - before.x) / self.dt, (now.q - before.q) / self.dt
        return self._state(Motion(now.q, now.x, *speeds, outside=now.outside), y)

    def step(self, state: HandleState, y: Floats, ahead: Sequence[Floats] = ()) -> HandleState:
        """Implicit Euler (equation 6), in as many steps as the takes have in a frame, y going straight.

        So does a handle that is held, from where it is to where it is put. A body that is `LOST`, as after
        it was hit at 1e8 m/s, begins anew as at `start`: what brings it back, if anything, is too weak.
        """
        steps, y = self._settings.steps, bounded(y)
        motion, settled = Motion(state.q, state.x, state.v, state.u), True
        held, places = self._held.held(y)
        begun = state.q[held]
        for number in range(1, steps + 1):
            share = number / steps
            y_now = state.y + np.float32(share) * (y - state.y) if number < steps else y
            around = replace(self.surroundings(y_now), held=held, places=begun + share * (places - begun))
            motion = self.dynamics.step(motion, self.dt / steps, around)
            settled = settled and motion.settled
        motion = replace(motion, settled=settled)
        return self.start(y) if self._is_lost(motion.q, y) else self._state(motion, y)

    def settled(self, state: HandleState) -> bool:
        """See `SolvesSteps`."""
        return state.settled

    def positions(self, state: HandleState, y: Floats, bases: int | None = None) -> Floats:
        """(V, 3) float32, metres: equation 1; reused by the next call. No use of `bases`."""
        body = self._whole.positions(self.dynamics.pose(state.q, self.surroundings(y)))
        shown = np.einsum("vk,vkd->vd", self._shares, body[self._carriers])
        self._shown[:] = self._coordinates.places(shown)
        keep_within_reach(self._shown, self.mean_shape)
        return self._shown

    def body_positions(self, state: HandleState, y: Floats) -> Doubles:
        """(B, 3), m, of the simulated body's vertices."""
        body = self._whole.positions(self.dynamics.pose(state.q, self.surroundings(y)))
        return self._coordinates.places(body)

    def shapes(self, states: Sequence[HandleState], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """The positions of several states, (n, V, 3) float32, metres."""
        shapes = np.empty((len(states), self.vertex_count, 3), np.float32)
        for shape, state, y in zip(shapes, states, ys, strict=True):
            shape[:] = self.positions(state, y)
        return shapes

    def coefficients(self, state: HandleState, y: Floats) -> None:
        """None: F and r both depend on the handles."""

    def surroundings(self, y: Floats) -> Surroundings:
        """Where y has frames, colliders and the handles that are held."""
        colliders, y = self._colliders, bounded(y)
        return Surroundings(
            self._frames.rows(y), colliders.placed(y), colliders.learned_sizes(y), *self._held.held(y)
        )

    def unlearned_sizes(self, y: Floats) -> list[tuple[str, Unlearned]]:
        """The balls that y has smaller or larger than r_ext has learned, with the channels of their sizes.

        They touch as large as they are; r_ext is given the nearest size that it knows.
        """
        if not self._learns_dents:
            return []
        named = {place.start: name for name, place in self.channels.slices().items()}
        found = self._colliders.unlearned(bounded(y))
        return [(named[int(self._colliders.scaling[each.collider])], each) for each in found]

    def _state(self, motion: Motion, y: Floats) -> HandleState:
        return HandleState(
            motion.q,
            motion.x,
            motion.v,
            motion.u,
            y,
            outside=self._outside(motion, y),
            residual=motion.residual,
            settled=motion.settled,
        )

    def _outside(self, motion: Motion, y: Floats) -> float:
        """The share of the inputs of r_int, and of colliders' sizes and depths, that is beyond training."""
        if not self._learns_dents:
            return motion.outside
        beyond = motion.outside * self._clipped + len(self.unlearned_sizes(y)) + motion.too_deep
        depths = self._colliders.moving if np.isfinite(self._settings.deepest) else 0
        return beyond / max(1, self._clipped + len(self.widths) + depths)

    def _is_lost(self, q: Doubles, y: Floats) -> bool:
        """Whether a free handle is out of all reach of where it would be at rest, or of any frame there."""
        carried, n = self._carried(y), self.handles.free
        apart = float(np.ptp(carried[n:], axis=0).max()) if len(carried) > n else 0.0
        # Of numbers that are none this is true, too.
        return not bool((np.abs(q - carried[:n]) <= LOST * self._size + apart).all())

    def _carried(self, y: Floats) -> Doubles:
        """Q (h, d) at rest, moved along with the frames."""
        n, anchor = self.handles.free, self.handles.anchor
        q = self.handles.rest.copy()
        q[n:] = self._frames.rows(y)
        middle, rotation = self.handles.rest[anchor].mean(0), self.dynamics.placement(q)
        q[:n] = (q[:n] - middle) @ rotation.T + q[anchor].mean(0)
        return q

    def _nearest(self, positions: Floats, y: Floats) -> Doubles:
        """q (n, d) whose blend is nearest to a shape (V, 3).

        A shape does not show where handles are that hardly move what is seen: they are moved along with the
        frames.
        """
        n, carried = self.handles.free, self._carried(y)
        weights = np.einsum("vk,vkh->vh", self._shares, self.handles.weights[self._carriers])
        left = self._coordinates.of(positions.astype(np.float64)) - weights @ carried
        moved: Doubles = np.linalg.lstsq(weights[:, :n], left, rcond=LEAST_SEEN)[0]
        return carried[:n] + moved
