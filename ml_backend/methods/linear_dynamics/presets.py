"""How far linear dynamics looks back; all presets are fitted in seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ml_backend.training.presets import Preset


@dataclass(frozen=True)
class LinearPreset(Preset):
    """history: frames of the interaction that a step sees, the present one included.

    ridge: how much each input is held back, in its own variances. fastest: the largest eigenvalue that the
    motion may have by itself; below 1 it comes to rest.
    """

    history: int = 8
    ridge: float = 1e-3
    fastest: float = 0.999

    ranges: ClassVar = {"history": (1, 120), "ridge": (0, 1e6), "fastest": (0, 1)}
    above_zero: ClassVar = frozenset({"fastest"})


PRESETS = {
    "preview": LinearPreset(),
    "balanced": LinearPreset(),
    "final": LinearPreset(history=32),
    "paper": LinearPreset(history=1),  # de Aguiar et al. 2010, section 4: the present input alone
}
