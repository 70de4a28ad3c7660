"""The takes of motion that a bake of an object would leave: those it keeps, and new ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import bpy
import numpy as np

from ...arrays import Indices
from ...baking.plan import new_roles, take_names
from ...datasets.dataset_info import Role
from ...datasets.status import dataset_status
from ...datasets.takes import TakeOutline
from ...errors import Problem
from ...methods.training_frames import FEWEST_FRAMES, WINDOW, learned_frames
from ...wording import plural
from ..baking.motion.training_motion import moving_takes
from ..settings.paths import dataset_folder
from ..settings.properties import settings_of


@dataclass(frozen=True)
class PlannedTakes:
    """kept: as long as they were begun. fresh: what each new one is for. frames: of each of these."""

    kept: tuple[TakeOutline, ...]
    fresh: tuple[Role, ...]
    frames: int

    @classmethod
    def of(cls, obj: bpy.types.Object) -> PlannedTakes:
        """Raises what `dataset_folder` does."""
        names = set(take_names(moving_takes(obj)))
        there = dataset_status(dataset_folder(obj)).outlines
        kept = tuple(take for take in there if take.name in names and take.is_kept)
        fresh = tuple(new_roles(len(names), [take.info.role for take in kept]))
        return cls(kept, fresh, settings_of(obj).take_frames)

    @property
    def missing_frames(self) -> int:
        """How many are to be baked."""
        begun = (take for take in self.kept if not take.info.complete)
        return len(self.fresh) * self.frames + sum(take.info.frames - take.frame_count for take in begun)

    @property
    def other_length(self) -> str:
        """What is to be said where takes that are there are not as long as is asked for now; "" else."""
        lengths = {take.info.frames for take in self.kept}
        if lengths <= {self.frames}:
            return ""
        shortest, longest = min(lengths), max(lengths)
        to = "" if shortest == longest else f"{shortest:,} to "
        return (
            f"Baked takes keep their length, {to}{plural(longest, 'frame')}: "
            "Frames per Take is for new ones. For all to be as long, bake anew."
        )

    def check_enough(self, obj: bpy.types.Object) -> None:
        """Raise the Problem of takes that would be baked and could not be trained on.

        Problem("bake_too_short"), and Problem("dataset_too_short") where new takes would change nothing.
        """
        validated = "validation" in self.fresh or _validated(self.kept)
        kept = learned_frames(_runs_to_learn(self.kept), validated=validated)
        fresh = self.fresh.count("training")

        def are_enough(frames: int) -> bool:
            return kept + fresh * learned_frames([frames], validated=validated) >= FEWEST_FRAMES

        if are_enough(self.frames):
            return
        if not fresh:
            check_enough_baked(obj)
            return
        needed = next(more for more in count(self.frames + 1) if are_enough(more))
        raise Problem("bake_too_short", object=obj.name, run=WINDOW, fewest=FEWEST_FRAMES, needed=needed)


def check_enough_baked(obj: bpy.types.Object) -> None:
    """Raise Problem("dataset_too_short") where the takes that are there cannot be trained on.

    Where nothing of them can, the training says why. Raises what `dataset_folder` does.
    """
    folder = dataset_folder(obj)
    there = dataset_status(folder).outlines
    runs = _runs_to_learn(there)
    found = learned_frames(runs, validated=_validated(there))
    if found < FEWEST_FRAMES and len(runs):
        raise Problem("dataset_too_short", path=folder, found=found, run=WINDOW, needed=FEWEST_FRAMES)


def _runs_to_learn(takes: tuple[TakeOutline, ...]) -> Indices:
    runs = [take.planned_runs for take in takes if take.info.role == "training"]
    return np.concatenate(runs) if runs else np.empty(0, np.intp)


def _validated(takes: tuple[TakeOutline, ...]) -> bool:
    return any(take.info.role == "validation" and len(take.planned_runs) for take in takes)
