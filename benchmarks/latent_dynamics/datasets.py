"""The scenes of Li et al. 2025 (Table 1), from the extension's own examples, and the models trained on them.

Their datasets lie in build/bench/latent/scenes: NAME has the example's own takes, NAME_paper one take as long
as the paper's, NAME_speeds takes at constant speeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.latent_dynamics.scenes import LATENT, seen_only
from benchmarks.latent_dynamics.training import is_trained, trained
from neural_physics.datasets.takes import Dataset

SCENES = LATENT / "scenes"
MINUTES = 9  # of the processor, as the preset `balanced` has


@dataclass(frozen=True)
class Example:
    """One scene of the table.

    dataset: what is learned from. seen: the first so many frames of its take are, 0 for whole takes.
    paper: its row in Table 1 of the paper: the simulation's and the method's ms. latents: of ours.
    speeds: takes at constant speeds.
    """

    dataset: str
    seen: int
    paper: tuple[float, float] | None
    latents: int = 8
    speeds: str = ""


EXAMPLES = {
    "Hair on a turning cube": Example("TURNING_HAIR", 0, (268.0, 0.720), 16, speeds="TURNING_HAIR_speeds"),
    "Hair on a sliding cube": Example("SLIDING_HAIR", 0, (208.0, 0.558), 16, speeds="SLIDING_HAIR_speeds"),
    "Pinned cloth": Example("PINNED_CLOTH_paper", 750, (18.83, 0.272), 24),
    "Hanging figure": Example("HANGING_FIGURE_paper", 780, (136.8, 0.489), 12),
    "Ears": Example("EARS_paper", 540, (112.6, 0.426), 4),
    "Cantilever": Example("CANTILEVER", 0, None),
}


def found(name: str) -> Dataset | None:
    """A dataset of the scenes, if it is there and complete."""
    path = SCENES / name
    if not (path / "dataset.json").is_file():
        return None
    dataset = Dataset.open(path)
    whole = bool(dataset.outlines()) and all(take.info.complete for take in dataset.outlines())
    return dataset if whole else None


def learned(name: str) -> Dataset | None:
    """What an example's model sees: its dataset, without what is kept for testing."""
    example = EXAMPLES[name]
    dataset = found(example.dataset)
    if dataset is None or not example.seen:
        return dataset
    take = dataset.take_names()[0]
    return seen_only(dataset, {take: example.seen}, LATENT / f"{example.dataset}_seen")


def model(name: str, kept_only: bool = False) -> tuple[Path, dict[str, Any]] | None:
    """An example's model file and what its training delivered, None where there is no dataset yet.

    kept_only: None, too, where no model is trained yet.
    """
    dataset, folder = learned(name), EXAMPLES[name].dataset.lower()
    if dataset is None or (kept_only and not is_trained(folder)):
        return None
    changes = [f"minutes={MINUTES}", f"latents={EXAMPLES[name].latents}", "patience=1000"]
    return trained(folder, dataset.path, 0, changes)


def missing() -> list[str]:
    """The datasets and models that are not there."""
    wanted = [each for e in EXAMPLES.values() for each in (e.dataset, e.speeds) if each]
    datasets = [each for each in wanted if found(each) is None]
    return datasets + [name for name in EXAMPLES if model(name, kept_only=True) is None]
