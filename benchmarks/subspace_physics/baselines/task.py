"""What all are given: one box's takes, or the first frames of them, in one subspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from learning.methods.subspace_physics.presets import PRESETS, SubspacePreset
from learning.training.mirror import find_mirrors
from learning.training.options import Options, identity
from learning.training.presets import changed
from learning.training.spans import Span, split
from learning.training.subspace_data import SubspaceData, prepare
from learning.training.tensor_files import read_tensors, write_tensors
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, StopRequest

PRESET = "balanced"
# Ends by steps alone, so that a busy machine changes nothing. A second opinion changes no prediction.
CHANGES = ("minutes=0", "second=false")


@dataclass(frozen=True)
class Task:
    """data: in the relative scale of the bases. folder: where what is trained on it is kept.

    frames: to learn from, without mirror images. key: what it follows from.
    """

    dataset: Dataset
    data: SubspaceData
    frames: int
    folder: Path
    key: str

    def preset(self, steps: int, rate: float | None = None) -> SubspacePreset:
        """How everything is trained, the network of Holden 2019 included."""
        settings = [*CHANGES, f"steps={steps}", f"patience={steps}"]
        if rate is not None:
            settings.append(f"learning_rate={rate}")
        return changed(PRESETS[PRESET], settings)


def task_of(
    dataset: Dataset, bases: int, folder: Path, *, frames: int | None = None, emit: Emit, stop: StopRequest
) -> Task:
    """A dataset in so many bases, which is kept in the folder. frames: the first so many of its takes.

    Mirror images of takes are learned from where there are any, as the extension does.
    """
    training, validation = split(dataset)
    if frames is not None:
        training = first_frames(training, frames)
    frames = sum(map(len, training))
    options = Options(PRESET, PRESETS[PRESET], bases, 0, device="cpu", out=folder, checkpoint_every=0.0)
    key = f"{identity(dataset, options)} {frames}"
    path = folder / "subspace.safetensors"
    found = read_tensors(path)
    if found is not None and found[1].get("identity") == key:
        data = SubspaceData.from_tensors(found[0])
    else:
        mirrors = find_mirrors(dataset.mesh, dataset.info, training, validation)
        data = prepare(training, validation, dataset.info, bases, mirrors=mirrors, emit=emit, stop=stop)
        write_tensors(path, data.to_tensors(), {"identity": key})
    return Task(dataset, data.in_relative_scale(), frames, folder, key)


def first_frames(spans: list[Span], frames: int) -> list[Span]:
    """The first so many frames of spans; the last of them may end early."""
    kept: list[Span] = []
    for span in spans:
        left = frames - sum(map(len, kept))
        if left <= 0:
            break
        kept.append(replace(span, stop=min(span.stop, span.start + left)))
    return kept
