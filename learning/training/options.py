"""What a person chose for one training, and what must stay the same for it to be resumed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learning.training.presets import Preset
from neural_physics.datasets.dataset_info import TakeKind
from neural_physics.datasets.takes import Dataset

KINDS: tuple[TakeKind, ...] = ("dynamic", "quasistatic")  # of takes that something is learned from


@dataclass(frozen=True)
class Options:
    """What the person chose. out: the model file; work: where checkpoints are kept meanwhile.

    checkpoint_every: seconds. cores: that it may use, at most; all there are if None. own: what was given
    with the option that the method adds, see its `arguments`.
    """

    preset_name: str
    preset: Preset
    bases: int
    seed: int
    device: str
    out: Path
    checkpoint_every: float
    cores: int | None = None
    own: tuple[object, ...] = ()

    @property
    def work(self) -> Path:
        """Where checkpoints are kept meanwhile."""
        return self.out.with_name(self.out.name + ".training")

    def about(self, dataset: Dataset, frames: int) -> dict[str, Any]:
        """What every model file says of its training. frames: how many were learned from."""
        return {
            "preset": self.preset_name,
            "seed": self.seed,
            "training_frames": frames,
            "takes": dataset.moving_takes,
        }

    @property
    def partial(self) -> Path:
        """The best model so far of a training that was stopped."""
        return self.out.with_name(f"{self.out.stem}.partial{self.out.suffix}")


def identity(dataset: Dataset, options: Options) -> str:
    """What must be the same for a stopped training to be resumed: dataset, settings and seed."""
    takes = [
        [take.name, take.info.role, take.segments(), _stamp(dataset.path / "takes" / take.name)]
        for kind in KINDS
        for take in dataset.takes("training", "validation", kind=kind)
    ]
    chosen = [str(options.preset), options.bases, options.seed, *map(str, options.own)]
    return json.dumps([str(dataset.path.absolute()), dataset.info.topology, takes, chosen])


def _stamp(take: Path) -> list[int]:
    return [(take / name).stat().st_mtime_ns for name in ("positions.pc2", "interaction.npy")]
