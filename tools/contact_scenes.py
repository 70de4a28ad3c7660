"""The flat jellies of contact corrections' benchmark (Romero 2021, Tables 1 and 2), and what was baked.

All of it lies in build/bench/contact: scenes/NAME are datasets, models/ what was trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from neural_physics.takes import Dataset

ROOT = Path(__file__).resolve().parents[1]
CONTACT = ROOT / "build" / "bench" / "contact"
SCENES, MODELS = CONTACT / "scenes", CONTACT / "models"
TRAINING = tuple(f"take_{number:03d}" for number in range(6))
TEST = "interaction"  # a take with another seed
FRAMES = 250  # of each


@dataclass(frozen=True)
class Jelly:
    """example: its name among the extension's examples. turning: whether the collider turns."""

    name: str
    example: str
    turning: bool

    @property
    def folder(self) -> Path:
        return SCENES / self.name


JELLIES = (
    Jelly("CIRCLE", "JELLY_WITH_CIRCLE", turning=False),
    Jelly("COMB_STRAIGHT", "JELLY_WITH_COMB", turning=False),
    Jelly("COMB", "JELLY_WITH_COMB", turning=True),
    Jelly("STAR", "JELLY_WITH_STAR", turning=True),
)


def baked(jelly: Jelly) -> Dataset | None:
    """A jelly's dataset, if all its takes are complete."""
    if not (jelly.folder / "dataset.json").is_file():
        return None
    dataset = Dataset.open(jelly.folder)
    names = dataset.take_names()
    whole = all(name in names and dataset.outline(name).info.complete for name in (*TRAINING, TEST))
    return dataset if whole else None
