"""The characters that jiggle springs are measured on (Jin et al. 2022): actions, and what was baked of them.

All of it lies in build/bench/springs: scenes/NAME are datasets, soft_body/NAME_ACTION.npz what Blender's soft
body makes of an action, models/ what was trained, curves/ what the pictures are drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.folders import BENCH
from neural_physics.datasets.takes import Dataset

SPRINGS = BENCH / "springs"
SCENES, MODELS = SPRINGS / "scenes", SPRINGS / "models"
SOFT_BODIES, CURVES = SPRINGS / "soft_body", SPRINGS / "curves"

# Frames of a take in which the character stands: a simulation begins with the mesh as it was modelled, and
# flesh that sinks into its weight is not the action's doing.
STANDING = 24
AFTER = 9  # frames in which what swings at an action's end swings on
MOST = 99  # frames of an action that are looked at, those of AFTER included: under 100
PRESET, QUICKER = "final", "balanced"  # errors are reported for the first, times for both
FITTED, UNSEEN = "fitted", "unseen"  # what an action is for


@dataclass(frozen=True)
class Character:
    """example: its name among the extension's examples. fitted: the action that springs are fitted to.

    unseen: the one that neither poses nor motion are learned from; "" for none. poses: held ones, for the
    network.
    """

    name: str
    example: str
    fitted: str
    unseen: str = ""
    poses: int = 1000

    @property
    def folder(self) -> Path:
        """The folder of its scene and takes."""
        return SCENES / self.example

    @property
    def actions(self) -> dict[str, str]:
        """The character's actions by what they are for."""
        return {FITTED: self.fitted} | ({UNSEEN: self.unseen} if self.unseen else {})


CHARACTERS = (
    Character("Soft Character", "SOFT_CHARACTER", "Jumping Jacks", "Hop", poses=2400),
    Character("Soft Animal", "SOFT_ANIMAL", "Trot", "Shake", poses=600),
)
# One that nothing was tuned for, whose random keys `human` makes.
HUMAN = Character("Human", "HUMAN", "Random Keys", "Other Random Keys", poses=500)
JUDGED = (*CHARACTERS, HUMAN)
# The first character with as many vertices as the paper's, for times alone.
FINE = Character("Soft Character, fine", "SOFT_CHARACTER_fine", "Jumping Jacks", poses=40)


def take_of(action: str) -> str:
    """The name of an action's take."""
    return action.lower().replace(" ", "_")


def is_whole(folder: Path, take: str) -> bool:
    """Whether a take is there, to its last frame."""
    if not (folder / "dataset.json").is_file():
        return False
    dataset = Dataset.open(folder)
    return take in dataset.take_names() and dataset.outline(take).info.complete


def baked(character: Character) -> Dataset | None:
    """A character's dataset, if all that was begun of it, and its actions, are complete."""
    if not all(is_whole(character.folder, take_of(action)) for action in character.actions.values()):
        return None
    dataset = Dataset.open(character.folder)
    whole = all(take.info.complete for take in dataset.outlines())
    return dataset if whole and dataset.takes("training", kind="quasistatic") else None


def model_folder(name: str, preset: str) -> Path:
    """Where a model is trained and kept."""
    return MODELS / f"{name}_{preset}"


def soft_body_file(character: Character, action: str) -> Path:
    """What `soft_body` leaves of an action."""
    return SOFT_BODIES / f"{character.example}_{take_of(action)}.npz"


def goals_file(character: Character) -> Path:
    """The goals that `soft_body` tried, with their errors."""
    return SOFT_BODIES / f"{character.example}_goals.json"
