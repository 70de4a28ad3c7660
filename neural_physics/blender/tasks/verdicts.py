"""What is said of the model that an object plays, for panels that are drawn often."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ...datasets.status import dataset_status
from ...errors import Problem
from ...evaluation.verdict import Errors, Verdict, judge
from ...methods.registry import specification_of
from ...models.model_file import ModelInfo
from ...plain_text import one_line
from ..baking.motion.training_motion import motion_varies
from ..playing import packing
from ..settings.paths import dataset_folder, model_path
from ..settings.properties import settings_of

MOST_OF_A_NAME = 60  # characters


class Known(NamedTuple):
    """What a model's file says. takes: that there were then, 0 if it does not say. credit: "" without one."""

    verdict: Verdict | None
    takes: int
    credit: str


_known: dict[tuple[object, ...], Known | None] = {}


def verdict_of(obj: bpy.types.Object) -> Verdict | None:
    """What the model's own file says of it; None where there is none, or it says nothing."""
    found = _look(obj)
    return None if found is None else found.verdict


def credit_of(obj: bpy.types.Object) -> str:
    """Who made the model that an object plays, and under which licence, "" where its file does not say."""
    found = _look(obj)
    return "" if found is None else found.credit


def new_takes(obj: bpy.types.Object) -> int:
    """How many takes were baked since the model was trained. Raises what `dataset_folder` does."""
    found = _look(obj)
    return max(0, dataset_status(dataset_folder(obj)).moving - found.takes) if found and found.takes else 0


def was_trained_here(obj: bpy.types.Object) -> bool:
    """Whether the takes it was trained on are here, as far as this scene may look."""
    try:
        return dataset_status(dataset_folder(obj)).moving > 0
    except Problem:
        return False


def may_bake_more(obj: bpy.types.Object, found: Verdict) -> bool:
    """Whether more takes would help that are not there yet. Raises what `dataset_folder` does."""
    there = dataset_status(dataset_folder(obj)).moving > 0
    return found.advice == "takes" and there and not new_takes(obj) and motion_varies(obj)


def forget_verdicts() -> None:
    """Read models again where they are asked about."""
    _known.clear()


def _look(obj: bpy.types.Object) -> Known | None:
    try:
        key = (*packing.identity_of(obj), *_stamp(obj))
        if key not in _known:
            _known[key] = _read(obj)
        return _known[key]
    except Problem:
        return None


def _stamp(obj: bpy.types.Object) -> tuple[object, ...]:
    """What changes with the model's file, where that is what plays."""
    if settings_of(obj).model is not None:
        return ()
    try:
        about = model_path(obj).stat()
    except OSError:
        return ()
    return about.st_mtime_ns, about.st_size


def _read(obj: bpy.types.Object) -> Known | None:
    try:
        info = packing.model_of(obj).info
    except Problem:
        return None
    errors, method = Errors.of_training(info.training), specification_of(info.method)
    if errors is None or method is None:
        return Known(None, 0, _credit(info))
    return Known(judge(errors, method.simplest, method.simpler), errors.takes or 0, _credit(info))


def _credit(info: ModelInfo) -> str:
    """Such as “by Ada, CC BY 4.0”."""
    author, licence = (one_line(text, MOST_OF_A_NAME) for text in (info.author, info.licence))
    return ", ".join(part for part in (f"by {author}" if author else "", licence) if part)
