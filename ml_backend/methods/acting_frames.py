"""What acts on a body, frame by frame, as latent dynamics learns from it, and the same at another pace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, Slerp

from ml_backend.methods.boundary_motion import BoundaryMotion
from neural_physics.channels import ChannelLayout, Kind

Array = NDArray[np.float64]

# What becomes of a channel of each kind where time runs k times as fast: it is multiplied by k to this power.
RATES: dict[Kind, int] = {
    "velocity": 1,
    "acceleration": 2,
    "angular_velocity": 1,
    "angular_acceleration": 2,
}


@dataclass(frozen=True)
class Driven:
    """What acts in T frames that follow each other, as it was baked; all float64, lengths in metres.

    y (T, e). world (T, 4, 4): world_from_frame. wind (T, 3): the air's velocity, m/s. held (T, P, 3): where
    pins are, in the frame's axes. poses (T, C, 4, 4): world_from_collider.
    """

    y: Array
    world: Array
    wind: Array
    held: Array
    poses: Array

    def faster(self, pace: float, channels: ChannelLayout) -> Driven:
        """The same motion `pace` times as fast, in so many frames fewer, smooth between those there are."""
        times = pace * np.arange(int((len(self.y) - 1) / pace) + 1)
        if len(self.y) < 2 or pace == 1.0:
            return self
        return Driven(
            y=_between(self.y, times) * pace ** rates(channels),
            world=_between_places(self.world[:, None], times)[:, 0],
            wind=_between(self.wind, times),
            held=_between(self.held, times),
            poses=_between_places(self.poses, times),
        )


@dataclass(frozen=True)
class Acting:
    """Runs of N frames, one after the other in each array; all float64, lengths in metres.

    s (N, v): what the body reacts to, see `LatentData.boundary`; offsets (N, r): see `BoundaryMotion`; world,
    wind, held and poses: see `Driven`. ends (S,) int64: where each run ends.
    """

    s: Array
    offsets: Array
    world: Array
    wind: Array
    held: Array
    poses: Array
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, driven: list[Driven], motion: BoundaryMotion, boundary: Array) -> Self:
        """Each a run of its own; boundary (v, e): s of y."""
        y = np.concatenate([each.y for each in driven])
        return cls(
            s=(y - motion.mean) @ boundary.T,
            offsets=motion.coefficients(y),
            world=np.concatenate([each.world for each in driven]),
            wind=np.concatenate([each.wind for each in driven]),
            held=np.concatenate([each.held for each in driven]),
            poses=np.concatenate([each.poses for each in driven]),
            ends=np.cumsum([len(each.y) for each in driven]),
        )

    def runs(self) -> Iterator[slice]:
        """Each run's frames."""
        for start, stop in pairwise([0, *map(int, self.ends)]):
            yield slice(start, stop)

    def steps(self) -> NDArray[np.int64]:
        """Every frame that has two before it in its run."""
        found = [np.arange(run.start + 2, run.stop) for run in self.runs()]
        return np.concatenate([np.empty(0, np.int64), *found])

    def followed_by(self, other: Self) -> Self:
        """These runs, then the other's."""
        names = [field.name for field in fields(self) if field.name != "ends"]
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return replace(self, **both, ends=np.concatenate([self.ends, len(self.s) + other.ends]))


def rates(channels: ChannelLayout) -> NDArray[np.int64]:
    """(e,): of each number of y, its channel's of `RATES`."""
    return np.concatenate(
        [np.full(channel.size, RATES.get(channel.kind, 0)) for channel in channels.channels]
    )


def _between(values: Array, times: Array) -> Array:
    """Of (T, ...) at times, in frames."""
    if not values.size:
        return np.empty((len(times), *values.shape[1:]))
    found: Array = CubicSpline(np.arange(len(values)), values)(times)
    return found


def _between_places(matrices: Array, times: Array) -> Array:
    """Of (T, C, 4, 4), which turn and move and are as large at all times."""
    found = np.tile(np.eye(4), (len(times), matrices.shape[1], 1, 1))
    for k in range(matrices.shape[1]):
        left, _, right = np.linalg.svd(matrices[:, k, :3, :3])
        turns = left @ right
        flips = np.linalg.det(turns)[:, None, None] < 0.0  # of mirrored objects
        turned = Slerp(np.arange(len(turns)), Rotation.from_matrix(np.where(flips, -turns, turns)))(times)
        stretch = turned.inv().as_matrix()[0] @ matrices[0, k, :3, :3]
        found[:, k, :3, :3] = turned.as_matrix() @ stretch
        found[:, k, :3, 3] = _between(matrices[:, k, :3, 3], times)
    return found
