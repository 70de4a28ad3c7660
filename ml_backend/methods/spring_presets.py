"""How springs are fitted; `docs/methods/quasistatic_springs.md` says what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ml_backend.presets import Preset


@dataclass(frozen=True)
class SpringPreset(Preset):
    """Everything that decides a fit beside its data and seed.

    frames: of the training takes that springs are fitted to, at most about. left_out: the share of them that
    each vertex does without, the worst ones (Figure 7); none by default, as bad frames are found beforehand.
    shrink: the weight of the springs' own offsets from the targets, squared, beside those from the
    simulation. generations: of the search for first guesses. settled: whether the shape that bones carry is
    the one about which the simulation swings, as flesh that hangs has it, and not the mesh's own; it stands
    in for a network of quasistatic corrections.
    """

    frames: int = 200
    left_out: float = 0.0
    shrink: float = 1e-3
    generations: int = 3
    settled: bool = True

    ranges: ClassVar = {
        "frames": (8, math.inf),
        "left_out": (0.0, 0.5),
        "shrink": (0.0, math.inf),
        "generations": (0, 1000),
    }


PRESETS = {
    "preview": SpringPreset(frames=100, generations=2),
    "balanced": SpringPreset(),
    "final": SpringPreset(frames=1000, generations=6),
    # Jin 2022, section 7: under 100 frames, the worst tenth left out. It has a regularisation, and no figure.
    "paper": SpringPreset(frames=100, left_out=0.1),
}
