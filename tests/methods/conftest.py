"""Run time and trainers are tested where SciPy and torch are, and how methods play where Blender is."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

IN_BLENDER = find_spec("bpy") is not None
CAN_TRAIN = find_spec("torch") is not None and find_spec("scipy") is not None

if CAN_TRAIN:
    import torch

    torch.set_num_threads(1)  # what is small is slowed down tenfold by threads that wait for a busy core


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if collection_path.suffix != ".py":
        return None
    plays = "pytest.mark.blender" in collection_path.read_text(encoding="utf-8")
    return True if not (IN_BLENDER if plays else CAN_TRAIN) else None
