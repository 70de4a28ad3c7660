"""Where a training computes."""

from __future__ import annotations

import torch

from neural_physics.errors import Problem


def chosen_device(asked: str) -> torch.device:
    """The device for "auto", "cpu" or "cuda". Raises Problem("device_missing")."""
    available = torch.cuda.is_available()
    if asked == "cuda" and not available:
        raise Problem("device_missing")
    return torch.device("cuda" if available and asked != "cpu" else "cpu")
