"""A dataset as latent dynamics learns from it: PCA coefficients of the body, and all that acted on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from learning.training.interaction_basis import fit_interaction_basis, still_spreads
from learning.training.pca import MOST_PASSES, fit_pca
from learning.training.spans import Span
from learning.training.subspace_data import BASES
from learning.training.tensor_files import Tensors
from ml_backend.methods.latent_dynamics.acting_frames import Acting, Driven, to_and_fro
from ml_backend.methods.latent_dynamics.boundary_motion import (
    BoundaryMotion,
    fit_boundary_motion,
    relative_to,
)
from ml_backend.simulation.motions import TrackedMotion
from neural_physics.arrays import Doubles, Floats, Mask
from neural_physics.datasets.body import Body
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.energies.colliders.collider import Collider
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, Progress, StopRequest

FEWEST_FASTER = 3  # frames of a run, which are one step
ARRAYS = ("mean", "basis", "boundary", "starts", "imagined")


@dataclass(frozen=True)
class Frames(Acting):
    """What a body did in N frames, beside what acted.

    c (N, K): see `LatentData`; beyond (N,): the sum over the vertices of the squares that no c holds, m^2.
    """

    c: Doubles
    beyond: Doubles

    def jolts(self, metric: Doubles) -> float:
        """What a step changes of the motion, on average: of its square by a metric (K, K), over m^2."""
        at = self.steps()
        changes = self.c[at] - 2.0 * self.c[at - 1] + self.c[at - 2]
        return float(np.einsum("tk,kl,tl->t", changes, metric, changes).mean())


@dataclass(frozen=True)
class LatentData:
    """What the trainer works with: positions are mean + c . basis + boundary offsets, in the frame's axes.

    mean (B, 3), basis (K, B, 3), rows of unit length over all vertices; captured: share of the variance they
    hold. boundary (v, e): s = boundary (y - y_mean); its last three rows are the pins' mean position, of
    which the integrator is given only differences unless `absolute`.
    starts: indices of the training frames that takes begin with. acting: what acts in the training frames,
    then the same to and fro at a faster pace. imagined (2, n, K): c of more frames than were baked, and of
    the frames before them; see `imagining`.
    """

    mean: Doubles
    basis: Doubles
    captured: float
    motion: BoundaryMotion
    boundary: Doubles
    absolute: bool
    starts: NDArray[np.int64]
    training: Frames
    validation: Frames
    acting: Acting
    imagined: Doubles

    def to_tensors(self) -> Tensors:
        """All of it as named arrays."""
        tensors: Tensors = {name: getattr(self, name) for name in ARRAYS}
        tensors |= {f"motion.{name}": getattr(self.motion, name) for name in ("mean", "basis", "offsets")}
        numbers = (self.captured, self.absolute, self.motion.exact, self.motion.error)
        tensors["numbers"] = np.array(numbers, np.float64)
        for role in ROLES:
            frames = getattr(self, role)
            tensors |= {f"{role}.{f.name}": getattr(frames, f.name) for f in fields(frames)}
        return tensors

    @classmethod
    def from_tensors(cls, tensors: dict[str, NDArray[Any]]) -> Self:
        """What `to_tensors` gave."""
        captured, absolute, exact, error = map(float, tensors["numbers"])
        moved = {name: tensors[f"motion.{name}"] for name in ("mean", "basis", "offsets")}
        motion = BoundaryMotion(**moved, exact=bool(exact), error=error)
        rest: dict[str, Any] = {name: tensors[name] for name in ARRAYS}
        for role, kind in ROLES.items():
            rest[role] = kind(**{f.name: tensors[f"{role}.{f.name}"] for f in fields(kind)})
        return cls(captured=captured, motion=motion, absolute=bool(absolute), **rest)


ROLES: dict[str, type[Acting]] = {"training": Frames, "validation": Frames, "acting": Acting}


def of_body(spans: list[Span]) -> list[Span]:
    """The same frames of the simulated body, which a solid's mesh only hangs in."""
    found = []
    for span in spans:
        positions = span.take.body_positions
        assert positions is not None  # the dataset has a body
        found.append(replace(span, take=replace(span.take, positions=positions)))
    return found


def colliders_of(dataset: Dataset, body: Body) -> list[Collider]:
    """The shapes that all takes have been baked with. Raises Problem("latent_takes_differ")."""
    shapes: list[Collider] = []
    first = ""
    for take in dataset.takes("training", "validation"):
        surroundings = dataset.surroundings(take.name)
        if surroundings is None:
            continue  # reported before
        request, tracks = surroundings
        if not first:
            first, known = take.name, request.colliders
            shapes = [each.shape for each in TrackedMotion(request, body, tracks).colliders]
        elif [(c.name, c.vertices.tobytes()) for c in request.colliders] != [
            (c.name, c.vertices.tobytes()) for c in known
        ]:
            raise Problem("latent_takes_differ", path=dataset.path, take=take.name, first=first)
    return shapes


def prepare(
    training: list[Span],
    validation: list[Span],
    dataset: Dataset,
    body: Body,
    *,
    bases: int,
    emit: Emit,
    stop: StopRequest,
    pace: float = 1.0,
) -> LatentData:
    """Fit the boundary's motion and the bases to the training spans, and bring all spans into them.

    PCA of positions relative to the pins (Li 2025, section 3.2).
    The spans are those of the body. pace: how many times as fast what acts is to act once more, to and fro;
    1: it does not.
    Raises Problem("stopped" | "dataset_not_numbers" | "dataset_damaged" | "training_still").
    """
    info, pinned = dataset.info, body.pinned
    y = np.concatenate([span.interaction for span in training]).astype(np.float64)
    pins = np.concatenate([_pinned(span, pinned) for span in training])
    motion = fit_boundary_motion(body, pins, y, info.channels)
    boundary = _boundary(motion, body, y, info)
    frames = sum(map(len, training)) * (2 + MOST_PASSES) + sum(map(len, validation))
    progress = Progress(emit, BASES, frames)
    done = 0

    def count(rows: int) -> None:
        nonlocal done
        stop.check()
        done += rows
        progress.at(done)

    subspace = fit_pca(lambda: _residuals(training, motion), bases, report=count)
    if not len(subspace.basis):
        raise Problem("training_still", object=info.object)
    mean = subspace.mean.astype(np.float64).reshape(-1, 3)
    basis = subspace.basis.astype(np.float64).reshape(len(subspace.basis), -1, 3)
    if motion.exact:
        basis[:, pinned] = 0.0  # but for rounding it was
    bases_and_mean = basis.reshape(len(basis), -1), mean.ravel()
    driven, held_out = (
        [driven_by(span, dataset, body) for span in spans] for spans in (training, validation)
    )
    acting = Acting.of(driven, motion, boundary)
    learned = _frames(training, acting, motion, bases_and_mean, count=count)
    if pace != 1.0:
        others = [
            each.at(to_and_fro(len(each.y), int(2 * len(each.y) / pace), pace), info.channels, info.dt)
            for each in driven
            if len(each.y) >= FEWEST_FASTER * pace
        ]
        if others:
            acting = acting.followed_by(Acting.of(others, motion, boundary))
    runs = list(zip(learned.runs(), training, strict=True))
    firsts = [run.start for run, span in runs if span.start == 0]
    return LatentData(
        mean=mean,
        basis=basis,
        captured=subspace.captured,
        motion=motion,
        boundary=boundary,
        absolute=bool(learned.poses.shape[1]),
        starts=np.array(firsts or [0], np.int64),
        training=learned,
        validation=_frames(
            validation, Acting.of(held_out, motion, boundary), motion, bases_and_mean, count=count
        ),
        acting=acting,
        imagined=np.empty((2, 0, len(basis))),
    )


def _boundary(motion: BoundaryMotion, body: Body, y: Doubles, info: DatasetInfo) -> Doubles:
    """(v, e): whitened, what the body reacts to as seen from its pins; then the pins' mean position."""
    anchor = motion.anchor(body.pinned)
    relative = relative_to(anchor, info.channels)
    seen = ((y - motion.mean) @ relative.T).astype(np.float32)
    whitened = fit_interaction_basis(seen, still_spreads(info.channels, info.fps)).basis
    return np.concatenate([whitened.astype(np.float64) @ relative, anchor])


def _pinned(span: Span, pinned: Mask) -> Doubles:
    """(T, P, 3)."""
    rows = np.repeat(pinned, 3)
    found = [chunk[:, rows] for chunk in span.chunks()]
    return np.concatenate(found).astype(np.float64).reshape(len(span), -1, 3)


def _residuals(spans: list[Span], motion: BoundaryMotion) -> Iterator[Floats]:
    """(n, 3 B): positions less the boundary's offsets."""
    offsets = motion.offsets.reshape(len(motion.offsets), 3 * motion.offsets.shape[1])
    for span in spans:
        first = 0
        for chunk in span.chunks():
            c = motion.coefficients(span.interaction[first : first + len(chunk)].astype(np.float64))
            first += len(chunk)
            yield (chunk - c @ offsets).astype(np.float32)


def _frames(
    spans: list[Span],
    acting: Acting,
    motion: BoundaryMotion,
    bases_and_mean: tuple[Doubles, Doubles],
    *,
    count: Callable[[int], None],
) -> Frames:
    (basis, mean), c, beyond = bases_and_mean, [], []
    for rows in _residuals(spans, motion):
        away = rows - mean
        c.append(away @ basis.T)
        beyond.append(np.maximum(0.0, (away * away).sum(1) - (c[-1] * c[-1]).sum(1)))
        count(len(rows))
    return Frames(**vars(acting), c=np.concatenate(c), beyond=np.concatenate(beyond))


def driven_by(span: Span, dataset: Dataset, body: Body) -> Driven:
    """What acts in a span."""
    surroundings = dataset.surroundings(span.take.name)
    if surroundings is None or len(surroundings[1].wind) < span.stop:
        raise Problem("latent_take_without_tracks", path=dataset.path, take=span.take.name)
    request, tracks = surroundings
    tracked = TrackedMotion(request, body, tracks)
    times = np.arange(span.start, span.stop) / tracks.fps
    poses = np.tile(np.eye(4), (len(span), len(request.colliders), 1, 1))
    for t, time in enumerate(times):
        for number, pose in enumerate(tracked.poses(float(time))):
            poses[t, number, :3, :3], poses[t, number, :3, 3] = pose.rotation, pose.translation
    return Driven(
        y=span.interaction.astype(np.float64),
        world=np.linalg.inv(tracks.frame_from_world[span.start : span.stop]),
        wind=np.array([tracked.wind(float(time)) for time in times]),
        held=_pinned(span, body.pinned),
        poses=poses,
    )
