"""How far linear dynamics looks back; all presets are fitted in seconds."""

from __future__ import annotations

from dataclasses import dataclass

from learning.training.presets import Preset, number
from neural_physics.methods.linear_dynamics.specification import HISTORY


@dataclass(frozen=True)
class LinearPreset(Preset):
    """Everything that decides a fit beside its data and its bases."""

    history: int = number(
        8, "frames of interaction that each step sees, the current one included", 1, HISTORY.most
    )
    ridge: float = number(1e-3, "weight of the ridge penalty on each input, in that input's variance", 0, 1e6)
    fastest: float = number(
        0.999,
        "largest eigenvalue that the motion may have on its own; below 1 it comes to rest",
        most=1,
        above_zero=True,
    )


PRESETS = {
    "preview": LinearPreset(),
    "balanced": LinearPreset(),
    "final": LinearPreset(history=32),
    "paper": LinearPreset(history=1),  # de Aguiar et al. 2010, section 4: the present input alone
}
SEARCHED = ("bases=16,32,64,128", "history=1..32", "ridge=0.00001..0.1", "fastest=0.98..0.9999")
