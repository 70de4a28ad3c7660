"""The physical initial model in training: its implicit steps over windows, and their gradients."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from learning.methods.subspace_physics.physical_body import PhysicalBody
from learning.methods.subspace_physics.reduced_forces import Contact, ContactAt, Springs, SpringsAt
from learning.training.subspace_data import SubspaceData
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats

INERTIA = 0.95  # beta at first
# Parameters are numbers near 0 that one learning rate suits: one of them is so much of the logarithm of a
# stiffness, of one spring and of all of one kind, and so many radii.
OF_ONE, OF_ALL, OF_RADIUS = 3.0, 10.0, 0.3


@dataclass(frozen=True)
class Parameters:
    """What is learned, each as a view of theta.

    elastic (K, u, u), contact (K + 1, u, u), in the body's response; alpha, beta, gravity (u,); stretch,
    compression (E,), of each spring; scales (3,), of all springs' stretch and compression and of contact;
    radii (C,).
    """

    elastic: Floats
    contact: Floats
    alpha: Floats
    beta: Floats
    gravity: Floats
    stretch: Floats
    compression: Floats
    scales: Floats
    radii: Floats


class PhysicalModel:
    """An `InitialModel` as `neural_physics.methods.subspace_physics.physical_model` plays it."""

    def __init__(self, body: PhysicalBody, data: SubspaceData, steps: int) -> None:
        """steps: K."""
        u, springs, balls = len(body.gravity), len(body.springs) if steps else 0, len(body.radii)
        self.body, self.steps = body, steps
        self.pushes, self.changes = u if balls else 0, u if steps else 0
        self.features = self.pushes + self.changes
        self.springs = Springs(body.spring_basis, body.spring_mean, body.lengths)
        self.contact = Contact(body.point_basis, body.point_mean)
        contacts = steps + 1 if balls else 0
        self._shapes: dict[str, tuple[int, ...]] = {
            "elastic": (steps, u, u),
            "contact": (contacts, u, u),
            "alpha": (u,),
            "beta": (u,),
            "gravity": (u,),
            "stretch": (springs,),
            "compression": (springs,),
            "scales": (3,),
            "radii": (balls,),
        }
        self._bounds = list(accumulate((int(np.prod(s)) for s in self._shapes.values()), initial=0))
        self.initial = np.zeros(self._bounds[-1], np.float32)
        # The data has w alone, from which y follows, as what w leaves out never changed: y = w to_y + y_mean.
        self.y_mean = data.y_mean
        self.to_y = np.linalg.pinv(data.interaction_basis.astype(np.float64)).T.astype(np.float32)

    def parameters(self, theta: Floats) -> Parameters:
        """Views of theta (p,)."""
        parts = zip(self._shapes.items(), pairwise(self._bounds), strict=True)
        return Parameters(**{name: theta[a:b].reshape(shape) for (name, shape), (a, b) in parts})

    def window(self, parameters: Floats, w: Floats) -> PhysicalWindow:
        """See `InitialModel`."""
        y = w @ self.to_y + self.y_mean
        centres = [np.ascontiguousarray(y[:, :, at : at + 3]) for at in self.body.centres]
        return PhysicalWindow(self, Constants.of(self.body, self.parameters(parameters)), centres)

    def tensors(self, parameters: Floats) -> Tensors:
        """See `InitialModel`."""
        body, now = self.body, Constants.of(self.body, self.parameters(parameters))
        tensors: Tensors = {
            "alpha": now.alpha,
            "beta": now.beta,
            "gravity": now.gravity,
        }
        if self.steps:
            tensors |= {
                "masses": body.masses,
                "springs": body.springs.astype(np.int32),
                "lengths": body.lengths,
                "stretch": now.stretch,
                "compression": now.compression,
                "elastic": now.elastic,
            }
        if self.pushes:
            tensors |= {
                "points": body.points.astype(np.int32),
                "centres": body.centres.astype(np.int32),
                "radii": now.radii,
                "push": np.array([now.push], np.float32),
                "contact": now.contact,
            }
        return {f"physics.{name}": tensor for name, tensor in tensors.items()}


@dataclass(frozen=True)
class Constants:
    """The model's constants for one theta; see `neural_physics.methods.subspace_physics.physical_model`."""

    alpha: Floats
    beta: Floats
    gravity: Floats
    stretch: Floats
    compression: Floats
    push: float
    radii: Floats
    elastic: Floats
    contact: Floats

    @classmethod
    def of(cls, body: PhysicalBody, p: Parameters) -> Constants:
        """From parameters that are all 0 before training."""
        root, one = body.response, np.eye(len(body.response), dtype=body.response.dtype)
        of_all = OF_ALL * p.scales
        return cls(
            alpha=1.0 + p.alpha,
            beta=INERTIA + p.beta,
            gravity=body.gravity + p.gravity,
            stretch=body.stiffness[: len(p.stretch)] * np.exp(OF_ONE * p.stretch + of_all[0]),
            compression=body.stiffness[: len(p.compression)] * np.exp(OF_ONE * p.compression + of_all[1]),
            push=float(body.push * np.exp(of_all[2])),
            radii=body.radii * (1.0 + OF_RADIUS * p.radii),
            elastic=root @ (one + p.elastic) @ root.T,
            contact=root @ (one + p.contact) @ root.T,
        )


@dataclass(frozen=True)
class Step:
    """One implicit step: missing, push (n, u), and where springs and balls were."""

    missing: Floats
    springs: SpringsAt
    push: Floats
    balls: list[ContactAt]


class PhysicalWindow:
    """The `Guesses` of one window."""

    def __init__(self, model: PhysicalModel, constants: Constants, centres: list[Floats]) -> None:
        """centres: of each ball, (T, n, 3)."""
        self._model, self._now, self._centres = model, constants, centres
        self._steps: list[list[Step]] = []
        self._seen: list[tuple[Floats, list[ContactAt]]] = []
        self._states: list[tuple[Floats, Floats]] = []
        self._by = model.parameters(np.zeros(len(model.initial), constants.elastic.dtype))
        self._by_push = 0.0

    def guess(self, t: int, now: Floats, before: Floats, *, z_bar: Floats, seen: Floats) -> None:
        """See `Guesses`."""
        model, c, masses = self._model, self._now, self._model.body.masses
        s = c.alpha * now + c.beta * (now - before) + c.gravity
        q, steps = s, []
        for k in range(model.steps):
            force, springs = model.springs.force(q, c.stretch, c.compression)
            missing = masses * (s - q) - force
            change = missing @ c.elastic[k].T
            push, balls = self._pushed(t, q)
            if model.pushes:
                change += (c.push * push) @ c.contact[k].T
            steps.append(Step(missing, springs, push, balls))
            q = q + change
        z_bar[...] = s
        if model.pushes:
            push, balls = self._pushed(t, q)
            np.matmul(c.push * push, c.contact[-1].T, out=seen[:, : model.pushes])
            self._seen.append((push, balls))
        if model.steps:
            np.subtract(q, s, out=seen[:, model.pushes :])
        self._steps.append(steps)
        self._states.append((now, before))

    def pull(self, t: int, by_z_bar: Floats, by_seen: Floats, *, by_now: Floats, by_before: Floats) -> None:
        """See `Guesses`."""
        model, c, by, masses = self._model, self._now, self._by, self._model.body.masses
        by_q, by_s = np.zeros_like(by_z_bar), by_z_bar.copy()
        if model.steps:
            by_q += by_seen[:, model.pushes :]
            by_s -= by_q
        if model.pushes:
            by_q += self._pull_push(-1, by_seen[:, : model.pushes], *self._seen[t])
        for k in range(model.steps - 1, -1, -1):
            step = self._steps[t][k]
            by_missing = by_q @ c.elastic[k]
            by.elastic[k] += by_q.T @ step.missing
            through_masses = masses * by_missing
            by_s += through_masses
            pulled = model.springs.pull(
                step.springs, -by_missing, by_stretch=by.stretch, by_compression=by.compression
            )
            pulled -= through_masses
            if model.pushes:
                pulled += self._pull_push(k, by_q, step.push, step.balls)
            by_q = by_q + pulled
        by_s += by_q
        now, before = self._states[t]
        by.alpha[...] += (by_s * now).sum(0)
        by.beta[...] += (by_s * (now - before)).sum(0)
        by.gravity[...] += by_s.sum(0)
        by_now += by_s * (c.alpha + c.beta)
        by_before -= by_s * c.beta

    def gradient(self) -> Floats:
        """See `Guesses`."""
        by, c, root = self._by, self._now, self._model.body.response
        in_response = {name: root.T @ getattr(by, name) @ root for name in ("elastic", "contact")}
        by_stretch, by_compression = by.stretch * c.stretch, by.compression * c.compression
        parts = (
            vars(by)
            | in_response
            | {
                "stretch": OF_ONE * by_stretch,
                "compression": OF_ONE * by_compression,
                "scales": OF_ALL * np.array([by_stretch.sum(), by_compression.sum(), self._by_push * c.push]),
                "radii": OF_RADIUS * self._model.body.radii * by.radii,
            }
        )
        return np.concatenate([part.ravel() for part in parts.values()])

    def _pushed(self, t: int, q: Floats) -> tuple[Floats, list[ContactAt]]:
        if not self._model.pushes:
            return q, []
        return self._model.contact.push(q, [each[t] for each in self._centres], self._now.radii)

    def _pull_push(self, k: int, by_change: Floats, push: Floats, balls: list[ContactAt]) -> Floats:
        """The gradient by q through the push times the k-th response."""
        c = self._now
        by_pushed = by_change @ c.contact[k]
        self._by.contact[k] += c.push * (by_change.T @ push)
        self._by_push += float(np.vdot(by_pushed, push))
        return self._model.contact.pull(balls, c.push * by_pushed, c.radii, by_radii=self._by.radii)
