"""Mirror images of takes: what a symmetrical body does when everything about it is mirrored.

Where the mesh at rest is its own mirror image, and moves like it, each take is worth two, and four where that
holds for two planes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learning.training.spans import Span
from neural_physics.arrays import Doubles, Floats
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.interaction.channels import ChannelLayout, Kind

MOST_VALUES = 1000  # of y, with which motion is still asked whether it is mirrored
TOLERANCE = 1e-4  # of the mesh's size, between a vertex and its partner's mirror image
UPRIGHT = 0.1  # most of the gravity that may point across a plane
# Vertices that are tried as one's partner, and pairs in all: others lie next to it, seen along one line.
MOST_TRIED, MOST_PAIRS = 256, 10_000_000
TRIED = 20  # vertices on each side that are asked whether they move like their partners
RIDGE = 1e-4  # of the linear model that is asked, in its inputs' variance
# How far off it may be on mirrored takes: in the root mean square, and in the mean, as a force is that no
# channel knows; both as shares of how far off it is on takes. Where mirrored takes are true, and takes show
# both sides, they are at most 1.17 and 0.1.
WORSE, BIASED = 1.25, 0.3
# What mirroring x -> -x does to the numbers of a channel, in threes: a direction or a place loses the sign of
# x, what turns about an axis that of y and z. Places are mirrored about the middle, too.
_PLACES: frozenset[Kind] = frozenset({"position", "capsule"})
_POLAR: frozenset[Kind] = _PLACES | {"velocity", "acceleration", "wind", "ground"}
_AXIAL: frozenset[Kind] = frozenset({"angular_velocity", "angular_acceleration"})
_SCALAR: frozenset[Kind] = frozenset({"size"})


@dataclass(frozen=True)
class Mirror:
    """One plane across an axis of the mesh, or two of them one after the other.

    A mirrored shape is x[partners] signs + offsets: partners (V,), signs and offsets (3,). Its interaction is
    y y_signs + y_offsets (e,).
    """

    partners: NDArray[np.int64]
    signs: Floats
    offsets: Floats
    y_signs: Floats
    y_offsets: Floats

    def positions(self, x: Floats) -> Floats:
        """Positions (..., V, 3), mirrored."""
        return x[..., self.partners, :] * self.signs + self.offsets

    def interaction(self, y: Floats) -> Floats:
        """(T, e), mirrored."""
        return y * self.y_signs + self.y_offsets

    def then(self, other: Mirror) -> Mirror:
        """This one, and the other after it."""
        return Mirror(
            self.partners[other.partners],
            self.signs * other.signs,
            self.offsets * other.signs + other.offsets,
            self.y_signs * other.y_signs,
            self.y_offsets * other.y_signs + other.y_offsets,
        )


def find_mirrors(mesh: Mesh, info: DatasetInfo, training: list[Span], held_out: list[Span]) -> list[Mirror]:
    """All ways in which the body is its own mirror image, in shape, pins and motion: none, one, or three.

    Where the interaction cannot be mirrored (an armature's joints, unknown values) there is none. The motion
    is asked where the takes' bake does not know that nothing else acts. Of more than `MOST_VALUES` numbers
    none is looked for: it takes as long as their cube.
    """
    if info.channels.size > MOST_VALUES:
        return []
    across = [_mirror_across(axis, mesh, info) for axis in range(3)]
    known = info.only_balls_act
    planes = [m for m in across if m and (known or _moves_alike(m, training, held_out))]
    # All three would turn the body about, which gravity forbids.
    return planes if len(planes) < 2 else [*planes[:2], planes[0].then(planes[1])]


def _mirror_across(axis: int, mesh: Mesh, info: DatasetInfo) -> Mirror | None:
    rest = mesh.rest_positions
    middle = float(rest[:, axis].min() + rest[:, axis].max()) / 2.0
    signs, offsets = np.ones(3, np.float32), np.zeros(3, np.float32)
    signs[axis], offsets[axis] = -1.0, 2.0 * middle
    if abs(info.gravity[axis]) > UPRIGHT * np.linalg.norm(info.gravity):
        return None
    partners = _found_at(rest * signs + offsets, rest, TOLERANCE * float(np.ptp(rest, axis=0).max()))
    numbers = _mirrored_numbers(axis, middle, info.channels)
    if partners is None or numbers is None:
        return None
    if not np.array_equal(mesh.pins[partners] > 0, mesh.pins > 0) or not _same_edges(mesh, partners):
        return None
    return Mirror(partners, signs, offsets, *numbers)


def _found_at(wanted: Floats, places: Floats, tolerance: float) -> NDArray[np.int64] | None:
    """For each wanted place the index of the one that is there, each once; None where one has none."""
    direction = np.array([0.5380311, 0.6664910, 0.5311])  # along no edge of a grid
    along = places @ direction
    order = np.argsort(along, kind="stable")
    firsts, lasts = (
        np.searchsorted(along[order], wanted @ direction + reach) for reach in (-tolerance, tolerance)
    )
    found = np.full(len(wanted), -1, np.int64)
    most = int((lasts - firsts).max(initial=0))
    if most > max(MOST_TRIED, MOST_PAIRS // len(wanted)):
        return None  # no shape has so much of itself in one place
    for step in range(most):
        tried = order[np.minimum(firsts + step, len(order) - 1)]
        near = np.linalg.norm(places[tried] - wanted, axis=1) <= tolerance
        found = np.where(near & (firsts + step < lasts) & (found < 0), tried, found)
    return found if found.min() >= 0 and len(np.unique(found)) == len(found) else None


def _same_edges(mesh: Mesh, partners: NDArray[np.int64]) -> bool:
    edges = mesh.edges()
    return np.array_equal(np.unique(np.sort(partners[edges], axis=1), axis=0), edges)


def _mirrored_numbers(axis: int, middle: float, layout: ChannelLayout) -> tuple[Floats, Floats] | None:
    signs, offsets = np.ones(layout.size, np.float32), np.zeros(layout.size, np.float32)
    for channel, where in zip(layout.channels, layout.slices().values(), strict=True):
        if channel.kind in _SCALAR:
            continue
        if channel.kind not in _POLAR | _AXIAL:
            return None
        for vector in range(2 if channel.kind == "capsule" else 1):
            first = where.start + 3 * vector
            signs[first : first + 3] = -1.0 if channel.kind in _AXIAL else 1.0
            signs[first + axis] *= -1.0
            if channel.kind in _PLACES:
                offsets[first + axis] = 2.0 * middle
    return signs, offsets


def _moves_alike(mirror: Mirror, training: list[Span], held_out: list[Span]) -> bool:
    """Whether linear dynamics of a few vertices tell no difference between takes and their mirror images.

    Where takes show one side of a motion more than the other, they may, although there is none: nothing shows
    then that the other side is alike.
    """
    random = np.random.default_rng(0)
    some = random.choice(len(mirror.partners), min(TRIED, len(mirror.partners)), replace=False)
    vertices = np.unique([some, mirror.partners[some]])
    linear = _Linear.fitted(_steps(vertices, training))
    error, _ = linear.errors(_steps(vertices, held_out))
    of_images, mean_of_images = linear.errors(_steps(vertices, held_out, mirror))
    return of_images <= WORSE * error and mean_of_images <= BIASED * error


def _steps(
    vertices: NDArray[np.int64], spans: Sequence[Span], mirror: Mirror | None = None
) -> tuple[Doubles, Doubles]:
    """(N, i) two states and two interactions, and (N, o) how the vertices' velocities change after them."""
    inputs, targets = [], []
    for span in spans:
        shown = np.asarray(span.take.positions[span.start : span.stop])
        x, y = shown[:, vertices], span.interaction
        if mirror is not None:
            x = shown[:, mirror.partners[vertices]] * mirror.signs + mirror.offsets
            y = mirror.interaction(y)
        x = x.reshape(len(x), -1).astype(np.float64)
        inputs.append(np.concatenate([x[1:-1], x[:-2], y[2:], y[1:-1]], 1))
        targets.append(x[2:] - 2.0 * x[1:-1] + x[:-2])
    return np.concatenate(inputs), np.concatenate(targets)


@dataclass(frozen=True)
class _Linear:
    """A ridge regression."""

    middle: Doubles
    scale: Doubles
    weights: Doubles
    constant: Doubles

    @classmethod
    def fitted(cls, steps: tuple[Doubles, Doubles]) -> _Linear:
        inputs, targets = steps
        middle, scale, constant = inputs.mean(0), inputs.std(0), targets.mean(0)
        scale[scale == 0.0] = 1.0
        x = (inputs - middle) / scale
        system = x.T @ x + RIDGE * len(x) * np.eye(x.shape[1])
        return cls(middle, scale, np.linalg.solve(system, x.T @ (targets - constant)), constant)

    def errors(self, steps: tuple[Doubles, Doubles]) -> tuple[float, float]:
        """The root mean square error, and that of the mean error."""
        inputs, targets = steps
        off = (inputs - self.middle) / self.scale @ self.weights + self.constant - targets
        return float(np.sqrt(np.square(off).mean())), float(np.sqrt(np.square(off.mean(0)).mean()))
