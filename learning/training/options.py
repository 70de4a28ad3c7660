"""What a person chose for one training, and what must stay the same for it to be resumed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learning.training.presets import Preset
from neural_physics.datasets.dataset_info import TakeKind
from neural_physics.datasets.takes import BODY, REQUEST, TRACKS, Dataset
from neural_physics.errors import Problem
from neural_physics.files.digests import sampled_digest
from neural_physics.files.reading import NotReadable

KINDS: tuple[TakeKind, ...] = ("dynamic", "quasistatic")  # of takes that something is learned from
# The files that are learned from; not `take.json`, of which `identity` asks for what matters.
OF_DATASET = ("dataset.json", "mesh.npz", BODY)
OF_TAKE = ("positions.pc2", "interaction.npy", "frames.npy", "body.pc2", REQUEST, TRACKS)


@dataclass(frozen=True)
class Options:
    """What the person chose. out: the model file; work: where checkpoints are kept meanwhile.

    checkpoint_every: seconds. cores: that it may use, at most; all there are if None. own: what was given
    with the option that the method adds, see its `arguments`. takes, pace: how many are of motion, and
    seconds that a frame of their simulation took, 0 if unknown; noted when the training begins, as the
    dataset may be gone when it ends.
    """

    preset_name: str
    preset: Preset
    bases: int
    seed: int
    device: str
    out: Path
    checkpoint_every: float
    cores: int | None = None
    takes: int = 0
    pace: float = 0.0
    own: tuple[object, ...] = ()

    @property
    def work(self) -> Path:
        """Where checkpoints are kept meanwhile."""
        return self.out.with_name(self.out.name + ".training")

    def about(self, frames: int) -> dict[str, Any]:
        """What every model file says of its training. frames: how many were learned from."""
        said = {
            "preset": self.preset_name,
            "seed": self.seed,
            "training_frames": frames,
            "takes": self.takes,
        }
        return said | ({"simulation_ms": round(1000.0 * self.pace, 3)} if self.pace else {})

    @property
    def partial(self) -> Path:
        """The best model so far of a training that was stopped."""
        return self.out.with_name(f"{self.out.stem}.partial{self.out.suffix}")


def identity(dataset: Dataset, options: Options) -> str:
    """What must be the same for a stopped training to be resumed: what the takes hold, settings and seed.

    Not where the dataset lies, nor when its files were written: so a training goes on beside a copy, and on
    another computer. Takes of more than a few megabytes are looked at in places alone, see `sampled_digest`:
    what was changed in the middle of one of these, and in none of the others, is not noticed.

    Raises Problem("dataset_damaged").
    """
    chosen = [str(options.preset), options.bases, options.seed, *map(str, options.own)]
    return json.dumps([*content(dataset), chosen])


def content(dataset: Dataset) -> list[Any]:
    """What is learned from in a dataset, as `identity` compares it: the same for a copy of it anywhere.

    Raises Problem("dataset_damaged").
    """
    takes = [
        [
            take.name,
            kind,
            take.info.role,
            take.segments(),
            _content(dataset.path / "takes" / take.name, OF_TAKE),
        ]
        for kind in KINDS
        for take in dataset.takes("training", "validation", kind=kind)
    ]
    return [_content(dataset.path, OF_DATASET), takes]


def _content(folder: Path, names: tuple[str, ...]) -> list[str]:
    """A digest of each file; "" of one that is not there, which most datasets have no need of."""
    try:
        return [sampled_digest(folder / name) if (folder / name).exists() else "" for name in names]
    except (OSError, NotReadable) as error:
        raise Problem("dataset_damaged", path=folder, reason=error) from error
