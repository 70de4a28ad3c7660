"""The examples that contact corrections are measured on (Romero 2021, Tables 1 and 2), and what was baked.

All of it lies in build/bench/contact: scenes/NAME are datasets, models/ what was trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.folders import BENCH
from neural_physics.datasets.takes import Dataset

CONTACT = BENCH / "contact"
SCENES, MODELS = CONTACT / "scenes", CONTACT / "models"
TEST = "interaction"  # a take with another seed
BETWEEN = "between"  # one with balls of other radii
FRAMES = 250  # of each


@dataclass(frozen=True)
class Example:
    """example: its name among the extension's. turn: radians, by which what it reacts to first turns either
    way, about `axis`. triangles: about, 0 for as many as the example has. takes: to learn from. between: m,
    radii of the example's balls in another take, which is not learned from.
    """

    name: str
    example: str
    turn: float = 0.0
    axis: str = "Y"
    triangles: int = 0
    takes: int = 6
    between: tuple[float, ...] = ()

    @property
    def turning(self) -> bool:
        """Whether what the body reacts to is turned first."""
        return self.turn > 0.0

    @property
    def training(self) -> tuple[str, ...]:
        """The names of the takes to learn from."""
        return tuple(f"take_{number:03d}" for number in range(self.takes))

    @property
    def tests(self) -> tuple[str, ...]:
        """The names of those that are not learned from."""
        return (TEST, BETWEEN) if self.between else (TEST,)

    @property
    def folder(self) -> Path:
        """The folder of its scene and takes."""
        return SCENES / self.name

    def folder_of(self, take: str) -> Path:
        """The folder of one of its takes: those with balls of other radii have one of their own."""
        return SCENES / f"{self.name}_{BETWEEN.upper()}" if take == BETWEEN else self.folder


CIRCLE = Example("CIRCLE", "JELLY_WITH_CIRCLE")
COMB_STRAIGHT = Example("COMB_STRAIGHT", "JELLY_WITH_COMB")
COMB = Example("COMB", "JELLY_WITH_COMB", turn=0.5)
STAR = Example("STAR", "JELLY_WITH_STAR", turn=0.5)
ACCORDION = Example("ACCORDION", "ACCORDION")
AUXETIC = Example("AUXETIC", "AUXETIC")
WORM = Example("WORM", "WORM", takes=24)
SWUNG_WORM = Example("SWUNG_WORM", "WORM", turn=1.0, axis="Z")
FINGER = Example("FINGER", "FINGER", takes=24, between=(0.09, 0.0575, 0.0725, 0.0725))
# As fine as the paper's (Table 1). The auxetic body has half as many as there: finer, it is drawn out so far
# at its sharp corners when it is pulled that no frame of its takes is fit to learn from.
CIRCLE_FINE = Example("CIRCLE_FINE", "JELLY_WITH_CIRCLE", triangles=12_469)
COMB_FINE = Example("COMB_FINE", "JELLY_WITH_COMB", triangles=12_469)
ACCORDION_FINE = Example("ACCORDION_FINE", "ACCORDION", triangles=17_457)
FINE = (CIRCLE_FINE, COMB_FINE, ACCORDION_FINE)
EXAMPLES = (CIRCLE, COMB_STRAIGHT, COMB, STAR, ACCORDION, AUXETIC, WORM, SWUNG_WORM, FINGER, *FINE)


def baked(example: Example) -> Dataset | None:
    """An example's dataset, if all its takes are complete."""
    for take in (*example.training, *example.tests):
        folder = example.folder_of(take)
        if not (folder / "dataset.json").is_file():
            return None
        dataset = Dataset.open(folder)
        if take not in dataset.take_names() or not dataset.outline(take).info.complete:
            return None
    return Dataset.open(example.folder)
