"""The model that chooses the motion of new takes, where there is one that can."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from ...datasets.takes import Dataset
from ...errors import Problem
from ...evaluation.rollouts import check_belongs
from ...methods.interface import KnowsItsError
from ...methods.registry import load_method
from ...models.model_file import parse_model, read_model_bytes
from ..playing.packing import current_model
from ..settings.properties import settings_of

MOTIONS = 8  # from which each take is chosen; to read one takes about a second, to bake it minutes


def guide_of(obj: bpy.types.Object, dataset: Dataset) -> bytes | None:
    """The model that an object plays, if it belongs to the dataset and knows how far off it is."""
    if not settings_of(obj).choose_takes:
        return None
    try:
        found = current_model(obj)
        data = read_model_bytes(found) if isinstance(found, Path) else found
        model = parse_model(data, obj.name)
        check_belongs(model.info, obj.name, dataset)
        method = load_method(model)
    except Problem:
        return None
    if model.info.channels != dataset.info.channels or not isinstance(method, KnowsItsError):
        return None
    at_rest = method.start(np.zeros(model.info.channels.size, np.float32))
    return None if method.expected_error(at_rest) is None else data
