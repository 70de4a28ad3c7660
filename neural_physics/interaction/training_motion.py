"""Training motion: random positions at random times (Holden 2019, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from ..arrays import Doubles
from ..errors import Problem

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class MotionBox:
    """Where and how fast one object wanders while a take is baked.

    low, high: opposite corners of the box, metres, in world space.
    shortest, longest: time between two keys, seconds.
    fastest: the object never moves faster than this, metres per second (peak, not mean).
    rest_share: the share of keys at which the object stays where it is, so that the model also
        learns how things come to rest.
    """

    low: Triple
    high: Triple
    shortest: float = 0.4
    longest: float = 1.6
    fastest: float = 3.0
    rest_share: float = 0.15

    def check(self, name: str) -> None:
        """Raise Problem("motion_box_empty") if the box cannot be wandered in."""
        inverted = any(low > high for low, high in zip(self.low, self.high, strict=True))
        if inverted or not 0.0 < self.shortest <= self.longest or self.fastest <= 0.0:
            raise Problem("motion_box_empty", object=name)


def random_keys(
    box: MotionBox, frames: int, dt: float, rng: np.random.Generator, *, start: Triple | None = None
) -> tuple[Doubles, Doubles]:
    """Draw keys that cover so many frames, one every `dt` seconds.

    start: the first key's position, metres; drawn from the box when None.
    Returns times (K,) in seconds, rising from 0 by at least `dt`, so that K is at most frames + 2, and
    positions (K, 3) in metres.
    """
    low, high = np.asarray(box.low, float), np.asarray(box.high, float)
    positions = [rng.uniform(low, high) if start is None else np.asarray(start, float)]
    times = [0.0]
    while times[-1] < frames * dt:
        rests = rng.random() < box.rest_share
        position = positions[-1] if rests else rng.uniform(low, high)
        distance = float(np.linalg.norm(position - positions[-1]))
        # The ease of `positions_at` peaks at 15/8 of the mean speed.
        shortest = max(box.shortest, dt, distance * (15.0 / 8.0) / box.fastest)
        times.append(times[-1] + rng.uniform(shortest, max(shortest, box.longest)))
        positions.append(position)
    return np.array(times), np.array(positions)


def positions_at(times: Doubles, positions: Doubles, at: Doubles) -> Doubles:
    """Ease from key to key with zero speed and acceleration at each (a quintic smoothstep).

    times (K,), positions (K, 3), at (T,) in seconds. Returns (T, 3).
    """
    segment = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    span = times[segment + 1] - times[segment]
    s = np.clip((at - times[segment]) / span, 0.0, 1.0)
    ease = s * s * s * (s * (6.0 * s - 15.0) + 10.0)
    return positions[segment] + ease[:, None] * (positions[segment + 1] - positions[segment])


def wander(
    box: MotionBox, frames: int, dt: float, rng: np.random.Generator, *, start: Triple | None = None
) -> Doubles:
    """Positions (frames, 3) of one object, metres, one every `dt` seconds."""
    times, positions = random_keys(box, frames, dt, rng, start=start)
    return positions_at(times, positions, np.arange(frames) * dt)


def wander_and_follow(
    box: MotionBox,
    frames: int,
    dt: float,
    rng: np.random.Generator,
    *,
    start: Triple,
    path: Doubles,
    share: float,
) -> Doubles:
    """`wander` that now and then follows a path (n, 3), metres, one place every `dt` seconds.

    share: of the time, above 0 and below 1; less where the ways to the path's beginning take longer than the
    rest. Each time the path is followed up to a quarter faster or slower.
    Returns (frames, 3); what leads to the path's beginning is no faster than the box allows.
    """
    places = np.array([start], float)
    wanders, follows = rng.uniform(0.0, 2.0) * len(path) * (1.0 - share) / share, 0  # frames
    while len(places) < frames:
        if wanders >= 2.0:
            here, most = cast(Triple, tuple(places[-1])), round(min(wanders, frames))
            places = np.concatenate([places, wander(box, most, dt, rng, start=here)[1:]])
        way = path[0] - places[-1]
        seconds = max(box.shortest, float(np.linalg.norm(way)) * (15.0 / 8.0) / box.fastest)
        keys = np.array([0.0, seconds]), np.stack([places[-1], path[0]])
        reach = positions_at(*keys, np.arange(1, int(min(np.ceil(seconds / dt), frames)) + 1) * dt)
        at = np.arange(0.0, len(path) - 1.0, rng.uniform(0.75, 1.25))
        followed = np.stack([np.interp(at, np.arange(len(path)), path[:, axis]) for axis in range(3)], 1)
        places = np.concatenate([places, reach, followed[1:]])
        follows += len(followed)
        wanders = rng.uniform(0.5, 1.5) * (follows / share - len(places))
    return places[:frames]


def wander_turn(
    most: float, box: MotionBox, frames: int, dt: float, *, rng: np.random.Generator, axis: int | None = None
) -> Doubles:
    """Rotation vectors (frames, 3), axis times angle in radians, from none to at most `most`.

    Only the times and the share of rests of `box` are used. axis: the only one to turn about, 0 to 2; None
    for any axis, another for each turn.
    """
    x, y, z = (most if axis in (None, own) else 0.0 for own in range(3))
    ball = replace(box, low=(-x, -y, -z), high=(x, y, z), fastest=np.inf)
    times, turns = random_keys(ball, frames, dt, rng, start=(0.0, 0.0, 0.0))
    angles = np.linalg.norm(turns, axis=1, keepdims=True)
    turns *= np.minimum(1.0, most / np.maximum(angles, 1e-9))
    return positions_at(times, turns, np.arange(frames) * dt)


def wander_strength(
    least: float, most: float, box: MotionBox, frames: int, *, dt: float, rng: np.random.Generator
) -> Doubles:
    """Strengths (frames,) of a wind between two limits; only the times of `box` are used."""
    line = replace(box, low=(least, 0.0, 0.0), high=(most, 0.0, 0.0), fastest=np.inf)
    return wander(line, frames, dt, rng)[:, 0]
