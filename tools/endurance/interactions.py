"""What an object reacts to, in turns: an ordinary scene, and bursts of what no scene should give."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np

from neural_physics.arrays import Floats
from neural_physics.models.model_file import Model
from tools.endurance.models import swaying

ORDINARY = "ordinary"
LONGEST_BURST = 40  # frames
Burst = Callable[[Floats, Model, random.Random], Floats]


def ordinary(model: Model, frame: int) -> Floats:
    """y (e,) of a scene in which everything sways a little, and cloth is what it was trained to be."""
    y: Floats = swaying(model.info.channels, frame)
    settings = model.info.settings
    for value, channel in settings.get("live", {}).items():
        y[model.info.channels.slices()[channel]] = settings["fabric"][value]
    return y


def bursts(model: Model, chance: random.Random) -> Iterator[tuple[str, list[Floats]]]:
    """What each burst is, and its ys, of up to `LONGEST_BURST` frames; without end."""
    while True:
        for kind in chance.sample(list(BURSTS), len(BURSTS)):
            frames, still = range(chance.randint(1, LONGEST_BURST)), chance.random() < 0.5
            first = chance.getrandbits(32)
            ys = []
            for frame in frames:
                drawn = random.Random(first if still else first + frame)
                ys.append(BURSTS[kind](ordinary(model, 0 if still else frame), model, drawn))
            yield kind, ys


def _random(y: Floats, _: Model, chance: random.Random) -> Floats:
    numbers = np.random.default_rng(chance.getrandbits(32)).normal(size=len(y))
    return (numbers * 10.0 ** chance.uniform(-2.0, 2.0)).astype(np.float32)


def _huge(y: Floats, _: Model, chance: random.Random) -> Floats:
    where = _some(y, chance)
    signs = np.array([chance.choice((-1.0, 1.0)) for _ in y])
    y[where] = (signs * 10.0 ** chance.uniform(3.0, 38.0)).astype(np.float32)[where]
    return y


def _infinite(y: Floats, _: Model, chance: random.Random) -> Floats:
    y[_some(y, chance)] = chance.choice((np.inf, -np.inf))
    return y


def _not_a_number(y: Floats, _: Model, chance: random.Random) -> Floats:
    y[_some(y, chance)] = np.nan
    return y


def _missing(y: Floats, model: Model, chance: random.Random) -> Floats:
    """Some channels are 0, as of objects that are gone; poses and directions then are none."""
    for place in model.info.channels.slices().values():
        if chance.random() < 0.5 or len(model.info.channels.channels) == 1:
            y[place] = 0.0
    return y


BURSTS: dict[str, Burst] = {
    "random": _random,
    "infinite": _infinite,
    "NaN": _not_a_number,
    "missing": _missing,
    "huge": _huge,
}


def _some(y: Floats, chance: random.Random) -> list[int]:
    """Places in y: one, a few, or all."""
    count = chance.choice((1, min(3, len(y)), len(y)))
    return chance.sample(range(len(y)), count)
