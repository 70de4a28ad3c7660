"""The limit of predictability: the same motion, and a sheet that is 0.01 % larger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from benchmarks.subspace_physics.datasets import SHEET, Corpus, baked
from neural_physics.baking.plan import PlannedTake
from neural_physics.blender.scene.sources import mesh_data
from neural_physics.datasets.takes import Dataset
from neural_physics.evaluation.rollouts import ErrorSums, chunks

LARGER = 1.0001


@dataclass(frozen=True)
class Twin(Corpus):
    """The test takes of another corpus once more: the same seeds, so the same motion."""

    def takes(self) -> list[PlannedTake]:
        """See `Corpus`; only those for testing, from `SHEET`."""
        return [take for take in SHEET.takes() if take.role == "test"]


TWIN = Twin("limit", "BALL_AND_SHEET", (0, 0), (0, 0), SHEET.test)


def judge() -> dict[str, Any]:
    """How far two references come apart that are indistinguishable at the start: the relative error."""
    sheet, twin = baked(SHEET), baked(TWIN, enlarge)
    sums = ErrorSums(mean_shape(sheet))
    for take in twin.takes("test"):
        other = sheet.take(take.name)
        if not np.array_equal(take.interaction, other.interaction):
            raise SystemExit(f"{take.name}: the two references did not see the same motion")
        for frames in chunks(slice(0, len(take.positions))):
            sums.add(take.positions[frames], np.asarray(other.positions[frames]))
    return {"error": sums.errors().error, "frames": sums.errors().frames}


def mean_shape(dataset: Dataset) -> NDArray[np.float32]:
    """(V, 3) metres: the mean of the training takes."""
    takes = dataset.takes("training")
    sums = np.sum([take.positions[f].sum(0, np.float64) for take in takes for f in _all(take.positions)], 0)
    return (sums / sum(len(take.positions) for take in takes)).astype(np.float32)


def _all(positions: NDArray[np.float32]) -> list[slice]:
    return list(chunks(slice(0, len(positions))))


def enlarge(obj: bpy.types.Object) -> None:
    """Make a twin's sheet."""
    for vertex in mesh_data(obj).vertices:
        vertex.co *= LARGER
