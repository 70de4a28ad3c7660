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

from ml_backend.methods.latent_dynamics.boundary_motion import BoundaryMotion
from neural_physics.arrays import Doubles
from neural_physics.interaction.channels import KINEMATIC_KINDS, ChannelLayout, frame_kinematics

TURN = 30  # frames, in which what goes to and fro turns back


@dataclass(frozen=True)
class Driven:
    """What acts in T frames that follow each other, as it was baked; all float64, lengths in metres.

    y (T, e). world (T, 4, 4): world_from_frame. wind (T, 3): the air's velocity, m/s. held (T, P, 3): where
    pins are, in the frame's axes. poses (T, C, 4, 4): world_from_collider.
    """

    y: Doubles
    world: Doubles
    wind: Doubles
    held: Doubles
    poses: Doubles

    def at(self, times: Doubles, channels: ChannelLayout, dt: float) -> Driven:
        """The same motion at other times (n,), in frames, smooth between those there are; n - 2 frames.

        Velocities and accelerations are those of the reference frame as it moves then; dt, s, of a frame.
        """
        world = _between_places(self.world[:, None], times)[:, 0]
        y, slices = _between(self.y, times), channels.slices()
        kinematic = [channel for channel in channels.channels if channel.kind in KINEMATIC_KINDS]
        for t in range(2, len(times)) if kinematic else ():
            moving = frame_kinematics((world[t], world[t - 1], world[t - 2]), dt)
            for channel in kinematic:
                y[t, slices[channel.name]] = getattr(moving, channel.kind)
        return Driven(
            y=y[2:],
            world=world[2:],
            wind=_between(self.wind, times[2:]),
            held=_between(self.held, times[2:]),
            poses=_between_places(self.poses, times[2:]),
        )


@dataclass(frozen=True)
class Acting:
    """Runs of N frames, one after the other in each array; all float64, lengths in metres.

    s (N, v): what the body reacts to, see `LatentData.boundary`; offsets (N, r): see `BoundaryMotion`; world,
    wind, held and poses: see `Driven`. ends (S,) int64: where each run ends.
    """

    s: Doubles
    offsets: Doubles
    world: Doubles
    wind: Doubles
    held: Doubles
    poses: Doubles
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, driven: list[Driven], motion: BoundaryMotion, boundary: Doubles) -> Self:
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


def to_and_fro(frames: int, count: int, pace: float = 1.0) -> Doubles:
    """(count,): times, in frames, from about the first of so many to about the last, back, and so on.

    Time runs `pace` times as fast, and slower while it turns back: what moves does not stop at once.
    """
    last = frames - 1
    phases = pace * (np.arange(count)[:, None] + np.linspace(-0.5, 0.5, TURN + 1) * TURN)
    times: Doubles = (last - np.abs((phases % (2 * last)) - last)).mean(1)
    return times


def _between(values: Doubles, times: Doubles) -> Doubles:
    """Values (T, ...) interpolated at times, in frames."""
    if not values.size:
        return np.empty((len(times), *values.shape[1:]))
    found: Doubles = CubicSpline(np.arange(len(values)), values)(times)
    return found


def _between_places(matrices: Doubles, times: Doubles) -> Doubles:
    """Rigid placements (T, C, 4, 4) interpolated at times, in frames; sizes do not change."""
    found = np.tile(np.eye(4), (len(times), matrices.shape[1], 1, 1))
    for k in range(matrices.shape[1]):
        left, _, right = np.linalg.svd(matrices[:, k, :3, :3])
        turns = left @ right
        flips = np.linalg.det(turns)[:, None, None] < 0.0  # of mirrored objects
        rotations = np.where(flips, -turns, turns)
        stretch = rotations[0].T @ matrices[0, k, :3, :3]
        turned = Slerp(np.arange(len(turns)), Rotation.from_matrix(rotations))(times)
        found[:, k, :3, :3] = turned.as_matrix() @ stretch
        found[:, k, :3, 3] = _between(matrices[:, k, :3, 3], times)
    return found
