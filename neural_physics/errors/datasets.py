"""Datasets."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "dataset_missing": "There is no dataset in {path}: bake or import one first.",
    "dataset_damaged": (
        "The dataset {path} cannot be read ({reason}): bake it again, or restore it from a backup."
    ),
    "dataset_settings_unusable": (
        "The dataset {path} cannot be created ({reason}): correct the frame rate, the gravity or the "
        "colliders."
    ),
    "dataset_other_object": (
        "The dataset {path} was baked from a mesh with different vertices or faces than {object} has "
        "now: undo that, bake anew, or choose another dataset folder."
    ),
    "dataset_other_channels": (
        "The dataset {path} was baked with different interaction objects ({found}) than are set now "
        "({expected}): choose another dataset folder, or bake again from scratch."
    ),
    "dataset_other_material": (
        "The dataset {path} holds takes of {object} that were simulated with a different material, other "
        "settings or another solver: delete the dataset, or choose another folder."
    ),
    "dataset_faulty": (
        "The dataset {path} has {count} that would break training, the first in {reason}: fix them and "
        "check again."
    ),
    "dataset_newer": "{path} was written by a newer version of Neural Physics: update the extension.",
    "dataset_empty": "The dataset {path} has no usable frames ({reason}): bake more takes.",
    "dataset_without_motion": (
        "The dataset {path} holds only poses, and no motion to learn from: bake a take with motion as well."
    ),
    "nothing_held_out": (
        "The dataset {path} has no validation or test take long enough to compare a model with: bake "
        "more takes, with a training motion other than Keep Animation, or import one."
    ),
    "dataset_too_short": (
        "The dataset {path} has {found} usable frames in runs of at least {run}, but training needs "
        "{needed}: bake more takes, or longer ones."
    ),
    "dataset_not_numbers": (
        "Frame {frame} of the take {take} contains a value that is not a number, or far too large: bake or "
        "import that take again."
    ),
}
